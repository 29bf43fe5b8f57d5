/*
 * Heat in a square plate at rest: Laplace's equation over memory that all ranks share.
 *
 *     u_xx + u_yy = 0 on the unit square,   u = sin(pi x) on its edge y = 1,   u = 0 on the three other edges
 *
 * whose solution is u = sin(pi x) sinh(pi y) / sinh(pi). The plate has N x N inner points, h = 1/(N+1) apart; each is
 * the mean of its four neighbours (the five-point formula), solved by successive over-relaxation in two colours: the
 * red points need only black ones and the other way round, so all points of a colour may be computed at once, and the
 * result does not depend, in any bit, on the number of ranks.
 *
 * What it shows of MPI: MPI_Win_allocate_shared gives each rank a block of rows in memory all ranks can reach,
 * MPI_Win_shared_query a plain pointer to a neighbour's block, and MPI_Win_fence orders the stores of one rank before
 * the loads of another. No message is sent and no halo is copied: the row next to mine is read where it lies.
 *
 *     mpicc -O2 heat.c -o heat -lm && mpiexec -n 4 ./heat [N]
 *
 * Exits with status 1 if the answer is further from the solution than the theory allows, or was not reached.
 */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Iterations between two looks at whether the answer still changes. */
enum { CHECK_EVERY = 64 };

static const double pi = 3.14159265358979323846;

/* The plate as one rank sees it. A row has n + 2 points, its first and last lie on the plate's edge. */
typedef struct {
    int n;              /* inner points in a row, and inner rows */
    int first;          /* my first inner row; the edge y = 0 is row 0 */
    int rows;           /* my number of inner rows */
    double *mine;       /* my rows in the shared window */
    const double *below; /* row first - 1: of another rank, or the edge y = 0 */
    const double *above; /* row first + rows: of another rank, or the edge y = 1 */
} Plate;

/* The inner rows 1..n, shared out as evenly as can be: the rows before those of `rank`. */
static int rows_before(int n, int size, int rank)
{
    return (int)((long long)n * rank / size);
}

static double solution(double x, double y)
{
    return sin(pi * x) * sinh(pi * y) / sinh(pi);
}

static const double *row(const Plate *p, int i)
{
    if (i < 0)
        return p->below;
    if (i >= p->rows)
        return p->above;
    return p->mine + (size_t)i * (p->n + 2);
}

/* One half-sweep: relaxes my points of one colour, red (0) or black (1), and returns the largest change. */
static double relax(const Plate *p, int colour, double omega)
{
    double largest = 0.0;
    for (int i = 0; i < p->rows; i++) {
        double *u = p->mine + (size_t)i * (p->n + 2);
        const double *down = row(p, i - 1), *up = row(p, i + 1);
        for (int j = 1 + (p->first + i + colour) % 2; j <= p->n; j += 2) {
            double change = omega * (0.25 * (u[j - 1] + u[j + 1] + down[j] + up[j]) - u[j]);
            u[j] += change;
            if (fabs(change) > largest)
                largest = fabs(change);
        }
    }
    return largest;
}

/* The largest distance of my points from the solution. */
static double distance(const Plate *p, double h)
{
    double largest = 0.0;
    for (int i = 0; i < p->rows; i++)
        for (int j = 1; j <= p->n; j++)
            largest = fmax(largest, fabs(row(p, i)[j] - solution(j * h, (p->first + i) * h)));
    return largest;
}

/* A number that changes with any bit of my points, and whose sum over the ranks does not depend on who owns which. */
static uint64_t fingerprint(const Plate *p)
{
    uint64_t sum = 0;
    for (int i = 0; i < p->rows; i++)
        for (int j = 1; j <= p->n; j++) {
            uint64_t bits;
            memcpy(&bits, &row(p, i)[j], sizeof bits);
            bits ^= (uint64_t)(p->first + i) << 32 | (uint64_t)j;
            bits *= UINT64_C(0x9E3779B97F4A7C15);
            sum += bits ^ bits >> 29;
        }
    return sum;
}

/* Where a row lies that is not mine: in the block of the rank that owns it. */
static const double *row_of_rank(MPI_Win win, int n, int size, int owner, int wanted)
{
    MPI_Aint bytes;
    int unit;
    double *base;
    MPI_Win_shared_query(win, owner, &bytes, &unit, &base);
    return base + (size_t)(wanted - 1 - rows_before(n, size, owner)) * (n + 2);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    int n = argc > 1 ? atoi(argv[1]) : 1000;
    if (n < size || n < 2 || n > 20000) {
        if (rank == 0)
            fprintf(stderr, "usage: heat [N]   N inner points each way, from %d to 20000\n", size < 2 ? 2 : size);
        MPI_Finalize();
        return 2;
    }
    const double h = 1.0 / (n + 1);

    /* My rows, in memory that every rank on this machine can load from and store to. */
    Plate p = {.n = n, .first = 1 + rows_before(n, size, rank)};
    p.rows = 1 + rows_before(n, size, rank + 1) - p.first;
    MPI_Win win;
    MPI_Win_allocate_shared((MPI_Aint)p.rows * (n + 2) * (MPI_Aint)sizeof(double), sizeof(double), MPI_INFO_NULL,
                            MPI_COMM_WORLD, &p.mine, &win);

    /* The edges y = 0 and y = 1 belong to no rank: who needs one keeps it privately. */
    double *edge = calloc((size_t)n + 2, sizeof(double)), *hot = calloc((size_t)n + 2, sizeof(double));
    if (!edge || !hot)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int j = 1; j <= n; j++)
        hot[j] = solution(j * h, 1.0);
    p.below = rank > 0 ? row_of_rank(win, n, size, rank - 1, p.first - 1) : edge;
    p.above = rank < size - 1 ? row_of_rank(win, n, size, rank + 1, p.first + p.rows) : hot;
    memset(p.mine, 0, (size_t)p.rows * (n + 2) * sizeof(double));

    /*
     * The best relaxation factor for this problem, and with it an error that shrinks by omega - 1 = 1 - 2 pi h or so
     * an iteration. The five-point formula itself is off by at most h^2/12 (max|u_xxxx| + max|u_yyyy|) / 8, which is
     * h^2 pi^4 / 48 here; the iteration goes on until what is left of its own error is below a hundredth of that.
     */
    const double omega = 2.0 / (1.0 + sin(pi * h));
    const double bound = h * h * pow(pi, 4) / 48.0;
    const double enough = 0.01 * bound * (2.0 - omega);
    const int most = 100 * CHECK_EVERY + 20 * n;

    MPI_Win_fence(0, win);
    double start = MPI_Wtime();
    double change = INFINITY;
    int iterations = 0;
    while (change > enough && iterations < most) {
        for (int k = 0; k < CHECK_EVERY; k++) {
            double red = relax(&p, 0, omega);
            MPI_Win_fence(0, win); /* every red point is stored before any black point reads it */
            double black = relax(&p, 1, omega);
            MPI_Win_fence(0, win);
            change = fmax(red, black);
        }
        iterations += CHECK_EVERY;
        MPI_Allreduce(MPI_IN_PLACE, &change, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    double seconds = MPI_Wtime() - start;

    double error = distance(&p, h);
    uint64_t print = fingerprint(&p);
    MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &print, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    int right = change <= enough && error <= 1.01 * bound;

    if (rank == 0) {
        char library[MPI_MAX_LIBRARY_VERSION_STRING];
        int length;
        MPI_Get_library_version(library, &length);
        library[strcspn(library, "\n")] = '\0';
        /* Each half-sweep loads every point (8 bytes) and stores half of them. */
        double bytes = 2.0 * iterations * (8.0 + 4.0) * n * (double)n;
        printf("library    %s\n", library);
        printf("plate      %d x %d points, %d ranks, %d iterations\n", n, n, size, iterations);
        printf("time       %.3f s\n", seconds);
        printf("bandwidth  %.2f GB/s loaded and stored\n", bytes / seconds / 1e9);
        printf("error      %.3e (at most %.3e)%s\n", error, 1.01 * bound, right ? "" : "  WRONG");
        printf("answer     %016llx\n", (unsigned long long)print);
    }
    free(edge);
    free(hot);
    MPI_Win_free(&win);
    MPI_Finalize();
    return right ? 0 : 1;
}
