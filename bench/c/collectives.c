/* Collectives by size, and nonblocking ones with work beside them. Bytes are what a process gives to one other. */
#include "bench.h"

enum {
    LEAST = 8,
    MOST = 4 << 20,
    /* What the parts for all ranks may be together. */
    MOST_PARTS = 8 << 20
};

static double *give, *take;

/* Element `i` of what rank `from` gives: small whole numbers, of which all sums are exact. */
static double element(int from, long i)
{
    return from * 8 + i % 1009;
}

/* Its sum over all ranks. */
static double sum(long i)
{
    double all = 0;
    for (int from = 0; from < size; from++)
        all += element(from, i);
    return all;
}

/* Each collective with `n` doubles: the call, and what element `i` of its result is to be. */
static void do_bcast(int n, int root)
{
    MPI_Bcast(rank == root ? give : take, n, MPI_DOUBLE, root, MPI_COMM_WORLD);
}
static double of_root(long i, long n, int root)
{
    (void)n;
    return element(root, i);
}

static void do_reduce(int n, int root)
{
    MPI_Reduce(give, take, n, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
}
static void do_allreduce(int n, int root)
{
    (void)root;
    MPI_Allreduce(give, take, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
static double of_all(long i, long n, int root)
{
    (void)n, (void)root;
    return sum(i);
}

static void do_reduce_scatter_block(int n, int root)
{
    (void)root;
    MPI_Reduce_scatter_block(give, take, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
static double my_part_of_all(long i, long n, int root)
{
    (void)root;
    return sum(rank * n + i);
}

static void do_gather(int n, int root)
{
    MPI_Gather(give, n, MPI_DOUBLE, take, n, MPI_DOUBLE, root, MPI_COMM_WORLD);
}
static void do_allgather(int n, int root)
{
    (void)root;
    MPI_Allgather(give, n, MPI_DOUBLE, take, n, MPI_DOUBLE, MPI_COMM_WORLD);
}
static double of_each(long i, long n, int root)
{
    (void)root;
    return element(i / n, i % n);
}

static void do_scatter(int n, int root)
{
    MPI_Scatter(give, n, MPI_DOUBLE, take, n, MPI_DOUBLE, root, MPI_COMM_WORLD);
}
static double my_part_of_root(long i, long n, int root)
{
    return element(root, rank * n + i);
}

static void do_alltoall(int n, int root)
{
    (void)root;
    MPI_Alltoall(give, n, MPI_DOUBLE, take, n, MPI_DOUBLE, MPI_COMM_WORLD);
}
static double my_part_of_each(long i, long n, int root)
{
    (void)root;
    return element(i / n, rank * n + i % n);
}

/* Who has a result. */
enum result { ALL, ROOT, OTHERS };

static const struct collective {
    const char *name;
    void (*call)(int n, int root);
    double (*want)(long i, long n, int root);
    enum result result;
    /* Whether there is a part for or of each, and whether the result has all of them. */
    int parts, result_of_each;
} all[] = {
    {"bcast", do_bcast, of_root, OTHERS, 0, 0},
    {"reduce", do_reduce, of_all, ROOT, 0, 0},
    {"allreduce", do_allreduce, of_all, ALL, 0, 0},
    {"gather", do_gather, of_each, ROOT, 1, 1},
    {"scatter", do_scatter, my_part_of_root, ALL, 1, 0},
    {"allgather", do_allgather, of_each, ALL, 1, 1},
    {"alltoall", do_alltoall, my_part_of_each, ALL, 1, 1},
    {"reduce_scatter_block", do_reduce_scatter_block, my_part_of_all, ALL, 1, 0},
};

static void prepare(long elements)
{
    for (long i = 0; i < elements; i++) {
        give[i] = element(rank, i);
        take[i] = -1;
    }
}

/* All of what the last call with this root has brought. */
static void verify(const struct collective *c, long n, int root)
{
    int mine = c->result == ALL || (c->result == ROOT) == (rank == root);
    for (long i = 0; mine && i < (c->result_of_each ? n * size : n); i++)
        check(take[i] == c->want(i, n, root), c->name);
}

/* The root goes round, and nothing is between the calls. */
static void measure(const struct collective *c, long bytes)
{
    long n = bytes / sizeof(double), parts = c->parts ? size : 1;
    int turn = 0;
    if (bytes * parts > MOST_PARTS)
        return;
    prepare(n * parts);
    c->call(n, size - 1);
    verify(c, n, size - 1);
    TIMED(TOGETHER, c->name, bytes, c->call(n, turn), turn = (turn + 1) % size);
}

/* The same arithmetic for all libraries, tens of microseconds of it. */
static void work(void)
{
    static volatile double kept = 1;
    double x = kept;
    for (int i = 0; i < 20000; i++)
        x = x * 0.999 + 0.001;
    kept = x;
}

/* Begins a collective of `n` doubles. */
typedef void begin(int n, MPI_Request *request);

static void begin_ibcast(int n, MPI_Request *request)
{
    MPI_Ibcast(rank == 0 ? give : take, n, MPI_DOUBLE, 0, MPI_COMM_WORLD, request);
}

static void begin_iallreduce(int n, MPI_Request *request)
{
    MPI_Iallreduce(give, take, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, request);
}

/* Begun and waited for, alone and with work between: what work alone takes is the case `work`. */
static void overlap(const char *name, begin *begin, const struct collective *like, long bytes)
{
    char text[64];
    MPI_Request request;
    long n = bytes / sizeof(double);
    prepare(n);
    TIMED(TOGETHER, name, bytes, begin(n, &request); MPI_Wait(&request, MPI_STATUS_IGNORE));
    verify(like, n, 0);
    prepare(n);
    snprintf(text, sizeof text, "%s_and_work", name);
    TIMED(TOGETHER, text, bytes, begin(n, &request); work(); MPI_Wait(&request, MPI_STATUS_IGNORE));
    verify(like, n, 0);
}

/* Small sizes of all come first: what is very slow does not get to the large ones in its time. */
void family_collectives(void)
{
    give = malloc(MOST_PARTS);
    take = malloc(MOST_PARTS);
    check(give && take, "memory");
    TIMED(TOGETHER, "barrier", 0, MPI_Barrier(MPI_COMM_WORLD));
    TIMED(TOGETHER, "work", 0, work());
    for (long bytes = LEAST; bytes <= MOST; bytes *= bytes == LEAST ? 8 : 4) {
        for (size_t c = 0; c < sizeof all / sizeof *all; c++)
            measure(&all[c], bytes);
        if (bytes == LEAST || bytes == 16384 || bytes == 1 << 20) {
            overlap("ibcast", begin_ibcast, &all[0], bytes);
            overlap("iallreduce", begin_iallreduce, &all[2], bytes);
        }
    }
    free(give);
    free(take);
}
