/* What synchronises many: barrier, fence, and a ring of post, start, complete, wait. */
#include "bench.h"

void family_epochs(void)
{
    struct window w = window_open(SHARED, 64);
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    long value = rank, *mine = (long *)w.mine;
    MPI_Group world, to, from;
    TIMED(TOGETHER, "barrier", size, MPI_Barrier(MPI_COMM_WORLD));
    MPI_Win_fence(0, w.win);
    TIMED(TOGETHER, "fence", size, MPI_Win_fence(0, w.win));
    MPI_Win_fence(MPI_MODE_NOSUCCEED, w.win);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &right, &to);
    MPI_Group_incl(world, 1, &left, &from);
    mine[0] = -1;
    TIMED(TOGETHER, "pscw_ring", size, MPI_Win_post(from, 0, w.win); MPI_Win_start(to, 0, w.win);
          MPI_Put(&value, 1, MPI_LONG, right, 0, 1, MPI_LONG, w.win); MPI_Win_complete(w.win); MPI_Win_wait(w.win));
    check(mine[0] == left, "ring");
    MPI_Group_free(&world);
    MPI_Group_free(&to);
    MPI_Group_free(&from);
    window_close(&w);
}
