// Partitioned messages whose two sides are of other types.
//
// wrong float_as_int: type mismatch
// wrong derived: type mismatch
// wrong pairs: type mismatch
// right other_partitions
// right described_otherwise
// right same
#include <mpi.h>
#include <string.h>

static const char *variant;
static int is(const char *name) { return !strcmp(variant, name); }

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    variant = argv[1];
    int rank, data[256] = {0};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Datatype four, floats;
    MPI_Type_vector(2, 2, 2, MPI_INT, &four);
    MPI_Type_vector(2, 2, 2, MPI_FLOAT, &floats);
    MPI_Type_commit(&four);
    MPI_Type_commit(&floats);
    MPI_Datatype out = MPI_INT, in = MPI_INT;
    int sent[2] = {4, 4}, received[2] = {4, 4};
    if (is("float_as_int")) out = MPI_FLOAT;
    if (is("derived")) out = floats, in = four;
    if (is("pairs")) out = MPI_FLOAT_INT, received[1] = 8;
    if (is("other_partitions")) received[0] = 8, received[1] = 2;
    if (is("described_otherwise")) in = four, received[1] = 1;
    MPI_Request request;
    if (rank == 0) {
        MPI_Psend_init(data, sent[0], sent[1], out, 1, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Start(&request);
        for (int i = 0; i < sent[0]; i++) MPI_Pready(i, request);
    } else {
        MPI_Precv_init(data, received[0], received[1], in, 0, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request); // !float_as_int !derived !pairs
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Start(&request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Type_free(&four);
    MPI_Type_free(&floats);
    MPI_Finalize();
    return 0;
}
