// Calls that fail, and whose code nobody need have looked at: MPI 4.1 §9.3.
//
// ranks: 1
// wrong rank: note: error
// wrong type: note: error
// wrong freed: note: error
// wrong started_twice: note: error
// right succeeds
// right own_handler
#include <mpi.h>
#include <string.h>

static void on_error(MPI_Comm *comm, int *code, ...) { (void)comm, (void)code; }

int main(int argc, char **argv) {
    const char *variant = argc > 1 ? argv[1] : "";
#define IS(name) (!strcmp(variant, #name))
    MPI_Comm comm = MPI_COMM_WORLD;
    int value = 0;
    MPI_Datatype type;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    if (IS(rank)) MPI_Send(&value, 1, MPI_INT, 7, 0, comm); // !rank
    if (IS(type) || IS(freed)) {
        MPI_Type_contiguous(2, MPI_INT, &type);
        if (IS(type)) MPI_Send(&value, 1, type, 0, 0, comm); // !type
        MPI_Datatype kept = type;
        MPI_Type_free(&type);
        if (IS(freed)) MPI_Type_commit(&kept); // !freed
    }
    if (IS(started_twice)) {
        MPI_Recv_init(&value, 1, MPI_INT, MPI_PROC_NULL, 0, comm, &request);
        MPI_Start(&request);
        MPI_Start(&request); // !started_twice
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    }
    if (IS(own_handler)) {
        MPI_Errhandler handler;
        MPI_Comm_create_errhandler(on_error, &handler);
        MPI_Comm_set_errhandler(comm, handler);
        MPI_Errhandler_free(&handler); // The communicator has it yet.
        MPI_Send(&value, 1, MPI_INT, 7, 0, comm);
    }
    MPI_Finalize();
    return 0;
}
