/* Request-based operations: complete at the origin when the request is, at the target after a flush; with wait, test,
 * waitall and unlock before the wait (MPI 4.1 section 12.3.6). */
#include "flavours.h"

#define COUNT 40

static void run(struct area *area)
{
    int values[COUNT], back[COUNT], sums[COUNT], old[COUNT], target = (rank + 1) % size, flag;
    MPI_Request requests[COUNT], one;
    MPI_Status statuses[COUNT], status;
    MPI_Win win = area->win;
    MPI_Aint at = AT(area, target, 0);

    OK(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win));
    for (int i = 0; i < COUNT; i++) {
        values[i] = 1000 * rank + i;
        OK(MPI_Rput(&values[i], 1, MPI_INT, target, at + 4 * i, 1, MPI_INT, win, &requests[i]));
        CHECK(requests[i] != MPI_REQUEST_NULL);
    }
    OK(MPI_Waitall(COUNT, requests, statuses));
    for (int i = 0; i < COUNT; i++) {
        CHECK(requests[i] == MPI_REQUEST_NULL);
        values[i] = -1; /* the origin's buffer is ours again */
    }
    OK(MPI_Win_flush(target, win));
    for (int i = 0; i < COUNT; i++)
        OK(MPI_Rget(&back[i], 1, MPI_INT, target, at + 4 * i, 1, MPI_INT, win, &requests[i]));
    for (int i = 0; i < COUNT; i++) {
        if (i % 2) {
            OK(MPI_Wait(&requests[i], &status));
        } else {
            for (flag = 0; !flag;)
                OK(MPI_Test(&requests[i], &flag, &status));
        }
        CHECK(requests[i] == MPI_REQUEST_NULL);
        CHECK_EQ(back[i], 1000 * rank + i);
    }

    /* Accumulates in the order they are made. */
    for (int i = 0; i < COUNT; i++) {
        sums[i] = 7;
        OK(MPI_Raccumulate(&sums[i], 1, MPI_INT, target, at + 4 * i, 1, MPI_INT, MPI_SUM, win, &requests[i]));
    }
    OK(MPI_Waitall(COUNT, requests, MPI_STATUSES_IGNORE));
    OK(MPI_Rget_accumulate(sums, COUNT, MPI_INT, old, COUNT, MPI_INT, target, at, COUNT, MPI_INT, MPI_REPLACE, win, &one));
    OK(MPI_Wait(&one, MPI_STATUS_IGNORE));
    for (int i = 0; i < COUNT; i++)
        CHECK_EQ(old[i], 1000 * rank + i + 7);

    /* A request outlives its epoch; nobody is a target too. */
    OK(MPI_Rget(back, COUNT, MPI_INT, target, at, COUNT, MPI_INT, win, &one));
    OK(MPI_Win_unlock(target, win));
    OK(MPI_Wait(&one, MPI_STATUS_IGNORE));
    for (int i = 0; i < COUNT; i++)
        CHECK_EQ(back[i], 7);
    OK(MPI_Win_lock_all(0, win));
    OK(MPI_Rput(values, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win, &one));
    OK(MPI_Wait(&one, &status));
    OK(MPI_Rget(NULL, 0, MPI_INT, target, at, 0, MPI_INT, win, &one));
    OK(MPI_Wait(&one, &status));
    OK(MPI_Win_unlock_all(win));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    on_each_flavour(4 * COUNT, run);
    return check_end();
}
