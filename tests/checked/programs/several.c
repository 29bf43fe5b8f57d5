// Several operations from several places of the program before each flush, flushes of all targets, epochs on all of them: each is compared as if it
// were alone, and only what was flushed is complete.
//
// ranks: 3
// wrong own: data race
// wrong own_buffer: buffer race
// wrong met: data race
// wrong met_all: data race
// wrong met_epochs: data race
// wrong met_gets: data race
// wrong other_target: data race
// wrong local_all: data race
// wrong fence_met: data race
// wrong fence_promised_two: wrong assertion
// wrong fence_promised_many: wrong assertion
// wrong fence_promised_sums: wrong assertion
// right apart
// right apart_all
// right apart_epochs
// right apart_gets
// right all_targets
// right then_message
// right then_message_all
// right fence_apart
// right fence_turns
// right fence_promised_others
// right one_in_common
#include <mpi.h>
#include <string.h>

enum { ALL = 8192, HALF = ALL / 2, MANY = 1000 };
static int rank;
static MPI_Win win;
static const MPI_Comm comm = MPI_COMM_WORLD;
static long from[ALL], into[ALL];
static char **arguments;

static int is(const char *name) { return !strcmp(name, arguments[1]); }
static int has(const char *part) { return !!strstr(arguments[1], part); }
static void tell(int to) { MPI_Send(NULL, 0, MPI_INT, to, 0, comm); }
static void hear(int other) { MPI_Recv(NULL, 0, MPI_INT, other, 0, comm, MPI_STATUS_IGNORE); }
static int place(int n, int half) { return (unsigned)n * (n + 1) / 2 * 1367 % HALF + half * HALF; }

// Two places of the program put side by side into a half of rank 2's part, or get from there.
static void pairs(int half, int gets) {
    for (int n = 0; n < MANY; n++) {
        if (has("epochs")) MPI_Win_lock_all(0, win);
        MPI_Put(from, 1, MPI_LONG, 2, half * HALF + n, 1, MPI_LONG, win);
        if (gets) MPI_Get(into, 1, MPI_LONG, 2, half * HALF + MANY + n, 1, MPI_LONG, win);
        else MPI_Put(from + 1, 1, MPI_LONG, 2, half * HALF + MANY + n, 1, MPI_LONG, win); // !met !met_all !met_epochs
        if (has("epochs")) MPI_Win_unlock_all(win);
        else if (has("all")) MPI_Win_flush_all(win);
        else MPI_Win_flush(2, win);
    }
}

// The second place alone, after the first ones of another rank.
static void second(void) {
    if (has("epochs")) MPI_Win_lock_all(0, win);
    MPI_Put(from, 1, MPI_LONG, 2, MANY + MANY - 1, 1, MPI_LONG, win); // !met !met_all !met_epochs !met_gets
    MPI_Win_flush(2, win);
    if (has("epochs")) MPI_Win_unlock_all(win);
}

static void own(void) {
    for (int n = 0; n < 10; n++) {
        MPI_Put(from, 1, MPI_LONG, 2, n, 1, MPI_LONG, win); // !own
        MPI_Get(into, 1, MPI_LONG, 2, 100 + n, 1, MPI_LONG, win); // !own_buffer
        if (is("own") && n == 7) MPI_Put(from + 5, 1, MPI_LONG, 2, n, 1, MPI_LONG, win); // !own
        if (is("own_buffer") && n == 7) MPI_Put(into, 1, MPI_LONG, 2, 200, 1, MPI_LONG, win); // !own_buffer
        MPI_Win_flush(2, win);
    }
}

// Two series that go on by other steps, and have one place in common, where both put the same.
static void one_in_common(void) {
    // Each is one call.
    volatile int count = 2;
    for (int k = 0; k < count; k++) {
        MPI_Put(from + 1, 1, MPI_LONG, 2, 96 + k, 1, MPI_LONG, win);
        MPI_Put(from + 1 + k, 1, MPI_LONG, 2, 97 + k, 1, MPI_LONG, win);
    }
}

// Rank 0 puts into both other parts, and completes one or both.
static void targets(void) {
    if (rank == 0) {
        for (int n = 0; n < 20; n++) {
            MPI_Put(from, 1, MPI_LONG, 1, n, 1, MPI_LONG, win);
            MPI_Put(from, 1, MPI_LONG, 2, n, 1, MPI_LONG, win); // !other_target !local_all
            if (is("other_target")) MPI_Win_flush(1, win);
            else if (is("local_all")) MPI_Win_flush_local_all(win);
            else MPI_Win_flush_all(win);
        }
        tell(1);
    }
    if (rank == 1) {
        hear(0);
        MPI_Put(from, 1, MPI_LONG, 2, 19, 1, MPI_LONG, win); // !other_target !local_all
        MPI_Put(from, 1, MPI_LONG, 0, 19, 1, MPI_LONG, win);
    }
}

static void turns(void) {
    for (int turn = 0; turn < 4; turn++) {
        if (rank == turn % 2) {
            pairs(0, 0);
            tell(1 - rank);
        }
        if (rank == 1 - turn % 2) hear(1 - rank);
    }
}

// Rank 2 has promised that nobody puts to it.
static void promised(void) {
    MPI_Win_fence(rank == 2 ? MPI_MODE_NOPUT : 0, win);
    int to = is("fence_promised_others") ? 1 : 2;
    if (rank == 0 && !is("fence_promised_sums")) {
        MPI_Put(from, 1, MPI_LONG, to, 1, 1, MPI_LONG, win); // !fence_promised_two !fence_promised_many
        MPI_Put(from, 1, MPI_LONG, to, 2, 1, MPI_LONG, win);
        MPI_Get(into, 1, MPI_LONG, 2, 3, 1, MPI_LONG, win);
    }
    if (rank == 1 && is("fence_promised_many"))
        for (int n = 0; n < 100; n++) MPI_Put(from, 1, MPI_LONG, 2, place(n, 1), 1, MPI_LONG, win); // !fence_promised_many
    if (rank < 2 && is("fence_promised_sums"))
        for (int n = 0; n < 10; n++) MPI_Accumulate(from, 1, MPI_LONG, 2, n, 1, MPI_LONG, MPI_SUM, win); // !fence_promised_sums
    MPI_Win_fence(0, win);
}

static void fences(void) {
    if (has("promised")) return promised();
    MPI_Win_fence(0, win);
    for (int time = 0; time < 6; time++) {
        int half = is("fence_apart") ? rank : 0;
        if (is("fence_turns") ? rank == time % 3 : rank < 2)
            for (int n = 0; n < 100; n++)
                MPI_Put(from, 1, MPI_LONG, 2, place(n + 100 * time, half), 1, MPI_LONG, win); // !fence_met
        MPI_Win_fence(0, win);
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
    if (has("fence")) {
        fences();
        MPI_Win_free(&win);
        MPI_Finalize();
        return 0;
    }
    if (!has("epochs")) MPI_Win_lock_all(0, win);
    if (has("own")) {
        if (rank == 0) own();
    } else if (is("one_in_common")) {
        if (rank == 0) one_in_common();
    } else if (has("apart")) {
        if (rank < 2) pairs(rank, has("gets"));
    } else if (has("met")) {
        if (rank == 0) pairs(0, has("gets"));
        if (rank == 1) second();
    } else if (has("then_message")) {
        turns();
    } else {
        targets();
    }
    if (!has("epochs")) MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
