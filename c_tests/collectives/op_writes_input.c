/* ranks: 1 2 3; mpich: skip it gives the function the caller's own buffer */
/* A user's function that writes to its first argument, which it must not: no reduction changes the caller's send buffer by
 * that, nor has another result. */
#include "check.h"

/* Below 32 KiB all do all the work, from there on it is shared out. */
enum { SIZES = 4, MOST = 20000 };
static const int sizes[SIZES] = { 1, 100, 8192, MOST };
static int out[MOST], in[MOST];

/* Associative, not commutative: the sum of the upper bytes, and the lowest byte of the first. */
static int join(int a, int b)
{
    return ((a >> 8) + (b >> 8)) << 8 | (a & 255);
}

static void join_and_spoil(void *first, void *second, int *n, MPI_Datatype *type)
{
    int *a = first, *b = second;
    (void)type;
    for (int i = 0; i < *n; i++) {
        b[i] = join(a[i], b[i]);
        a[i] = -99;
    }
}

static int value(int of, int i)
{
    return (of + 1 + i % 7) << 8 | ((of * 16 + i % 16) & 255);
}

/* The ranks before `end`. */
static int fold(int end, int i)
{
    int result = value(0, i);
    for (int of = 1; of < end; of++)
        result = join(result, value(of, i));
    return result;
}

static void check(int n, int end)
{
    for (int i = 0; i < n; i++)
        CHECK_EQ(out[i], value(rank, i));
    for (int i = 0; i < n && end > 0; i++)
        CHECK_EQ(in[i], fold(end, i));
}

static void begin(int n)
{
    for (int i = 0; i < n; i++) {
        out[i] = value(rank, i);
        in[i] = -1;
    }
}

int main(int argc, char **argv)
{
    MPI_Op op;
    MPI_Request request;
    check_start(&argc, &argv);
    OK(MPI_Op_create(join_and_spoil, 0, &op));
    for (int s = 0; s < SIZES; s++) {
        int n = sizes[s], share = n / size;
        begin(n);
        OK(MPI_Allreduce(out, in, n, MPI_INT, op, MPI_COMM_WORLD));
        check(n, size);
        begin(n);
        OK(MPI_Iallreduce(out, in, n, MPI_INT, op, MPI_COMM_WORLD, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        check(n, size);
        for (int root = 0; root < size; root++) {
            begin(n);
            OK(MPI_Reduce(out, in, n, MPI_INT, op, root, MPI_COMM_WORLD));
            check(n, rank == root ? size : 0);
        }
        begin(n);
        OK(MPI_Scan(out, in, n, MPI_INT, op, MPI_COMM_WORLD));
        check(n, rank + 1);
        begin(n);
        OK(MPI_Exscan(out, in, n, MPI_INT, op, MPI_COMM_WORLD));
        check(n, rank);
        begin(n);
        OK(MPI_Reduce_scatter_block(out, in, share, MPI_INT, op, MPI_COMM_WORLD));
        check(n, 0);
        for (int i = 0; i < share; i++)
            CHECK_EQ(in[i], fold(size, rank * share + i));
    }
    OK(MPI_Op_free(&op));
    return check_end();
}
