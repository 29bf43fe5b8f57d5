/* Sums the ranks with every rank; compiles as C and as C++. Prints "sum of N ranks" once if it is right. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, sum = -1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && sum == size * (size - 1) / 2)
        printf("sum of %d ranks\n", size);
    MPI_Finalize();
    return sum == size * (size - 1) / 2 ? 0 : 1;
}
