/* ranks: 2 4 */
/* Messages of 64 MiB: from private memory, from MPI_Alloc_mem, with gaps at either end. */
#include "check.h"

enum { N = 64 << 20 };

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    if (rank < 2) {
        unsigned char *mine = malloc(N), *theirs, *want = malloc(N);
        OK(MPI_Alloc_mem(N, MPI_INFO_NULL, &theirs));
        for (int way = 0; way < 4; way++) {
            MPI_Datatype gaps;
            OK(MPI_Type_vector(N / 128, 64, 128, MPI_BYTE, &gaps));
            OK(MPI_Type_commit(&gaps));
            unsigned char *out = way % 2 ? theirs : mine, *in = way % 2 ? mine : theirs;
            fill(want, N, way);
            if (rank == 0) {
                memcpy(out, want, N);
                if (way < 2)
                    OK(MPI_Send(out, N, MPI_BYTE, 1, way, MPI_COMM_WORLD));
                else
                    OK(MPI_Send(out, 1, gaps, 1, way, MPI_COMM_WORLD));
            } else {
                memset(in, 0, N);
                if (way < 2) {
                    OK(MPI_Recv(in, N, MPI_BYTE, 0, way, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
                    CHECK_BYTES(in, want, N);
                } else {
                    OK(MPI_Recv(in, 1, gaps, 0, way, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
                    for (int i = 0; i < N; i++)
                        CHECK_EQ(in[i], i % 128 < 64 ? want[i] : 0);
                }
            }
            OK(MPI_Type_free(&gaps));
        }
        free(mine);
        free(want);
        OK(MPI_Free_mem(theirs));
    }
    return check_end();
}
