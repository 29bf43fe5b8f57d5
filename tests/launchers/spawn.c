/* All ranks start two processes together, which are this program too; rank 0 says how many came. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Comm parent, inter;
    int rank, ranks, sum = 0, one = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_get_parent(&parent);
    inter = parent;
    if (parent == MPI_COMM_NULL)
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, inter);
    if (parent == MPI_COMM_NULL && rank == 0)
        printf("%d ranks have started %d\n", ranks, sum);
    MPI_Comm_disconnect(&inter);
    MPI_Finalize();
    return 0;
}
