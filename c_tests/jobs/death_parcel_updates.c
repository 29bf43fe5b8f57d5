/* ranks: 3 4; name: target; args: 1; env: RMASHM_ADOPT=false; expect-exit: 137; expect-stderr: was killed by signal 9; mpich: skip a death ends the job; wrong: results go to the same memory, over and over, until one dies */
/* ranks: 3 4; name: origin; args: 2; env: RMASHM_ADOPT=false; expect-exit: 137; expect-stderr: was killed by signal 9; mpich: skip a death ends the job; wrong: results go to the same memory, over and over, until one dies */
/* A process is killed while it updates its private memory for others, or while another does that for it: nobody is kept waiting,
 * whoever held the lock of the elements. */
#include "carried.h"
#include "death.h"

enum { ELEMENTS = 4000 };

static int64_t memory[2 * ELEMENTS];
static MPI_Datatype every_second;

static int update(int round, int target, MPI_Win win)
{
    static int64_t ones[ELEMENTS], before[ELEMENTS];
    int64_t one = 1, was;
    for (int i = 0; i < ELEMENTS; i++)
        ones[i] = 1;
    switch (round % 4) {
    case 0:
        return MPI_Accumulate(ones, ELEMENTS, MPI_INT64_T, target, 0, 1, every_second, MPI_SUM, win);
    case 1:
        return MPI_Get_accumulate(ones, ELEMENTS, MPI_INT64_T, before, ELEMENTS, MPI_INT64_T, target, 0, 1, every_second,
                                  MPI_SUM, win);
    case 2:
        return MPI_Fetch_and_op(&one, &was, MPI_INT64_T, target, 8, MPI_SUM, win);
    default:
        return MPI_Compare_and_swap(&one, &one, &was, MPI_INT64_T, target, 8, win);
    }
}

int main(int argc, char **argv)
{
    MPI_Win win;
    int of_target = argc > 1 && atoi(argv[1]) == 1, none, code = MPI_SUCCESS;
    death_start(&argc, &argv);
    ask_for_little();
    OK(MPI_Type_vector(ELEMENTS, 1, 2, MPI_INT64_T, &every_second));
    OK(MPI_Type_commit(&every_second));
    OK(MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, all, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    OK(MPI_Win_lock_all(0, win));
    together();
    if (rank == VICTIM) {
        die_in(200000 + (long)(mix((uint64_t)getpid(), 1) % 100000));
        /* As a target it waits for what never comes. */
        if (of_target)
            MPI_Recv(&none, 1, MPI_INT, 0, 1, all, MPI_STATUS_IGNORE);
        for (int round = 0;; round++)
            OK(update(round, 0, win));
    }
    if (of_target) {
        for (int round = 0; code == MPI_SUCCESS; round++)
            code = update(round, VICTIM, win);
        CHECK_CLASS(code, MPIX_ERR_PROC_FAILED);
    }
    await_death();
    if (rank == 2 && !of_target) {
        /* The victim may have held the lock, then nobody updates any more. */
        for (int round = 0; round < 100 && code == MPI_SUCCESS; round++)
            code = update(round, 0, win);
        if (code != MPI_SUCCESS)
            CHECK_CLASS(code, MPIX_ERR_PROC_FAILED);
        OK(MPI_Send(&code, 1, MPI_INT, 0, 2, all));
    }
    if (rank == 0 && !of_target) {
        OK(MPI_Recv(&code, 1, MPI_INT, 2, 2, all, MPI_STATUS_IGNORE));
        for (int i = 0; i < 2 * ELEMENTS; i++)
            CHECK(i % 2 == 0 ? memory[i] == memory[2] || i == 0 || code != MPI_SUCCESS : i == 1 || memory[i] == 0);
    }
    OK(MPI_Win_unlock_all(win));
    FAILS(MPI_Win_free(&win), "MPI_Win_free");
    OK(MPI_Type_free(&every_second));
    return check_end();
}
