// Puts, gets and operations on elements in turn, as with a ticket and what belongs to it: they are kept in mind beside each other, and each is
// compared as if it were alone.
//
// ranks: 3
// wrong own_update: data race
// wrong own_put: data race
// wrong own_get: data race
// wrong own_random: data race
// wrong own_site: data race
// wrong own_pending: data race
// wrong buffer_read: buffer race
// wrong buffer_put: buffer race
// wrong buffer_get: buffer race
// wrong buffer_result: buffer race
// wrong met_put: data race
// wrong met_get: data race
// wrong met_update: data race
// wrong met_random: data race
// wrong behind_flag: data race
// wrong other_target: data race
// wrong half: data race
// right tickets
// right tickets_flushed
// right tickets_random
// right tickets_local
// right locks
// right flags
// right counts
// right turns
// right results
// right targets
#include <mpi.h>
#include <string.h>

enum { ALL = 16384, SLOTS = 4096, TURNS = 300 };
static int rank;
static MPI_Win win;
static const MPI_Comm comm = MPI_COMM_WORLD;
static long from[ALL], into[ALL], one = 1, none = 0, result;
static char **arguments;

static int is(const char *name) { return !strcmp(name, arguments[1]); }
static int has(const char *part) { return !!strstr(arguments[1], part); }
static void tell(int to) { MPI_Send(NULL, 0, MPI_INT, to, 0, comm); }
static void hear(int other) { MPI_Recv(NULL, 0, MPI_INT, other, 0, comm, MPI_STATUS_IGNORE); }
static void flush(void) { MPI_Win_flush(2, win); }

// A number that nobody else has.
static long ticket(void) {
    long mine;
    MPI_Fetch_and_op(&one, &mine, MPI_LONG, 2, 0, MPI_SUM, win);
    if (has("flushed")) flush();
    else MPI_Win_flush_local(2, win);
    return mine;
}

// Each takes a number, and fills the slot of that.
static void tickets(void) {
    for (int n = 0; n < TURNS; n++) {
        int slot = ticket();
        if (has("random")) slot = (unsigned)slot * 1367 % SLOTS;
        MPI_Put(from + n, 1, MPI_LONG, 2, 1 + slot, 1, MPI_LONG, win);
        if (!has("local")) flush();
        else MPI_Win_flush_local(2, win);
    }
}

// A lock of one word, and what it protects.
static void locks(void) {
    for (int n = 0; n < 50; n++) {
        long was;
        do {
            MPI_Compare_and_swap(&one, &none, &was, MPI_LONG, 2, 0, win);
            flush();
        } while (was != 0);
        MPI_Get(into, 2, MPI_LONG, 2, 10, 2, MPI_LONG, win);
        flush();
        into[0]++;
        MPI_Put(into, 1, MPI_LONG, 2, 10, 1, MPI_LONG, win);
        MPI_Put(into, 1, MPI_LONG, 2, 11, 1, MPI_LONG, win);
        flush();
        MPI_Fetch_and_op(&none, &was, MPI_LONG, 2, 0, MPI_REPLACE, win);
        flush();
    }
}

// Rank 0 fills a row and raises a flag, rank 1 waits for that and fills it too.
static void flags(void) {
    for (int n = 1; n <= 50; n++) {
        long seen = 0;
        if (rank == n % 2) {
            for (int k = 0; k < 4; k++) MPI_Put(from, 1, MPI_LONG, 2, 100 + k, 1, MPI_LONG, win); // !behind_flag
            if (!is("behind_flag")) flush();
            from[1] = n;
            MPI_Accumulate(from + 1, 1, MPI_LONG, 2, 1, 1, MPI_LONG, MPI_REPLACE, win);
            flush();
        } else if (rank < 2) {
            while (seen < n) {
                MPI_Fetch_and_op(NULL, &seen, MPI_LONG, 2, 1, MPI_NO_OP, win);
                flush();
            }
        }
    }
}

// A put, or get, and an update beside it: those of one rank alone, or the same of two ranks.
static void pairs(int first) {
    for (int n = 0; n < TURNS; n++) {
        int at = first + n;
        if (has("random")) at = first + (unsigned)n * (n + 1) / 2 * 1367 % 1000;
        if (has("get")) MPI_Get(into, 1, MPI_LONG, 2, at, 1, MPI_LONG, win); // !met_get
        else MPI_Put(from, 1, MPI_LONG, 2, at, 1, MPI_LONG, win); // !met_put !met_random !half
        MPI_Accumulate(from, 1, MPI_LONG, 2, 8000 + n % 10, 1, MPI_LONG, MPI_SUM, win); // !met_update
        if (is("half") && n > TURNS - 5) MPI_Win_flush_local(2, win);
        else if (!has("random") || n % 20 == 19) flush();
    }
}

static void met(void) {
    if (rank == 0) {
        pairs(100);
        if (has("half") || is("turns")) tell(1);
    }
    if (rank == 1) {
        if (has("half") || is("turns")) hear(0);
        if (is("met_update")) MPI_Put(from, 1, MPI_LONG, 2, 8003, 1, MPI_LONG, win); // !met_update
        else if (is("half")) MPI_Put(from, 1, MPI_LONG, 2, 100 + TURNS - 2, 1, MPI_LONG, win); // !half
        else if (is("met_get")) MPI_Put(from, 1, MPI_LONG, 2, 150, 1, MPI_LONG, win); // !met_get
        else if (is("counts")) pairs(4000);
        else pairs(100);
    }
}

// All puts of one call, before one of which something is updated there, or elsewhere and told: it is not complete by a flush of another target.
static void site(void) {
    for (int n = 0; n < 20; n++) {
        if (n == 10) MPI_Accumulate(from, 1, MPI_LONG, 2, is("own_site") ? 100 + n : 300, 1, MPI_LONG, MPI_SUM, win); // !own_site !own_pending
        if (n == 10 && is("own_pending")) MPI_Accumulate(from, 1, MPI_LONG, 1, 100 + n, 1, MPI_LONG, MPI_SUM, win);
        int target = is("own_pending") ? 1 : 2;
        MPI_Put(from, 1, MPI_LONG, target, 100 + n + (is("own_pending") && n == 10), 1, MPI_LONG, win); // !own_site
        MPI_Win_flush(target, win);
    }
    if (is("own_pending")) MPI_Put(from, 1, MPI_LONG, 2, 300, 1, MPI_LONG, win); // !own_pending
}

static void own(void) {
    if (is("own_site") || is("own_pending")) return site();
    for (int n = 0; n < 20; n++) {
        int at = has("random") ? (unsigned)n * (n + 1) / 2 * 1367 % 1000 : n;
        if (is("own_get")) MPI_Get(into, 1, MPI_LONG, 2, 100 + at, 1, MPI_LONG, win); // !own_get
        else MPI_Put(from, 1, MPI_LONG, 2, 100 + at, 1, MPI_LONG, win); // !own_update !own_random
        MPI_Accumulate(from, 1, MPI_LONG, 2, 5000, 1, MPI_LONG, MPI_SUM, win); // !own_put
        if (n < 19 && !is("own_random")) flush();
    }
    if (is("own_update")) MPI_Accumulate(from, 1, MPI_LONG, 2, 119, 1, MPI_LONG, MPI_SUM, win);                            // !own_update
    if (is("own_get")) MPI_Accumulate(from, 1, MPI_LONG, 2, 119, 1, MPI_LONG, MPI_SUM, win);                               // !own_get
    if (is("own_random")) MPI_Accumulate(from, 1, MPI_LONG, 2, 100 + 6 * 1367 % 1000, 1, MPI_LONG, MPI_SUM, win); // !own_random
    if (is("own_put")) MPI_Put(from, 1, MPI_LONG, 2, 5000, 1, MPI_LONG, win);                                              // !own_put
}

static void buffer(void) {
    for (int n = 0; n < 20; n++) {
        MPI_Put(from, 1, MPI_LONG, 2, 100 + n, 1, MPI_LONG, win);                     // !buffer_put
        MPI_Fetch_and_op(&one, &result, MPI_LONG, 2, 5000, MPI_SUM, win);             // !buffer_read !buffer_result
        if (n == 19) break;
        flush();
    }
    if (is("buffer_read")) MPI_Put(&result, 1, MPI_LONG, 2, 200, 1, MPI_LONG, win);                     // !buffer_read
    if (is("buffer_result")) MPI_Get(&result, 1, MPI_LONG, 2, 200, 1, MPI_LONG, win);                   // !buffer_result
    if (is("buffer_put")) MPI_Fetch_and_op(&one, from, MPI_LONG, 2, 5001, MPI_SUM, win);                // !buffer_put
    if (is("buffer_get")) {
        MPI_Get(into, 1, MPI_LONG, 2, 300, 1, MPI_LONG, win);                           // !buffer_get
        MPI_Accumulate(into, 1, MPI_LONG, 2, 5002, 1, MPI_LONG, MPI_SUM, win);          // !buffer_get
    }
}

// What one rank's memory has is complete, what another one's has is not.
static void targets(void) {
    if (rank == 0) {
        for (int n = 0; n < 20; n++) {
            MPI_Put(from, 1, MPI_LONG, 1, n, 1, MPI_LONG, win);
            MPI_Accumulate(from, 1, MPI_LONG, 2, n, 1, MPI_LONG, MPI_SUM, win); // !other_target
            if (is("other_target")) MPI_Win_flush(1, win);
            else MPI_Win_flush_all(win);
        }
        tell(1);
    }
    if (rank == 1) {
        hear(0);
        MPI_Put(from, 1, MPI_LONG, 2, 19, 1, MPI_LONG, win); // !other_target
        MPI_Put(from, 1, MPI_LONG, 1, 19, 1, MPI_LONG, win);
    }
}

static void results(void) {
    for (int n = 0; n < TURNS; n++) {
        MPI_Fetch_and_op(&one, &result, MPI_LONG, 2, 5000, MPI_SUM, win);
        MPI_Win_flush_local(2, win);
        MPI_Put(&result, 1, MPI_LONG, 2, 100 + n, 1, MPI_LONG, win);
        MPI_Get(into, 1, MPI_LONG, 2, 1000 + n, 1, MPI_LONG, win);
        MPI_Win_flush_local(2, win);
        MPI_Accumulate(into, 1, MPI_LONG, 2, 5001, 1, MPI_LONG, MPI_SUM, win);
        MPI_Win_flush_local(2, win);
        if (n % 50 == 49) flush();
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
    if (has("tickets")) {
        if (rank < 2) tickets();
    } else if (is("locks")) {
        locks();
    } else if (has("flag")) {
        flags();
    } else if (has("met") || is("half") || is("turns") || is("counts")) {
        met();
    } else if (has("own")) {
        if (rank == 0) own();
    } else if (has("buffer")) {
        if (rank == 0) buffer();
    } else if (is("results")) {
        if (rank == 0) results();
    } else {
        targets();
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
