/* ranks: 1 2 4 */
/* MPI_THREAD_MULTIPLE: threads of one rank lock targets of one window in turns, exclusively and shared, each target by one
 * thread of the rank at a time; all operations on the same target and on different ones; get back what they put
 * (MPI 4.1 sections 11.6, 12.5.3). */
#include "check.h"

#include <pthread.h>

#define THREADS 4
#define ROUNDS 400

static MPI_Win win;
static int64_t *base;
static pthread_mutex_t turns[8]; /* a process locks a target once at a time */
static int64_t counted[THREADS][8];

static void *work(void *argument)
{
    int thread = (int)(intptr_t)argument;
    uint64_t state = mix((uint64_t)thread + 1, (uint64_t)rank);
    for (int i = 0; i < ROUNDS; i++) {
        int target = (int)(draw(&state) % (uint64_t)size), exclusive = (int)(draw(&state) % 2);
        int64_t value, one = 1, mine = (int64_t)(draw(&state) >> 1), got;
        MPI_Aint own = 2 + THREADS * rank + thread;
        MPI_Request requests[2];
        CHECK_EQ(pthread_mutex_lock(&turns[target]), 0);
        OK(MPI_Win_lock(exclusive ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, target, 0, win));
        if (exclusive) {
            OK(MPI_Get(&value, 1, MPI_INT64_T, target, 0, 1, MPI_INT64_T, win));
            OK(MPI_Win_flush(target, win));
            value++;
            counted[thread][target]++;
            OK(MPI_Put(&value, 1, MPI_INT64_T, target, 0, 1, MPI_INT64_T, win));
        } else {
            OK(MPI_Accumulate(&one, 1, MPI_INT64_T, target, 1, 1, MPI_INT64_T, MPI_SUM, win));
            counted[thread][target]++;
        }
        OK(MPI_Rput(&mine, 1, MPI_INT64_T, target, own, 1, MPI_INT64_T, win, &requests[0]));
        OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
        OK(MPI_Win_flush(target, win));
        OK(MPI_Rget(&got, 1, MPI_INT64_T, target, own, 1, MPI_INT64_T, win, &requests[1]));
        OK(MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
        CHECK_EQ(got, mine);
        OK(MPI_Win_unlock(target, win));
        CHECK_EQ(pthread_mutex_unlock(&turns[target]), 0);
    }
    return NULL;
}

/* Each thread locks a target of its own: what one holds is never in another's way, at whatever moment it looks. */
static void *own_target(void *argument)
{
    int target = (int)(intptr_t)argument;
    for (int i = 0; i < 50 * ROUNDS; i++) {
        OK(MPI_Win_lock(MPI_LOCK_SHARED, target, MPI_MODE_NOCHECK, win));
        OK(MPI_Win_unlock(target, win));
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    check_start_threads(&argc, &argv);
    OK(MPI_Win_allocate((2 + 8 * THREADS) * sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    memset(base, 0, (2 + 8 * THREADS) * sizeof *base);
    for (int target = 0; target < 8; target++)
        CHECK_EQ(pthread_mutex_init(&turns[target], NULL), 0);
    barrier();
    for (intptr_t t = 0; t < THREADS; t++)
        CHECK_EQ(pthread_create(&threads[t], NULL, work, (void *)t), 0);
    for (int t = 0; t < THREADS; t++)
        CHECK_EQ(pthread_join(threads[t], NULL), 0);
    barrier();
    int of_their_own = size < THREADS ? size : THREADS;
    for (intptr_t t = 0; t < of_their_own; t++)
        CHECK_EQ(pthread_create(&threads[t], NULL, own_target, (void *)t), 0);
    for (int t = 0; t < of_their_own; t++)
        CHECK_EQ(pthread_join(threads[t], NULL), 0);
    barrier();
    for (int target = 0; target < size; target++) {
        int64_t mine = 0, all;
        for (int t = 0; t < THREADS; t++)
            mine += counted[t][target];
        OK(MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD));
        if (target == rank)
            CHECK_EQ(base[0] + base[1], all);
    }
    OK(MPI_Win_free(&win));
    return check_end();
}
