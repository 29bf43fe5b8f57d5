/* ranks: 2; abi: mpich; mpich: skip names beyond MPI */
/* A buffered message in a communicator that is revoked before it is received does not keep its sender: not in MPI_Buffer_detach, whether the
 * revocation comes before it or while it waits. */
#include "check.h"
#include <stdlib.h>
#include <time.h>

enum { BYTES = 1 << 20 };

static void nap(void)
{
    struct timespec time = {.tv_nsec = 50000000};
    nanosleep(&time, NULL);
}

int main(int argc, char **argv)
{
    int bytes = BYTES + MPI_BSEND_OVERHEAD, length;
    char *data = calloc(1, BYTES), *buffer = malloc((size_t)bytes);
    check_start(&argc, &argv);
    for (int by = 0; by < 2; by++) {
        MPI_Comm comm;
        void *detached = NULL;
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
        if (rank == 0) {
            OK(MPI_Buffer_attach(buffer, bytes));
            OK(MPI_Bsend(data, BYTES, MPI_BYTE, 1, 1, comm));
        }
        OK(MPI_Barrier(MPI_COMM_WORLD));
        if (rank == by) {
            if (by == 1)
                nap();
            OK(MPIX_Comm_revoke(comm));
        }
        if (rank == 0) {
            OK(MPI_Buffer_detach(&detached, &length));
            CHECK(detached == buffer);
            CHECK_EQ(length, bytes);
        }
        OK(MPI_Barrier(MPI_COMM_WORLD));
        OK(MPI_Comm_free(&comm));
    }
    free(data);
    free(buffer);
    return check_end();
}
