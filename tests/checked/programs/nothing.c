// Programs that do nothing wrong.
//
// ranks: 1 3
// right barrier
// right nothing
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    if (argc > 1 && !strcmp(argv[1], "barrier")) MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
