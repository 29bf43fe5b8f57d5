/* Locks that nobody else wants. */
#include "bench.h"

void family_locks(void)
{
    struct window w = window_open(SHARED, 64);
    int target = size - 1;
    long value = 0;
    TIMED(ALONE, "lock_exclusive", 0, MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, w.win);
          MPI_Win_unlock(target, w.win));
    TIMED(ALONE, "lock_shared", 0, MPI_Win_lock(MPI_LOCK_SHARED, target, 0, w.win); MPI_Win_unlock(target, w.win));
    TIMED(ALONE, "lock_put_unlock", 8, value++; MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, w.win);
          MPI_Put(&value, 1, MPI_LONG, target, 0, 1, MPI_LONG, w.win); MPI_Win_unlock(target, w.win));
    TIMED(ALONE, "lock_all", 0, MPI_Win_lock_all(0, w.win); MPI_Win_unlock_all(w.win));
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w.win);
    long last = rank == 0 ? value : 0, there = rank == target ? *(long *)w.mine : 0;
    MPI_Win_unlock(0, w.win);
    MPI_Bcast(&last, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    check(rank != target || there == last, "lock, put, unlock");
    window_close(&w);
}
