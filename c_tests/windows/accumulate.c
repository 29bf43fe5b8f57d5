/* ranks: 1 2 4 8; launcher: mpiexec preload */
/* Every predefined operation on every predefined type it is allowed for: all ranks accumulate into all ranks, and the
 * sum of it is held against a plain model (MPI 4.1 section 12.3.4). */
#include "flavours.h"
#include "reduce_model.h"

#define COUNT 9
#define EXTENT_MAX 32

static struct type types[TYPE_COUNT_MAX];
static int type_count;

/* What `origin` gives to `target` with this type and operation. */
static void contribution(unsigned char *elements, int t, int o, int origin, int target)
{
    for (int i = 0; i < COUNT; i++)
        set_element(types[t].kind, types[t].extent, elements + (size_t)i * types[t].extent,
                    mix((uint64_t)(t * OP_COUNT + o), (uint64_t)((origin * 8 + target) * COUNT + i)));
}

static size_t slot(int t, int o)
{
    return (size_t)(t * OP_COUNT + o) * COUNT * EXTENT_MAX;
}

/* MPI_REPLACE has one writer: what several leave is any of theirs. */
static int takes_part(MPI_Op op, int origin, int target)
{
    return op != MPI_REPLACE || origin == (target + 1) % size;
}

static void accumulate(struct area *area, int target, unsigned char *buffers)
{
    for (int t = 0; t < type_count; t++)
        for (int o = 0; o < OP_COUNT; o++) {
            MPI_Op op = all_ops[o].op;
            if (op == MPI_NO_OP || !is_allowed(op, types[t].kind) || !takes_part(op, rank, target))
                continue;
            unsigned char *from = buffers + slot(t, o);
            contribution(from, t, o, rank, target);
            OK(MPI_Accumulate(from, COUNT, types[t].type, target, AT(area, target, slot(t, o)), COUNT, types[t].type,
                              op, area->win));
        }
}

static void check(struct area *area)
{
    unsigned char wanted[COUNT * EXTENT_MAX], given[COUNT * EXTENT_MAX];
    for (int t = 0; t < type_count; t++)
        for (int o = 0; o < OP_COUNT; o++) {
            MPI_Op op = all_ops[o].op;
            size_t extent = types[t].extent;
            if (op == MPI_NO_OP || !is_allowed(op, types[t].kind))
                continue;
            contribution(wanted, t, o, 99, rank);
            for (int origin = 0; origin < size; origin++) {
                if (!takes_part(op, origin, rank))
                    continue;
                contribution(given, t, o, origin, rank);
                for (int i = 0; i < COUNT; i++)
                    model(op, types[t].kind, extent, wanted + (size_t)i * extent, given + (size_t)i * extent);
            }
            for (int i = 0; i < COUNT; i++)
                if (!same_element(types[t].kind, area->base + slot(t, o) + (size_t)i * extent,
                                  wanted + (size_t)i * extent, extent))
                    check_failed(__FILE__, __LINE__, "%s of %s: element %d is wrong, flavour %d", all_ops[o].name,
                                 types[t].name, i, (int)area->flavour);
        }
}

static void run(struct area *area)
{
    unsigned char *buffers = malloc(area->bytes * (size_t)size);
    for (int t = 0; t < type_count; t++)
        for (int o = 0; o < OP_COUNT; o++)
            contribution(area->base + slot(t, o), t, o, 99, rank);
    OK(MPI_Win_fence(0, area->win));
    for (int target = 0; target < size; target++)
        accumulate(area, target, buffers + area->bytes * (size_t)target);
    OK(MPI_Win_fence(0, area->win));
    check(area);
    OK(MPI_Win_fence(0, area->win));
    free(buffers);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    type_count = all_types(types);
    on_each_flavour(slot(type_count, 0), run);
    return check_end();
}
