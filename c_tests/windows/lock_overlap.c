/* ranks: 4; seconds: 20 */
/* Locks of others that overlap without end keep nobody out, and not for long either: of those that take them again and again
 * one leaves only when another has come, or after 5 ms (MPI 4.1 section 12.5.3). */
#include "check.h"

#include <sched.h>
#include <unistd.h>

#define TURNS 20
#define MOST 0.005

/* How many of the others hold their locks, and whether rank 0 has had all its turns. */
struct hall {
    int inside, over;
};

static MPI_Win win, shared;
static int *base;
static struct hall *hall;

static void begin(int type, int target)
{
    OK(type ? MPI_Win_lock(type, target, 0, win) : MPI_Win_lock_all(0, win));
}

static void end(int type, int target)
{
    OK(type ? MPI_Win_unlock(target, win) : MPI_Win_unlock_all(win));
}

/* Rank 0 takes its lock TURNS times, while the others take theirs without a pause; a `type` of 0 is lock_all. `keeping`:
 * they hold a shared lock besides, all the time. */
static void overlap(int type, int others_type, int others_target, int keeping)
{
    hall->over = 0;
    barrier();
    if (keeping && rank != 0)
        OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
    barrier();
    if (rank == 0) {
        for (int i = 0; i < TURNS; i++) {
            begin(type, 0);
            if (type == MPI_LOCK_EXCLUSIVE)
                CHECK_EQ(__atomic_load_n(&hall->inside, __ATOMIC_SEQ_CST), 0);
            end(type, 0);
            usleep(1000); /* they are inside again */
        }
        __atomic_store_n(&hall->over, 1, __ATOMIC_SEQ_CST);
    }
    while (rank != 0 && !__atomic_load_n(&hall->over, __ATOMIC_SEQ_CST)) {
        begin(others_type, others_target);
        __atomic_fetch_add(&hall->inside, 1, __ATOMIC_SEQ_CST);
        for (double since = MPI_Wtime(); MPI_Wtime() - since < MOST;) {
            if (__atomic_load_n(&hall->inside, __ATOMIC_SEQ_CST) > 1)
                break;
            sched_yield();
        }
        __atomic_fetch_sub(&hall->inside, 1, __ATOMIC_SEQ_CST);
        end(others_type, others_target);
    }
    if (keeping && rank != 0)
        OK(MPI_Win_unlock(0, win));
    barrier();
}

int main(int argc, char **argv)
{
    MPI_Aint bytes;
    int unit;
    check_start(&argc, &argv);
    OK(MPI_Win_allocate(sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    OK(MPI_Win_allocate_shared(rank ? 0 : sizeof *hall, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &hall, &shared));
    OK(MPI_Win_shared_query(shared, 0, &bytes, &unit, &hall));
    if (rank == 0)
        hall->inside = 0;
    barrier();
    overlap(MPI_LOCK_EXCLUSIVE, MPI_LOCK_SHARED, 0, 0);
    overlap(MPI_LOCK_EXCLUSIVE, 0, 0, 0);
    overlap(0, MPI_LOCK_EXCLUSIVE, rank, 0);
    overlap(0, MPI_LOCK_EXCLUSIVE, rank, 1);
    OK(MPI_Win_free(&shared));
    OK(MPI_Win_free(&win));
    return check_end();
}
