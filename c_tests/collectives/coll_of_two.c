/* ranks: 2 4 */
/* Blocking collective operations from and to allocated memory, where processes read each other's, and other memory, in all pairs: the
 * results, and that a process may write to its buffers as soon as its call has returned. */
#define _DEFAULT_SOURCE
#include "check.h"
#include <unistd.h>

enum { MOST = 40000, COUNTS = 12 };
static const int counts[COUNTS] = {1, 200, 255, 256, 1000, 1024, 1025, 2047, 2048, 2049, 5000, MOST};
static int *memory[2][2];
static int *from, *to;

static int value(int round, int r, int i)
{
    return round * 7919 + r * 104729 + i;
}

/* One of the ranks comes late: the others may not wait for it, or wait. */
static void be_late(int round)
{
    if (round % size == rank && round % 5 == 0)
        usleep(20 * (round % 3));
}

static void prepare(int round, int n)
{
    for (int i = 0; i < n; i++)
        from[i] = value(round, rank, i);
    for (int i = 0; i < size * n; i++)
        to[i] = -1;
    be_late(round);
}

/* Whatever others still read would be wrong now. */
static void spoil(int n)
{
    for (int i = 0; i < n; i++)
        from[i] = -2;
}

static void check_sum(const int *is, int round, int n)
{
    for (int i = 0; i < n; i++)
        CHECK_EQ(is[i], value(round, 0, i) * size + size * (size - 1) / 2 * 104729);
}

static void check_blocks(int round, int n)
{
    for (int r = 0; r < size; r++)
        for (int i = 0; i < n; i++)
            CHECK_EQ(to[r * n + i], value(round, r, i));
}

static void all(int n, int root)
{
    static int round;
    round++;
    prepare(round, n);
    OK(MPI_Allreduce(from, to, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    spoil(n);
    check_sum(to, round, n);

    prepare(++round, n);
    OK(MPI_Allreduce(MPI_IN_PLACE, from, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    check_sum(from, round, n);
    spoil(n);

    prepare(++round, n);
    OK(MPI_Reduce(from, to, n, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD));
    spoil(n);
    if (rank == root)
        check_sum(to, round, n);

    prepare(++round, n);
    OK(MPI_Bcast(from, n, MPI_INT, root, MPI_COMM_WORLD));
    for (int i = 0; i < n; i++)
        CHECK_EQ(from[i], value(round, root, i));
    spoil(n);

    prepare(++round, n);
    OK(MPI_Gather(from, n, MPI_INT, to, n, MPI_INT, root, MPI_COMM_WORLD));
    spoil(n);
    if (rank == root)
        check_blocks(round, n);

    prepare(++round, n);
    OK(MPI_Allgather(from, n, MPI_INT, to, n, MPI_INT, MPI_COMM_WORLD));
    spoil(n);
    check_blocks(round, n);

    for (int i = 0; i < size * n; i++)
        to[i] = value(round, rank, i);
    be_late(++round);
    OK(MPI_Scatter(to, n, MPI_INT, from, n, MPI_INT, root, MPI_COMM_WORLD));
    for (int i = 0; i < size * n; i++)
        to[i] = -2;
    for (int i = 0; i < n; i++)
        CHECK_EQ(from[i], value(round - 1, root, rank * n + i));
}

/* Reductions of other elements: an operation of the program's own, pairs with gaps. */
static void add(void *in, void *inout, int *n, MPI_Datatype *datatype)
{
    (void)datatype;
    for (int i = 0; i < *n; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static void other_elements(int n)
{
    struct pair { double value; int index; } *in, *out;
    MPI_Op own;
    OK(MPI_Op_create(add, 1, &own));
    prepare(5, n);
    OK(MPI_Allreduce(from, to, n, MPI_INT, own, MPI_COMM_WORLD));
    spoil(n);
    check_sum(to, 5, n);
    OK(MPI_Op_free(&own));

    OK(MPI_Alloc_mem(n * (MPI_Aint)sizeof *in, MPI_INFO_NULL, &in));
    OK(MPI_Alloc_mem(n * (MPI_Aint)sizeof *out, MPI_INFO_NULL, &out));
    for (int i = 0; i < n; i++) {
        in[i].value = (rank + i) % size;
        in[i].index = rank;
    }
    OK(MPI_Allreduce(in, out, n, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD));
    memset(in, 0xff, n * sizeof *in);
    for (int i = 0; i < n; i++) {
        CHECK(out[i].value == size - 1);
        CHECK_EQ(out[i].index, (2 * size - 1 - i % size) % size);
    }
    OK(MPI_Free_mem(in));
    OK(MPI_Free_mem(out));
}

/* Memory of a window can be reached as well, and that which begins in the middle of a page. */
static void of_a_window(void)
{
    MPI_Win window;
    int *base, n = 3000;
    OK(MPI_Win_allocate((MPI_Aint)(size + 1) * n * (int)sizeof(int) + 64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window));
    from = base + 3;
    to = base + 3 + n;
    all(n, size - 1);
    OK(MPI_Win_free(&window));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    for (int side = 0; side < 2; side++) {
        size_t bytes = (size_t)MOST * (side ? size : 1) * sizeof(int);
        memory[0][side] = malloc(bytes);
        OK(MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &memory[1][side]));
        CHECK(memory[0][side] != NULL);
    }
    /* Who has its memory where: a bit for each of the first two ranks, for what it gives and what it takes. */
    for (int where = 0; where < 16; where++) {
        from = memory[where >> 2 * (rank % 2) & 1][0];
        to = memory[where >> 2 * (rank % 2) >> 1 & 1][1];
        for (int i = 0; i < COUNTS; i++)
            for (int root = 0; root < 2; root++)
                all(counts[i], root);
    }
    other_elements(2000);
    of_a_window();
    for (int side = 0; side < 2; side++) {
        free(memory[0][side]);
        OK(MPI_Free_mem(memory[1][side]));
    }
    return check_end();
}
