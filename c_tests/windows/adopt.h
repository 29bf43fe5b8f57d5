/* What the tests of windows over the program's own memory share. */
#ifndef ADOPT_H
#define ADOPT_H

#include "check.h"

#include <unistd.h>

enum { A_PAGE = 4096 };

/* A window of bytes over `base`, made as `wish` says ("true", "false", "auto"). */
MAYBE_UNUSED static MPI_Win window_of(MPI_Comm comm, void *base, size_t bytes, const char *wish)
{
    MPI_Win win;
    MPI_Info info;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "rmashm_adopt", wish));
    OK(MPI_Win_create(base, (MPI_Aint)bytes, 1, info, comm, &win));
    OK(MPI_Info_free(&info));
    return win;
}

/* Where the part of `target` can be loaded and stored; NULL if it cannot. */
MAYBE_UNUSED static unsigned char *loads_of(MPI_Win win, int target)
{
    MPI_Aint bytes;
    int unit;
    unsigned char *at;
    OK(MPI_Win_shared_query(win, target, &bytes, &unit, &at));
    return bytes > 0 ? at : NULL;
}

/* What byte `i` of the memory of `owner` is, `turn` by `turn`. */
static inline unsigned char value_of(int owner, int turn, size_t i)
{
    return (unsigned char)(owner * 31 + turn * 7 + (int)(i % 251) + 1);
}

/* The next rank's part is read, compared, and written anew, by put, by accumulate, and by store where that is possible; then all
 * look at what they have. `mine` has `bytes` (at least 64, a multiple of 8). */
MAYBE_UNUSED static void exercise(MPI_Win win, unsigned char *mine, size_t bytes, int shared)
{
    int me, all, next, before;
    MPI_Group group;
    unsigned char *got = malloc(bytes);
    OK(MPI_Win_get_group(win, &group));
    OK(MPI_Group_rank(group, &me));
    OK(MPI_Group_size(group, &all));
    OK(MPI_Group_free(&group));
    next = (me + 1) % all;
    before = (me + all - 1) % all;
    for (size_t i = 0; i < bytes; i++)
        mine[i] = value_of(me, 0, i);
    OK(MPI_Win_fence(0, win));
    OK(MPI_Get(got, (int)bytes, MPI_BYTE, next, 0, (int)bytes, MPI_BYTE, win));
    OK(MPI_Win_fence(0, win));
    for (size_t i = 0; i < bytes; i++)
        CHECK_EQ(got[i], value_of(next, 0, i));
    unsigned char *there = loads_of(win, next);
    if (shared >= 0)
        CHECK_EQ(there != NULL, shared || all == 1);
    if (there)
        CHECK_BYTES(there, got, bytes);
    OK(MPI_Win_fence(0, win));
    for (size_t i = 0; i < bytes; i++)
        got[i] = value_of(me, 1, i);
    OK(MPI_Put(got, (int)bytes, MPI_BYTE, next, 0, (int)bytes, MPI_BYTE, win));
    OK(MPI_Win_fence(0, win));
    for (size_t i = 0; i < bytes; i++)
        CHECK_EQ(mine[i], value_of(before, 1, i));
    OK(MPI_Win_fence(0, win));
    memset(got, 1, 8);
    OK(MPI_Accumulate(got, 8, MPI_BYTE, next, 16, 8, MPI_BYTE, MPI_REPLACE, win));
    OK(MPI_Win_fence(0, win));
    if (shared == 1 && there)
        there[bytes - 1] = 99;
    OK(MPI_Win_fence(0, win));
    CHECK_EQ(mine[16], 1);
    CHECK_EQ(mine[23], 1);
    CHECK_EQ(mine[24], value_of(before, 1, 24));
    if (shared == 1 && there)
        CHECK_EQ(mine[bytes - 1], 99);
    OK(MPI_Win_fence(0, win));
    free(got);
}

#endif
