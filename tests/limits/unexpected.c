/* Messages without a receive, until there is no memory for them. The argument: how many bytes each has. */
#include <mpi.h>
#include <stdlib.h>
#include <sys/resource.h>

static char data[30000];

/* No more address space than there is. */
static void limit(void)
{
    struct rlimit space = {1 << 20, 1 << 20};
    setrlimit(RLIMIT_AS, &space);
}

int main(int argc, char **argv)
{
    int rank, bytes = argc > 1 ? atoi(argv[1]) : 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        limit();
    for (;;) {
        int is_there;
        if (rank == 0)
            MPI_Send(data, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
        else
            MPI_Iprobe(0, 2, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
    }
}
