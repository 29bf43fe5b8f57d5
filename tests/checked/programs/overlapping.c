// Receive types with a byte in several entries (MPI 4.1 §5.1.11), and arguments that share memory (§2.3).
//
// ranks: 2
// wrong vector: overlapping receive type
// wrong extent: overlapping receive type
// wrong indexed: overlapping receive type
// wrong sendrecv: overlapping arguments
// wrong allreduce: overlapping arguments
// wrong alltoallv: overlapping arguments
// right sent
// right interleaved
// right in_place
// right beside
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv) {
    const char *variant = argc > 1 ? argv[1] : "";
#define IS(name) (!strcmp(variant, #name))
    MPI_Comm comm = MPI_COMM_WORLD;
    int rank, a[64] = {0}, b[64] = {0};
    MPI_Datatype type = MPI_INT, half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    int other = 1 - rank, count = 1, zeros[2] = {0}, twos[2] = {2, 2}, places[2] = {0, 2}, close[2] = {0, 1};
    MPI_Type_contiguous(2, MPI_INT, &half);
    if (IS(vector) || IS(sent)) MPI_Type_vector(3, 2, 1, MPI_INT, &type);
    if (IS(extent)) MPI_Type_create_resized(half, 0, 4, &type), count = 3;
    if (IS(indexed)) {
        int lengths[3] = {2, 2, 2}, starts[3] = {8, 0, 9};
        MPI_Type_indexed(3, lengths, starts, MPI_INT, &type);
    }
    // Elements one in the other's gaps.
    if (IS(interleaved)) {
        MPI_Datatype gaps;
        MPI_Type_vector(2, 1, 2, MPI_INT, &gaps);
        MPI_Type_create_resized(gaps, 0, 4, &type), count = 2;
        MPI_Type_free(&gaps);
    }
    if (type != MPI_INT) {
        int size;
        MPI_Type_commit(&type);
        MPI_Type_size(type, &size);
        if (IS(sent)) MPI_Send(a, count, type, other, 0, comm);
        else MPI_Send(a, count * size / 4, MPI_INT, other, 0, comm);
        if (IS(sent)) MPI_Recv(b, 6, MPI_INT, other, 0, comm, MPI_STATUS_IGNORE);
        else
            MPI_Recv(b, count, type, other, 0, comm, MPI_STATUS_IGNORE); // !vector !extent !indexed
        MPI_Type_free(&type);
    }
    MPI_Type_free(&half);
    if (IS(sendrecv)) MPI_Sendrecv(a, 4, MPI_INT, other, 0, a + 3, 4, MPI_INT, other, 0, comm, MPI_STATUS_IGNORE); // !sendrecv
    if (IS(allreduce)) MPI_Allreduce(a, a + 1, 2, MPI_INT, MPI_SUM, comm); // !allreduce
    if (IS(alltoallv)) MPI_Alltoallv(a, twos, zeros, MPI_INT, b, twos, close, MPI_INT, comm); // !alltoallv
    if (IS(in_place)) {
        MPI_Allreduce(MPI_IN_PLACE, a, 4, MPI_INT, MPI_SUM, comm);
        MPI_Sendrecv_replace(a, 4, MPI_INT, other, 0, other, 0, comm, MPI_STATUS_IGNORE);
        MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, a, 2, MPI_INT, comm);
    }
    if (IS(beside)) {
        MPI_Sendrecv(a, 4, MPI_INT, other, 0, a + 4, 4, MPI_INT, other, 0, comm, MPI_STATUS_IGNORE);
        MPI_Alltoallv(a, twos, zeros, MPI_INT, b, twos, places, MPI_INT, comm);
        MPI_Allgather(a + 1, 0, MPI_INT, a, 0, MPI_INT, comm);
        MPI_Sendrecv(a, 4, MPI_INT, 0, 0, b, 4, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        MPI_Sendrecv(a, 4, MPI_INT, MPI_PROC_NULL, 0, a, 4, MPI_INT, MPI_PROC_NULL, 0, comm, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
