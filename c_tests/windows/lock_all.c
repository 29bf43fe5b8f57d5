/* lock_all: an access epoch to everybody, held by everybody at once; epochs follow each other, and alternate with
 * exclusive locks (MPI 4.1 section 12.5.3). */
#include "flavours.h"

static void run(struct area *area)
{
    int values[8];
    OK(MPI_Win_lock_all(0, area->win));
    barrier(); /* all hold it together */
    for (int target = 0; target < size; target++) {
        values[target] = 100 * rank + target;
        OK(MPI_Put(&values[target], 1, MPI_INT, target, AT(area, target, 4 * rank), 1, MPI_INT, area->win));
    }
    OK(MPI_Win_flush_all(area->win));
    barrier();
    for (int target = 0; target < size; target++)
        OK(MPI_Get(&values[target], 1, MPI_INT, target, AT(area, target, 4 * ((rank + 1) % size)), 1, MPI_INT, area->win));
    OK(MPI_Win_unlock_all(area->win));
    for (int target = 0; target < size; target++)
        CHECK_EQ(values[target], 100 * ((rank + 1) % size) + target);
    OK(MPI_Win_lock_all(MPI_MODE_NOCHECK, area->win));
    OK(MPI_Win_unlock_all(area->win));
    barrier();

    /* Each round one rank writes exclusively, the others read in lock_all: both make progress. */
    for (int round = 0; round < 40; round++) {
        if (round % size == rank) {
            int pair[2] = { round, -round };
            for (int target = 0; target < size; target++) {
                OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, area->win));
                OK(MPI_Put(pair, 2, MPI_INT, target, AT(area, target, 64), 2, MPI_INT, area->win));
                OK(MPI_Win_unlock(target, area->win));
            }
        } else {
            OK(MPI_Win_lock_all(0, area->win));
            int pair[8][2];
            for (int target = 0; target < size; target++)
                OK(MPI_Get(pair[target], 2, MPI_INT, target, AT(area, target, 64), 2, MPI_INT, area->win));
            OK(MPI_Win_unlock_all(area->win));
            for (int target = 0; target < size; target++)
                CHECK_EQ(pair[target][0], -pair[target][1]);
        }
    }
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    on_each_flavour(256, run);
    return check_end();
}
