// Processes that make different collective calls, or the same with other roots, operations, places.
//
// ranks: 2 3
// wrong barrier_bcast: collective mismatch
// fails barrier_bcast
// wrong blocking: collective mismatch
// fails blocking
// wrong variable: collective mismatch
// fails variable
// wrong roots: collective mismatch
// fails roots
// wrong roots_of_reduce: collective mismatch
// fails roots_of_reduce
// wrong roots_nonblocking: collective mismatch
// fails roots_nonblocking
// wrong operations: collective mismatch
// wrong user_operation: collective mismatch
// fails user_operation
// wrong operations_of_scan: collective mismatch
// wrong in_place: collective mismatch
// wrong dup_and_barrier: collective mismatch
// fails dup_and_barrier
// wrong window_and_barrier: collective mismatch
// fails window_and_barrier
// wrong persistent: collective mismatch
// fails persistent
// right same
// right different_communicators
// right user_operations
// right starts_in_any_order
#include <mpi.h>
#include <string.h>

static const char *variant;
static int is(const char *name) { return !strcmp(variant, name); }
static void add(void *in, void *inout, int *n, MPI_Datatype *type) {
    for (int i = 0; i < *n; i++) ((int *)inout)[i] += ((int *)in)[i];
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    variant = argv[1];
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm comm = MPI_COMM_WORLD;
    int data[64] = {0}, more[64] = {0}, counts[8], places[8];
    for (int i = 0; i < 8; i++) counts[i] = 1, places[i] = i;
    MPI_Request request, requests[2];
    MPI_Op op;
    MPI_Op_create(add, 1, &op);
    MPI_Barrier(comm);
    if (is("barrier_bcast")) {
        if (rank == 0) MPI_Barrier(comm);
        else MPI_Bcast(data, 4, MPI_INT, 0, comm);
        MPI_Barrier(comm);
        if (rank == 0) MPI_Bcast(data, 4, MPI_INT, 0, comm);
    } else if (is("blocking")) {
        if (rank == 0) {
            MPI_Ibarrier(comm, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            MPI_Barrier(comm);
        }
    } else if (is("variable")) {
        if (rank == 0) MPI_Gatherv(data, 1, MPI_INT, more, counts, places, MPI_INT, 0, comm);
        else MPI_Gather(data, 1, MPI_INT, more, 1, MPI_INT, 0, comm);
        MPI_Allreduce(data, more, 1, MPI_INT, MPI_SUM, comm);
        MPI_Recv(data, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm, MPI_STATUS_IGNORE);
    } else if (is("roots")) {
        MPI_Bcast(data, 4, MPI_INT, rank == 0, comm);
        MPI_Barrier(comm);
        MPI_Recv(data, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm, MPI_STATUS_IGNORE);
    } else if (is("roots_of_reduce")) {
        MPI_Reduce(data, more, 4, MPI_INT, MPI_SUM, rank == 0, comm);
        MPI_Barrier(comm);
        MPI_Recv(data, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm, MPI_STATUS_IGNORE);
    } else if (is("roots_nonblocking")) {
        MPI_Igather(data, 4, MPI_INT, more, 4, MPI_INT, rank == 0, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Recv(data, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm, MPI_STATUS_IGNORE);
    } else if (is("operations")) {
        MPI_Allreduce(data, more, 4, MPI_INT, rank ? MPI_SUM : MPI_MAX, comm);
    } else if (is("user_operation")) {
        MPI_Allreduce(data, more, 4, MPI_INT, rank ? MPI_SUM : op, comm);
    } else if (is("operations_of_scan")) {
        MPI_Iscan(data, more, 4, MPI_INT, rank ? MPI_SUM : MPI_PROD, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (is("in_place")) {
        MPI_Allgather(rank ? MPI_IN_PLACE : data, 4, MPI_INT, more, 4, MPI_INT, comm);
    } else if (is("dup_and_barrier")) {
        MPI_Comm other = MPI_COMM_NULL;
        if (rank == 0) MPI_Comm_dup(comm, &other);
        MPI_Barrier(comm);
        if (rank != 0) MPI_Comm_dup(comm, &other);
        MPI_Recv(data, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm, MPI_STATUS_IGNORE);
    } else if (is("window_and_barrier")) {
        MPI_Win win;
        void *base;
        if (rank == 0) MPI_Win_allocate(8, 1, MPI_INFO_NULL, comm, &base, &win);
        MPI_Barrier(comm);
        if (rank != 0) MPI_Win_allocate(8, 1, MPI_INFO_NULL, comm, &base, &win);
        MPI_Recv(data, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm, MPI_STATUS_IGNORE);
    } else if (is("persistent")) {
        if (rank == 0) MPI_Bcast_init(data, 4, MPI_INT, 0, comm, MPI_INFO_NULL, &request);
        else MPI_Allreduce_init(data, more, 4, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Recv(data, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm, MPI_STATUS_IGNORE);
    } else if (is("same")) {
        MPI_Comm other;
        MPI_Comm_dup(comm, &other);
        for (int i = 0; i < 3000; i++) {
            MPI_Bcast(data, i % 5, MPI_INT, i % size, i % 2 ? comm : other);
            MPI_Reduce(data, more, 4, MPI_INT, MPI_SUM, i % size, comm);
            MPI_Ibarrier(comm, &requests[0]);
            MPI_Iallreduce(data, more, 2, MPI_INT, MPI_MAX, other, &requests[1]);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        }
        MPI_Comm_free(&other);
    } else if (is("different_communicators")) {
        MPI_Comm other;
        MPI_Comm_dup(comm, &other);
        if (rank == 0) MPI_Ibarrier(other, &requests[0]);
        MPI_Ibcast(data, 4, MPI_INT, 0, comm, &requests[1]);
        if (rank != 0) MPI_Ibarrier(other, &requests[0]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        MPI_Comm_free(&other);
    } else if (is("user_operations")) {
        MPI_Op twin;
        MPI_Op_create(add, 1, &twin);
        MPI_Allreduce(data, more, 4, MPI_INT, rank ? op : twin, comm);
        MPI_Op_free(&twin);
    } else if (is("starts_in_any_order")) {
        MPI_Comm other;
        MPI_Comm_dup(comm, &other);
        MPI_Bcast_init(data, 4, MPI_INT, 0, comm, MPI_INFO_NULL, &requests[0]);
        MPI_Allreduce_init(data, more, 4, MPI_INT, MPI_SUM, other, MPI_INFO_NULL, &requests[1]);
        for (int i = 0; i < 2; i++) MPI_Start(&requests[(i + rank) % 2]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        for (int i = 0; i < 2; i++) MPI_Request_free(&requests[i]);
        MPI_Comm_free(&other);
    }
    MPI_Op_free(&op);
    MPI_Finalize();
    return 0;
}
