/* ranks: 2 3; wrong: a target's datatype whose entries lie over each other */
/* ranks: 2 3; name: private; env: RMASHM_ADOPT=false; wrong: the same */
/* Accumulates whose target datatype has an element in several entries combine it once for each, in their order, on each flavour. MPI
 * forbids such a type (4.1 section 12.3.4); programs use it (PETSc), as all MPI libraries do that with it. */
#include "flavours.h"

enum { ELEMENTS = 300, ENTRIES = 5000, EACH = 4, COUNT = ELEMENTS - EACH };

/* Which element each entry is. */
static int indices[ENTRIES];

/* Rank 0 adds 1 to each of `entries`, which `count` of the type are; all look at what has become of that. */
static void add(struct area *area, int fetches, int entries, int count, MPI_Datatype type)
{
    static int ones[ENTRIES], before[ENTRIES];
    int target = size - 1, *mine = (int *)area->base, times[ELEMENTS] = {0};
    MPI_Aint at = AT(area, target, 0);
    for (int i = 0; i < ELEMENTS; i++)
        mine[i] = 10;
    for (int i = 0; i < entries; i++)
        ones[i] = 1;
    OK(MPI_Win_fence(0, area->win));
    if (rank == 0 && !fetches)
        OK(MPI_Accumulate(ones, entries, MPI_INT, target, at, count, type, MPI_SUM, area->win));
    if (rank == 0 && fetches)
        OK(MPI_Get_accumulate(ones, entries, MPI_INT, before, entries, MPI_INT, target, at, count, type, MPI_SUM, area->win));
    OK(MPI_Win_fence(0, area->win));
    for (int i = 0; i < entries; i++) {
        if (rank == 0 && fetches)
            CHECK_EQ(before[i], 10 + times[indices[i]]);
        times[indices[i]]++;
    }
    for (int i = 0; i < ELEMENTS; i++)
        CHECK_EQ(mine[i], rank == target ? 10 + times[i] : 10);
    barrier();
}

static void test(struct area *area)
{
    MPI_Datatype type, row;
    unsigned seed = 7;
    for (int i = 0; i < ENTRIES; i++) {
        seed = seed * 1103515245 + 12345;
        indices[i] = (int)(seed >> 8) % ELEMENTS;
    }
    OK(MPI_Type_create_indexed_block(ENTRIES, 1, indices, MPI_INT, &type));
    OK(MPI_Type_commit(&type));
    for (int fetches = 0; fetches < 2; fetches++)
        add(area, fetches, ENTRIES, 1, type);
    OK(MPI_Type_free(&type));

    /* Each of these lies over the ones before it. */
    OK(MPI_Type_contiguous(EACH, MPI_INT, &row));
    OK(MPI_Type_create_resized(row, 0, sizeof(int), &type));
    OK(MPI_Type_commit(&type));
    for (int i = 0; i < EACH * COUNT; i++)
        indices[i] = i / EACH + i % EACH;
    for (int fetches = 0; fetches < 2; fetches++)
        add(area, fetches, EACH * COUNT, COUNT, type);
    OK(MPI_Type_free(&row));
    OK(MPI_Type_free(&type));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    on_each_flavour(ELEMENTS * sizeof(int), test);
    return check_end();
}
