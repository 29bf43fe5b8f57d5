/* ranks: 2 8 64; name: ring; args: ring; expect-exit: 55; expect-stderr: deadlock: all ranks wait in MPI, each for what only others could do: none can ever go on, so the job is ended; expect-stderr: rank 0 waits for rank 1, which waits for; expect-stderr: called MPI_Recv at ring_of_receives (deadlock.c:; expect-stderr: from main (deadlock.c:; mpich: skip it hangs */
/* ranks: 2; name: cut_name; args: ring cut; expect-exit: 55; expect-stderr: deadlock: all ranks wait in MPI; mpich: skip it hangs */
/* ranks: 2 8; name: sends; args: sends; expect-exit: 55; expect-stderr: rank 0 waits for rank 1, which waits for; expect-stderr: called MPI_Ssend at; mpich: skip it hangs */
/* ranks: 2 8; name: barrier; args: barrier; expect-exit: 55; expect-stderr: rank 0 waits for rank 1, which waits for rank 0; expect-stderr: called MPI_Barrier at; expect-stderr: rank 1 called MPI_Recv at; mpich: skip it hangs */
/* ranks: 2 8; name: locks; args: locks; expect-exit: 55; expect-stderr: rank 0 waits for rank 1, which waits for rank 0; expect-stderr: MPI_Win_lock: exclusive lock of rank 1; mpich: skip it hangs */
/* ranks: 2; name: shared_lock; args: shared_lock; expect-exit: 55; expect-stderr: rank 0 waits for rank 1, which waits for rank 0; expect-stderr: MPI_Win_lock: exclusive lock of rank 0; mpich: skip it hangs */
/* ranks: 2 8; name: start; args: start; expect-exit: 55; expect-stderr: rank 0 waits for rank 1, which waits for rank 0; expect-stderr: called MPI_Win_start at; mpich: skip it hangs */
/* ranks: 2 8; name: wait; args: wait; expect-exit: 55; expect-stderr: rank 0 waits for rank 1, which waits for rank 0; expect-stderr: called MPI_Win_wait at; mpich: skip it hangs */
/* ranks: 2 8; name: crossed; args: crossed; expect-exit: 55; expect-stderr: rank 0 waits for rank 1, which waits for rank; expect-stderr: called MPI_Barrier at; mpich: skip it hangs */
/* ranks: 2 8; name: waitall; args: waitall; expect-exit: 55; expect-stderr: called MPI_Waitall at; mpich: skip it hangs */
/* ranks: 2 8; name: any; args: any; expect-exit: 55; expect-stderr: rank 0 waits for any of ranks 0-; expect-stderr: called MPI_Waitany at; mpich: skip it hangs */
/* ranks: 1 3; name: oneself; args: oneself; expect-exit: 55; expect-stderr: deadlock: rank 0 waits in MPI for what nobody will do: it can never go on, so the job is ended; expect-stderr: rank 0 waits for rank 0; mpich: skip it hangs */
/* ranks: 3; name: handler; args: handler; expect-exit: 9; expect-stderr: ranks 0-1 wait in MPI, each for what only another of them could do: none can ever go on, unless one of them dies; expect-stderr: called MPI_Recv at receive (deadlock.c:; expect-stderr: from receiving_handler (deadlock.c:; expect-stderr: ), from MPI_Send, from main (deadlock.c:; mpich: skip it hangs */
/* ranks: 3 8; name: part_computing; args: part compute; expect-exit: 55; expect-stderr: deadlock: ranks 0-1 wait in MPI, each for what only another of them could do: none can ever go on, so the job is ended; expect-stderr: rank 0 waits for rank 1, which waits for rank 0; mpich: skip it hangs */
/* ranks: 3; name: part_sleeping; args: part sleep; expect-exit: 55; expect-stderr: deadlock: ranks 0-1 wait in MPI; mpich: skip it hangs */
/* ranks: 3; name: finalize; args: finalize; expect-exit: 55; expect-stderr: rank 0 waits for rank 1, which waits for rank 0; mpich: skip it hangs */
/* ranks: 3; name: reported; args: part abort; env: RMASHM_DEADLOCK=report; expect-exit: 9; expect-stderr: ranks 0-1 wait in MPI, each for what only another of them could do: none can ever go on; mpich: skip it hangs */
/* ranks: 3; name: off; args: part abort; env: RMASHM_DEADLOCK=off; expect-exit: 9; expect-stderr: ended the job with status 9; mpich: skip it is for our launcher */

/* Waits that can never end: the job is ended with status 55, and says who waits for whom, and where. What goes on beside
 * them would take longer than the watchdog's time. Twins that only take long are in deadlock_not.c. */

#include "check.h"
#include <sys/prctl.h>
#include <unistd.h>

static int value;

static void receive(int from)
{
    MPI_Recv(&value, 1, MPI_INT, from, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

__attribute__((noinline)) static void ring_of_receives(void)
{
    int from = (rank + 1) % size;
    MPI_Recv(&value, 1, MPI_INT, from, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&value, 1, MPI_INT, (rank + size - 1) % size, 7, MPI_COMM_WORLD);
}

static void abort_later(void)
{
    /* Longer than it takes to be told. */
    sleep(3);
    MPI_Abort(MPI_COMM_WORLD, 9);
}

/* Called by MPI_Send. */
static void receiving_handler(MPI_Comm *comm, int *code, ...)
{
    CHECK(*comm != MPI_COMM_WORLD && *code != MPI_SUCCESS);
    receive(1 - rank);
}

/* Each of the first two has the lock of its own memory, and wants the other's. */
static void two_locks(MPI_Win win)
{
    if (rank < 2)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank < 2)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1 - rank, 0, win);
}

/* Rank 1 wants the memory for itself that rank 0 has a shared lock of: those that have one are counted, and it is none of them. */
static void shared_lock(MPI_Win win)
{
    if (rank == 0)
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        receive(1);
    else
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
}

static void epochs(MPI_Win win, int starts)
{
    MPI_Group world, other;
    int ranks[1] = {1 - rank};

    if (rank > 1)
        return;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, ranks, &other);
    if (rank == 0 && starts) {
        MPI_Win_start(other, 0, win);
    } else if (rank == 0) {
        MPI_Win_post(other, 0, win);
        MPI_Win_wait(win);
    } else {
        receive(0);
    }
}

static void requests(int all)
{
    MPI_Request requests[3];
    int values[3], index, other = (rank ^ 1) < size ? rank ^ 1 : MPI_PROC_NULL;

    MPI_Isend(&value, 1, MPI_INT, other, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&values[1], 1, MPI_INT, other, 1, MPI_COMM_WORLD, &requests[1]);
    if (all) {
        MPI_Irecv(&values[2], 1, MPI_INT, other, 2, MPI_COMM_WORLD, &requests[2]);
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    } else {
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank > 0)
            receive(0);
        MPI_Irecv(&values[0], 1, MPI_INT, other, 2, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&values[1], 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
    }
}

/* Two barriers in a different order; the others wait for both. */
static void crossed(void)
{
    MPI_Comm comms[2];
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    MPI_Barrier(comms[rank == 1]);
    MPI_Barrier(comms[rank != 1]);
}

static void for_ever(int computing)
{
    volatile unsigned long turns = 0;
    double end = MPI_Wtime() + 1000;
    if (!computing)
        sleep(1000);
    while (MPI_Wtime() < end)
        turns++;
}

int main(int argc, char **argv)
{
    int *memory;
    const char *way;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate(sizeof value, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    way = argv[1];
    /* As the kernel cuts a longer one, within a letter. */
    if (argc > 2 && strcmp(argv[2], "cut") == 0)
        prctl(PR_SET_NAME, "aaaaaaaaaaaaaa\303");
    if (strcmp(way, "ring") == 0) {
        ring_of_receives();
    } else if (strcmp(way, "sends") == 0) {
        MPI_Ssend(&value, 1, MPI_INT, (rank + 1) % size, 7, MPI_COMM_WORLD);
        receive((rank + size - 1) % size);
    } else if (strcmp(way, "barrier") == 0) {
        if (rank == 1)
            receive(0);
        MPI_Barrier(MPI_COMM_WORLD);
    } else if (strcmp(way, "locks") == 0) {
        two_locks(win);
    } else if (strcmp(way, "shared_lock") == 0) {
        shared_lock(win);
    } else if (strcmp(way, "start") == 0 || strcmp(way, "wait") == 0) {
        epochs(win, way[0] == 's');
    } else if (strcmp(way, "crossed") == 0) {
        crossed();
    } else if (strcmp(way, "waitall") == 0 || strcmp(way, "any") == 0) {
        requests(way[0] == 'w');
    } else if (strcmp(way, "oneself") == 0) {
        if (rank == 0)
            receive(0);
        else
            for_ever(0);
    } else if (strcmp(way, "handler") == 0) {
        MPI_Errhandler handler;
        MPI_Comm copy;
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
        OK(MPI_Comm_create_errhandler(receiving_handler, &handler));
        OK(MPI_Comm_set_errhandler(copy, handler));
        if (rank < 2)
            MPI_Send(&value, 1, MPI_INT, size, 7, copy);
        abort_later();
    } else if (strcmp(way, "part") == 0) {
        if (rank < 2)
            receive(1 - rank);
        if (strcmp(argv[2], "abort") == 0)
            abort_later();
        for_ever(strcmp(argv[2], "compute") == 0);
    } else if (strcmp(way, "finalize") == 0) {
        /* Rank 1 has nothing more to do, as it believes; rank 2 has. */
        if (rank == 0)
            receive(1);
        if (rank == 2)
            for_ever(0);
    }
    if (strcmp(way, "finalize") != 0)
        MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
