/* How many of the job's descriptors a rank has when it is started, and a program that it starts in turn. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Whether a descriptor is the segment, or the connection to the process manager. */
static int is_of_job(int fd)
{
    char path[64], target[256] = "";
    const char *connection = getenv("PMI_FD");
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (readlink(path, target, sizeof target - 1) < 0)
        return 0;
    return strstr(target, "memfd:rmashm") || (connection && fd == atoi(connection));
}

int main(int argc, char **argv)
{
    int status = 0, before = 0;
    for (int fd = 3; fd < 1024; fd++)
        before += is_of_job(fd);
    if (argc > 1)
        return before;
    if (before != 1) {
        fprintf(stderr, "the rank was started with %d descriptors of the job\n", before);
        return 1;
    }
    MPI_Init(NULL, NULL);
    pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", argv[0], "child", (char *)NULL);
        _exit(100);
    }
    waitpid(child, &status, 0);
    MPI_Finalize();
    if (status != 0)
        fprintf(stderr, "its child has %d of them\n", WEXITSTATUS(status));
    return status != 0;
}
