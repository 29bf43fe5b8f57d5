// A buffer of a one-sided operation that is not complete is not for other calls either.
//
// ranks: 2
// wrong bcast: buffer race
// wrong bcast_into: buffer race
// wrong allreduce: buffer race
// wrong ibcast: buffer race
// wrong pack: buffer race
// wrong file: buffer race
// wrong persistent: buffer race
// wrong vector: buffer race
// wrong free: buffer race
// right flushed
// right sent
// right beside
#include <mpi.h>
#include <string.h>

enum { N = 8 };
static int rank;
static MPI_Win win;
static const MPI_Comm comm = MPI_COMM_WORLD;
static long sum[N], all[4 * N];
static char **arguments;

static int is(const char *name) { return !strcmp(name, arguments[1]); }

int main(int argc, char **argv) {
    arguments = argv;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    long *mine, *buffer;
    MPI_Alloc_mem(2 * N * sizeof(long), MPI_INFO_NULL, &buffer);
    memset(buffer, 0, 2 * N * sizeof(long));
    MPI_Win_allocate(N * sizeof(long), sizeof(long), MPI_INFO_NULL, comm, &mine, &win);
    memset(mine, 0, N * sizeof(long));
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Datatype vector;
    MPI_Type_vector(2, 1, 2, MPI_LONG, &vector);
    MPI_Type_commit(&vector);
    if (is("persistent")) MPI_Send_init(buffer, N, MPI_LONG, 1 - rank, 0, comm, &request);
    MPI_Barrier(comm);
    MPI_Win_lock_all(0, win);
    int puts = is("bcast_into") || is("sent");
    if (puts) MPI_Put(buffer, N, MPI_LONG, 1 - rank, 0, N, MPI_LONG, win);
    else MPI_Get(buffer, N, MPI_LONG, 1 - rank, 0, N, MPI_LONG, win);
    if (is("flushed")) MPI_Win_flush_local_all(win);
    if (is("bcast") || is("bcast_into") || is("flushed")) MPI_Bcast(buffer, N, MPI_LONG, is("bcast_into") ? 1 : 0, comm); // !bcast !bcast_into
    if (is("sent")) MPI_Bcast(buffer, N, MPI_LONG, 0, MPI_COMM_SELF);
    if (is("allreduce")) MPI_Allreduce(buffer, sum, N, MPI_LONG, MPI_SUM, comm); // !allreduce
    if (is("ibcast")) MPI_Ibcast(buffer, N, MPI_LONG, 0, comm, &request); // !ibcast
    if (is("pack")) {
        int position = 0;
        MPI_Pack(buffer, N, MPI_LONG, all, sizeof all, &position, comm); // !pack
    }
    if (is("file")) {
        MPI_File file;
        MPI_File_open(MPI_COMM_SELF, "/dev/null", MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
        MPI_File_write(file, buffer, N, MPI_LONG, MPI_STATUS_IGNORE); // !file
        MPI_File_close(&file);
    }
    if (is("persistent")) {
        MPI_Start(&request); // !persistent
        MPI_Recv(all, N, MPI_LONG, 1 - rank, 0, comm, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    }
    if (is("vector") || is("beside"))
        MPI_Sendrecv(is("beside") ? buffer + N : buffer + N - 2, 1, vector, 1 - rank, 0, all, 2, MPI_LONG, 1 - rank, 0, comm, MPI_STATUS_IGNORE); // !vector
    if (is("free")) MPI_Free_mem(buffer); // !free
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(win);
    if (!is("free")) MPI_Free_mem(buffer);
    MPI_Type_free(&vector);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
