/* What waiting costs: the CPU time of a rank for a second of waiting, for each thing that one can wait for. */
#include "bench.h"
#include <sys/resource.h>
#include <unistd.h>

static double cpu(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return u.ru_utime.tv_sec + u.ru_stime.tv_sec + 1e-6 * (u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static struct window w;
static MPI_Group peer;

static void in_barrier(int waits)
{
    (void)waits;
    MPI_Barrier(MPI_COMM_WORLD);
}
static void in_fence(int waits)
{
    (void)waits;
    MPI_Win_fence(MPI_MODE_NOSUCCEED | MPI_MODE_NOPRECEDE, w.win);
}
static void in_recv(int waits)
{
    int x = 0;
    if (waits)
        MPI_Recv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
}
static void in_start(int waits)
{
    if (waits) {
        MPI_Win_start(peer, 0, w.win);
        MPI_Win_complete(w.win);
    } else {
        MPI_Win_post(peer, 0, w.win);
        MPI_Win_wait(w.win);
    }
}

static void in_wait(int waits)
{
    if (waits) {
        MPI_Win_post(peer, 0, w.win);
        MPI_Win_wait(w.win);
    } else {
        MPI_Win_start(peer, 0, w.win);
        MPI_Win_complete(w.win);
    }
}

/* Rank 0 waits for rank 1, which sleeps. */
static void wait(const char *name, void (*how)(int))
{
    double seconds = budget * 10, used, begin;
    MPI_Barrier(MPI_COMM_WORLD);
    used = cpu();
    begin = MPI_Wtime();
    if (rank == 1)
        usleep(seconds * 1e6);
    if (rank < 2 || how == in_barrier || how == in_fence)
        how(rank == 0);
    result(name, (long)(seconds * 1e3), "cpu", (cpu() - used) / (MPI_Wtime() - begin));
    MPI_Barrier(MPI_COMM_WORLD);
}

static void in_lock(void)
{
    double seconds = budget * 10;
    if (rank == 1) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, w.win);
        /* Some MPIs get a lock late, when data moves. */
        char x = 0;
        MPI_Put(&x, 1, MPI_CHAR, 1, 0, 1, MPI_CHAR, w.win);
        MPI_Win_flush(1, w.win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    double used = cpu(), begin = MPI_Wtime();
    if (rank == 1) {
        usleep(seconds * 1e6);
        MPI_Win_unlock(1, w.win);
    } else if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, w.win);
        MPI_Win_unlock(1, w.win);
    }
    result("lock", (long)(seconds * 1e3), "cpu", (cpu() - used) / (MPI_Wtime() - begin));
    MPI_Barrier(MPI_COMM_WORLD);
}

void family_idle(void)
{
    MPI_Group world;
    int other = !rank;
    w = window_open(SHARED, 64);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &other, &peer);
    wait("barrier", in_barrier);
    wait("fence", in_fence);
    wait("recv", in_recv);
    wait("start", in_start);
    wait("wait", in_wait);
    in_lock();
    MPI_Group_free(&world);
    MPI_Group_free(&peer);
    window_close(&w);
}
