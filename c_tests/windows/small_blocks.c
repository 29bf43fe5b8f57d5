/* ranks: 1 2 3 8 */
/* Blocking allgather and alltoall of blocks of every small size, in place, with gaps, large counts, on parts of the world. */
#include "check.h"

enum { MOST = 300 };

static void bytes(MPI_Comm comm, int me, int n, int len)
{
    unsigned char *out = calloc(n, MOST), *in = calloc(n, MOST), *wanted = calloc(n, MOST);
    for (int from = 0; from < n; from++)
        fill(wanted + from * len, len, from * 1000 + len);
    memcpy(out, wanted + me * len, len);
    OK(MPI_Allgather(out, len, MPI_BYTE, in, len, MPI_BYTE, comm));
    CHECK_BYTES(in, wanted, (size_t)n * len);
    memset(in, 0, (size_t)n * len);
    memcpy(in + me * len, wanted + me * len, len);
    OK(MPI_Allgather_c(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, len, MPI_BYTE, comm));
    CHECK_BYTES(in, wanted, (size_t)n * len);

    for (int other = 0; other < n; other++) {
        fill(out + other * len, len, me * 100 + other);
        fill(wanted + other * len, len, other * 100 + me);
    }
    OK(MPI_Alltoall(out, len, MPI_BYTE, in, len, MPI_BYTE, comm));
    CHECK_BYTES(in, wanted, (size_t)n * len);
    OK(MPI_Alltoall_c(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, len, MPI_BYTE, comm));
    CHECK_BYTES(out, wanted, (size_t)n * len);
    free(out);
    free(in);
    free(wanted);
}

/* Dense integers are received with gaps, and the other way. */
static void gaps(void)
{
    int out[16], in[32];
    MPI_Datatype every_second;
    OK(MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &every_second));
    OK(MPI_Type_commit(&every_second));
    for (int i = 0; i < 16; i++)
        out[i] = rank * 100 + i;
    for (int i = 0; i < 32; i++)
        in[i] = -1;
    OK(MPI_Allgather(out, 2, MPI_INT, in, 2, every_second, MPI_COMM_WORLD));
    for (int i = 0; i < 2 * size; i++) {
        CHECK_EQ(in[2 * i], i / 2 * 100 + i % 2);
        CHECK_EQ(in[2 * i + 1], -1);
    }
    OK(MPI_Alltoall(out, 1, every_second, in, 1, MPI_INT, MPI_COMM_WORLD));
    for (int r = 0; r < size; r++)
        CHECK_EQ(in[r], r * 100 + 2 * rank);
    OK(MPI_Type_free(&every_second));
}

int main(int argc, char **argv)
{
    MPI_Comm half;
    int me, n;
    check_start(&argc, &argv);
    OK(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half));
    OK(MPI_Comm_rank(half, &me));
    OK(MPI_Comm_size(half, &n));
    for (int len = 0; len < MOST; len += len < 20 || (len > 120 && len < 140) ? 1 : 13) {
        bytes(MPI_COMM_WORLD, rank, size, len);
        bytes(half, me, n, len);
    }
    gaps();
    OK(MPI_Comm_free(&half));
    return check_end();
}
