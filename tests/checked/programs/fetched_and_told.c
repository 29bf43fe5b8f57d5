// What MPI_Rget has fetched is told to another process by a flag in memory that both share, as soon as its request is over; what MPI_Rput puts beside
// that is not complete.
//
// ranks: 2 3
// wrong put_over_put: data race
// wrong one_not_waited_for: data race
// right in_pairs
// right one_by_one
// right puts_first
// right several
// right alone
#include <mpi.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 4096, TIMES = 70, FETCHED = 2048 };
static const MPI_Comm comm = MPI_COMM_WORLD;
static int rank;
static long from[4], to[4];
static MPI_Win win;
static const char *name;
// Of rank 1, in shared memory: how many times rank 0 has told, and rank 1 has done what it may do then.
static _Atomic long *told, *done;

static int is(const char *other) { return !strcmp(name, other); }
static void put(int where, MPI_Request *request) {
    MPI_Rput(from, 1, MPI_LONG, 1, where, 1, MPI_LONG, win, request); // !put_over_put
}
static void fetch(int which, int where, MPI_Request *request) {
    MPI_Rget(to + which, 1, MPI_LONG, 1, where, 1, MPI_LONG, win, request); // !one_not_waited_for
}

static void tell(long n) {
    atomic_store(told, n + 1);
    while (atomic_load(done) <= n) MPI_Win_sync(win);
}

static void give(void) {
    MPI_Request requests[4];
    for (int n = 0; n < TIMES; n++) {
        if (is("one_by_one")) {
            fetch(0, FETCHED + n, requests);
            put(n, requests + 1);
            MPI_Wait(requests, MPI_STATUS_IGNORE);
            tell(n);
            MPI_Wait(requests + 1, MPI_STATUS_IGNORE);
        } else if (is("alone")) {
            fetch(0, FETCHED + n, requests);
            MPI_Wait(requests, MPI_STATUS_IGNORE);
            tell(n);
        } else if (is("several") || is("one_not_waited_for")) {
            int kept = is("one_not_waited_for") && n == TIMES - 1;
            put(n, requests);
            fetch(1, FETCHED + 1000 + n, requests + 1);
            fetch(0, FETCHED + n, requests + 2);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
            if (!kept) MPI_Wait(requests + 2, MPI_STATUS_IGNORE);
            tell(n);
            if (kept) MPI_Wait(requests + 2, MPI_STATUS_IGNORE);
        } else {
            int first = is("puts_first");
            if (first) put(n, requests);
            fetch(0, FETCHED + n, requests + first);
            if (!first) put(n, requests + 1);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
            tell(n);
        }
    }
}

static void take(void) {
    for (int n = 0; n < TIMES; n++) {
        while (atomic_load(told) <= n) MPI_Win_sync(win);
        // What is fetched may be overwritten, what is put not.
        int where = is("put_over_put") && n == TIMES - 1 ? n - 5 : FETCHED + n;
        MPI_Put(from, 1, MPI_LONG, 1, where, 1, MPI_LONG, win); // !put_over_put !one_not_waited_for
        MPI_Win_flush(1, win);
        atomic_store(done, n + 1);
    }
}

int main(int argc, char **argv) {
    long *mine, *shared;
    MPI_Win flags;
    MPI_Aint size;
    int unit;
    name = argv[1];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    MPI_Win_allocate_shared(2 * sizeof(long), sizeof(long), MPI_INFO_NULL, comm, &shared, &flags);
    shared[0] = shared[1] = 0;
    MPI_Win_allocate(COUNT * sizeof(long), sizeof(long), MPI_INFO_NULL, comm, &mine, &win);
    memset(mine, 0, COUNT * sizeof(long));
    MPI_Win_shared_query(flags, 1, &size, &unit, &shared);
    told = (_Atomic long *)shared;
    done = told + 1;
    MPI_Barrier(comm);
    MPI_Win_lock_all(0, win);
    if (rank == 0) give();
    else if (rank == 1) take();
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Win_free(&flags);
    MPI_Finalize();
    return 0;
}
