/* ranks: 3; name: refused; args: refused; expect-exit: 55; expect-stderr: none can ever go on, so the job is ended; expect-stderr: rank 0 was in MPI_Finalize; expect-stderr: ranks 1-2 were in receiving from rank 0, tag 7; mpich: skip it hangs */
/* ranks: 3; name: lock; args: lock; expect-exit: 55; expect-stderr: none can ever go on, so the job is ended; expect-stderr: MPI_Win_lock: shared lock of rank 0; mpich: skip it hangs */
/* ranks: 3; name: counts; args: counts; expect-exit: 55; expect-stderr: none can ever go on, so the job is ended; expect-stderr: ranks 0-2 were in MPI_Reduce; expect-stderr: counts, datatypes and a root that match; mpich: skip it goes on with any result; wrong: counts that differ are what it looks at */
/* ranks: 2; name: survivor; args: survivor; expect-exit: nonzero; expect-stderr: none can go on, unless one of them dies; expect-stderr: was killed by signal 14; mpich: skip it tells nothing */
/* ranks: 2; name: thread; args: thread; mpich: skip it has nothing to tell */

/* A job in which every rank waits for another is told so and ended. One in which a thread comes back from something else
 * after long is not, nor one in which a rank's death, which comes late, is what the others go on by. */

#include "check.h"
#include <pthread.h>
#include <unistd.h>

static void *send_late(void *to)
{
    int seven = 7;

    /* Longer than a standstill takes to be told. */
    sleep(8);
    MPI_Send(&seven, 1, MPI_INT, *(int *)to, 7, MPI_COMM_WORLD);
    return NULL;
}

/* Rank 0 holds a lock until rank 1 has sent, which first waits for that lock, behind rank 2, which has claimed it. */
static void lock_in_a_circle(void)
{
    int value = 0, *memory;
    MPI_Win win;

    MPI_Win_allocate(sizeof value, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    if (rank == 0)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1)
        usleep(100000);
    if (rank > 0)
        MPI_Win_lock(rank == 1 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 0, 0, win);
    if (rank == 1)
        MPI_Send(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
    MPI_Win_unlock(0, win);
    MPI_Win_free(&win);
}

/* Rank 0 wants so little that it looks for notes; what the others give they put on the board. (Both are there: else the making of them
 * would find the difference.) */
static void different_ways(void)
{
    enum { SMALL = 10, LARGE = 100000 };
    static double from[LARGE], to[LARGE];

    MPI_Reduce(from, to, SMALL, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(from, to, LARGE, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(from, to, rank == 0 ? SMALL : LARGE, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int value = 0, provided;
    const char *way = argv[argc - 1];
    int refused = strcmp(way, "refused") == 0, survivor = strcmp(way, "survivor") == 0;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (refused) {
        /* The program goes on as if there were nothing more to do; the others know nothing of it. */
        MPI_Comm children;

        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
        if (rank == 0 && MPI_Comm_spawn("./worker", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children,
                                        MPI_ERRCODES_IGNORE) == MPI_SUCCESS)
            MPI_Send(&rank, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
        if (rank > 0)
            MPI_Recv(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (strcmp(way, "lock") == 0) {
        lock_in_a_circle();
    } else if (strcmp(way, "counts") == 0) {
        different_ways();
    } else if (survivor) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        if (rank == 1)
            alarm(9);
        int class = MPI_SUCCESS, code = MPI_Recv(&value, 1, MPI_INT, rank ^ 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Error_class(code, &class);
        CHECK_EQ(class, MPIX_ERR_PROC_FAILED);
    } else {
        pthread_t thread;
        int to = rank ^ 1;

        pthread_create(&thread, NULL, send_late, &to);
        MPI_Recv(&value, 1, MPI_INT, to, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(value == 7);
        pthread_join(thread, NULL);
    }
    MPI_Finalize();
    return 0;
}
