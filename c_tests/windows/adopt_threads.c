/* ranks: 2 3; name: allowed; args: 0; mpich: skip it is about what rmashm does with the program's memory */
/* ranks: 2 3; name: refused; args: 1; mpich: skip it is about what rmashm does with the program's memory */
/* Threads write all the time to what lies on the pages of windows, while these are taken in and given back: nothing that they
 * write is lost. With and without userfaultfd, by which writers are made to wait; without it what threads use stays private. */
#define _GNU_SOURCE
#include "adopt.h"
#include "refuse_calls.h"

#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 3, ROUNDS = 60 };

static atomic_int stop;
static struct { unsigned char window[5 * A_PAGE + 200]; volatile long word[THREADS]; } shared_page;
static long counted[THREADS];

static void *writer(void *number)
{
    int i = (int)(intptr_t)number;
    while (!atomic_load(&stop)) {
        shared_page.word[i]++;
        counted[i]++;
    }
    return NULL;
}

/* A system call writes there, as a read from a pipe does. */
static void *reader(void *number)
{
    int ends[2];
    long turn = 0;
    (void)number;
    CHECK(pipe(ends) == 0);
    while (!atomic_load(&stop)) {
        turn++;
        CHECK(write(ends[1], &turn, sizeof turn) == sizeof turn);
        CHECK_EQ(read(ends[0], (void *)&shared_page.word[THREADS - 1], sizeof turn), sizeof turn);
        CHECK_EQ(shared_page.word[THREADS - 1], turn);
    }
    counted[THREADS - 1] = turn;
    close(ends[0]), close(ends[1]);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    int refused = argc > 1 && atoi(argv[1]);
    if (refused)
        refuse_call(SYS_userfaultfd, EPERM);
    check_start_threads(&argc, &argv);
    /* The first ones are made before there are other threads. */
    MPI_Win early = window_of(MPI_COMM_WORLD, shared_page.window, sizeof shared_page.window & ~7u, "true");
    CHECK(loads_of(early, !rank) != NULL);
    for (intptr_t i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, i < THREADS - 1 ? writer : reader, (void *)i) == 0);
    exercise(early, shared_page.window, sizeof shared_page.window & ~7u, 1);
    OK(MPI_Win_free(&early));
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Win win = window_of(MPI_COMM_WORLD, shared_page.window, sizeof shared_page.window & ~7u, "true");
        exercise(win, shared_page.window, sizeof shared_page.window & ~7u, refused ? 0 : -1);
        OK(MPI_Win_free(&win));
    }
    atomic_store(&stop, 1);
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
        CHECK_EQ(shared_page.word[i], counted[i]);
    }
    barrier();
    return check_end();
}
