/*
 * Work stealing: each rank has a queue of tasks, and a rank that has none left takes half of another's.
 *
 * A queue is a rank's part of the window. Who changes it holds the exclusive lock of that rank: the owner, which takes its next task
 * by load and store, and thieves, which use get and put. A rank that is robbed goes on with its task and takes no part in it.
 *
 *     mpicc -O2 stealing.c -o stealing && mpiexec -n 4 ./stealing
 *
 * The tasks are ranges of numbers, whose primes are counted. All of them are rank 0's in the beginning.
 */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>

enum { TASKS = 202, RANGE = 1000, PRIMES = 18148 /* below TASKS * RANGE */ };

/* The tasks from first to last - 1 are waiting. (MPICH 4.0 takes one rank's part of a window for another's where parts are not a
 * multiple of 16 bytes long. This one is.) */
typedef struct {
    int first, last;
    int tasks[TASKS];
} Queue;

static int primes_in(int task)
{
    int primes = 0;
    for (int n = task * RANGE; n < (task + 1) * RANGE; n++) {
        int prime = n > 1;
        for (int d = 2; prime && d * d <= n; d++)
            prime = n % d != 0;
        primes += prime;
    }
    return primes;
}

/* Takes the next task of my own queue; -1 if there is none. */
static int next_task(Queue *mine, int me, MPI_Win win)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, me, 0, win);
    int task = mine->first < mine->last ? mine->tasks[mine->first++] : -1;
    MPI_Win_unlock(me, win);
    return task;
}

/* Takes the later half of a victim's queue into `loot`, and returns how many tasks that are. */
static int steal(int victim, int loot[TASKS], MPI_Win win)
{
    const MPI_Aint last_at = offsetof(Queue, last), tasks_at = offsetof(Queue, tasks);
    int ends[2];
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, victim, 0, win);
    MPI_Get(ends, 2, MPI_INT, victim, 0, 2, MPI_INT, win);
    MPI_Win_flush(victim, win); /* the next step depends on what was read */
    int count = (ends[1] - ends[0] + 1) / 2, last = ends[1] - count;
    if (count > 0) {
        MPI_Get(loot, count, MPI_INT, victim, tasks_at + last * (MPI_Aint)sizeof(int), count, MPI_INT, win);
        MPI_Put(&last, 1, MPI_INT, victim, last_at, 1, MPI_INT, win);
    }
    MPI_Win_unlock(victim, win); /* both are complete, here and there */
    return count;
}

/* Fills my own queue, which is empty. Others may steal from it at once. */
static void refill(Queue *mine, const int *tasks, int count, int me, MPI_Win win)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, me, 0, win);
    for (int i = 0; i < count; i++)
        mine->tasks[i] = tasks[i];
    mine->first = 0;
    mine->last = count;
    MPI_Win_unlock(me, win);
}

int main(int argc, char **argv)
{
    MPI_Win win;
    Queue *mine;
    int rank, size, tasks[TASKS];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate(sizeof(Queue), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
    for (int i = 0; i < TASKS; i++)
        tasks[i] = i;
    refill(mine, tasks, rank == 0 ? TASKS : 0, rank, win);
    MPI_Barrier(MPI_COMM_WORLD);

    int primes = 0, done = 0, found;
    do {
        for (int task = next_task(mine, rank, win); task >= 0; task = next_task(mine, rank, win)) {
            primes += primes_in(task);
            done++;
        }
        /* Where nobody has any, those that are left are being done: no task makes new ones. */
        found = 0;
        for (int i = 1; i < size && !found; i++)
            found = steal((rank + i) % size, tasks, win);
        if (found)
            refill(mine, tasks, found, rank, win);
    } while (found);

    int sums[2] = { primes, done };
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    int wrong = (sums[0] != PRIMES) + (sums[1] != TASKS);
    if (rank == 0)
        printf("stealing: %d primes in %d tasks: %d wrong\n", sums[0], sums[1], wrong);
    MPI_Win_free(&win);
    MPI_Finalize();
    return wrong != 0;
}
