/* ranks: 1 2 4 8 */
/* A message longer than its buffer: MPI_ERR_TRUNCATE, what fits is there, nothing behind it is touched, and all goes on. */
#include "check.h"

int main(int argc, char **argv)
{
    static int out[20000], in[20000];
    check_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int n = 2; n <= 20000; n *= 100) {
        for (int way = 0; way < 3; way++) {
            MPI_Request send, receive;
            MPI_Status status;
            for (int i = 0; i < n; i++)
                out[i] = rank * 100000 + i;
            memset(in, 0xff, sizeof in);
            if (way == 0) {
                OK(MPI_Isend(out, n, MPI_INT, next, 1, MPI_COMM_WORLD, &send));
                CHECK_SENTENCE(MPI_Recv(in, n / 2, MPI_INT, before, 1, MPI_COMM_WORLD, &status),
                               MPI_ERR_TRUNCATE, "the receive buffer takes");
            } else if (way == 1) {
                OK(MPI_Irecv(in, n / 2, MPI_INT, before, 1, MPI_COMM_WORLD, &receive));
                barrier();
                OK(MPI_Isend(out, n, MPI_INT, next, 1, MPI_COMM_WORLD, &send));
                CHECK_CLASS(MPI_Wait(&receive, &status), MPI_ERR_TRUNCATE);
            } else {
                MPI_Status statuses[1];
                OK(MPI_Irecv(in, n / 2, MPI_INT, before, 1, MPI_COMM_WORLD, &receive));
                OK(MPI_Isend(out, n, MPI_INT, next, 1, MPI_COMM_WORLD, &send));
                CHECK_CLASS(MPI_Waitall(1, &receive, statuses), MPI_ERR_IN_STATUS);
                CHECK_CLASS(statuses[0].MPI_ERROR, MPI_ERR_TRUNCATE);
            }
            OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
            for (int i = n / 2; i < 20000; i++)
                CHECK_EQ(in[i], -1);
#ifdef RMASHM
            for (int i = 0; i < n / 2; i++)
                CHECK_EQ(in[i], before * 100000 + i);
#endif
            int again = -1;
            OK(MPI_Sendrecv(&rank, 1, MPI_INT, next, 2, &again, 1, MPI_INT, before, 2,
                            MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            CHECK_EQ(again, before);
        }
    }
    return check_end();
}
