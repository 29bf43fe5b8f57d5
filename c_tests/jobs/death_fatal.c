/* ranks: 3 8; name: lock; args: lock; expect-exit: 137; expect-stderr: was killed by signal 9; expect-stderr: MPI_Win_lock; mpich: skip another launcher's words */
/* ranks: 3 8; name: fence; args: fence; expect-exit: 137; expect-stderr: was killed by signal 9; expect-stderr: in MPI_Win_fence; mpich: skip another launcher's words */
/* ranks: 3 8; name: computing; args: computing; expect-exit: 137; expect-stderr: was killed by signal 9; mpich: skip another launcher's words */
/* ranks: 3 8; name: self; args: self; expect-exit: 137; expect-stderr: was killed by signal 9; mpich: skip another launcher's words */
/* ranks: 3 8; name: one_survives; args: one_survives; expect-exit: 137; expect-stderr: was killed by signal 9; expect-stderr: the job ends; mpich: skip another launcher's words */
/* With the error handlers that objects begin with a death ends the job, also for those who wait for nothing; unless somebody has
 * said that he can go on: then whoever cannot ends it. */
#include "death.h"

int main(int argc, char **argv)
{
    int *base, one_survives = strcmp(argv[1], "one_survives") == 0;
    MPI_Win win;
    check_start(&argc, &argv);
    OK(MPI_Win_allocate(sizeof *base, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    if (strcmp(argv[1], "self") == 0)
        OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    if (one_survives && rank == 0)
        OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    if (rank == 1)
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
    barrier();
    if (rank == 1) {
        if (strcmp(argv[1], "one_survives") != 0)
            sleep_ms(500); /* for the others to be asleep, which they report */
        die();
    }
    if (strcmp(argv[1], "computing") == 0 || strcmp(argv[1], "self") == 0)
        for (;;)
            sleep_ms(1000);
    if (one_survives && rank == 0) {
        CHECK_SENTENCE(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win), MPIX_ERR_PROC_FAILED,
                       "the exclusive lock of rank 0 is held by rank 1 (rank 1 of the job), which was killed by signal 9");
        for (;;)
            sleep_ms(1000);
    }
    if (strcmp(argv[1], "fence") == 0)
        MPI_Win_fence(0, win);
    else
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    CHECK(!"a wait for the dead ended without an error");
    return 1;
}
