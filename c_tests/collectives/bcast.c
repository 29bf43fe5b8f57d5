/* ranks: 1 2 4 8 */
/* Broadcasts of all sizes from every root, blocking, nonblocking, persistent, and with gaps. */
#include "check.h"

static const int lengths[] = {0, 1, 3, 100, 2048, 2049, 50000};
enum { N = sizeof lengths / sizeof lengths[0], MOST = 50000 };

int main(int argc, char **argv)
{
    static int data[MOST + 1];
    check_start(&argc, &argv);
    for (int root = 0; root < size; root++) {
        for (int k = 0; k < N; k++) {
            for (int way = 0; way < 4; way++) {
                MPI_Request request;
                MPI_Datatype all;
                int n = lengths[k];
                for (int i = 0; i <= MOST; i++)
                    data[i] = rank == root ? root * 1000000 + k * 100000 + i : -1;
                if (way == 0) {
                    OK(MPI_Bcast(data, n, MPI_INT, root, MPI_COMM_WORLD));
                } else if (way == 1) {
                    OK(MPI_Ibcast(data, n, MPI_INT, root, MPI_COMM_WORLD, &request));
                    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
                } else if (way == 2) {
                    /* Every second element, and the signature is the same where it is not used. */
                    OK(MPI_Type_vector(n / 2, 1, 2, MPI_INT, &all));
                    OK(MPI_Type_commit(&all));
                    OK(MPI_Bcast(data, 1, all, root, MPI_COMM_WORLD));
                    OK(MPI_Type_free(&all));
                    for (int i = 0; i < MOST; i++)
                        CHECK_EQ(data[i], rank == root || (i < n / 2 * 2 && i % 2 == 0)
                                              ? root * 1000000 + k * 100000 + i
                                              : -1);
                    continue;
                } else {
                    OK(MPI_Bcast_init(data, n, MPI_INT, root, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
                    for (int round = 0; round < 2; round++) {
                        OK(MPI_Start(&request));
                        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
                    }
                    OK(MPI_Request_free(&request));
                }
                for (int i = 0; i <= MOST; i++)
                    CHECK_EQ(data[i], rank == root || i < n ? root * 1000000 + k * 100000 + i : -1);
            }
        }
    }
    return check_end();
}
