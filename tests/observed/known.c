/* known [end]: four ranks move known bytes and wait for known ranks. With an argument rank 2 is killed by it, while others wait. */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static int rank;
static char buffer[1 << 20];

static void nap(void)
{
    usleep(400 * 1000);
}

/* Rank 1 waits for rank 0, which sends it 1 MiB; then 10 messages of 1000 bytes. */
static void messages(void)
{
    if (rank == 0) {
        nap();
        MPI_Send(buffer, 1 << 20, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
        for (int i = 0; i < 10; i++)
            MPI_Send(buffer, 1000, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Request requests[10];
        MPI_Recv(buffer, 1 << 20, MPI_BYTE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < 10; i++)
            MPI_Irecv(buffer + 1000 * i, 1000, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &requests[i]);
        MPI_Waitall(10, requests, MPI_STATUSES_IGNORE);
    }
}

/* Rank 2 puts 3 * 4096 bytes to rank 3, and gets 8 from rank 1, which rank 3 has locked for a while. */
static void windows(void)
{
    MPI_Win win;
    char *base;
    MPI_Win_allocate(4096, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    if (rank == 3)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 3) {
        nap();
        MPI_Win_unlock(1, win);
    } else if (rank == 2) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
        MPI_Get(buffer, 8, MPI_BYTE, 1, 0, 8, MPI_BYTE, win);
        MPI_Win_unlock(1, win);
        MPI_Win_lock(MPI_LOCK_SHARED, 3, 0, win);
        for (int i = 0; i < 3; i++)
            MPI_Put(buffer, 4096, MPI_BYTE, 3, 0, 4096, MPI_BYTE, win);
        MPI_Win_unlock(3, win);
    }
    MPI_Win_free(&win);
}

int main(int count, char **words)
{
    int sum = 0;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    messages();
    windows();
    if (count > 1) {
        if (rank == 2) {
            nap();
            kill(getpid(), atoi(words[1]));
        }
        MPI_Recv(buffer, 1, MPI_BYTE, 2, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    /* Rank 3 is late. */
    if (rank == 3)
        nap();
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return sum != 6;
}
