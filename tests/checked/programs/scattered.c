// Puts and gets at random places, as on a table: what is compared of them later is found as if it were compared at once.
//
// ranks: 3
// wrong flushed_met: data race
// wrong many_met: data race
// wrong last_of_many_met: data race
// wrong own_twice: data race
// wrong own_twice_later: data race
// wrong own_overlap: data race
// wrong own_read: data race
// wrong fetched_met: data race
// wrong fetched_into_sent: buffer race
// wrong values_met: data race
// wrong values_twice: data race
// wrong not_flushed: data race
// wrong between_met: data race
// wrong columns_met: data race
// wrong small_met: data race
// wrong own_small: data race
// wrong own_wide: data race
// wrong calls_met: data race
// right apart
// right again
// right values_again
// right flushed_then_message
// right many_then_message
// right fetched_by_all
// right fetched_then_sent
// right between
// right columns
// right small_apart
// right small_again
// right wide_apart
// right calls_apart
// right fences
// right epochs
// right two_sites
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { ALL = 8192, HALF = ALL / 2, MANY = 2000 };
static int rank;
static long *mine;
static MPI_Win win;
static const MPI_Comm comm = MPI_COMM_WORLD;
static long from[ALL], into[ALL], value;
static int is_flushed;

static int is(const char *name, char **argv) { return !strcmp(name, argv[1]); }
static void tell(int to) { MPI_Send(NULL, 0, MPI_INT, to, 0, comm); }
static void hear(int other) { MPI_Recv(NULL, 0, MPI_INT, other, 0, comm, MPI_STATUS_IGNORE); }

// Each place of a half of the window once, without an order.
static int place(int n, int half) { return (unsigned)n * (n + 1) / 2 * 1367 % HALF + half * HALF; }

// Puts of one value from the `first` to before the `end`, and a flush now and then or none.
static void puts_of(int first, int end, int half) {
    for (int n = first; n < end; n++) {
        MPI_Put(&value, 1, MPI_LONG, 2, place(n, half), 1, MPI_LONG, win); // !flushed_met !many_met !last_of_many_met !own_twice !own_twice_later !own_overlap !own_read !not_flushed
        if (is_flushed && n % 100 == 99) MPI_Win_flush(2, win);
    }
}

static void gets_of(int count) {
    for (int n = 0; n < count; n++) {
        MPI_Get(into + n, 1, MPI_LONG, 2, place(n, 0), 1, MPI_LONG, win); // !fetched_met !not_flushed
        if (is_flushed && n % 100 == 99) MPI_Win_flush(2, win);
    }
    MPI_Win_flush_local(2, win);
}

static void values_of(int count, int half) {
    for (int n = 0; n < count; n++) {
        MPI_Request request;
        value = n;
        MPI_Rput(&value, 1, MPI_LONG, 2, place(n, half), 1, MPI_LONG, win, &request); // !values_met !values_twice
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (is_flushed && n % 70 == 69) MPI_Win_flush(2, win);
    }
}

static void own(char **argv) {
    if (rank != 0) return;
    puts_of(0, is("own_twice_later", argv) ? 700 : 200, 0);
    if (is("own_twice", argv)) MPI_Put(from, 1, MPI_LONG, 2, place(150, 0), 1, MPI_LONG, win); // !own_twice
    if (is("own_twice_later", argv)) MPI_Put(from, 1, MPI_LONG, 2, place(650, 0), 1, MPI_LONG, win); // !own_twice_later
    if (is("own_overlap", argv)) MPI_Put(from, 2, MPI_LONG, 2, place(150, 0), 2, MPI_LONG, win); // !own_overlap
    if (is("own_read", argv)) MPI_Get(into, 1, MPI_LONG, 2, place(150, 0), 1, MPI_LONG, win); // !own_read
}

// Both put into each other's memory, at places of their own and not, as far as rank 2 has part in it.
static void between(int meets) {
    for (int n = 0; n < MANY && rank < 2; n++) {
        MPI_Put(&value, 1, MPI_LONG, 1 - rank, place(n, rank), 1, MPI_LONG, win); // !between_met
        if (n % 100 == 99) MPI_Win_flush(1 - rank, win);
    }
    if (rank == 2 && meets) MPI_Put(&value, 1, MPI_LONG, 1, place(MANY - 1, 0), 1, MPI_LONG, win); // !between_met
}

// From a row each, to anywhere.
static void columns(int meets) {
    for (int time = 0; time < 3 && rank < 2; time++) {
        for (int n = 0; n < 100; n++)
            MPI_Put(from + n, 1, MPI_LONG, 2, place(n + 100 * time, meets ? 0 : rank), 1, MPI_LONG, win); // !columns_met
        MPI_Win_flush(2, win);
    }
}

// Two of them are in one line.
static void small(int meets) {
    int *values = (int *)from;
    for (int n = 0; n < MANY && rank == 0; n++)
        MPI_Put(values, 1, MPI_INT, 2, place(n, 0), 1, MPI_INT, win); // !small_met
    if (rank == 1) MPI_Put(values, 1, MPI_INT, 2, meets ? place(MANY - 3, 0) : HALF, 1, MPI_INT, win); // !small_met
}

// Two of them are in one line, and one may be made again; or each has bytes of two lines.
static void shared_lines(char **argv) {
    int wide = !!strstr(argv[1], "wide"), count = 1500;
    const char *bytes = (const char *)from;
    for (int time = 0; time < 2 && rank == 0; time++)
        for (int n = 0; n < count; n++)
            MPI_Put(bytes, 8 >> !wide, MPI_BYTE, 2, wide ? n * 1367 % count * 8 + 3 : n * 1367 % count * 4, 8 >> !wide, MPI_BYTE, win); // !own_small !own_wide
    if (rank == 0 && is("own_small", argv)) MPI_Put(bytes + 4, 4, MPI_BYTE, 2, (count - 7) * 1367 % count * 4, 4, MPI_BYTE, win); // !own_small
    if (rank == 0 && is("own_wide", argv)) MPI_Put(bytes + 8, 1, MPI_BYTE, 2, (count - 7) * 1367 % count * 8 + 10, 1, MPI_BYTE, win); // !own_wide
}

// Among many gets, which no get is in the way of, there is one put.
static void calls(int meets) {
    for (int n = 0; n < 400 && rank < 2; n++) {
        MPI_Get(into + n, 1, MPI_LONG, 2, place(n, 0), 1, MPI_LONG, win); // !calls_met
        if (rank == 0 && n == 250) MPI_Put(from, 1, MPI_LONG, 2, meets ? place(270, 0) : ALL - 1, 1, MPI_LONG, win); // !calls_met
        if (n % 100 == 99 || (meets && rank == 0 && n == 250)) MPI_Win_flush(2, win);
    }
}

static void in_lock_all(char **argv) {
    is_flushed = !strstr(argv[1], "many");
    if (is("flushed_met", argv) || is("many_met", argv) || is("last_of_many_met", argv)) {
        if (rank == 0) puts_of(0, MANY, 0);
        int which = is("last_of_many_met", argv) ? MANY - 1 : MANY - 200;
        if (rank == 1) MPI_Put(&value, 1, MPI_LONG, 2, place(which, 0), 1, MPI_LONG, win); // !flushed_met !many_met !last_of_many_met
    } else if (is("own_small", argv) || is("small_again", argv) || strstr(argv[1], "wide")) {
        shared_lines(argv);
    } else if (strstr(argv[1], "own")) {
        is_flushed = 0;
        own(argv);
    } else if (is("fetched_met", argv)) {
        if (rank < 2) gets_of(300);
        if (rank == 1) MPI_Put(&value, 1, MPI_LONG, 2, place(250, 0), 1, MPI_LONG, win); // !fetched_met
    } else if (is("fetched_into_sent", argv) || is("fetched_then_sent", argv)) {
        is_flushed = is("fetched_then_sent", argv);
        for (int n = 0; n < 300 && rank == 0; n++)
            MPI_Get(into + n, 1, MPI_LONG, 2, place(n, 0), 1, MPI_LONG, win); // !fetched_into_sent
        if (is_flushed) MPI_Win_flush(2, win);
        if (rank == 0) MPI_Put(into + 123, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win); // !fetched_into_sent
    } else if (is("values_met", argv)) {
        if (rank < 2) values_of(300, 0);
    } else if (is("values_twice", argv)) {
        is_flushed = 0;
        for (int time = 0; time < 2 && rank == 0; time++) {
            values_of(100, 0);
            values_of(1, 1);
        }
        value = 7;
        MPI_Request request;
        if (rank == 0) {
            MPI_Rput(&value, 1, MPI_LONG, 2, place(50, 0), 1, MPI_LONG, win, &request); // !values_twice
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    } else if (is("not_flushed", argv)) {
        if (rank == 0) {
            puts_of(0, 250, 0);
            tell(1);
        }
        if (rank == 1) {
            hear(0);
            gets_of(250);
        }
    } else if (is("apart", argv)) {
        if (rank < 2) puts_of(0, MANY, rank);
    } else if (is("again", argv)) {
        for (int time = 0; time < 3 && rank == 0; time++) puts_of(0, 150, 0);
        is_flushed = 0;
        for (int time = 0; time < 3 && rank == 0; time++) puts_of(0, 300, 0);
    } else if (is("values_again", argv)) {
        if (rank < 2) values_of(300, rank);
        is_flushed = 0;
        MPI_Win_flush(2, win);
        for (int time = 0; time < 3 && rank < 2; time++) values_of(300, rank);
    } else if (is("flushed_then_message", argv) || is("many_then_message", argv)) {
        for (int turn = 0; turn < 6; turn++) {
            if (rank == turn % 2) {
                puts_of(0, MANY, 0);
                MPI_Win_flush(2, win);
                tell(1 - rank);
            }
            if (rank == 1 - turn % 2) {
                hear(1 - rank);
                gets_of(MANY);
                MPI_Win_flush(2, win);
            }
        }
    } else if (is("fetched_by_all", argv)) {
        gets_of(MANY);
        is_flushed = 0;
        gets_of(MANY);
    } else if (strstr(argv[1], "between")) {
        between(is("between_met", argv));
    } else if (strstr(argv[1], "columns")) {
        columns(is("columns_met", argv));
    } else if (strstr(argv[1], "calls")) {
        calls(is("calls_met", argv));
    } else if (is("two_sites", argv)) {
        for (int n = 0; n < MANY && rank == 0; n++) {
            MPI_Put(&value, 1, MPI_LONG, 2, place(n, 0), 1, MPI_LONG, win);
            MPI_Get(into + n, 1, MPI_LONG, 2, place(n, 1), 1, MPI_LONG, win);
            if (n % 300 == 299) MPI_Win_flush(2, win);
        }
    }
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    int in_bytes = is("own_small", argv) || is("small_again", argv) || strstr(argv[1], "wide");
    int unit = in_bytes ? 1 : strstr(argv[1], "small") ? sizeof(int) : sizeof(long);
    MPI_Win_allocate(ALL * sizeof(long), unit, MPI_INFO_NULL, comm, &mine, &win);
    memset(mine, 0, ALL * sizeof(long));
    MPI_Barrier(comm);
    if (is("fences", argv)) {
        MPI_Win_fence(0, win);
        for (int time = 0; time < 4; time++) {
            if (rank == time % 2) puts_of(0, time < 2 ? 90 : MANY, 0);
            MPI_Win_fence(0, win);
        }
    } else if (is("epochs", argv)) {
        for (int time = 0; time < 4; time++) {
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, win);
            puts_of(0, time < 2 ? 90 : MANY, 0);
            MPI_Win_unlock(2, win);
        }
    } else {
        MPI_Win_lock_all(0, win);
        if (strstr(argv[1], "small_") && !is("small_again", argv)) small(is("small_met", argv));
        else in_lock_all(argv);
        MPI_Win_unlock_all(win);
    }
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
