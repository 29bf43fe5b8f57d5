/* The steps of a program, in an order that a seed decides. */
#ifndef STEPS_H
#define STEPS_H

#include "collectives.h"
#include "files.h"
#include "messages.h"
#include "windows.h"

/* Begins a program of all that are in the communicator. */
static void begin_program(MPI_Comm comm, uint64_t number)
{
    world = comm;
    seed = number;
    plan = 0;
}

static void random_step(void)
{
    static void (*const steps[])(void) = {messages_step,   messages_step, window_step,     window_step,     window_step,
                                          persistent_step, sendrecv_step, collective_step, collective_step, file_step};
    int count = (int)(sizeof steps / sizeof *steps);
    /* Not all waits for files end when one leaves that lives. */
    steps[below(options.work == RECOVERY ? count - 1 : count)]();
}

static void end_program(void)
{
    free_windows();
    free_communicators();
}

#endif
