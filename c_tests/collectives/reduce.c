/* ranks: 1 2 3 4 8 */
/* Reduce, Allreduce, Reduce_scatter(_block), Scan, Exscan: commutative or not, in place or not, blocking or not. */
#include "check.h"

static const int lengths[] = {1, 5, 16, 17, 1000, 9000, 70001};
enum { N = sizeof lengths / sizeof lengths[0], MOST = 70001 };

/* a + b x, under composition: (f then g). Associative, not commutative. Unsigned, so that it may overflow. */
typedef struct { unsigned a, b; } map;

static void compose(void *in, void *inout, int *n, MPI_Datatype *type)
{
    const map *f = in;
    map *g = inout;
    (void)type;
    for (int i = 0; i < *n; i++) {
        map h = {g[i].a + g[i].b * f[i].a, g[i].b * f[i].b};
        g[i] = h;
    }
}

static map value(int from, int i)
{
    map m = {(unsigned)(from * 7919 + i), (unsigned)(2 * from + 2 * i + 1)};
    return m;
}

/* The composition of the values of `first` to `last`, in order. */
static map composed(int first, int last, int i)
{
    map m = value(first, i);
    for (int from = first + 1; from <= last; from++) {
        map next = value(from, i), *inout = &next;
        int one = 1;
        compose(&m, inout, &one, NULL);
        m = next;
    }
    return m;
}

static map in[8 * MOST], out[8 * MOST];

static void check(int first, int last, int begin, int n)
{
    for (int i = 0; i < n; i++) {
        map want = composed(first, last, begin + i);
        CHECK_EQ(out[i].a, want.a);
        CHECK_EQ(out[i].b, want.b);
    }
}

static void set(map *where, int n)
{
    for (int i = 0; i < n; i++)
        where[i] = value(rank, i);
}

static void finish(int nonblocking, MPI_Request *request)
{
    if (nonblocking)
        OK(MPI_Wait(request, MPI_STATUS_IGNORE));
}

int main(int argc, char **argv)
{
    MPI_Datatype type;
    MPI_Op op;
    MPI_Request request;
    check_start(&argc, &argv);
    OK(MPI_Type_contiguous(2, MPI_UNSIGNED, &type));
    OK(MPI_Type_commit(&type));
    OK(MPI_Op_create(compose, 0, &op));
    for (int k = 0; k < N; k++) {
        int n = lengths[k];
        for (int way = 0; way < 4; way++) {
            int in_place = way & 1, later = way & 2;
            void *from = in_place ? MPI_IN_PLACE : (void *)in;

            for (int root = 0; root < size; root++) {
                int here = in_place && rank == root;
                set(here ? out : in, n);
                void *source = here ? MPI_IN_PLACE : (void *)in;
                if (later)
                    OK(MPI_Ireduce(source, out, n, type, op, root, MPI_COMM_WORLD, &request));
                else
                    OK(MPI_Reduce(source, out, n, type, op, root, MPI_COMM_WORLD));
                finish(later, &request);
                if (rank == root)
                    check(0, size - 1, 0, n);
            }

            set(in_place ? out : in, n);
            if (later)
                OK(MPI_Iallreduce(from, out, n, type, op, MPI_COMM_WORLD, &request));
            else
                OK(MPI_Allreduce(from, out, n, type, op, MPI_COMM_WORLD));
            finish(later, &request);
            check(0, size - 1, 0, n);

            set(in_place ? out : in, n);
            if (later)
                OK(MPI_Iscan(from, out, n, type, op, MPI_COMM_WORLD, &request));
            else
                OK(MPI_Scan(from, out, n, type, op, MPI_COMM_WORLD));
            finish(later, &request);
            check(0, rank, 0, n);

            set(in_place ? out : in, n);
            if (later)
                OK(MPI_Iexscan(from, out, n, type, op, MPI_COMM_WORLD, &request));
            else
                OK(MPI_Exscan(from, out, n, type, op, MPI_COMM_WORLD));
            finish(later, &request);
            if (rank > 0)
                check(0, rank - 1, 0, n);

            int block = n / size, counts[8], begin = 0;
            set(in_place ? out : in, block * size);
            if (later)
                OK(MPI_Ireduce_scatter_block(from, out, block, type, op, MPI_COMM_WORLD, &request));
            else
                OK(MPI_Reduce_scatter_block(from, out, block, type, op, MPI_COMM_WORLD));
            finish(later, &request);
            check(0, size - 1, rank * block, block);

            int total = 0;
            for (int i = 0; i < size; i++) {
                counts[i] = i % 2 ? 0 : n / (i + 1);
                begin = i == rank ? total : begin;
                total += counts[i];
            }
            set(in_place ? out : in, total);
            if (later)
                OK(MPI_Ireduce_scatter(from, out, counts, type, op, MPI_COMM_WORLD, &request));
            else
                OK(MPI_Reduce_scatter(from, out, counts, type, op, MPI_COMM_WORLD));
            finish(later, &request);
            check(0, size - 1, begin, counts[rank]);
        }
    }
    OK(MPI_Op_free(&op));
    OK(MPI_Type_free(&type));
    return check_end();
}
