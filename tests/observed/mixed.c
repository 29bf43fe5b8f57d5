/* mixed: rank 1 receives 1000 messages of 8 bytes; before every 100th rank 0 sleeps 20 ms. Between them both do what neither waits nor moves
 * anything, and now and then a large message comes, from rank 1 itself too. */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

int main(void)
{
    static char large[65536], also[65536];
    long word = 0;
    int rank, size, flag;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 1; i <= 1000; i++) {
        if (rank == 0) {
            if (i % 100 == 0)
                usleep(20000);
            MPI_Send(&word, 1, MPI_LONG, 1, 0, MPI_COMM_WORLD);
        } else {
            MPI_Recv(&word, 1, MPI_LONG, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        for (int k = 0; k < 3; k++) {
            MPI_Comm_size(MPI_COMM_WORLD, &size);
            MPI_Iprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        }
        if (rank == 1 && i % 10 == 0)
            MPI_Sendrecv(large, sizeof large, MPI_CHAR, 1, 2, also, sizeof also, MPI_CHAR, 1, 2, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
