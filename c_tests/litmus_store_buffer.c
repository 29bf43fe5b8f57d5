/* ranks: 2 4 */
/* Put; flush; then a look at the other's word: at least one of two ranks that do this at once sees the other's put. A
 * flush that let the later load pass the earlier store would show both words old (MPI 4.1 section 12.7). */
#include "check.h"

#include <stdatomic.h>

#define ROUNDS 200000

/* A barrier of two by plain atomics, so that both start a round as nearly at once as can be. */
static void meet(_Atomic int *mine, _Atomic int *other, int round)
{
    int spins = 0;
    atomic_store_explicit(mine, round, memory_order_release);
    while (atomic_load_explicit(other, memory_order_acquire) < round)
        if (++spins % 1000 == 0) {
            int flag;
            MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        }
}

/* A word for each role on cache lines of its own. */
struct lines {
    _Atomic int word __attribute__((aligned(64)));
    _Atomic int round __attribute__((aligned(64)));
    int seen __attribute__((aligned(64)));
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
    OK(MPI_Win_lock_all(0, win));
    barrier();
    int rounds = size == 2 ? ROUNDS : ROUNDS / 20;
    for (int i = 1; i <= rounds; i++) {
        int seen;
        meet(&mine->round, &others->round, 3 * i);
        /* My word lies at the partner, the partner's at me: put there, look here; or by get. */
        OK(MPI_Put(&i, 1, MPI_INT, partner, offsetof(struct lines, word), 1, MPI_INT, win));
        OK(MPI_Win_flush(partner, win));
        if (i % 2) {
            seen = atomic_load_explicit(&mine->word, memory_order_relaxed);
        } else {
            OK(MPI_Get(&seen, 1, MPI_INT, rank, offsetof(struct lines, word), 1, MPI_INT, win));
            OK(MPI_Win_flush(rank, win));
        }
        mine->seen = seen;
        meet(&mine->round, &others->round, 3 * i + 1);
        if (seen != i && others->seen != i)
            both_old++;
        meet(&mine->round, &others->round, 3 * i + 2);
    }
    OK(MPI_Win_unlock_all(win));
    CHECK_EQ(both_old, 0);
    OK(MPI_Win_free(&win));
    return check_end();
}
