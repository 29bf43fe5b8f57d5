/* ranks: 1 2 4 */
/* One accumulate onto memory of MPI_Alloc_mem, of malloc and of the stack that is attached to a dynamic window (MPI 4.1 section 12.2.4): each
 * element is updated atomically, also against operations that meet it alone. */
#include "check.h"

enum { N = 6, ROUNDS = 200, EXTRA = 50 };

/* The attached memory of a process: two elements in each piece. */
struct places {
    MPI_Aint at[N];
};

static void *pieces[3];
static MPI_Win win;

/* Elements of all pieces in turn, so that no two neighbours are in one piece. Gives those of rank 0. */
static struct places attach(size_t bytes, void *on_stack, const char *adopt)
{
    struct places mine;
    MPI_Info info;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "rmashm_adopt", adopt));
    OK(MPI_Win_create_dynamic(info, MPI_COMM_WORLD, &win));
    OK(MPI_Info_free(&info));
    OK(MPI_Alloc_mem((MPI_Aint)(2 * bytes), MPI_INFO_NULL, &pieces[0]));
    pieces[1] = malloc(2 * bytes);
    pieces[2] = on_stack;
    for (int i = 0; i < 3; i++) {
        memset(pieces[i], 0, 2 * bytes);
        OK(MPI_Win_attach(win, pieces[i], (MPI_Aint)(2 * bytes)));
    }
    for (int i = 0; i < N; i++)
        OK(MPI_Get_address((char *)pieces[i % 3] + (size_t)(i / 3) * bytes, &mine.at[i]));
    OK(MPI_Bcast(&mine, sizeof mine, MPI_BYTE, 0, MPI_COMM_WORLD));
    barrier();
    return mine;
}

static void detach(void)
{
    barrier();
    for (int i = 0; i < 3; i++)
        OK(MPI_Win_detach(win, pieces[i]));
    OK(MPI_Win_free(&win));
    OK(MPI_Free_mem(pieces[0]));
    free(pieces[1]);
}

static MPI_Datatype scattered(struct places there, MPI_Datatype element)
{
    MPI_Datatype type;
    OK(MPI_Type_create_hindexed_block(N, 1, there.at, element, &type));
    OK(MPI_Type_commit(&type));
    return type;
}

static void numbers(const char *adopt)
{
    int64_t on_stack[2], values[N], before[N], one = 1, got[N];
    struct places there = attach(sizeof *on_stack, on_stack, adopt);
    MPI_Datatype type = scattered(there, MPI_INT64_T);
    for (int i = 0; i < N; i++)
        values[i] = 10 * i + 1;
    OK(MPI_Win_lock_all(0, win));
    /* By all processes: all elements, or one. */
    for (int round = 0; round < ROUNDS; round++) {
        OK(MPI_Accumulate(values, N, MPI_INT64_T, 0, 0, 1, type, MPI_SUM, win));
        if (round % (ROUNDS / EXTRA) == 0)
            for (int i = 0; i < N; i++)
                OK(MPI_Fetch_and_op(&one, &got[i], MPI_INT64_T, 0, there.at[i], MPI_SUM, win));
        OK(MPI_Win_flush(0, win));
    }
    barrier();
    OK(MPI_Get_accumulate(NULL, 0, MPI_INT64_T, before, N, MPI_INT64_T, 0, 0, 1, type, MPI_NO_OP, win));
    OK(MPI_Win_flush(0, win));
    for (int i = 0; i < N; i++)
        CHECK_EQ(before[i], size * (ROUNDS * values[i] + EXTRA));
    barrier();
    if (rank == size - 1) {
        OK(MPI_Get_accumulate(values, N, MPI_INT64_T, before, N, MPI_INT64_T, 0, 0, 1, type, MPI_REPLACE, win));
        OK(MPI_Win_flush(0, win));
        for (int i = 0; i < N; i++)
            CHECK_EQ(before[i], size * (ROUNDS * values[i] + EXTRA));
    }
    barrier();
    OK(MPI_Win_sync(win));
    for (int i = 0; rank == 0 && i < N; i++)
        CHECK_EQ(((int64_t *)pieces[i % 3])[i / 3], values[i]);
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Type_free(&type));
    detach();
}

/* Elements with a gap in them. */
static void pairs(void)
{
    struct pair {
        double value;
        int index;
    } on_stack[2], values[N], before[N];
    struct places there = attach(sizeof *on_stack, on_stack, "false");
    MPI_Datatype type = scattered(there, MPI_DOUBLE_INT);
    for (int i = 0; i < N; i++)
        values[i] = (struct pair){.value = i % 2 ? i : -i, .index = 100 + i};
    OK(MPI_Win_fence(0, win));
    if (rank == size - 1)
        OK(MPI_Get_accumulate(values, N, MPI_DOUBLE_INT, before, N, MPI_DOUBLE_INT, 0, 0, 1, type, MPI_MAXLOC, win));
    OK(MPI_Win_fence(0, win));
    for (int i = 0; rank == size - 1 && i < N; i++)
        CHECK(before[i].value == 0 && before[i].index == 0);
    for (int i = 0; rank == 0 && i < N; i++) {
        struct pair *mine = (struct pair *)pieces[i % 3] + i / 3;
        CHECK(mine->value == (i % 2 ? i : 0));
        CHECK_EQ(mine->index, i % 2 ? 100 + i : 0);
    }
    OK(MPI_Type_free(&type));
    detach();
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    numbers("false");
    numbers("true");
    pairs();
    return check_end();
}
