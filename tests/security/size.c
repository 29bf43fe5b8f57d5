/* Says how many ranks the job has. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    int size;
    MPI_Init(NULL, NULL);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    printf("of %d\n", size);
    MPI_Finalize();
    /* Hydra may be killed by SIGPIPE when programs that do not speak with it end before it has started all. */
    usleep(200000);
    return 0;
}
