// Collective calls whose elements do not fit, in number or in type.
//
// ranks: 2 3
// wrong bcast_type: collective mismatch
// wrong bcast_count: collective mismatch
// fails bcast_count
// wrong bcast_derived: collective mismatch
// wrong reduce_count: collective mismatch
// fails reduce_count
// wrong allreduce_type: collective mismatch
// wrong reduce_scatter: collective mismatch
// fails reduce_scatter
// wrong scan_type: collective mismatch
// wrong gather_type: collective mismatch
// wrong gather_count: collective mismatch
// fails gather_count
// wrong gatherv: collective mismatch
// fails gatherv
// wrong scatter_type: collective mismatch
// wrong scatterv: collective mismatch
// fails scatterv
// wrong allgather_type: collective mismatch
// wrong allgatherv: collective mismatch
// fails allgatherv
// wrong alltoall_type: collective mismatch
// wrong alltoallv: collective mismatch
// fails alltoallv
// wrong alltoallw: collective mismatch
// wrong nonblocking: collective mismatch
// wrong persistent: collective mismatch
// wrong neighbors: collective mismatch
// wrong between_groups: collective mismatch
// right all
// right in_place
// right described_otherwise
// right neighbors_right
// right between_groups_right
#include <mpi.h>
#include <string.h>

static const char *variant;
static int is(const char *name) { return !strcmp(variant, name); }

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    variant = argv[1];
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm comm = MPI_COMM_WORLD;
    static int data[256], more[256];
    int ones[8], places[8], bytes[8];
    MPI_Datatype types[8];
    for (int i = 0; i < 8; i++) ones[i] = 1, places[i] = i, bytes[i] = 4 * i, types[i] = MPI_INT;
    MPI_Datatype mine = rank ? MPI_INT : MPI_FLOAT, four;
    MPI_Type_vector(2, 2, 3, MPI_INT, &four);
    MPI_Type_commit(&four);
    const int odd = rank == 0;
    MPI_Barrier(comm);
    if (is("bcast_type")) {
        MPI_Bcast(data, 4, mine, 0, comm);
    } else if (is("bcast_count")) {
        MPI_Bcast(data, 4 + odd, MPI_INT, 0, comm);
    } else if (is("bcast_derived")) {
        if (rank == 0) MPI_Bcast(data, 1, four, 0, comm);
        else MPI_Bcast(data, 4, MPI_FLOAT, 0, comm);
    } else if (is("reduce_count")) {
        MPI_Reduce(data, more, 4 + odd, MPI_INT, MPI_SUM, 1, comm);
        MPI_Recv(data, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm, MPI_STATUS_IGNORE);
    } else if (is("allreduce_type")) {
        MPI_Allreduce(data, more, 4, mine, MPI_SUM, comm);
    } else if (is("reduce_scatter")) {
        if (rank == 0) ones[0] = 2, ones[1] = 0;
        MPI_Reduce_scatter(data, more, ones, MPI_INT, MPI_SUM, comm);
        MPI_Recv(data, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm, MPI_STATUS_IGNORE);
    } else if (is("scan_type")) {
        MPI_Scan(data, more, 4, mine, MPI_SUM, comm);
    } else if (is("gather_type")) {
        MPI_Gather(data, 2, mine, more, 2, MPI_INT, 1, comm);
    } else if (is("gather_count")) {
        MPI_Gather(data, 2 + odd, MPI_INT, more, 2, MPI_INT, 1, comm);
    } else if (is("gatherv")) {
        if (rank == 0) ones[1] = 2;
        places[1] = 50;
        MPI_Gatherv(data, 1, MPI_INT, more, ones, places, MPI_INT, 0, comm);
        MPI_Recv(data, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm, MPI_STATUS_IGNORE);
    } else if (is("scatter_type")) {
        MPI_Scatter(data, 2, MPI_INT, more, 2, mine, 1, comm);
    } else if (is("scatterv")) {
        if (rank == 0) ones[1] = 2;
        MPI_Scatterv(data, ones, places, MPI_INT, more, 1, MPI_INT, 0, comm);
        MPI_Recv(data, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm, MPI_STATUS_IGNORE);
    } else if (is("allgather_type")) {
        MPI_Allgather(data, 2, mine, more, 2, mine, comm);
    } else if (is("allgatherv")) {
        if (rank == 0) ones[1] = 2;
        places[1] = 50;
        MPI_Allgatherv(data, 1, MPI_INT, more, ones, places, MPI_INT, comm);
        MPI_Recv(data, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm, MPI_STATUS_IGNORE);
    } else if (is("alltoall_type")) {
        MPI_Alltoall(data, 2, mine, more, 2, mine, comm);
    } else if (is("alltoallv")) {
        if (rank == 0) ones[1] = 2;
        MPI_Alltoallv(data, ones, places, MPI_INT, more, ones, places, MPI_INT, comm);
        MPI_Recv(data, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm, MPI_STATUS_IGNORE);
    } else if (is("alltoallw")) {
        if (rank == 0) types[1] = MPI_FLOAT;
        MPI_Alltoallw(data, ones, bytes, types, more, ones, bytes, types, comm);
    } else if (is("nonblocking")) {
        MPI_Request request;
        MPI_Iallgather(data, 2, mine, more, 2, mine, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (is("persistent")) {
        MPI_Request request;
        MPI_Bcast_init(data, 2, mine, 0, comm, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    } else if (is("neighbors") || is("neighbors_right")) {
        MPI_Comm ring;
        int periods[1] = {1};
        MPI_Cart_create(comm, 1, &size, periods, 0, &ring);
        if (is("neighbors_right")) mine = MPI_INT;
        MPI_Neighbor_alltoall(data, 2, mine, more, 2, MPI_INT, ring);
        MPI_Comm_free(&ring);
    } else if (is("between_groups") || is("between_groups_right")) {
        MPI_Comm half, both;
        MPI_Comm_split(comm, rank == 0, rank, &half);
        MPI_Intercomm_create(half, 0, comm, rank == 0, 5, &both);
        if (is("between_groups_right")) mine = MPI_INT;
        MPI_Bcast(data, 4, mine, rank == 0 ? MPI_ROOT : 0, both);
        MPI_Allgather(data, 2, MPI_INT, more, 2, MPI_INT, both);
        MPI_Allreduce(data, more, 2, MPI_INT, MPI_SUM, both);
        MPI_Barrier(both);
        MPI_Comm_free(&half);
        MPI_Comm_free(&both);
    } else if (is("all")) {
        for (int i = 0; i < 500; i++) {
            int n = i % 4;
            for (int j = 0; j < size; j++) ones[j] = n, places[j] = 3 * j, bytes[j] = 12 * j;
            MPI_Bcast(data, n, MPI_INT, 0, comm);
            MPI_Reduce(data, more, n, MPI_INT, MPI_SUM, 1, comm);
            MPI_Allreduce(data, more, n, MPI_DOUBLE, MPI_SUM, comm);
            MPI_Reduce_scatter(data, more, ones, MPI_INT, MPI_SUM, comm);
            MPI_Reduce_scatter_block(data, more, n, MPI_INT, MPI_SUM, comm);
            MPI_Scan(data, more, n, MPI_INT, MPI_SUM, comm);
            MPI_Exscan(data, more, n, MPI_INT, MPI_SUM, comm);
            MPI_Gather(data, n, MPI_INT, more, n, MPI_INT, 1, comm);
            MPI_Gatherv(data, n, MPI_INT, more, ones, places, MPI_INT, 0, comm);
            MPI_Scatter(data, n, MPI_INT, more, n, MPI_INT, 1, comm);
            MPI_Scatterv(data, ones, places, MPI_INT, more, n, MPI_INT, 0, comm);
            MPI_Allgather(data, n, MPI_INT, more, n, MPI_INT, comm);
            MPI_Allgatherv(data, n, MPI_INT, more, ones, places, MPI_INT, comm);
            MPI_Alltoall(data, n, MPI_INT, more, n, MPI_INT, comm);
            MPI_Alltoallv(data, ones, places, MPI_INT, more, ones, places, MPI_INT, comm);
            MPI_Alltoallw(data, ones, bytes, types, more, ones, bytes, types, comm);
        }
    } else if (is("in_place")) {
        for (int j = 0; j < size; j++) ones[j] = 2, places[j] = 3 * j, bytes[j] = 12 * j;
        MPI_Gather(rank == 0 ? MPI_IN_PLACE : data, 2, MPI_INT, more, 2, MPI_INT, 0, comm);
        MPI_Scatter(data, 2, MPI_INT, rank == 0 ? MPI_IN_PLACE : more, 2, MPI_INT, 0, comm);
        MPI_Allgather(MPI_IN_PLACE, 7, MPI_FLOAT, more, 2, MPI_INT, comm);
        MPI_Allgatherv(MPI_IN_PLACE, 7, MPI_FLOAT, more, ones, places, MPI_INT, comm);
        MPI_Alltoall(MPI_IN_PLACE, 7, MPI_FLOAT, more, 2, MPI_INT, comm);
        MPI_Alltoallw(MPI_IN_PLACE, ones, bytes, types, more, ones, bytes, types, comm);
        MPI_Reduce(rank == 0 ? MPI_IN_PLACE : data, more, 2, MPI_INT, MPI_SUM, 0, comm);
        MPI_Allreduce(MPI_IN_PLACE, more, 2, MPI_INT, MPI_SUM, comm);
    } else if (is("described_otherwise")) {
        if (rank == 0) MPI_Bcast(data, 1, four, 0, comm);
        else MPI_Bcast(data, 4, MPI_INT, 0, comm);
        MPI_Gather(data, 1, four, more, 4, MPI_INT, 0, comm);
        MPI_Allgather(data, 1, four, more, 2, MPI_2INT, comm);
        if (rank == 0) MPI_Bcast_c(data, 1, four, 0, comm);
        else MPI_Bcast(data, 4, MPI_INT, 0, comm);
        // Where there is nothing, types do not matter.
        MPI_Gather(data, 0, mine, more, 0, MPI_DOUBLE, 0, comm);
    }
    MPI_Type_free(&four);
    MPI_Finalize();
    return 0;
}
