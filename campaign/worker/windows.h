/* Windows of all kinds, with an image of all their memory at each rank: operations change both, and they have to stay alike. */
#ifndef WINDOWS_H
#define WINDOWS_H

#include "worker.h"

enum { WINDOWS = 3, COUNTERS = 16, ADDED = 8, FETCHED = 12, MOST_OPERATIONS = 6, MOST_SLOT = 4000 };

/* Each rank has `COUNTERS` elements that all may add to, and a slot for each origin, which alone changes it. */
struct window {
    MPI_Win win;
    int is_made; /* there is a window, which may not be ready */
    int is_there, is_dynamic, slot, elements;
    uint64_t *mine, *image;
    void *memory; /* what is freed after the window */
    int by_alloc_mem;
    MPI_Aint *bases;
    /* Of an epoch that is under way, which a death may leave so: what this rank's part was before it, and which locks it holds (or what else
     * ends it). */
    int in_epoch, holds;
    uint64_t *before;
};

/* What ends an epoch, if not the unlock of one target. */
enum { NO_LOCK = -1, ALL_LOCKS = -2, NEXT_FENCE = -3 };

static _Thread_local struct window windows[WINDOWS];

static uint64_t *image(struct window *w, int target)
{
    return w->image + (size_t)target * (size_t)w->elements;
}

/* The displacement of an element at a target. */
static MPI_Aint at(struct window *w, int target, int element)
{
    return w->is_dynamic ? w->bases[target] + (MPI_Aint)element * 8 : element;
}

static void make_window(struct window *w)
{
    int kind = below(5);
    MPI_Aint bytes;
    memset(w, 0, sizeof *w);
    w->holds = NO_LOCK;
    w->slot = 1 + length_below(MOST_SLOT);
    w->elements = COUNTERS + size * w->slot;
    w->image = own((size_t)size * (size_t)w->elements * 8);
    bytes = (MPI_Aint)w->elements * 8;
    switch (kind) {
    case 0:
        DO(MPI_Win_allocate(bytes, 8, MPI_INFO_NULL, world, &w->mine, &w->win));
        break;
    case 1:
        DO(MPI_Win_allocate_shared(bytes, 8, MPI_INFO_NULL, world, &w->mine, &w->win));
        break;
    case 2:
        w->memory = w->mine = own((size_t)bytes);
        DO(MPI_Win_create(w->mine, bytes, 8, MPI_INFO_NULL, world, &w->win));
        break;
    case 3:
        w->by_alloc_mem = 1;
        DO(MPI_Alloc_mem(bytes, MPI_INFO_NULL, &w->mine));
        w->memory = w->mine;
        DO(MPI_Win_create(w->mine, bytes, 8, MPI_INFO_NULL, world, &w->win));
        break;
    default:
        w->is_dynamic = 1;
        w->memory = w->mine = own((size_t)bytes);
        w->bases = own((size_t)size * sizeof *w->bases);
        DO(MPI_Win_create_dynamic(MPI_INFO_NULL, world, &w->win));
        w->is_made = 1;
        if (!options.fatal)
            DO(MPI_Win_set_errhandler(w->win, MPI_ERRORS_RETURN));
        DO(MPI_Win_attach(w->win, w->mine, bytes));
        DO(MPI_Get_address(w->mine, &w->bases[rank]));
        DO(MPI_Allgather(MPI_IN_PLACE, 0, MPI_AINT, w->bases, 1, MPI_AINT, world));
    }
    w->is_made = 1;
    if (!options.fatal)
        DO(MPI_Win_set_errhandler(w->win, MPI_ERRORS_RETURN));
    memset(w->mine, 0, (size_t)bytes);
    w->is_there = 1;
    DO(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, w->win));
    DO(MPI_Win_unlock(rank, w->win));
    DO(MPI_Barrier(world));
}

static void free_window(struct window *w)
{
    if (!w->is_there)
        return;
    w->is_there = 0;
    if (w->is_dynamic) {
        DO(MPI_Barrier(world));
        DO(MPI_Win_detach(w->win, w->mine));
    }
    w->is_made = 0;
    DO(MPI_Win_free(&w->win));
    if (w->by_alloc_mem)
        DO(MPI_Free_mem(w->memory));
    else
        free(w->memory);
    free(w->bases);
    free(w->image);
    free(w->before);
}

enum kind { PUT, GET, ACCUMULATE, ADD, GET_ACCUMULATE, FETCH, SWAP, REQUEST_PUT, REQUEST_GET, KINDS };

/* One operation; what it brings to its origin is compared when it is complete. */
struct operation {
    enum kind kind;
    int origin, target, element, count;
    uint64_t number;
    uint64_t *from, *to, *wanted;
    uint64_t compare, least, most;
};

/* Plans an operation on a piece of the origin's slot that no other of this epoch touches, and carries it out on the image. */
static void plan_operation(struct window *w, struct operation *it, int origin, int target, int begin, int end, int may_request)
{
    int first = COUNTERS + origin * w->slot;
    memset(it, 0, sizeof *it);
    it->kind = (enum kind)below(may_request ? KINDS : REQUEST_PUT);
    it->origin = origin;
    it->target = target;
    it->number = fresh();
    it->element = first + begin;
    it->count = end > begin ? 1 + below(end - begin) : 0;
    if (it->kind == ADD) {
        it->element = below(ADDED);
        it->count = 1 + below(ADDED - it->element);
    } else if (it->kind == FETCH) {
        it->element = ADDED + below(FETCHED - ADDED);
        it->count = 1;
    } else if (it->kind == SWAP) {
        it->count = it->count ? 1 : 0;
    }
    if (origin == rank) {
        size_t bytes = (size_t)it->count * 8;
        it->from = own(bytes);
        it->to = own(bytes);
        it->wanted = own(bytes);
        fill(it->from, bytes, it->number);
        memcpy(it->wanted, image(w, target) + it->element, bytes);
        it->least = it->count ? *it->wanted : 0;
        it->compare = it->least + it->number % 2;
    }
}

static void apply(struct window *w, struct operation *it)
{
    uint64_t *to = image(w, it->target) + it->element;
    for (int i = 0; i < it->count; i++) {
        uint64_t value = mix(it->number, (uint64_t)i);
        switch (it->kind) {
        case PUT:
        case REQUEST_PUT:
            to[i] = value;
            break;
        case ACCUMULATE:
        case ADD:
        case GET_ACCUMULATE:
            to[i] += value;
            break;
        case FETCH:
            to[i] += 1;
            break;
        case SWAP:
            if (it->number % 2 == 0)
                to[i] = value;
            break;
        default:
            break;
        }
    }
}

static void carry_out(struct window *w, struct operation *it, MPI_Request *request)
{
    MPI_Win win = w->win;
    MPI_Aint place = at(w, it->target, it->element);
    int count = it->count, target = it->target;
    static const uint64_t one = 1;
    *request = MPI_REQUEST_NULL;
    switch (it->kind) {
    case PUT:
        DO(MPI_Put(it->from, count, MPI_UINT64_T, target, place, count, MPI_UINT64_T, win));
        break;
    case GET:
        DO(MPI_Get(it->to, count, MPI_UINT64_T, target, place, count, MPI_UINT64_T, win));
        break;
    case ACCUMULATE:
    case ADD:
        DO(MPI_Accumulate(it->from, count, MPI_UINT64_T, target, place, count, MPI_UINT64_T, MPI_SUM, win));
        break;
    case GET_ACCUMULATE:
        DO(MPI_Get_accumulate(it->from, count, MPI_UINT64_T, it->to, count, MPI_UINT64_T, target, place, count,
                              MPI_UINT64_T, MPI_SUM, win));
        break;
    case FETCH:
        DO(MPI_Fetch_and_op(&one, it->to, MPI_UINT64_T, target, place, MPI_SUM, win));
        break;
    case SWAP:
        if (count)
            DO(MPI_Compare_and_swap(it->from, &it->compare, it->to, MPI_UINT64_T, target, place, win));
        break;
    case REQUEST_PUT:
        DO(MPI_Rput(it->from, count, MPI_UINT64_T, target, place, count, MPI_UINT64_T, win, request));
        break;
    default:
        DO(MPI_Rget(it->to, count, MPI_UINT64_T, target, place, count, MPI_UINT64_T, win, request));
    }
}

/* What an operation has brought, after its epoch. */
static void check_operation(struct window *w, struct operation *it)
{
    size_t bytes = (size_t)it->count * 8;
    switch (it->kind) {
    case GET:
    case REQUEST_GET:
    case GET_ACCUMULATE:
    case SWAP:
        compared++;
        if (memcmp(it->to, it->wanted, bytes) != 0)
            check_failed(__FILE__, __LINE__, "step %d: what operation %d on rank %d brought of %d elements is wrong", step,
                         (int)it->kind, it->target, it->count);
        break;
    case FETCH:
        /* The others add one each to it in the same epoch: the value is between that before and that after. */
        compared++;
        if (*it->to < it->least || *it->to >= image(w, it->target)[it->element])
            check_failed(__FILE__, __LINE__, "step %d: what was fetched is %" PRIu64 ", not from %" PRIu64 " to below %" PRIu64,
                         step, *it->to, it->least, image(w, it->target)[it->element]);
        break;
    default:
        break;
    }
    free(it->from);
    free(it->to);
    free(it->wanted);
}

enum synchronization { FENCE, EXPOSURE, LOCK, LOCK_ALL, SYNCHRONIZATIONS };

static void open_epoch(struct window *w, enum synchronization how, int shift)
{
    MPI_Group all, before, after;
    int next = (rank + shift) % size, last = (rank + size - shift) % size;
    switch (how) {
    case FENCE:
        DO(MPI_Win_fence(0, w->win));
        w->holds = NEXT_FENCE;
        break;
    case EXPOSURE:
        DO(MPI_Comm_group(world, &all));
        DO(MPI_Group_incl(all, 1, &last, &before));
        DO(MPI_Group_incl(all, 1, &next, &after));
        DO(MPI_Win_post(before, 0, w->win));
        DO(MPI_Win_start(after, 0, w->win));
        DO(MPI_Group_free(&all));
        DO(MPI_Group_free(&before));
        DO(MPI_Group_free(&after));
        break;
    case LOCK_ALL:
        DO(MPI_Win_lock_all(0, w->win));
        w->holds = ALL_LOCKS;
        break;
    default:
        break;
    }
}

static void close_epoch(struct window *w, enum synchronization how)
{
    switch (how) {
    case FENCE:
        w->holds = NO_LOCK;
        DO(MPI_Win_fence(0, w->win));
        break;
    case EXPOSURE:
        DO(MPI_Win_complete(w->win));
        DO(MPI_Win_wait(w->win));
        break;
    case LOCK_ALL:
        w->holds = NO_LOCK;
        DO(MPI_Win_unlock_all(w->win));
        break;
    default:
        break;
    }
}

/* Keeps what this rank's part is before an epoch, for those that find out after a death how far the epoch came. None begins it before
 * all know what it is to do. */
static void keep(struct window *w)
{
    size_t bytes = (size_t)w->elements * 8;
    if (w->before == NULL)
        w->before = own(bytes);
    memcpy(w->before, image(w, rank), bytes);
}

static void epoch(struct window *w)
{
    enum synchronization how = (enum synchronization)below(SYNCHRONIZATIONS);
    struct operation operations[MOST_RANKS * MOST_OPERATIONS];
    MPI_Request requests[MOST_OPERATIONS];
    MPI_Status statuses[MOST_OPERATIONS];
    int shift = below(size), exclusive = below(2), flush = below(3), each = below(MOST_OPERATIONS + 1), own_ones = 0;
    for (int origin = 0; origin < size; origin++)
        for (int i = 0; i < each; i++) {
            int target = how == EXPOSURE ? (origin + shift) % size : below(size);
            plan_operation(w, &operations[origin * each + i], origin, target, w->slot * i / each, w->slot * (i + 1) / each,
                           how == LOCK || how == LOCK_ALL);
        }
    if (options.work == RECOVERY) {
        /* Windows cannot be revoked: nothing ends a wait for one that lives, and has left for the recovery. */
        how = how == EXPOSURE ? LOCK : how;
        keep(w);
    }
    w->in_epoch = 1;
    for (int i = 0; i < size * each; i++)
        apply(w, &operations[i]);
    if (options.work == RECOVERY)
        DO(MPI_Barrier(world));
    open_epoch(w, how, shift);
    for (int i = 0; i < each; i++) {
        struct operation *it = &operations[rank * each + i];
        if (how == LOCK) {
            DO(MPI_Win_lock(exclusive ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, it->target, 0, w->win));
            w->holds = it->target;
        }
        carry_out(w, it, &requests[own_ones++]);
        if (how == LOCK) {
            wait_all(1, &requests[own_ones - 1], statuses);
            w->holds = NO_LOCK;
            DO(MPI_Win_unlock(it->target, w->win));
        } else if (how == LOCK_ALL && flush == 1) {
            DO(MPI_Win_flush(it->target, w->win));
        } else if (how == LOCK_ALL && flush == 2) {
            DO(MPI_Win_flush_local_all(w->win));
        }
    }
    wait_all(own_ones, requests, statuses);
    close_epoch(w, how);
    DO(MPI_Barrier(world));
    for (int i = 0; i < each; i++)
        check_operation(w, &operations[rank * each + i]);
    DO(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, w->win));
    w->holds = rank;
    for (int i = 0; i < w->elements; i++)
        if (w->mine[i] != image(w, rank)[i])
            check_failed(__FILE__, __LINE__, "step %d: element %d of %d of a window is %" PRIx64 " and not %" PRIx64, step, i,
                         w->elements, w->mine[i], image(w, rank)[i]);
    compared++;
    w->holds = NO_LOCK;
    DO(MPI_Win_unlock(rank, w->win));
    DO(MPI_Barrier(world));
    w->in_epoch = 0;
}

static void window_step(void)
{
    struct window *w = &windows[below(WINDOWS)];
    if (w->is_there && below(4) == 0)
        free_window(w);
    if (!w->is_there)
        make_window(w);
    for (int i = below(3); i >= 0; i--)
        epoch(w);
}

static void free_windows(void)
{
    for (int i = 0; i < WINDOWS; i++)
        free_window(&windows[i]);
}

#endif
