/* ranks: 2 4 */
/* Very many messages that nobody waits for yet, received in the worst order; the sender is not held up by the receiver. */
#include "check.h"

enum { N = 30000 };

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    int partner = rank ^ 1;
    MPI_Request *requests = malloc(N * sizeof *requests);
    int *out = malloc(N * sizeof *out), *in = malloc(N * sizeof *in);
    for (int i = 0; i < N; i++) {
        out[i] = rank * N + i;
        OK(MPI_Isend(&out[i], 1, MPI_INT, partner, i, MPI_COMM_WORLD, &requests[i]));
    }
    /* All are there when this one is. */
    int last = -1;
    OK(MPI_Sendrecv(&rank, 1, MPI_INT, partner, N, &last, 1, MPI_INT, partner, N, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE));
    CHECK_EQ(last, partner);
    for (int i = N - 1; i >= 0; i--)
        OK(MPI_Recv(&in[i], 1, MPI_INT, partner, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int i = 0; i < N; i++)
        CHECK_EQ(in[i], partner * N + i);
    OK(MPI_Waitall(N, requests, MPI_STATUSES_IGNORE));

    /* And as many receives posted, met in the opposite order. */
    for (int i = 0; i < N; i++)
        OK(MPI_Irecv(&in[i], 1, MPI_INT, partner, i, MPI_COMM_WORLD, &requests[i]));
    barrier();
    for (int i = N - 1; i >= 0; i--)
        OK(MPI_Send(&out[i], 1, MPI_INT, partner, i, MPI_COMM_WORLD));
    OK(MPI_Waitall(N, requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < N; i++)
        CHECK_EQ(in[i], partner * N + i);
    free(requests);
    free(out);
    free(in);
    return check_end();
}
