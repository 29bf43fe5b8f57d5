// Operations of the accumulate family beside each other and beside others.
//
// ranks: 2
// wrong different_ops: data race
// wrong different_types: data race
// wrong beside_put: data race
// wrong beside_get: data race
// wrong swap_and_get: data race
// wrong across: data race
// wrong half_a_word: data race
// wrong vector_across: data race
// right same_op
// right side_by_side
// right all_at_eight
// right own_across
// right with_no_op
// right swaps
// right own_order
// right counter_then_reset
// right beside_put_after_flush
#include <mpi.h>
#include <string.h>

static const MPI_Comm comm = MPI_COMM_WORLD;
static int is(const char *name, char **argv) { return !strcmp(name, argv[1]); }

int main(int argc, char **argv) {
    int rank;
    long *mine, one = 1, zero = 0, old = 0;
    double four[4] = {1, 1, 1, 1};
    char *second;
    MPI_Win win, bytes;
    MPI_Datatype pairs;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    MPI_Win_allocate(10 * sizeof(long), sizeof(long), MPI_INFO_NULL, comm, &mine, &win);
    memset(mine, 0, 10 * sizeof(long));
    MPI_Win_allocate(128, 1, MPI_INFO_NULL, comm, &second, &bytes);
    memset(second, 0, 128);
    MPI_Type_vector(2, 1, 2, MPI_C_DOUBLE_COMPLEX, &pairs);
    MPI_Type_commit(&pairs);
    MPI_Barrier(comm);
    MPI_Win_lock_all(0, win);
    MPI_Win_lock_all(0, bytes);
    if (is("different_ops", argv)) {
        if (rank == 0) MPI_Accumulate(&one, 1, MPI_LONG, 1, 2, 1, MPI_LONG, MPI_SUM, win); // !different_ops
        if (rank == 1) MPI_Accumulate(&one, 1, MPI_LONG, 1, 2, 1, MPI_LONG, MPI_MAX, win); // !different_ops
    } else if (is("different_types", argv)) {
        int two[2] = {2, 2};
        if (rank == 0) MPI_Accumulate(&one, 1, MPI_LONG, 1, 2, 1, MPI_LONG, MPI_SUM, win); // !different_types
        if (rank == 1) MPI_Accumulate(two, 2, MPI_INT, 1, 2, 2, MPI_INT, MPI_SUM, win); // !different_types
    } else if (is("beside_put", argv)) {
        if (rank == 0) MPI_Fetch_and_op(&one, &old, MPI_LONG, 1, 2, MPI_SUM, win); // !beside_put
        if (rank == 1) MPI_Put(&one, 1, MPI_LONG, 1, 2, 1, MPI_LONG, win); // !beside_put
    } else if (is("beside_get", argv)) {
        if (rank == 0) MPI_Accumulate(&one, 1, MPI_LONG, 1, 2, 1, MPI_LONG, MPI_SUM, win); // !beside_get
        MPI_Barrier(comm);
        if (rank == 1) MPI_Get(&old, 1, MPI_LONG, 1, 2, 1, MPI_LONG, win); // !beside_get
    } else if (is("swap_and_get", argv)) {
        if (rank == 0) MPI_Compare_and_swap(&one, &zero, &old, MPI_LONG, 1, 2, win); // !swap_and_get
        if (rank == 1) MPI_Get(&old, 1, MPI_LONG, 1, 2, 1, MPI_LONG, win); // !swap_and_get
    } else if (is("across", argv)) { // a complex number's second half is another one's first
        if (rank == 0) MPI_Accumulate(four, 1, MPI_C_DOUBLE_COMPLEX, 1, 2, 1, MPI_C_DOUBLE_COMPLEX, MPI_PROD, win); // !across
        if (rank == 1) MPI_Accumulate(four, 1, MPI_C_DOUBLE_COMPLEX, 1, 3, 1, MPI_C_DOUBLE_COMPLEX, MPI_PROD, win); // !across
    } else if (is("half_a_word", argv)) {
        MPI_Aint at = rank ? 20 : 16;
        MPI_Fetch_and_op(&one, &old, MPI_LONG, 1, at, MPI_SUM, bytes); // !half_a_word
    } else if (is("vector_across", argv)) {
        MPI_Accumulate(four, 2, MPI_C_DOUBLE_COMPLEX, 1, rank, 1, pairs, MPI_PROD, win); // !vector_across
    } else if (is("side_by_side", argv)) {
        MPI_Accumulate(four, 2, MPI_C_DOUBLE_COMPLEX, 1, 4 * rank, 2, MPI_C_DOUBLE_COMPLEX, MPI_PROD, win);
        MPI_Fetch_and_op(&one, &old, MPI_LONG, 1, 68 + 8 * !rank, MPI_SUM, bytes);
        MPI_Accumulate(&one, 1, MPI_LONG, 1, 68, 1, MPI_LONG, MPI_SUM, bytes);
    } else if (is("all_at_eight", argv)) {
        for (int n = 0; n < 10; n++) {
            MPI_Accumulate(four, 1, MPI_C_DOUBLE_COMPLEX, 1, 1 + 2 * (n % 2), 1, MPI_C_DOUBLE_COMPLEX, MPI_PROD, win);
            MPI_Accumulate(four, 2, MPI_C_DOUBLE_COMPLEX, 1, 1, 1, pairs, MPI_PROD, win);
        }
    } else if (is("own_across", argv)) {
        if (rank == 0) {
            MPI_Accumulate(four, 1, MPI_C_DOUBLE_COMPLEX, 1, 2, 1, MPI_C_DOUBLE_COMPLEX, MPI_PROD, win);
            MPI_Win_flush(1, win);
            MPI_Accumulate(four, 1, MPI_C_DOUBLE_COMPLEX, 1, 3, 1, MPI_C_DOUBLE_COMPLEX, MPI_PROD, win);
        }
    } else if (is("same_op", argv)) {
        for (int n = 0; n < 100; n++) MPI_Accumulate(&one, 1, MPI_LONG, 1, 2, 1, MPI_LONG, MPI_SUM, win);
    } else if (is("with_no_op", argv)) {
        for (int n = 0; n < 100; n++) {
            MPI_Op op = rank ? MPI_NO_OP : MPI_REPLACE;
            MPI_Get_accumulate(&one, 1, MPI_LONG, &old, 1, MPI_LONG, 1, 2, 1, MPI_LONG, op, win);
            MPI_Win_flush_local(1, win);
        }
    } else if (is("swaps", argv)) {
        for (int n = 0; n < 100; n++) {
            MPI_Compare_and_swap(&one, &zero, &old, MPI_LONG, 1, 2, win);
            MPI_Win_flush(1, win);
            MPI_Accumulate(&zero, 1, MPI_LONG, 1, 2, 1, MPI_LONG, MPI_REPLACE, win);
            MPI_Win_flush(1, win);
        }
    } else if (is("own_order", argv)) {
        if (rank == 0) {
            MPI_Accumulate(&one, 1, MPI_LONG, 1, 2, 1, MPI_LONG, MPI_SUM, win);
            MPI_Accumulate(&one, 1, MPI_LONG, 1, 2, 1, MPI_LONG, MPI_REPLACE, win);
            MPI_Fetch_and_op(&one, &old, MPI_LONG, 1, 2, MPI_MAX, win);
        }
    } else if (is("counter_then_reset", argv)) {
        // Who sees that both have come resets the counter, which nobody touches then.
        for (int n = 0; n < 50; n++) {
            MPI_Fetch_and_op(&one, &old, MPI_LONG, 1, 2, MPI_SUM, win);
            MPI_Win_flush(1, win);
            if (old == 1) {
                MPI_Accumulate(&zero, 1, MPI_LONG, 1, 2, 1, MPI_LONG, MPI_REPLACE, win);
                MPI_Win_flush(1, win);
            }
            MPI_Barrier(comm);
        }
    } else if (is("beside_put_after_flush", argv)) {
        for (int n = 0; n < 50; n++) {
            if (rank == 0) MPI_Accumulate(&one, 1, MPI_LONG, 1, 2, 1, MPI_LONG, MPI_SUM, win);
            MPI_Win_flush(1, win);
            MPI_Barrier(comm);
            if (rank == 1) MPI_Put(&one, 1, MPI_LONG, 1, 2, 1, MPI_LONG, win);
            MPI_Win_flush(1, win);
            MPI_Barrier(comm);
        }
    }
    MPI_Win_unlock_all(win);
    MPI_Win_unlock_all(bytes);
    MPI_Type_free(&pairs);
    MPI_Win_free(&bytes);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
