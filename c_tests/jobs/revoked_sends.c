/* ranks: 3; abi: mpich; mpich: skip names beyond MPI */
/* A send that fails as its communicator is revoked gives its buffer back: what has the message by then, a receive or a matched probe, gets the
 * data as it was, or an error. */
#include "check.h"
#include <time.h>

enum { LARGE = 16 * 1024 * 1024, ROUNDS = 60 };

/* Rank 0 sends ones, and writes twos when it may; rank 2 revokes in between. What rank 1 has got by then is right. */
static void one(int round, int probes, int *revoked, int *received)
{
    MPI_Comm comm;
    MPI_Message message = MPI_MESSAGE_NULL;
    unsigned char *data = malloc(LARGE);
    int code = MPI_SUCCESS, wrong = 0;
    CHECK(data != NULL);
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    memset(data, rank == 0, LARGE);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0) {
        code = MPI_Send(data, LARGE, MPI_BYTE, 1, 0, comm);
        *revoked += code != MPI_SUCCESS;
        memset(data, 2, LARGE);
        OK(MPI_Barrier(MPI_COMM_WORLD));
    } else if (rank == 1) {
        if (probes)
            code = MPI_Mprobe(0, 0, comm, &message, MPI_STATUS_IGNORE);
        if (probes && code == MPI_SUCCESS) {
            OK(MPI_Send(NULL, 0, MPI_BYTE, 2, 1, MPI_COMM_WORLD));
            OK(MPI_Barrier(MPI_COMM_WORLD));
            code = MPI_Mrecv(data, LARGE, MPI_BYTE, &message, MPI_STATUS_IGNORE);
        } else if (!probes) {
            code = MPI_Recv(data, LARGE, MPI_BYTE, 0, 0, comm, MPI_STATUS_IGNORE);
        }
        for (int i = 0; code == MPI_SUCCESS && i < LARGE; i++)
            wrong += data[i] != 1;
        CHECK_EQ(wrong, 0);
        *received += code == MPI_SUCCESS;
        if (!probes)
            OK(MPI_Barrier(MPI_COMM_WORLD));
    } else {
        if (probes)
            OK(MPI_Recv(NULL, 0, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        else
            nanosleep(&(struct timespec){.tv_nsec = round * 97000 % 4000000}, NULL);
        OK(MPIX_Comm_revoke(comm));
        OK(MPI_Barrier(MPI_COMM_WORLD));
    }
    OK(MPI_Comm_free(&comm));
    free(data);
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
    int revoked = 0, received = 0;
    check_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    for (int round = 0; round < ROUNDS; round++)
        one(round, 0, &revoked, &received);
    /* What a matched probe holds is there when the send has failed. */
    int before = revoked;
    for (int round = 0; round < 5; round++)
        one(round, 1, &revoked, &received);
    if (rank == 0)
        CHECK_EQ(revoked - before, 5);
    return check_end();
}
