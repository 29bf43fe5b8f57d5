// Loads and stores of the program's own, against what another rank does to the same memory by one-sided operations.
//
// sanitized
// ranks: 2 3
// wrong store_put: data race
// wrong load_put: data race
// wrong store_get: data race
// wrong load_accumulate: data race
// wrong store_accumulate: data race
// wrong put_before_load: data race
// wrong get_before_store: data race
// wrong put_not_flushed: data race
// wrong put_in_a_lock: data race
// wrong put_before_post: data race
// wrong load_before_wait: data race
// wrong put_to_itself: data race
// wrong column: data race
// wrong created: data race
// right fences
// right locks
// right messages
// right posts
// right atomics
// right polling
// right columns
// right put_by_turns
// right kept_by_ranks
// right two_windows
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 64 };
static const MPI_Comm comm = MPI_COMM_WORLD;
static const char *variant;
static int is(const char *name) { return !strcmp(name, variant); }
static volatile long sum;

static void message(int from, int to, int rank) {
    if (rank == from) MPI_Send(NULL, 0, MPI_BYTE, to, 1, comm);
    if (rank == to) MPI_Recv(NULL, 0, MPI_BYTE, from, 1, comm, MPI_STATUS_IGNORE);
}

// Rank 1 accesses memory of rank 0, and nothing orders that with what rank 0 does to it. Both know each other's state at the first
// barrier, and at the second one.
static void wrong(int rank, long *mine, MPI_Win win) {
    long buffer[N] = {0};
    MPI_Win_lock_all(0, win);
    MPI_Barrier(comm);
    if (rank == 0) {
        if (is("store_put")) mine[3] = 1; // !store_put
        if (is("load_put")) sum += mine[4]; // !load_put
        if (is("store_get")) mine[5] = 1; // !store_get
        if (is("load_accumulate")) sum += mine[6]; // !load_accumulate
        if (is("store_accumulate")) mine[7] = 2; // !store_accumulate
        if (is("column")) mine[8 * 3 + 2] = 2; // !column
        if (is("created")) mine[9] = 1; // !created
        message(1, 0, rank);
        if (is("put_not_flushed")) sum += mine[10]; // !put_not_flushed
        if (is("put_before_load")) sum += mine[11]; // !put_before_load
        if (is("get_before_store")) mine[12] = 1; // !get_before_store
    }
    if (rank == 1) {
        if (is("store_put")) MPI_Put(buffer, 8, MPI_LONG, 0, 0, 8, MPI_LONG, win); // !store_put
        if (is("load_put")) MPI_Put(buffer, 8, MPI_LONG, 0, 0, 8, MPI_LONG, win); // !load_put
        if (is("store_get")) MPI_Get(buffer, 8, MPI_LONG, 0, 0, 8, MPI_LONG, win); // !store_get
        if (is("load_accumulate")) MPI_Accumulate(buffer, 8, MPI_LONG, 0, 0, 8, MPI_LONG, MPI_SUM, win); // !load_accumulate
        if (is("store_accumulate")) MPI_Fetch_and_op(buffer + 1, buffer, MPI_LONG, 0, 7, MPI_SUM, win); // !store_accumulate
        if (is("created")) MPI_Put(buffer, 16, MPI_LONG, 0, 0, 16, MPI_LONG, win); // !created
        if (is("column")) {
            MPI_Datatype column;
            MPI_Type_vector(8, 1, 8, MPI_LONG, &column);
            MPI_Type_commit(&column);
            MPI_Put(buffer, 8, MPI_LONG, 0, 2, 1, column, win); // !column
            MPI_Type_free(&column);
        }
        if (is("put_not_flushed")) MPI_Put(buffer, 16, MPI_LONG, 0, 0, 16, MPI_LONG, win); // !put_not_flushed
        message(1, 0, rank);
        if (is("put_before_load")) MPI_Put(buffer, 1, MPI_LONG, 0, 11, 1, MPI_LONG, win); // !put_before_load
        if (is("get_before_store")) MPI_Get(buffer, 16, MPI_LONG, 0, 0, 16, MPI_LONG, win); // !get_before_store
    }
    MPI_Win_unlock_all(win);
    MPI_Barrier(comm);
}

static void in_a_lock(int rank, long *mine, MPI_Win win) {
    long one = 1;
    if (rank == 0) mine[3] = 1; // !put_in_a_lock
    // Rank 1 has it first.
    if (rank == 0) usleep(300000);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    if (rank == 1) MPI_Put(&one, 1, MPI_LONG, 0, 3, 1, MPI_LONG, win); // !put_in_a_lock
    MPI_Win_unlock(0, win);
    if (rank == 0) mine[3] = 2;
    MPI_Barrier(comm);
}

static void exposed(int rank, long *mine, MPI_Win win) {
    long some[8] = {0};
    int other = 1 - rank;
    MPI_Group all, one;
    if (rank > 1) return;
    MPI_Comm_group(comm, &all);
    MPI_Group_incl(all, 1, &other, &one);
    for (int n = 0; n < 5; n++) {
        if (rank == 0) {
            mine[2] = n;
            MPI_Win_post(one, 0, win);
            // Rank 1 is there by now.
            if (!is("posts")) usleep(100000);
            if (is("put_before_post")) mine[2] = n; // !put_before_post
            if (is("load_before_wait")) sum += mine[3]; // !load_before_wait
            MPI_Win_wait(win);
            sum += mine[2];
        } else {
            MPI_Win_start(one, 0, win);
            MPI_Put(some, 8, MPI_LONG, 0, 0, 8, MPI_LONG, win); // !put_before_post !load_before_wait
            MPI_Win_complete(win);
        }
    }
    MPI_Group_free(&all);
    MPI_Group_free(&one);
}

static void to_itself(int rank, long *mine, MPI_Win win) {
    long some[8] = {0};
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    mine[1] = 1;
    MPI_Put(some, 8, MPI_LONG, rank, 0, 8, MPI_LONG, win); // !put_to_itself
    sum += mine[1]; // !put_to_itself
    MPI_Win_unlock(rank, win);
    sum += mine[1];
}

static void fences(int rank, int size, long *mine, MPI_Win win) {
    long some[8] = {0};
    MPI_Win_fence(0, win);
    for (int n = 0; n < 50; n++) {
        for (int k = 0; k < 8; k++) mine[k] += n;
        MPI_Win_fence(0, win);
        if (n % 3 == 0) MPI_Put(some, 8, MPI_LONG, (rank + 1) % size, 0, 8, MPI_LONG, win);
        if (n % 3 == 1) MPI_Get(some, 8, MPI_LONG, (rank + 1) % size, 0, 8, MPI_LONG, win);
        if (n % 3 == 2) MPI_Accumulate(some, 8, MPI_LONG, (rank + 1) % size, 0, 8, MPI_LONG, MPI_SUM, win);
        MPI_Win_fence(0, win);
        some[n % 8] = n;
    }
}

static void locks(int rank, long *mine, MPI_Win win) {
    long some[8] = {0};
    MPI_Barrier(comm);
    for (int n = 0; n < 50; n++) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        if (rank == 0) {
            for (int k = 0; k < 8; k++) mine[k] += n;
        } else {
            MPI_Get(some, 8, MPI_LONG, 0, 0, 8, MPI_LONG, win);
            MPI_Win_flush(0, win);
            some[3]++;
            MPI_Put(some, 8, MPI_LONG, 0, 0, 8, MPI_LONG, win);
        }
        MPI_Win_unlock(0, win);
    }
    MPI_Barrier(comm);
}

static void messages(int rank, long *mine, MPI_Win win) {
    long some[16] = {0};
    MPI_Win_lock_all(0, win);
    for (int n = 0; n < 50 && rank < 2; n++) {
        if (rank == 0) {
            for (int k = 0; k < 16; k++) mine[k] += n;
            message(0, 1, rank);
            message(1, 0, rank);
        } else {
            message(0, 1, rank);
            MPI_Put(some, 16, MPI_LONG, 0, 0, 16, MPI_LONG, win);
            MPI_Win_flush(0, win);
            some[n % 16] = n;
            MPI_Get(some, 16, MPI_LONG, 0, 0, 16, MPI_LONG, win);
            MPI_Win_flush(0, win);
            message(1, 0, rank);
        }
    }
    MPI_Win_unlock_all(win);
}

// Flags by atomic operations on both sides, also of a process on itself.
static void atomics(int rank, long *mine, MPI_Win win) {
    long one = 1, got, some[16] = {0};
    MPI_Win_lock_all(0, win);
    for (int n = 1; n <= 20 && rank < 2; n++) {
        if (rank == 1) {
            MPI_Put(some, 16, MPI_LONG, 0, 16, 16, MPI_LONG, win);
            MPI_Win_flush(0, win);
            MPI_Accumulate(&one, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_SUM, win);
            MPI_Win_flush(0, win);
        }
        int flag = rank == 0 ? 0 : 1;
        do {
            MPI_Fetch_and_op(NULL, &got, MPI_LONG, 0, flag, MPI_NO_OP, win);
            MPI_Win_flush(0, win);
        } while (got < n);
        if (rank == 0) {
            for (int k = 16; k < 32; k++) sum += mine[k]++;
            MPI_Accumulate(&one, 1, MPI_LONG, 0, 1, 1, MPI_LONG, MPI_SUM, win);
            MPI_Win_flush(0, win);
        }
    }
    MPI_Win_unlock_all(win);
}

// The target polls by atomic loads, and answers by an atomic store.
static void polling(int rank, long *mine, MPI_Win win) {
    long got, some[16] = {0};
    MPI_Win_lock_all(0, win);
    for (long n = 1; n <= 20 && rank < 2; n++) {
        if (rank == 1) {
            MPI_Put(some, 16, MPI_LONG, 0, 16, 16, MPI_LONG, win);
            MPI_Win_flush(0, win);
            MPI_Put(&n, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
            MPI_Win_flush(0, win);
            do {
                MPI_Fetch_and_op(NULL, &got, MPI_LONG, 0, 1, MPI_NO_OP, win);
                MPI_Win_flush(0, win);
            } while (got < n);
        } else {
            while (__atomic_load_n(mine, __ATOMIC_ACQUIRE) < n) MPI_Win_sync(win);
            MPI_Win_sync(win);
            for (int k = 16; k < 32; k++) sum += mine[k]++;
            MPI_Win_sync(win);
            __atomic_store_n(mine + 1, n, __ATOMIC_RELEASE);
        }
    }
    MPI_Win_unlock_all(win);
}

// Other bytes than those in the gaps of a datatype.
static void columns(int rank, long *mine, MPI_Win win) {
    long some[8] = {0};
    MPI_Datatype column;
    MPI_Type_vector(8, 1, 8, MPI_LONG, &column);
    MPI_Type_commit(&column);
    MPI_Win_fence(0, win);
    if (rank == 1) MPI_Put(some, 8, MPI_LONG, 0, 2, 1, column, win);
    else for (int k = 0; k < N; k++) if (k % 8 != 2) mine[k]++;
    MPI_Win_fence(0, win);
    MPI_Type_free(&column);
}

// Each rank writes to rank 0 in its turn, and the last one tells it.
static void by_turns(int rank, int size, long *mine, MPI_Win win) {
    long some[16] = {0};
    MPI_Win_lock_all(0, win);
    for (int n = 0; n < 20; n++) {
        if (rank == 0) mine[n % 16] = n;
        for (int turn = 0; turn < size; turn++) {
            if (rank == turn && rank > 0) {
                MPI_Put(some, 16, MPI_LONG, 0, 0, 16, MPI_LONG, win);
                MPI_Win_flush(0, win);
            }
            message(turn, (turn + 1) % size, rank);
        }
        if (rank == 0) sum += mine[3];
    }
    MPI_Win_unlock_all(win);
}

// Rank 0 has ranges that others own, and one that it has itself.
static void kept(int rank, int size, long *mine, MPI_Win win) {
    MPI_Win_lock_all(0, win);
    for (long n = 0; n < 100; n++) {
        if (rank == 0) mine[0] += n;
        else MPI_Put(&n, 1, MPI_LONG, 0, rank, 1, MPI_LONG, win);
        MPI_Win_flush_all(win);
    }
    MPI_Win_unlock_all(win);
    MPI_Barrier(comm);
    if (rank == 0) for (int k = 0; k < size; k++) sum += mine[k];
}

static void two(int rank, int size, long *mine, MPI_Win win) {
    long *others;
    MPI_Win second;
    for (int n = 0; n < 5; n++) {
        MPI_Win_allocate(N * sizeof(long), sizeof(long), MPI_INFO_NULL, comm, &others, &second);
        fences(rank, size, others, second);
        fences(rank, size, mine, win);
        MPI_Win_free(&second);
    }
}

int main(int argc, char **argv) {
    int rank, size;
    long *mine;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    variant = argv[1];
    if (is("created")) {
        mine = malloc(N * sizeof(long));
        MPI_Win_create(mine, N * sizeof(long), sizeof(long), MPI_INFO_NULL, comm, &win);
    } else {
        MPI_Win_allocate(N * sizeof(long), sizeof(long), MPI_INFO_NULL, comm, &mine, &win);
    }
    memset(mine, 0, N * sizeof(long));
    MPI_Barrier(comm);
    if (is("fences")) fences(rank, size, mine, win);
    else if (is("locks")) locks(rank, mine, win);
    else if (is("messages")) messages(rank, mine, win);
    else if (is("posts") || is("put_before_post") || is("load_before_wait")) exposed(rank, mine, win);
    else if (is("atomics")) atomics(rank, mine, win);
    else if (is("polling")) polling(rank, mine, win);
    else if (is("columns")) columns(rank, mine, win);
    else if (is("put_by_turns")) by_turns(rank, size, mine, win);
    else if (is("kept_by_ranks")) kept(rank, size, mine, win);
    else if (is("two_windows")) two(rank, size, mine, win);
    else if (is("put_in_a_lock")) in_a_lock(rank, mine, win);
    else if (is("put_to_itself")) to_itself(rank, mine, win);
    else wrong(rank, mine, win);
    MPI_Win_free(&win);
    if (is("created")) free(mine);
    MPI_Finalize();
    return 0;
}
