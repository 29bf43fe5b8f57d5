/* ranks: 2; env: RMASHM_CHECK=off; abi: mpich; expect-stderr: ; expect-exit: 137; seconds: 240; mpich: skip a death ends the job */
/* ranks: 1; launcher: alone; env: RMASHM_CHECK=off; abi: mpich; expect-stderr: ; seconds: 240; mpich: skip a death ends the job */
/* Processes that were started later die, again and again: their places in the job are given to others when those that have started them
 * have freed what they have in common with them; the next ones neither get what the dead have left nor are taken for them. As long as
 * something is kept the places are, too. */
#include "check.h"
#include <signal.h>
#include <unistd.h>

/* More than a job has places for, so many at a time. */
enum { AT_ONCE = 40, ROUNDS = 12, LEFT = 77 };

static char *program;

static MPI_Comm start(int count, const char *what)
{
    MPI_Comm inter;
    char *words[] = {(char *)what, NULL};
    int code = MPI_Comm_spawn(program, words, count, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter, MPI_ERRCODES_IGNORE);
    if (code == MPI_SUCCESS)
        OK(MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN));
    return inter;
}

/* Leaves messages that nobody receives, on the communicator that is given and on a new one, which it revokes; and dies when it is told to. */
static void child(MPI_Comm parent, const char *what)
{
    MPI_Comm all, copy;
    int number;
    OK(MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN));
    OK(MPI_Intercomm_merge(parent, 1, &all));
    OK(MPI_Send(&(int){LEFT}, 1, MPI_INT, 0, 5, all));
    OK(MPI_Send(&(int){LEFT}, 1, MPI_INT, 0, 5, parent));
    OK(MPI_Send(&rank, 1, MPI_INT, 0, 1, parent));
    if (strcmp(what, "dies") == 0) {
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
        if (rank == 0)
            OK(MPIX_Comm_revoke(copy));
        OK(MPI_Recv(&number, 1, MPI_INT, 0, 2, parent, MPI_STATUS_IGNORE));
        raise(SIGKILL);
    }
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
    OK(MPI_Barrier(copy));
    OK(MPI_Comm_free(&copy));
    OK(MPI_Recv(&number, 1, MPI_INT, 0, 2, parent, MPI_STATUS_IGNORE));
    OK(MPI_Comm_free(&all));
    OK(MPI_Comm_disconnect(&parent));
}

/* Hears from all, and tells them to die; waits until they have. Gives the communicators. */
static void have_die(MPI_Comm *inter, MPI_Comm *all)
{
    int number;
    *inter = start(AT_ONCE, "dies");
    CHECK(*inter != MPI_COMM_NULL);
    OK(MPI_Intercomm_merge(*inter, 0, all));
    OK(MPI_Comm_set_errhandler(*all, MPI_ERRORS_RETURN));
    for (int from = 0; from < AT_ONCE; from++) {
        OK(MPI_Recv(&number, 1, MPI_INT, from, 1, *inter, MPI_STATUS_IGNORE));
        CHECK_EQ(number, from);
    }
    for (int to = 0; to < AT_ONCE; to++)
        OK(MPI_Send(&number, 1, MPI_INT, to, 2, *inter));
    for (int from = 0; from < AT_ONCE; from++)
        CHECK_CLASS(MPI_Recv(&number, 1, MPI_INT, from, 3, *inter, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
}

static void first(void)
{
    MPI_Comm inter, all, kept[3], kept_all[3];
    MPI_Group group;
    int number;
    for (int round = 0; round < ROUNDS; round++) {
        have_die(&inter, &all);
        OK(MPI_Comm_free(&all));
        OK(MPI_Comm_disconnect(&inter));
    }
    /* Those that live have what belongs to them. */
    inter = start(AT_ONCE, "lives");
    OK(MPI_Intercomm_merge(inter, 0, &all));
    for (int from = 0; from < AT_ONCE; from++) {
        OK(MPI_Recv(&number, 1, MPI_INT, from, 1, inter, MPI_STATUS_IGNORE));
        CHECK_EQ(number, from);
        OK(MPI_Recv(&number, 1, MPI_INT, from, 5, inter, MPI_STATUS_IGNORE));
        OK(MPI_Recv(&number, 1, MPI_INT, from + 1, 5, all, MPI_STATUS_IGNORE));
    }
    for (int to = 0; to < AT_ONCE; to++)
        OK(MPI_Send(&number, 1, MPI_INT, to, 2, inter));
    OK(MPI_Comm_free(&all));
    OK(MPI_Comm_disconnect(&inter));

    /* Of the dead that are still asked for the places are theirs: by communicators, and by a group. */
    for (int i = 0; i < 3; i++)
        have_die(&kept[i], &kept_all[i]);
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    CHECK(start(AT_ONCE, "dies") == MPI_COMM_NULL);
    for (int i = 0; i < 3; i++) {
        CHECK_CLASS(MPI_Recv(&number, 1, MPI_INT, 1, 3, kept[i], MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
        OK(MPI_Comm_free(&kept_all[i]));
        if (i == 2)
            OK(MPI_Comm_remote_group(kept[i], &group));
        if (i > 0)
            OK(MPI_Comm_disconnect(&kept[i]));
    }
    have_die(&inter, &all);
    CHECK(start(AT_ONCE, "dies") == MPI_COMM_NULL);
    CHECK_CLASS(MPI_Recv(&number, 1, MPI_INT, 1, 3, kept[0], MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
    OK(MPI_Group_free(&group));
    have_die(&kept[1], &kept_all[1]);
}

int main(int argc, char **argv)
{
    MPI_Comm parent;
    check_start(&argc, &argv);
    program = argv[0];
    OK(MPI_Comm_get_parent(&parent));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    if (parent != MPI_COMM_NULL)
        child(parent, argv[1]);
    else if (rank == 0)
        first();
    return check_end();
}
