/* Shared locks are held together: every rank holds one on every target when all meet in a barrier, and work goes on in
 * all of them (MPI 4.1 section 12.5.3). */
#include "flavours.h"

static void run(struct area *area)
{
    for (int round = 0; round < 20; round++) {
        int value = 1000 * round + rank, seen = -1;
        int target = (rank + round) % size;
        OK(MPI_Win_lock(MPI_LOCK_SHARED, target, round % 2 ? MPI_MODE_NOCHECK : 0, area->win));
        /* Others hold theirs too, on the same target or another: a lock that were exclusive would hang here. */
        OK(MPI_Put(&value, 1, MPI_INT, target, AT(area, target, 4 * rank), 1, MPI_INT, area->win));
        OK(MPI_Win_flush(target, area->win));
        barrier();
        OK(MPI_Get(&seen, 1, MPI_INT, target, AT(area, target, 4 * rank), 1, MPI_INT, area->win));
        OK(MPI_Win_unlock(target, area->win));
        CHECK_EQ(seen, value);
    }
    /* All on one target, at once. */
    OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, area->win));
    barrier();
    int one = 1;
    OK(MPI_Accumulate(&one, 1, MPI_INT, 0, AT(area, 0, 100), 1, MPI_INT, MPI_SUM, area->win));
    OK(MPI_Win_flush(0, area->win));
    barrier();
    int sum = -1;
    OK(MPI_Get(&sum, 1, MPI_INT, 0, AT(area, 0, 100), 1, MPI_INT, area->win));
    OK(MPI_Win_unlock(0, area->win));
    CHECK_EQ(sum, size);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    on_each_flavour(256, run);
    return check_end();
}
