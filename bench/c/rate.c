/* 8 B operations one after the other, with one flush for a thousand; the calls that only order memory. */
#include "bench.h"

enum { MANY = 1000 };

void family_rate(void)
{
    struct window w = window_open(SHARED, MANY * sizeof(long));
    int target = size - 1;
    long values[MANY], got[MANY];
    for (int i = 0; i < MANY; i++)
        values[i] = i + 1;
    memset(got, 0, sizeof got);
    MPI_Win_lock_all(0, w.win);
    struct timing t = timing(ALONE);
    while (timing_next(&t)) {
        for (long i = 0; i < t.rounds; i++) {
            long k = i % MANY;
            MPI_Put(&values[k], 1, MPI_LONG, target, k * sizeof(long), 1, MPI_LONG, w.win);
            if (k == MANY - 1)
                MPI_Win_flush(target, w.win);
        }
        MPI_Win_flush(target, w.win);
    }
    timing_end(&t, "put", 8);
    MPI_Win_sync(w.win);
    if (rank == target)
        check(((long *)w.mine)[MANY - 1] == MANY, "put without flush");
    t = timing(ALONE);
    while (timing_next(&t)) {
        for (long i = 0; i < t.rounds; i++) {
            long k = i % MANY;
            MPI_Get(&got[k], 1, MPI_LONG, target, k * sizeof(long), 1, MPI_LONG, w.win);
            if (k == MANY - 1)
                MPI_Win_flush(target, w.win);
        }
        MPI_Win_flush(target, w.win);
    }
    timing_end(&t, "get", 8);
    check(rank != 0 || got[MANY - 1] == MANY, "get without flush");
    TIMED(ALONE, "flush", 0, MPI_Win_flush(target, w.win));
    TIMED(ALONE, "sync", 0, MPI_Win_sync(w.win));
    MPI_Win_unlock_all(w.win);
    window_close(&w);
}
