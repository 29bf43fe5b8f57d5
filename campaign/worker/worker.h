/* What all of the worker has in common: the plan that every rank makes alike, data that everyone can tell, and calls that a fault
 * may fail. */
#ifndef WORKER_H
#define WORKER_H

#include "check.h"
#include <errno.h>
#include <unistd.h>

enum { MOST_RANKS = 16 };

/* Statuses of a worker that ends in an orderly way: an error that a fault explains, and results that are wrong (check.h's). */
enum { STATUS_REFUSED = 77 };

static struct {
    uint64_t seed;
    int steps;
    int fatal;        /* objects keep MPI_ERRORS_ARE_FATAL */
    const char *folder; /* where files are made */
} options;

/* The number of the step that runs, and of the results that were compared. */
static int step;
static uint64_t compared;

/* The plan: all ranks draw the same numbers, in the same order. What depends on the rank is not drawn. */
static uint64_t plan;

static uint64_t planned(void)
{
    return mix(plan++, options.seed);
}

static int below(int bound)
{
    return (int)((planned() >> 11) % (uint64_t)bound);
}

/* A number for what is planned, so that its data differs from all other. */
static uint64_t fresh(void)
{
    return planned();
}

/* Mostly few, sometimes many. */
static int length_below(int bound)
{
    int most = bound;
    for (int i = below(4); i > 0; i--)
        most = most / 16 + 1;
    return below(most);
}

/* An error that a fault explains ends this process: the driver judges by the class whether one does. */
__attribute__((noreturn)) static void refused(const char *call, int code)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int class = -1, length = 0;
    MPI_Error_class(code, &class);
    MPI_Error_string(code, text, &length);
    fprintf(stderr, "campaign: rank %d, step %d: class %d of %.60s: %s\n", rank, step, class, call, text);
    fflush(stderr);
    /* The others are told of a death wherever they need the dead, and of this process's leaving. */
    if (class == MPIX_ERR_PROC_FAILED || class == MPIX_ERR_PROC_FAILED_PENDING) {
        MPI_Finalize();
        exit(0);
    }
    MPI_Abort(MPI_COMM_WORLD, STATUS_REFUSED);
    exit(STATUS_REFUSED);
}

#define DO(call)                                                                      \
    do {                                                                              \
        int code_ = (call);                                                           \
        if (code_ != MPI_SUCCESS)                                                     \
            refused(#call, code_);                                                    \
    } while (0)

/* Waits for all of some requests. An error is that of one of them. */
static void wait_all(int count, MPI_Request *requests, MPI_Status *statuses)
{
    int code = MPI_Waitall(count, requests, statuses), class = MPI_SUCCESS;
    if (code == MPI_SUCCESS)
        return;
    MPI_Error_class(code, &class);
    for (int i = 0; i < count && class == MPI_ERR_IN_STATUS; i++)
        if (statuses[i].MPI_ERROR != MPI_SUCCESS && statuses[i].MPI_ERROR != MPI_ERR_PENDING)
            refused("MPI_Waitall", statuses[i].MPI_ERROR);
    refused("MPI_Waitall", code);
}

/* Memory of the worker's own, of which a limit may leave none. */
static void *own(size_t bytes)
{
    void *memory = calloc(1, bytes ? bytes : 1);
    if (memory == NULL) {
        fprintf(stderr, "campaign: rank %d, step %d: no memory of its own\n", rank, step);
        MPI_Abort(MPI_COMM_WORLD, STATUS_REFUSED);
        exit(STATUS_REFUSED);
    }
    return memory;
}

/* Whether bytes are those that `fill` makes of the number. */
static void compare(const char *what, const void *memory, size_t bytes, uint64_t number)
{
    const unsigned char *is = memory;
    compared++;
    for (size_t i = 0; i < bytes; i += 8) {
        uint64_t word = mix(number, i / 8);
        if (memcmp(is + i, &word, bytes - i < 8 ? bytes - i : 8) != 0)
            check_failed(__FILE__, __LINE__, "step %d: %s: of %zu bytes those from %zu on are wrong", step, what, bytes, i);
    }
}

static void equal(const char *what, uint64_t is, uint64_t wanted)
{
    compared++;
    if (is != wanted)
        check_failed(__FILE__, __LINE__, "step %d: %s is %" PRIu64 " and not %" PRIu64, step, what, is, wanted);
}

#endif
