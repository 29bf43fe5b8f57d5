/* ranks: 2; name: child; args: child; expect-exit: 137; expect-stderr: was killed by signal 9; mpich: skip a death ends the job */
/* ranks: 2; name: parent; args: parent; expect-exit: 137; expect-stderr: was killed by signal 9; mpich: skip a death ends the job */
/* ranks: 2; name: fatal; args: fatal; expect-exit: 137; expect-stderr: was killed by signal 9; mpich: skip a death ends the job */
/* ranks: 2; name: abort; args: abort; expect-exit: 44; expect-stderr: ended the job with status 44; mpich: skip it ends otherwise */
/* ranks: 2; name: left; args: left; expect-exit: 3; expect-stderr: exited with status 3; mpich: skip it ends otherwise */
/* A process dies that was started later, or one of those that have started it. Those that return errors are told, and can start others
 * in its place; else the job ends. An abort of one ends all, and so does one that leaves without MPI_Finalize. */
#include "children.h"

/* The last dies; the others, and those that have started them, see it, and go on without it. */
static void child_dies(MPI_Comm parent)
{
    int number = 0;
    if (parent != MPI_COMM_NULL) {
        OK(MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN));
        OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
        if (rank == CHILDREN - 1)
            raise(SIGKILL);
        CHECK_CLASS(MPI_Recv(&number, 1, MPI_INT, CHILDREN - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
        OK(MPI_Send(&rank, 1, MPI_INT, 0, 1, parent));
        return;
    }
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    MPI_Comm inter = start("child");
    CHECK_CLASS(MPI_Recv(&number, 1, MPI_INT, CHILDREN - 1, 1, inter, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
    for (int from = 0; rank == 0 && from < CHILDREN - 1; from++) {
        OK(MPI_Recv(&number, 1, MPI_INT, from, 1, inter, MPI_STATUS_IGNORE));
        CHECK_EQ(number, from);
    }
    /* Others take their place. */
    inter = start("work");
    for (int from = 0; rank == 0 && from < CHILDREN; from++)
        OK(MPI_Recv(&number, 1, MPI_INT, from, 1, inter, MPI_STATUS_IGNORE));
}

static void parent_dies(MPI_Comm parent)
{
    int number = 0;
    if (parent == MPI_COMM_NULL) {
        OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
        MPI_Comm inter = start("parent");
        OK(MPI_Barrier(inter));
        if (rank == 1)
            raise(SIGKILL);
        for (int from = 0; from < CHILDREN; from++)
            OK(MPI_Recv(&number, 1, MPI_INT, from, 1, inter, MPI_STATUS_IGNORE));
        return;
    }
    OK(MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN));
    OK(MPI_Barrier(parent));
    CHECK_CLASS(MPI_Recv(&number, 1, MPI_INT, 1, 1, parent, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
    OK(MPI_Send(&rank, 1, MPI_INT, 0, 1, parent));
}

int main(int argc, char **argv)
{
    MPI_Comm parent;
    check_start(&argc, &argv);
    program = argv[0];
    const char *what = argv[1];
    OK(MPI_Comm_get_parent(&parent));
    int later = parent != MPI_COMM_NULL, number = 0;
    if (strcmp(what, "child") == 0) {
        child_dies(parent);
    } else if (strcmp(what, "parent") == 0) {
        parent_dies(parent);
    } else if (strcmp(what, "work") == 0) {
        OK(MPI_Send(&rank, 1, MPI_INT, 0, 1, parent));
    } else if (!later) {
        OK(MPI_Barrier(start(what)));
        pause();
    } else {
        OK(MPI_Barrier(parent));
        if (rank == 1 && strcmp(what, "fatal") == 0)
            raise(SIGKILL);
        if (rank == 1 && strcmp(what, "abort") == 0)
            MPI_Abort(MPI_COMM_WORLD, 44);
        if (rank == 1 && strcmp(what, "left") == 0)
            _exit(3);
        MPI_Recv(&number, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return check_end();
}
