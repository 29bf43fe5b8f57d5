/* ranks: 1 2; launcher: mpiexec hydra; mpich: skip it takes every SIGUSR1 for Hydra's */
/* Without a handler of the program's, SIGUSR1 ends it, unless it is Hydra that tells of a death. */
#include "check.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int status;
    check_start(&argc, &argv);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        raise(SIGUSR1);
        _exit(0);
    }
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFSIGNALED(status));
    CHECK_EQ(WTERMSIG(status), SIGUSR1);
    return check_end();
}
