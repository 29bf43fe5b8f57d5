/* ranks: 2; launcher: mpiexec hydra */
/* SIGUSR1 is the program's, also under Hydra, which sends it to tell of a death. With the argument "death", and Hydra's
 * option -disable-auto-cleanup, for 4 ranks: the survivors, of which the last has a handler, say that they live. */
#define _GNU_SOURCE
#include "check.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t first, second;

static void count_first(int signal)
{
    (void)signal;
    first++;
}

static void count_second(int signal)
{
    (void)signal;
    second++;
}

static void handle(void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler};
    CHECK_EQ(sigaction(SIGUSR1, &action, NULL), 0);
}

/* The signal by which a process ends that sends itself SIGUSR1 as things are here; 0 if it does not. */
static int end_of_child(void)
{
    int status;
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        raise(SIGUSR1);
        _exit(0);
    }
    CHECK_EQ(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void see_a_death(void)
{
    MPI_Win win;
    _Atomic int *told;
    MPI_Aint bytes;
    int unit;
    OK(MPI_Win_allocate_shared(rank == 0 ? sizeof *told : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &told, &win));
    OK(MPI_Win_shared_query(win, 0, &bytes, &unit, &told));
    if (rank == size - 1)
        handle(count_first);
    barrier();
    /* Of a rank that was killed some Hydras do not tell, but kill the others. */
    if (rank == 1)
        _exit(1);
    /* Hydra tells the ranks in their order: the last one hears of it last. */
    if (rank == size - 1) {
        while (first == 0)
            usleep(1000);
        atomic_store(told, 1);
    }
    while (atomic_load(told) == 0)
        usleep(1000);
    printf("rank %d lives\n", rank);
    fflush(stdout);
    _exit(0);
}

int main(int argc, char **argv)
{
    struct sigaction found;
    int early = argc == 1;
    if (early)
        handle(count_first);
    check_start(&argc, &argv);
    if (!early)
        see_a_death();

    raise(SIGUSR1);
    CHECK_EQ(first, 1);
    handle(count_second);
    barrier();
    raise(SIGUSR1);
    CHECK_EQ(first, 1);
    CHECK_EQ(second, 1);
    CHECK_EQ(end_of_child(), 0);

    handle(SIG_DFL);
    barrier();
    CHECK_EQ(sigaction(SIGUSR1, NULL, &found), 0);
    CHECK(found.sa_handler == SIG_DFL);
    CHECK_EQ(end_of_child(), SIGUSR1);
    return check_end();
}
