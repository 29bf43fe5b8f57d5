// Puts and gets in loops, each elsewhere: what is compared of them later is found as if it were compared at once.
//
// ranks: 3
// wrong stride_met: data race
// wrong random_met: data race
// wrong up_and_down_met: data race
// wrong shifted: data race
// wrong rows_shifted: data race
// wrong other_site: data race
// wrong not_flushed: data race
// wrong message_before: data race
// wrong one_buffer: buffer race
// wrong fetched_into_sent: buffer race
// wrong sent_by_message: buffer race
// wrong shared_epochs: data race
// wrong came_between: data race
// right strides_apart
// right random_apart
// right up_and_down_apart
// right same_again
// right rows_again
// right pieces_again
// right value_again
// right same_while_others_put
// right flag_then_more
// right rows_and_columns
// right flushed_then_message
// right seen_by_load
// right fences
// right stored_after
// right epochs
// right freed
#include <mpi.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { ALL = 8192, TIMES = 300 };
static int rank;
static long *mine;
static MPI_Win win;
static const MPI_Comm comm = MPI_COMM_WORLD;
static long from[ALL], into[ALL], value;

static int is(const char *name, char **argv) { return !strcmp(name, argv[1]); }
static void tell(int to) { MPI_Send(NULL, 0, MPI_INT, to, 0, comm); }
static void hear(int other) { MPI_Recv(NULL, 0, MPI_INT, other, 0, comm, MPI_STATUS_IGNORE); }

// A place of one half of the window, none twice.
static int place(int n, int half) { return (n * 1367 + n * n % 2) % (ALL / 2) / 2 * 2 + half * (ALL / 2); }

// Of two in a row each might be the beginning of a series, and none is.
static int up_and_down(int n) { return n % 2 * ALL / 2 + n / 2 * 8; }

static void in_lock_all(char **argv) {
    if (is("stride_met", argv)) {
        for (int n = 0; n < TIMES && rank == 0; n++)
            MPI_Put(from + n, 1, MPI_LONG, 2, 16 * n, 1, MPI_LONG, win); // !stride_met
        if (rank == 1) MPI_Put(&value, 1, MPI_LONG, 2, 16 * 200, 1, MPI_LONG, win); // !stride_met
    } else if (is("random_met", argv)) {
        for (int n = 0; n < TIMES && rank < 2; n++) {
            int at = n == 200 ? 7 : place(n, rank);
            MPI_Put(from + n, 1, MPI_LONG, 2, at, 1, MPI_LONG, win); // !random_met
        }
    } else if (is("up_and_down_met", argv)) {
        for (int n = 0; n < TIMES && rank == 0; n++)
            MPI_Put(from + n, 1, MPI_LONG, 2, up_and_down(n), 1, MPI_LONG, win); // !up_and_down_met
        if (rank == 1) MPI_Put(&value, 1, MPI_LONG, 2, up_and_down(201), 1, MPI_LONG, win); // !up_and_down_met
    } else if (is("up_and_down_apart", argv)) {
        for (int n = 0; n < TIMES && rank < 2; n++) MPI_Put(from + n, 1, MPI_LONG, 2, up_and_down(n) + rank, 1, MPI_LONG, win);
    } else if (is("shifted", argv)) {
        // The second time something else goes there.
        for (int time = 0; time < 2 && rank == 0; time++)
            for (int n = 0; n < TIMES; n++)
                MPI_Put(from + n + time, 1, MPI_LONG, 2, 2 * n, 1, MPI_LONG, win); // !shifted
    } else if (is("other_site", argv)) {
        for (int n = 0; n < TIMES && rank == 0; n++) {
            MPI_Put(from + n, 1, MPI_LONG, 2, 4 * n, 1, MPI_LONG, win); // !other_site
            MPI_Get(into + n, 1, MPI_LONG, 2, n == 200 ? 400 : 4 * n + 1, 1, MPI_LONG, win); // !other_site
        }
    } else if (is("not_flushed", argv)) {
        for (int n = 0; n < TIMES && rank == 0; n++)
            MPI_Put(from + n, 1, MPI_LONG, 2, 3 * n, 1, MPI_LONG, win); // !not_flushed
        if (rank == 0) tell(1);
        if (rank == 1) {
            hear(0);
            MPI_Get(into, 1, MPI_LONG, 2, 3 * 299, 1, MPI_LONG, win); // !not_flushed
        }
    } else if (is("message_before", argv)) {
        // What goes before the message is known, and not what comes after.
        for (int n = 0; n < TIMES && rank == 0; n++) {
            if (n == TIMES / 2) {
                MPI_Win_flush(2, win);
                tell(1);
            }
            MPI_Put(from + n, 1, MPI_LONG, 2, 3 * n, 1, MPI_LONG, win); // !message_before
        }
        if (rank == 1) {
            hear(0);
            for (int n = 0; n < TIMES; n++)
                MPI_Get(into + n, 1, MPI_LONG, 2, 3 * n, 1, MPI_LONG, win); // !message_before
        }
    } else if (is("one_buffer", argv)) {
        for (int n = 0; n < TIMES && rank == 0; n++)
            MPI_Get(&value, 1, MPI_LONG, 2, 2 * n, 1, MPI_LONG, win); // !one_buffer
    } else if (is("fetched_into_sent", argv)) {
        for (int n = 0; n < TIMES && rank == 0; n++) {
            MPI_Get(into + n, 1, MPI_LONG, 2, 2 * n, 1, MPI_LONG, win); // !fetched_into_sent
            MPI_Put(into + n / 2, 1, MPI_LONG, 1, n, 1, MPI_LONG, win); // !fetched_into_sent
        }
    } else if (is("sent_by_message", argv)) {
        if (rank == 0) {
            for (int n = 0; n < TIMES; n++)
                MPI_Get(into + n, 1, MPI_LONG, 2, 2 * n, 1, MPI_LONG, win); // !sent_by_message
            MPI_Send(into + 123, 1, MPI_LONG, 1, 0, comm); // !sent_by_message
        }
        if (rank == 1) MPI_Recv(into, 1, MPI_LONG, 0, 0, comm, MPI_STATUS_IGNORE);
    } else if (is("strides_apart", argv)) {
        for (int n = 0; n < TIMES; n++) {
            MPI_Put(from + n, 1, MPI_LONG, 2, 8 * n + rank, 1, MPI_LONG, win);
            MPI_Put(&value, 1, MPI_LONG, 1, 8 * n + 2 * rank, 1, MPI_LONG, win);
            MPI_Get(into + 2 * n, 2, MPI_LONG, 2, 8 * n + 6, 2, MPI_LONG, win);
        }
        for (int n = 0; n < TIMES; n++) MPI_Put(from + 8 * n, 1, MPI_LONG, 0, 3 * n + rank, 1, MPI_LONG, win);
    } else if (is("random_apart", argv)) {
        for (int n = 0; n < 2 * TIMES && rank < 2; n++) {
            MPI_Put(from + n, 1, MPI_LONG, 2, place(n, rank), 1, MPI_LONG, win);
            if (n % TIMES == TIMES - 1) MPI_Win_flush(2, win);
        }
    } else if (is("same_again", argv)) {
        // By the same steps, in part, and from another line.
        for (int time = 0; time < 3 && rank == 0; time++)
            for (int n = 10 * time; n < TIMES; n++) {
                MPI_Put(from + n, 1, MPI_LONG, 2, 2 * n, 1, MPI_LONG, win);
                MPI_Get(into + 3 * n, 1, MPI_LONG, 1, 2 * n, 1, MPI_LONG, win);
            }
        for (int n = 7; n < 50 && rank == 0; n += 3) {
            MPI_Put(from + n, 1, MPI_LONG, 2, 2 * n, 1, MPI_LONG, win);
            MPI_Get(into + 3 * n, 1, MPI_LONG, 1, 2 * n, 1, MPI_LONG, win);
        }
    } else if (is("rows_again", argv) || is("rows_shifted", argv)) {
        // Side by side at the target, from rows that are not.
        int shift = is("rows_shifted", argv);
        for (int time = 0; time < 2 && rank == 0; time++)
            for (int n = 0; n < TIMES; n++)
                MPI_Put(from + n + n / 10 * 7 + time * shift, 1, MPI_LONG, 2, n, 1, MPI_LONG, win); // !rows_shifted
    } else if (is("pieces_again", argv)) {
        for (int time = 0; time < 2 && rank == 0; time++)
            for (int n = 0; n < 50; n++) MPI_Put(from + place(n, 0), 1, MPI_LONG, 2, n, 1, MPI_LONG, win);
    } else if (is("value_again", argv)) {
        for (int time = 0; time < 2 && rank == 0; time++)
            for (int n = 0; n < TIMES; n++) {
                MPI_Put(&value, 1, MPI_LONG, 2, n, 1, MPI_LONG, win);
                if (n % 70 == 0) MPI_Win_flush(1, win);
            }
    } else if (is("same_while_others_put", argv)) {
        // Rank 1 puts something here between the first time and the next ones.
        if (rank == 0) {
            MPI_Put(from, 1, MPI_LONG, 2, 40, 1, MPI_LONG, win);
            while (((volatile long *)mine)[7] != 1) {}
            for (int n = 0; n < 5; n++) MPI_Put(from, 1, MPI_LONG, 2, 40, 1, MPI_LONG, win);
            while (((volatile long *)mine)[8] != 1) {}
            for (int n = 0; n < 5; n++) MPI_Put(from, 1, MPI_LONG, 2, 40, 1, MPI_LONG, win);
        }
        value = 1;
        if (rank == 1) MPI_Put(&value, 1, MPI_LONG, 0, 7, 1, MPI_LONG, win);
        if (rank == 1) MPI_Win_flush(0, win);
        if (rank == 1) MPI_Put(&value, 1, MPI_LONG, 0, 8, 1, MPI_LONG, win);
    } else if (is("came_between", argv) || is("flag_then_more", argv)) {
        // What rank 1 has done before it set the flag goes before what rank 0 does behind it, and not before what it did until then.
        int early = is("came_between", argv);
        value = from[0] = 1;
        if (rank == 0) {
            for (int n = 0; n < 5; n++) MPI_Put(from + n, 1, MPI_LONG, 2, n + !early * 100, 1, MPI_LONG, win); // !came_between
            MPI_Put(from, 1, MPI_LONG, 1, 7, 1, MPI_LONG, win);
            while (((volatile long *)mine)[7] != 1) {}
            for (int n = 5; n < 10; n++) MPI_Put(from + n, 1, MPI_LONG, 2, n, 1, MPI_LONG, win);
        }
        if (rank == 1) {
            while (((volatile long *)mine)[7] != 1) {}
            for (int n = 0; n < 10; n++) MPI_Put(into + n, 1, MPI_LONG, 2, n, 1, MPI_LONG, win); // !came_between
            MPI_Win_flush(2, win);
            MPI_Put(&value, 1, MPI_LONG, 0, 7, 1, MPI_LONG, win);
        }
    } else if (is("rows_and_columns", argv)) {
        // What is fetched is put elsewhere when it is there; each byte once.
        if (rank == 0) {
            for (int n = 0; n < 64; n++)
                for (int k = 0; k < 64; k++) MPI_Get(into + 64 * n + k, 1, MPI_LONG, 2, 64 * k + n, 1, MPI_LONG, win);
            MPI_Win_flush_local(2, win);
            for (int n = 0; n < 64; n++)
                for (int k = 0; k < 64; k++) MPI_Put(into + 64 * n + k, 1, MPI_LONG, 1, 64 * n + k, 1, MPI_LONG, win);
        }
    } else if (is("flushed_then_message", argv)) {
        for (int round = 0; round < 20; round++) {
            for (int turn = 0; turn < 2; turn++) {
                if (rank == turn) {
                    for (int n = 0; n < TIMES; n++) {
                        MPI_Put(from + n, 1, MPI_LONG, 2, 5 * n, 1, MPI_LONG, win);
                        if (n % 100 == round) MPI_Win_flush(2, win);
                    }
                    MPI_Win_flush(2, win);
                    tell(1 - turn);
                }
                if (rank == 1 - turn) hear(turn);
            }
        }
    } else if (is("seen_by_load", argv)) {
        // Rank 1 sees the last put into its memory by a load, and with it what rank 0 has put elsewhere before.
        if (rank == 0) {
            for (int n = 0; n < TIMES; n++) MPI_Put(from + n, 1, MPI_LONG, 2, 2 * n, 1, MPI_LONG, win);
            MPI_Win_flush(2, win);
            for (value = 0; value < TIMES; value++) MPI_Put(&value, 1, MPI_LONG, 1, value, 1, MPI_LONG, win);
            MPI_Win_flush(1, win);
        }
        if (rank == 1) {
            while (((volatile long *)mine)[TIMES - 1] != TIMES - 1) {}
            for (int n = 0; n < TIMES; n++) MPI_Get(into + n, 1, MPI_LONG, 2, 2 * n, 1, MPI_LONG, win);
            MPI_Win_flush(2, win);
        }
    } else if (is("stored_after", argv)) {
        // Rank 1 loads what rank 0 stores into its own memory behind the flush: no call of MPI says that.
        MPI_Aint size;
        int unit;
        long *theirs;
        if (rank == 0) {
            for (int n = 0; n < TIMES; n++) MPI_Put(from + n, 1, MPI_LONG, 2, 2 * n, 1, MPI_LONG, win);
            MPI_Win_flush(2, win);
            atomic_store((_Atomic long *)mine, 1);
        }
        if (rank == 1) {
            MPI_Win_shared_query(win, 0, &size, &unit, &theirs);
            while (atomic_load((_Atomic long *)theirs) == 0) {}
            for (int n = 0; n < TIMES; n++) MPI_Put(from + n, 1, MPI_LONG, 2, 2 * n, 1, MPI_LONG, win);
            MPI_Win_flush(2, win);
        }
    }
}

static void epochs(char **argv) {
    int kind = is("shared_epochs", argv) ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE;
    for (int time = 0; time < 5; time++) {
        MPI_Win_lock(kind, 2, 0, win);
        for (int n = 0; n < TIMES; n++) MPI_Put(from + n, 1, MPI_LONG, 2, 2 * n, 1, MPI_LONG, win); // !shared_epochs
        MPI_Win_unlock(2, win);
    }
}

static void fences(void) {
    // Halves of a ring: each writes to the next rank, then reads from there.
    MPI_Win_fence(0, win);
    for (int time = 0; time < 5; time++) {
        for (int n = 0; n < TIMES; n++)
            MPI_Put(from + n, 1, MPI_LONG, (rank + 1) % 3, ALL / 2 + 3 * n, 1, MPI_LONG, win);
        MPI_Win_fence(0, win);
        for (int n = 0; n < TIMES; n++)
            MPI_Get(into + n, 1, MPI_LONG, (rank + 2) % 3, ALL / 2 + 3 * n, 1, MPI_LONG, win);
        MPI_Win_fence(0, win);
    }
}

static void freed(void) {
    // The next window of the same number knows nothing of what the last one had.
    for (int time = 0; time < 5; time++) {
        long *memory;
        MPI_Win other;
        MPI_Win_allocate(ALL * sizeof(long), sizeof(long), MPI_INFO_NULL, comm, &memory, &other);
        MPI_Win_lock_all(0, other);
        for (int n = 0; n < TIMES && rank == time % 3; n++)
            MPI_Put(from + n, 1, MPI_LONG, 2, 2 * n, 1, MPI_LONG, other);
        MPI_Win_unlock_all(other);
        MPI_Win_free(&other);
    }
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    MPI_Win_allocate(ALL * sizeof(long), sizeof(long), MPI_INFO_NULL, comm, &mine, &win);
    memset(mine, 0, ALL * sizeof(long));
    MPI_Barrier(comm);
    if (strstr(argv[1], "epochs")) epochs(argv);
    else if (is("fences", argv)) fences();
    else if (is("freed", argv)) freed();
    else {
        MPI_Win_lock_all(0, win);
        in_lock_all(argv);
        MPI_Win_unlock_all(win);
    }
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
