/* moves: rank 0 sends 64 bytes to nobody and to itself, and four partitions of 5 integers to rank 1. */
#include <mpi.h>
#include <stddef.h>

int main(void)
{
    static char data[64], room[64];
    int rank, numbers[20] = {0};
    MPI_Request request;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Send(data, 64, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
        MPI_Irecv(room, 64, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &request);
        MPI_Send(data, 64, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Psend_init(numbers, 4, 5, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    } else {
        MPI_Precv_init(numbers, 4, 5, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    }
    MPI_Start(&request);
    for (int i = 0; rank == 0 && i < 4; i++)
        MPI_Pready(i, request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
