/* ranks: 8; launcher: mpiexec hydra; mpich: skip its ranks spin while they wait */
/* Waiting costs nothing: ranks that wait two seconds for another, in a barrier, in a receive, at an exclusive lock or
 * in MPI_Win_wait, use less than a tenth of a second of CPU time. (CPU time, of which others on the machine take none.) */
#include "check.h"

#include <sys/resource.h>
#include <unistd.h>

static double cpu_seconds(void)
{
    struct rusage usage;
    CHECK_EQ(getrusage(RUSAGE_SELF, &usage), 0);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static void nap(void)
{
    sleep(2);
}

static void in_barrier(MPI_Win win)
{
    (void)win;
    if (rank == 0)
        nap();
    barrier();
}

static void in_receive(MPI_Win win)
{
    int token = 1;
    (void)win;
    if (rank == 0) {
        nap();
        for (int r = 1; r < size; r++)
            OK(MPI_Send(&token, 1, MPI_INT, r, 3, MPI_COMM_WORLD));
    } else {
        OK(MPI_Recv(&token, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
}

/* Rank 0 is known to have the lock before the others ask for it. */
static void at_lock(MPI_Win win)
{
    if (rank == 0)
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
    barrier();
    if (rank == 0)
        nap();
    else
        OK(MPI_Win_lock(rank % 2 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, 0, 0, win));
    OK(MPI_Win_unlock(0, win));
}

static void in_fence(MPI_Win win)
{
    if (rank == 0)
        nap();
    OK(MPI_Win_fence(0, win));
}

static void check_idle(const char *what, void (*wait)(MPI_Win), MPI_Win win)
{
    barrier();
    double before = cpu_seconds();
    wait(win);
    double used = cpu_seconds() - before;
    if (rank != 0 && used >= 0.1)
        check_failed(__FILE__, __LINE__, "%s used %.3f s of CPU time", what, used);
    barrier();
}

int main(int argc, char **argv)
{
    MPI_Win win;
    int *base;
    check_start(&argc, &argv);
    OK(MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    check_idle("MPI_Barrier", in_barrier, win);
    check_idle("MPI_Recv", in_receive, win);
    check_idle("MPI_Win_lock", at_lock, win);
    check_idle("MPI_Win_fence", in_fence, win);
    OK(MPI_Win_free(&win));
    return check_end();
}
