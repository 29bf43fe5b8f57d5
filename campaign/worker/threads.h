/* Two threads of each rank, each with a program of its own: its communicators, windows and files are those of the same threads of the
 * other ranks. */
#ifndef THREADS_H
#define THREADS_H

#include "steps.h"
#include <pthread.h>

enum { MOST_THREADS = 2 };

struct thread {
    pthread_t id;
    MPI_Comm comm;
    int number;
    uint64_t compared;
    void (*work)(int number);
};

static void *run_thread(void *argument)
{
    struct thread *it = argument;
    begin_program(it->comm, mix(options.seed, (uint64_t)it->number));
    it->work(it->number);
    it->compared = compared;
    return NULL;
}

/* Runs `work` in each, and waits for their ends. */
static void in_threads(void (*work)(int number))
{
    struct thread threads[MOST_THREADS];
    for (int i = 0; i < MOST_THREADS; i++) {
        threads[i] = (struct thread){.number = i, .work = work};
        DO(MPI_Comm_dup(world, &threads[i].comm));
    }
    for (int i = 0; i < MOST_THREADS; i++)
        if (pthread_create(&threads[i].id, NULL, run_thread, &threads[i]) != 0)
            lacking("thread");
    for (int i = 0; i < MOST_THREADS; i++) {
        pthread_join(threads[i].id, NULL);
        compared += threads[i].compared;
        DO(MPI_Comm_free(&threads[i].comm));
    }
}

#endif
