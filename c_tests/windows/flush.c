/* The flushes: after one, the operations before it are complete: at the origin for the local ones, at both for the
 * others; the epoch goes on (MPI 4.1 section 12.5.4). And MPI_Win_sync, in an epoch and outside. */
#include "flavours.h"

/* Puts to the next rank, flushes, and tells it by a message: it must find the data. */
static void run(struct area *area)
{
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    volatile int *mine = (volatile void *)area->base;
    OK(MPI_Win_lock_all(0, area->win));
    for (int round = 0; round < 50; round++) {
        int value = 100 * round + rank, got = -1, token = round;
        OK(MPI_Put(&value, 1, MPI_INT, next, AT(area, next, 0), 1, MPI_INT, area->win));
        OK(round % 2 ? MPI_Win_flush(next, area->win) : MPI_Win_flush_all(area->win));
        OK(MPI_Sendrecv_replace(&token, 1, MPI_INT, next, 7, previous, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        OK(MPI_Win_sync(area->win));
        CHECK_EQ(*mine, 100 * round + previous);

        /* After a local flush the origin's buffer is free again. */
        value = 5000 + round;
        OK(MPI_Put(&value, 1, MPI_INT, next, AT(area, next, 4), 1, MPI_INT, area->win));
        OK(round % 2 ? MPI_Win_flush_local(next, area->win) : MPI_Win_flush_local_all(area->win));
        value = -1;
        OK(MPI_Win_flush(next, area->win));
        OK(MPI_Get(&got, 1, MPI_INT, next, AT(area, next, 4), 1, MPI_INT, area->win));
        OK(round % 2 ? MPI_Win_flush_local(next, area->win) : MPI_Win_flush_local_all(area->win));
        CHECK_EQ(got, 5000 + round);
        OK(MPI_Sendrecv_replace(&token, 1, MPI_INT, previous, 8, next, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
    OK(MPI_Win_unlock_all(area->win));
#ifdef RMASHM /* MPICH wants an epoch here */
    OK(MPI_Win_sync(area->win));
    OK(MPI_Win_sync(area->win));
#endif
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    on_each_flavour(64, run);
    return check_end();
}
