/* ranks: 2; name: timed; args: timed */
/* ranks: 2; name: naps; args: naps */
/* ranks: 2; name: chain; args: chain */
/* ranks: 2; name: pipe; args: pipe */
/* ranks: 2; name: signal; args: signal */
/* ranks: 2; name: handler; args: handler */
/* ranks: 2; name: limits; args: limits */
/* ranks: 2; name: process; args: process */
/* ranks: 2; name: computes; args: computes */
/* ranks: 2; name: polls; args: polls */
/* ranks: 3; name: several; args: several */
/* ranks: 2 8; name: waits; args: waits */

/* Jobs that look like a deadlock for some seconds, and are none: all ranks wait in MPI, and a thread of rank 0, beside a pool that has nothing to
 * do, sends to all of them after a while: when it has slept, was woken by another thread, process or signal, or has computed. Or several
 * threads wait, and what one of them waits for comes late. Nothing may be said. */

#define _GNU_SOURCE
#include "check.h"
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SECONDS = 3, POOL = 3 };

static const char *way;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t idle, woken, *shared;
static int pipes[2];
static pid_t child;

static void wake_by_signal(int number)
{
    (void)number;
    sem_post(&woken);
}

static int is(const char *name)
{
    return strcmp(name, way) == 0;
}

static void receive(int from, int tag)
{
    int value;
    MPI_Recv(&value, 1, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_EQ(value, tag);
}

static void send_all(int tag)
{
    for (int to = 0; to < size; to++)
        MPI_Send(&tag, 1, MPI_INT, to, tag, MPI_COMM_WORLD);
}

static void *rest(void *nothing)
{
    sem_wait(&idle);
    return nothing;
}

static void *wake(void *nothing)
{
    sleep(SECONDS);
    sem_post(&woken);
    return nothing;
}

static void come_late(void)
{
    double end = MPI_Wtime() + SECONDS;
    struct timespec until;
    volatile unsigned long turns = 0;
    pthread_t waker;
    sigset_t set;
    char byte;
    int signal, flag;

    if (is("timed")) {
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += SECONDS;
        pthread_mutex_lock(&mutex);
        while (pthread_cond_timedwait(&condition, &mutex, &until) == 0)
            continue;
        pthread_mutex_unlock(&mutex);
    } else if (is("naps")) {
        while (MPI_Wtime() < end)
            usleep(1000);
    } else if (is("chain")) {
        pthread_create(&waker, NULL, wake, NULL);
        sem_wait(&woken);
        pthread_join(waker, NULL);
    } else if (is("pipe")) {
        CHECK_EQ(read(pipes[0], &byte, 1), 1);
    } else if (is("signal")) {
        sigemptyset(&set);
        sigaddset(&set, SIGALRM);
        alarm(SECONDS);
        CHECK_EQ(sigwait(&set, &signal), 0);
    } else if (is("handler") || is("limits")) {
        while (sem_wait(&woken) != 0)
            continue;
    } else if (is("process")) {
        CHECK_EQ(sem_wait(shared), 0);
    } else if (is("computes")) {
        while (MPI_Wtime() < end)
            turns++;
    } else {
        while (MPI_Wtime() < end) {
            MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
            CHECK(!flag);
        }
    }
}

static void *send_late(void *nothing)
{
    come_late();
    send_all(5);
    return nothing;
}

static void *receive_other(void *nothing)
{
    receive(is("several") ? 2 : (rank + 1) % size, 7);
    return nothing;
}

/* Somebody else's: it tells the thread after a while. */
static void begin_child(void)
{
    pid_t parent = getpid();

    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(shared != MAP_FAILED);
    CHECK_EQ(sem_init(shared, 1, 0), 0);
    CHECK_EQ(pipe(pipes), 0);
    child = fork();
    if (child == 0) {
        sleep(SECONDS);
        if (is("handler") || is("limits"))
            kill(parent, is("handler") ? SIGWINCH : SIGXCPU);
        sem_post(shared);
        if (write(pipes[1], "", 1) != 1)
            _exit(1);
        _exit(0);
    }
}

int main(int argc, char **argv)
{
    pthread_t pool[POOL], other;
    int provided, status, tag = 7;
    sigset_t set;

    way = argv[1];
    sem_init(&woken, 0, 0);
    if (is("handler"))
        signal(SIGWINCH, wake_by_signal);
    if (is("limits"))
        signal(SIGXCPU, wake_by_signal);
    if (is("pipe") || is("process") || is("handler") || is("limits"))
        begin_child();
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    sem_init(&idle, 0, 0);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int n = 0; n < POOL; n++)
        pthread_create(&pool[n], NULL, rest, NULL);
    if (is("waits")) {
        /* Two threads of each rank; the one of rank 0 that sends to all computes first. */
        pthread_create(&other, NULL, receive_other, NULL);
        if (rank == 0) {
            sleep(SECONDS);
            send_all(5);
        }
        receive(0, 5);
        MPI_Send(&tag, 1, MPI_INT, (rank + size - 1) % size, 7, MPI_COMM_WORLD);
        pthread_join(other, NULL);
    } else if (is("several")) {
        /* Of ranks 0 and 1 two threads wait, each other's and for rank 2, which comes late. */
        if (rank == 2) {
            sleep(SECONDS);
            send_all(7);
            receive(2, 7);
        } else {
            pthread_create(&other, NULL, receive_other, NULL);
            pthread_join(other, NULL);
            tag = 5;
            MPI_Send(&tag, 1, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD);
            receive(1 - rank, 5);
        }
    } else {
        if (rank == 0)
            pthread_create(&other, NULL, send_late, NULL);
        receive(0, 5);
        if (rank == 0)
            pthread_join(other, NULL);
    }
    for (int n = 0; n < POOL; n++)
        sem_post(&idle);
    for (int n = 0; n < POOL; n++)
        pthread_join(pool[n], NULL);
    if (child > 0)
        waitpid(child, &status, 0);
    MPI_Finalize();
    return 0;
}
