// Requests that nobody completes: MPI 4.1 §11.2.2.
//
// ranks: 1
// wrong overwritten: request lost
// wrong forgotten: request lost
// wrong collective: request lost
// wrong started: request lost
// right waited
// right freed
// right tested
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv) {
    const char *variant = argc > 1 ? argv[1] : "";
#define IS(name) (!strcmp(variant, #name))
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Request request, other;
    int in[2] = {0}, out[2] = {1, 2}, flag = 0;
    MPI_Init(&argc, &argv);
    if (IS(overwritten)) {
        MPI_Irecv(in, 1, MPI_INT, 0, 0, comm, &request); // !overwritten
        MPI_Irecv(in + 1, 1, MPI_INT, 0, 1, comm, &request);
        MPI_Send(out, 1, MPI_INT, 0, 0, comm);
        MPI_Send(out, 1, MPI_INT, 0, 1, comm);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (IS(forgotten)) {
        MPI_Isend(out, 2, MPI_INT, 0, 0, comm, &request); // !forgotten
        MPI_Recv(in, 2, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
    } else if (IS(collective)) {
        MPI_Ibarrier(comm, &request); // !collective
    } else if (IS(started)) {
        MPI_Send_init(out, 1, MPI_INT, MPI_PROC_NULL, 0, comm, &request); // !started
        MPI_Start(&request);
    } else {
        MPI_Irecv(in, 1, MPI_INT, 0, 0, comm, &request);
        MPI_Isend(out, 1, MPI_INT, 0, 0, comm, &other);
        if (IS(freed)) MPI_Request_free(&other);
        else MPI_Wait(&other, MPI_STATUS_IGNORE);
        if (IS(tested)) {
            while (!flag) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
