// ranks: 4
// wrong ring: type mismatch
// wrong kept: note: not freed
// once ring
// once kept
// told ring: check: 4 findings, 1 but for ranks and addresses
// What all ranks do wrong at one line is told once.
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (!strcmp(argv[1], "ring")) {
        float mine = 1;
        int got;
        MPI_Request request;
        MPI_Isend(&mine, 1, MPI_FLOAT, (rank + 1) % ranks, 0, MPI_COMM_WORLD, &request); // !ring
        MPI_Recv(&got, 1, MPI_INT, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // !ring
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (!strcmp(argv[1], "kept")) {
        MPI_Datatype type;
        MPI_Type_contiguous(3, MPI_INT, &type); // !kept
    }
    MPI_Finalize();
    return 0;
}
