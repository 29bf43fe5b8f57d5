/* ranks: 2; seconds: 60; mpich: skip it cancels no sends, and waits for them for ever */
/* Very many sends and receives are cancelled, the newest first and the oldest first: what one takes does not grow with the
 * number of the others. (If it did, this would take minutes.) */
#include "check.h"
#include <sched.h>

enum { N = 100000, DATA = 1, OTHER = 2 };

static MPI_Request requests[N];
static MPI_Status statuses[N];
static int *over; /* in rank 0's memory: all of its sends were cancelled */

static int cancel_all(int newest_first)
{
    int cancelled = 0;
    for (int i = 0; i < N; i++)
        OK(MPI_Cancel(&requests[newest_first ? N - 1 - i : i]));
    OK(MPI_Waitall(N, requests, statuses));
    for (int i = 0; i < N; i++) {
        int flag = -1;
        OK(MPI_Test_cancelled(&statuses[i], &flag));
        cancelled += flag;
    }
    return cancelled;
}

/* Of one source and tag, which is the worst case. */
static void receives(int newest_first)
{
    static int in[N];
    for (int i = 0; i < N; i++)
        OK(MPI_Irecv(&in[i], 1, MPI_INT, !rank, DATA, MPI_COMM_WORLD, &requests[i]));
    CHECK_EQ(cancel_all(newest_first), N);
}

/* Their receiver calls MPI when all were cancelled: a few have left, into its ring. */
static void sends(int newest_first, int synchronous)
{
    static char out[1000], in[1000];
    int flag;
    barrier();
    if (rank == 0) {
        for (int i = 0; i < N; i++)
            OK((synchronous ? MPI_Issend : MPI_Isend)(out, sizeof out, MPI_BYTE, 1, DATA, MPI_COMM_WORLD, &requests[i]));
        int left = N - cancel_all(newest_first);
        CHECK(synchronous ? left == 0 : left < N / 2);
        __atomic_store_n(over, 1, __ATOMIC_RELEASE);
        OK(MPI_Send(&left, 1, MPI_INT, 1, OTHER, MPI_COMM_WORLD));
    } else {
        int left;
        while (!__atomic_exchange_n(over, 0, __ATOMIC_ACQUIRE))
            sched_yield();
        OK(MPI_Recv(&left, 1, MPI_INT, 0, OTHER, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        for (int i = 0; i < left; i++)
            OK(MPI_Recv(in, sizeof in, MPI_BYTE, 0, DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        OK(MPI_Iprobe(0, DATA, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
        CHECK(!flag);
    }
}

int main(int argc, char **argv)
{
    MPI_Win win;
    MPI_Aint length;
    int unit;
    check_start(&argc, &argv);
    OK(MPI_Win_allocate_shared(rank == 0 ? sizeof *over : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &over, &win));
    OK(MPI_Win_shared_query(win, 0, &length, &unit, &over));
    for (int newest_first = 0; newest_first < 2; newest_first++) {
        receives(newest_first);
        sends(newest_first, 0);
        sends(newest_first, 1);
    }
    OK(MPI_Win_free(&win));
    return check_end();
}
