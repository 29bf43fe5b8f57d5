/* What the tests of deaths share: rank 1 of a communicator whose ranks run the other way than those of the job is killed,
 * and the others, with MPI_ERRORS_RETURN, go on. */
#ifndef DEATH_H
#define DEATH_H

#include "check.h"

#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* MPI_COMM_WORLD backwards: `rank` is the rank in it. */
static MPI_Comm all = MPI_COMM_NULL;

enum { VICTIM = 1 };

MAYBE_UNUSED static void death_start(int *argc, char ***argv)
{
    check_start(argc, argv);
    CHECK(size >= 3);
    OK(MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &all));
    OK(MPI_Comm_rank(all, &rank));
    OK(MPI_Comm_set_errhandler(all, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
}

/* All of `all` come here while all live. */
MAYBE_UNUSED static void together(void)
{
    OK(MPI_Barrier(all));
}

__attribute__((noreturn)) MAYBE_UNUSED static void die(void)
{
    raise(SIGKILL);
    abort();
}

MAYBE_UNUSED static void on_alarm(int number)
{
    (void)number;
    die();
}

/* This process is killed in so many microseconds, whatever it does then. */
MAYBE_UNUSED static void die_in(long us)
{
    struct itimerval time = {{0, 0}, {us / 1000000, us % 1000000}};
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &time, NULL);
}

MAYBE_UNUSED static void sleep_ms(long ms)
{
    struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

/* Returns when this process knows that the victim is dead. */
MAYBE_UNUSED static void await_death(void)
{
    int none;
    CHECK_CLASS(MPI_Recv(&none, 1, MPI_INT, VICTIM, 12345, all, MPI_STATUS_IGNORE),
                MPIX_ERR_PROC_FAILED);
}

/* The call fails because the victim is dead; the sentence names it by its rank in `all` and in the job, and contains
 * `text`. */
#define FAILS(call, text)                                                             \
    do {                                                                              \
        char who_[200];                                                               \
        int code_ = call;                                                             \
        snprintf(who_, sizeof who_, "rank %d (rank %d of the job), which ", VICTIM,   \
                 size - 1 - VICTIM);                                                  \
        CHECK_SENTENCE(code_, MPIX_ERR_PROC_FAILED, who_);                             \
        CHECK_SENTENCE(code_, MPIX_ERR_PROC_FAILED, text);                             \
    } while (0)

#endif
