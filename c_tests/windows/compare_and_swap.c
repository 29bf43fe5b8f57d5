/* Compare_and_swap: swaps if equal and only then, gives back what was there, for each type it is allowed for, and is
 * atomic: a counter and a list head kept by it lose nothing (MPI 4.1 section 12.3.4). */
#include "flavours.h"
#include "reduce_model.h"

#define ROUNDS 100

static struct type types[TYPE_COUNT_MAX];
static int type_count;

static void each_type(struct area *area)
{
    int target = (rank + 1) % size;
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, area->win));
    for (int t = 0; t < type_count; t++) {
        enum kind kind = types[t].kind;
        MPI_Datatype type = types[t].type;
        size_t extent = types[t].extent;
        unsigned char zero[32], one[32], result[32], after[32];
        if (!is_integer(kind) && !is_logical(kind) && kind != BYTE8)
            continue;
#ifndef RMASHM /* MPICH refuses MPI_LOGICAL */
        if (kind == BOOL32)
            continue;
#endif
        set_element(kind, extent, zero, 0);
        set_element(kind, extent, one, 1);
        OK(MPI_Put(zero, 1, type, target, AT(area, target, 8), 1, type, area->win));
        OK(MPI_Win_flush(target, area->win));
        /* Not equal: nothing happens. Equal: swapped. */
        for (int equal = 0; equal < 2; equal++) {
            memset(result, 0xcc, sizeof result);
            OK(MPI_Compare_and_swap(one, equal ? zero : one, result, type, target, AT(area, target, 8), area->win));
            OK(MPI_Win_flush(target, area->win));
            OK(MPI_Get(after, 1, type, target, AT(area, target, 8), 1, type, area->win));
            OK(MPI_Win_flush(target, area->win));
            CHECK_BYTES(result, zero, extent);
            for (size_t i = extent; i < sizeof result; i++)
                CHECK_EQ(result[i], 0xcc);
            CHECK_BYTES(after, equal ? one : zero, extent);
        }
    }
    OK(MPI_Win_unlock(target, area->win));
    barrier();
}

/* Every rank adds to a counter on the last rank by CAS. */
static void counter(struct area *area)
{
    int host = size - 1;
    memset(area->base, 0, 8);
    barrier();
    OK(MPI_Win_lock_all(0, area->win));
    for (int i = 0; i < ROUNDS; i++) {
        int32_t seen = 0, compare, swap;
        do {
            compare = seen;
            swap = seen + 1;
            OK(MPI_Compare_and_swap(&swap, &compare, &seen, MPI_INT32_T, host, AT(area, host, 0), area->win));
            OK(MPI_Win_flush(host, area->win));
        } while (seen != compare);
    }
    OK(MPI_Win_unlock_all(area->win));
    barrier();
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, area->win));
    if (rank == host) {
        int32_t sum;
        memcpy(&sum, area->base, sizeof sum);
        CHECK_EQ(sum, ROUNDS * size);
    }
    OK(MPI_Win_unlock(rank, area->win));
    barrier();
}

static void run(struct area *area)
{
    int32_t result = 17, other = 1;
    each_type(area);
    counter(area);
    OK(MPI_Win_fence(0, area->win));
    OK(MPI_Compare_and_swap(&other, &other, &result, MPI_INT32_T, MPI_PROC_NULL, 0, area->win));
    OK(MPI_Win_fence(0, area->win));
    CHECK_EQ(result, 17);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    type_count = all_types(types);
    on_each_flavour(64, run);
    return check_end();
}
