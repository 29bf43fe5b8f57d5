/* What the tests share that start processes which die, or whose parents do. */
#ifndef CHILDREN_H
#define CHILDREN_H

#include "check.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum { CHILDREN = 3 };

static char *program;

/* Starts as many, all ranks together; the first word is what they are to do, the third the process that asks for them. */
static MPI_Comm start(const char *what)
{
    MPI_Comm inter;
    char process[16];
    char *words[] = {(char *)what, "later", process, NULL};
    snprintf(process, sizeof process, "%d", getpid());
    OK(MPI_Comm_spawn(program, words, CHILDREN, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE));
    return inter;
}

#endif
