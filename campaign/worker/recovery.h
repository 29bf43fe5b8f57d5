/* Going on after deaths: all that live agree on who they are, look at what is left of their windows, and begin a new program among
 * themselves. (ULFM: https://fault-tolerance.org) */
#ifndef RECOVERY_H
#define RECOVERY_H

#include "steps.h"

#ifdef MPIX_ERR_REVOKED

/* What a process has heard of the last agreement and of who is left, and how far it was. The others have heard the same. */
struct heard {
    uint64_t flag, class, members, step;
};

static struct heard heard;
static int recoveries;

/* A call that has to do with the dead: it ends well, or says so. */
static int class_of(const char *call, int code)
{
    int class = MPI_SUCCESS;
    MPI_Error_class(code, &class);
    if (class != MPI_SUCCESS && class != MPIX_ERR_PROC_FAILED && class != MPIX_ERR_REVOKED)
        check_failed(__FILE__, __LINE__, "step %d: class %s of %s", step, name_of(class), call);
    return class;
}

#define AFTER_DEATH(call) class_of(#call, call)

/* Nobody waits for this process any more where it leaves the program. */
static void let_go(void)
{
    int length;
    for (int i = 0; i < WINDOWS; i++) {
        struct window *w = &windows[i];
        if (!w->is_there || w->holds == NO_LOCK)
            continue;
        if (w->holds == ALL_LOCKS)
            AFTER_DEATH(MPI_Win_unlock_all(w->win));
        else if (w->holds == NEXT_FENCE)
            /* It fails, and ends the epoch. */
            AFTER_DEATH(MPI_Win_fence(0, w->win));
        else
            AFTER_DEATH(MPI_Win_unlock(w->holds, w->win));
        w->holds = NO_LOCK;
    }
    for (int i = 0; i < COMMUNICATORS; i++)
        if (communicators[i].is_there)
            OK(MPIX_Comm_revoke(communicators[i].comm));
    OK(MPIX_Comm_revoke(world));
    if (buffer != NULL)
        AFTER_DEATH(MPI_Buffer_detach(&buffer, &length));
    buffer = NULL;
}

/* The ranks that members of a communicator have in another one. */
static int ranks_in(MPI_Comm comm, MPI_Comm other, int *ranks)
{
    MPI_Group group, of_other;
    int count, all[MOST_RANKS];
    OK(MPI_Comm_size(comm, &count));
    OK(MPI_Comm_group(comm, &group));
    OK(MPI_Comm_group(other, &of_other));
    for (int i = 0; i < count; i++)
        all[i] = i;
    OK(MPI_Group_translate_ranks(group, count, all, of_other, ranks));
    OK(MPI_Group_free(&group));
    OK(MPI_Group_free(&of_other));
    return count;
}

/* Between epochs a rank's part is what its image is. In one each element of a survivor is as before, or as after. */
static void check_window(struct window *w, const int *survivors, int count)
{
    uint64_t *after = image(w, rank), *before = w->in_epoch ? w->before : after;
    compared++;
    for (int i = 0; i < w->elements && !w->in_epoch; i++)
        if (w->mine[i] != after[i])
            check_failed(__FILE__, __LINE__, "step %d: element %d of %d of a window whose ranks died is %" PRIx64 " and not %" PRIx64, step,
                         i, w->elements, w->mine[i], after[i]);
    for (int survivor = 0; survivor < count; survivor++)
        for (int i = 0; i < w->slot; i++) {
            int element = COUNTERS + survivors[survivor] * w->slot + i;
            if (w->mine[element] != before[element] && w->mine[element] != after[element])
                check_failed(__FILE__, __LINE__, "step %d: what rank %d did to element %d of %d before a death is %" PRIx64 ", neither %" PRIx64 " nor %" PRIx64,
                             step, survivors[survivor], element, w->elements, w->mine[element], before[element], after[element]);
        }
}

static void clear_window(struct window *w)
{
    if (w->is_there && w->is_dynamic)
        AFTER_DEATH(MPI_Win_detach(w->win, w->mine));
    if (w->is_made)
        AFTER_DEATH(MPI_Win_free(&w->win));
    w->is_there = w->is_made = 0;
}

/* Whether all that live are done. Else a new program begins among them. */
static int agree(int is_done)
{
    int id, survivors[MOST_RANKS], ids[MOST_RANKS], count;
    MPI_Comm left;
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &id));
    if (!is_done)
        let_go();
    /* A bit says whether all are done, and each takes one away that is its own. */
    int flag = ~(2 << id) & (is_done ? ~0 : ~1);
    heard.class = (uint64_t)AFTER_DEATH(MPIX_Comm_agree(world, &flag));
    heard.flag = (uint64_t)flag;
    CHECK(heard.class != MPIX_ERR_REVOKED);
    if (heard.class == MPI_SUCCESS && flag & 1)
        return 1;
    OK(MPIX_Comm_shrink(world, &left));
    count = ranks_in(left, world, survivors);
    for (int i = 0; i < WINDOWS; i++) {
        if (windows[i].is_there)
            check_window(&windows[i], survivors, count);
        clear_window(&windows[i]);
    }
    for (int i = 0; i < COMMUNICATORS; i++)
        if (communicators[i].is_there)
            AFTER_DEATH(MPI_Comm_free(&communicators[i].comm));
    memset(communicators, 0, sizeof communicators);
    if (world != MPI_COMM_WORLD)
        AFTER_DEATH(MPI_Comm_free(&world));
    world = left;
    ranks_in(left, MPI_COMM_WORLD, ids);
    heard.members = 0;
    for (int i = 0; i < count; i++) {
        heard.members |= UINT64_C(1) << ids[i];
        if (flag & 2 << ids[i])
            check_failed(__FILE__, __LINE__, "step %d: rank %d has survived, and had no part in what was agreed", step, ids[i]);
    }
    heard.step = (uint64_t)step;
    OK(MPI_Comm_rank(world, &rank));
    OK(MPI_Comm_size(world, &size));
    recoveries++;
    return 0;
}

/* What was heard in the last recovery, compared with what the others heard; then all go on where the foremost was. */
static void compare_notes(void)
{
    struct heard all[MOST_RANKS];
    DO(MPI_Allgather(&heard, 4, MPI_UINT64_T, all, 4, MPI_UINT64_T, world));
    for (int i = 0; i < size; i++) {
        equal("what all have agreed on", all[i].flag, heard.flag);
        equal("how an agreement ended", all[i].class, heard.class);
        equal("who is left", all[i].members, heard.members);
        step = (int)all[i].step > step ? (int)all[i].step : step;
    }
}

#endif
#endif
