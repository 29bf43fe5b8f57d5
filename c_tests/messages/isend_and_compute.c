/* ranks: 2 4; mpich: skip its senders must call MPI for anything to go on */
/* A receiver waits for no sender that computes: all messages of nonblocking sends come, more than any ring holds, while their sender
 * makes no MPI call until they have come. */
#include "check.h"
#include <sched.h>

enum { COUNT = 200, LONGEST = 65536, LENGTHS = 4 };

static const int lengths[LENGTHS] = { 9000, 16384, 40001, LONGEST };
static unsigned char out[LENGTHS][LONGEST], in[LONGEST];

int main(int argc, char **argv)
{
    MPI_Win win;
    MPI_Aint bytes;
    MPI_Request requests[COUNT];
    int *came, unit;
    check_start(&argc, &argv);
    OK(MPI_Win_allocate_shared(sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &came, &win));
    *came = 0;
    barrier();
    /* What the receiver tells goes past MPI. */
    int peer = rank ^ 1;
    OK(MPI_Win_shared_query(win, rank | 1, &bytes, &unit, &came));
    for (int i = 0; i < LENGTHS; i++)
        fill(out[i], LONGEST, mix(7, (uint64_t)i));
    if (rank % 2 == 0) {
        for (int i = 0; i < COUNT; i++)
            OK(MPI_Isend(out[i % LENGTHS], lengths[i % LENGTHS], MPI_BYTE, peer, i, MPI_COMM_WORLD, &requests[i]));
        while (__atomic_load_n(came, __ATOMIC_ACQUIRE) == 0)
            sched_yield();
        OK(MPI_Waitall(COUNT, requests, MPI_STATUSES_IGNORE));
    } else {
        for (int i = 0; i < COUNT; i++) {
            MPI_Status status;
            int count;
            OK(MPI_Recv(in, LONGEST, MPI_BYTE, peer, i, MPI_COMM_WORLD, &status));
            OK(MPI_Get_count(&status, MPI_BYTE, &count));
            CHECK_EQ(count, lengths[i % LENGTHS]);
            CHECK_BYTES(in, out[i % LENGTHS], (size_t)count);
        }
        __atomic_store_n(came, 1, __ATOMIC_RELEASE);
    }
    barrier();
    OK(MPI_Win_free(&win));
    return check_end();
}
