/* ranks: 2; name: smaller; args: smaller; env: RMASHM_CHECK=off; mpich: skip who ends before MPI_Init ends all */
/* ranks: 2; name: heard; args: heard; env: RMASHM_CHECK=off; expect-stderr: exited with status 0 without calling MPI_Finalize; mpich: skip who ends before MPI_Init ends all */
/* Processes that were started end before MPI_Init: who has asked for them hears of it (MPI 4.1 section 11.8), and their places are for
 * others: fewer of them, too. */
#define _GNU_SOURCE
#include "check.h"

#include <unistd.h>

/* The table has room for so many more. */
enum { PLACES = 128, SECONDS = 2 };

static char *program;

static int spawn(const char *what, int count, MPI_Comm *inter)
{
    char *words[] = {(char *)what, NULL};
    return MPI_Comm_spawn(program, words, count, MPI_INFO_NULL, 0, MPI_COMM_SELF, inter, MPI_ERRCODES_IGNORE);
}

/* All places are those of worlds of four that have ended; then such of three take them. */
static void smaller(void)
{
    MPI_Comm inter;
    for (int i = 0; i < PLACES / 4; i++)
        CHECK_CLASS(spawn("nothing", 4, &inter), MPI_ERR_SPAWN);
    for (int i = 0; i < 3; i++) {
        OK(spawn("end", 3, &inter));
        OK(MPI_Comm_disconnect(&inter));
    }
}

/* Rank 1 waits for the last place, where rank 0 has started one that ends soon. */
static void heard(void)
{
    MPI_Comm inter;
    double began;
    for (int i = 1; rank == 0 && i < PLACES; i++) {
        OK(spawn("quit", 1, &inter));
        OK(MPI_Comm_disconnect(&inter));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    began = MPI_Wtime();
    if (rank == 0) {
        CHECK_CLASS(spawn("soon", 1, &inter), MPI_ERR_SPAWN);
        CHECK(MPI_Wtime() - began < SECONDS);
    } else {
        usleep(100000);
        OK(spawn("stay", 1, &inter));
        OK(MPI_Comm_disconnect(&inter));
    }
}

int main(int argc, char **argv)
{
    MPI_Comm parent;
    if (argc > 1 && strcmp(argv[1], "nothing") == 0)
        return 0;
    if (argc > 1 && strcmp(argv[1], "soon") == 0) {
        usleep(300000);
        return 0;
    }
    check_start(&argc, &argv);
    program = argv[0];
    OK(MPI_Comm_get_parent(&parent));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    if (parent != MPI_COMM_NULL) {
        OK(MPI_Comm_disconnect(&parent));
        if (strcmp(argv[1], "quit") == 0)
            exit(0);
        if (strcmp(argv[1], "stay") == 0)
            sleep(SECONDS + 1);
    } else if (strcmp(argv[1], "smaller") == 0) {
        if (rank == 0)
            smaller();
    } else {
        heard();
    }
    return check_end();
}
