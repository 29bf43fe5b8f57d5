/* Rank 1 waits for 8 MiB of rank 0, which sends them late: no message of that size goes in pieces, the receiver copies it at once. */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

enum { BYTES = 8 << 20 };

int main(void)
{
    char *buffer = calloc(BYTES, 1);
    int rank;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        usleep(400 * 1000);
        MPI_Send(buffer, BYTES, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(buffer, BYTES, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    free(buffer);
    return 0;
}
