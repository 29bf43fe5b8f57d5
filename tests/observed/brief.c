/* brief rounds threads [end]: rank 0 does each kind of short one-sided call so many times, and large ones between; with `end` it dies in a put. */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static int rounds, threads;
static MPI_Win win;

static void *work(void *place)
{
    long thread = (long)place, ones[512], back[512], one = 1, old, zero = 0;
    MPI_Request request;
    memset(ones, 0, sizeof ones);
    for (int i = 0; i < rounds; i++) {
        MPI_Put(ones, 3, MPI_LONG, 1, 1024 * thread, 3, MPI_LONG, win);
        MPI_Get(back, 2, MPI_LONG, 1, 1024 * thread, 2, MPI_LONG, win);
        MPI_Accumulate(&one, 1, MPI_LONG, 1, 1024 * thread + 8, 1, MPI_LONG, MPI_SUM, win);
        MPI_Get_accumulate(&one, 1, MPI_LONG, &old, 1, MPI_LONG, 1, 1024 * thread + 9, 1, MPI_LONG, MPI_SUM, win);
        MPI_Fetch_and_op(&one, &old, MPI_LONG, 1, 1024 * thread + 10, MPI_SUM, win);
        if (old != i)
            MPI_Abort(MPI_COMM_WORLD, 3);
        MPI_Compare_and_swap(&one, &zero, &old, MPI_LONG, 1, 1024 * thread + 11, win);
        MPI_Rput(ones, 1, MPI_LONG, 1, 1024 * thread, 1, MPI_LONG, win, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (i % 100 == 0) /* not brief */
            MPI_Put(ones, 512, MPI_LONG, 1, 1024 * thread + 512, 512, MPI_LONG, win);
        MPI_Win_flush(1, win);
    }
    return NULL;
}

int main(int count, char **words)
{
    int rank, level;
    long *base;
    pthread_t others[16];
    rounds = atoi(words[1]);
    threads = atoi(words[2]);
    MPI_Init_thread(NULL, NULL, threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(8192 * threads, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    memset(base, 0, 8192 * threads);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Win_lock_all(0, win);
        for (long i = 1; i < threads; i++)
            pthread_create(&others[i], NULL, work, (void *)i);
        work(NULL);
        for (int i = 1; i < threads; i++)
            pthread_join(others[i], NULL);
        if (count > 3) {
            void *nothing = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            MPI_Put(nothing, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win);
        }
        MPI_Win_unlock_all(win);
    }
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
