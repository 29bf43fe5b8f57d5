// What is not complete conflicts with what others do, however much its process has done since.
//
// ranks: 3
// wrong gets: data race
// wrong fetches: data race
// wrong both: data race
// wrong in_turn: data race
// wrong several: data race
// wrong accumulate: data race
// right flushed
// right flushed_soon
// right flushed_several
// right elsewhere
#include <mpi.h>
#include <string.h>

enum { ALL = 1024 };
static int rank;
static MPI_Win win;
static const MPI_Comm comm = MPI_COMM_WORLD;
static long from[ALL], into[ALL];
static char **arguments;

static int is(const char *name) { return !strcmp(name, arguments[1]); }

// Rank 0 looks at rank 1's part many times.
static void poll(int times) {
    for (int n = 0; n < times; n++) {
        if (is("fetches") || (is("both") && n % 2)) MPI_Fetch_and_op(NULL, into, MPI_LONG, 1, 0, MPI_NO_OP, win);
        else MPI_Get(into, 1, MPI_LONG, 1, is("in_turn") ? n % 5 * 7 : 0, 1, MPI_LONG, win);
        MPI_Win_flush(1, win);
    }
}

int main(int argc, char **argv) {
    arguments = argv;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    long *mine;
    MPI_Win_allocate(ALL * sizeof(long), sizeof(long), MPI_INFO_NULL, comm, &mine, &win);
    memset(mine, 0, ALL * sizeof(long));
    MPI_Barrier(comm);
    MPI_Win_lock_all(0, win);
    if (rank == 0) {
        int several = is("several") || is("flushed_several");
        for (int n = 0; several && n < 30; n++) MPI_Put(from, 1, MPI_LONG, 2, 100 + n * n, 1, MPI_LONG, win);
        if (is("accumulate")) MPI_Accumulate(from, 1, MPI_LONG, 2, 5, 1, MPI_LONG, MPI_SUM, win); // !accumulate
        else MPI_Put(from, 1, MPI_LONG, 2, 5, 1, MPI_LONG, win); // !gets !fetches !both !in_turn !several
        poll(is("flushed_soon") ? 300 : 2000);
        if (!strncmp(argv[1], "flushed", 7)) MPI_Win_flush(2, win);
        MPI_Send(NULL, 0, MPI_INT, 1, 0, comm);
    } else if (rank == 1) {
        MPI_Recv(NULL, 0, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
        MPI_Put(from, 1, MPI_LONG, 2, is("elsewhere") ? 6 : 5, 1, MPI_LONG, win); // !gets !fetches !both !in_turn !several !accumulate
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
