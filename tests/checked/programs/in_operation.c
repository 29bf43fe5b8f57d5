// What the function of an operation may not call: MPI 4.1 §6.9.5.
//
// ranks: 2
// wrong collective: forbidden call
// wrong message: forbidden call
// wrong waits: forbidden call
// wrong duplicates: forbidden call
// right asks
// right reduces_locally
#include <mpi.h>
#include <string.h>

static const char *variant;
#define IS(name) (!strcmp(variant, #name))

static void sum(void *in, void *inout, int *len, MPI_Datatype *type) {
    int flag, value = 0;
    MPI_Aint lb, extent;
    MPI_Request request = MPI_REQUEST_NULL;
    if (IS(collective)) MPI_Barrier(MPI_COMM_SELF); // !collective
    if (IS(message)) MPI_Iprobe(0, 0, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE); // !message
    MPI_Comm copy;
    if (IS(duplicates)) MPI_Comm_dup(MPI_COMM_SELF, &copy), MPI_Comm_free(&copy); // !duplicates
    if (IS(waits)) MPI_Wait(&request, MPI_STATUS_IGNORE); // !waits
    if (IS(asks)) MPI_Type_get_extent(*type, &lb, &extent), MPI_Get_address(&value, &lb), MPI_Wtime();
    if (IS(reduces_locally)) MPI_Reduce_local(in, inout, *len, *type, MPI_SUM);
    else for (int i = 0; i < *len; i++) ((int *)inout)[i] += ((int *)in)[i];
}

int main(int argc, char **argv) {
    variant = argc > 1 ? argv[1] : "";
    int a[4] = {1, 2, 3, 4}, b[4];
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Op_create(sum, 1, &op);
    MPI_Allreduce(a, b, 4, MPI_INT, op, MPI_COMM_WORLD);
    MPI_Op_free(&op);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return b[3] != 8;
}
