/* ranks: 2 4 8 */
/* Compare_and_swap is atomic against the other accumulate functions however its element is reached: by the address in a
 * dynamic window over MPI_Alloc_mem memory, and as the first operation after a fence (MPI 4.1 section 12.7.1). */
#include "check.h"

#define ROUNDS 2000
#define FENCES 300

/* One rank in two adds by compare_and_swap, the others by fetch_and_op. */
static void add(MPI_Win win, MPI_Aint at, int times)
{
    int64_t one = 1, seen = 0, wanted, next;
    for (int i = 0; i < times; i++) {
        if (rank % 2) {
            OK(MPI_Fetch_and_op(&one, &seen, MPI_INT64_T, 0, at, MPI_SUM, win));
            OK(MPI_Win_flush(0, win));
            continue;
        }
        do {
            wanted = seen;
            next = seen + 1;
            OK(MPI_Compare_and_swap(&next, &wanted, &seen, MPI_INT64_T, 0, at, win));
            OK(MPI_Win_flush(0, win));
        } while (seen != wanted);
    }
}

static void dynamic(void)
{
    MPI_Win win;
    MPI_Aint at;
    int64_t *counter;
    OK(MPI_Alloc_mem(sizeof *counter, MPI_INFO_NULL, &counter));
    *counter = 0;
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_attach(win, counter, sizeof *counter));
    OK(MPI_Get_address(counter, &at));
    OK(MPI_Bcast(&at, 1, MPI_AINT, 0, MPI_COMM_WORLD));
    OK(MPI_Win_lock_all(0, win));
    add(win, at, ROUNDS);
    OK(MPI_Win_unlock_all(win));
    barrier();
    if (rank == 0)
        CHECK_EQ(*counter, (int64_t)ROUNDS * size);
    OK(MPI_Win_detach(win, counter));
    OK(MPI_Win_free(&win));
    OK(MPI_Free_mem(counter));
}

/* In every fence epoch, odd ranks add to an element, even ones try once to swap what they have seen there last. */
static void first_after_fence(void)
{
    MPI_Win win;
    int64_t *counter, one = 1, seen = 0, swaps = 0, sum;
    OK(MPI_Win_allocate(sizeof *counter, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &counter, &win));
    *counter = 0;
    for (int i = 0; i < FENCES; i++) {
        int64_t wanted = seen, next = seen + 1;
        OK(MPI_Win_fence(0, win));
        if (rank % 2 == 0) {
            OK(MPI_Compare_and_swap(&next, &wanted, &seen, MPI_INT64_T, 0, 0, win));
            OK(MPI_Win_fence(0, win));
            swaps += seen == wanted;
        } else {
            for (int n = 0; n < 20; n++)
                OK(MPI_Accumulate(&one, 1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T, MPI_SUM, win));
            OK(MPI_Win_fence(0, win));
            swaps += 20;
        }
    }
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    OK(MPI_Reduce(&swaps, &sum, 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD));
    if (rank == 0)
        CHECK_EQ(*counter, sum);
    OK(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    dynamic();
    first_after_fence();
    return check_end();
}
