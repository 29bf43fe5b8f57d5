/* ranks: 2 4; args: 30; expect-exit: 137; expect-stderr: was killed by signal 9; mpich: skip a death ends the job */
/* A process is killed (after so many milliseconds as the argument says) while it accumulates a long array of pairs into private memory
 * of rank 0, most likely inside the lock that protects them. The others, who accumulate there too, come to an end: with an
 * error that names it, or without. With a second argument they print that error. */
#include "death.h"


enum { PAIRS = 20000 };

struct pair {
    double value;
    int index;
};

static struct pair mine[PAIRS], theirs[PAIRS];

int main(int argc, char **argv)
{
    MPI_Win win;
    long ms = argc > 1 ? atol(argv[1]) : 30;
    int code = MPI_SUCCESS, flag, alive = 1;
    check_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Win_create(mine, rank == 0 ? sizeof mine : 0, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    OK(MPI_Win_lock_all(0, win));
    barrier();
    if (rank == 1) {
        die_in(1000 * ms);
        for (;;)
            OK(MPI_Accumulate(theirs, PAIRS, MPI_DOUBLE_INT, 0, 0, PAIRS, MPI_DOUBLE_INT, MPI_MAXLOC, win));
    }
    while (alive && code == MPI_SUCCESS) {
        alive = MPI_Iprobe(1, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS;
        code = MPI_Accumulate(theirs, 1, MPI_DOUBLE_INT, 0, rank, 1, MPI_DOUBLE_INT, MPI_MAXLOC, win);
        sleep_ms(1);
    }
    if (code != MPI_SUCCESS) {
        CHECK_SENTENCE(code, MPIX_ERR_PROC_FAILED,
                       "accumulate lock of rank 0 is held by rank 1 (rank 1 of the job), which was killed");
        if (argc > 2)
            printf("the accumulate lock was held\n");
    }
    OK(MPI_Win_unlock_all(win));
    CHECK_CLASS(MPI_Win_free(&win), MPIX_ERR_PROC_FAILED);
    return check_end();
}
