// Threads of the program: what orders them by MPI is no race, and what MPI does not order is one.
//
// sanitized
// ranks: 2
// fails unordered
// wrong unordered: data race
// right through_messages
// right to_itself
// right around
// right busy
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static int rank;
static long shared[8];
static MPI_Comm comms[4];
static const char *variant;
static int is(const char *name) { return !strcmp(name, variant); }

static void *first(void *none) {
    if (is("unordered")) {
        shared[1] = 1; // !unordered
    } else if (is("to_itself")) {
        for (int n = 0; n < 50; n++) {
            shared[n % 8]++;
            MPI_Send(NULL, 0, MPI_BYTE, rank, 0, comms[0]);
            MPI_Recv(NULL, 0, MPI_BYTE, rank, 1, comms[0], MPI_STATUS_IGNORE);
        }
    } else if (is("around")) {
        for (int n = 0; n < 50; n++) {
            shared[n % 8]++;
            MPI_Send(NULL, 0, MPI_BYTE, 1 - rank, 0, comms[0]);
            MPI_Recv(NULL, 0, MPI_BYTE, 1 - rank, 1, comms[0], MPI_STATUS_IGNORE);
        }
    }
    return none;
}

static void *second(void *none) {
    if (is("unordered")) {
        shared[1] = 2; // !unordered
    } else if (is("to_itself")) {
        for (int n = 0; n < 50; n++) {
            MPI_Recv(NULL, 0, MPI_BYTE, rank, 0, comms[0], MPI_STATUS_IGNORE);
            shared[n % 8]++;
            MPI_Send(NULL, 0, MPI_BYTE, rank, 1, comms[0]);
        }
    } else if (is("around")) {
        // The other rank's second thread answers the first one, and its answer comes back by a barrier.
        for (int n = 0; n < 50; n++) {
            MPI_Recv(NULL, 0, MPI_BYTE, 1 - rank, 0, comms[0], MPI_STATUS_IGNORE);
            MPI_Barrier(comms[1]);
            shared[n % 8]++;
            MPI_Barrier(comms[1]);
            MPI_Send(NULL, 0, MPI_BYTE, 1 - rank, 1, comms[0]);
        }
    }
    return none;
}

// All kinds of calls, in threads that have nothing in common but the library.
static void *busy(void *which) {
    MPI_Comm comm = *(MPI_Comm *)which;
    int other = 1 - rank;
    long *mine, *in = calloc(4096, sizeof(long)), *out = calloc(4096, sizeof(long));
    for (int n = 0; n < 30; n++) {
        MPI_Win win;
        MPI_Datatype type;
        MPI_Sendrecv(out, 4096, MPI_LONG, other, n, in, 4096, MPI_LONG, other, n, comm, MPI_STATUS_IGNORE);
        MPI_Allreduce(in, out, 512, MPI_LONG, MPI_SUM, comm);
        MPI_Type_vector(8, 2, 5, MPI_LONG, &type);
        MPI_Type_commit(&type);
        MPI_Sendrecv(out, 1, type, other, n, in, 1, type, other, n, comm, MPI_STATUS_IGNORE);
        MPI_Win_allocate(64 * sizeof(long), sizeof(long), MPI_INFO_NULL, comm, &mine, &win);
        mine[0] = n;
        MPI_Win_fence(0, win);
        MPI_Put(out, 32, MPI_LONG, other, 8, 32, MPI_LONG, win);
        MPI_Accumulate(out, 1, MPI_LONG, other, 0, 1, MPI_LONG, MPI_SUM, win);
        MPI_Win_fence(0, win);
        in[n] += mine[0] + mine[8];
        MPI_Win_free(&win);
        MPI_Type_free(&type);
    }
    free(in);
    free(out);
    return NULL;
}

int main(int argc, char **argv) {
    int provided;
    pthread_t threads[4];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    variant = argv[1];
    for (int n = 0; n < 4; n++) MPI_Comm_dup(MPI_COMM_WORLD, comms + n);
    if (is("through_messages")) {
        // The threads' own work is ordered by what creates and joins them alone.
        for (int n = 0; n < 10; n++) {
            pthread_create(threads, NULL, busy, comms);
            pthread_join(threads[0], NULL);
        }
    } else if (is("busy")) {
        for (int n = 0; n < 4; n++) pthread_create(threads + n, NULL, busy, comms + n);
        for (int n = 0; n < 4; n++) pthread_join(threads[n], NULL);
    } else {
        pthread_create(threads, NULL, first, NULL);
        pthread_create(threads + 1, NULL, second, NULL);
        pthread_join(threads[0], NULL);
        pthread_join(threads[1], NULL);
    }
    for (int n = 0; n < 4; n++) MPI_Comm_free(comms + n);
    MPI_Finalize();
    return 0;
}
