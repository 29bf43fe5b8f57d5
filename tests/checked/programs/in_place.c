// MPI_IN_PLACE that some give and others do not, where all have to or nobody: MPI 4.1 §6.7, §6.8, §6.9.6, §6.10.1.
//
// ranks: 2 3
// wrong allreduce: collective mismatch
// wrong iallreduce: collective mismatch
// wrong reduce_scatter_block: collective mismatch
// wrong allgather: collective mismatch
// wrong allgatherv: collective mismatch
// fails allgatherv
// wrong alltoall: collective mismatch
// right all
// right nobody
// right each_as_it_likes
// right nothing
#include <mpi.h>
#include <string.h>

static int is(const char *name, char **argv) { return !strcmp(name, argv[1]); }
static const MPI_Comm comm = MPI_COMM_WORLD;

int main(int argc, char **argv) {
    int rank, size, counts[8], displs[8], in[8] = {1, 2, 3, 4}, out[8] = {4, 3, 2, 1};
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int r = 0; r < size; r++) counts[r] = 1, displs[r] = r;
    // What one rank gives, and what the others do.
    const void *some = rank ? MPI_IN_PLACE : in;
    if (is("allreduce", argv)) {
        MPI_Allreduce(some, out, 2, MPI_INT, MPI_SUM, comm); // !allreduce
    } else if (is("iallreduce", argv)) {
        MPI_Iallreduce(some, out, 2, MPI_INT, MPI_MAX, comm, &request); // !iallreduce
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (is("reduce_scatter_block", argv)) {
        MPI_Reduce_scatter_block(some, out, 2, MPI_INT, MPI_SUM, comm); // !reduce_scatter_block
    } else if (is("allgather", argv)) {
        MPI_Allgather(some, 1, MPI_INT, out, 1, MPI_INT, comm); // !allgather
    } else if (is("allgatherv", argv)) {
        MPI_Allgatherv(some, 1, MPI_INT, out, counts, displs, MPI_INT, comm); // !allgatherv
        MPI_Abort(comm, 1);
    } else if (is("alltoall", argv)) {
        MPI_Alltoall(some, 1, MPI_INT, out, 1, MPI_INT, comm); // !alltoall
    } else if (is("all", argv) || is("nobody", argv)) {
        some = is("all", argv) ? MPI_IN_PLACE : in;
        MPI_Allreduce(some, out, 2, MPI_INT, MPI_SUM, comm);
        MPI_Reduce_scatter_block(some, out, 2, MPI_INT, MPI_SUM, comm);
        MPI_Allgather(some, 1, MPI_INT, out, 1, MPI_INT, comm);
        MPI_Allgatherv(some, 1, MPI_INT, out, counts, displs, MPI_INT, comm);
        MPI_Alltoall(some, 1, MPI_INT, out, 1, MPI_INT, comm);
    } else if (is("each_as_it_likes", argv)) {
        MPI_Reduce_scatter(some, out, counts, MPI_INT, MPI_SUM, comm);
        MPI_Scan(some, out, 2, MPI_INT, MPI_SUM, comm);
        MPI_Exscan(some, out, 2, MPI_INT, MPI_SUM, comm);
        MPI_Reduce(rank ? in : MPI_IN_PLACE, out, 2, MPI_INT, MPI_SUM, 0, comm);
        MPI_Gather(rank ? in : MPI_IN_PLACE, 1, MPI_INT, out, 1, MPI_INT, 0, comm);
        MPI_Scatter(in, 1, MPI_INT, rank ? out : MPI_IN_PLACE, 1, MPI_INT, 0, comm);
    } else if (is("nothing", argv)) {
        // Of nothing it cannot be told.
        MPI_Allreduce(some, out, 0, MPI_INT, MPI_SUM, comm);
    }
    MPI_Finalize();
    return 0;
}
