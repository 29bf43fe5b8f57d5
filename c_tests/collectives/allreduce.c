/* ranks: 1 2 4 8 */
/* Allreduce with predefined operations: small and large, the same bits everywhere, pairs with gaps, many in flight. */
#include "check.h"
#include <math.h>

enum { MOST = 100000, FLYING = 20 };

static void doubles(int n)
{
    double *in = malloc(n * sizeof *in), *out = malloc(n * sizeof *out), *other = malloc(n * sizeof *out);
    for (int i = 0; i < n; i++)
        in[i] = 1.0 / (1 + rank + i);
    OK(MPI_Allreduce(in, out, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int r = 0; r < size; r++)
            sum += 1.0 / (1 + r + i);
        CHECK(out[i] > sum * (1 - 1e-12) && out[i] < sum * (1 + 1e-12));
    }
    memcpy(other, out, n * sizeof *out);
    OK(MPI_Bcast(other, n, MPI_DOUBLE, 0, MPI_COMM_WORLD));
    CHECK_BYTES(out, other, n * sizeof *out);
    OK(MPI_Allreduce(MPI_IN_PLACE, in, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    CHECK_BYTES(in, out, n * sizeof *out);
    free(in);
    free(out);
    free(other);
}

static void pairs(int n)
{
    struct pair { double value; int index; } *in = calloc(n, sizeof *in), *out = calloc(n, sizeof *out);
    for (int i = 0; i < n; i++) {
        in[i].value = (rank + i) % size;
        in[i].index = rank;
    }
    OK(MPI_Allreduce(in, out, n, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD));
    for (int i = 0; i < n; i++) {
        CHECK(out[i].value == size - 1);
        CHECK_EQ(out[i].index, (2 * size - 1 - i % size) % size);
    }
    free(in);
    free(out);
}

static void same_as_first(const void *out, size_t length)
{
    void *first = malloc(length);
    memcpy(first, out, length);
    OK(MPI_Bcast(first, (int)length, MPI_BYTE, 0, MPI_COMM_WORLD));
    CHECK_BYTES(out, first, length);
    free(first);
}

/* MAX and MIN of zeros with both signs, and where some are no numbers, are the same bits everywhere: also between two, who read each
 * other's memory. */
static void bits(int n, int is_allocated)
{
    struct pair { float value; int index; } *in, *out;
    const float values[] = {0.0f, -0.0f, NAN, 1.0f, NAN};
    MPI_Op ops[] = {MPI_MAX, MPI_MIN};
    MPI_Request request;
    OK(MPI_Alloc_mem(n * sizeof *in, MPI_INFO_NULL, &in));
    OK(MPI_Alloc_mem(n * sizeof *out, MPI_INFO_NULL, &out));
    struct pair *from = is_allocated ? in : malloc(n * sizeof *in), *to = is_allocated ? out : malloc(n * sizeof *out);
    for (int op = 0; op < 2; op++)
        for (int way = 0; way < 3; way++) {
            float *single = way == 1 ? (float *)to : (float *)from;
            for (int i = 0; i < n; i++)
                single[i] = values[(rank + i) % 5];
            if (way == 2) {
                OK(MPI_Iallreduce(single, to, n, MPI_FLOAT, ops[op], MPI_COMM_WORLD, &request));
                OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            } else {
                OK(MPI_Allreduce(way ? MPI_IN_PLACE : single, to, n, MPI_FLOAT, ops[op], MPI_COMM_WORLD));
            }
            same_as_first(to, n * sizeof *single);
            if (way == 1) {
                for (int i = 0; i < n; i++)
                    single[i] = values[(rank + i) % 5];
                OK(MPI_Iallreduce(MPI_IN_PLACE, to, n, MPI_FLOAT, ops[op], MPI_COMM_WORLD, &request));
                OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
                same_as_first(to, n * sizeof *single);
            }
        }
    for (int i = 0; i < n; i++)
        from[i] = (struct pair){values[(rank + i) % 5], rank};
    OK(MPI_Allreduce(from, to, n, MPI_FLOAT_INT, MPI_MAXLOC, MPI_COMM_WORLD));
    same_as_first(to, n * sizeof *to);
    if (!is_allocated) {
        free(from);
        free(to);
    }
    OK(MPI_Free_mem(in));
    OK(MPI_Free_mem(out));
}

static void many_in_flight(void)
{
    static int in[FLYING][300], out[FLYING][300];
    MPI_Request requests[2 * FLYING];
    for (int k = 0; k < FLYING; k++) {
        for (int i = 0; i < 300; i++)
            in[k][i] = rank + k * i;
        OK(MPI_Iallreduce(in[k], out[k], 300, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[2 * k]));
        OK(MPI_Ibarrier(MPI_COMM_WORLD, &requests[2 * k + 1]));
    }
    OK(MPI_Waitall(2 * FLYING, requests, MPI_STATUSES_IGNORE));
    for (int k = 0; k < FLYING; k++)
        for (int i = 0; i < 300; i++)
            CHECK_EQ(out[k][i], size * (size - 1) / 2 + size * k * i);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    for (int n = 1; n <= MOST; n = n < 17 ? n + 4 : n * 5) {
        doubles(n);
        pairs(n);
        bits(n, 0);
        bits(n, 1);
    }
    many_in_flight();
    OK(MPI_Allreduce(NULL, NULL, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    return check_end();
}
