/* ranks: 1 4; launcher: mpiexec hydra */
/* The program is started by a thread of a wrapper, and goes on when that thread has ended: the wrapper lives. */
#define _GNU_SOURCE
#include "check.h"

#include <dirent.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* The program's word that MPI_Init is over, and the wrapper's that its thread is gone. */
static int started[2], gone[2];
static pid_t program;

static void *spawn_program(void *path)
{
    char begun[16], go[16], word;
    snprintf(begun, sizeof begun, "%d", started[1]);
    snprintf(go, sizeof go, "%d", gone[0]);
    char *arguments[] = {path, begun, go, NULL};
    CHECK_EQ(posix_spawn(&program, path, NULL, NULL, arguments, environ), 0);
    /* The program may as well end before it says anything. */
    close(started[1]);
    (void)!read(started[0], &word, 1);
    return NULL;
}

static int threads(void)
{
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    CHECK(tasks != NULL);
    for (struct dirent *entry; (entry = readdir(tasks)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(tasks);
    return count;
}

static int wrap(char *path)
{
    pthread_t thread;
    int status;
    CHECK_EQ(pipe(started), 0);
    CHECK_EQ(pipe(gone), 0);
    CHECK_EQ(pthread_create(&thread, NULL, spawn_program, path), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    while (threads() > 1)
        usleep(1000);
    close(gone[0]);
    (void)!write(gone[1], "g", 1);
    CHECK_EQ(waitpid(program, &status, 0), program);
    if (WIFSIGNALED(status))
        fprintf(stderr, "the program was killed by signal %d\n", WTERMSIG(status));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
    char word;
    if (argc == 1)
        return wrap(argv[0]);
    check_start(&argc, &argv);
    CHECK_EQ(write(atoi(argv[1]), "s", 1), 1);
    CHECK_EQ(read(atoi(argv[2]), &word, 1), 1);
    for (int round = 0; round < 100; round++)
        barrier();
    return check_end();
}
