/* ranks: 1 2 3; mpich: skip it reads as much as there is room for, beyond what is given */
/* Puts, gets and accumulates with more room on the side that takes than is given: as for messages, what is given fills the
 * beginning, and the rest stays (MPI 4.1 section 12.3: it has to fit without truncation). */
#include "flavours.h"

enum { N = 12 };

static int first[N], second[N];

/* The N ints from `at` on are `n` of `with`, each as far from the next as `step` says, and otherwise what they were. */
static void are(const int *at, int n, int step, const int *with, int was)
{
    for (int i = 0; i < N; i++)
        CHECK_EQ(at[i], i % step == 0 && i / step < n ? with[i / step] : was + i);
}

static void count_up(int *at, int from)
{
    for (int i = 0; i < N; i++)
        at[i] = from + i;
}

static void run(struct area *area)
{
    MPI_Win win = area->win;
    MPI_Datatype gaps, pair;
    MPI_Request request;
    int next = (rank + 1) % size, previous = (rank + size - 1) % size, sums[N];
    int *mine = (void *)area->base;
    OK(MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &gaps));
    OK(MPI_Type_contiguous(2, MPI_INT, &pair));
    OK(MPI_Type_commit(&gaps));
    OK(MPI_Type_commit(&pair));
#define FAR(n, type) next, AT(area, next, 0), n, type
    for (int n = 0; n < 6; n += 2) {
        count_up(first, 100 * (rank + 1));
        count_up(second, 100 * (previous + 1));
        count_up(mine, 7);
        OK(MPI_Win_fence(0, win));
        OK(MPI_Put(first, n, MPI_INT, FAR(N, MPI_INT), win));
        OK(MPI_Win_fence(0, win));
        are(mine, n, 1, second, 7);
        count_up(mine, 7);
        OK(MPI_Win_fence(0, win));
        OK(MPI_Put(first, n, MPI_INT, FAR(N / 2, gaps), win));
        OK(MPI_Win_fence(0, win));
        are(mine, n, 2, second, 7);
        count_up(mine, 7);
        OK(MPI_Win_fence(0, win));
        OK(MPI_Put(first, n / 2, pair, FAR(N, MPI_INT), win));
        OK(MPI_Win_fence(0, win));
        are(mine, n, 1, second, 7);
        count_up(mine, 7);
        OK(MPI_Win_fence(0, win));
        OK(MPI_Accumulate(first, n, MPI_INT, FAR(N, MPI_INT), MPI_SUM, win));
        OK(MPI_Win_fence(0, win));
        for (int i = 0; i < N; i++)
            sums[i] = second[i] + 7 + i;
        are(mine, n, 1, sums, 7);
        count_up(mine, 7);
        OK(MPI_Win_fence(0, win));
        OK(MPI_Accumulate(first, n, MPI_INT, FAR(N / 2, gaps), MPI_REPLACE, win));
        OK(MPI_Win_fence(0, win));
        are(mine, n, 2, second, 7);

        count_up(mine, 1000 * (rank + 1));
        count_up(second, 1000 * (next + 1));
        OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
        OK(MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win));
        count_up(first, 50);
        OK(MPI_Get(first, N, MPI_INT, FAR(n, MPI_INT), win));
        OK(MPI_Win_flush(next, win));
        are(first, n, 1, second, 50);
        count_up(first, 50);
        OK(MPI_Get(first, N / 2, gaps, FAR(n, MPI_INT), win));
        OK(MPI_Win_flush(next, win));
        are(first, n, 2, second, 50);
        count_up(first, 50);
        OK(MPI_Rget(first, N / 2, pair, FAR(n, MPI_INT), win, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        are(first, n, 1, second, 50);
        count_up(first, 50);
        OK(MPI_Get_accumulate(NULL, 0, MPI_INT, first, N, MPI_INT, FAR(n, MPI_INT), MPI_NO_OP, win));
        OK(MPI_Win_flush(next, win));
        are(first, n, 1, second, 50);
        OK(MPI_Win_unlock(next, win));
        barrier();
        /* What was there, into more room than it needs. */
        count_up(first, 50);
        count_up(sums, 3);
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, win));
        OK(MPI_Get_accumulate(sums, n, MPI_INT, first, N, MPI_INT, FAR(n, MPI_INT), MPI_SUM, win));
        OK(MPI_Win_unlock(next, win));
        are(first, n, 1, second, 50);
        barrier();
        OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
        for (int i = 0; i < n; i++)
            CHECK_EQ(mine[i], 1000 * (rank + 1) + i + 3 + i);
        CHECK_EQ(mine[n], 1000 * (rank + 1) + n);
        OK(MPI_Win_unlock(rank, win));
        barrier();
    }
    OK(MPI_Type_free(&gaps));
    OK(MPI_Type_free(&pair));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    on_each_flavour(N * sizeof(int), run);
    return check_end();
}
