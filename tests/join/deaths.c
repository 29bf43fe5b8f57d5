/* Those that serve and those that die. "serve": all of it accept, one after the other, until one has come that says it is the last; whatever
 * becomes of the callers, MPI_Comm_accept succeeds. "serve late": they begin when there is a file "end". "alone N" and "together N": each of them, or all, connect, and are killed by the kernel at
 * a random moment of the next N microseconds; of those that are together one is, and the others hear of it. "last": says that it is. */
#include "check.h"
#include <signal.h>
#include <time.h>
#include <unistd.h>

static void find(char *port)
{
    while (MPI_Lookup_name("deaths", MPI_INFO_NULL, port) != MPI_SUCCESS)
        usleep(2000);
}

static int serve(int late)
{
    char port[MPI_MAX_PORT_NAME] = "";
    int last = 0, root = size - 1, count, number = 7;
    MPI_Comm inter;
    if (rank == root) {
        OK(MPI_Open_port(MPI_INFO_NULL, port));
        OK(MPI_Publish_name("deaths", MPI_INFO_NULL, port));
    }
    while (late && access("end", F_OK) != 0)
        usleep(2000);
    while (!last) {
        OK(MPI_Comm_accept(port, MPI_INFO_NULL, root, MPI_COMM_WORLD, &inter));
        OK(MPI_Comm_remote_size(inter, &count));
        if (rank == 0) {
            /* They may be dead by now. */
            for (int to = 0; to < count; to++)
                MPI_Send(&number, 1, MPI_INT, to, 1, inter);
            if (MPI_Recv(&last, 1, MPI_INT, 0, 2, inter, MPI_STATUS_IGNORE) != MPI_SUCCESS)
                last = 0;
        }
        OK(MPI_Bcast(&last, 1, MPI_INT, 0, MPI_COMM_WORLD));
        OK(MPI_Comm_disconnect(&inter));
    }
    if (rank == root) {
        OK(MPI_Unpublish_name("deaths", MPI_INFO_NULL, port));
        OK(MPI_Close_port(port));
        puts("serve: done");
    }
    return check_end();
}

static void die_within(int microseconds)
{
    timer_t timer;
    struct sigevent what = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
    struct itimerspec when = {.it_value.tv_nsec = 1 + rand() % microseconds * 1000L};
    CHECK_EQ(timer_create(CLOCK_MONOTONIC, &what, &timer), 0);
    CHECK_EQ(timer_settime(timer, 0, &when, NULL), 0);
}

int main(int argc, char **argv)
{
    char port[MPI_MAX_PORT_NAME];
    int number, last;
    MPI_Comm inter;
    check_start(&argc, &argv);
    /* So that the server goes on when one has died to whom it was connected. */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    const char *way = argv[1];
    if (strcmp(way, "serve") == 0)
        return serve(argc > 2);
    find(port);
    srand(getpid());
    MPI_Comm comm = strcmp(way, "alone") == 0 ? MPI_COMM_SELF : MPI_COMM_WORLD;
    last = strcmp(way, "last") == 0;
    if (!last) {
        int dies = comm == MPI_COMM_SELF || rank == atoi(argv[2]) % size;
        OK(MPI_Barrier(MPI_COMM_WORLD));
        if (dies)
            die_within(atoi(argv[2]));
    }
    int code = MPI_Comm_connect(port, MPI_INFO_NULL, 0, comm, &inter);
    if (code == MPI_SUCCESS)
        code = MPI_Recv(&number, 1, MPI_INT, 0, 1, inter, MPI_STATUS_IGNORE);
    if (!last) {
        /* Some are killed later than this. */
        if (code == MPI_SUCCESS)
            CHECK_EQ(number, 7);
        raise(SIGKILL);
    }
    CHECK_EQ(code, MPI_SUCCESS);
    if (rank == 0)
        OK(MPI_Send(&last, 1, MPI_INT, 0, 2, inter));
    OK(MPI_Comm_disconnect(&inter));
    return check_end();
}
