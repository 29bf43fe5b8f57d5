// Atomic operations that go elsewhere each time, and what else is done with the elements and the buffers.
//
// ranks: 2 3
// wrong other_op_before: data race
// wrong put_before: data race
// wrong put_after: data race
// wrong put_after_many: data race
// wrong flushed_at_other: data race
// wrong other_window: data race
// wrong result_added: buffer race
// wrong result_twice: buffer race
// wrong origin_fetched_into: buffer race
// wrong result_sent: buffer race
// wrong result_of_many_added: buffer race
// wrong put_after_others: data race
// wrong result_after_others: buffer race
// wrong locked_shared: data race
// right flushed
// right flushed_at_both
// right both_windows
// right many
// right many_with_results
// right after_others
// right flag_fetched
// right tickets
// right locked
// right locked_after_all
// right results_apart
#include <mpi.h>
#include <string.h>

enum { COUNT = 4096, MANY = 3000, SOME = 40 };
static const MPI_Comm comm = MPI_COMM_WORLD;
static int rank;
static long one = 1, old, from[SOME], to[SOME], results[MANY];
static MPI_Win win, other;

static int is(const char *name, char **argv) { return !strcmp(name, argv[1]); }

// Not by one step.
static int element(int n) { return n * 37 % COUNT; }

static void barrier(void) { MPI_Barrier(comm); }

static void add_some(int count, int target, MPI_Win to_it) {
    for (int n = 0; n < count; n++)
        MPI_Accumulate(&one, 1, MPI_LONG, target, element(n), 1, MPI_LONG, MPI_SUM, to_it); // !other_op_before !put_before !put_after !put_after_many !flushed_at_other !other_window
}

// As an operation of rank 1 on an element that rank 0 adds to.
static void put_one(int n) {
    if (rank == 1)
        MPI_Put(from, 1, MPI_LONG, 1, element(n), 1, MPI_LONG, win); // !put_before !put_after !put_after_many !flushed_at_other !other_window
}

static void in_turn(int kind) {
    for (int n = 0; n < SOME; n++) {
        MPI_Win_lock(kind, 0, 0, win);
        MPI_Put(from + n, 1, MPI_LONG, 0, element(n % 3), 1, MPI_LONG, win); // !locked_shared
        // None is complete, wherever a rank is late.
        if (kind == MPI_LOCK_SHARED) barrier();
        MPI_Win_unlock(0, win);
    }
}

// The first operation on a target goes another way, and so do those behind it until it is complete.
static void begin(MPI_Win of_it) {
    const int own = element(MANY + rank);
    for (int target = 0; target < 2; target++)
        for (int n = 0; n < 3; n++) {
            MPI_Accumulate(&one, 1, MPI_LONG, target, own, 1, MPI_LONG, MPI_SUM, of_it);
            MPI_Fetch_and_op(&one, &old, MPI_LONG, target, own, MPI_SUM, of_it);
            MPI_Win_flush(target, of_it);
            MPI_Compare_and_swap(&one, &one, &old, MPI_LONG, target, own, of_it);
            MPI_Win_flush(target, of_it);
        }
}

// One at rank 1 is not complete while many at rank 0 are flushed.
static void leave_one(void) {
    MPI_Fetch_and_op(&one, &old, MPI_LONG, 1, element(0), MPI_SUM, win); // !put_after_others !result_after_others
    for (int n = 1; n < MANY; n++) {
        MPI_Accumulate(&one, 1, MPI_LONG, 0, element(n), 1, MPI_LONG, MPI_SUM, win);
        MPI_Win_flush(0, win);
    }
}

int main(int argc, char **argv) {
    long *mine, *more;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    MPI_Win_allocate(COUNT * sizeof(long), sizeof(long), MPI_INFO_NULL, comm, &mine, &win);
    MPI_Win_allocate(COUNT * sizeof(long), sizeof(long), MPI_INFO_NULL, comm, &more, &other);
    memset(mine, 0, COUNT * sizeof(long));
    memset(more, 0, COUNT * sizeof(long));
    barrier();
    if (is("locked", argv)) {
        in_turn(MPI_LOCK_EXCLUSIVE);
    } else if (is("locked_shared", argv)) {
        in_turn(MPI_LOCK_SHARED);
    } else if (is("locked_after_all", argv)) {
        MPI_Win_lock_all(0, win);
        MPI_Win_unlock_all(win);
        barrier();
        in_turn(MPI_LOCK_EXCLUSIVE);
        barrier();
        // What others have put is seen by one who locks.
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        MPI_Put(from, 1, MPI_LONG, 0, element(rank), 1, MPI_LONG, win);
        MPI_Win_unlock(0, win);
    }
    MPI_Win_lock_all(0, win);
    MPI_Win_lock_all(0, other);
    // Where no barrier follows, a rank that is late would come to know of the other one's end.
    if (!is("other_op_before", argv)) begin(win);
    if (is("other_op_before", argv)) {
        // The last one: of those before it rank 1, whose memory it is, may know by a load.
        if (rank == 1) MPI_Accumulate(&one, 1, MPI_LONG, 1, element(SOME - 1), 1, MPI_LONG, MPI_MAX, win); // !other_op_before
        if (rank == 0) add_some(SOME, 1, win);
    } else if (is("put_before", argv)) {
        put_one(7);
        barrier();
        if (rank == 0) add_some(SOME, 1, win);
    } else if (is("put_after", argv)) {
        if (rank == 0) add_some(SOME, 1, win);
        barrier();
        put_one(SOME - 1);
    } else if (is("put_after_many", argv)) {
        if (rank == 0) add_some(MANY, 1, win);
        barrier();
        put_one(MANY - 1);
    } else if (is("flushed_at_other", argv) || is("flushed_at_both", argv)) {
        if (rank == 0) {
            for (int n = 0; n < SOME; n++) {
                add_some(2, n % 2, win);
                MPI_Win_flush(0, win);
            }
            add_some(SOME, 1, win);
            MPI_Win_flush(0, win);
            if (is("flushed_at_both", argv)) MPI_Win_flush(1, win);
        }
        barrier();
        put_one(3);
    } else if (is("other_window", argv) || is("both_windows", argv)) {
        begin(other);
        if (rank == 0) {
            for (int n = 0; n < SOME; n++) {
                add_some(2, 1, win);
                add_some(2, 1, other);
                if (is("both_windows", argv)) MPI_Win_flush(1, win);
                MPI_Win_flush(1, other);
            }
        }
        barrier();
        put_one(1);
    } else if (is("flushed", argv)) {
        if (rank == 0)
            for (int n = 0; n < SOME; n++) {
                add_some(n % 3, 1, win);
                MPI_Win_flush(1, win);
            }
        barrier();
        put_one(1);
    } else if (is("many", argv)) {
        add_some(MANY, 1, win);
        add_some(MANY, 1, win);
        MPI_Win_flush(1, win);
        barrier();
        put_one(7);
    } else if (is("flag_fetched", argv)) {
        // What is complete before the flag is set is ordered before what comes after that was seen.
        for (int n = 1; n < SOME; n++) {
            if (rank == 0) {
                MPI_Put(from, 1, MPI_LONG, 1, element(n), 1, MPI_LONG, win);
                MPI_Win_flush(1, win);
                MPI_Accumulate(&one, 1, MPI_LONG, 1, element(0), 1, MPI_LONG, MPI_SUM, win);
                MPI_Win_flush(1, win);
            } else if (rank == 1) {
                do {
                    MPI_Fetch_and_op(NULL, &old, MPI_LONG, 1, element(0), MPI_NO_OP, win);
                    MPI_Win_flush(1, win);
                } while (old < n);
                MPI_Put(from, 1, MPI_LONG, 1, element(n), 1, MPI_LONG, win);
                MPI_Win_flush(1, win);
            }
        }
    } else if (is("tickets", argv)) {
        // Who has a ticket has an element of its own.
        for (int n = 0; n < SOME; n++) {
            MPI_Fetch_and_op(&one, &old, MPI_LONG, 0, 0, MPI_SUM, win);
            MPI_Win_flush(0, win);
            MPI_Put(from, 1, MPI_LONG, 0, 1 + old, 1, MPI_LONG, win);
        }
    } else if (is("result_added", argv)) {
        for (int n = 0; n < SOME; n++)
            MPI_Fetch_and_op(&one, to + n, MPI_LONG, 1, element(n), MPI_SUM, win); // !result_added
        MPI_Accumulate(to + 5, 1, MPI_LONG, 1, element(SOME), 1, MPI_LONG, MPI_SUM, win); // !result_added
    } else if (is("result_twice", argv)) {
        for (int n = 0; n < SOME; n++)
            MPI_Fetch_and_op(&one, to + n % 7, MPI_LONG, 1, element(n), MPI_SUM, win); // !result_twice
    } else if (is("origin_fetched_into", argv)) {
        for (int n = 0; n < SOME; n++)
            MPI_Accumulate(from + n, 1, MPI_LONG, 1, element(n), 1, MPI_LONG, MPI_SUM, win); // !origin_fetched_into
        MPI_Compare_and_swap(&one, &old, from + 9, MPI_LONG, 1, element(SOME), win); // !origin_fetched_into
    } else if (is("result_sent", argv)) {
        for (int n = 0; n < SOME; n++)
            MPI_Fetch_and_op(&one, to + n, MPI_LONG, 1, element(n), MPI_SUM, win);
        if (rank == 0) MPI_Send(to + 5, 1, MPI_LONG, 1, 0, comm); // !result_sent
        if (rank == 1) MPI_Recv(from, 1, MPI_LONG, 0, 0, comm, MPI_STATUS_IGNORE);
    } else if (is("result_of_many_added", argv) || is("many_with_results", argv)) {
        // Their buffers are known further back than their list is long.
        const int last = SOME + 600;
        for (int n = 0; n < last; n++)
            MPI_Fetch_and_op(&one, results + n, MPI_LONG, 1, element(n), MPI_SUM, win); // !result_of_many_added
        if (is("many_with_results", argv)) MPI_Win_flush(1, win);
        MPI_Accumulate(results + 5, 1, MPI_LONG, 1, element(last), 1, MPI_LONG, MPI_SUM, win); // !result_of_many_added
        MPI_Win_flush(1, win);
        barrier();
        put_one(5);
    } else if (is("put_after_others", argv)) {
        if (rank == 0) {
            leave_one();
            MPI_Put(from, 1, MPI_LONG, 1, element(0), 1, MPI_LONG, win); // !put_after_others
        }
    } else if (is("result_after_others", argv)) {
        if (rank == 0) {
            leave_one();
            MPI_Put(&old, 1, MPI_LONG, 1, element(1), 1, MPI_LONG, win); // !result_after_others
        }
    } else if (is("after_others", argv)) {
        if (rank == 0) {
            leave_one();
            MPI_Win_flush(1, win);
            MPI_Put(&old, 1, MPI_LONG, 1, element(0), 1, MPI_LONG, win);
            MPI_Win_flush(1, win);
        }
        barrier();
        put_one(0);
    } else if (is("results_apart", argv)) {
        for (int n = 0; n < SOME; n++) {
            const int own = element(3 * n + rank);
            MPI_Fetch_and_op(from + n, to + n, MPI_LONG, 1, own, MPI_SUM, win);
            MPI_Compare_and_swap(from + n, &one, &old, MPI_LONG, 1, own, win);
            MPI_Win_flush(1, win);
            MPI_Accumulate(to + n, 1, MPI_LONG, 1, own, 1, MPI_LONG, MPI_REPLACE, win);
        }
        MPI_Win_flush_local(1, win);
    }
    MPI_Win_unlock_all(other);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&other);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
