/* What the tests share that start processes which die, or whose parents do. */
#ifndef CHILDREN_H
#define CHILDREN_H

#include "check.h"

#include <signal.h>
#include <unistd.h>

enum { CHILDREN = 3 };

static char *program;

/* Starts as many, all ranks together; the first word is what they are to do. */
static MPI_Comm start(const char *what)
{
    MPI_Comm inter;
    char *words[] = {(char *)what, "later", NULL};
    OK(MPI_Comm_spawn(program, words, CHILDREN, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE));
    return inter;
}

#endif
