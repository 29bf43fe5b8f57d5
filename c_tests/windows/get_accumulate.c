/* Get_accumulate: what was there comes back, what is there is the result, for every type and operation; MPI_NO_OP
 * reads, MPI_REPLACE swaps (MPI 4.1 section 12.3.4). */
#include "flavours.h"
#include "reduce_model.h"

#define COUNT 4
#define EXTENT_MAX 32
#define BYTES (COUNT * EXTENT_MAX)

static struct type types[TYPE_COUNT_MAX];
static int type_count;

static void elements(unsigned char *to, int t, int o, int seed)
{
    for (int i = 0; i < COUNT; i++)
        set_element(types[t].kind, types[t].extent, to + (size_t)i * types[t].extent,
                    mix((uint64_t)(t * OP_COUNT + o), (uint64_t)(seed * COUNT + i)));
}

static void check_elements(const unsigned char *is, const unsigned char *wanted, int t, int o, const char *what)
{
    size_t extent = types[t].extent;
    for (int i = 0; i < COUNT; i++)
        if (!same_element(types[t].kind, is + (size_t)i * extent, wanted + (size_t)i * extent, extent))
            check_failed(__FILE__, __LINE__, "%s of %s: element %d of %s is wrong", all_ops[o].name, types[t].name, i,
                         what);
}

/* Every rank works on a part of its own in the next rank's window. */
static void each_type_and_op(struct area *area)
{
    unsigned char before[BYTES], given[BYTES], result[BYTES], wanted[BYTES], after[BYTES];
    int target = (rank + 1) % size;
    OK(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, area->win));
    for (int t = 0; t < type_count; t++)
        for (int o = 0; o < OP_COUNT; o++) {
            MPI_Op op = all_ops[o].op;
            MPI_Datatype type = types[t].type;
            if (!is_allowed(op, types[t].kind))
                continue;
            memset(result, 0, BYTES);
            memset(after, 0, BYTES);
            elements(before, t, o, 1 + rank);
            elements(given, t, o, 20 + rank);
            memcpy(wanted, before, BYTES);
            for (int i = 0; i < COUNT; i++)
                model(op, types[t].kind, types[t].extent, wanted + (size_t)i * types[t].extent,
                      given + (size_t)i * types[t].extent);
            OK(MPI_Put(before, COUNT, type, target, AT(area, target, 0), COUNT, type, area->win));
            OK(MPI_Win_flush(target, area->win));
            OK(MPI_Get_accumulate(given, COUNT, type, result, COUNT, type, target, AT(area, target, 0), COUNT, type, op,
                                  area->win));
            OK(MPI_Win_flush(target, area->win));
            check_elements(result, before, t, o, "the result");
            OK(MPI_Get(after, COUNT, type, target, AT(area, target, 0), COUNT, type, area->win));
            OK(MPI_Win_flush(target, area->win));
            check_elements(after, wanted, t, o, "the window");
        }
    OK(MPI_Win_unlock(target, area->win));
    barrier();
}

/* MPI_NO_OP looks at no origin buffer; PROC_NULL and zero counts leave the result alone. */
static void nothing(struct area *area)
{
    int target = (rank + 1) % size, one = 1, result = -5, empty = -6;
    OK(MPI_Win_fence(0, area->win));
    *(int *)(void *)area->base = 40 + rank;
    OK(MPI_Win_fence(0, area->win));
    OK(MPI_Get_accumulate(NULL, 0, MPI_INT, &result, 1, MPI_INT, target, AT(area, target, 0), 1, MPI_INT, MPI_NO_OP,
                          area->win));
    OK(MPI_Get_accumulate(&one, 1, MPI_INT, &empty, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, MPI_SUM, area->win));
    OK(MPI_Get_accumulate(&one, 0, MPI_INT, &empty, 0, MPI_INT, target, AT(area, target, 0), 0, MPI_INT, MPI_SUM,
                          area->win));
    OK(MPI_Win_fence(0, area->win));
    CHECK_EQ(result, 40 + target);
    CHECK_EQ(empty, -6);
    CHECK_EQ(*(int *)(void *)area->base, 40 + rank);
}

/* Derived types: a strided target, a strided result, one basic type. */
static void derived(struct area *area)
{
    enum { N = 5 };
    int target = (rank + 1) % size, given[N], result[3 * N], *mine = (void *)area->base;
    MPI_Datatype second, third;
    OK(MPI_Type_vector(N, 1, 2, MPI_INT, &second));
    OK(MPI_Type_vector(N, 1, 3, MPI_INT, &third));
    OK(MPI_Type_commit(&second));
    OK(MPI_Type_commit(&third));
    OK(MPI_Win_fence(0, area->win));
    for (int i = 0; i < 2 * N; i++)
        mine[i] = 1000 * rank + i;
    memset(result, 0xff, sizeof result);
    for (int i = 0; i < N; i++)
        given[i] = 7 * i;
    OK(MPI_Win_fence(0, area->win));
    OK(MPI_Get_accumulate(given, N, MPI_INT, result, 1, third, target, AT(area, target, 0), 1, second, MPI_SUM,
                          area->win));
    OK(MPI_Win_fence(0, area->win));
    for (int i = 0; i < 3 * N - 2; i++)
        CHECK_EQ(result[i], i % 3 ? -1 : 1000 * target + 2 * (i / 3));
    for (int i = 0; i < 2 * N; i++)
        CHECK_EQ(mine[i], 1000 * rank + i + (i % 2 ? 0 : 7 * (i / 2)));
    OK(MPI_Type_free(&second));
    OK(MPI_Type_free(&third));
}

static void run(struct area *area)
{
    each_type_and_op(area);
    nothing(area);
    derived(area);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    type_count = all_types(types);
    on_each_flavour(1024, run);
    return check_end();
}
