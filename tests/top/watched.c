/* watched <what> <file>: a job that is in one state until the file is there. Rank 0 looks for it, outside MPI. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;

static void until(const char *file)
{
    while (access(file, F_OK) != 0)
        usleep(10000);
}

/* Rank 0 holds the lock of rank 1 in window "grid"; the others want it. */
static void lock(const char *file)
{
    MPI_Win win;
    MPI_Info info;
    char *base;
    MPI_Info_create(&info);
    MPI_Info_set(info, "same_size", "true");
    MPI_Win_allocate(4096, 8, info, MPI_COMM_WORLD, &base, &win);
    MPI_Info_free(&info);
    MPI_Win_set_name(win, "grid");
    if (rank == 0)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        until(file);
    else
        MPI_Win_lock(rank % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 1, 0, win);
    MPI_Win_unlock(1, win);
    MPI_Win_free(&win);
}

static void receive(const char *file)
{
    int number = 0;
    if (rank == 0) {
        until(file);
        for (int to = 1; to < size; to++)
            MPI_Send(&number, 1, MPI_INT, to, 7, MPI_COMM_WORLD);
    } else
        MPI_Recv(&number, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void barrier(const char *file)
{
    if (rank == 0)
        until(file);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Each puts 1000 bytes ten times into its neighbour's part, gets 500, adds to 8 elements, and sends it 2000 bytes. */
static void move(const char *file)
{
    static char data[4096], own[4096];
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    MPI_Win win, other;
    MPI_Request request;
    long long many[8] = {0};
    char *base;
    MPI_Win_allocate(4096, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Win_create(own, sizeof own, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &other);
    MPI_Win_set_name(other, "of its own");
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < 10; i++)
        MPI_Put(data, 1000, MPI_BYTE, to, 0, 1000, MPI_BYTE, win);
    MPI_Get(data, 500, MPI_BYTE, to, 0, 500, MPI_BYTE, win);
    MPI_Accumulate(many, 8, MPI_LONG_LONG, to, 0, 8, MPI_LONG_LONG, MPI_SUM, win);
    MPI_Irecv(data, 2000, MPI_BYTE, from, 0, MPI_COMM_WORLD, &request);
    MPI_Send(own, 2000, MPI_BYTE, to, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    barrier(file);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Win_free(&other);
}

/* All are past a fence of window "fenced", rank 1 with a put behind it; rank 2 has started an epoch at rank 3, which has posted, in "posted". */
static void epochs(const char *file)
{
    MPI_Win fenced, posted;
    MPI_Group world, one;
    char *base, byte = 1;
    MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &fenced);
    MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &posted);
    MPI_Win_set_name(fenced, "fenced");
    MPI_Win_set_name(posted, "posted");
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, (int[]){rank == 2 ? 3 : 2}, &one);
    MPI_Win_fence(0, fenced);
    if (rank == 1)
        MPI_Put(&byte, 1, MPI_BYTE, 0, 0, 1, MPI_BYTE, fenced);
    if (rank == 3)
        MPI_Win_post(one, 0, posted);
    if (rank == 2)
        MPI_Win_start(one, 0, posted);
    barrier(file);
    if (rank == 2)
        MPI_Win_complete(posted);
    if (rank == 3)
        MPI_Win_wait(posted);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, fenced);
    MPI_Group_free(&one);
    MPI_Group_free(&world);
    MPI_Win_free(&posted);
    MPI_Win_free(&fenced);
}

/* On a communicator in the other order rank 1 wants the lock of the last rank of the job, which rank 0 has; the others receive from rank 0. */
static void turned(const char *file)
{
    MPI_Comm comm;
    MPI_Win win;
    char *base;
    int number = 0;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
    MPI_Win_allocate(64, 1, MPI_INFO_NULL, comm, &base, &win);
    MPI_Win_set_name(win, "turned");
    if (rank == 0)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Barrier(comm);
    if (rank == 0) {
        until(file);
        MPI_Win_unlock(0, win);
        for (int to = 0; to < size - 2; to++)
            MPI_Send(&number, 1, MPI_INT, to, 7, comm);
    } else if (rank == 1) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
        MPI_Win_unlock(0, win);
    } else {
        MPI_Recv(&number, 1, MPI_INT, size - 1, 7, comm, MPI_STATUS_IGNORE);
    }
    MPI_Win_free(&win);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char *what = argc > 2 ? argv[1] : "";
    if (strcmp(what, "lock") == 0)
        lock(argv[2]);
    else if (strcmp(what, "receive") == 0)
        receive(argv[2]);
    else if (strcmp(what, "barrier") == 0)
        barrier(argv[2]);
    else if (strcmp(what, "epochs") == 0)
        epochs(argv[2]);
    else if (strcmp(what, "turned") == 0)
        turned(argv[2]);
    else if (strcmp(what, "move") == 0)
        move(argv[2]);
    else
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Finalize();
    return 0;
}
