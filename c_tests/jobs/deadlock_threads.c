/* ranks: 2 8; name: pool; args: pool; expect-exit: 55; expect-stderr: deadlock: all ranks wait in MPI, each for what only others could do: none can ever go on, so the job is ended; expect-stderr: rank 0 waits for rank 1, which waits for; expect-stderr: called MPI_Recv at receive (deadlock_threads.c:; mpich: skip it hangs */
/* ranks: 3; name: part; args: part; expect-exit: 55; expect-stderr: deadlock: ranks 0-1 wait in MPI, each for what only another of them could do: none can ever go on, so the job is ended; expect-stderr: rank 0 waits for rank 1, which waits for rank 0; mpich: skip it hangs */
/* ranks: 2 8; name: all; args: all; expect-exit: 55; expect-stderr: deadlock: all ranks wait in MPI; expect-stderr: receiving from rank 1, tag; mpich: skip it hangs */
/* ranks: 2; name: joined; args: joined; expect-exit: 55; expect-stderr: deadlock: all ranks wait in MPI; mpich: skip it hangs */
/* ranks: 2; name: locked; args: locked; expect-exit: 55; expect-stderr: deadlock: all ranks wait in MPI; mpich: skip it hangs */
/* ranks: 2; name: one; args: one; expect-exit: 55; expect-stderr: deadlock: all ranks wait in MPI; mpich: skip it hangs */
/* ranks: 2; name: main_left; args: main_left; expect-exit: 55; expect-stderr: deadlock: all ranks wait in MPI; mpich: skip it hangs */

/* Waits that can never end, of processes with threads: those of a pool that has nothing to do, and several that wait in MPI. Twins in which
 * another thread ends the waits are in deadlock_threads_not.c. */

#include "check.h"
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

enum { THREADS = 4 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t together;
static sem_t nothing;

static void receive(int from, int tag)
{
    int value;
    MPI_Recv(&value, 1, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Of a pool: as threads of OpenMP between two parallel regions, or those of a library of linear algebra. */
static void *idle(void *number)
{
    switch (*(int *)number) {
    case 0:
        sem_wait(&nothing);
        break;
    case 1:
        pthread_barrier_wait(&together);
        break;
    default:
        pthread_mutex_lock(&mutex);
        pthread_cond_wait(&never, &mutex);
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

static void *receive_one(void *number)
{
    receive((rank + 1) % size, *(int *)number);
    return NULL;
}

static void *receive_locked(void *number)
{
    pthread_mutex_lock(&mutex);
    receive_one(number);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(int argc, char **argv)
{
    static int numbers[THREADS];
    pthread_t threads[THREADS];
    const char *way;
    int provided, count = 0;
    void *(*work)(void *) = idle;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    way = argv[1];
    sem_init(&nothing, 0, 0);
    pthread_barrier_init(&together, NULL, THREADS + 1);
    if (strcmp(way, "pool") == 0 || (strcmp(way, "one") == 0 && rank == 0) || strcmp(way, "part") == 0)
        count = THREADS;
    else if (strcmp(way, "all") == 0)
        work = receive_one, count = THREADS;
    else if (strcmp(way, "joined") == 0 || strcmp(way, "main_left") == 0)
        work = receive_one, count = 1;
    else if (strcmp(way, "locked") == 0)
        work = receive_locked, count = 2;
    for (int n = 0; n < count; n++) {
        numbers[n] = n;
        pthread_create(&threads[n], NULL, work, &numbers[n]);
    }
    if (strcmp(way, "part") == 0 && rank == 2)
        sleep(1000);
    else if (work == idle || strcmp(way, "all") == 0)
        receive(strcmp(way, "part") == 0 ? 1 - rank : (rank + 1) % size, THREADS);
    if (strcmp(way, "main_left") == 0)
        pthread_exit(NULL);
    for (int n = 0; n < count; n++)
        pthread_join(threads[n], NULL);
    MPI_Finalize();
    return 0;
}
