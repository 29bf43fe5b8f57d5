/* ranks: 1 2 4 */
/* Threads of one rank lock different targets of one window at the same time, accumulate together under one exclusive lock,
 * and access while another exposes: no thread's epoch ends another's, no update is lost (MPI 4.1 sections 11.6, 12.5.2,
 * 12.5.3). */
#include "check.h"

#include <pthread.h>

#define THREADS 4
#define ROUNDS 3000
#define COUNT 4000

static MPI_Win win;
static int64_t *base;

/* Thread t locks target t, if there is one. */
static void *own_target(void *argument)
{
    int thread = (int)(intptr_t)argument, target = thread % size;
    int64_t one = 1, seen;
    if (thread >= size)
        return NULL;
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Request request;
        OK(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win));
        OK(MPI_Rget(&seen, 1, MPI_INT64_T, target, 1, 1, MPI_INT64_T, win, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        OK(MPI_Accumulate(&one, 1, MPI_INT64_T, target, 0, 1, MPI_INT64_T, MPI_SUM, win));
        OK(MPI_Win_flush_all(win));
        OK(MPI_Win_unlock(target, win));
    }
    return NULL;
}

static void *same_lock(void *unused)
{
    static int64_t ones[COUNT];
    (void)unused;
    for (int i = 0; i < COUNT; i++)
        __atomic_store_n(&ones[i], 1, __ATOMIC_RELAXED);
    for (int i = 0; i < 200; i++)
        OK(MPI_Accumulate(ones, COUNT, MPI_INT64_T, rank, 0, COUNT, MPI_INT64_T, MPI_SUM, win));
    return NULL;
}

#define EPOCHS 200

static MPI_Group left, right;
static pthread_barrier_t both;

static void *expose(void *unused)
{
    (void)unused;
    for (int i = 0; i < EPOCHS; i++) {
        pthread_barrier_wait(&both);
        OK(MPI_Win_post(left, 0, win));
        OK(MPI_Win_wait(win));
        pthread_barrier_wait(&both);
    }
    return NULL;
}

/* One thread posts and the other starts, both after a fence that no operation followed: both end what that began. */
static void post_against_start(void)
{
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    MPI_Group world;
    pthread_t thread;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_incl(world, 1, &next, &right));
    OK(MPI_Group_incl(world, 1, &previous, &left));
    CHECK_EQ(pthread_barrier_init(&both, NULL, 2), 0);
    CHECK_EQ(pthread_create(&thread, NULL, expose, NULL), 0);
    for (int64_t i = 0; i < EPOCHS; i++) {
        OK(MPI_Win_fence(0, win));
        pthread_barrier_wait(&both);
        OK(MPI_Win_start(right, 0, win));
        OK(MPI_Put(&i, 1, MPI_INT64_T, next, 0, 1, MPI_INT64_T, win));
        OK(MPI_Win_complete(win));
        pthread_barrier_wait(&both);
        CHECK_EQ(base[0], i);
    }
    CHECK_EQ(pthread_join(thread, NULL), 0);
    CHECK_EQ(pthread_barrier_destroy(&both), 0);
    OK(MPI_Group_free(&world));
    OK(MPI_Group_free(&left));
    OK(MPI_Group_free(&right));
}

static void on_threads(void *(*work)(void *))
{
    pthread_t threads[THREADS];
    for (int t = 0; t < THREADS; t++)
        CHECK(pthread_create(&threads[t], NULL, work, (void *)(intptr_t)t) == 0);
    for (int t = 0; t < THREADS; t++)
        CHECK(pthread_join(threads[t], NULL) == 0);
}

int main(int argc, char **argv)
{
    check_start_threads(&argc, &argv);
    OK(MPI_Win_allocate(COUNT * sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    memset(base, 0, COUNT * sizeof *base);
    barrier();
    on_threads(own_target);
    barrier();
    CHECK_EQ(base[0], rank < THREADS ? (int64_t)ROUNDS * size : 0);
    base[0] = 0;
    barrier();
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win));
    on_threads(same_lock);
    OK(MPI_Win_unlock(rank, win));
    for (int i = 0; i < COUNT; i++)
        CHECK_EQ(base[i], 200 * THREADS);
    post_against_start();
    OK(MPI_Win_free(&win));
    return check_end();
}
