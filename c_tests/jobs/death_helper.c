/* ranks: 1; launcher: alone; name: helper; args: helper; expect-stderr: the launcher's helper; mpich: skip its errors are others */
/* ranks: 2; launcher: hydra; name: helper; args: helper; expect-stderr: the launcher's helper; mpich: skip its errors are others */
/* ranks: 1; launcher: alone; name: asking; args: asking; expect-stderr: the launcher's helper; mpich: skip its errors are others */
/* ranks: 1; launcher: alone; name: child; args: child; expect-stderr: was killed by signal 9; mpich: skip a death ends the job */
/* ranks: 2; launcher: hydra; name: child; args: child; expect-stderr: was killed by signal 9; mpich: skip a death ends the job */
/* ranks: 1; launcher: alone; name: fatal; args: fatal; expect-exit: 143; expect-stderr: was killed by signal 9; mpich: skip it ends otherwise */
/* ranks: 2; launcher: hydra; name: fatal; args: fatal; expect-exit: nonzero; expect-stderr: was killed by signal 9; expect-stdout: ; mpich: skip it ends otherwise */
/* ranks: 1; launcher: alone; name: abort; args: abort; expect-exit: 143; expect-stderr: ended the job with status 44; mpich: skip it ends otherwise */
/* ranks: 1; launcher: alone; name: unaware; args: unaware; expect-exit: 143; expect-stderr: ended the job with status 44; mpich: skip it ends otherwise */
/* ranks: 1; launcher: alone; name: parent; args: parent; expect-exit: 137; expect-stderr: ; mpich: skip it ends otherwise */
/* ranks: 2; launcher: hydra; name: parent; args: parent; expect-exit: nonzero; expect-stderr: ; expect-stdout: ; mpich: skip it ends otherwise */
/* ranks: 1; launcher: alone; name: left; args: left; mpich: skip its singletons start nothing */
/* Processes that were started for a job which rmashm's mpiexec has not started. Where its helper is killed they die with it, and those
 * that have asked for them are told, and can have others started, by another helper. Where one of them dies, or aborts, the job ends if
 * nobody goes on without it, also if one that asked for them has not heard yet, in MPI_Comm_spawn, that they have come. Where all that have
 * asked for them die, they end too, whatever they do; where those have ended in order they go on. */
#include "children.h"

static void work(void)
{
    int number;
    MPI_Comm inter = start("work");
    for (int from = 0; rank == 0 && from < CHILDREN; from++) {
        OK(MPI_Recv(&number, 1, MPI_INT, from, 1, inter, MPI_STATUS_IGNORE));
        CHECK_EQ(number, from);
    }
    OK(MPI_Comm_disconnect(&inter));
}

/* Before MPI_Init: the helper is this process's parent, and waits until all have become their programs. */
static void kill_helper_early(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], "asking") == 0)
        kill(getppid(), SIGKILL);
}

/* Whether nobody has a handler that goes on. */
static int is_fatal(const char *what)
{
    return strcmp(what, "fatal") == 0 || strcmp(what, "abort") == 0 || strcmp(what, "unaware") == 0;
}

static void first(const char *what)
{
    int number;
    MPI_Comm inter;
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    if (!is_fatal(what))
        OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    if (strcmp(what, "asking") == 0) {
        char *words[] = {"asking", "later", "0", NULL};
        int class;
        int code = MPI_Comm_spawn(program, words, CHILDREN, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter, MPI_ERRCODES_IGNORE);
        OK(MPI_Error_class(code, &class));
        /* It may have been a little later: when they were started, and had not come. */
        CHECK(class == MPI_ERR_SPAWN || class == MPIX_ERR_PROC_FAILED);
        CHECK(inter == MPI_COMM_NULL);
        work();
        return;
    }
    inter = start(what);
    if (strcmp(what, "helper") == 0) {
        CHECK_CLASS(MPI_Recv(&number, 1, MPI_INT, 1, 1, inter, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
        OK(MPI_Barrier(MPI_COMM_WORLD));
        work();
    } else if (strcmp(what, "child") == 0) {
        OK(MPI_Send(&rank, 1, MPI_INT, CHILDREN - 1, 2, inter));
        CHECK_CLASS(MPI_Recv(&number, 1, MPI_INT, CHILDREN - 1, 1, inter, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
        work();
    } else if (strcmp(what, "parent") == 0) {
        OK(MPI_Barrier(inter));
        raise(SIGKILL);
    } else if (strcmp(what, "left") == 0) {
        OK(MPI_Comm_disconnect(&inter));
    } else {
        pause();
    }
}

/* `asker`: the process that has asked for these. */
static void later(const char *what, pid_t asker, MPI_Comm parent)
{
    int number = 0, is_last = rank == CHILDREN - 1;
    /* So it has not left MPI_Comm_spawn, most probably, before the job ends. */
    if (strcmp(what, "unaware") == 0)
        kill(asker, SIGSTOP);
    if (strcmp(what, "work") == 0) {
        OK(MPI_Send(&rank, 1, MPI_INT, 0, 1, parent));
        OK(MPI_Comm_disconnect(&parent));
        return;
    }
    if (!is_fatal(what)) {
        OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
        OK(MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN));
    }
    if (strcmp(what, "helper") == 0) {
        OK(MPI_Barrier(MPI_COMM_WORLD));
        if (is_last)
            kill(getppid(), SIGKILL);
        pause();
    } else if (strcmp(what, "child") == 0) {
        /* When all are there who are to go on, and have said so. */
        if (is_last) {
            int parents;
            OK(MPI_Comm_remote_size(parent, &parents));
            for (int from = 0; from < parents; from++)
                OK(MPI_Recv(&number, 1, MPI_INT, from, 2, parent, MPI_STATUS_IGNORE));
            for (int from = 0; from < CHILDREN - 1; from++)
                OK(MPI_Recv(&number, 1, MPI_INT, from, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            raise(SIGKILL);
        }
        OK(MPI_Send(&rank, 1, MPI_INT, CHILDREN - 1, 2, MPI_COMM_WORLD));
        CHECK_CLASS(MPI_Recv(&number, 1, MPI_INT, CHILDREN - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
    } else if (strcmp(what, "parent") == 0) {
        OK(MPI_Barrier(parent));
        pause();
    } else if (strcmp(what, "left") == 0) {
        OK(MPI_Comm_disconnect(&parent));
        sleep(1);
        OK(MPI_Barrier(MPI_COMM_WORLD));
    } else {
        OK(MPI_Barrier(MPI_COMM_WORLD));
        if (is_last && strcmp(what, "fatal") == 0)
            raise(SIGKILL);
        if (is_last)
            MPI_Abort(MPI_COMM_WORLD, 44);
        MPI_Recv(&number, 1, MPI_INT, CHILDREN - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    MPI_Comm parent;
    kill_helper_early(argc, argv);
    check_start(&argc, &argv);
    program = argv[0];
    OK(MPI_Comm_get_parent(&parent));
    if (parent == MPI_COMM_NULL)
        first(argv[1]);
    else
        later(argv[1], atoi(argv[3]), parent);
    return check_end();
}
