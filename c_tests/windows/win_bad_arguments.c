/* ranks: 1 2 4; mpich: skip an error on one rank leaves the others waiting; wrong: results go to one variable, without flushes between */
/* Windows whose making fails on one rank fail on all, with the class of what was wrong there; nothing hangs, and the next
 * window works. What MPI lets a library check about buffers is checked (MPI 4.1 sections 12.2, 12.3). */
#include "check.h"

#define FREED_INFO ((MPI_Info)0x9c7fffff)

enum mistake { INFO, WIN, BASEPTR, SIZE, UNIT, BASE, MISTAKES };
static const int class_of[MISTAKES] = {MPI_ERR_INFO, MPI_ERR_ARG, MPI_ERR_ARG, MPI_ERR_SIZE, MPI_ERR_DISP,
                                       MPI_ERR_BASE};

static void one_rank_is_wrong(int culprit, enum mistake mistake)
{
    MPI_Win win, *place = rank == culprit && mistake == WIN ? NULL : &win;
    MPI_Info info = rank == culprit && mistake == INFO ? FREED_INFO : MPI_INFO_NULL;
    MPI_Aint bytes = rank == culprit && mistake == SIZE ? -8 : 64;
    int unit = rank == culprit && mistake == UNIT ? 0 : 1;
    MPI_Comm comm = MPI_COMM_WORLD;
    char memory[64];
    /* The first page of an address space is never mapped. */
    void *there = rank == culprit && mistake == BASE ? (void *)64 : memory;
    void *base, *baseptr = rank == culprit && mistake == BASEPTR ? NULL : (void *)&base;
    if (mistake == BASE) {
        CHECK_CLASS(MPI_Win_create(there, bytes, unit, info, comm, place), MPI_ERR_BASE);
        CHECK_CLASS(MPI_Win_create_c(there, bytes, unit, info, comm, place), MPI_ERR_BASE);
        return;
    }
    CHECK_CLASS(MPI_Win_allocate(bytes, unit, info, comm, baseptr, place), class_of[mistake]);
    CHECK_CLASS(MPI_Win_allocate_shared(bytes, unit, info, comm, baseptr, place), class_of[mistake]);
    CHECK_CLASS(MPI_Win_allocate_c(bytes, unit, info, comm, baseptr, place), class_of[mistake]);
    CHECK_CLASS(MPI_Win_allocate_shared_c(bytes, unit, info, comm, baseptr, place), class_of[mistake]);
    if (mistake == BASEPTR)
        return;
    CHECK_CLASS(MPI_Win_create(there, bytes, unit, info, comm, place), class_of[mistake]);
    CHECK_CLASS(MPI_Win_create_c(there, bytes, unit, info, comm, place), class_of[mistake]);
    if (mistake == INFO || mistake == WIN)
        CHECK_CLASS(MPI_Win_create_dynamic(info, comm, place), class_of[mistake]);
}

static void null_buffers(void)
{
    MPI_Win win;
    char *base, memory[64] = {0};
    MPI_Datatype two, types[3] = {MPI_INT, MPI_DOUBLE_INT};
    OK(MPI_Type_contiguous(2, MPI_INT, &two));
    OK(MPI_Type_commit(&two));
    types[2] = two;
    OK(MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    memset(base, 0, 64);
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win));
    for (int i = 0; i < 3; i++) {
        MPI_Datatype t = types[i];
        CHECK_CLASS(MPI_Put(NULL, 1, t, rank, 0, 1, t, win), MPI_ERR_BUFFER);
        CHECK_CLASS(MPI_Get(NULL, 1, t, rank, 0, 1, t, win), MPI_ERR_BUFFER);
        CHECK_CLASS(MPI_Accumulate(NULL, 1, t, rank, 0, 1, t, MPI_REPLACE, win), MPI_ERR_BUFFER);
        CHECK_CLASS(MPI_Get_accumulate(NULL, 1, t, memory, 1, t, rank, 0, 1, t, MPI_REPLACE, win), MPI_ERR_BUFFER);
        CHECK_CLASS(MPI_Get_accumulate(memory, 1, t, NULL, 1, t, rank, 0, 1, t, MPI_REPLACE, win), MPI_ERR_BUFFER);
        CHECK_CLASS(MPI_Get_accumulate(NULL, 0, MPI_DATATYPE_NULL, NULL, 1, t, rank, 0, 1, t, MPI_NO_OP, win),
                    MPI_ERR_BUFFER);
        OK(MPI_Get_accumulate(NULL, 0, MPI_DATATYPE_NULL, memory, 1, t, rank, 0, 1, t, MPI_NO_OP, win));
        OK(MPI_Put(NULL, 0, t, rank, 0, 0, t, win));
    }
    for (int i = 0; i < 2; i++) {
        CHECK_CLASS(MPI_Fetch_and_op(NULL, memory, types[i], rank, 0, MPI_REPLACE, win), MPI_ERR_BUFFER);
        CHECK_CLASS(MPI_Fetch_and_op(memory, NULL, types[i], rank, 0, MPI_REPLACE, win), MPI_ERR_BUFFER);
        OK(MPI_Fetch_and_op(NULL, memory, types[i], rank, 0, MPI_NO_OP, win));
    }
    CHECK_CLASS(MPI_Fetch_and_op(memory, memory + 8, two, rank, 0, MPI_REPLACE, win), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Compare_and_swap(NULL, memory, memory, MPI_INT, rank, 0, win), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Compare_and_swap(memory, NULL, memory, MPI_INT, rank, 0, win), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Compare_and_swap(memory, memory, NULL, MPI_INT, rank, 0, win), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Compare_and_swap(memory, memory, memory, MPI_DOUBLE, rank, 0, win), MPI_ERR_TYPE);
    for (int i = 0; i < 64; i++)
        CHECK_EQ(base[i], 0);
    OK(MPI_Win_unlock(rank, win));
    OK(MPI_Win_free(&win));
    OK(MPI_Type_free(&two));
}

/* Both sides of an accumulate have elements of one kind; memory attached with size 0 can be detached. */
static void mixed_elements_and_nothing_attached(void)
{
    MPI_Win win;
    char *base, memory[16] = {0}, byte;
    const int lengths[2] = {1, 1};
    const MPI_Aint places[2] = {0, 4};
    const MPI_Datatype parts[2] = {MPI_INT, MPI_FLOAT};
    MPI_Datatype mixed;
    OK(MPI_Type_create_struct(2, lengths, places, parts, &mixed));
    OK(MPI_Type_commit(&mixed));
    OK(MPI_Win_allocate(16, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
    CHECK_CLASS(MPI_Accumulate(memory, 1, mixed, rank, 0, 2, MPI_INT, MPI_SUM, win), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Accumulate(memory, 8, MPI_BYTE, rank, 0, 2, MPI_INT, MPI_SUM, win), MPI_ERR_TYPE);
    CHECK(MPI_Accumulate(memory, 2, MPI_INT, rank, 0, 1, mixed, MPI_SUM, win) != MPI_SUCCESS);
    OK(MPI_Accumulate(NULL, 0, mixed, rank, 0, 0, MPI_INT, MPI_SUM, win));
    OK(MPI_Win_unlock(rank, win));
    OK(MPI_Win_free(&win));
    OK(MPI_Type_free(&mixed));

    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    OK(MPI_Win_attach(win, &byte, 0));
    OK(MPI_Win_attach(win, &byte, 1));
    OK(MPI_Win_detach(win, &byte));
    OK(MPI_Win_detach(win, &byte));
    CHECK_CLASS(MPI_Win_detach(win, &byte), MPI_ERR_BASE);
    OK(MPI_Win_free(&win));
}

static void next_window_works(void)
{
    MPI_Win win;
    int *base, value = rank, next = (rank + 1) % size;
    OK(MPI_Win_allocate(sizeof *base, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    OK(MPI_Win_fence(0, win));
    OK(MPI_Put(&value, 1, MPI_INT, next, 0, 1, MPI_INT, win));
    OK(MPI_Win_fence(0, win));
    CHECK_EQ(*base, (rank + size - 1) % size);
    OK(MPI_Win_free(&win));
}

/* Ranks that ask for different layouts get memory of their own all the same. */
static void layouts_differ(void)
{
    MPI_Win win;
    MPI_Info info;
    unsigned char *base;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "alloc_shared_noncontig", rank == 0 ? "true" : "false"));
    OK(MPI_Win_allocate_shared(100, 1, info, MPI_COMM_WORLD, &base, &win));
    memset(base, rank + 1, 100);
    barrier();
    for (int i = 0; i < 100; i++)
        CHECK_EQ(base[i], rank + 1);
    barrier();
    OK(MPI_Win_free(&win));
    OK(MPI_Info_free(&info));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    for (int mistake = 0; mistake < MISTAKES; mistake++)
        for (int culprit = 0; culprit < size; culprit++)
            one_rank_is_wrong(culprit, (enum mistake)mistake);
    null_buffers();
    layouts_differ();
    mixed_elements_and_nothing_attached();
    next_window_works();
    return check_end();
}
