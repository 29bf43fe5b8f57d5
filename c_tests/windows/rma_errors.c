/* ranks: 1 2 4; mpich: skip it checks fewer arguments and has other classes for them; wrong: misuse is what it looks at */
/* Misuse of windows: each has its error class and a sentence with the value, is found before anything is changed, goes
 * to the window's error handler, and the job goes on (MPI 4.1 sections 12.3, 12.5, 12.6). */
#include "check.h"

static MPI_Win win;
static int *base;
static int value = 7, got[4] = { 1, 2, 3, 4 };

#define BYTES 64

/* Outside any epoch. */
static void no_epoch(void)
{
    CHECK_CLASS(MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Get(got, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Fetch_and_op(&value, got, MPI_INT, 0, 0, MPI_SUM, win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Compare_and_swap(&value, &value, got, MPI_INT, 0, 0, win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_unlock(0, win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_unlock_all(win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_flush(0, win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_flush_all(win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_flush_local(0, win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_flush_local_all(win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_complete(win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_wait(win), MPI_ERR_RMA_SYNC);
    int flag;
    CHECK_CLASS(MPI_Win_test(win, &flag), MPI_ERR_RMA_SYNC);
}

/* Locks that do not fit each other. */
static void wrong_locks(void)
{
    CHECK_SENTENCE(MPI_Win_lock(99, 0, 0, win), MPI_ERR_LOCKTYPE, "99");
    CHECK_SENTENCE(MPI_Win_lock(MPI_LOCK_SHARED, size, 0, win), MPI_ERR_RANK, "rank is");
    CHECK_SENTENCE(MPI_Win_lock(MPI_LOCK_SHARED, -5, 0, win), MPI_ERR_RANK, "-5");
    CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, 0, 1 << 20, win), MPI_ERR_ASSERT);
    CHECK_CLASS(MPI_Win_lock_all(1 << 20, win), MPI_ERR_ASSERT);
    CHECK_CLASS(MPI_Win_fence(1 << 20, win), MPI_ERR_ASSERT);

    OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
    CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_lock_all(0, win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_fence(0, win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_unlock_all(win), MPI_ERR_RMA_SYNC);
    int other = (rank + 1) % size;
    if (other != rank) {
        CHECK_CLASS(MPI_Win_unlock(other, win), MPI_ERR_RMA_SYNC);
        CHECK_CLASS(MPI_Win_flush(other, win), MPI_ERR_RMA_SYNC);
        CHECK_CLASS(MPI_Put(&value, 1, MPI_INT, other, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC);
    }
    OK(MPI_Win_unlock(rank, win));
    CHECK_CLASS(MPI_Win_unlock(rank, win), MPI_ERR_RMA_SYNC);

    OK(MPI_Win_lock_all(0, win));
    CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_lock_all(0, win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_unlock(rank, win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_fence(0, win), MPI_ERR_RMA_SYNC);
    OK(MPI_Win_unlock_all(win));
}

/* Targets, counts, types and places that are none; in an epoch. Nothing is moved by any of them. */
static void wrong_operations(void)
{
    MPI_Datatype uncommitted;
    double number = 1.5;
    int target = (rank + 1) % size;
    OK(MPI_Type_contiguous(2, MPI_INT, &uncommitted));
    OK(MPI_Win_lock_all(0, win));
    CHECK_SENTENCE(MPI_Put(&value, 1, MPI_INT, size + 3, 0, 1, MPI_INT, win), MPI_ERR_RANK, "is");
    CHECK_CLASS(MPI_Put(&value, 1, MPI_INT, -9, 0, 1, MPI_INT, win), MPI_ERR_RANK);
    CHECK_SENTENCE(MPI_Put(&value, -1, MPI_INT, target, 0, 1, MPI_INT, win), MPI_ERR_COUNT, "-1");
    CHECK_SENTENCE(MPI_Put(&value, 1, MPI_INT, target, 0, -2, MPI_INT, win), MPI_ERR_COUNT, "-2");
    CHECK_CLASS(MPI_Put(&value, 1, MPI_DATATYPE_NULL, target, 0, 1, MPI_INT, win), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_DATATYPE_NULL, win), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Put(got, 1, uncommitted, target, 0, 2, MPI_INT, win), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Get(got, 2, MPI_INT, target, 0, 1, uncommitted, win), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Put(NULL, 1, MPI_INT, target, 0, 1, MPI_INT, win), MPI_ERR_BUFFER);

    /* Over the end of the window, before its start, at the edge. */
    CHECK_CLASS(MPI_Put(&value, 1, MPI_INT, target, BYTES / 4, 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
    CHECK_CLASS(MPI_Get(got, 2, MPI_INT, target, BYTES / 4 - 1, 2, MPI_INT, win), MPI_ERR_RMA_RANGE);
    CHECK_CLASS(MPI_Accumulate(&value, 1, MPI_INT, target, 1 << 20, 1, MPI_INT, MPI_SUM, win), MPI_ERR_RMA_RANGE);
    CHECK_CLASS(MPI_Fetch_and_op(&value, got, MPI_INT, target, BYTES / 4, MPI_SUM, win), MPI_ERR_RMA_RANGE);
    CHECK_CLASS(MPI_Compare_and_swap(&value, &value, got, MPI_INT, target, BYTES / 4, win), MPI_ERR_RMA_RANGE);
    CHECK_CLASS(MPI_Put(&value, 1, MPI_INT, target, PTRDIFF_MAX, 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
    CHECK_CLASS(MPI_Put(&value, 1, MPI_INT, target, PTRDIFF_MAX / 4 + 1, 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
    CHECK_CLASS(MPI_Put(&value, 1, MPI_INT, target, -1, 1, MPI_INT, win), MPI_ERR_DISP);

    /* Operations. */
    CHECK_CLASS(MPI_Accumulate(&value, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_OP_NULL, win), MPI_ERR_OP);
    CHECK_CLASS(MPI_Accumulate(&number, 1, MPI_DOUBLE, target, 0, 1, MPI_DOUBLE, MPI_BXOR, win), MPI_ERR_OP);
    CHECK_CLASS(MPI_Accumulate(&value, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_MAXLOC, win), MPI_ERR_OP);
    /* MPI_NO_OP is for those that fetch. */
    MPI_Request request;
    CHECK_SENTENCE(MPI_Accumulate(&value, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_NO_OP, win), MPI_ERR_OP, "MPI_NO_OP");
    CHECK_CLASS(MPI_Accumulate(NULL, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_NO_OP, win), MPI_ERR_OP);
    CHECK_CLASS(MPI_Accumulate(got, 4, MPI_INT, target, 0, 4, MPI_INT, MPI_NO_OP, win), MPI_ERR_OP);
    CHECK_CLASS(MPI_Raccumulate(&value, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_NO_OP, win, &request), MPI_ERR_OP);
    int there[4];
    OK(MPI_Get_accumulate(NULL, 0, MPI_INT, there, 4, MPI_INT, target, 0, 4, MPI_INT, MPI_NO_OP, win));
    OK(MPI_Fetch_and_op(NULL, there, MPI_INT, target, 0, MPI_NO_OP, win));
    CHECK_CLASS(MPI_Compare_and_swap(&number, &number, got, MPI_DOUBLE, target, 0, win), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Fetch_and_op(got, got + 2, MPI_DATATYPE_NULL, target, 0, MPI_SUM, win), MPI_ERR_TYPE);
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Type_free(&uncommitted));
}

/* Handles that are none: garbage, freed, of another kind. They go to the handler of MPI_COMM_SELF. */
static void wrong_handles(void)
{
    MPI_Win freed, other;
    int *memory, word;
    OK(MPI_Win_allocate(4, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &freed));
    other = freed;
    OK(MPI_Win_free(&freed));
    const MPI_Win wrong[] = { MPI_WIN_NULL, other, (MPI_Win)0x12345678, (MPI_Win)MPI_COMM_WORLD, (MPI_Win)MPI_INT, (MPI_Win)-1 };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        MPI_Win it = wrong[i];
        MPI_Group group;
        MPI_Info info;
        MPI_Aint bytes;
        char name[MPI_MAX_OBJECT_NAME];
        CHECK_CLASS(MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, it), MPI_ERR_WIN);
        CHECK_CLASS(MPI_Win_fence(0, it), MPI_ERR_WIN);
        CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, it), MPI_ERR_WIN);
        CHECK_CLASS(MPI_Win_flush_all(it), MPI_ERR_WIN);
        CHECK_CLASS(MPI_Win_sync(it), MPI_ERR_WIN);
        CHECK_CLASS(MPI_Win_get_group(it, &group), MPI_ERR_WIN);
        CHECK_CLASS(MPI_Win_get_info(it, &info), MPI_ERR_WIN);
        CHECK_CLASS(MPI_Win_shared_query(it, 0, &bytes, &word, &memory), MPI_ERR_WIN);
        CHECK_CLASS(MPI_Win_set_errhandler(it, MPI_ERRORS_RETURN), MPI_ERR_WIN);
        if (it != MPI_WIN_NULL) /* which has a name */
            CHECK_CLASS(MPI_Win_get_name(it, name, &word), MPI_ERR_WIN);
        CHECK_CLASS(MPI_Win_free(&it), MPI_ERR_WIN);
    }
    CHECK_CLASS(MPI_Win_get_attr(win, MPI_KEYVAL_INVALID, &memory, &word), MPI_ERR_KEYVAL);
    CHECK_CLASS(MPI_Win_set_errhandler(win, MPI_ERRHANDLER_NULL), MPI_ERR_ERRHANDLER);
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Win_allocate(BYTES, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    for (int i = 0; i < BYTES / 4; i++)
        base[i] = 100 + i;
    barrier();
    no_epoch();
    wrong_locks();
    wrong_operations();
    wrong_handles();
    barrier();
    for (int i = 0; i < BYTES / 4; i++)
        CHECK_EQ(base[i], 100 + i);
    for (int i = 0; i < 4; i++)
        CHECK_EQ(got[i], i + 1);
    /* And the window still works. */
    OK(MPI_Win_fence(0, win));
    OK(MPI_Put(&value, 1, MPI_INT, (rank + 1) % size, 3, 1, MPI_INT, win));
    CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win), MPI_ERR_RMA_SYNC); /* the fence's epoch has an operation */
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    CHECK_EQ(base[3], 7);
    OK(MPI_Win_free(&win));
    return check_end();
}
