// Puts and gets with requests in turn: pairs and more of them before one wait, and what is put where something was fetched before.
//
// ranks: 2 3
// wrong fetched_over_put: data race
// wrong put_over_fetched: data race
// wrong put_behind_others: data race
// wrong not_waited_for: data race
// wrong not_flushed_anywhere: data race
// wrong not_flushed: data race
// wrong fetched_to_origin: buffer in use
// wrong put_from_result: buffer in use
// right pairs
// right exchanged
// right eights
// right anywhere
// right flushed
// right not_flushed_elsewhere
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 8192, SOME = 40, FEW = 8 };
static const MPI_Comm comm = MPI_COMM_WORLD;
static int rank;
static long from[2 * SOME], to[2 * SOME];
static MPI_Win win;
static MPI_Request requests[2 * SOME];
static char **arguments;

static int is(const char *name) { return !strcmp(name, arguments[1]); }
static void end(int count) { MPI_Waitall(count, requests, MPI_STATUSES_IGNORE); }
static void flush(void) { MPI_Win_flush(1, win); }

static void put(long *what, int where, MPI_Request *request) {
    MPI_Rput(what, 1, MPI_LONG, 1, where, 1, MPI_LONG, win, request); // !put_over_fetched !put_from_result !fetched_to_origin !not_flushed_anywhere !not_flushed
}
static void fetch(long *what, int where, MPI_Request *request) {
    MPI_Rget(what, 1, MPI_LONG, 1, where, 1, MPI_LONG, win, request); // !fetched_over_put !fetched_to_origin !put_from_result !not_waited_for !put_behind_others
}
// Not by one step.
static int anywhere(int n) { return 1000 + n * 37 % 4096; }

// Two, `count` times.
static void pairs(int count) {
    for (int n = 0; n < count; n++) {
        put(from, n, requests);
        fetch(to, 4096 + n, requests + 1);
        end(2);
        if (is("flushed") || (is("pairs") && n % 3 == 0)) flush();
    }
}
static void exchanged(int count) {
    for (int n = 0; n < count; n++) {
        fetch(to, n, requests);
        end(1);
        if (to[0] != 1) exit(4);
        put(to, n, requests);
        end(1);
        if (n % 3 == 0) flush();
    }
}
static void eights(int count, int (*where)(int)) {
    for (int n = 0; n < count; n++) {
        for (int k = 0; k < FEW; k++) {
            int at = n * FEW + k;
            put(from + k, where ? where(at) : k * 64 + n, requests + 2 * k);
            fetch(to + k, where ? where(at + 512) : 4096 + k * 64 + n, requests + 2 * k + 1);
        }
        end(2 * FEW);
        if (n % 2) flush();
    }
}

// By rank 1.
static void put_own(int where) {
    if (rank == 1) {
        MPI_Put(from, 1, MPI_LONG, 1, where, 1, MPI_LONG, win); // !not_waited_for !not_flushed_anywhere !not_flushed
        flush();
    }
}

static void alone(void) {
    if (is("pairs")) pairs(SOME);
    else if (is("exchanged")) exchanged(SOME);
    else if (is("eights")) eights(SOME, NULL);
    else if (is("anywhere")) eights(FEW, anywhere);
    else if (is("fetched_over_put")) {
        pairs(SOME);
        fetch(to, 7, requests);
        end(1);
    } else if (is("put_over_fetched")) {
        pairs(SOME);
        flush();
        fetch(to, 7, requests + 1);
        put(from, 7, requests);
        end(2);
    } else if (is("put_behind_others")) {
        // Others have been waited for by then, but not this one.
        pairs(SOME);
        flush();
        fetch(to + 1, 7, requests + 2);
        pairs(3);
        MPI_Put(from, 1, MPI_LONG, 1, COUNT - 1, 1, MPI_LONG, win);
        pairs(3);
        MPI_Put(from, 1, MPI_LONG, 1, 7, 1, MPI_LONG, win); // !put_behind_others
        MPI_Wait(requests + 2, MPI_STATUS_IGNORE);
    } else {
        int fetches = is("fetched_to_origin");
        pairs(SOME);
        if (fetches) put(from + 1, 5000, requests);
        else fetch(from + 1, 5000, requests);
        if (fetches) fetch(from + 1, 5001, requests + 1);
        else put(from + 1, 5001, requests + 1);
        end(2);
    }
}

int main(int argc, char **argv) {
    long *mine;
    arguments = argv;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    MPI_Win_allocate(COUNT * sizeof(long), sizeof(long), MPI_INFO_NULL, comm, &mine, &win);
    for (int n = 0; n < COUNT; n++) mine[n] = 1;
    MPI_Barrier(comm);
    MPI_Win_lock_all(0, win);
    if (is("not_waited_for") || is("not_flushed_anywhere")) {
        if (rank == 0) {
            pairs(SOME);
            flush();
            if (is("not_waited_for")) fetch(to + 1, 7, requests + 2), pairs(2);
            else eights(FEW - 1, anywhere);
        }
        MPI_Barrier(comm);
        put_own(is("not_waited_for") ? 7 : anywhere((FEW - 2) * FEW + 3));
        MPI_Barrier(comm);
        if (rank == 0 && is("not_waited_for")) MPI_Wait(requests + 2, MPI_STATUS_IGNORE);
    } else if (is("flushed") || is("not_flushed") || is("not_flushed_elsewhere")) {
        if (rank == 0) pairs(SOME);
        MPI_Barrier(comm);
        // What was fetched was complete by its request.
        put_own(is("not_flushed_elsewhere") ? 4096 + SOME - 1 : SOME - 1);
    } else if (rank == 0)
        alone();
    MPI_Barrier(comm);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
