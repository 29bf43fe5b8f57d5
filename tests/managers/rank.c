/* A rank: says which it is and of how many, when all have added theirs up, then ends as it is told.
 *
 *     rank [abort STATUS | kill | exit STATUS | finalized STATUS | wait FILE | child PROGRAM]
 *
 * The last rank aborts, is killed, or exits without MPI_Finalize; the others wait for it in a barrier. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "", *what = argc > 2 ? argv[2] : "0";
    int rank, ranks, sum, last;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (sum != ranks * (ranks - 1) / 2)
        MPI_Abort(MPI_COMM_WORLD, 99);
    printf("rank %d of %d\n", rank, ranks);
    fflush(stdout);
    last = rank == ranks - 1;
    if (!strcmp(how, "abort") && last)
        MPI_Abort(MPI_COMM_WORLD, atoi(what));
    if (!strcmp(how, "kill") && last)
        raise(SIGKILL);
    if (!strcmp(how, "exit") && last)
        exit(atoi(what));
    if (!strcmp(how, "wait")) {
        char name[4096];
        snprintf(name, sizeof name, "%s.%d", what, rank);
        fclose(fopen(name, "w"));
        for (;;)
            pause();
    }
    if (!strcmp(how, "child") && last)
        printf("child: %d\n", WEXITSTATUS(system(what)));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return !strcmp(how, "finalized") && last ? atoi(what) : 0;
}
