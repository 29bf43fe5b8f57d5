// Conflicting accesses of a window that nothing orders, and what orders them.
//
// ranks: 3
// wrong put_put: data race
// wrong put_get: data race
// wrong missing_flush: data race
// wrong flush_local: data race
// wrong shared_locks: data race
// wrong strided: data race
// wrong same_rank: data race
// wrong same_rank_changed: data race
// wrong post_too_early: data race
// wrong other_window_fence: data race
// wrong late_message: data race
// wrong large: data race
// wrong dynamic: data race
// right put_barrier_put
// right message_orders
// right message_by_another
// right exclusive_locks
// right lock_all_then_lock
// right flag_by_fetch
// right flag_in_own_memory
// right strided_apart
// right neighbours
// right fences
// right post_start
// right gets
// right got_then_put
// right same_put_again
// right collectives_order
// right request_orders
// right dynamic_barrier
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank;
static long *mine;
static MPI_Win win;
static const MPI_Comm comm = MPI_COMM_WORLD;

static int is(const char *name, char **argv) { return !strcmp(name, argv[1]); }
static void put(long value, int target, int at) { MPI_Put(&value, 1, MPI_LONG, target, at, 1, MPI_LONG, win); }
static long got;
static void get(int target, int at) { MPI_Get(&got, 1, MPI_LONG, target, at, 1, MPI_LONG, win); }
static void done(int target) { MPI_Win_flush(target, win); }
static void barrier(void) { MPI_Barrier(comm); }

static void fetched(int target, int at, long wanted) {
    long unused = 0, seen = 0;
    while (seen != wanted) {
        MPI_Fetch_and_op(&unused, &seen, MPI_LONG, target, at, MPI_NO_OP, win);
        MPI_Win_flush(target, win);
    }
}

static void in_lock_all(char **argv) {
    long five = 5, six[2] = {6, 6};
    MPI_Win_lock_all(0, win);
    if (is("put_put", argv)) {
        if (rank != 2) MPI_Put(&five, 1, MPI_LONG, 2, 3, 1, MPI_LONG, win); // !put_put
    } else if (is("put_get", argv)) {
        if (rank == 0) MPI_Put(six, 2, MPI_LONG, 2, 3, 2, MPI_LONG, win); // !put_get
        if (rank == 1) MPI_Get(&got, 1, MPI_LONG, 2, 4, 1, MPI_LONG, win); // !put_get
    } else if (is("missing_flush", argv)) {
        if (rank == 0) MPI_Put(&five, 1, MPI_LONG, 2, 3, 1, MPI_LONG, win); // !missing_flush
        barrier();
        if (rank == 1) MPI_Get(&got, 1, MPI_LONG, 2, 3, 1, MPI_LONG, win); // !missing_flush
    } else if (is("flush_local", argv)) {
        if (rank == 0) {
            MPI_Put(&five, 1, MPI_LONG, 2, 3, 1, MPI_LONG, win); // !flush_local
            MPI_Win_flush_local(2, win);
            MPI_Send(NULL, 0, MPI_INT, 1, 0, comm);
        }
        if (rank == 1) {
            MPI_Recv(NULL, 0, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
            MPI_Put(&five, 1, MPI_LONG, 2, 3, 1, MPI_LONG, win); // !flush_local
        }
    } else if (is("same_rank", argv)) {
        if (rank == 0) {
            MPI_Put(six, 2, MPI_LONG, 2, 3, 2, MPI_LONG, win); // !same_rank
            MPI_Get(&got, 1, MPI_LONG, 2, 4, 1, MPI_LONG, win); // !same_rank
        }
    } else if (is("same_rank_changed", argv)) {
        for (int n = 0; n < 2 && rank == 0; n++) {
            MPI_Put(&five, 1, MPI_LONG, 2, 3, 1, MPI_LONG, win); // !same_rank_changed
            MPI_Win_flush_local(2, win);
            five = 6;
        }
    } else if (is("same_put_again", argv)) {
        for (int n = 0; n < 20 && rank == 0; n++) MPI_Put(&five, 1, MPI_LONG, 2, 3, 1, MPI_LONG, win);
    } else if (is("strided", argv) || is("strided_apart", argv)) {
        MPI_Datatype column;
        MPI_Type_vector(10, 1, 8, MPI_LONG, &column);
        MPI_Type_commit(&column);
        long values[10] = {0};
        int apart = is("strided_apart", argv);
        if (rank == 0) MPI_Put(values, 10, MPI_LONG, 2, 0, 1, column, win); // !strided
        if (rank == 1) MPI_Put(values, 10, MPI_LONG, 2, apart ? 1 : 8, 1, column, win); // !strided
        MPI_Type_free(&column);
    } else if (is("late_message", argv)) {
        // The message goes before the put that it is to order.
        if (rank == 0) {
            MPI_Send(NULL, 0, MPI_INT, 1, 0, comm);
            MPI_Put(&five, 1, MPI_LONG, 2, 3, 1, MPI_LONG, win); // !late_message
            done(2);
        }
        if (rank == 1) {
            MPI_Recv(NULL, 0, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
            MPI_Put(&five, 1, MPI_LONG, 2, 3, 1, MPI_LONG, win); // !late_message
            done(2);
        }
    } else if (is("large", argv)) {
        long *many = calloc(50000, sizeof(long));
        if (rank == 0) MPI_Put(many, 50000, MPI_LONG, 2, 0, 50000, MPI_LONG, win); // !large
        if (rank == 1) MPI_Get(many + 60, 50, MPI_LONG, 2, 60000, 50, MPI_LONG, win);
        if (rank == 1) MPI_Get(many, 50, MPI_LONG, 2, 49900, 50, MPI_LONG, win); // !large
        done(2);
        free(many);
    } else if (is("put_barrier_put", argv)) {
        for (int n = 0; n < 30; n++) {
            if (rank == n % 3) {
                put(n, 2, 3);
                done(2);
            }
            barrier();
        }
    } else if (is("message_orders", argv)) {
        for (int n = 0; n < 300; n++) {
            if (n > 0 || rank > 0) MPI_Recv(NULL, 0, MPI_INT, (rank + 2) % 3, 0, comm, MPI_STATUS_IGNORE);
            put(n, 1, 3);
            done(1);
            if (n < 299 || rank < 2) MPI_Send(NULL, 0, MPI_INT, (rank + 1) % 3, 0, comm);
        }
    } else if (is("message_by_another", argv)) {
        char large[100000] = {0};
        for (int n = 0; n < 50; n++) {
            if (rank == 0) {
                put(n, 2, 3);
                done(2);
                MPI_Ssend(large, sizeof large, MPI_CHAR, 1, 0, comm);
                MPI_Recv(NULL, 0, MPI_INT, 2, 1, comm, MPI_STATUS_IGNORE);
            } else if (rank == 1) {
                MPI_Recv(large, sizeof large, MPI_CHAR, 0, 0, comm, MPI_STATUS_IGNORE);
                MPI_Send(large, sizeof large, MPI_CHAR, 2, 0, comm);
            } else {
                MPI_Recv(large, sizeof large, MPI_CHAR, 1, 0, comm, MPI_STATUS_IGNORE);
                get(2, 3);
                done(2);
                if (got != n) MPI_Abort(comm, 1);
                MPI_Send(NULL, 0, MPI_INT, 0, 1, comm);
            }
        }
    } else if (is("flag_by_fetch", argv)) {
        for (long n = 1; n < 100; n++) {
            if (rank == 0) {
                put(n, 2, 3);
                done(2);
                MPI_Accumulate(&n, 1, MPI_LONG, 2, 0, 1, MPI_LONG, MPI_REPLACE, win);
                done(2);
                fetched(2, 1, n);
            }
            if (rank == 1) {
                fetched(2, 0, n);
                put(-n, 2, 3);
                done(2);
                long old, before = n - 1;
                MPI_Compare_and_swap(&n, &before, &old, MPI_LONG, 2, 1, win);
                done(2);
            }
        }
    } else if (is("flag_in_own_memory", argv)) {
        // Rank 1 sees by a load what was put into its memory.
        if (rank == 0) {
            put(7, 2, 3);
            done(2);
            put(1, 1, 0);
            done(1);
        }
        if (rank == 1) {
            while (*(volatile long *)mine == 0) MPI_Win_sync(win);
            get(2, 3);
            done(2);
            if (got != 7) MPI_Abort(comm, 1);
        }
    } else if (is("neighbours", argv)) {
        for (int n = 0; n < 2000; n++) put(n, 2, 10 + 2000 * rank + n);
        done(2);
    } else if (is("gets", argv)) {
        for (int n = 0; n < 100; n++) {
            get(n % 3, 3);
            MPI_Win_flush_local(n % 3, win);
        }
    } else if (is("got_then_put", argv)) {
        // What was fetched is there: the get is over, also at its target.
        if (rank == 0) {
            get(2, 3);
            MPI_Win_flush_local(2, win);
            put(got + 1, 2, 3);
        }
        barrier();
        if (rank == 1) {
            get(2, 4);
            MPI_Win_flush_local_all(win);
        }
        barrier();
        if (rank == 2) put(1, 2, 4);
    } else if (is("collectives_order", argv)) {
        // Each of them orders root and others, one way or both.
        long sum, all[3];
        for (int n = 0; n < 60; n++) {
            int root = n % 3, next = (n + 1) % 3;
            if (rank == root) {
                put(n, 1, 3);
                done(1);
            }
            switch (n % 4) {
            case 0: MPI_Allreduce(&five, &sum, 1, MPI_LONG, MPI_SUM, comm); break;
            case 1: MPI_Bcast(&sum, 1, MPI_LONG, root, comm); break;
            case 2: MPI_Gather(&five, 1, MPI_LONG, all, 1, MPI_LONG, next, comm); break;
            case 3: MPI_Reduce(&five, &sum, 1, MPI_LONG, MPI_MAX, next, comm); break;
            }
        }
    } else if (is("request_orders", argv)) {
        MPI_Request request;
        for (int n = 0; n < 50; n++) {
            if (rank == 0) {
                MPI_Rget(&got, 1, MPI_LONG, 2, 3, 1, MPI_LONG, win, &request);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
            }
            MPI_Ibarrier(comm, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            if (rank == 1) {
                put(n, 2, 3);
                done(2);
            }
            barrier();
        }
    }
    MPI_Win_unlock_all(win);
}

static void locks(char **argv) {
    int kind = is("shared_locks", argv) ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE;
    long five = 5;
    if (rank == 2 && is("lock_all_then_lock", argv)) {
        MPI_Win_lock_all(0, win);
        put(1, 2, 3);
        MPI_Win_unlock_all(win);
        MPI_Send(NULL, 0, MPI_INT, 1, 0, comm);
    }
    for (int n = 0; n < 100 && rank != 2; n++) {
        if (rank == 1 && n == 0 && is("lock_all_then_lock", argv))
            MPI_Recv(NULL, 0, MPI_INT, 2, 0, comm, MPI_STATUS_IGNORE);
        if (rank == 0 && is("lock_all_then_lock", argv)) break;
        MPI_Win_lock(kind, 2, 0, win);
        MPI_Put(&five, 1, MPI_LONG, 2, 3, 1, MPI_LONG, win); // !shared_locks
        MPI_Win_unlock(2, win);
    }
}

static void fences(char **argv) {
    long five = 5;
    int wrong = is("other_window_fence", argv);
    MPI_Win other;
    MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, comm, &other);
    MPI_Win_fence(0, win);
    if (rank == 0) MPI_Put(&five, 1, MPI_LONG, 2, 3, 1, MPI_LONG, win); // !other_window_fence
    MPI_Win_fence(0, wrong ? other : win);
    if (rank == 1) MPI_Get(&got, 1, MPI_LONG, 2, 3, 1, MPI_LONG, win); // !other_window_fence
    MPI_Win_fence(0, win);
    if (wrong) MPI_Win_fence(0, other);
    MPI_Win_free(&other);
}

static void post_start(char **argv) {
    // Ranks 0 and 1 put into rank 2's part, in one exposure epoch or in two.
    long five = 5;
    int wrong = is("post_too_early", argv);
    MPI_Group all, target, origins[2], both;
    MPI_Comm_group(comm, &all);
    int ranks[3] = {0, 1, 2};
    MPI_Group_incl(all, 1, ranks + 2, &target);
    MPI_Group_incl(all, 1, ranks, origins);
    MPI_Group_incl(all, 1, ranks + 1, origins + 1);
    MPI_Group_incl(all, 2, ranks, &both);
    if (rank == 2) {
        for (int epoch = 0; epoch < (wrong ? 1 : 2); epoch++) {
            MPI_Win_post(wrong ? both : origins[epoch], 0, win);
            MPI_Win_wait(win);
        }
    } else {
        MPI_Win_start(target, 0, win);
        MPI_Put(&five, 1, MPI_LONG, 2, 3, 1, MPI_LONG, win); // !post_too_early
        MPI_Win_complete(win);
    }
    MPI_Group_free(&all);
    MPI_Group_free(&target);
    MPI_Group_free(origins);
    MPI_Group_free(origins + 1);
    MPI_Group_free(&both);
}

static void dynamic(char **argv) {
    MPI_Win attached;
    MPI_Aint at = 0;
    long five = 5, *memory = calloc(100, sizeof(long));
    int right = is("dynamic_barrier", argv);
    MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &attached);
    if (rank == 2) {
        MPI_Win_attach(attached, memory, 100 * sizeof(long));
        MPI_Get_address(memory, &at);
    }
    MPI_Bcast(&at, 1, MPI_AINT, 2, comm);
    MPI_Win_lock_all(0, attached);
    if (rank == 0) {
        MPI_Put(&five, 1, MPI_LONG, 2, at + 8, 1, MPI_LONG, attached); // !dynamic
        MPI_Win_flush(2, attached);
    }
    if (right) barrier();
    if (rank == 1) MPI_Accumulate(&five, 1, MPI_LONG, 2, at + 8, 1, MPI_LONG, MPI_SUM, attached); // !dynamic
    MPI_Win_unlock_all(attached);
    barrier();
    if (rank == 2) MPI_Win_detach(attached, memory);
    MPI_Win_free(&attached);
    free(memory);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    MPI_Win_allocate(100000 * sizeof(long), sizeof(long), MPI_INFO_NULL, comm, &mine, &win);
    MPI_Win_set_name(win, "table");
    memset(mine, 0, 100000 * sizeof(long));
    barrier();
    if (strstr(argv[1], "lock") && !is("flush_local", argv)) locks(argv);
    else if (strstr(argv[1], "fence")) fences(argv);
    else if (strstr(argv[1], "post")) post_start(argv);
    else if (strstr(argv[1], "dynamic")) dynamic(argv);
    else in_lock_all(argv);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
