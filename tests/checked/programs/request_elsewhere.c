// One-sided operations with requests that go elsewhere each time, each waited for before the next one: these have the requests of earlier ones.
//
// ranks: 2 3
// wrong put_not_flushed: data race
// wrong many_not_flushed: data race
// wrong added_not_flushed: data race
// wrong exchanged_over_put: data race
// wrong exchanged_over_own: data race
// wrong fetched_over_put: data race
// wrong fetched_over_own: data race
// wrong changed: data race
// wrong changed_late: data race
// wrong changed_in_row: data race
// wrong other_op: data race
// wrong looked_over_put: data race
// wrong looked_not_flushed: data race
// wrong put_from_result: buffer race
// wrong fetched_to_origin: buffer race
// wrong added_from_result: buffer race
// wrong exchanged_to_origin: buffer race
// wrong put_lost: request lost
// wrong fetched_lost: request lost
// wrong added_lost: request lost
// wrong exchanged_lost: request lost
// wrong lost_in_turn: request lost
// wrong turns_not_flushed: data race
// wrong turns_over_own: data race
// right put_flushed
// right many_flushed
// right added_flushed
// right exchanged
// right exchanged_after
// right fetched
// right fetched_after
// right same
// right same_in_row
// right same_op
// right looked_after
// right looked_flushed
// right buffers_free
// right one_buffer
// right in_turn
// right turns_flushed
// right flag
// right handles
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 8192, SOME = 40, MANY = 1500 };
static const MPI_Comm comm = MPI_COMM_WORLD;
static int rank;
static long from[SOME], result, one = 1;
static MPI_Win win;
static char **arguments;

static int is(const char *name) { return !strcmp(name, arguments[1]); }
static void end(MPI_Request *request) { MPI_Wait(request, MPI_STATUS_IGNORE); }
static void flush(void) { MPI_Win_flush(1, win); }

// Not by one step.
static int element(int n) { return n * 37 % COUNT; }

static void put(int n, const long *what) {
    MPI_Request request;
    MPI_Rput(what, 1, MPI_LONG, 1, element(n), 1, MPI_LONG, win, &request); // !put_not_flushed !many_not_flushed !changed !changed_late !fetched_over_own !exchanged_over_own !put_from_result !turns_not_flushed !turns_over_own
    end(&request);
}
static void put_in_row(int n, long value) {
    static long buffer;
    MPI_Request request;
    buffer = value;
    MPI_Rput(&buffer, 1, MPI_LONG, 1, n, 1, MPI_LONG, win, &request); // !changed_in_row
    end(&request);
}
static void fetch(int n, long *to) {
    MPI_Request request;
    MPI_Rget(to, 1, MPI_LONG, 1, element(n), 1, MPI_LONG, win, &request); // !fetched_over_put !fetched_over_own !fetched_to_origin !turns_over_own
    end(&request);
}
static void add(int n, const long *what, MPI_Op op) {
    MPI_Request request;
    MPI_Raccumulate(what, 1, MPI_LONG, 1, element(n), 1, MPI_LONG, op, win, &request); // !added_not_flushed !other_op !added_from_result
    end(&request);
}
static void exchange(int n, long *to) {
    MPI_Request request;
    MPI_Rget_accumulate(&one, 1, MPI_LONG, to, 1, MPI_LONG, 1, element(n), 1, MPI_LONG, MPI_SUM, win, &request); // !exchanged_over_put !exchanged_over_own !exchanged_to_origin
    end(&request);
}
static void look(int n, long *to) {
    MPI_Get_accumulate(&one, 1, MPI_LONG, to, 1, MPI_LONG, 1, element(n), 1, MPI_LONG, MPI_SUM, win); // !looked_over_put !looked_not_flushed
}

// By rank 1, to the place of the operation `n`; flushed or not.
static void put_own(int n, int flushed) {
    if (rank != 1) return;
    MPI_Put(from, 1, MPI_LONG, 1, element(n), 1, MPI_LONG, win); // !put_not_flushed !many_not_flushed !added_not_flushed !exchanged_over_put !fetched_over_put !looked_over_put !looked_not_flushed !turns_not_flushed
    if (flushed) flush();
}

enum way { PUT, FETCH, ADD, EXCHANGE, LOOK, TURNS };
static void all(enum way way, int count) {
    for (int n = 0; n < count && rank == 0; n++) switch (way) {
        case PUT: put(n, from + n % SOME); break;
        case FETCH: fetch(n, &result); break;
        case ADD: add(n, &one, MPI_SUM); break;
        case EXCHANGE: exchange(n, &result); break;
        case TURNS: put(n, from), fetch(2 * SOME + n, &result), exchange(4 * SOME + n, &result); break;
        case LOOK: look(n, &result); flush(); break;
        }
}

// Operations of rank 0, and then one of rank 1; flushed or not in between.
static void before(enum way way, int count, int flushed) {
    all(way, count);
    if (way == LOOK && rank == 0) look(count, &result);
    if (flushed) flush();
    MPI_Barrier(comm);
    put_own(way == LOOK ? count : count - 7, 1);
}

// The other way round.
static void after(enum way way, int flushed) {
    put_own(7, flushed);
    MPI_Barrier(comm);
    all(way, SOME);
}

// Whether there is such a one.
static int right(void) {
    MPI_Request request, copy, another;
    int flag = 0;
    if (is("same_in_row") || is("changed_in_row")) {
        // Another value each, and some of them once more; some other operation may come between.
        for (int times = 0; times < 3; times++) {
            for (int n = 0; n < SOME; n++) put_in_row(n, n + 1);
            if (times == 1) add(COUNT - 1, &one, MPI_SUM);
        }
        put_in_row(7, is("same_in_row") ? 8 : 80);
    } else if (is("same") || is("one_buffer")) {
        for (int n = 0; n < 3 * SOME; n++) put(n % SOME, is("same") ? from + n % SOME : from);
    } else if (is("same_op")) {
        for (int n = 0; n < 3 * SOME; n++) add(n % SOME, &one, MPI_SUM);
        for (int n = 0; n < SOME; n++) exchange(n, &result);
    } else if (is("buffers_free")) {
        // MPI_Wait gives all buffers back.
        for (int n = 0; n < SOME; n++) {
            long other = n;
            put(n, &other);
            fetch(SOME + n, &other);
            add(2 * SOME + n, &other, MPI_SUM);
            exchange(3 * SOME + n, &other);
            MPI_Get(&other, 1, MPI_LONG, 1, element(4 * SOME + n), 1, MPI_LONG, win);
            flush();
        }
    } else if (is("in_turn")) {
        // What is fetched is complete before what is put there by a call that has put elsewhere before.
        for (int n = 0; n < SOME; n++) {
            MPI_Put(from, 1, MPI_LONG, 1, n, 1, MPI_LONG, win);
            MPI_Rget(&result, 1, MPI_LONG, 1, n + 1, 1, MPI_LONG, win, &request);
            end(&request);
        }
        flush();
        for (int n = 0; n < SOME; n++) {
            MPI_Rget_accumulate(&one, 1, MPI_LONG, &result, 1, MPI_LONG, 1, n, 1, MPI_LONG, MPI_SUM, win, &request);
            end(&request);
            MPI_Rget(&result, 1, MPI_LONG, 1, SOME + n, 1, MPI_LONG, win, &request);
            end(&request);
            MPI_Put(from, 1, MPI_LONG, 1, SOME + n, 1, MPI_LONG, win);
        }
    } else if (is("handles")) {
        for (int n = 0; n < SOME; n++) {
            MPI_Rput(from, 1, MPI_LONG, 1, element(n), 1, MPI_LONG, win, &request);
            copy = request;
            if (n % 5 == 0) flush();
            if (n % 7 == 0) MPI_Iprobe(MPI_ANY_SOURCE, 9, comm, &flag, MPI_STATUS_IGNORE);
            if (n % 3 == 0) {
                MPI_Rget(&result, 1, MPI_LONG, 1, element(SOME + n), 1, MPI_LONG, win, &another);
                MPI_Status status = {.MPI_SOURCE = 77};
                MPI_Wait(&another, &status);
                if (another != MPI_REQUEST_NULL || status.MPI_SOURCE == 77) exit(4);
            }
            if (n % 11 == 0)
                for (flag = 0; !flag;) MPI_Test(&copy, &flag, MPI_STATUS_IGNORE);
            else
                end(&copy);
            if (copy != MPI_REQUEST_NULL) exit(5);
        }
    } else
        return 0;
    return 1;
}

static void wrong(void) {
    MPI_Request request;
    int late = is("changed_late");
    if (is("changed") || late) {
        // To the same places, where MPI_Win_flush would let it come behind.
        for (int n = 0; n < SOME; n++) put(n, from + n);
        if (late) for (int n = SOME; n < 400; n++) put(n, from);
        if (late) add(COUNT - 1, &one, MPI_SUM);
        from[7]++;
        for (int n = 0; n < SOME; n++) put(n, from + n);
    } else if (is("turns_over_own") || is("fetched_over_own") || is("exchanged_over_own")) {
        all(is("turns_over_own") ? TURNS : PUT, SOME);
        if (is("fetched_over_own") || is("turns_over_own")) fetch(7, &result);
        else {
            for (int n = SOME; n < 2 * SOME; n++) exchange(n, &result);
            exchange(7, &result);
        }
    } else if (is("put_from_result") || is("added_from_result")) {
        long other = 0;
        int puts = is("put_from_result");
        if (puts) all(PUT, SOME); else all(ADD, SOME);
        MPI_Get(&other, 1, MPI_LONG, 1, COUNT - 1, 1, MPI_LONG, win); // !put_from_result !added_from_result
        if (puts) put(SOME, &other); else add(SOME, &other, MPI_SUM);
    } else if (is("fetched_to_origin") || is("exchanged_to_origin")) {
        int fetches = is("fetched_to_origin");
        if (fetches) all(FETCH, SOME); else all(EXCHANGE, SOME);
        MPI_Put(from, 1, MPI_LONG, 1, COUNT - 1, 1, MPI_LONG, win); // !fetched_to_origin !exchanged_to_origin
        if (fetches) fetch(SOME, from); else exchange(SOME, from);
    } else {
        for (int n = 0; n < SOME; n++) {
            if (is("lost_in_turn")) {
                MPI_Rget(&result, 1, MPI_LONG, 1, element(SOME + n), 1, MPI_LONG, win, &request);
                end(&request);
                MPI_Rput(from, 1, MPI_LONG, 1, element(n), 1, MPI_LONG, win, &request); // !lost_in_turn
            } else if (is("put_lost"))
                MPI_Rput(from, 1, MPI_LONG, 1, element(n), 1, MPI_LONG, win, &request); // !put_lost
            else if (is("fetched_lost"))
                MPI_Rget(&result, 1, MPI_LONG, 1, element(n), 1, MPI_LONG, win, &request); // !fetched_lost
            else if (is("added_lost"))
                MPI_Raccumulate(&one, 1, MPI_LONG, 1, element(n), 1, MPI_LONG, MPI_SUM, win, &request); // !added_lost
            else
                MPI_Rget_accumulate(&one, 1, MPI_LONG, &result, 1, MPI_LONG, 1, element(n), 1, MPI_LONG, MPI_SUM, win, &request); // !exchanged_lost
            if (n < SOME - 1) end(&request);
        }
    }
}

// Rank 0 changes an element, and tells so by another one; rank 1 has fetched that, and changes it too.
static void flag(void) {
    long told = 0, zero = 0;
    if (rank == 0) {
        all(EXCHANGE, SOME);
        MPI_Accumulate(&one, 1, MPI_LONG, 1, COUNT - 1, 1, MPI_LONG, MPI_SUM, win);
        flush();
    } else if (rank == 1) {
        while (told == 0) {
            MPI_Fetch_and_op(&zero, &told, MPI_LONG, 1, COUNT - 1, MPI_NO_OP, win);
            flush();
        }
        put_own(7, 1);
    }
}

int main(int argc, char **argv) {
    long *mine;
    arguments = argv;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    MPI_Win_allocate(COUNT * sizeof(long), sizeof(long), MPI_INFO_NULL, comm, &mine, &win);
    memset(mine, 0, COUNT * sizeof(long));
    MPI_Barrier(comm);
    MPI_Win_lock_all(0, win);
    if (is("put_flushed") || is("put_not_flushed")) before(PUT, SOME, is("put_flushed"));
    else if (is("many_flushed") || is("many_not_flushed")) before(PUT, MANY, is("many_flushed"));
    else if (is("added_flushed") || is("added_not_flushed")) before(ADD, SOME, is("added_flushed"));
    else if (is("looked_flushed") || is("looked_not_flushed")) before(LOOK, SOME, is("looked_flushed"));
    else if (is("turns_flushed") || is("turns_not_flushed")) before(TURNS, SOME, is("turns_flushed"));
    else if (is("fetched")) before(FETCH, SOME, 0);
    else if (is("exchanged")) before(EXCHANGE, MANY, 0);
    else if (is("fetched_after") || is("fetched_over_put")) after(FETCH, is("fetched_after"));
    else if (is("exchanged_after") || is("exchanged_over_put")) after(EXCHANGE, is("exchanged_after"));
    else if (is("looked_after") || is("looked_over_put")) after(LOOK, is("looked_after"));
    else if (is("flag")) flag();
    else if (is("other_op")) {
        if (rank < 2) for (int n = 0; n < SOME; n++) add(n, &one, rank == 0 ? MPI_SUM : MPI_PROD);
    } else if (rank == 0) {
        if (!right()) wrong();
    }
    MPI_Barrier(comm);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
