/* ranks: 2 4; abi: mpich; mpich: skip names beyond MPI */
/* Collective operations whose communicator is revoked in the middle: who gets no error has the right data, though those whose memory it read may
 * have got one, and have gone on; and nobody writes into the memory of one that has gone on. */
#define _DEFAULT_SOURCE
#include "check.h"
#include <pthread.h>
#include <time.h>

enum { OPERATIONS = 7, ROUNDS = 12, LITTLE = 400, MOST = 2 << 20 };

static int n;
static int *from, *to;
static MPI_Comm comm;

static int call(int operation)
{
    switch (operation) {
    case 0: return MPI_Bcast(rank == 0 ? from : to, n, MPI_INT, 0, comm);
    case 1: return MPI_Gather(from, n, MPI_INT, to, n, MPI_INT, 0, comm);
    case 2: return MPI_Scatter(from, n, MPI_INT, to, n, MPI_INT, 0, comm);
    case 3: return MPI_Allgather(from, n, MPI_INT, to, n, MPI_INT, comm);
    case 4: return MPI_Alltoall(from, n, MPI_INT, to, n, MPI_INT, comm);
    case 5: return MPI_Reduce(from, to, n, MPI_INT, MPI_MAX, 0, comm);
    default: return MPI_Allreduce(from, to, n, MPI_INT, MPI_MAX, comm);
    }
}

/* Everybody gives ones. */
static void is_right(int operation)
{
    int blocks = operation == 1 || operation == 3 || operation == 4 ? size : 1, wrong = 0;
    if (operation == 0 ? rank == 0 : (operation == 1 || operation == 5) && rank != 0)
        return;
    for (int i = 0; i < blocks * n; i++)
        wrong += to[i] != 1;
    CHECK_EQ(wrong, 0);
}

static void *revoke_later(void *nanoseconds)
{
    nanosleep(&(struct timespec){.tv_nsec = *(long *)nanoseconds}, NULL);
    OK(MPIX_Comm_revoke(comm));
    return NULL;
}

static void set_all(int *what, int value)
{
    for (int i = 0; i < size * n; i++)
        what[i] = value;
}

static void one(int operation, int round, long took)
{
    pthread_t thread;
    /* At some time of the call, and before it. */
    long later = took * (round % ROUNDS) / ROUNDS;
    int code, wrong = 0;
    set_all(from, 1);
    set_all(to, 0);
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == size - 1)
        CHECK(pthread_create(&thread, NULL, revoke_later, &later) == 0);
    code = call(operation);
    if (code == MPI_SUCCESS)
        is_right(operation);
    /* Both are the program's again: what others read there now is wrong, and what they write. */
    set_all(from, 2);
    set_all(to, 3);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < size * n; i++)
        wrong += to[i] != 3;
    CHECK_EQ(wrong, 0);
    if (rank == size - 1)
        CHECK(pthread_join(thread, NULL) == 0);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Comm_free(&comm));
}

/* How long it takes, in ns. */
static long time_of(int operation)
{
    double begin, took = 0;
    comm = MPI_COMM_WORLD;
    for (int i = 0; i < 3; i++) {
        set_all(from, 1);
        OK(MPI_Barrier(comm));
        begin = MPI_Wtime();
        OK(call(operation));
        took = MPI_Wtime() - begin;
    }
    OK(MPI_Bcast(&took, 1, MPI_DOUBLE, size - 1, comm));
    return (long)(took * 1e9) + 1;
}

/* Of little, one after the other until the communicator is revoked. */
static void many(int operation, int round)
{
    pthread_t thread;
    long later = round * 7919 % 200000;
    int code = MPI_SUCCESS;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == size - 1)
        CHECK(pthread_create(&thread, NULL, revoke_later, &later) == 0);
    while (code == MPI_SUCCESS) {
        set_all(from, 1);
        set_all(to, 0);
        code = call(operation);
        if (code == MPI_SUCCESS)
            is_right(operation);
    }
    if (rank == size - 1)
        CHECK(pthread_join(thread, NULL) == 0);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Comm_free(&comm));
}

int main(int argc, char **argv)
{
    check_start_threads(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    n = MOST / size;
    for (int allocated = 0; allocated < 2; allocated++) {
        MPI_Aint bytes = (MPI_Aint)size * n * (MPI_Aint)sizeof(int);
        if (allocated) {
            OK(MPI_Alloc_mem(bytes, MPI_INFO_NULL, &from));
            OK(MPI_Alloc_mem(bytes, MPI_INFO_NULL, &to));
        } else {
            from = malloc(bytes);
            to = malloc(bytes);
            CHECK(from && to);
        }
        for (int operation = 0; operation < OPERATIONS; operation++) {
            long took = time_of(operation);
            for (int round = 0; round < ROUNDS; round++)
                one(operation, round, took);
        }
        int most = n;
        n = 50;
        for (int operation = 0; operation < OPERATIONS; operation++)
            for (int round = 0; round < LITTLE; round++)
                many(operation, round);
        n = most;
        if (allocated) {
            OK(MPI_Free_mem(from));
            OK(MPI_Free_mem(to));
        } else {
            free(from);
            free(to);
        }
    }
    return check_end();
}
