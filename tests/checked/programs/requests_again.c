// One put or get with a request, many times on end, after others from the same place of the program that went elsewhere, and what follows it.
//
// ranks: 2 3
// wrong put_not_flushed: data race
// wrong sharing_put_not_flushed: data race
// wrong put_of_other_content: data race
// wrong got_over_put: data race
// wrong put_over_got: data race
// wrong get_not_waited_for: data race
// wrong sharing_get_not_waited_for: data race
// wrong put_from_result: buffer in use
// wrong got_into_origin: buffer in use
// right put_flushed
// right sharing_put_flushed
// right put_of_other_content_behind_flush
// right got_behind_flush
// right put_over_what_was_got
// right get_waited_for
// right sharing_get_waited_for
// right waited_for_together
// right here_and_there
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 256, ELSEWHERE = 40, TIMES = 90 };
static const MPI_Comm comm = MPI_COMM_WORLD;
static int rank;
static long from[2], to[2];
static MPI_Win win;
static MPI_Request request = MPI_REQUEST_NULL;
static const char *name;

static int is(const char *other) { return !strcmp(name, other); }
static int has(const char *word) { return strstr(name, word) != NULL; }

static void put(int where) {
    MPI_Rput(from, 1, MPI_LONG, 1, where, 1, MPI_LONG, win, &request); // !put_of_other_content !put_over_got !put_not_flushed !sharing_put_not_flushed !got_over_put
}
static void get(int where) {
    MPI_Rget(to, 1, MPI_LONG, 1, where, 1, MPI_LONG, win, &request); // !got_over_put !get_not_waited_for !sharing_get_not_waited_for !put_from_result !got_into_origin !put_over_got
}
static void end(void) { MPI_Wait(&request, MPI_STATUS_IGNORE); }
static void flush(void) { MPI_Win_flush(1, win); }

static void puts_again(void) {
    for (int n = 0; n < ELSEWHERE; n++) put(100 + n), end();
    flush();
    for (int n = 0; n < TIMES; n++) put(7), end();
}

// All but the last one are waited for.
static void gets_again(void) {
    for (int n = 0; n < ELSEWHERE; n++) get(100 + n), end();
    for (int n = 0; n < TIMES; n++) {
        get(7);
        if (n == TIMES - 1) break;
        end();
        if (to[0] != 7) exit(4);
    }
}

// At rank 0, with no other one between.
static void alone(void) {
    if (has("content")) {
        puts_again();
        if (has("flush")) flush();
        from[0] = 8;
        put(7), end();
    } else if (has("got_over_put") || is("got_behind_flush")) {
        puts_again();
        if (has("flush")) flush();
        get(7), end();
    } else if (has("put_over")) {
        gets_again();
        if (is("put_over_what_was_got")) end();
        MPI_Request own = request;
        put(7), end();
        if (is("put_over_got")) MPI_Wait(&own, MPI_STATUS_IGNORE);
    } else if (is("put_from_result")) {
        gets_again();
        MPI_Put(to, 1, MPI_LONG, 1, 9, 1, MPI_LONG, win); // !put_from_result
        end();
    } else if (is("got_into_origin")) {
        gets_again();
        MPI_Get(to, 1, MPI_LONG, 1, 9, 1, MPI_LONG, win); // !got_into_origin
        end();
    } else if (is("waited_for_together")) {
        MPI_Request all[TIMES];
        puts_again();
        for (int n = 0; n < TIMES; n++) put(7), all[n] = request;
        MPI_Waitall(TIMES, all, MPI_STATUSES_IGNORE);
    } else {
        for (int n = 0; n < 4; n++) {
            puts_again();
            flush();
            gets_again();
            end();
        }
    }
}

// What others are told of.
static void told(void) {
    if (rank == 0) {
        if (has("put")) puts_again();
        else gets_again();
        if (has("_flushed") && !has("not_flushed")) flush();
        if (is("get_waited_for") || is("sharing_get_waited_for")) end();
    }
    MPI_Barrier(comm);
    if (rank == 1) {
        MPI_Put(from, 1, MPI_LONG, 1, 7, 1, MPI_LONG, win); // !put_not_flushed !sharing_put_not_flushed !get_not_waited_for !sharing_get_not_waited_for
        flush();
    }
    MPI_Barrier(comm);
    end();
}

int main(int argc, char **argv) {
    long *mine, *shared;
    MPI_Win other = MPI_WIN_NULL;
    name = argv[1];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    if (has("sharing")) {
        // Flags in it may tell others of anything.
        MPI_Aint size;
        int unit;
        MPI_Win_allocate_shared(sizeof(long), sizeof(long), MPI_INFO_NULL, comm, &shared, &other);
        MPI_Win_shared_query(other, rank == 0 ? 1 : 0, &size, &unit, &shared);
    }
    MPI_Win_allocate(COUNT * sizeof(long), sizeof(long), MPI_INFO_NULL, comm, &mine, &win);
    for (int n = 0; n < COUNT; n++) mine[n] = 7;
    from[0] = 7;
    MPI_Barrier(comm);
    MPI_Win_lock_all(0, win);
    if (has("_flushed") || has("get_")) told();
    else if (rank == 0) alone();
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    if (other != MPI_WIN_NULL) MPI_Win_free(&other);
    MPI_Finalize();
    return 0;
}
