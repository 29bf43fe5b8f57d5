/* ranks: 1 2 3 8 20; mpich: skip it refuses predefined operations on derived datatypes */
/* Reduce and allreduce of more than goes through shared memory at a time: the order of ranks is kept, every root gets the
 * result, elements with gaps keep their gaps, nobody's own elements change, and users' functions may spoil what they get. */
#include "check.h"
#include "lines.h"

static const int counts[] = {4095, 4096, 10001, 16384, 32768, 32769, 100003};
enum { COUNTS = sizeof counts / sizeof *counts };

/* `root` is -1 for everybody. */
static void lines(int n, int root, int in_place)
{
    struct line *in = malloc((size_t)n * sizeof *in), *out = malloc((size_t)n * sizeof *out);
    int gets = root < 0 || root == rank;
    MPI_Datatype type;
    MPI_Op op;
    CHECK(in != NULL && out != NULL);
    OK(MPI_Type_contiguous(2, MPI_UINT32_T, &type));
    OK(MPI_Type_commit(&type));
    OK(MPI_Op_create(compose, 0, &op));
    for (int i = 0; i < n; i++)
        in[i] = out[i] = line_of(rank, i);
    if (root < 0)
        OK(MPI_Allreduce(in_place ? MPI_IN_PLACE : (void *)in, out, n, type, op, MPI_COMM_WORLD));
    else
        OK(MPI_Reduce(in_place && gets ? MPI_IN_PLACE : (void *)in, gets ? out : NULL, n, type, op, root, MPI_COMM_WORLD));
    for (int i = 0; i < n; i++) {
        struct line wanted = gets ? lines_composed(i) : line_of(rank, i), mine = line_of(rank, i);
        CHECK(out[i].slope == wanted.slope && out[i].shift == wanted.shift);
        CHECK(in[i].slope == mine.slope && in[i].shift == mine.shift);
    }
    OK(MPI_Op_free(&op));
    OK(MPI_Type_free(&type));
    free(in);
    free(out);
}

/* Every second long takes part. */
static void gaps(int n, int root, int in_place)
{
    long *in = malloc(2 * (size_t)n * sizeof *in), *out = malloc(2 * (size_t)n * sizeof *out);
    int gets = root < 0 || root == rank;
    MPI_Datatype type;
    CHECK(in != NULL && out != NULL);
    OK(MPI_Type_create_resized(MPI_LONG, 0, 2 * sizeof(long), &type));
    OK(MPI_Type_commit(&type));
    for (int i = 0; i < 2 * n; i++)
        in[i] = out[i] = i % 2 == 0 ? rank * 1000003L + i : -7;
    if (root < 0)
        OK(MPI_Allreduce(in_place ? MPI_IN_PLACE : (void *)in, out, n, type, MPI_SUM, MPI_COMM_WORLD));
    else
        OK(MPI_Reduce(in_place && gets ? MPI_IN_PLACE : (void *)in, out, n, type, MPI_SUM, root, MPI_COMM_WORLD));
    for (int i = 0; i < 2 * n; i++) {
        long sum = 1000003L * (size * (size - 1) / 2) + (long)size * i;
        CHECK_EQ(in[i], i % 2 == 0 ? rank * 1000003L + i : -7);
        CHECK_EQ(out[i], i % 2 != 0 ? -7 : gets ? sum : in[i]);
    }
    OK(MPI_Type_free(&type));
    free(in);
    free(out);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    for (int k = 0; k < COUNTS; k++) {
        lines(counts[k], -1, k % 2);
        gaps(counts[k], -1, k % 2 == 0);
        lines(counts[k], k % size, k % 3 == 0);
        gaps(counts[k], size - 1 - k % size, k % 3 == 1);
    }
    return check_end();
}
