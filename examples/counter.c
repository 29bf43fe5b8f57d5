/*
 * A shared counter: every rank draws pieces of work from it until there are none, so that nobody waits for the slowest.
 *
 * The counter is one integer in the memory of rank 0. MPI_Fetch_and_op adds to it and gives what it was before, in one atomic step:
 * no two ranks draw the same piece, and rank 0 does nothing for that.
 *
 *     mpicc -O2 counter.c -o counter && mpiexec -n 4 ./counter
 *
 * The work is to integrate 4 / (1 + x^2) from 0 to 1, which is pi. Each piece has to be drawn once.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { PIECES = 1000, POINTS = 2000 };

static double integrate(int piece)
{
    double sum = 0.0, h = 1.0 / ((double)PIECES * POINTS);
    for (int i = 0; i < POINTS; i++) {
        double x = ((double)piece * POINTS + i + 0.5) * h;
        sum += h * 4.0 / (1.0 + x * x);
    }
    return sum;
}

/* The next number of the counter of rank 0. */
static int draw(MPI_Win win)
{
    int one = 1, drawn;
    MPI_Fetch_and_op(&one, &drawn, MPI_INT, 0, 0, MPI_SUM, win);
    MPI_Win_flush(0, win); /* only now `drawn` has its value */
    return drawn;
}

int main(int argc, char **argv)
{
    MPI_Win win;
    int rank, *counter;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(rank == 0 ? sizeof(int) : 0, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &counter, &win);

    MPI_Win_lock_all(0, win);
    if (rank == 0)
        *counter = 0;
    MPI_Win_sync(win);
    MPI_Barrier(MPI_COMM_WORLD); /* nobody draws before the counter is 0 */

    double pi = 0.0;
    int *times = calloc(PIECES, sizeof *times);
    if (!times)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int piece = draw(win); piece < PIECES; piece = draw(win)) {
        pi += integrate(piece);
        times[piece]++;
    }
    MPI_Win_unlock_all(win);

    MPI_Allreduce(MPI_IN_PLACE, &pi, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, times, PIECES, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    int wrong = 0;
    for (int piece = 0; piece < PIECES; piece++)
        wrong += times[piece] != 1;
    wrong += fabs(pi - 3.14159265358979) > 1e-10;
    if (rank == 0)
        printf("counter: pi is %.10f, of %d pieces: %d wrong\n", pi, PIECES, wrong);
    free(times);
    MPI_Win_free(&win);
    MPI_Finalize();
    return wrong != 0;
}
