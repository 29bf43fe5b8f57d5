// Operations that repeat the last one, by the same call: what comes before, between and after them.
//
// ranks: 3
// wrong put_again: data race
// wrong put_again_not_flushed: data race
// wrong get_again_not_flushed: data race
// wrong add_again: data race
// wrong put_other_after: data race
// wrong put_changed: data race
// wrong fetch_twice: buffer race
// right flushed_then_message
// right counter_in_memory
// right counter_fetched
// right flag_stored
// right same_operation
// right come_between
// right in_callback
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank;
static long *mine;
static MPI_Win win;
static const MPI_Comm comm = MPI_COMM_WORLD;
static long value, got, one = 1;
enum { TIMES = 50, AT = 3 };

static int is(const char *name, char **argv) { return !strcmp(name, argv[1]); }
static void done(int target) { MPI_Win_flush(target, win); }
static void tell(int to) { MPI_Send(NULL, 0, MPI_INT, to, 0, comm); }
static void hear(int from) { MPI_Recv(NULL, 0, MPI_INT, from, 0, comm, MPI_STATUS_IGNORE); }

// From 1 on: the last value is the number of times.
static void put_many(int target, int at) {
    for (value = 1; value <= TIMES; value++) {
        MPI_Put(&value, 1, MPI_LONG, target, at, 1, MPI_LONG, win);
        done(target);
    }
}

// Puts inside a call that others wait for.
static int put_at_end(MPI_Win window, int key, void *attribute, void *state) {
    if (rank == 0) put_many(2, AT);
    return MPI_SUCCESS;
}

static void run(char **argv) {
    if (is("put_again", argv)) {
        // What goes before a message is known by it, and not what comes after.
        for (int n = 0; n < TIMES && rank == 0; n++) {
            if (n == TIMES / 2) tell(1);
            MPI_Put(&value, 1, MPI_LONG, 2, AT, 1, MPI_LONG, win); // !put_again
            done(2);
        }
        if (rank == 1) {
            hear(0);
            MPI_Put(&value, 1, MPI_LONG, 2, AT, 1, MPI_LONG, win); // !put_again
            done(2);
        }
    } else if (is("put_again_not_flushed", argv)) {
        for (int n = 0; n < TIMES && rank == 0; n++) {
            MPI_Put(&value, 1, MPI_LONG, 2, AT, 1, MPI_LONG, win); // !put_again_not_flushed
            if (n < TIMES - 1) done(2);
        }
        if (rank == 0) tell(1);
        if (rank == 1) {
            hear(0);
            MPI_Get(&got, 1, MPI_LONG, 2, AT, 1, MPI_LONG, win); // !put_again_not_flushed
        }
    } else if (is("get_again_not_flushed", argv)) {
        for (int n = 0; n < TIMES && rank == 0; n++) {
            MPI_Get(&got, 1, MPI_LONG, 2, AT, 1, MPI_LONG, win); // !get_again_not_flushed
            if (n < TIMES - 1) done(2);
        }
        if (rank == 0) tell(1);
        if (rank == 1) {
            hear(0);
            MPI_Put(&value, 1, MPI_LONG, 2, AT, 1, MPI_LONG, win); // !get_again_not_flushed
        }
    } else if (is("add_again", argv) || is("same_operation", argv)) {
        MPI_Op op = rank == 1 && is("add_again", argv) ? MPI_MAX : MPI_SUM;
        for (int n = 0; n < TIMES && rank < 2; n++) {
            MPI_Accumulate(&one, 1, MPI_LONG, 2, AT, 1, MPI_LONG, op, win); // !add_again
            done(2);
        }
    } else if (is("put_other_after", argv)) {
        for (int n = 0; n < TIMES && rank == 0; n++) {
            MPI_Put(&value, 1, MPI_LONG, 2, AT, 1, MPI_LONG, win); // !put_other_after
            if (n < TIMES - 1) done(2);
        }
        if (rank == 0) MPI_Get(&got, 1, MPI_LONG, 2, AT, 1, MPI_LONG, win); // !put_other_after
    } else if (is("put_changed", argv)) {
        // The same call, which means another thing.
        for (int n = 0; n < TIMES && rank == 0; n++) {
            long *from = n < TIMES - 1 ? &value : &got;
            MPI_Put(from, 1, MPI_LONG, 2, AT, 1, MPI_LONG, win); // !put_changed
            if (n < TIMES - 2) done(2);
        }
    } else if (is("fetch_twice", argv)) {
        for (int n = 0; n < TIMES && rank == 0; n++) {
            MPI_Fetch_and_op(&one, &got, MPI_LONG, 2, AT, MPI_SUM, win); // !fetch_twice
            if (n != TIMES - 2) done(2);
        }
    } else if (is("flushed_then_message", argv)) {
        for (int round = 0; round < 20; round++) {
            if (rank == 0) {
                put_many(2, AT);
                tell(1);
                hear(1);
            }
            if (rank == 1) {
                hear(0);
                put_many(2, AT);
                tell(0);
            }
        }
    } else if (is("counter_in_memory", argv)) {
        // Rank 1 sees the last of many puts into its memory by a load, and with it what rank 0 has put elsewhere before.
        if (rank == 0) {
            put_many(2, AT);
            put_many(1, 0);
        }
        if (rank == 1) {
            while (*(volatile long *)mine != TIMES) {}
            MPI_Get(&got, 1, MPI_LONG, 2, AT, 1, MPI_LONG, win);
            done(2);
            if (got != TIMES) MPI_Abort(comm, 1);
        }
    } else if (is("counter_fetched", argv)) {
        // The ranks take turns: each fetches until the counter says that it is its turn.
        for (long turn = rank; turn < 300; turn += 3) {
            long none = 0;
            for (got = -1; got != turn;) {
                MPI_Fetch_and_op(&none, &got, MPI_LONG, 2, 0, MPI_SUM, win);
                done(2);
            }
            MPI_Put(&turn, 1, MPI_LONG, 1, AT, 1, MPI_LONG, win);
            done(1);
            MPI_Fetch_and_op(&one, &got, MPI_LONG, 2, 0, MPI_SUM, win);
            done(2);
        }
    } else if (is("flag_stored", argv)) {
        // Rank 1 loads what rank 0 stores into its own memory behind the flush: no call of MPI says that.
        if (rank == 0) {
            put_many(2, AT);
            atomic_store((_Atomic long *)mine, 1);
        }
        if (rank == 1) {
            MPI_Aint size;
            int unit;
            long *theirs;
            MPI_Win_shared_query(win, 0, &size, &unit, &theirs);
            while (atomic_load((_Atomic long *)theirs) == 0) {}
            MPI_Put(&value, 1, MPI_LONG, 2, AT, 1, MPI_LONG, win);
            done(2);
        }
    } else if (is("in_callback", argv)) {
        MPI_Win other;
        int key;
        MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, comm, &other);
        MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, put_at_end, &key, NULL);
        MPI_Win_set_attr(other, key, NULL);
        MPI_Win_free_keyval(&key);
        MPI_Win_free(&other);
        if (rank == 1) MPI_Get(&got, 1, MPI_LONG, 2, AT, 1, MPI_LONG, win);
        done(2);
        if (rank == 1 && got != TIMES) MPI_Abort(comm, 1);
    } else if (is("come_between", argv)) {
        // Between two puts to rank 2, rank 0 sees by a load what rank 1 has put there before it put a flag; so does rank 2 by the second.
        if (rank == 0) {
            for (value = 1; value <= 2; value++) {
                MPI_Put(&value, 1, MPI_LONG, 2, 0, 1, MPI_LONG, win);
                done(2);
                while (value == 1 && *(volatile long *)mine == 0) {}
            }
        }
        if (rank == 1) {
            MPI_Put(&one, 1, MPI_LONG, 1, AT, 1, MPI_LONG, win);
            done(1);
            MPI_Put(&one, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
            done(0);
        }
        if (rank == 2) {
            while (*(volatile long *)mine != 2) {}
            MPI_Get(&got, 1, MPI_LONG, 1, AT, 1, MPI_LONG, win);
            done(1);
            if (got != 1) MPI_Abort(comm, 1);
        }
    }
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    MPI_Win_allocate(64 * sizeof(long), sizeof(long), MPI_INFO_NULL, comm, &mine, &win);
    memset(mine, 0, 64 * sizeof(long));
    MPI_Barrier(comm);
    MPI_Win_lock_all(0, win);
    run(argv);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
