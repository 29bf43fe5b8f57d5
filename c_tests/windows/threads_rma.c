/* ranks: 1 2 4 */
/* Threads of one rank share a window: one epoch for all, different targets and the same; and windows of their own with
 * epochs of their own (MPI 4.1 section 11.6). */
#include "flavours.h"

#include <pthread.h>

#define THREADS 4
#define ROUNDS 200

static struct area *area;
static MPI_Win own[THREADS];
static int64_t *own_base[THREADS];

static void *same_window(void *argument)
{
    int thread = (int)(intptr_t)argument;
    int64_t one = 1, old, got;
    for (int i = 0; i < ROUNDS; i++) {
        int target = (rank + thread + i) % size;
        int64_t mine = 1000 * i + 10 * rank + thread;
        size_t slot = (size_t)(64 + 8 * (THREADS * rank + thread));
        OK(MPI_Fetch_and_op(&one, &old, MPI_INT64_T, target, AT(area, target, 0), MPI_SUM, area->win));
        OK(MPI_Accumulate(&one, 1, MPI_INT64_T, target, AT(area, target, 8), 1, MPI_INT64_T, MPI_SUM, area->win));
        OK(MPI_Put(&mine, 1, MPI_INT64_T, target, AT(area, target, slot), 1, MPI_INT64_T, area->win));
        OK(MPI_Win_flush(target, area->win));
        OK(MPI_Get(&got, 1, MPI_INT64_T, target, AT(area, target, slot), 1, MPI_INT64_T, area->win));
        OK(MPI_Win_flush(target, area->win));
        CHECK_EQ(got, mine);
    }
    return NULL;
}

static void *own_window(void *argument)
{
    int thread = (int)(intptr_t)argument;
    for (int i = 0; i < ROUNDS / 4; i++) {
        int target = (rank + i) % size;
        int64_t value;
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, own[thread]));
        OK(MPI_Get(&value, 1, MPI_INT64_T, target, 0, 1, MPI_INT64_T, own[thread]));
        OK(MPI_Win_flush(target, own[thread]));
        value++;
        OK(MPI_Put(&value, 1, MPI_INT64_T, target, 0, 1, MPI_INT64_T, own[thread]));
        OK(MPI_Win_unlock(target, own[thread]));
    }
    return NULL;
}

static void in_threads(void *(*work)(void *))
{
    pthread_t threads[THREADS];
    for (intptr_t i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, work, (void *)i), 0);
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
    barrier();
}

static void run(struct area *given)
{
    int64_t sums[2];
    area = given;
    OK(MPI_Win_lock_all(0, area->win));
    in_threads(same_window);
    for (int target = 0; target < size; target++) {
        OK(MPI_Get(sums, 2, MPI_INT64_T, target, AT(area, target, 0), 2, MPI_INT64_T, area->win));
        OK(MPI_Win_flush(target, area->win));
        CHECK_EQ(sums[0], sums[1]);
    }
    int64_t total = sums[0], all;
    OK(MPI_Get(&total, 1, MPI_INT64_T, rank, AT(area, rank, 0), 1, MPI_INT64_T, area->win));
    OK(MPI_Win_flush(rank, area->win));
    OK(MPI_Allreduce(&total, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD));
    CHECK_EQ(all, ROUNDS * THREADS * size);
    OK(MPI_Win_unlock_all(area->win));
}

int main(int argc, char **argv)
{
    check_start_threads(&argc, &argv);
    on_each_flavour(64 + 8 * THREADS * 8, run);
    for (int i = 0; i < THREADS; i++) {
        OK(MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &own_base[i], &own[i]));
        *own_base[i] = 0;
    }
    barrier();
    in_threads(own_window);
    for (int i = 0; i < THREADS; i++) {
        int64_t sum;
        OK(MPI_Allreduce(own_base[i], &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD));
        CHECK_EQ(sum, ROUNDS / 4 * size);
        OK(MPI_Win_free(&own[i]));
    }
    return check_end();
}
