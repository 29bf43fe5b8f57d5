/* ranks: 2 4 5 */
/* Threads make, duplicate and merge intercommunicators between the same leaders at the same time, told apart by tags. */
#include "inter.h"
#include <pthread.h>

enum { THREADS = 4, ROUNDS = 30 };

static MPI_Comm locals[THREADS];

static void *work(void *argument)
{
    int thread = (int)(intptr_t)argument, half = size / 2, side = rank >= half;
    int others[64], n = side ? half : size - half;
    MPI_Comm comm, dup, merged;
    MPI_Request request;
    for (int i = 0; i < n; i++)
        others[i] = side ? i : half + i;
    for (int i = 0; i < ROUNDS; i++) {
        OK(MPI_Intercomm_create(locals[thread], 0, MPI_COMM_WORLD, side ? 0 : half, thread, &comm));
        OK(MPI_Comm_idup(comm, &dup, &request));
        inter_talks(comm, others);
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        inter_talks(dup, others);
        OK(MPI_Intercomm_merge(dup, side, &merged));
        OK(MPI_Barrier(merged));
        OK(MPI_Comm_free(&comm));
        OK(MPI_Comm_free(&merged));
        OK(MPI_Comm_free(&dup));
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    check_start_threads(&argc, &argv);
    for (int i = 0; i < THREADS; i++)
        OK(MPI_Comm_split(MPI_COMM_WORLD, rank >= size / 2, rank, &locals[i]));
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i), 0);
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < THREADS; i++)
        OK(MPI_Comm_free(&locals[i]));
    return check_end();
}
