/* ranks: 3 4; name: array; args: 30 array; expect-exit: 137; expect-stderr: was killed by signal 9; mpich: skip a death ends the job; wrong: results that nobody looks at go to one variable, without flushes between */
/* ranks: 3 4; name: single; args: 30 single; expect-exit: 137; expect-stderr: was killed by signal 9; mpich: skip a death ends the job; wrong: the same */
/* ranks: 4; name: early; args: 3 array; expect-exit: 137; expect-stderr: was killed by signal 9; mpich: skip a death ends the job; wrong: the same */
/* A process is killed (after so many milliseconds as the argument says) while it updates elements in shared memory of rank 0:
 * long arrays, or one element after the other. The others, who update the same elements in both ways, are not held up:
 * either the update of an array was cut off, and they get an error that names the dead, or all goes on. */
#include "death.h"


enum { COUNT = 200000 };

static double ones[COUNT];

static void victim(MPI_Win win, long ms, int arrays)
{
    double got;
    die_in(1000 * ms);
    for (;;)
        if (arrays)
            OK(MPI_Accumulate(ones, COUNT, MPI_DOUBLE, 0, 0, COUNT, MPI_DOUBLE, MPI_SUM, win));
        else
            OK(MPI_Fetch_and_op(ones, &got, MPI_DOUBLE, 0, 0, MPI_SUM, win));
}

static int update(MPI_Win win, int arrays)
{
    double got;
    return arrays ? MPI_Accumulate(ones, 3000, MPI_DOUBLE, 0, 0, 3000, MPI_DOUBLE, MPI_SUM, win)
                  : MPI_Fetch_and_op(ones, &got, MPI_DOUBLE, 0, 0, MPI_SUM, win);
}

int main(int argc, char **argv)
{
    long ms = argc > 1 ? atol(argv[1]) : 30;
    int arrays = argc > 2 && strcmp(argv[2], "array") == 0, code = MPI_SUCCESS, flag, alive = 1;
    double *mine;
    MPI_Win win;
    check_start(&argc, &argv);
    for (int i = 0; i < COUNT; i++)
        ones[i] = 1;
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Win_allocate(rank == 0 ? sizeof ones : 0, sizeof *ones, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    OK(MPI_Win_lock_all(0, win));
    barrier();
    if (rank == 1)
        victim(win, ms, arrays);
    for (int i = 0; alive && code == MPI_SUCCESS; i++) {
        alive = MPI_Iprobe(1, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS;
        code = update(win, (rank + i / 100) % 2);
    }
    for (int i = 0; code == MPI_SUCCESS && i < 1000; i++)
        code = update(win, i % 2);
    if (code != MPI_SUCCESS)
        CHECK_SENTENCE(code, MPIX_ERR_PROC_FAILED,
                       "accumulate lock of rank 0 is held by rank 1 (rank 1 of the job), which was killed");
    OK(MPI_Win_unlock_all(win));
    CHECK_CLASS(MPI_Win_free(&win), MPIX_ERR_PROC_FAILED);
    return check_end();
}
