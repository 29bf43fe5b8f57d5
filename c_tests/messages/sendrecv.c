/* ranks: 1 2 4 8 */
/* Blocking sends and receives of many sizes, contiguous and with gaps, around a ring and to oneself. */
#include "check.h"

static const size_t sizes[] = {0, 1, 7, 8, 24, 25, 100, 4096, 8191, 8192, 8193, 20000, 65536, 300001};
enum { N = sizeof sizes / sizeof sizes[0], MOST = 300001 };

static void around_the_ring(void)
{
    unsigned char *out = malloc(MOST), *in = malloc(MOST + 1), *want = malloc(MOST);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int i = 0; i < N; i++) {
        MPI_Status status;
        int n = (int)sizes[i], count = -1;
        fill(out, n, 1000 * rank + i);
        fill(want, n, 1000 * before + i);
        memset(in, 0xab, MOST + 1);
        OK(MPI_Sendrecv(out, n, MPI_BYTE, next, i, in, n + 1, MPI_BYTE, before, i, MPI_COMM_WORLD,
                        &status));
        CHECK_BYTES(in, want, n);
        CHECK_EQ(in[n], 0xab);
        CHECK_EQ(status.MPI_SOURCE, before);
        CHECK_EQ(status.MPI_TAG, i);
        OK(MPI_Get_count(&status, MPI_BYTE, &count));
        CHECK_EQ(count, n);

        /* Even ranks send first, odd ones receive first; a ring of odd length has one pair of equals. */
        if (size % 2 == 0) {
            memset(in, 0xab, MOST + 1);
            if (rank % 2 == 0)
                OK(MPI_Send(out, n, MPI_BYTE, next, i, MPI_COMM_WORLD));
            OK(MPI_Recv(in, n, MPI_BYTE, before, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            if (rank % 2 == 1)
                OK(MPI_Send(out, n, MPI_BYTE, next, i, MPI_COMM_WORLD));
            CHECK_BYTES(in, want, n);
        }
    }
    free(out);
    free(in);
    free(want);
}

static void replaced(void)
{
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int n = 1; n <= 20000; n *= 7) {
        int *data = malloc(n * sizeof *data);
        for (int i = 0; i < n; i++)
            data[i] = rank * 100000 + i;
        OK(MPI_Sendrecv_replace(data, n, MPI_INT, next, 3, before, 3, MPI_COMM_WORLD,
                                MPI_STATUS_IGNORE));
        for (int i = 0; i < n; i++)
            CHECK_EQ(data[i], before * 100000 + i);
        free(data);
    }
}

/* A column of a matrix goes out, a row comes in: the layouts differ, the elements are the same. */
static void with_gaps(void)
{
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int n = 3; n <= 3000; n *= 10) {
        MPI_Datatype column;
        int *matrix = malloc(3 * n * sizeof *matrix), *row = malloc(n * sizeof *row);
        OK(MPI_Type_vector(n, 1, 3, MPI_INT, &column));
        OK(MPI_Type_commit(&column));
        for (int i = 0; i < 3 * n; i++)
            matrix[i] = rank * 1000000 + i;
        OK(MPI_Sendrecv(matrix + 1, 1, column, next, 0, row, n, MPI_INT, before, 0, MPI_COMM_WORLD,
                        MPI_STATUS_IGNORE));
        for (int i = 0; i < n; i++)
            CHECK_EQ(row[i], before * 1000000 + 3 * i + 1);
        OK(MPI_Sendrecv(row, n, MPI_INT, before, 0, matrix + 2, 1, column, next, 0, MPI_COMM_WORLD,
                        MPI_STATUS_IGNORE));
        for (int i = 0; i < n; i++) {
            CHECK_EQ(matrix[3 * i], rank * 1000000 + 3 * i);
            CHECK_EQ(matrix[3 * i + 1], rank * 1000000 + 3 * i + 1);
            CHECK_EQ(matrix[3 * i + 2], rank * 1000000 + 3 * i + 1);
        }
        OK(MPI_Type_free(&column));
        free(matrix);
        free(row);
    }
}

static void nobody(void)
{
    MPI_Status status;
    int value = 5, count = -1;
    OK(MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
    OK(MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status));
    CHECK_EQ(value, 5);
    CHECK_EQ(status.MPI_SOURCE, MPI_PROC_NULL);
    CHECK_EQ(status.MPI_TAG, MPI_ANY_TAG);
    OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK_EQ(count, 0);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    around_the_ring();
    replaced();
    with_gaps();
    nobody();
    return check_end();
}
