/* ranks: 2; env: RMASHM_CHECK=off; mpich: skip it takes long to start so many */
/* A process that was started later sends something and ends; its place in the job is another's before the receiver has looked for it. What was
 * sent is there all the same (MPI 4.1 sections 11.8, 11.10.4). */
#define _GNU_SOURCE
#include "check.h"

#include <unistd.h>

enum { LENGTH = 256, NUMBERS = 1000 };

static char flag[64];
static int numbers[NUMBERS];

static void spawn(const char *program, int count, const char *what, const char *more, MPI_Comm comm, MPI_Comm *inter)
{
    char *words[] = {(char *)what, (char *)more, NULL};
    OK(MPI_Comm_spawn(program, words, count, MPI_INFO_NULL, 0, comm, inter, MPI_ERRCODES_IGNORE));
}

static void child(MPI_Comm parent, char **argv)
{
    if (strcmp(argv[1], "send") == 0) {
        for (int i = 0; i < NUMBERS; i++)
            numbers[i] = i;
        OK(MPI_Send(numbers, NUMBERS, MPI_INT, 1, 1, parent));
        /* Without waiting for the others, which look for that when this one has ended. */
        OK(MPI_Comm_free(&parent));
        return;
    } else if (strcmp(argv[1], "connect") == 0) {
        MPI_Comm inter;
        OK(MPI_Comm_size(parent, &size));
        fclose(fopen(strchr(argv[2], '/'), "w"));
        *strchr(argv[2], '/') = 0;
        OK(MPI_Comm_connect(argv[2], MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter));
        OK(MPI_Send(&size, 1, MPI_INT, 0, 2, inter));
        OK(MPI_Comm_disconnect(&inter));
    }
    OK(MPI_Comm_disconnect(&parent));
}

int main(int argc, char **argv)
{
    MPI_Comm parent, first, inter;
    char port[MPI_MAX_PORT_NAME] = "";
    check_start(&argc, &argv);
    OK(MPI_Comm_get_parent(&parent));
    if (parent != MPI_COMM_NULL) {
        child(parent, argv);
        return check_end();
    }
    snprintf(flag, sizeof flag, "/tmp/rmashm-places-%d", (int)getpid());
    OK(MPI_Bcast(flag, sizeof flag, MPI_CHAR, 1, MPI_COMM_WORLD));
    if (rank == 1)
        OK(MPI_Open_port(MPI_INFO_NULL, port));
    OK(MPI_Bcast(port, LENGTH, MPI_CHAR, 1, MPI_COMM_WORLD));
    spawn(argv[0], 1, "send", "", MPI_COMM_WORLD, &first);
    if (rank == 0) {
        char words[LENGTH + sizeof flag];
        /* As many as there are places, and one more, which gets the first. */
        int counts[] = {60, 60, 1, 1, 1, 1, 1, 1, 1};
        for (int i = 0; i < 9; i++) {
            spawn(argv[0], counts[i], "end", "", MPI_COMM_SELF, &inter);
            OK(MPI_Comm_disconnect(&inter));
        }
        snprintf(words, sizeof words, "%.*s%s", LENGTH - 1, port, flag);
        spawn(argv[0], 1, "connect", words, MPI_COMM_SELF, &inter);
        OK(MPI_Comm_disconnect(&inter));
    } else {
        int number = 0;
        /* Outside of MPI, so that nothing is looked for. */
        while (access(flag, F_OK) != 0)
            usleep(1000);
        usleep(50000);
        unlink(flag);
        OK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter));
        OK(MPI_Recv(&number, 1, MPI_INT, 0, 2, inter, MPI_STATUS_IGNORE));
        CHECK_EQ(number, 1);
        OK(MPI_Comm_disconnect(&inter));
        OK(MPI_Recv(numbers, NUMBERS, MPI_INT, 0, 1, first, MPI_STATUS_IGNORE));
        for (int i = 0; i < NUMBERS; i++)
            CHECK_EQ(numbers[i], i);
        OK(MPI_Close_port(port));
    }
    OK(MPI_Comm_disconnect(&first));
    return check_end();
}
