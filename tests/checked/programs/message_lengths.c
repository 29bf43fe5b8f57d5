// Messages that are longer than their receives.
//
// wrong ints: message too long
// wrong long_message: message too long
// wrong waited_for: message too long
// fails ints
// fails long_message
// fails waited_for
// right shorter
// right exact
// right error_given_back
// noted error_given_back
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    const char *variant = argv[1];
    int rank;
    static int data[1 << 16];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!strcmp(variant, "ints")) {
        if (rank == 0) MPI_Send(data, 8, MPI_INT, 1, 3, MPI_COMM_WORLD);
        else MPI_Recv(data, 4, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // !ints
    } else if (!strcmp(variant, "long_message")) {
        if (rank == 0) MPI_Send(data, 1 << 16, MPI_INT, 1, 3, MPI_COMM_WORLD);
        else MPI_Recv(data, 1 << 15, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // !long_message
    } else if (!strcmp(variant, "waited_for")) {
        MPI_Request request;
        if (rank == 1) MPI_Irecv(data, 4, MPI_INT, 0, 3, MPI_COMM_WORLD, &request); // !waited_for
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) MPI_Isend(data, 8, MPI_INT, 1, 3, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (!strcmp(variant, "error_given_back")) {
        int class = MPI_SUCCESS;
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        if (rank == 0) MPI_Send(data, 8, MPI_INT, 1, 3, MPI_COMM_WORLD);
        if (rank == 1) MPI_Error_class(MPI_Recv(data, 4, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE), &class);
        if (rank == 1 && class != MPI_ERR_TRUNCATE) MPI_Abort(MPI_COMM_WORLD, 1);
    } else {
        int sent = !strcmp(variant, "exact") ? 8 : 5;
        if (rank == 0) MPI_Send(data, sent, MPI_INT, 1, 3, MPI_COMM_WORLD);
        else MPI_Recv(data, 8, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
