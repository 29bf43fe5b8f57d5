/* ranks: 2 8; mpich: skip it leaves the ranks to the kernel */
/* Ranks that begin on one core do not stay there, where they may run on others; what they may run on is the same
 * afterwards, and a rank that has bound itself stays where it is. */
#define _GNU_SOURCE
#include "check.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

/* How often the library has asked for another set of cores since the count was set to 0. */
static int asked;

/* In place of the C library's. Returns as the system call does. */
int sched_setaffinity(pid_t pid, size_t bytes, const cpu_set_t *set)
{
    asked++;
    return (int)syscall(SYS_sched_setaffinity, pid, bytes, set);
}

static cpu_set_t allowed(void)
{
    cpu_set_t set;
    CHECK_EQ(sched_getaffinity(0, sizeof set, &set), 0);
    return set;
}

static void allow(const cpu_set_t *set)
{
    CHECK_EQ(sched_setaffinity(0, sizeof *set, set), 0);
}

static cpu_set_t one_of(const cpu_set_t *set)
{
    cpu_set_t one;
    int core = 0;
    while (!CPU_ISSET(core, set))
        core++;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    return one;
}

/* Of all ranks together, how often they asked within 64 barriers. */
static int asked_in_barriers(void)
{
    int all = 0;
    asked = 0;
    for (int i = 0; i < 64; i++)
        barrier();
    OK(MPI_Allreduce(&asked, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    return all;
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    const cpu_set_t before = allowed(), one = one_of(&before);
    /* The kernel may be faster than the ranks, but not each time. */
    int moves = CPU_COUNT(&before) < 2;
    for (int tries = 0; tries < 1000 && moves == 0; tries++) {
        barrier();
        allow(&one);
        allow(&before);
        moves = asked_in_barriers();
    }
    CHECK(moves > 0);
    cpu_set_t after = allowed();
    CHECK(CPU_EQUAL(&before, &after));
    /* Where all are bound, none asks. */
    allow(&one);
    for (int tries = 0; tries < 20; tries++)
        CHECK_EQ(asked_in_barriers(), 0);
    after = allowed();
    CHECK(CPU_EQUAL(&one, &after));
    return check_end();
}
