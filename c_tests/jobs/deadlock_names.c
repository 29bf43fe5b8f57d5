/* ranks: 3; name: reversed; args: reversed; expect-exit: 55; expect-stderr: rank 0 was in receiving from rank 0 of its communicator (rank 2 of the job), tag 7; expect-stderr: rank 2 was in receiving from rank 1, tag 7; mpich: skip it hangs */
/* ranks: 3; name: named; args: reversed name; expect-exit: 55; expect-stderr: rank 0 was in receiving from rank 0 of communicator "turned" (rank 2 of the job), tag 7; mpich: skip it hangs */
/* ranks: 3; name: odd_name; args: reversed odd; expect-exit: 55; expect-stderr: receiving from rank 0 of communicator "\u{1b}[31m\n\"x\"" (rank 2 of the job), tag 7; mpich: skip it hangs */
/* ranks: 3; name: probe; args: probe; expect-exit: 55; expect-stderr: rank 0 was in probing for a message from rank 0 of its communicator (rank 2 of the job); mpich: skip it hangs */
/* ranks: 3; name: lock; args: lock; expect-exit: 55; expect-stderr: rank 0 was in MPI_Win_lock: exclusive lock of rank 0 of the window (rank 2 of the job), held exclusively by rank 2 of the job; expect-stderr: rank 2 was in MPI_Win_lock: exclusive lock of rank 1, held exclusively by rank 1 of the job; mpich: skip it hangs */
/* ranks: 2; name: two_windows; args: windows; expect-exit: 55; expect-stderr: rank 0 was in MPI_Win_lock: exclusive lock of rank 0 of window "B", held exclusively by rank 1 of the job; expect-stderr: rank 1 was in MPI_Win_lock: exclusive lock of rank 0 of window number 1, held exclusively by rank 0 of the job; mpich: skip it hangs */
/* ranks: 2; name: partitioned; args: partitioned; expect-exit: 55; expect-stderr: rank 0 was in a partitioned send to rank 1, tag 3; expect-stderr: rank 1 was in a partitioned receive from rank 0, tag 3; mpich: skip it hangs */
/* ranks: 2 8; name: persistent; args: persistent; expect-exit: 55; expect-stderr: in MPI_Allreduce (persistent); mpich: skip it hangs */
/* ranks: 2 8; name: barriers; args: barriers; expect-exit: 55; expect-stderr: rank 0 was in MPI_Barrier on communicator "all"; mpich: skip it hangs */
/* ranks: 2 8; name: unnamed; args: barriers unnamed; expect-exit: 55; expect-stderr: rank 0 was in MPI_Barrier on communicator ; mpich: skip it hangs */
/* ranks: 3; name: same; args: same; expect-exit: 55; expect-stderr: ranks 0-2 were in MPI_Reduce on communicator "all"; expect-stderr: do they call MPI_Reduce on the same communicator; mpich: skip it goes on with any result; wrong: counts that differ are what it looks at */
/* ranks: 2; name: spawned; args: spawned; expect-exit: 55; expect-stderr: ranks 0-1 were in receiving from rank 0 of its communicator (rank 2 of the job), tag 1; expect-stderr: rank 2 was in receiving from rank 0, tag 1; mpich: skip it hangs */

/* Where waits are told that can never end, ranks are those of the job, or are told by both their numbers; windows, communicators, peers and tags are
 * named, and persistent operations are not called by what has made them. */

#include "check.h"
#include <string.h>

static int value;

static MPI_Comm turned(const char *name)
{
    MPI_Comm comm;

    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
    if (name)
        MPI_Comm_set_name(comm, strcmp(name, "odd") ? "turned" : "\033[31m\n\"x\"");
    return comm;
}

/* Each has the lock of its own part, and wants the next one's in the order of the window. */
static void locks(MPI_Comm comm)
{
    int *memory, own;
    MPI_Win win;

    MPI_Comm_rank(comm, &own);
    MPI_Win_allocate(sizeof *memory, 1, MPI_INFO_NULL, comm, &memory, &win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, own, 0, win);
    MPI_Barrier(comm);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, (own + 1) % size, 0, win);
}

/* Each has the lock of rank 0 in one, and wants it in the other. */
static void two_windows(void)
{
    int *memory;
    MPI_Win wins[2];

    for (int i = 0; i < 2; i++)
        MPI_Win_allocate(sizeof *memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &wins[i]);
    MPI_Win_set_name(wins[1], "B");
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, wins[rank]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, wins[1 - rank]);
}

/* The second partition never becomes ready. */
static void partitioned(void)
{
    double data[4] = {0};
    MPI_Request request;

    if (rank == 0)
        MPI_Psend_init(data, 2, 2, MPI_DOUBLE, 1, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    else
        MPI_Precv_init(data, 2, 2, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    if (rank == 0)
        MPI_Pready(0, request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void persistent(void)
{
    int sum;
    MPI_Request request;

    MPI_Allreduce_init(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static MPI_Comm all(const char *name)
{
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (name)
        MPI_Comm_set_name(comm, name);
    return comm;
}

/* Rank 0 comes to the one first, the others to the other. */
static void barriers(const char *name)
{
    MPI_Comm comm = all(name);

    MPI_Barrier(rank == 0 ? comm : MPI_COMM_WORLD);
    MPI_Barrier(rank == 0 ? MPI_COMM_WORLD : comm);
}

/* As in standstill.c: all are in one call, and wait for each other in different ways of it. */
static void same(void)
{
    enum { SMALL = 10, LARGE = 100000 };
    static double from[LARGE], to[LARGE];
    MPI_Comm comm = all("all");

    MPI_Reduce(from, to, SMALL, MPI_DOUBLE, MPI_SUM, 0, comm);
    MPI_Reduce(from, to, LARGE, MPI_DOUBLE, MPI_SUM, 0, comm);
    MPI_Reduce(from, to, rank == 0 ? SMALL : LARGE, MPI_DOUBLE, MPI_SUM, 0, comm);
}

static void spawned(char *self, MPI_Comm parent)
{
    char *arguments[] = {"spawned", NULL};

    if (parent == MPI_COMM_NULL)
        MPI_Comm_spawn(self, arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &parent, MPI_ERRCODES_IGNORE);
    MPI_Recv(&value, 1, MPI_INT, 0, 1, parent, MPI_STATUS_IGNORE);
}

static int is(char **arguments, const char *what)
{
    return strcmp(arguments[1], what) == 0;
}

int main(int count, char **arguments)
{
    const char *more = count > 2 ? arguments[2] : NULL;
    MPI_Comm parent, comm;
    MPI_Message message;
    int own;

    check_start(&count, &arguments);
    MPI_Comm_get_parent(&parent);
    CHECK(count > 1);
    if (is(arguments, "reversed") || is(arguments, "probe")) {
        comm = turned(more);
        MPI_Comm_rank(comm, &own);
        if (is(arguments, "probe"))
            MPI_Mprobe((own + 1) % size, 7, comm, &message, MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, (own + 1) % size, 7, comm, MPI_STATUS_IGNORE);
    } else if (is(arguments, "lock")) {
        locks(turned(NULL));
    } else if (is(arguments, "windows")) {
        two_windows();
    } else if (is(arguments, "partitioned")) {
        partitioned();
    } else if (is(arguments, "persistent")) {
        persistent();
    } else if (is(arguments, "barriers")) {
        barriers(more ? NULL : "all");
    } else if (is(arguments, "same")) {
        same();
    } else if (is(arguments, "spawned")) {
        spawned(arguments[0], parent);
    }
    return check_end();
}
