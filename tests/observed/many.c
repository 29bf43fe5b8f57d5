/* many rounds [threads]: each thread exchanges 8 bytes with the next rank of the job and the one before, again and again. */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>

static int rank, size, rounds;

static void *exchange(void *place)
{
    int tag = (int)(long)place;
    for (int i = 0; i < rounds; i++) {
        long mine = i, other = -1;
        MPI_Sendrecv(&mine, 8, MPI_BYTE, (rank + 1) % size, tag, &other, 8, MPI_BYTE, (rank + size - 1) % size, tag,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (other != i)
            MPI_Abort(MPI_COMM_WORLD, 3);
    }
    return NULL;
}

int main(int count, char **words)
{
    int level, threads = count > 2 ? atoi(words[2]) : 1;
    pthread_t others[16];
    rounds = atoi(words[1]);
    MPI_Init_thread(NULL, NULL, threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (long i = 1; i < threads; i++)
        pthread_create(&others[i], NULL, exchange, (void *)i);
    exchange(NULL);
    for (int i = 1; i < threads; i++)
        pthread_join(others[i], NULL);
    MPI_Finalize();
    return 0;
}
