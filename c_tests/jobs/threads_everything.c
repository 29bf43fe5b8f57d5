/* ranks: 1 2 4; mpich: skip puts of Debian's come out wrong where eight threads share an epoch */
/* Eight threads in each rank do all at once: messages in both directions, put, get, accumulate and atomics under one
 * lock_all epoch, and collective operations on communicators of their own. */
#include "check.h"
#include <pthread.h>

enum { THREADS = 8, ROUNDS = 100, LONG = 3000 };

/* What each rank exposes: a counter for all, one for each thread of its neighbour, and their mailboxes. */
struct exposed {
    int64_t all;
    int64_t each[THREADS];
    int64_t box[THREADS][4];
};

static MPI_Win win;
static MPI_Comm comms[THREADS];
static struct exposed *mine;

static void talk(int me, int round, int *out, int *in)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size, n = round % 8 ? round % 40 + 1 : LONG, count;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    for (int i = 0; i < n; i++)
        out[i] = (rank * THREADS + me) * 10000 + round + i;
    OK(MPI_Irecv(in, LONG, MPI_INT, round % 2 ? MPI_ANY_SOURCE : left, me, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Isend(out, n, MPI_INT, right, me, MPI_COMM_WORLD, &requests[1]));
    OK(MPI_Waitall(2, requests, statuses));
    CHECK_EQ(statuses[0].MPI_SOURCE, left);
    OK(MPI_Get_count(&statuses[0], MPI_INT, &count));
    CHECK_EQ(count, n);
    for (int i = 0; i < n; i++)
        CHECK_EQ(in[i], (left * THREADS + me) * 10000 + round + i);
}

static void expose(int me, int round)
{
    int right = (rank + 1) % size, target = round % size;
    int64_t one = 1, old = -1, put[4], got[4] = {0};
    OK(MPI_Accumulate(&one, 1, MPI_INT64_T, target, offsetof(struct exposed, all), 1, MPI_INT64_T, MPI_SUM, win));
    OK(MPI_Fetch_and_op(&one, &old, MPI_INT64_T, right, offsetof(struct exposed, each[me]), MPI_SUM, win));
    OK(MPI_Win_flush(right, win));
    OK(MPI_Win_flush(target, win));
    CHECK_EQ(old, round);
    for (int i = 0; i < 4; i++)
        put[i] = rank * 1000 + round * 4 + i;
    OK(MPI_Put(put, 4, MPI_INT64_T, right, offsetof(struct exposed, box[me]), 4, MPI_INT64_T, win));
    OK(MPI_Win_flush(right, win));
    OK(MPI_Get(got, 4, MPI_INT64_T, right, offsetof(struct exposed, box[me]), 4, MPI_INT64_T, win));
    OK(MPI_Win_flush(right, win));
    CHECK_BYTES(got, put, sizeof put);
}

static void together(int me, int round)
{
    int sum = 0, root = round % size, word = rank == root ? round : -1;
    OK(MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comms[me]));
    CHECK_EQ(sum, me * size);
    MPI_Request request;
    OK(MPI_Ibcast(&word, 1, MPI_INT, root, comms[me], &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_EQ(word, round);
}

static void *everything(void *argument)
{
    int me = (int)(intptr_t)argument;
    int *out = malloc(LONG * sizeof *out), *in = malloc(LONG * sizeof *in);
    for (int round = 0; round < ROUNDS; round++) {
        talk(me, round, out, in);
        expose(me, round);
        if (round % 10 == me)
            together(me, round);
    }
    free(out);
    free(in);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    check_start_threads(&argc, &argv);
    OK(MPI_Win_allocate(sizeof *mine, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win));
    memset(mine, 0, sizeof *mine);
    for (int t = 0; t < THREADS; t++)
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &comms[t]));
    OK(MPI_Win_lock_all(0, win));
    OK(MPI_Win_sync(win));
    barrier();
    for (intptr_t t = 0; t < THREADS; t++)
        CHECK_EQ(pthread_create(&threads[t], NULL, everything, (void *)t), 0);
    for (int t = 0; t < THREADS; t++)
        CHECK_EQ(pthread_join(threads[t], NULL), 0);
    OK(MPI_Win_flush_all(win));
    barrier();
    OK(MPI_Win_sync(win));
    int64_t times = 0;
    for (int round = 0; round < ROUNDS; round++)
        times += round % size == rank;
    CHECK_EQ(mine->all, times * size * THREADS);
    for (int t = 0; t < THREADS; t++) {
        CHECK_EQ(mine->each[t], ROUNDS);
        CHECK_EQ(mine->box[t][3], (rank + size - 1) % size * 1000 + (ROUNDS - 1) * 4 + 3);
    }
    OK(MPI_Win_unlock_all(win));
    for (int t = 0; t < THREADS; t++)
        OK(MPI_Comm_free(&comms[t]));
    OK(MPI_Win_free(&win));
    return check_end();
}
