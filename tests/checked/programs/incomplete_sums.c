// An accumulate that is not complete is not ordered before one of another operation or type by what tells of it, unless somebody has seen it.
//
// ranks: 3
// wrong message: data race
// wrong barrier: data race
// wrong type: data race
// wrong local: data race
// wrong request: data race
// wrong many: data race
// wrong loop: data race
// right flushed
// right same
// right fetched
// right loaded
// right polled
// right unlocked
// right fenced
// right none
#include <mpi.h>
#include <string.h>

enum { ALL = 64 };
static int rank;
static MPI_Win win;
static const MPI_Comm comm = MPI_COMM_WORLD;
static long one = 1, ones[ALL];
static long *mine;
static char **arguments;

static int is(const char *name) { return !strcmp(name, arguments[1]); }

static void tell(int to) {
    if (is("barrier")) MPI_Barrier(comm);
    else if (rank == 0) MPI_Send(NULL, 0, MPI_INT, to, 0, comm);
    else if (rank == to) MPI_Recv(NULL, 0, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
}

static void first(void) {
    if (is("unlocked")) MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, win);
    if (is("loop")) for (int n = 0; n < 20; n++) MPI_Accumulate(&one, 1, MPI_LONG, 2, n, 1, MPI_LONG, MPI_SUM, win);
    if (is("many")) MPI_Accumulate(ones, ALL, MPI_LONG, 2, 0, ALL, MPI_LONG, MPI_SUM, win);
    else if (is("request")) {
        MPI_Request request;
        MPI_Raccumulate(&one, 1, MPI_LONG, 2, 5, 1, MPI_LONG, MPI_SUM, win, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else MPI_Accumulate(&one, 1, MPI_LONG, 2, 5, 1, MPI_LONG, MPI_SUM, win);
    if (is("flushed")) MPI_Win_flush(2, win);
    if (is("local")) MPI_Win_flush_local(2, win);
    if (is("unlocked")) MPI_Win_unlock(2, win);
}

static void second(void) {
    if (is("unlocked")) MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, win);
    if (is("type")) MPI_Accumulate(&one, 1, MPI_UNSIGNED_LONG, 2, 5, 1, MPI_UNSIGNED_LONG, MPI_SUM, win); // !type
    else if (is("none")) {
        long seen;
        MPI_Fetch_and_op(NULL, &seen, MPI_LONG, 2, 5, MPI_NO_OP, win);
        MPI_Win_flush(2, win);
    } else {
        MPI_Op op = is("same") ? MPI_SUM : MPI_REPLACE;
        MPI_Accumulate(&one, 1, MPI_LONG, 2, 5, 1, MPI_LONG, op, win); // !message !barrier !local !request !many !loop
    }
    if (is("unlocked")) MPI_Win_unlock(2, win);
}

int main(int argc, char **argv) {
    arguments = argv;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    MPI_Win_allocate(ALL * sizeof(long), sizeof(long), MPI_INFO_NULL, comm, &mine, &win);
    memset(mine, 0, ALL * sizeof(long));
    MPI_Barrier(comm);
    int all = !is("unlocked") && !is("fenced");
    if (is("fenced")) MPI_Win_fence(0, win);
    else if (all) MPI_Win_lock_all(0, win);
    if (is("fetched")) {
        // Who has seen it may say so.
        if (rank == 0) first();
        if (rank == 1) {
            long seen = 0;
            while (seen != 1) {
                MPI_Fetch_and_op(NULL, &seen, MPI_LONG, 2, 5, MPI_NO_OP, win);
                MPI_Win_flush(2, win);
            }
            MPI_Accumulate(&one, 1, MPI_LONG, 2, 5, 1, MPI_LONG, MPI_REPLACE, win);
        }
    } else if (is("loaded") || is("polled")) {
        if (rank == 0) first();
        if (rank == 2) {
            do {
                if (is("polled")) MPI_Win_sync(win);
            } while (*(volatile long *)&mine[5] != 1);
            if (is("loaded")) MPI_Win_sync(win);
            MPI_Accumulate(&one, 1, MPI_LONG, 2, 5, 1, MPI_LONG, MPI_REPLACE, win);
        }
    } else {
        if (rank == 0) first();
        if (is("fenced")) MPI_Win_fence(0, win);
        else tell(1);
        if (rank == 1) second();
    }
    if (is("fenced")) MPI_Win_fence(0, win);
    else if (all) MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
