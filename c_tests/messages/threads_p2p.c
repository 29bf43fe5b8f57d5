/* ranks: 1 2 4 */
/* Four threads in each rank send and receive at once, each with its own tag, and all get from any source by turns. */
#include "check.h"
#include <pthread.h>

enum { THREADS = 4, ROUNDS = 300, LONG = 4000 };

static void *talk(void *argument)
{
    int tag = (int)(intptr_t)argument, next = (rank + 1) % size, before = (rank + size - 1) % size;
    int *out = malloc(LONG * sizeof *out), *in = malloc(LONG * sizeof *in);
    for (int round = 0; round < ROUNDS; round++) {
        int n = round % 10 ? round % 50 : LONG;
        MPI_Request request;
        MPI_Status status;
        int count = -1;
        for (int i = 0; i < n; i++)
            out[i] = rank * 1000000 + tag * 100000 + round + i;
        OK(MPI_Isend(out, n, MPI_INT, next, tag, MPI_COMM_WORLD, &request));
        OK(MPI_Recv(in, LONG, MPI_INT, round % 2 ? before : MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK_EQ(status.MPI_SOURCE, before);
        OK(MPI_Get_count(&status, MPI_INT, &count));
        CHECK_EQ(count, n);
        for (int i = 0; i < n; i++)
            CHECK_EQ(in[i], before * 1000000 + tag * 100000 + round + i);
    }
    free(out);
    free(in);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    check_start_threads(&argc, &argv);
    for (intptr_t t = 0; t < THREADS; t++)
        CHECK_EQ(pthread_create(&threads[t], NULL, talk, (void *)t), 0);
    for (int t = 0; t < THREADS; t++)
        CHECK_EQ(pthread_join(threads[t], NULL), 0);
    return check_end();
}
