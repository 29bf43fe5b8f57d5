/* ranks: 2 3 4; name: create; args: 0; env: RMASHM_ADOPT=false; wrong: datatypes of bytes at the target, to have runs that are no elements */
/* ranks: 2 3 4; name: dynamic; args: 1; env: RMASHM_ADOPT=false; wrong: the same */
/* ranks: 2 3; name: threads; args: 0 3; env: RMASHM_ADOPT=false; wrong: the same */
/* ranks: 2 3; name: dynamic_threads; args: 1 3; env: RMASHM_ADOPT=false; wrong: the same */
/* ranks: 2 3; name: moving; args: 0 2; env: RMASHM_ADOPT=auto; wrong: the same */
/* Puts and gets with gaps to the private memory of rank 0 while it waits in MPI, computes, and does both by turns: what is put is
 * there, and nothing else is written. Each thread of the others has a column of the memory; the last two columns are the target's,
 * which counts in them all the time, in MPI by a thread of its own if there are threads. */
#include "carried.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum { ROWS = 3000, THREADS = 3, ROUNDS = 150, DONE = 7, TICK = 8 };
enum phase { WAITS, COMPUTES, ALTERNATES, PHASES };

static MPI_Win win;
static MPI_Aint first;
static long *memory;
static int columns, threads = 1;
static enum phase phase;
static atomic_int stop;

/* What each thread of this process has put last. */
static long expected[THREADS][ROWS];

static int own_columns(void)
{
    return (size - 1) * threads;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + now.tv_nsec * 1e-9;
}

/* Rows, in one of several shapes, as a datatype of elements of a column: which rows they are goes to `rows`. */
static int shape(uint64_t *seed, MPI_Datatype *type, int *rows)
{
    int kind = (int)(draw(seed) % 5), begin = (int)(draw(seed) % 50), step = 1 + (int)(draw(seed) % 3);
    int most = (ROWS - begin) / step, n = 1 + (int)(draw(seed) % (draw(seed) % 2 ? 20 : most));
    MPI_Aint *places = malloc(n * sizeof *places), row = columns * (MPI_Aint)sizeof(long);
    for (int i = 0; i < n; i++)
        rows[i] = begin + i * step;
    if (kind == 1)
        /* From behind. */
        for (int i = 0; i < n; i++)
            rows[i] = begin + (n - 1 - i) * step;
    if (kind == 2) {
        /* Irregular. */
        n = n > 1400 ? 1400 : n;
        for (int i = 0, at = 0; i < n; i++, at += 1 + (int)(draw(seed) % 2))
            rows[i] = at;
    }
    for (int i = 0; i < n; i++)
        places[i] = rows[i] * row;
    if (kind == 0 || kind == 1) {
        MPI_Datatype plain;
        OK(MPI_Type_create_hvector(n, 1, kind ? -step * row : step * row, MPI_LONG, &plain));
        OK(MPI_Type_create_hindexed_block(1, 1, places, plain, type));
        OK(MPI_Type_free(&plain));
    } else if (kind == 2)
        OK(MPI_Type_create_hindexed_block(n, 1, places, MPI_LONG, type));
    else {
        /* Bytes, which are no elements of the column by themselves; the halves make runs of two lengths. */
        int *lengths = malloc(2 * n * sizeof *lengths);
        MPI_Aint *halves = malloc(2 * n * sizeof *halves);
        for (int i = 0; i < n; i++) {
            int cut = kind == 3 ? 4 : 1 + (int)(draw(seed) % 7);
            lengths[2 * i] = cut, lengths[2 * i + 1] = 8 - cut;
            halves[2 * i] = places[i], halves[2 * i + 1] = places[i] + cut;
        }
        OK(MPI_Type_create_hindexed(2 * n, lengths, halves, MPI_BYTE, type));
        free(lengths), free(halves);
    }
    OK(MPI_Type_commit(type));
    free(places);
    return n;
}

/* One thread of an origin, with its own column. */
static void *origin(void *number)
{
    int me = (int)(intptr_t)number, column = (rank - 1) * threads + me;
    uint64_t seed = mix((uint64_t)column + 1, phase + 17) | 1;
    long *values = malloc(2 * ROWS * sizeof *values), *got = malloc(2 * ROWS * sizeof *got);
    int *rows = malloc(ROWS * sizeof *rows);
    MPI_Aint at = first + column * (MPI_Aint)sizeof(long);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Datatype type, gaps;
        int n = shape(&seed, &type, rows), near_gaps = (int)(draw(&seed) % 2);
        OK(MPI_Type_vector(n, 1, 2, MPI_LONG, &gaps));
        OK(MPI_Type_commit(&gaps));
        int step = near_gaps ? 2 : 1, count = near_gaps ? 1 : n;
        MPI_Datatype near = near_gaps ? gaps : MPI_LONG;
        for (int i = 0; i < n; i++) {
            values[i * step] = (long)mix(seed, (uint64_t)i);
            expected[me][rows[i]] = values[i * step];
        }
        OK(MPI_Put(values, count, near, 0, at, 1, type, win));
        OK(MPI_Win_flush(0, win));
        memset(got, 0x55, 2 * ROWS * sizeof *got);
        OK(MPI_Get(got, count, near, 0, at, 1, type, win));
        OK(MPI_Win_flush(0, win));
        for (int i = 0; i < n; i++) {
            CHECK_EQ(got[i * step], values[i * step]);
            if (near_gaps && i < n - 1)
                CHECK_EQ(got[2 * i + 1], 0x5555555555555555);
        }
        OK(MPI_Type_free(&type));
        OK(MPI_Type_free(&gaps));
        if (phase == ALTERNATES && me == 0)
            OK(MPI_Send(NULL, 0, MPI_BYTE, 0, round == ROUNDS - 1 ? DONE : TICK, MPI_COMM_WORLD));
    }
    free(values), free(got), free(rows);
    return NULL;
}

/* Counts in one of the target's columns. */
static void count_in(int column, long *counted)
{
    for (int row = 0; row < ROWS; row++) {
        volatile long *word = memory + (long)row * columns + column;
        *word = *word + 1;
    }
    ++*counted;
}

static void *counter(void *counted)
{
    while (!atomic_load(&stop))
        count_in(columns - 1, counted);
    return NULL;
}

static void compute(double time, long *counted)
{
    double end = seconds() + time;
    while (seconds() < end)
        count_in(columns - 2, counted);
}

static void target(long *counted)
{
    pthread_t thread;
    atomic_store(&stop, 0);
    if (threads > 1)
        CHECK(pthread_create(&thread, NULL, counter, &counted[1]) == 0);
    if (phase == COMPUTES)
        compute(0.1, &counted[0]);
    for (int left = phase == ALTERNATES ? size - 1 : 0; left > 0;) {
        MPI_Status status;
        OK(MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
        left -= status.MPI_TAG == DONE;
        compute(0.0002, &counted[0]);
    }
    barrier();
    atomic_store(&stop, 1);
    if (threads > 1)
        CHECK(pthread_join(thread, NULL) == 0);
}

#ifdef RMASHM
/* A put that is carried out where rank 0 waits. */
static void ask(void)
{
    static long zeros[ROWS];
    MPI_Datatype column;
    OK(MPI_Type_vector(ROWS, 1, columns, MPI_LONG, &column));
    OK(MPI_Type_commit(&column));
    OK(MPI_Put(zeros, ROWS, MPI_LONG, 0, first, 1, column, win));
    OK(MPI_Win_flush(0, win));
    OK(MPI_Type_free(&column));
}
#endif

int main(int argc, char **argv)
{
    int dynamic = argc > 1 && atoi(argv[1]);
    long counted[2] = {0, 0};
    threads = start_with_threads(&argc, &argv);
    columns = own_columns() + 2;
    size_t bytes = sizeof(long) * columns * ROWS;
    memory = calloc(1, bytes);
    first = window_over(memory, bytes, dynamic, &win);
#ifdef RMASHM
    if (strcmp(getenv("RMASHM_ADOPT"), "false") == 0)
        until_carried(ask);
#endif
    for (phase = WAITS; phase < PHASES; phase++) {
        barrier();
        if (rank == 0) {
            target(counted);
            continue;
        }
        in_threads(threads, origin);
        barrier();
    }
    if (rank > 0)
        OK(MPI_Send(expected, threads * ROWS, MPI_LONG, 0, 0, MPI_COMM_WORLD));
    OK(MPI_Win_sync(win));
    for (int from = 1; rank == 0 && from < size; from++) {
        OK(MPI_Recv(expected, threads * ROWS, MPI_LONG, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        for (int row = 0; row < ROWS; row++)
            for (int i = 0; i < threads; i++)
                CHECK_EQ(memory[(long)row * columns + (from - 1) * threads + i], expected[i][row]);
    }
    for (int row = 0; rank == 0 && row < ROWS; row++)
        for (int i = 0; i < 2; i++)
            CHECK_EQ(memory[(long)row * columns + own_columns() + i], counted[i]);
    OK(MPI_Win_unlock_all(win));
    if (dynamic)
        OK(MPI_Win_detach(win, memory));
    OK(MPI_Win_free(&win));
    free(memory);
    return check_end();
}
