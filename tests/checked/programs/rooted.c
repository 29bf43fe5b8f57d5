// A collective operation with a root orders the others and the root alone, as its data goes.
//
// ranks: 4
// wrong reduce: data race
// wrong gather: data race
// wrong bcast: data race
// wrong scatter: data race
// wrong to_root_of_bcast: data race
// wrong from_root_of_reduce: data race
// right by_bcast
// right by_scatter
// right by_reduce
// right by_gather
// right by_both
// right by_allreduce
#include <mpi.h>
#include <string.h>

static int rank;
static MPI_Win win;
static const MPI_Comm comm = MPI_COMM_WORLD;
static long one = 1, some[4], got;
static char **arguments;

static int is(const char *name) { return !strcmp(name, arguments[1]); }

static void put(void) {
    MPI_Put(&one, 1, MPI_LONG, 2, 0, 1, MPI_LONG, win); // !reduce !gather !bcast !scatter !to_root_of_bcast !from_root_of_reduce
    MPI_Win_flush(2, win);
}

int main(int argc, char **argv) {
    arguments = argv;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    long *mine;
    MPI_Win_allocate(sizeof(long), sizeof(long), MPI_INFO_NULL, comm, &mine, &win);
    *mine = 0;
    MPI_Barrier(comm);
    MPI_Win_lock_all(0, win);
    if (rank == 0) put();
    if (is("reduce")) MPI_Reduce(&one, &got, 1, MPI_LONG, MPI_SUM, 3, comm);
    if (is("gather")) MPI_Gather(&one, 1, MPI_LONG, some, 1, MPI_LONG, 3, comm);
    if (is("bcast")) MPI_Bcast(&got, 1, MPI_LONG, 3, comm);
    if (is("scatter")) MPI_Scatter(some, 1, MPI_LONG, &got, 1, MPI_LONG, 3, comm);
    if (is("to_root_of_bcast")) MPI_Bcast(&got, 1, MPI_LONG, 1, comm);
    if (is("from_root_of_reduce")) MPI_Reduce(&one, &got, 1, MPI_LONG, MPI_SUM, 0, comm);
    if (is("by_bcast")) MPI_Bcast(&got, 1, MPI_LONG, 0, comm);
    if (is("by_scatter")) MPI_Scatter(some, 1, MPI_LONG, &got, 1, MPI_LONG, 0, comm);
    if (is("by_reduce")) MPI_Reduce(&one, &got, 1, MPI_LONG, MPI_SUM, 1, comm);
    if (is("by_gather")) MPI_Gather(&one, 1, MPI_LONG, some, 1, MPI_LONG, 1, comm);
    if (is("by_both")) {
        MPI_Reduce(&one, &got, 1, MPI_LONG, MPI_SUM, 3, comm);
        MPI_Bcast(&got, 1, MPI_LONG, 3, comm);
    }
    if (is("by_allreduce")) MPI_Allreduce(&one, &got, 1, MPI_LONG, MPI_SUM, comm);
    if (rank == 1) put();
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
