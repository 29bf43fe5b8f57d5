/* Fetch_and_op and compare_and_swap by one rank. */
#include "bench.h"

void family_atomics(void)
{
    struct window w = window_open(SHARED, 64);
    int target = size - 1;
    long one = 1, before = -1, calls = 0, next;
    MPI_Win_lock_all(0, w.win);
    TIMED(ALONE, "fetch_and_op", 8, MPI_Fetch_and_op(&one, &before, MPI_LONG, target, 0, MPI_SUM, w.win);
          MPI_Win_flush(target, w.win); calls++);
    check(rank != 0 || before == calls - 1, "fetch_and_op");
    calls = 0;
    TIMED(ALONE, "compare_and_swap", 8, next = calls + 1;
          MPI_Compare_and_swap(&next, &calls, &before, MPI_LONG, target, 8, w.win);
          MPI_Win_flush(target, w.win); calls++);
    check(rank != 0 || before == calls - 1, "compare_and_swap");
    MPI_Win_unlock_all(w.win);
    window_close(&w);
}
