/* What the families of the benchmark share: measuring, printing, windows of every flavour.
 *
 * A family prints lines `result <case> <x> <unit> <value>`: `x` is the size in bytes, the number of elements, or whatever
 * else the case goes over. Only the MPI-3 API is used, so that all of it compiles against any MPI. */
#ifndef BENCH_H
#define BENCH_H
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int rank, size;
/* Seconds that one measurement may take. */
extern double budget;

/* One family: what `bench <family>` runs. */
void family_latency(void);
void family_rate(void);
void family_types(void);
void family_accumulate(void);
void family_atomics(void);
void family_locks(void);
void family_contended(void);
void family_epochs(void);
void family_windows(void);
void family_progress(void);
void family_bandwidth(void);
void family_idle(void);
void family_memory(void);
void family_messages(void);
void family_collectives(void);
void family_own_memory(void);
void family_files(void);
void family_sizes(void);
void family_nothing(void);

/* The sizes in bytes that a family goes over. */
enum { SIZES = 7 };
static const long sizes[SIZES] = {8, 64, 512, 4096, 32768, 262144, 4 << 20};

/* Ends the job if the data is wrong: no figure of a wrong operation is ever printed. */
void check(int right, const char *what);
/* One line, printed by rank 0. */
void result(const char *name, long x, const char *unit, double value);

/* Measures a loop: batches of as many rounds as fill a fifth of the budget, and of five batches the median.
 *
 *     TIMED(ALONE, "put", 8, MPI_Put(…); MPI_Win_flush(…));      nanoseconds of a round
 *
 * ALONE: rank 0 works and the others wait in a barrier; TOGETHER: all do the same number of rounds.
 * TIMED_WARM does some thousand rounds before, for what a library makes faster when it is used. */
enum who { ALONE, TOGETHER };
struct timing {
    enum who who;
    /* Rounds that come before what is measured. */
    long warm;
    long rounds, done;
    int batch;
    double first, begin, batches[5];
};
struct timing timing(enum who who);
struct timing timing_warm(enum who who);
int timing_next(struct timing *t);
/* The median of the batches: seconds of a round. */
double timing_median(const struct timing *t);
/* The same, printed in nanoseconds. */
void timing_end(const struct timing *t, const char *name, long x);

#define TIMED(who, name, x, ...) TIMED_(timing(who), name, x, __VA_ARGS__)
#define TIMED_WARM(who, name, x, ...) TIMED_(timing_warm(who), name, x, __VA_ARGS__)
#define TIMED_(begun, name, x, ...)                                     \
    do {                                                                \
        struct timing t_ = begun;                                       \
        while (timing_next(&t_))                                        \
            for (long i_ = 0; i_ < t_.rounds; i_++) {                   \
                __VA_ARGS__;                                            \
            }                                                           \
        timing_end(&t_, name, x);                                       \
    } while (0)

/* The kinds of windows. The families that go over the flavours end at FLAVOURS. */
enum flavour { SHARED, ALLOCATED, CREATED_ALLOC, CREATED_MALLOC, DYNAMIC, FLAVOURS, DYNAMIC_MALLOC = FLAVOURS, REFUSED_MALLOC };
extern const char *const flavour_name[FLAVOURS];
struct window {
    enum flavour flavour;
    MPI_Win win;
    char *mine;
    /* The displacement at which the memory of each rank begins. */
    MPI_Aint *begin;
    MPI_Aint bytes;
};
/* Collective over MPI_COMM_WORLD; the memory is zero. */
struct window window_open(enum flavour flavour, MPI_Aint bytes);
void window_close(struct window *w);
/* MPI_Win_create, over memory that may not become shared if the flavour says so. */
MPI_Win window_over(void *memory, MPI_Aint bytes, enum flavour flavour);
#endif
