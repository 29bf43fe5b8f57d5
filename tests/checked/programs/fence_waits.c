// What a rank completes in a fence its program can tell nobody before it has passed: who gets something from its part meanwhile knows nothing of that.
//
// ranks: 3
// wrong get: data race
// wrong get_many: data race
// wrong update: data race
// right elsewhere
// right next_epoch
// right told_before
#include <mpi.h>
#include <string.h>
#include <time.h>

enum { ALL = 1024 };
static int rank;
static MPI_Win win;
static const MPI_Comm comm = MPI_COMM_WORLD;
static long from[ALL], into[ALL];
static char **arguments;

static int is(const char *name) { return !strcmp(name, arguments[1]); }

// Rank 1 looks into rank 0's part while rank 0 waits in the fence, as far as that comes in time.
static void look(void) {
    for (int n = 0; n < 10; n++) {
        if (is("update")) MPI_Fetch_and_op(NULL, into + n, MPI_LONG, 0, 10, MPI_NO_OP, win);
        else MPI_Get(into + n, 1, MPI_LONG, 0, is("get_many") ? 10 + n : 10, 1, MPI_LONG, win);
        nanosleep(&(struct timespec){0, 5000000}, NULL);
    }
}

int main(int argc, char **argv) {
    arguments = argv;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    long *mine;
    MPI_Win_allocate(ALL * sizeof(long), sizeof(long), MPI_INFO_NULL, comm, &mine, &win);
    memset(mine, 0, ALL * sizeof(long));
    MPI_Win_fence(0, win);
    if (rank == 0) {
        MPI_Put(from, 1, MPI_LONG, 2, 5, 1, MPI_LONG, win); // !get !get_many !update
        if (is("told_before")) {
            MPI_Win_fence(0, win);
            MPI_Send(NULL, 0, MPI_INT, 1, 0, comm);
        }
    }
    if (rank == 2 && is("told_before")) MPI_Win_fence(0, win);
    if (rank == 1) {
        if (is("told_before")) {
            MPI_Win_fence(0, win);
            MPI_Recv(NULL, 0, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
        }
        look();
        if (is("next_epoch")) MPI_Win_fence(0, win);
        MPI_Put(from, 1, MPI_LONG, 2, is("elsewhere") ? 6 : 5, 1, MPI_LONG, win); // !get !get_many !update
    } else if (is("next_epoch")) {
        MPI_Win_fence(0, win);
    }
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
