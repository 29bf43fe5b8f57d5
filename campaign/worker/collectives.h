/* Collective operations, blocking or several under way, on communicators that come and go. */
#ifndef COLLECTIVES_H
#define COLLECTIVES_H

#include "worker.h"

enum { COMMUNICATORS = 3, MOST_UNDER_WAY = 4, MOST_ELEMENTS = 20000 };

/* A communicator, and the ranks in `world` of its members in their order. */
struct communicator {
    MPI_Comm comm;
    int is_there, rank, size, members[MOST_RANKS];
};

static _Thread_local struct communicator communicators[COMMUNICATORS];

static void make_communicator(struct communicator *it)
{
    uint64_t colours = fresh();
    int is_copy = below(3) == 0, parts = is_copy ? 1 : 1 + below(3), backwards = !is_copy && below(2);
    int colour = (int)(mix(colours, (uint64_t)rank) % (uint64_t)parts);
    memset(it, 0, sizeof *it);
    if (is_copy)
        DO(MPI_Comm_dup(world, &it->comm));
    else
        DO(MPI_Comm_split(world, colour, backwards ? -rank : rank, &it->comm));
    it->is_there = 1;
    for (int i = 0; i < size; i++) {
        int member = backwards ? size - 1 - i : i;
        if ((int)(mix(colours, (uint64_t)member) % (uint64_t)parts) != colour)
            continue;
        if (member == rank)
            it->rank = it->size;
        it->members[it->size++] = member;
    }
    int is_rank = -1, is_size = -1;
    DO(MPI_Comm_rank(it->comm, &is_rank));
    DO(MPI_Comm_size(it->comm, &is_size));
    equal("a rank in a new communicator", (uint64_t)is_rank, (uint64_t)it->rank);
    equal("the size of a new communicator", (uint64_t)is_size, (uint64_t)it->size);
}

static void free_communicator(struct communicator *it)
{
    if (!it->is_there)
        return;
    it->is_there = 0;
    DO(MPI_Comm_free(&it->comm));
}

enum collective { BARRIER, BCAST, REDUCE, ALLREDUCE, GATHER, SCATTER, ALLGATHER, ALLTOALL, SCAN, EXSCAN, REDUCE_SCATTER, ALLGATHERV, COLLECTIVES };

struct call {
    enum collective kind;
    int root, count, op;
    uint64_t number;
    uint64_t *in, *out;
    int *counts, *displacements;
};

static MPI_Op operators(int op)
{
    return op == 0 ? MPI_SUM : op == 1 ? MPI_MAX : MPI_BXOR;
}

static uint64_t combined(int op, uint64_t a, uint64_t b)
{
    return op == 0 ? a + b : op == 1 ? (a > b ? a : b) : a ^ b;
}

/* What a member of a communicator gives as its element `i`. (Without the highest bit, which MPICH's maximum takes for a sign.) */
static uint64_t given(const struct call *it, const struct communicator *in, int member, int i)
{
    return mix(it->number + (uint64_t)in->members[member], (uint64_t)i) >> 1;
}

/* The elements `i` of the members from 0 to below `end`, combined. */
static uint64_t folded(const struct call *it, const struct communicator *in, int end, int i)
{
    uint64_t value = given(it, in, 0, i);
    for (int member = 1; member < end; member++)
        value = combined(it->op, value, given(it, in, member, i));
    return value;
}

static void plan_call(struct call *it, const struct communicator *in)
{
    memset(it, 0, sizeof *it);
    it->kind = (enum collective)below(COLLECTIVES);
    it->root = below(size) % in->size;
    it->op = below(3);
    it->number = fresh() & ~UINT64_C(0xff);
    it->count = length_below(MOST_ELEMENTS / size);
    /* Room for a block of each member. */
    size_t elements = (size_t)it->count * (size_t)in->size + (size_t)(in->size * in->size);
    it->in = own(elements * 8);
    it->out = own(elements * 8);
    it->counts = own((size_t)in->size * sizeof(int));
    it->displacements = own((size_t)in->size * sizeof(int));
    for (size_t i = 0; i < elements; i++)
        it->in[i] = given(it, in, in->rank, (int)i);
    for (int i = 0, sum = 0; i < in->size; i++) {
        it->counts[i] = it->count + i % 3;
        it->displacements[i] = sum;
        sum += it->counts[i];
    }
    if (it->kind == BCAST && in->rank != it->root)
        memset(it->in, 0, elements * 8);
}

/* The blocking call, or the one that is started. */
#define EITHER(name, iname, ...)                                                \
    do {                                                                              \
        if (request == NULL)                                                          \
            DO(name(__VA_ARGS__));                                                    \
        else                                                                          \
            DO(iname(__VA_ARGS__, request));                                          \
    } while (0)

static void start_call(struct call *it, const struct communicator *in, MPI_Request *request)
{
    MPI_Datatype type = MPI_UINT64_T;
    MPI_Op op = operators(it->op);
    MPI_Comm comm = in->comm;
    int count = it->count, root = it->root;
    switch (it->kind) {
    case BARRIER:
        EITHER(MPI_Barrier, MPI_Ibarrier, comm);
        break;
    case BCAST:
        EITHER(MPI_Bcast, MPI_Ibcast, it->in, count, type, root, comm);
        break;
    case REDUCE:
        EITHER(MPI_Reduce, MPI_Ireduce, it->in, it->out, count, type, op, root, comm);
        break;
    case ALLREDUCE:
        EITHER(MPI_Allreduce, MPI_Iallreduce, it->in, it->out, count, type, op, comm);
        break;
    case GATHER:
        EITHER(MPI_Gather, MPI_Igather, it->in, count, type, it->out, count, type, root, comm);
        break;
    case SCATTER:
        EITHER(MPI_Scatter, MPI_Iscatter, it->in, count, type, it->out, count, type, root, comm);
        break;
    case ALLGATHER:
        EITHER(MPI_Allgather, MPI_Iallgather, it->in, count, type, it->out, count, type, comm);
        break;
    case ALLTOALL:
        EITHER(MPI_Alltoall, MPI_Ialltoall, it->in, count, type, it->out, count, type, comm);
        break;
    case SCAN:
        EITHER(MPI_Scan, MPI_Iscan, it->in, it->out, count, type, op, comm);
        break;
    case EXSCAN:
        EITHER(MPI_Exscan, MPI_Iexscan, it->in, it->out, count, type, op, comm);
        break;
    case REDUCE_SCATTER:
        EITHER(MPI_Reduce_scatter, MPI_Ireduce_scatter, it->in, it->out, it->counts, type, op, comm);
        break;
    default:
        EITHER(MPI_Allgatherv, MPI_Iallgatherv, it->in, it->counts[in->rank], type, it->out, it->counts,
                     it->displacements, type, comm);
    }
}

/* What element `i` of a block of the result has to be. */
static uint64_t wanted(const struct call *it, const struct communicator *in, int block, int i)
{
    switch (it->kind) {
    case BCAST:
        return given(it, in, it->root, i);
    case REDUCE:
    case ALLREDUCE:
        return folded(it, in, in->size, i);
    case SCATTER:
        return given(it, in, it->root, in->rank * it->count + i);
    case ALLTOALL:
        return given(it, in, block, in->rank * it->count + i);
    case SCAN:
        return folded(it, in, in->rank + 1, i);
    case EXSCAN:
        return folded(it, in, in->rank, i);
    case REDUCE_SCATTER:
        return folded(it, in, in->size, it->displacements[in->rank] + i);
    default:
        return given(it, in, block, i);
    }
}

static void check_call(struct call *it, const struct communicator *in)
{
    const uint64_t *result = it->kind == BCAST ? it->in : it->out;
    int is_root = in->rank == it->root, blocks = 1, count = it->count;
    switch (it->kind) {
    case BARRIER:
        blocks = 0;
        break;
    case REDUCE:
        blocks = is_root;
        break;
    case GATHER:
        blocks = is_root ? in->size : 0;
        break;
    case ALLGATHER:
    case ALLTOALL:
    case ALLGATHERV:
        blocks = in->size;
        break;
    case EXSCAN:
        blocks = in->rank > 0;
        break;
    case REDUCE_SCATTER:
        count = it->counts[in->rank];
        break;
    default:
        break;
    }
    for (int block = 0; block < blocks; block++) {
        const uint64_t *begin = result + (it->kind == ALLGATHERV ? it->displacements[block] : block * count);
        int elements = it->kind == ALLGATHERV ? it->counts[block] : count;
        for (int i = 0; i < elements; i++)
            if (begin[i] != wanted(it, in, block, i))
                check_failed(__FILE__, __LINE__, "step %d: collective operation %d: element %d of block %d is %" PRIx64 " and not %" PRIx64,
                             step, (int)it->kind, i, block, begin[i], wanted(it, in, block, i));
    }
    compared++;
    free(it->in);
    free(it->out);
    free(it->counts);
    free(it->displacements);
}

static void collective_step(void)
{
    struct communicator all;
    struct communicator *in = &communicators[below(COMMUNICATORS)];
    struct call calls[MOST_UNDER_WAY];
    MPI_Request requests[MOST_UNDER_WAY];
    MPI_Status statuses[MOST_UNDER_WAY];
    int with_all = below(3) == 0, blocking = below(2), count = 1 + below(MOST_UNDER_WAY);
    if (in->is_there && below(4) == 0)
        free_communicator(in);
    if (!in->is_there)
        make_communicator(in);
    if (with_all) {
        all = (struct communicator){.comm = world, .is_there = 1, .rank = rank, .size = size};
        for (int i = 0; i < size; i++)
            all.members[i] = i;
        in = &all;
    }
    for (int i = 0; i < count; i++) {
        plan_call(&calls[i], in);
        start_call(&calls[i], in, blocking ? NULL : &requests[i]);
    }
    if (!blocking)
        wait_all(count, requests, statuses);
    for (int i = 0; i < count; i++)
        check_call(&calls[i], in);
}

static void free_communicators(void)
{
    for (int i = 0; i < COMMUNICATORS; i++)
        free_communicator(&communicators[i]);
}

#endif
