/* bench <family> [<seconds>]: runs one family of measurements. */
#include "bench.h"

int rank, size;
double budget = 0.05;

static const struct {
    const char *name;
    void (*run)(void);
} families[] = {
    {"latency", family_latency},       {"rate", family_rate},         {"types", family_types},
    {"accumulate", family_accumulate}, {"atomics", family_atomics},   {"locks", family_locks},
    {"contended", family_contended},   {"epochs", family_epochs},     {"windows", family_windows},
    {"progress", family_progress},     {"bandwidth", family_bandwidth}, {"idle", family_idle},
    {"memory", family_memory},         {"messages", family_messages},
    {"collectives", family_collectives}, {"own_memory", family_own_memory},
    {"files", family_files},           {"sizes", family_sizes},           {"nothing", family_nothing},
};

/* Init and finalize alone: the runner takes the time of the whole job. */
void family_nothing(void)
{
}

void check(int right, const char *what)
{
    if (!right) {
        fprintf(stderr, "bench: rank %d: wrong data in %s\n", rank, what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

void result(const char *name, long x, const char *unit, double value)
{
    if (rank == 0) {
        printf("result %s %ld %s %.6g\n", name, x, unit, value);
        fflush(stdout);
    }
}

struct timing timing(enum who who)
{
    struct timing t = {.who = who, .batch = -1};
    MPI_Barrier(MPI_COMM_WORLD);
    t.first = MPI_Wtime();
    return t;
}

struct timing timing_warm(enum who who)
{
    struct timing t = timing(who);
    t.warm = 4000;
    return t;
}

/* Whether what is to come before was done: so many rounds in so much time, but of long rounds only what three measurements take. */
static int warmed(const struct timing *t)
{
    double seconds = MPI_Wtime() - t->first;
    return t->warm == 0 || (t->done >= t->warm && seconds >= budget) || seconds >= 3 * budget;
}

/* The rounds of the next batch, from how long the last one took; 0: enough. */
static void plan(struct timing *t, double seconds)
{
    t->done += t->rounds;
    if (t->rounds == 0) {
        t->rounds = 1;
    } else if (t->batch >= 0) {
        t->batches[t->batch++] = seconds / t->rounds;
        if (t->batch == 5)
            t->rounds = 0;
    } else if (seconds < budget / 10 && t->rounds < 100000000) {
        t->rounds *= seconds < budget / 1000 ? 10 : 2;
    } else if (warmed(t)) {
        t->batch = 0;
        t->rounds = seconds < budget / 5 ? (long)(t->rounds * (budget / 5) / seconds) + 1 : t->rounds;
    }
}

int timing_next(struct timing *t)
{
    double now = MPI_Wtime();
    if (t->who == ALONE) {
        if (rank != 0)
            return 0;
        plan(t, now - t->begin);
    } else {
        if (rank == 0)
            plan(t, now - t->begin);
        MPI_Bcast(&t->rounds, 1, MPI_LONG, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    t->begin = MPI_Wtime();
    return t->rounds != 0;
}

static int ascending(const void *a, const void *b)
{
    double d = *(const double *)a - *(const double *)b;
    return (d > 0) - (d < 0);
}

double timing_median(const struct timing *t)
{
    double batches[5];
    memcpy(batches, t->batches, sizeof batches);
    qsort(batches, 5, sizeof *batches, ascending);
    return batches[2];
}

void timing_end(const struct timing *t, const char *name, long x)
{
    result(name, x, "ns", timing_median(t) * 1e9);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    if (argc > 2)
        budget = atof(argv[2]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int known = 0;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (argc > 1 && strcmp(argv[1], families[i].name) == 0) {
            known = 1;
            families[i].run();
        }
    if (!known) {
        fprintf(stderr, "bench: there is no family %s\n", argc > 1 ? argv[1] : "(none given)");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Finalize();
    return 0;
}
