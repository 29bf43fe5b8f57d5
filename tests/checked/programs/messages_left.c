// Messages that nobody receives.
//
// wrong other_tag: message never received
// wrong one_too_many: message never received
// wrong of_a_freed_communicator: message never received
// wrong nonblocking: message never received
// right all_received
// right cancelled
// right probed
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    const char *variant = argv[1];
    int rank, data[4] = {0};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm comm = MPI_COMM_WORLD;
    if (!strcmp(variant, "other_tag")) {
        if (rank == 0) MPI_Send(data, 4, MPI_INT, 1, 3, comm); // !other_tag
    } else if (!strcmp(variant, "one_too_many")) {
        for (int i = 0; i < 3; i++)
            if (rank == 0) MPI_Send(data, i, MPI_INT, 1, 3, comm); // !one_too_many
        for (int i = 0; i < 2; i++)
            if (rank == 1) MPI_Recv(data, 4, MPI_INT, 0, 3, comm, MPI_STATUS_IGNORE);
    } else if (!strcmp(variant, "of_a_freed_communicator")) {
        MPI_Comm_dup(comm, &comm);
        if (rank == 0) MPI_Send(data, 4, MPI_INT, 1, 3, comm); // !of_a_freed_communicator
        MPI_Comm_free(&comm);
    } else if (!strcmp(variant, "nonblocking")) {
        MPI_Request request;
        if (rank == 0) {
            MPI_Isend(data, 4, MPI_INT, 1, 3, comm, &request); // !nonblocking
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    } else if (!strcmp(variant, "cancelled")) {
        MPI_Request request;
        if (rank == 0) {
            static int much[1 << 16];
            MPI_Isend(much, 1 << 16, MPI_INT, 1, 3, comm, &request);
            MPI_Cancel(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    } else {
        if (rank == 0) MPI_Send(data, 4, MPI_INT, 1, 3, comm);
        if (rank == 1 && !strcmp(variant, "probed")) MPI_Probe(0, 3, comm, MPI_STATUS_IGNORE);
        if (rank == 1) MPI_Recv(data, 4, MPI_INT, 0, 3, comm, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
