// Flags that the program of a rank stores into its own part of a window, and others fetch until they change: what that rank has completed before
// the store is ordered before what comes after the fetch, and nothing else of it is.
//
// ranks: 4
// wrong get_not_complete: data race
// wrong get_too_late: data race
// wrong rget_too_late: data race
// wrong again_too_late: data race
// wrong fetch_too_late: data race
// wrong told_too_late: data race
// wrong of_itself: data race
// wrong of_itself_fetched: data race
// right get
// right get_stored_only
// right get_array
// right get_elsewhere
// right get_by_pieces
// right get_locked
// right get_sharing
// right get_from_sharing
// right rget
// right rget_elsewhere
// right rget_tested
// right fetch
// right fetch_sharing
// right get_accumulate
// right rget_accumulate
// right add_nothing
// right swap
// right told
// right told_by_flag
// right in_turn
#include <mpi.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TIMES = 40, AT = 9, DATA = 2 };
static int rank;
static const MPI_Comm comm = MPI_COMM_WORLD;
static MPI_Win win;
static long *mine, one = 1, zero, from[TIMES], into[64];
static int pids[4];

static int is(const char *name, char **argv) { return !strcmp(name, argv[1]); }
static int begins(const char *name, char **argv) { return !strncmp(name, argv[1], strlen(name)); }

// Of this order MPI knows nothing.
static void wake(int other) { kill(pids[other], SIGUSR1); }
static void sleep_till_woken(void) {
    sigset_t set;
    int number;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigwait(&set, &number);
}

static void store(long value) { atomic_store((atomic_long *)mine, value); }

static void put(int times) {
    for (int n = 0; n < times; n++) {
        MPI_Put(&one, 1, MPI_LONG, DATA, AT, 1, MPI_LONG, win); // !get_too_late !rget_too_late !again_too_late !fetch_too_late !told_too_late
        MPI_Win_flush(DATA, win);
    }
}

// Until rank `other` says `value`.
static void poll(int other, long value, char **argv) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Datatype pieces;
    int lengths[] = {1, 1}, places[] = {0, 2}, done;
    long got = -1;
    MPI_Type_indexed(2, lengths, places, MPI_LONG, &pieces);
    MPI_Type_commit(&pieces);
    for (int n = 0; got != value; n++) {
        long *to = into + n % 32;
        if (begins("get_array", argv)) {
            MPI_Get(into, 8, MPI_LONG, other, 0, 8, MPI_LONG, win);
            to = into;
        } else if (begins("get_by_pieces", argv)) {
            MPI_Get(into, 1, pieces, other, 0, 1, pieces, win);
            to = into;
        } else if (begins("get_elsewhere", argv)) {
            MPI_Get(to, 1, MPI_LONG, other, 0, 1, MPI_LONG, win);
        } else if (begins("get_accumulate", argv)) {
            MPI_Get_accumulate(NULL, 0, MPI_LONG, to, 1, MPI_LONG, other, 0, 1, MPI_LONG, MPI_NO_OP, win);
        } else if (begins("rget_accumulate", argv)) {
            MPI_Rget_accumulate(NULL, 0, MPI_LONG, to, 1, MPI_LONG, other, 0, 1, MPI_LONG, MPI_NO_OP, win, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else if (begins("rget", argv)) {
            if (!is("rget_elsewhere", argv)) to = into;
            MPI_Rget(to, 1, MPI_LONG, other, 0, 1, MPI_LONG, win, &request);
            if (is("rget_tested", argv)) {
                for (done = 0; !done;) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
            }
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else if (begins("fetch", argv)) {
            to = into;
            MPI_Fetch_and_op(NULL, to, MPI_LONG, other, 0, MPI_NO_OP, win);
        } else if (begins("add_nothing", argv)) {
            MPI_Fetch_and_op(&zero, to, MPI_LONG, other, 0, MPI_SUM, win);
        } else if (begins("swap", argv)) {
            MPI_Compare_and_swap(&one, &one, to, MPI_LONG, other, 0, win);
        } else {
            to = into;
            MPI_Get(to, 1, MPI_LONG, other, 0, 1, MPI_LONG, win);
        }
        if (!begins("rget", argv)) MPI_Win_flush(other, win);
        got = *to;
    }
    MPI_Type_free(&pieces);
}

static void poll_locked(int other) {
    long got = 0;
    while (got == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, other, 0, win);
        MPI_Get(&got, 1, MPI_LONG, other, 0, 1, MPI_LONG, win);
        MPI_Win_unlock(other, win);
    }
}

// Rank 0 has said so before it has put: nothing but a signal says that that is done.
static void come_late(char **argv) {
    int last = is("told_too_late", argv) ? 3 : 1;
    if (rank == 0) {
        if (is("again_too_late", argv)) put(TIMES);
        store(1);
        sleep_till_woken();
        put(is("again_too_late", argv) ? 1 : TIMES);
        wake(last);
    }
    if (rank == 1) {
        poll(0, 1, argv);
        if (last == 3) MPI_Send(NULL, 0, MPI_INT, 3, 0, comm);
        else wake(0);
    }
    if (rank == 3 && last == 3) {
        MPI_Recv(NULL, 0, MPI_INT, 1, 0, comm, MPI_STATUS_IGNORE);
        wake(0);
    }
    if (rank == last) {
        sleep_till_woken();
        put(2);
    }
}

static void run(char **argv) {
    if (strstr(argv[1], "_too_late")) {
        come_late(argv);
    } else if (is("get_not_complete", argv)) {
        if (rank == 0) {
            put(3);
            MPI_Put(&one, 1, MPI_LONG, DATA, AT, 1, MPI_LONG, win); // !get_not_complete
            MPI_Win_sync(win);
            store(1);
            sleep_till_woken();
        }
        if (rank == 1) {
            poll(0, 1, argv);
            MPI_Put(&one, 1, MPI_LONG, DATA, AT, 1, MPI_LONG, win); // !get_not_complete
            MPI_Win_flush(DATA, win);
            wake(0);
        }
    } else if (begins("of_itself", argv)) {
        // What is fetched is put there by MPI: that is no store, and in no order with what fetches it.
        if (rank == 0) {
            MPI_Put(&one, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win); // !of_itself !of_itself_fetched
            MPI_Win_flush(0, win);
            wake(1);
        }
        if (rank == 1) {
            sleep_till_woken();
            for (int n = 0; n < 3; n++) {
                if (is("of_itself", argv)) MPI_Get(into, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win); // !of_itself
                else MPI_Fetch_and_op(NULL, into, MPI_LONG, 0, 0, MPI_NO_OP, win); // !of_itself_fetched
                MPI_Win_flush(0, win);
            }
        }
    } else if (is("in_turn", argv)) {
        for (long n = 1; n <= TIMES && rank < 2; n++) {
            if (rank == 1) poll(0, n, argv);
            put(1 + n % 4);
            from[n % TIMES] = n;
            MPI_Put(from + n % TIMES, 1, MPI_LONG, 3, AT, 1, MPI_LONG, win);
            MPI_Win_flush(3, win);
            MPI_Win_sync(win);
            store(n);
            if (rank == 0) poll(1, n, argv);
        }
    } else {
        int last = begins("told", argv) ? 3 : 1;
        if (rank == 0) {
            put(TIMES);
            // By the letter it takes this; the memory of all our machines does not.
            if (!is("get_stored_only", argv)) MPI_Win_sync(win);
            if (is("get_from_sharing", argv)) wake(3);
            else store(1);
        }
        if (rank == 3 && is("get_from_sharing", argv)) {
            // Another process stores the flag into rank 0's memory, and has seen there what that has done.
            MPI_Aint size;
            int unit;
            long *theirs;
            MPI_Win_shared_query(win, 0, &size, &unit, &theirs);
            sleep_till_woken();
            atomic_store((atomic_long *)theirs, 1);
        }
        if (rank == 1) {
            poll(0, 1, argv);
            if (is("told", argv)) MPI_Send(NULL, 0, MPI_INT, 3, 0, comm);
            if (is("told_by_flag", argv)) store(1);
        }
        if (rank == 3 && is("told", argv)) MPI_Recv(NULL, 0, MPI_INT, 1, 0, comm, MPI_STATUS_IGNORE);
        if (rank == 3 && is("told_by_flag", argv)) poll(1, 1, argv);
        if (rank == last) put(3);
    }
}

int main(int argc, char **argv) {
    sigset_t set;
    int pid = getpid();
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    MPI_Allgather(&pid, 1, MPI_INT, pids, 1, MPI_INT, comm);
    MPI_Win_allocate(64 * sizeof *mine, sizeof *mine, MPI_INFO_NULL, comm, &mine, &win);
    memset(mine, 0, 64 * sizeof *mine);
    if (strstr(argv[1], "_sharing") && !begins("get_from", argv) && rank == 2) {
        // Two others share memory, as it happens.
        MPI_Aint size;
        int unit;
        long *theirs;
        MPI_Win_shared_query(win, 3, &size, &unit, &theirs);
    }
    MPI_Barrier(comm);
    if (!is("get_locked", argv)) MPI_Win_lock_all(0, win);
    else if (rank == 0) MPI_Win_lock(MPI_LOCK_SHARED, DATA, 0, win);
    if (is("get_locked", argv) && rank == 0) {
        put(TIMES);
        MPI_Win_unlock(DATA, win);
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
        store(1);
        MPI_Win_unlock(0, win);
    } else if (is("get_locked", argv)) {
        if (rank == 1) {
            poll_locked(0);
            MPI_Win_lock(MPI_LOCK_SHARED, DATA, 0, win);
            put(3);
            MPI_Win_unlock(DATA, win);
        }
    } else {
        run(argv);
        MPI_Win_unlock_all(win);
    }
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
