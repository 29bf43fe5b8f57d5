/* ranks: 2; name: quit; args: quit; expect-stderr: exited with status 0 without calling MPI_Finalize; mpich: skip it waits for ever */
/* ranks: 2; name: again; args: again; mpich: skip it waits for ever */
/* ranks: 2; name: places; args: places; env: RMASHM_CHECK=off; expect-stderr: exited with status 0 without calling MPI_Finalize; mpich: skip it waits for ever */
/* MPI_Comm_disconnect waits for the other processes, but not for those that have ended, however, nor for those that have gone after an
 * attribute's delete callback has let it fail (MPI 4.1 sections 11.10.4, 7.7.2). */
#include "../jobs/children.h"

/* The table has room for so many more. */
enum { PLACES = 128 };

static int refusals = 1;

static int refuse(MPI_Comm comm, int keyval, void *value, void *state)
{
    (void)comm, (void)keyval, (void)value, (void)state;
    return refusals-- > 0 ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static MPI_Comm alone(const char *what)
{
    MPI_Comm inter;
    char *words[] = {(char *)what, NULL};
    OK(MPI_Comm_spawn(program, words, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter, MPI_ERRCODES_IGNORE));
    return inter;
}

/* Waits for the signal that its parent sends when that has disconnected. */
static void await_signal(sigset_t *signals)
{
    int number;
    OK(sigwait(signals, &number));
}

static void child(const char *what, MPI_Comm parent, sigset_t *signals)
{
    int process = getpid();
    if (strcmp(what, "end") == 0)
        return;
    OK(MPI_Bcast(&process, 1, MPI_INT, rank == 0 ? MPI_ROOT : MPI_PROC_NULL, parent));
    if (strcmp(what, "quit") == 0)
        exit(0);
    OK(MPI_Comm_disconnect(&parent));
    if (strcmp(what, "part") == 0)
        exit(0);
    if (rank == 0)
        await_signal(signals);
}

int main(int argc, char **argv)
{
    MPI_Comm parent, inter, later;
    sigset_t signals;
    int process, keyval;
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    check_start(&argc, &argv);
    program = argv[0];
    const char *what = argv[1];
    OK(MPI_Comm_get_parent(&parent));
    if (parent != MPI_COMM_NULL) {
        child(what, parent, &signals);
        return check_end();
    }
    if (strcmp(what, "places") == 0) {
        /* The last place is one's that ends without disconnecting, and then that of another one, which lives. */
        for (int i = 1; rank == 0 && i < PLACES; i++) {
            inter = alone("part");
            OK(MPI_Bcast(&process, 1, MPI_INT, 0, inter));
            OK(MPI_Comm_disconnect(&inter));
        }
        if (rank == 0) {
            inter = alone("end");
            later = alone("stay");
            OK(MPI_Bcast(&process, 1, MPI_INT, 0, later));
            OK(MPI_Comm_disconnect(&inter));
            OK(MPI_Comm_disconnect(&later));
            OK(kill(process, SIGUSR1));
        }
        return check_end();
    }
    inter = start(what);
    OK(MPI_Bcast(&process, 1, MPI_INT, 0, inter));
    if (strcmp(what, "again") == 0) {
        OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, refuse, &keyval, NULL));
        OK(MPI_Comm_set_attr(inter, keyval, NULL));
        OK(MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN));
        CHECK_CLASS(MPI_Comm_disconnect(&inter), MPI_ERR_OTHER);
        OK(MPI_Comm_free_keyval(&keyval));
    }
    OK(MPI_Comm_disconnect(&inter));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0 && strcmp(what, "again") == 0)
        OK(kill(process, SIGUSR1));
    return check_end();
}
