/* ranks: 2 4; seconds: 300; wrong: the race is what it looks at */
/* Put; flush; then a look at the other's word: at least one of two ranks that do this at once sees the other's put. A
 * flush that let the later load pass the earlier store would show both words old (MPI 4.1 section 12.7). */
#include "check.h"

#include <sched.h>
#include <stdatomic.h>

/* So many rounds, or as many as fit into so many seconds where others keep the cores busy. */
#define ROUNDS 10000000
#define SECONDS 30

/* A barrier of two by plain atomics, so that both start a round as nearly at once as can be. */
static void meet(_Atomic int *mine, _Atomic int *other, int round)
{
    int spins = 0;
    atomic_store_explicit(mine, round, memory_order_release);
    while (atomic_load_explicit(other, memory_order_acquire) < round)
        if (++spins % 1000 == 0)
            sched_yield();
}

/* A word for each role on cache lines of its own. What was seen is kept for the other to look at in the next round. */
struct lines {
    _Atomic int word __attribute__((aligned(64)));
    _Atomic int round __attribute__((aligned(64)));
    int seen[2] __attribute__((aligned(64)));
    /* The last round, if it is known: the even one of two says so. */
    _Atomic int last __attribute__((aligned(64)));
};

int main(int argc, char **argv)
{
    MPI_Win win;
    struct lines *mine, *others;
    MPI_Aint bytes;
    int unit, both_old = 0;
    check_start(&argc, &argv);
    const int partner = rank ^ 1;
    OK(MPI_Win_allocate_shared(sizeof(struct lines), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win));
    OK(MPI_Win_shared_query(win, partner, &bytes, &unit, &others));
    memset(mine, 0, sizeof *mine);
    struct lines *even = rank % 2 ? others : mine;
    double end = MPI_Wtime() + SECONDS;
    OK(MPI_Win_lock_all(0, win));
    barrier();
    int rounds = size == 2 ? ROUNDS : ROUNDS / 1000;
    for (int i = 1; i <= rounds; i++) {
        int seen;
        /* Both know it when they have met in the round before the last, and then do one more. */
        if (rank % 2 == 0 && i % 1000 == 0 && MPI_Wtime() > end)
            atomic_store(&mine->last, i + 1);
        meet(&mine->round, &others->round, i);
        /* Both have said what they saw in the round before, and neither can be in the next one. */
        if (i > 1 && mine->seen[(i - 1) % 2] != i - 1 && others->seen[(i - 1) % 2] != i - 1)
            both_old++;
        /* My word lies at the partner, the partner's at me: put there, look here; or by get. */
        OK(MPI_Put(&i, 1, MPI_INT, partner, offsetof(struct lines, word), 1, MPI_INT, win));
        OK(MPI_Win_flush(partner, win));
        if (i % 2) {
            seen = atomic_load_explicit(&mine->word, memory_order_relaxed);
        } else {
            OK(MPI_Get(&seen, 1, MPI_INT, rank, offsetof(struct lines, word), 1, MPI_INT, win));
            OK(MPI_Win_flush(rank, win));
        }
        CHECK(seen == i || seen == i - 1);
        mine->seen[i % 2] = seen;
        if (i == atomic_load(&even->last))
            break;
    }
    OK(MPI_Win_unlock_all(win));
    CHECK_EQ(both_old, 0);
    OK(MPI_Win_free(&win));
    return check_end();
}
