// A process that gets no more memory: what is to be checked then is left out, and the program goes on as it would unchecked. What is wrong
// is found all the same once there is memory again.
//
// ranks: 2
// wrong later: buffer in use
// noted later
// wrong requests_later: buffer changed
// noted requests_later
// wrong race_later: data race
// noted race_later
// right requests
// noted requests
// right gaps
// noted gaps
// right one_sided
// noted one_sided
// right collectives
// noted collectives
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define N 1000
static const MPI_Comm comm = MPI_COMM_WORLD;
static char *variant;
static int is(const char *name) { return !strcmp(name, variant); }
static int rank;

// All that malloc can give is taken, but for small blocks that lie apart, as the library needs for the requests themselves.
static void *volatile *taken;
#define HOLES 3000
static void *kept[3][HOLES];
static void take_all(void) {
    for (int n = 0; n < HOLES; n++)
        for (int size = 0; size < 3; size++) kept[size][n] = malloc(200 << size);
    struct rlimit limits = {0, RLIM_INFINITY};
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld", &pages) != 1) exit(9);
    fclose(file);
    limits.rlim_cur = (rlim_t)pages * 4096 + (1 << 20);
    setrlimit(RLIMIT_AS, &limits);
    for (size_t bytes = 64 << 20; bytes >= 2048; bytes /= 2)
        for (void *volatile *block; (block = malloc(bytes)) != NULL; taken = block) *block = (void *)taken;
    for (int n = 0; n < HOLES; n += 2)
        for (int size = 0; size < 3; size++) free(kept[size][n]);
}

static void give_back(void) {
    struct rlimit limits = {RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_AS, &limits);
    for (int n = 1; n < HOLES; n += 2)
        for (int size = 0; size < 3; size++) free(kept[size][n]);
    while (taken) {
        void *volatile *next = (void *volatile *)*taken;
        free((void *)taken);
        taken = next;
    }
}

int main(int argc, char **argv) {
    static int in[2 * N], out[2 * N], more[2 * N];
    static MPI_Request requests[2 * N];
    MPI_Datatype gaps;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    variant = argv[1];
    MPI_Comm_rank(comm, &rank);
    MPI_Win_create(more, sizeof more, sizeof(int), MPI_INFO_NULL, comm, &win);
    MPI_Type_vector(N, 1, 2, MPI_INT, &gaps);
    MPI_Type_commit(&gaps);
    MPI_Win_lock_all(0, win);
    // All ways have been gone once.
    int to = 1 - rank;
    for (int n = 0; n < 2; n++) {
        MPI_Irecv(in, 1, MPI_INT, to, 0, comm, &requests[0]);
        MPI_Isend(out, 1, MPI_INT, to, 0, comm, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        MPI_Put(out, 1, MPI_INT, to, 0, 1, MPI_INT, win);
        MPI_Win_flush(to, win);
        MPI_Barrier(comm);
    }
    take_all();
    if (is("gaps")) {
        for (int n = 0; n < 3; n++) {
            MPI_Irecv(in, 1, gaps, to, 1, comm, &requests[0]);
            MPI_Barrier(comm);
            MPI_Send(out, 1, gaps, to, 1, comm);
            MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        }
    } else if (is("one_sided")) {
        for (int n = 0; n < N; n++)
            MPI_Put(&out[n], 1, MPI_INT, to, 2 * n % (2 * N), 1, MPI_INT, win);
        MPI_Win_flush(to, win);
        MPI_Barrier(comm);
        for (int n = 0; n < N; n++) MPI_Get(&in[n], 1, MPI_INT, to, 2 * n % (2 * N), 1, MPI_INT, win);
        MPI_Win_flush(to, win);
    } else if (is("collectives")) {
        for (int n = 0; n < 20; n++) {
            MPI_Alltoall(out, n, MPI_INT, in, n, MPI_INT, comm);
            MPI_Allreduce(out, in, n, MPI_INT, MPI_SUM, comm);
        }
    } else {
        for (int n = 0; n < N; n++) {
            MPI_Isend(&out[n], 1, MPI_INT, to, 2, comm, &requests[n]);
            MPI_Recv(&in[n], 1, MPI_INT, to, 2, comm, MPI_STATUS_IGNORE);
        }
        for (int n = 0; n < N; n++) MPI_Wait(&requests[n], MPI_STATUS_IGNORE);
    }
    give_back();
    if (is("later")) {
        MPI_Irecv(in, 1, MPI_INT, to, 3, comm, &requests[0]);
        MPI_Isend(in, 1, MPI_INT, to, 3, comm, &requests[1]); // !later
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    } else if (is("requests_later")) {
        MPI_Isend(out, 4, MPI_INT, to, 3, comm, &requests[1]);
        out[2] = 77;
        MPI_Recv(in, 4, MPI_INT, to, 3, comm, MPI_STATUS_IGNORE);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE); // !requests_later
    } else if (is("race_later")) {
        MPI_Put(out, 1, MPI_INT, 1, 5, 1, MPI_INT, win); // !race_later
        MPI_Barrier(comm);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Type_free(&gaps);
    MPI_Finalize();
    return 0;
}
