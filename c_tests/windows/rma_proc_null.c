/* ranks: 1 2 */
/* Operations on MPI_PROC_NULL and of nothing, in every epoch and by every function, do nothing and succeed, whatever the
 * buffers are; requests of them are complete (MPI 4.1 sections 3.10, 12.3). */
#include "flavours.h"

static void all_operations(struct area *area, int target, MPI_Aint disp, int n, int passive)
{
    MPI_Win win = area->win;
    int mine[4] = {1, 2, 3, 4}, got[4] = {5, 6, 7, 8};
    void *buffer = n ? (void *)mine : NULL, *result = n ? (void *)got : NULL;
    MPI_Request requests[8];
    OK(MPI_Put(buffer, n, MPI_INT, target, disp, n, MPI_INT, win));
    OK(MPI_Get(result, n, MPI_INT, target, disp, n, MPI_INT, win));
    OK(MPI_Accumulate(buffer, n, MPI_INT, target, disp, n, MPI_INT, MPI_SUM, win));
    OK(MPI_Get_accumulate(buffer, n, MPI_INT, result, n, MPI_INT, target, disp, n, MPI_INT, MPI_SUM, win));
    OK(MPI_Get_accumulate(NULL, 0, MPI_INT, result, n, MPI_INT, target, disp, n, MPI_INT, MPI_NO_OP, win));
    if (target == MPI_PROC_NULL) {
        OK(MPI_Fetch_and_op(mine, got, MPI_INT, target, disp, MPI_SUM, win));
        OK(MPI_Compare_and_swap(mine, mine + 1, got, MPI_INT, target, disp, win));
    }
    if (passive) {
        OK(MPI_Rput(buffer, n, MPI_INT, target, disp, n, MPI_INT, win, &requests[0]));
        OK(MPI_Rget(result, n, MPI_INT, target, disp, n, MPI_INT, win, &requests[1]));
        OK(MPI_Raccumulate(buffer, n, MPI_INT, target, disp, n, MPI_INT, MPI_PROD, win, &requests[2]));
        OK(MPI_Rget_accumulate(buffer, n, MPI_INT, result, n, MPI_INT, target, disp, n, MPI_INT, MPI_REPLACE, win, &requests[3]));
        OK(MPI_Waitall(4, requests, MPI_STATUSES_IGNORE));
        OK(MPI_Win_flush(target, win));
        OK(MPI_Win_flush_local(target, win));
    }
    for (int i = 0; i < 4; i++)
        CHECK(mine[i] == i + 1 && got[i] == i + 5);
}

static void both(struct area *area, int target, int passive)
{
    all_operations(area, MPI_PROC_NULL, 0, 4, passive);
    all_operations(area, MPI_PROC_NULL, 1 << 20, 0, passive);
    all_operations(area, target, AT(area, target, 0), 0, passive);
}

static void run(struct area *area)
{
    MPI_Win win = area->win;
    MPI_Group world, nobody = MPI_GROUP_EMPTY;
    int next = (rank + 1) % size;
    memset(area->base, 0x55, area->bytes);
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, win));
    both(area, next, 1);
    OK(MPI_Win_unlock(next, win));
    OK(MPI_Win_lock_all(0, win));
    both(area, next, 1);
    OK(MPI_Win_unlock_all(win));
    barrier();
    OK(MPI_Win_fence(0, win));
    both(area, next, 0);
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    OK(MPI_Win_post(world, 0, win));
    OK(MPI_Win_start(world, 0, win));
    both(area, next, 0);
    OK(MPI_Win_complete(win));
    OK(MPI_Win_wait(win));
    OK(MPI_Win_post(nobody, 0, win));
    OK(MPI_Win_start(nobody, 0, win));
    all_operations(area, MPI_PROC_NULL, 0, 4, 0);
    OK(MPI_Win_complete(win));
    OK(MPI_Win_wait(win));
    /* A lock of nobody is a lock too. */
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, MPI_PROC_NULL, 0, win));
    all_operations(area, MPI_PROC_NULL, 0, 4, 0);
    OK(MPI_Win_unlock(MPI_PROC_NULL, win));
    barrier();
    for (size_t i = 0; i < area->bytes; i++)
        CHECK_EQ(area->base[i], 0x55);
    OK(MPI_Group_free(&world));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    on_each_flavour(64, run);
    return check_end();
}
