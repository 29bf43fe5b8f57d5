/* ranks: 1 2 3 8 20; mpich: skip it refuses predefined operations on derived datatypes */
/* Reduce_scatter of more than goes through shared memory at a time: parts as long, of many lengths and of none, also in place, where the
 * result comes over elements that others are still to get; the order of ranks is kept, and gaps stay. */
#include "check.h"
#include "lines.h"

/* Of all processes in the middle. */
static const int lengths[] = {1, 700, 5000, 17001, 70001};
enum { LENGTHS = sizeof lengths / sizeof *lengths, SHAPES = 5, MOST = 32 };

static int counts[MOST], first[MOST + 1];

/* Who gets how many. */
static void share_out(int n, int shape)
{
    first[0] = 0;
    for (int r = 0; r < size; r++) {
        int many = shape == 2 ? r == size - 1 : shape == 3 ? r == 0 : r % 3 == 1;
        counts[r] = shape == 0 ? n : shape == 1 ? n + r : many ? n * 2 : shape == 4 ? 0 : 1;
        first[r + 1] = first[r] + counts[r];
    }
}

static void scatter(void *in, void *out, MPI_Datatype type, MPI_Op op, int alike)
{
    if (alike)
        OK(MPI_Reduce_scatter_block(in, out, counts[0], type, op, MPI_COMM_WORLD));
    else
        OK(MPI_Reduce_scatter(in, out, counts, type, op, MPI_COMM_WORLD));
}

static void lines(int alike, int in_place)
{
    int n = first[size], mine = counts[rank];
    struct line *in = malloc((size_t)n * sizeof *in + 1), *out = malloc((size_t)n * sizeof *out + 1);
    MPI_Datatype type;
    MPI_Op op;
    CHECK(in != NULL && out != NULL);
    OK(MPI_Type_contiguous(2, MPI_UINT32_T, &type));
    OK(MPI_Type_commit(&type));
    OK(MPI_Op_create(compose, 0, &op));
    for (int i = 0; i < n; i++)
        in[i] = out[i] = line_of(rank, i);
    scatter(in_place ? MPI_IN_PLACE : (void *)in, out, type, op, alike);
    for (int i = 0; i < mine; i++) {
        struct line wanted = lines_composed(first[rank] + i);
        CHECK(out[i].slope == wanted.slope && out[i].shift == wanted.shift);
    }
    for (int i = 0; i < n; i++) {
        struct line wanted = line_of(rank, i);
        CHECK(in[i].slope == wanted.slope && in[i].shift == wanted.shift);
        if (i >= mine && !in_place)
            CHECK(out[i].slope == wanted.slope && out[i].shift == wanted.shift);
    }
    OK(MPI_Op_free(&op));
    OK(MPI_Type_free(&type));
    free(in);
    free(out);
}

static void sums(int alike, int in_place)
{
    int n = first[size], mine = counts[rank];
    long *in = malloc((size_t)n * sizeof *in + 1), *out = malloc((size_t)n * sizeof *out + 1);
    CHECK(in != NULL && out != NULL);
    for (int i = 0; i < n; i++)
        in[i] = out[i] = rank * 1000003L + i;
    scatter(in_place ? MPI_IN_PLACE : (void *)in, out, MPI_LONG, MPI_SUM, alike);
    for (int i = 0; i < mine; i++)
        CHECK_EQ(out[i], 1000003L * (size * (size - 1) / 2) + (long)size * (first[rank] + i));
    for (int i = 0; i < n; i++) {
        CHECK_EQ(in[i], rank * 1000003L + i);
        if (i >= mine && !in_place)
            CHECK_EQ(out[i], in[i]);
    }
    free(in);
    free(out);
}

/* Every second long takes part. */
static void gaps(int alike, int in_place)
{
    int n = first[size], mine = counts[rank];
    long *in = malloc(2 * (size_t)n * sizeof *in + 1), *out = malloc(2 * (size_t)n * sizeof *out + 1);
    MPI_Datatype type;
    CHECK(in != NULL && out != NULL);
    OK(MPI_Type_create_resized(MPI_LONG, 0, 2 * sizeof(long), &type));
    OK(MPI_Type_commit(&type));
    for (int i = 0; i < 2 * n; i++)
        in[i] = out[i] = i % 2 == 0 ? rank * 1000003L + i : -7;
    scatter(in_place ? MPI_IN_PLACE : (void *)in, out, type, MPI_SUM, alike);
    for (int i = 0; i < 2 * n; i++) {
        long sum = 1000003L * (size * (size - 1) / 2) + (long)size * (2 * first[rank] + i);
        CHECK_EQ(in[i], i % 2 == 0 ? rank * 1000003L + i : -7);
        if (i % 2 != 0)
            CHECK_EQ(out[i], -7);
        else if (i < 2 * mine)
            CHECK_EQ(out[i], sum);
    }
    OK(MPI_Type_free(&type));
    free(in);
    free(out);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    for (int k = 0; k < LENGTHS * SHAPES; k++) {
        int shape = k % SHAPES;
        share_out(lengths[k / SHAPES] * 3 / (size + 2) + 1, shape);
        lines(shape == 0, k % 2);
        sums(shape == 0, k % 2 == 0);
        sums(0, k % 2);
        gaps(shape == 0, k % 2);
    }
    return check_end();
}
