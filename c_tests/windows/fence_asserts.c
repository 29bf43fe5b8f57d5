/* wrong: one assertion is not true */
/* Fences with every assert that is true, and one that is not, over many epochs: data put in one epoch is there after the fence that ends it,
 * stores made before a fence are seen by gets after it (MPI 4.1 sections 12.5.1, 12.5.5). */
#include "flavours.h"

static void run(struct area *area)
{
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    volatile int *mine = (volatile void *)area->base;
    OK(MPI_Win_fence(MPI_MODE_NOPRECEDE, area->win));
    for (int round = 0; round < 30; round++) {
        int value = 1000 * round + rank, got = -1;
        /* No local store happened since the last fence, and nobody gets from us: the next fence need not publish. */
        OK(MPI_Put(&value, 1, MPI_INT, next, AT(area, next, 0), 1, MPI_INT, area->win));
        OK(MPI_Win_fence(MPI_MODE_NOSTORE, area->win));
        CHECK_EQ(*mine, 1000 * round + previous);
        OK(MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE, area->win));
        OK(MPI_Get(&got, 1, MPI_INT, next, AT(area, next, 0), 1, MPI_INT, area->win));
        OK(MPI_Win_fence(MPI_MODE_NOSUCCEED | MPI_MODE_NOPUT, area->win));
        CHECK_EQ(got, 1000 * round + rank);
        /* Stores between a fence that ends and one that begins an access epoch. */
        mine[1] = -round * 10 - rank;
        OK(MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOPUT, area->win));
        OK(MPI_Get(&got, 1, MPI_INT, next, AT(area, next, 4), 1, MPI_INT, area->win));
        OK(MPI_Win_fence(0, area->win));
        CHECK_EQ(got, -round * 10 - next);
    }
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, area->win));

    /* An assertion that is not true costs nothing: what was put is there. */
    for (int round = 0; round < 30; round++) {
        int value = 2000 * round + rank;
        OK(MPI_Win_fence(0, area->win));
        OK(MPI_Put(&value, 1, MPI_INT, next, AT(area, next, 0), 1, MPI_INT, area->win));
        OK(MPI_Win_fence(MPI_MODE_NOPRECEDE | (round % 2 ? MPI_MODE_NOSUCCEED : 0), area->win));
        CHECK_EQ(*mine, 2000 * round + previous);
    }
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, area->win));

    /* A fence is a barrier: what is sent by store before it is seen after it, however the ranks are scattered. */
    if (is_shared(area)) {
        volatile int *others = (volatile void *)memory_of(area, next);
        for (int round = 0; round < 200; round++) {
            mine[2] = round;
            OK(MPI_Win_fence(0, area->win));
            CHECK_EQ(others[2], round);
            OK(MPI_Win_fence(0, area->win));
        }
    }
    /* After the last fence with NOSUCCEED, locks may be used, and then fences again. */
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, area->win));
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, area->win));
    OK(MPI_Win_unlock(next, area->win));
    barrier();
    OK(MPI_Win_fence(MPI_MODE_NOPRECEDE, area->win));
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, area->win));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    on_each_flavour(64, run);
    return check_end();
}
