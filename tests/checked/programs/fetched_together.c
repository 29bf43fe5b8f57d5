// Two atomic operations that fetch are not in order because the one has fetched what the other has stored.
//
// ranks: 3
// wrong add_multiply: data race
// wrong add_replace: data race
// wrong accumulate_replace: data race
// wrong types: data race
// wrong several: data race
// wrong loop: data race
// right same
// right none
// right swap
// right flag
// right loaded
// right recursive
// right last_resets
#include <mpi.h>
#include <string.h>
#include <unistd.h>

static int rank;
static MPI_Win win;
static const MPI_Comm comm = MPI_COMM_WORLD;
static long one = 1, two[2] = {1, 1}, old[2];
static char **arguments;

static int is(const char *name) { return !strcmp(name, arguments[1]); }

// Ranks 0 and 1 come to one element of rank 2's part, and nothing says which is first.
static void together(void) {
    MPI_Op op = is("same") || rank == 0 ? MPI_SUM : is("add_multiply") || is("loop") ? MPI_PROD : is("none") ? MPI_NO_OP : MPI_REPLACE;
    if (is("accumulate_replace") && rank == 0) MPI_Accumulate(&one, 1, MPI_LONG, 2, 0, 1, MPI_LONG, op, win); // !accumulate_replace
    else if (is("several")) MPI_Get_accumulate(two, 2, MPI_LONG, old, 2, MPI_LONG, 2, 0, 2, MPI_LONG, op, win); // !several
    else if (is("types") && rank == 1) MPI_Fetch_and_op(&one, old, MPI_UNSIGNED_LONG, 2, 0, MPI_SUM, win); // !types
    else if (is("swap") && rank == 1) MPI_Compare_and_swap(&one, &one, old, MPI_LONG, 2, 0, win);
    else MPI_Fetch_and_op(&one, old, MPI_LONG, 2, 0, op, win); // !add_multiply !add_replace !accumulate_replace !types !loop
    MPI_Win_flush(2, win);
}

static long fetch(int element) {
    long value;
    MPI_Fetch_and_op(NULL, &value, MPI_LONG, 2, element, MPI_NO_OP, win);
    MPI_Win_flush(2, win);
    return value;
}

static long add(int element) {
    long before;
    MPI_Fetch_and_op(&one, &before, MPI_LONG, 2, element, MPI_SUM, win);
    MPI_Win_flush(2, win);
    return before;
}

static void set(int element, long value) {
    MPI_Accumulate(&value, 1, MPI_LONG, 2, element, 1, MPI_LONG, MPI_REPLACE, win);
    MPI_Win_flush(2, win);
}

int main(int argc, char **argv) {
    arguments = argv;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    long *mine;
    MPI_Win_allocate(16 * sizeof(long), sizeof(long), MPI_INFO_NULL, comm, &mine, &win);
    memset(mine, 0, 16 * sizeof(long));
    MPI_Barrier(comm);
    MPI_Win_lock_all(0, win);
    if (is("flag")) {
        // Who has seen the flag may do anything with what it tells of.
        if (rank == 0) {
            add(0);
            set(1, 1);
        } else if (rank == 1) {
            while (fetch(1) == 0) continue;
            set(0, 5);
        }
    } else if (is("loaded") || is("recursive")) {
        // The target's program sees by a load what was there before its next call: a lock is handed over, which counts from then on.
        if (rank == 0) {
            usleep(20000);
            set(0, 1);
            MPI_Win_flush(2, win);
        } else if (rank == 2) {
            do MPI_Win_sync(win);
            while (*(volatile long *)&mine[0] == 0);
            if (is("recursive")) set(0, 1);
            for (int n = 0; n < 3; n++) add(0);
        }
    } else if (is("last_resets")) {
        // A barrier: the last one sets the count back, whom all have told of themselves by it.
        for (int round = 1; round <= 20; round++) {
            if (add(0) == 2) {
                set(0, 0);
                set(1, round);
            } else
                while (fetch(1) < round) continue;
        }
    } else if (rank < 2) {
        for (int n = 0; n < (is("loop") ? 100 : 1); n++) together();
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
