/* x -> slope * x + shift, modulo a prime: functions applied one after the other do not commute. So a reduction of such elements
 * by `compose` tells in which order they were folded. */
#ifndef LINES_H
#define LINES_H

#include "check.h"

enum { PRIME = 65521 };

struct line {
    uint32_t slope, shift;
};

static struct line after(struct line first, struct line then)
{
    return (struct line){ (uint32_t)((uint64_t)then.slope * first.slope % PRIME),
                          (uint32_t)(((uint64_t)then.slope * first.shift + then.shift) % PRIME) };
}

/* Spoils its input, as it must not but may have been written to. */
static void compose(void *in, void *inout, int *length, MPI_Datatype *type)
{
    struct line *from = in, *to = inout;
    (void)type;
    for (int i = 0; i < *length; i++) {
        to[i] = after(from[i], to[i]);
        from[i] = (struct line){ 0, 0 };
    }
}

/* Element i of what a process gives, and what all of them make. */
MAYBE_UNUSED static struct line line_of(int from, int i)
{
    return (struct line){ (uint32_t)(from * 31 + i % 1009 + 2), (uint32_t)(from * 17 + i % 613) };
}

MAYBE_UNUSED static struct line lines_composed(int i)
{
    struct line all = line_of(0, i);
    for (int r = 1; r < size; r++)
        all = after(all, line_of(r, i));
    return all;
}

#endif
