/* What the tests of reductions that do not block share. */
#ifndef BEGUN_H
#define BEGUN_H

#include "check.h"
#include <time.h>

/* Ranks come late in turn. */
static void sleep_a_little(int turn)
{
    struct timespec time = {0, 300000};
    if ((rank + turn) % 5 == 0)
        nanosleep(&time, NULL);
}

/* What a rank gives to one of the operations. */
static long value(int r, int which, int turn, int i)
{
    return (long)r * 1000003 + which * 7919L + turn * 31L + i;
}

#endif
