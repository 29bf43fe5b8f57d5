// Operations one after the other, each elsewhere or all alike, by processes that share memory for load and store and are ordered by flags there:
// what each may have seen by a load is known, and what was not complete then is told.
//
// ranks: 3
// wrong put_met: data race
// wrong got_met: data race
// wrong alike_met: data race
// wrong element_met: data race
// wrong request_met: data race
// wrong flushed_elsewhere: data race
// right puts_and_gets
// right alike
// right elements
// right requests
// right apart
// right by_message
// right fetched
#include <mpi.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { ALL = 4096, TIMES = 300 };
static int rank;
static const MPI_Comm comm = MPI_COMM_WORLD;
static MPI_Win win, flags;
static atomic_long *flag[3];
static long from[ALL], into[ALL];

static int is(const char *name, char **argv) { return !strcmp(name, argv[1]); }

// Says by a store how far this rank is; waits by loads until another one is as far.
static void say(long far) { atomic_store(flag[rank], far); }
static void await(int other, long far) {
    while (atomic_load(flag[other]) < far) {
    }
}

// Of rank 0, while what it does to `at` is not complete, rank 1 hears by a load.
static void meet(char **argv) {
    long one = 1;
    if (rank == 0) {
        for (int n = 0; n < TIMES; n++) {
            int at = is("alike_met", argv) ? 7 : n;
            if (is("element_met", argv))
                MPI_Accumulate(&one, 1, MPI_LONG, 2, at, 1, MPI_LONG, MPI_SUM, win); // !element_met
            else if (is("request_met", argv)) {
                MPI_Request request;
                MPI_Rput(from + n, 1, MPI_LONG, 2, at, 1, MPI_LONG, win, &request); // !request_met
                MPI_Wait(&request, MPI_STATUS_IGNORE);
            } else
                MPI_Put(from + at, 1, MPI_LONG, 2, at, 1, MPI_LONG, win); // !put_met !got_met !alike_met !flushed_elsewhere
            if (n < TIMES - 1) MPI_Win_flush(2, win);
        }
        if (is("flushed_elsewhere", argv)) MPI_Win_flush(1, win);
        say(1);
        await(1, 1);
        MPI_Win_flush(2, win);
    }
    if (rank == 1) {
        int at = is("alike_met", argv) ? 7 : TIMES - 1;
        await(0, 1);
        if (is("got_met", argv))
            MPI_Get(into, 1, MPI_LONG, 2, at, 1, MPI_LONG, win); // !got_met
        else
            MPI_Put(from, 1, MPI_LONG, 2, at, 1, MPI_LONG, win); // !put_met !alike_met !element_met !request_met !flushed_elsewhere
        MPI_Win_flush(2, win);
        say(1);
    }
}

// Ranks 0 and 1 in turn.
static void take_turns(char **argv) {
    int elements = is("elements", argv), requests = is("requests", argv), alike = is("alike", argv);
    MPI_Request request;
    long value = 0;
    for (long n = 0; n < TIMES && rank < 2; n++) {
        int at = alike ? 5 : n / 2 * 1367 % ALL;
        if (n % 2 != rank) {
            await(1 - rank, n + 1);
            continue;
        }
        if (elements) {
            MPI_Fetch_and_op(&n, &value, MPI_LONG, 2, at % 8, MPI_SUM, win);
            MPI_Win_flush(2, win);
            MPI_Put(&n, 1, MPI_LONG, 2, at % 8, 1, MPI_LONG, win);
        } else if (requests) {
            MPI_Rput(from + n, 1, MPI_LONG, 2, at % 8, 1, MPI_LONG, win, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Win_flush(2, win);
            MPI_Rget(into, 1, MPI_LONG, 2, at % 8, 1, MPI_LONG, win, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            from[n] = n + 1;
            for (int k = 0; k < 3; k++) {
                MPI_Put(from + n, 1, MPI_LONG, 2, at, 1, MPI_LONG, win);
                MPI_Win_flush(2, win);
            }
            MPI_Get(&value, 1, MPI_LONG, 2, at, 1, MPI_LONG, win);
        }
        MPI_Win_flush(2, win);
        if (!elements && !requests && value != n + 1) exit(3);
        if (alike) {
            MPI_Get(into + n, 1, MPI_LONG, 2, 6, 1, MPI_LONG, win);
            MPI_Win_flush(2, win);
        }
        say(n + 1);
    }
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    long *mine, *memory;
    MPI_Win_allocate_shared(ALL * sizeof *memory, sizeof *memory, MPI_INFO_NULL, comm, &memory, &win);
    MPI_Win_allocate_shared(sizeof *mine, sizeof *mine, MPI_INFO_NULL, comm, &mine, &flags);
    for (int other = 0; other < 3; other++) {
        MPI_Aint size;
        int unit;
        MPI_Win_shared_query(flags, other, &size, &unit, &flag[other]);
    }
    memset(memory, 0, ALL * sizeof *memory);
    say(0);
    MPI_Win_lock_all(0, win);
    MPI_Barrier(comm);
    if (strstr(argv[1], "_met") || is("flushed_elsewhere", argv)) {
        meet(argv);
    } else if (is("apart", argv)) {
        for (int n = 0; n < TIMES; n++) {
            MPI_Put(from + n, 1, MPI_LONG, 2, 3 * n + rank, 1, MPI_LONG, win);
            MPI_Win_flush(2, win);
            MPI_Put(&rank, 1, MPI_INT, 1, 6 * rank, 1, MPI_INT, win);
            if (n % 7 == 0) MPI_Win_flush(1, win);
        }
    } else if (is("fetched", argv)) {
        // What is fetched is there when its request is over, and others may know that at once.
        if (rank == 0) {
            MPI_Request request;
            for (int n = 0; n < TIMES; n++) {
                MPI_Rget(into, 1, MPI_LONG, 2, n / 2 % 3, 1, MPI_LONG, win, &request);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
            }
            say(1);
            await(1, 1);
        }
        if (rank == 1) {
            await(0, 1);
            MPI_Put(from, 3, MPI_LONG, 2, 0, 3, MPI_LONG, win);
            MPI_Win_flush(2, win);
            say(1);
        }
    } else if (is("by_message", argv)) {
        // Rank 1 has seen it, and tells of it.
        for (int n = 0; n < TIMES && rank == 0; n++) {
            MPI_Put(from + n, 1, MPI_LONG, 2, n, 1, MPI_LONG, win);
            MPI_Win_flush(2, win);
        }
        if (rank == 0) say(1);
        if (rank == 1) {
            await(0, 1);
            MPI_Send(NULL, 0, MPI_INT, 2, 0, comm);
        }
        if (rank == 2) {
            MPI_Recv(NULL, 0, MPI_INT, 1, 0, comm, MPI_STATUS_IGNORE);
            for (int n = 0; n < TIMES; n++) {
                MPI_Get(into + n, 1, MPI_LONG, 2, n, 1, MPI_LONG, win);
                MPI_Win_flush(2, win);
            }
        }
    } else {
        take_turns(argv);
    }
    MPI_Win_unlock_all(win);
    MPI_Barrier(comm);
    MPI_Win_free(&flags);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
