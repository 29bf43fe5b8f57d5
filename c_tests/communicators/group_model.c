/* ranks: 1 2 3 4 8 */
/* Random groups against a model that keeps the ranks in arrays: all operations, chained; communicators of the results. */
#include "check.h"

enum { MOST = 8, GROUPS = 6, STEPS = 400 };

struct model {
    int n, ranks[MOST];
};

static MPI_Group world, groups[GROUPS];
static struct model models[GROUPS];
static uint64_t state = 88172645463325252u;

static int below(int n)
{
    return (int)(draw(&state) % (uint64_t)n);
}

static int place(const struct model *m, int r)
{
    for (int i = 0; i < m->n; i++)
        if (m->ranks[i] == r)
            return i;
    return MPI_UNDEFINED;
}

static void put(struct model *m, int r)
{
    m->ranks[m->n++] = r;
}

static void agrees(MPI_Group group, const struct model *m)
{
    int n = -1, r = -1, all[MOST], translated[MOST];
    OK(MPI_Group_size(group, &n));
    CHECK_EQ(n, m->n);
    OK(MPI_Group_rank(group, &r));
    CHECK_EQ(r, place(m, rank));
    for (int i = 0; i < n; i++)
        all[i] = i;
    OK(MPI_Group_translate_ranks(group, n, all, world, translated));
    CHECK_BYTES(translated, m->ranks, sizeof(int) * (size_t)n);
    CHECK_EQ(group == MPI_GROUP_EMPTY, n == 0);
}

/* Some different ranks below n, in any order. */
static int some(int n, int *ranks)
{
    int count = n ? below(n + 1) : 0;
    for (int i = 0; i < n; i++)
        ranks[i] = i;
    for (int i = 0; i < count; i++) {
        int j = i + below(n - i), swap = ranks[i];
        ranks[i] = ranks[j];
        ranks[j] = swap;
    }
    return count;
}

/* A range below n, and the ranks it means. */
static int range(int n, int *triplet, int *ranks)
{
    int count = 0, first = below(n), last = below(n), stride = 1 + below(3);
    if (last < first)
        stride = -stride;
    triplet[0] = first;
    triplet[1] = last;
    triplet[2] = stride;
    for (int r = first; stride > 0 ? r <= last : r >= last; r += stride)
        ranks[count++] = r;
    return count;
}

static void step(void)
{
    int a = below(GROUPS), b = below(GROUPS), to = below(GROUPS), kind = below(7), ranks[MOST], n, triplet[1][3];
    const struct model *x = &models[a], *y = &models[b];
    struct model m = {0, {0}};
    MPI_Group result = MPI_GROUP_NULL;
    int listed[MOST] = {0};
    switch (kind) {
    case 0:
        OK(MPI_Group_union(groups[a], groups[b], &result));
        for (int i = 0; i < x->n; i++)
            put(&m, x->ranks[i]);
        for (int i = 0; i < y->n; i++)
            if (place(x, y->ranks[i]) == MPI_UNDEFINED)
                put(&m, y->ranks[i]);
        break;
    case 1:
    case 2:
        if (kind == 1)
            OK(MPI_Group_intersection(groups[a], groups[b], &result));
        else
            OK(MPI_Group_difference(groups[a], groups[b], &result));
        for (int i = 0; i < x->n; i++)
            if ((place(y, x->ranks[i]) != MPI_UNDEFINED) == (kind == 1))
                put(&m, x->ranks[i]);
        break;
    case 3:
    case 4:
        n = some(x->n, ranks);
        if (kind == 3)
            OK(MPI_Group_incl(groups[a], n, ranks, &result));
        else
            OK(MPI_Group_excl(groups[a], n, ranks, &result));
        for (int i = 0; i < n; i++) {
            listed[ranks[i]] = 1;
            if (kind == 3)
                put(&m, x->ranks[ranks[i]]);
        }
        for (int i = 0; kind == 4 && i < x->n; i++)
            if (!listed[i])
                put(&m, x->ranks[i]);
        break;
    default:
        if (x->n == 0)
            return;
        n = range(x->n, triplet[0], ranks);
        if (kind == 5)
            OK(MPI_Group_range_incl(groups[a], 1, triplet, &result));
        else
            OK(MPI_Group_range_excl(groups[a], 1, triplet, &result));
        for (int i = 0; i < n; i++) {
            listed[ranks[i]] = 1;
            if (kind == 5)
                put(&m, x->ranks[ranks[i]]);
        }
        for (int i = 0; kind == 6 && i < x->n; i++)
            if (!listed[i])
                put(&m, x->ranks[i]);
    }
    agrees(result, &m);
    if (groups[to] != MPI_GROUP_EMPTY)
        OK(MPI_Group_free(&groups[to]));
    groups[to] = result;
    models[to] = m;
}

/* Comparing two groups, and translating between them. */
static void compare(int a, int b)
{
    const struct model *x = &models[a], *y = &models[b];
    int result = -1, all[MOST], translated[MOST], same = x->n == y->n, members = same;
    for (int i = 0; i < x->n; i++) {
        same = same && x->ranks[i] == y->ranks[i];
        members = members && place(y, x->ranks[i]) != MPI_UNDEFINED;
        all[i] = i;
    }
    OK(MPI_Group_compare(groups[a], groups[b], &result));
    CHECK_EQ(result, same ? MPI_IDENT : members ? MPI_SIMILAR : MPI_UNEQUAL);
    OK(MPI_Group_translate_ranks(groups[a], x->n, all, groups[b], translated));
    for (int i = 0; i < x->n; i++)
        CHECK_EQ(translated[i], place(y, x->ranks[i]));
}

/* Communicators of a group and of all others at the same time, in one call; compared with the world. */
static void communicators(int a)
{
    const struct model *m = &models[a];
    int in = place(m, rank) != MPI_UNDEFINED, r = -1, s = -1, result = -1, sum = -1, model = 0;
    MPI_Group others, mine;
    MPI_Comm comm, again;
    OK(MPI_Group_difference(world, groups[a], &others));
    mine = in ? groups[a] : others;
    OK(MPI_Comm_create(MPI_COMM_WORLD, mine, &comm));
    CHECK(comm != MPI_COMM_NULL);
    OK(MPI_Comm_rank(comm, &r));
    OK(MPI_Comm_size(comm, &s));
    CHECK_EQ(s, in ? m->n : size - m->n);
    if (in)
        CHECK_EQ(r, place(m, rank));
    OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm));
    for (int i = 0; i < size; i++)
        model += (place(m, i) != MPI_UNDEFINED) == in ? i : 0;
    CHECK_EQ(sum, model);

    OK(MPI_Comm_create_group(MPI_COMM_WORLD, mine, 7, &again));
    OK(MPI_Comm_compare(comm, again, &result));
    CHECK_EQ(result, MPI_CONGRUENT);
    OK(MPI_Comm_compare(comm, comm, &result));
    CHECK_EQ(result, MPI_IDENT);
    OK(MPI_Comm_compare(MPI_COMM_WORLD, comm, &result));
    int order = s == size;
    for (int i = 0; in && order && i < size; i++)
        order = m->ranks[i] == i;
    CHECK_EQ(result, s < size ? MPI_UNEQUAL : order ? MPI_CONGRUENT : MPI_SIMILAR);
    OK(MPI_Comm_free(&again));
    OK(MPI_Comm_free(&comm));
    if (others != MPI_GROUP_EMPTY)
        OK(MPI_Group_free(&others));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    for (int g = 0; g < GROUPS; g++) {
        for (int i = 0; i < size; i++)
            put(&models[g], (i + g) % size);
        OK(MPI_Group_incl(world, size, models[g].ranks, &groups[g]));
    }
    for (int i = 0; i < STEPS; i++) {
        step();
        compare(below(GROUPS), below(GROUPS));
        /* They run dry by and by. */
        int g = i % GROUPS;
        if (models[g].n == 0) {
            models[g].n = 0;
            for (int j = 0; j < size; j++)
                put(&models[g], size - 1 - j);
            OK(MPI_Group_incl(world, size, models[g].ranks, &groups[g]));
        }
        if (i % 10 == 0)
            communicators(g);
    }
    for (int g = 0; g < GROUPS; g++)
        if (groups[g] != MPI_GROUP_EMPTY)
            OK(MPI_Group_free(&groups[g]));
    OK(MPI_Group_free(&world));
    return check_end();
}
