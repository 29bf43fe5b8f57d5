// What processes agree on comes from all of them: it orders as a barrier does, also where the communicator of those that live is made. (Reports of
// failures alone order nothing.)
//
// ranks: 2 3
// wrong acknowledged: data race
// right agree
// right iagree
// right shrink
// right ishrink
// right again
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv) {
    const MPI_Comm comm = MPI_COMM_WORLD;
    int rank, flag = 1, count;
    long *mine, value = 1;
    MPI_Win win;
    MPI_Comm living = MPI_COMM_NULL;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    MPI_Win_allocate(8 * sizeof(long), sizeof(long), MPI_INFO_NULL, comm, &mine, &win);
    memset(mine, 0, 8 * sizeof(long));
    MPI_Barrier(comm);
    MPI_Win_lock_all(0, win);
    for (int turn = 0; turn < (!strcmp(argv[1], "again") ? 20 : 1); turn++) {
        if (rank == turn % 2) {
            MPI_Put(&value, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win); // !acknowledged
            MPI_Win_flush(0, win);
        }
        if (!strcmp(argv[1], "agree") || !strcmp(argv[1], "again"))
            MPIX_Comm_agree(comm, &flag);
        else if (!strcmp(argv[1], "shrink"))
            MPIX_Comm_shrink(comm, &living);
        else if (!strcmp(argv[1], "acknowledged"))
            MPIX_Comm_ack_failed(comm, 0, &count);
        else if (!strcmp(argv[1], "iagree"))
            MPIX_Comm_iagree(comm, &flag, &request);
        else
            MPIX_Comm_ishrink(comm, &living, &request);
        if (argv[1][0] == 'i')
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (living != MPI_COMM_NULL)
            MPI_Comm_free(&living);
        if (rank == 1 - turn % 2) {
            MPI_Put(&value, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win); // !acknowledged
            MPI_Win_flush(0, win);
        }
        MPI_Barrier(comm);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
