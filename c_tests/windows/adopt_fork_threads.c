/* ranks: 2; mpich: skip it is about what rmashm does with the program's memory */
/* In a child of a process with threads the C library changes what it keeps of the others, before anybody else is asked: where malloc's
 * memory for a thread begins, and in the record above a thread's own variables. That is the child's alone, whatever windows lie
 * there. */
#define _GNU_SOURCE
#include "adopt.h"

#include <pthread.h>
#include <semaphore.h>
#include <sys/wait.h>

enum { BYTES = 1000, OWN = 6000 };

static __thread unsigned char own[OWN];
static pthread_key_t key;
static sem_t ready, go;
static unsigned char *array, *variables;
static char kept;

static void *worker(void *nothing)
{
    (void)nothing;
    array = malloc(BYTES);
    variables = own;
    memset(array, 1, BYTES);
    memset(own, 2, OWN);
    CHECK(pthread_setspecific(key, &kept) == 0);
    CHECK(sem_post(&ready) == 0);
    CHECK(sem_wait(&go) == 0);
    CHECK(pthread_getspecific(key) == &kept);
    free(malloc(3000));
    free(array);
    return &kept;
}

static void forks(void)
{
    for (int turn = 0; turn < 20; turn++) {
        int status;
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            for (int i = 0; i < BYTES; i++)
                if (array[i] != 1)
                    _exit(3);
            memset(array, 9, BYTES);
            memset(variables, 9, OWN);
            _exit(0);
        }
        CHECK(waitpid(child, &status, 0) == child);
        CHECK_EQ(status, 0);
        for (int i = 0; i < BYTES; i++)
            CHECK_EQ(array[i], 1);
        for (int i = 0; i < OWN; i++)
            CHECK_EQ(variables[i], 2);
    }
}

int main(int argc, char **argv)
{
    pthread_t thread;
    void *result;
    check_start(&argc, &argv);
    CHECK(sem_init(&ready, 0, 0) == 0 && sem_init(&go, 0, 0) == 0 && pthread_key_create(&key, NULL) == 0);
    CHECK(pthread_create(&thread, NULL, worker, NULL) == 0);
    CHECK(sem_wait(&ready) == 0);
    unsigned char *large = malloc(300000);
    memset(large, 3, 300000);
    MPI_Win windows[3] = {window_of(MPI_COMM_WORLD, array, BYTES, "true"), window_of(MPI_COMM_WORLD, variables, OWN, "true"),
                          window_of(MPI_COMM_WORLD, large, 300000, "true")};
    forks();
    barrier();
    unsigned char got[BYTES];
    for (int i = 0; i < 2; i++) {
        OK(MPI_Win_lock(MPI_LOCK_SHARED, !rank, 0, windows[i]));
        OK(MPI_Get(got, BYTES, MPI_BYTE, !rank, 0, BYTES, MPI_BYTE, windows[i]));
        OK(MPI_Win_unlock(!rank, windows[i]));
        for (int j = 0; j < BYTES; j++)
            CHECK_EQ(got[j], i + 1);
    }
    barrier();
    for (int i = 0; i < 3; i++)
        OK(MPI_Win_free(&windows[i]));
    forks();
    CHECK(sem_post(&go) == 0);
    CHECK(pthread_join(thread, &result) == 0);
    CHECK(result == &kept);
    free(large);
    return check_end();
}
