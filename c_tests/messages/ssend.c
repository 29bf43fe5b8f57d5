/* ranks: 1 2 4 8 */
/* A synchronous send is not complete before its receive was posted; buffered and ready sends. */
#include "check.h"

static void synchronous(void)
{
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int n = 0; n <= 50000; n = n ? n * 50 : 1) {
        MPI_Request request;
        int flag = 0, *out = calloc(n + 1, sizeof *out), *in = calloc(n + 1, sizeof *in);
        for (int i = 0; i < n; i++)
            out[i] = rank * 100000 + i;
        OK(MPI_Issend(out, n, MPI_INT, next, 0, MPI_COMM_WORLD, &request));
        for (int i = 0; i < 100; i++) {
            OK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
            CHECK_EQ(flag, 0);
        }
        barrier();
        OK(MPI_Recv(in, n, MPI_INT, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        for (int i = 0; i < n; i++)
            CHECK_EQ(in[i], before * 100000 + i);
        free(out);
        free(in);
    }
    int value = -1;
    if (size > 1 && rank == 0)
        OK(MPI_Ssend(&rank, 1, MPI_INT, 1, 4, MPI_COMM_WORLD));
    if (rank == 1) {
        OK(MPI_Recv(&value, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_EQ(value, 0);
    }
}

static void buffered(void)
{
    enum { N = 10, LENGTH = 5000 };
    static int out[LENGTH], in[LENGTH];
    int bytes = N * (LENGTH * (int)sizeof(int) + MPI_BSEND_OVERHEAD), n = -1;
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    void *buffer = malloc(bytes), *back = NULL;
    OK(MPI_Buffer_attach(buffer, bytes));
    for (int k = 0; k < N; k++) {
        for (int i = 0; i < LENGTH; i++)
            out[i] = rank * 100000 + k * 10000 + i;
        OK(MPI_Bsend(out, LENGTH, MPI_INT, next, 6, MPI_COMM_WORLD));
        memset(out, 0, sizeof out);
    }
    for (int k = 0; k < N; k++) {
        OK(MPI_Recv(in, LENGTH, MPI_INT, before, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        for (int i = 0; i < LENGTH; i++)
            CHECK_EQ(in[i], before * 100000 + k * 10000 + i);
    }
    OK(MPI_Buffer_detach(&back, &n));
    CHECK(back == buffer);
    CHECK_EQ(n, bytes);
    free(buffer);
}

static void ready(void)
{
    MPI_Request request;
    int value = -1, next = (rank + 1) % size, before = (rank + size - 1) % size;
    OK(MPI_Irecv(&value, 1, MPI_INT, before, 8, MPI_COMM_WORLD, &request));
    barrier();
    OK(MPI_Rsend(&rank, 1, MPI_INT, next, 8, MPI_COMM_WORLD));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_EQ(value, before);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    synchronous();
    buffered();
    ready();
    return check_end();
}
