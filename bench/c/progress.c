/* The target computes and does not call MPI: how long one-sided operations of another rank take, on every flavour. The origin
 * computes before each, so that it begins with what caches hold then. */
#include "bench.h"

enum { BYTES = 65536, MOST = 11 };

/* Works without MPI, so long that an operation which needs the target is seen to wait. */
static void compute(double seconds)
{
    double begin = MPI_Wtime();
    volatile double x = 1;
    for (;;) {
        for (int i = 0; i < 100000; i++)
            x = x * 0.999 + 0.001;
        if (MPI_Wtime() - begin > seconds)
            return;
    }
}

static struct window w;
static int target;
static char local[BYTES];
static long one = 1, before;

static void lock_put(void)
{
    MPI_Put(local, 8, MPI_CHAR, target, w.begin[target], 8, MPI_CHAR, w.win);
}
static void put_64k(void)
{
    MPI_Put(local, BYTES, MPI_CHAR, target, w.begin[target], BYTES, MPI_CHAR, w.win);
}
static void get(void)
{
    MPI_Get(local, 8, MPI_CHAR, target, w.begin[target], 8, MPI_CHAR, w.win);
}
static void accumulate(void)
{
    MPI_Accumulate(&one, 1, MPI_LONG, target, w.begin[target], 1, MPI_LONG, MPI_SUM, w.win);
}
static void fetch_and_op(void)
{
    MPI_Fetch_and_op(&one, &before, MPI_LONG, target, w.begin[target], MPI_SUM, w.win);
}

static int ascending(const void *a, const void *b)
{
    double d = *(const double *)a - *(const double *)b;
    return (d > 0) - (d < 0);
}

/* The median of some operations, or of those that ended while the target surely computes; at least one. */
static double median_of(void (*operation)(void))
{
    double took[MOST], first = MPI_Wtime();
    int n = 0;
    do {
        /* At the first one the target is in its loop by then. */
        compute(0.002);
        double begin = MPI_Wtime();
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, w.win);
        operation();
        MPI_Win_unlock(target, w.win);
        took[n++] = MPI_Wtime() - begin;
    } while (n < MOST && MPI_Wtime() - first < budget * 10);
    qsort(took, n, sizeof *took, ascending);
    return took[n / 2];
}

static void with(const char *name, void (*operation)(void))
{
    char text[64];
    for (int busy = 0; busy < 2; busy++) {
        double took = 0;
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0)
            took = median_of(operation);
        else if (busy && rank == target)
            compute(budget * 20);
        MPI_Barrier(MPI_COMM_WORLD);
        snprintf(text, sizeof text, "%s_%s_%s", busy ? "busy" : "idle", name, flavour_name[w.flavour]);
        result(text, (long)(budget * 20e3), "us", took * 1e6);
    }
}

void family_progress(void)
{
    target = size - 1;
    for (int flavour = 0; flavour < FLAVOURS; flavour++) {
        w = window_open(flavour, BYTES);
        with("put", lock_put);
        with("put_64k", put_64k);
        with("get", get);
        with("accumulate", accumulate);
        with("fetch_and_op", fetch_and_op);
        window_close(&w);
    }
}
