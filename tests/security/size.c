/* Says how many ranks the job has. */
#include <mpi.h>
#include <stdio.h>

int main(void)
{
    int size;
    MPI_Init(NULL, NULL);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    printf("of %d\n", size);
    MPI_Finalize();
    return 0;
}
