/* Request-based operations: complete at the origin when the request is, at the target after a flush; with wait, test,
 * waitall and unlock before the wait (MPI 4.1 section 12.3.5). In epochs of fence and start, too, where the standard does not
 * ask for them, but programs use them. */
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
    OK(MPI_Win_flush(target, win));
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

/* Puts what it then gets back with every kind of operation, inside an access epoch on `target`. */
static void all_kinds(struct area *area, int target, int seed)
{
    MPI_Aint at = AT(area, target, 0);
    int values[2] = {seed, seed + 1}, more[2] = {10, 10}, old[2] = {-1, -1}, got[2] = {-1, -1};
    MPI_Request requests[2];
    OK(MPI_Rput(values, 2, MPI_INT, target, at, 2, MPI_INT, area->win, &requests[0]));
    OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    OK(MPI_Raccumulate(more, 2, MPI_INT, target, at + 8, 2, MPI_INT, MPI_SUM, area->win, &requests[0]));
    OK(MPI_Rget_accumulate(more, 2, MPI_INT, old, 2, MPI_INT, target, at + 16, 2, MPI_INT, MPI_SUM, area->win, &requests[1]));
    OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    OK(MPI_Rget(got, 2, MPI_INT, target, at + 24, 2, MPI_INT, area->win, &requests[0]));
    OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    for (int i = 0; i < 2; i++) {
        CHECK_EQ(old[i], 102 + i);
        CHECK_EQ(got[i], 103 + i);
    }
}

static void look(struct area *area, int seed)
{
    const int after[8] = {seed, seed + 1, 111, 112, 112, 113, 103, 104};
    CHECK(memcmp(area->base, after, sizeof after) == 0);
}

static void prepare(struct area *area)
{
    const int before[8] = {-1, -1, 101, 102, 102, 103, 103, 104};
    memcpy(area->base, before, sizeof before);
}

static void active(struct area *area)
{
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    MPI_Group world, from, to;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_incl(world, 1, &left, &from));
    OK(MPI_Group_incl(world, 1, &right, &to));
    prepare(area);
    OK(MPI_Win_fence(0, area->win));
    all_kinds(area, right, 1000 + rank);
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, area->win));
    look(area, 1000 + left);
    prepare(area);
    OK(MPI_Win_post(from, 0, area->win));
    OK(MPI_Win_start(to, 0, area->win));
    all_kinds(area, right, 2000 + rank);
    OK(MPI_Win_complete(area->win));
    OK(MPI_Win_wait(area->win));
    look(area, 2000 + left);
    OK(MPI_Group_free(&world));
    OK(MPI_Group_free(&from));
    OK(MPI_Group_free(&to));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    on_each_flavour(4 * COUNT, run);
    on_each_flavour(4 * COUNT, active);
    return check_end();
}
