// MPI_Win_flush_local between operations: the buffer is the program's again, and may have something else in it, but nothing is complete at its
// target. What has fetched is complete.
//
// ranks: 3
// wrong again: data race
// wrong again_step: data race
// wrong again_random: data race
// wrong again_many: data race
// wrong again_updates: data race
// wrong told_step: data race
// wrong told_random: data race
// wrong told_pairs: data race
// wrong told_all: data race
// wrong told_updates: data race
// wrong met_step: data race
// wrong met_random: data race
// wrong buffer_put: buffer race
// wrong buffer_random: buffer race
// wrong buffer_update: buffer race
// wrong buffer_result: buffer race
// right step
// right random
// right pairs
// right walk
// right walk_random
// right gets
// right updates
// right results
// right repeated
// right repeated_random
// right repeated_first
// right repeated_back
// right repeated_step
// right repeated_last
// right repeated_last_random
// right repeated_beside_random
// right then_flush
// right other_kinds
#include <mpi.h>
#include <string.h>

enum { ALL = 8192, MANY = 700 };
static int rank;
static MPI_Win win;
static const MPI_Comm comm = MPI_COMM_WORLD;
static long from[ALL], into[ALL];
static char **arguments;

static int is(const char *name) { return !strcmp(name, arguments[1]); }
static int has(const char *part) { return !!strstr(arguments[1], part); }
static void tell(int to) { MPI_Send(NULL, 0, MPI_INT, to, 0, comm); }
static void hear(int other) { MPI_Recv(NULL, 0, MPI_INT, other, 0, comm, MPI_STATUS_IGNORE); }

// Each at another place, by a step or anywhere.
static int place(int n) {
    if (has("random") || has("many")) return (unsigned)n * (n + 1) / 2 * 1367 % (ALL / 2);
    return n;
}

static void leave(void) {
    if (has("all")) MPI_Win_flush_local_all(win);
    else MPI_Win_flush_local(2, win);
}

static void put(int at) {
    MPI_Put(from, 1, MPI_LONG, 2, at, 1, MPI_LONG, win); // !again !again_step !again_random !again_many !told_step !told_random !told_all !met_step !met_random
}

static void update(int at) {
    MPI_Accumulate(from, 1, MPI_LONG, 2, at, 1, MPI_LONG, MPI_SUM, win); // !again_updates !told_updates
}

// Puts of one buffer, which has something else in it each time.
static void put_all(int count) {
    for (int n = 0; n < count; n++) {
        from[0] = n;
        put(place(n));
        if (has("pairs")) MPI_Put(from, 1, MPI_LONG, 2, ALL / 2 + n, 1, MPI_LONG, win); // !told_pairs
        leave();
    }
}

static void updates(int count) {
    for (int n = 0; n < count; n++) {
        from[0] = n;
        update(n % 10);
        leave();
    }
}

static void again(void) {
    if (is("again_updates")) {
        updates(20);
        MPI_Put(from, 1, MPI_LONG, 2, 5, 1, MPI_LONG, win); // !again_updates
        return;
    }
    int count = is("again") ? 1 : is("again_many") ? MANY : 20;
    put_all(count);
    put(place(is("again") ? 0 : count - 10));
}

// What rank 0 has not completed rank 1 cannot know to be complete.
static void told(void) {
    int count = 30;
    if (rank == 0) {
        if (has("updates")) updates(count);
        else put_all(count);
        if (is("then_flush")) MPI_Win_flush(2, win);
        tell(1);
    }
    if (rank == 1) {
        hear(0);
        int at = has("updates") ? 5 : has("pairs") ? ALL / 2 + 20 : place(20);
        MPI_Put(from, 1, MPI_LONG, 2, at, 1, MPI_LONG, win); // !told_step !told_random !told_pairs !told_all !told_updates
    }
}

static void used(void) {
    if (is("buffer_put") || is("buffer_random")) {
        put_all(20);
        MPI_Put(from, 1, MPI_LONG, 2, ALL - 2, 1, MPI_LONG, win); // !buffer_put !buffer_random
        MPI_Get(from, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win);       // !buffer_put !buffer_random
    } else if (is("buffer_update")) {
        updates(20);
        MPI_Accumulate(from, 1, MPI_LONG, 2, 0, 1, MPI_LONG, MPI_SUM, win); // !buffer_update
        MPI_Get(from, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win);                 // !buffer_update
    } else {
        for (int n = 0; n < 10; n++) {
            MPI_Fetch_and_op(from, into, MPI_LONG, 2, 0, MPI_SUM, win); // !buffer_result
            if (n < 9) MPI_Win_flush_local(2, win);
        }
        MPI_Put(into, 1, MPI_LONG, 2, 100, 1, MPI_LONG, win); // !buffer_result
    }
}

static void fine(void) {
    int count = has("random") ? MANY : 100;
    if (has("walk")) {
        for (int n = 0; n < count; n++) {
            MPI_Put(from + n, 1, MPI_LONG, 2, place(n), 1, MPI_LONG, win);
            MPI_Win_flush_local(2, win);
            MPI_Get(from + n, 1, MPI_LONG, 1, n, 1, MPI_LONG, win);
            MPI_Win_flush_local(1, win);
        }
    } else if (is("gets")) {
        for (int n = 0; n < count; n++) {
            MPI_Get(into, 1, MPI_LONG, 2, n % 7, 1, MPI_LONG, win);
            MPI_Win_flush_local(2, win);
            from[0] = into[0];
            MPI_Put(into, 1, MPI_LONG, 1, n, 1, MPI_LONG, win);
            MPI_Win_flush_local(1, win);
        }
        tell(1);
    } else if (is("updates")) {
        updates(count);
        MPI_Get(from, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win);
    } else if (is("results")) {
        for (int n = 0; n < count; n++) {
            MPI_Fetch_and_op(from, into, MPI_LONG, 2, 0, MPI_SUM, win);
            MPI_Win_flush_local(2, win);
            MPI_Put(into, 1, MPI_LONG, 2, 100 + n, 1, MPI_LONG, win);
            MPI_Win_flush_local(2, win);
            MPI_Compare_and_swap(into + 1, from + 2, into, MPI_LONG, 2, 1, win);
            MPI_Win_flush_local_all(win);
        }
    } else if (is("repeated_first")) {
        MPI_Put(from, 1, MPI_LONG, 2, 0, 1, MPI_LONG, win);
        MPI_Put(from, 1, MPI_LONG, 2, 0, 1, MPI_LONG, win);
        MPI_Win_flush_local(2, win);
    } else if (is("repeated_back")) {
        for (int n = 0; n < 3; n++) MPI_Put(from, 1, MPI_LONG, 2, n % 2 * 10, 1, MPI_LONG, win);
        MPI_Win_flush_local_all(win);
    } else if (is("repeated_step")) {
        for (int n = 0; n < 20; n++) put(n);
        put(19);
        MPI_Win_flush_local(2, win);
    } else if (is("repeated_last") || is("repeated_last_random")) {
        put_all(20);
        put(place(20));
        MPI_Put(from, 1, MPI_LONG, 2, place(20), 1, MPI_LONG, win);
        MPI_Win_flush_local(2, win);
    } else if (is("repeated_beside_random")) {
        MPI_Put(from, 1, MPI_LONG, 2, place(5), 1, MPI_LONG, win);
        for (int n = 0; n < 20; n++) put(place(n));
        MPI_Win_flush_local(2, win);
    } else if (has("repeated")) {
        put_all(20);
        for (int n = 0; n < 10; n++) put(place(30));
        for (int n = 0; n < 10; n++) put(place(31));
    } else if (is("other_kinds")) {
        for (int n = 0; n < count; n++) {
            put(n);
            MPI_Win_flush_local(2, win);
            MPI_Get(from, 1, MPI_LONG, 2, 1000 + n, 1, MPI_LONG, win);
            MPI_Win_flush_local(2, win);
            MPI_Accumulate(from, 1, MPI_LONG, 2, 2000, 1, MPI_LONG, MPI_SUM, win);
            MPI_Win_flush_local(2, win);
            if (n % 10 == 9) MPI_Win_flush(2, win);
        }
    } else {
        put_all(count);
        MPI_Get(from, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win);
    }
}

int main(int argc, char **argv) {
    arguments = argv;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    long *mine;
    MPI_Win_allocate(ALL * sizeof(long), sizeof(long), MPI_INFO_NULL, comm, &mine, &win);
    memset(mine, 0, ALL * sizeof(long));
    MPI_Barrier(comm);
    MPI_Win_lock_all(0, win);
    if (has("again")) {
        if (rank == 0) again();
    } else if (has("told") || is("then_flush")) {
        told();
    } else if (has("met")) {
        if (rank < 2) put_all(200);
    } else if (has("buffer")) {
        if (rank == 0) used();
    } else {
        if (rank == 0) fine();
        // What rank 0 has fetched is complete.
        if (rank == 1 && is("gets")) {
            hear(0);
            MPI_Put(from, 1, MPI_LONG, 2, 3, 1, MPI_LONG, win);
        }
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
