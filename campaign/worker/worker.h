/* What all of the worker has in common: the plan that every rank makes alike, data that everyone can tell, and calls that a fault
 * may fail. */
#ifndef WORKER_H
#define WORKER_H

#include "check.h"
#include <errno.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <unistd.h>

/* At most so many ranks, with those that are started later, and so many of these at once. */
enum { MOST_CHILDREN = 4, MOST_RANKS = 16 + MOST_CHILDREN };

/* The status of a worker that ends in an orderly way because of an error that a fault explains. (Of one whose results are wrong: check.h.) */
enum { STATUS_REFUSED = 77 };

/* Open MPI's header has the names from its version 5 on, as its library has, by which a worker is linked. Ours has them in any case. */
#if defined(OMPI_MAJOR_VERSION) && !defined(MPIX_ERR_PROC_FAILED)
#define MPIX_ERR_PROC_FAILED 75
#define MPIX_ERR_PROC_FAILED_PENDING 76
#define MPIX_ERR_REVOKED 77
__attribute__((weak)) int MPIX_Comm_revoke(MPI_Comm comm);
__attribute__((weak)) int MPIX_Comm_shrink(MPI_Comm comm, MPI_Comm *shrunk);
__attribute__((weak)) int MPIX_Comm_agree(MPI_Comm comm, int *flag);
#endif
/* The standard's header has no names for what only some libraries have. */
#ifndef MPIX_ERR_PROC_FAILED_PENDING
#define MPIX_ERR_PROC_FAILED_PENDING MPIX_ERR_PROC_FAILED
#endif

/* What the program is like: random steps; with processes that come and go; in two threads of each rank; going on after deaths. */
enum work { STEPS, SPAWNS, THREADS, RECOVERY };

static struct {
    enum work work;
    const char *program;
    uint64_t seed;
    int steps;
    int fatal;          /* objects keep MPI_ERRORS_ARE_FATAL */
    const char *folder; /* where files are made */
    const char *alarms; /* microseconds from one to the next */
} options;

/* What follows is of each thread: with several of them each runs a program of its own. */

/* All ranks of the program. */
static _Thread_local MPI_Comm world;

/* The number of the step that runs, and of the results that were compared. */
static _Thread_local int step;
static _Thread_local uint64_t compared;

/* The plan: all ranks draw the same numbers, in the same order. What depends on the rank is not drawn. */
static _Thread_local uint64_t seed, plan;

/* Where a program goes on whose processes have failed. */
static _Thread_local jmp_buf failure;

static uint64_t planned(void)
{
    return mix(plan++, seed);
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

/* A class of errors as the driver knows it, whatever number an interface has for it. */
static const char *name_of(int class)
{
    static const struct {
        int class;
        const char *name;
    } names[] = {
        {MPIX_ERR_PROC_FAILED, "PROC_FAILED"},
        {MPIX_ERR_PROC_FAILED_PENDING, "PROC_FAILED_PENDING"},
#ifdef MPIX_ERR_REVOKED
        {MPIX_ERR_REVOKED, "REVOKED"},
#endif
        {MPI_ERR_COUNT, "COUNT"},
        {MPI_ERR_OTHER, "OTHER"},
        {MPI_ERR_IO, "IO"},
        {MPI_ERR_NO_MEM, "NO_MEM"},
        {MPI_ERR_NO_SPACE, "NO_SPACE"},
        {MPI_ERR_SPAWN, "SPAWN"},
    };
    static _Thread_local char other[24];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].class == class)
            return names[i].name;
    snprintf(other, sizeof other, "number %d", class);
    return other;
}

/* The process ends, with its other threads. */
__attribute__((noreturn)) static void end(int status)
{
    static atomic_flag is_ending = ATOMIC_FLAG_INIT;
    /* One thread alone ends a process. */
    while (atomic_flag_test_and_set(&is_ending))
        pause();
    exit(status);
}

/* Nobody waits for this process any more in a communicator that it has. */
static void revoke_all(void);

/* This process leaves, because others have died that it needs. The others are told of a death wherever they need the dead, and, once it is
 * in MPI_Finalize, wherever they need this process. With other threads in MPI it leaves as it is. */
__attribute__((noreturn)) static void leave_the_others(void)
{
    if (options.work == THREADS)
        end(0);
    /* Who died may be a member of no communicator of those that have started processes together, and some of these receive from
     * any rank: no death among the members ends that. */
    if (options.work == SPAWNS)
        revoke_all();
    MPI_Finalize();
    end(0);
}

/* An error that a fault explains ends this process: the driver judges by the class whether one does. */
__attribute__((noreturn)) static void refused(const char *call, int code)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int class = -1, length = 0;
    MPI_Error_class(code, &class);
    int is_death = class == MPIX_ERR_PROC_FAILED || class == MPIX_ERR_PROC_FAILED_PENDING;
#ifdef MPIX_ERR_REVOKED
    is_death |= class == MPIX_ERR_REVOKED;
#endif
    if (is_death && options.work == RECOVERY)
        longjmp(failure, 1);
    MPI_Error_string(code, text, &length);
    fprintf(stderr, "campaign: rank %d, step %d: class %s of %.60s: %s\n", rank, step, name_of(class), call, text);
    fflush(stderr);
    if (is_death)
        leave_the_others();
    MPI_Abort(MPI_COMM_WORLD, STATUS_REFUSED);
    end(STATUS_REFUSED);
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

/* What the worker itself lacks, of which a limit may leave none. */
__attribute__((noreturn)) static void lacking(const char *what)
{
    fprintf(stderr, "campaign: rank %d, step %d: no %s of its own\n", rank, step, what);
    MPI_Abort(MPI_COMM_WORLD, STATUS_REFUSED);
    end(STATUS_REFUSED);
}

static void *own(size_t bytes)
{
    void *memory = calloc(1, bytes ? bytes : 1);
    if (memory == NULL)
        lacking("memory");
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
