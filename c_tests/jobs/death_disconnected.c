/* ranks: 2; name: child; args: child; expect-exit: 137; expect-stderr: not connected with it, and so to go on: ranks 0-1; expect-stdout: the others have ended in order; mpich: skip a death ends the job */
/* ranks: 2; name: fatal; args: fatal; expect-exit: 137; expect-stderr: not connected with it, and so to go on: ranks 0-1; expect-stdout: the others have ended in order; mpich: skip a death ends the job */
/* ranks: 2; name: abort; args: abort; expect-exit: 44; expect-stderr: not connected with it, and so to go on: ranks 0-1; expect-stdout: the others have ended in order; mpich: skip it ends all */
/* ranks: 2; name: parent; args: parent; expect-exit: 137; expect-stderr: not connected with it, and so to go on: ranks 2-4; expect-stdout: the others have ended in order; mpich: skip a death ends the job */
/* ranks: 2; name: deadlock; args: deadlock; expect-exit: 55; expect-stderr: ranks 2-4 wait in MPI, each for what only another of them could do; expect-stderr: rank 2 waits for rank 3, which waits for rank 4, which waits for rank 2; expect-stderr: not connected with it, and so to go on: ranks 0-1; expect-stdout: the others have ended in order; mpich: skip it hangs */
/* ranks: 2; name: differ; args: differ; expect-exit: 55; expect-stderr: ranks 2-4 wait in MPI, each for what only another of them could do; expect-stderr: not connected with it, and so to go on: ranks 0-1; expect-stdout: the others have ended in order; mpich: skip it goes on with any result; wrong: counts that differ are what it looks at */
/* ranks: 2; name: both; args: both; expect-exit: nonzero; expect-stderr: ended the job with status 44; expect-stderr: ended the job with status 45; mpich: skip it ends all */
/* ranks: 2; name: half; args: half; expect-exit: 137; expect-stderr: was killed by signal 9; mpich: skip a death ends the job */
/* ranks: 2; name: other; args: other; expect-exit: 137; expect-stderr: was killed by signal 9; mpich: skip a death ends the job */
/* ranks: 1; launcher: alone; name: child; args: child; expect-stderr: was killed by signal 9; expect-stdout: the others have ended in order; mpich: skip a death ends the job */
/* ranks: 2; launcher: hydra; name: child; args: child; expect-stderr: was killed by signal 9; expect-stdout: the others have ended in order; mpich: skip a death ends the job */
/* ranks: 1; launcher: alone; name: abort; args: abort; expect-stderr: ended the job with status 44; expect-stdout: the others have ended in order; mpich: skip it ends all */
/* ranks: 1; launcher: alone; name: half; args: half; expect-exit: 143; expect-stderr: was killed by signal 9; mpich: skip a death ends the job */
/* Processes that were started later have disconnected from those that have started them: the end of one does not touch the others, either
 * way (MPI 4.1 section 11.10.4), be it a death, an abort or a deadlock; and both may abort at the same time. Where they have not disconnected from all that they have in common, they
 * are connected still, and end. */
#include "children.h"

#include <errno.h>

/* Waits until that process is gone. */
static void await_end_of(int process)
{
    while (kill(process, 0) == 0 || errno != ESRCH)
        usleep(1000);
    /* As long as the launcher needs to end the others, were it to. */
    usleep(300000);
}

/* What those do that go on: all that they can with each other. */
static void go_on(void)
{
    int sum = 0, one = 1, count;
    OK(MPI_Comm_size(MPI_COMM_WORLD, &count));
    OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_EQ(sum, count);
    if (rank == 0)
        puts("the others have ended in order");
}

/* The last dies when all of its world have disconnected; the others of it wait for it, and so are ended. */
static void die(const char *what)
{
    static double from[100000], to[100000];
    int number, count;
    OK(MPI_Comm_size(MPI_COMM_WORLD, &count));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (strcmp(what, "deadlock") == 0)
        MPI_Recv(&number, 1, MPI_INT, (rank + 1) % count, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (strcmp(what, "differ") == 0) {
        /* Ways that are there. Then one looks elsewhere than the others, who wait for nobody that they know. */
        OK(MPI_Reduce(from, to, 10, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD));
        OK(MPI_Reduce(from, to, 100000, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD));
        MPI_Reduce(from, to, rank == 0 ? 10 : 100000, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    }
    if (strcmp(what, "both") == 0) {
        if (rank == count - 1)
            MPI_Abort(MPI_COMM_WORLD, 44);
        pause();
    }
    if (strcmp(what, "child") == 0 || (rank == count - 1 && strcmp(what, "abort") != 0))
        raise(SIGKILL);
    if (rank == count - 1)
        MPI_Abort(MPI_COMM_WORLD, 44);
    MPI_Recv(&number, 1, MPI_INT, count - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Both groups tell each other the process to watch, and part, but for those that keep something. */
static int disconnect(const char *what, MPI_Comm inter, int is_later)
{
    int own = getpid(), last;
    void *base;
    MPI_Comm all;
    MPI_Win win;
    /* What is freed connects no more. */
    OK(MPI_Intercomm_merge(inter, is_later, &all));
    OK(MPI_Comm_size(all, &last));
    OK(MPI_Win_allocate(8, 1, MPI_INFO_NULL, all, &base, &win));
    OK(MPI_Win_free(&win));
    /* The last of those that were there first, and the last of all. */
    int first_ones = last - CHILDREN, process[2] = {own, own};
    OK(MPI_Bcast(&process[0], 1, MPI_INT, first_ones - 1, all));
    OK(MPI_Bcast(&process[1], 1, MPI_INT, last - 1, all));
    if (strcmp(what, "other") != 0)
        OK(MPI_Comm_disconnect(&all));
    if (strcmp(what, "half") != 0)
        OK(MPI_Comm_disconnect(&inter));
    return process[!is_later];
}

int main(int argc, char **argv)
{
    MPI_Comm parent;
    check_start(&argc, &argv);
    program = argv[0];
    const char *what = argv[1];
    OK(MPI_Comm_get_parent(&parent));
    int is_later = parent != MPI_COMM_NULL, theirs = disconnect(what, is_later ? parent : start(what), is_later);
    if (strcmp(what, "half") == 0 || strcmp(what, "other") == 0) {
        if (is_later && rank == 0)
            raise(SIGKILL);
        pause();
    }
    if (is_later == (strcmp(what, "parent") != 0))
        die(what);
    if (strcmp(what, "both") == 0) {
        /* One whose world has not disconnected yet, though it has itself, ends all. */
        OK(MPI_Barrier(MPI_COMM_WORLD));
        if (rank == 0)
            MPI_Abort(MPI_COMM_WORLD, 45);
        pause();
    }
    await_end_of(theirs);
    go_on();
    return check_end();
}
