/* ranks: 2 3 8 */
/* Blocking collective operations with a block for each process, of lengths of its own, from and to allocated memory, where the others
 * read it, and other memory, some here and some there: the results, and that a process may write to its buffers as soon as its call
 * has returned. */
#define _DEFAULT_SOURCE
#include "check.h"
#include <unistd.h>

enum { MOST = 9000, PROCESSES = 8 };
static const int lengths[] = {2, 40, 300, 600, 1100, 2100, 4100, MOST};
static int *memory[2][2];
static int *from, *to;
static int round_, send_counts[PROCESSES], send_at[PROCESSES], receive_counts[PROCESSES], receive_at[PROCESSES];

/* Elements that one process gives to another: some give nothing to some. */
static int count(int n, int giver, int taker, int uneven)
{
    if (!uneven)
        return n;
    return (giver + 2 * taker + round_) % 4 == 0 ? 0 : n - (giver + taker) % 3 * (n / 4);
}

static int value(int giver, int taker, int i)
{
    return round_ * 7919 + giver * 104729 + taker * 1299709 + i;
}

/* One of the ranks comes late. */
static void be_late(void)
{
    round_++;
    if (round_ % size == rank && round_ % 3 == 0)
        usleep(30 * (round_ % 4));
}

/* What goes where in an operation of blocks of at most n elements, and what it begins with. */
static void prepare(int n, int uneven)
{
    be_late();
    for (int r = 0; r < size; r++) {
        send_counts[r] = count(n, rank, r, uneven);
        receive_counts[r] = count(n, r, rank, uneven);
        send_at[r] = r * n;
        receive_at[r] = (size - 1 - r) * n;
        for (int i = 0; i < n; i++) {
            from[r * n + i] = value(rank, r, i);
            to[r * n + i] = -1;
        }
    }
}

/* Whatever others still read would be wrong now. */
static void spoil(int *what, int n)
{
    for (int i = 0; i < size * n; i++)
        what[i] = -2;
}

static void check_block(const int *block, int n, int giver, int taker)
{
    for (int i = 0; i < n; i++)
        CHECK_EQ(block[i], value(giver, taker, i));
}

static void check_received(int n)
{
    for (int r = 0; r < size; r++) {
        check_block(to + receive_at[r], receive_counts[r], r, rank);
        for (int i = receive_counts[r]; i < n; i++)
            CHECK_EQ(to[receive_at[r] + i], -1);
    }
}

static void alltoall(int n)
{
    prepare(n, 0);
    OK(MPI_Alltoall(from, n, MPI_INT, to, n, MPI_INT, MPI_COMM_WORLD));
    spoil(from, n);
    for (int r = 0; r < size; r++)
        check_block(to + r * n, n, r, rank);

    prepare(n, 0);
    OK(MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, from, n, MPI_INT, MPI_COMM_WORLD));
    for (int r = 0; r < size; r++)
        check_block(from + r * n, n, r, rank);

    prepare(n, 1);
    OK(MPI_Alltoallv(from, send_counts, send_at, MPI_INT, to, receive_counts, receive_at, MPI_INT, MPI_COMM_WORLD));
    spoil(from, n);
    check_received(n);

    int bytes_from[PROCESSES], bytes_to[PROCESSES];
    MPI_Datatype types[PROCESSES];
    prepare(n, 1);
    for (int r = 0; r < size; r++) {
        bytes_from[r] = send_at[r] * (int)sizeof(int);
        bytes_to[r] = receive_at[r] * (int)sizeof(int);
        types[r] = MPI_INT;
    }
    OK(MPI_Alltoallw(from, send_counts, bytes_from, types, to, receive_counts, bytes_to, types, MPI_COMM_WORLD));
    spoil(from, n);
    check_received(n);

    /* Blocks of the same lengths both ways, which change places. */
    be_late();
    for (int r = 0; r < size; r++) {
        send_counts[r] = n - (rank + r) % 3 * (n / 4);
        for (int i = 0; i < n; i++)
            from[r * n + i] = value(rank, r, i);
    }
    OK(MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_INT, from, send_counts, send_at, MPI_INT, MPI_COMM_WORLD));
    for (int r = 0; r < size; r++)
        check_block(from + r * n, send_counts[r], r, rank);
}

static void allgather(int n)
{
    prepare(n, 0);
    OK(MPI_Allgather(from + rank * n, n, MPI_INT, to, n, MPI_INT, MPI_COMM_WORLD));
    spoil(from, n);
    for (int r = 0; r < size; r++)
        check_block(to + r * n, n, r, r);

    for (int in_place = 0; in_place < 2; in_place++) {
        prepare(n, 0);
        for (int r = 0; r < size; r++)
            receive_counts[r] = (r + round_) % 4 == 0 ? 0 : n - r % 3 * (n / 4);
        for (int i = 0; in_place && i < n; i++)
            to[receive_at[rank] + i] = i < receive_counts[rank] ? value(rank, rank, i) : -1;
        OK(MPI_Allgatherv(in_place ? MPI_IN_PLACE : from + rank * n, receive_counts[rank], MPI_INT, to, receive_counts, receive_at,
                          MPI_INT, MPI_COMM_WORLD));
        spoil(from, n);
        for (int r = 0; r < size; r++) {
            check_block(to + receive_at[r], receive_counts[r], r, r);
            for (int i = receive_counts[r]; i < n; i++)
                CHECK_EQ(to[receive_at[r] + i], -1);
        }
        spoil(to, n);
    }
}

static void with_root(int n, int root)
{
    prepare(n, 0);
    OK(MPI_Scatter(from, n, MPI_INT, rank == root ? MPI_IN_PLACE : to, n, MPI_INT, root, MPI_COMM_WORLD));
    spoil(from, n);
    if (rank != root)
        check_block(to, n, root, rank);

    prepare(n, 1);
    OK(MPI_Scatterv(from, send_counts, send_at, MPI_INT, to, count(n, root, rank, 1), MPI_INT, root, MPI_COMM_WORLD));
    spoil(from, n);
    check_block(to, count(n, root, rank, 1), root, rank);

    prepare(n, 1);
    OK(MPI_Gatherv(from + root * n, send_counts[root], MPI_INT, to, receive_counts, receive_at, MPI_INT, root, MPI_COMM_WORLD));
    spoil(from, n);
    if (rank == root)
        check_received(n);
}

static int sum(int taker, int i)
{
    int all = 0;
    for (int giver = 0; giver < size; giver++)
        all += value(giver, taker, i);
    return all;
}

/* Each gets the sum of what all have for it; some get nothing. */
static void reduce_scatter(int n, int in_place)
{
    int counts[PROCESSES];
    prepare(n, 0);
    for (int r = 0, all = 0; r < size; all += counts[r++]) {
        counts[r] = (r + round_) % 5 == 0 ? 0 : n - r % 3 * (n / 4);
        for (int i = 0; i < counts[r]; i++)
            (in_place ? to : from)[all + i] = value(rank, r, i);
    }
    OK(MPI_Reduce_scatter(in_place ? MPI_IN_PLACE : from, to, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    spoil(from, n);
    for (int i = 0; i < counts[rank]; i++)
        CHECK_EQ(to[i], sum(rank, i));
    spoil(to, n);

    prepare(n, 0);
    OK(MPI_Reduce_scatter_block(from, to, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    spoil(from, n);
    for (int i = 0; i < n; i++)
        CHECK_EQ(to[i], sum(rank, i));
}

/* A block with gaps is not one run of bytes: it goes otherwise. */
static void with_gaps(int n)
{
    MPI_Datatype every_other;
    prepare(n, 0);
    OK(MPI_Type_vector(n / 2, 1, 2, MPI_INT, &every_other));
    OK(MPI_Type_commit(&every_other));
    for (int r = 0; r < size; r++)
        send_counts[r] = 1, receive_counts[r] = n / 2;
    MPI_Datatype send_types[PROCESSES], receive_types[PROCESSES];
    for (int r = 0; r < size; r++) {
        send_types[r] = (rank + r) % 2 ? every_other : MPI_INT;
        send_counts[r] = (rank + r) % 2 ? 1 : n / 2;
        receive_types[r] = MPI_INT;
        send_at[r] *= (int)sizeof(int);
        receive_at[r] *= (int)sizeof(int);
    }
    OK(MPI_Alltoallw(from, send_counts, send_at, send_types, to, receive_counts, receive_at, receive_types, MPI_COMM_WORLD));
    spoil(from, n);
    for (int r = 0; r < size; r++)
        for (int i = 0; i < n / 2; i++)
            CHECK_EQ(to[receive_at[r] / (int)sizeof(int) + i], value(r, rank, (rank + r) % 2 ? 2 * i : i));
    OK(MPI_Type_free(&every_other));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    for (int side = 0; side < 2; side++) {
        size_t bytes = (size_t)MOST * size * sizeof(int);
        memory[0][side] = malloc(bytes);
        OK(MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &memory[1][side]));
        CHECK(memory[0][side] != NULL);
    }
    /* Who has its memory where: all in one place, or odd and even ranks in different ones. */
    for (int where = 0; where < 8; where++) {
        int odd = where >> 2 & rank & 1;
        from = memory[(where & 1) ^ odd][0];
        to = memory[(where >> 1 & 1) ^ odd][1];
        for (int i = 0; i < (int)(sizeof lengths / sizeof *lengths); i++) {
            alltoall(lengths[i]);
            allgather(lengths[i]);
            with_root(lengths[i], i % size);
            with_gaps(lengths[i]);
            reduce_scatter(lengths[i], i % 2);
            reduce_scatter(lengths[i], 1 - i % 2);
        }
    }
    for (int side = 0; side < 2; side++) {
        free(memory[0][side]);
        OK(MPI_Free_mem(memory[1][side]));
    }
    return check_end();
}
