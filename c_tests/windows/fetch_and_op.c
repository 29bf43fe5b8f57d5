/* ranks: 1 2 4 8; launcher: mpiexec hydra */
/* Fetch_and_op: each of many concurrent counts is given out once, on each flavour, for each integer width; every type
 * and operation against the model (MPI 4.1 section 12.3.4). */
#include "flavours.h"
#include "reduce_model.h"

#define ROUNDS 200

static struct type types[TYPE_COUNT_MAX];
static int type_count;

/* All ranks draw tickets from rank 0: each ticket is drawn once. */
static void tickets(struct area *area)
{
    int64_t one = 1, ticket = -1, previous = -1;
    unsigned char *drawn = calloc((size_t)(ROUNDS * size), 1), *all = malloc((size_t)(ROUNDS * size));
    memset(area->base, 0, 8);
    barrier();
    OK(MPI_Win_lock_all(0, area->win));
    for (int i = 0; i < ROUNDS; i++) {
        OK(MPI_Fetch_and_op(&one, &ticket, MPI_INT64_T, 0, AT(area, 0, 0), MPI_SUM, area->win));
        OK(MPI_Win_flush(0, area->win));
        CHECK(ticket > previous);
        CHECK(ticket < (int64_t)ROUNDS * size);
        drawn[ticket]++;
        previous = ticket;
    }
    OK(MPI_Win_unlock_all(area->win));
    OK(MPI_Allreduce(drawn, all, ROUNDS * size, MPI_UNSIGNED_CHAR, MPI_SUM, MPI_COMM_WORLD));
    for (int i = 0; i < ROUNDS * size; i++)
        CHECK_EQ(all[i], 1);
    free(drawn);
    free(all);
}

static void each_type_and_op(struct area *area)
{
    unsigned char before[32], given[32], result[32], wanted[32], after[32];
    int target = (rank + 1) % size;
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, area->win));
    for (int t = 0; t < type_count; t++)
        for (int o = 0; o < OP_COUNT; o++) {
            MPI_Op op = all_ops[o].op;
            MPI_Datatype type = types[t].type;
            enum kind kind = types[t].kind;
            if (!is_allowed(op, kind))
                continue;
            set_element(kind, types[t].extent, before, mix((uint64_t)t, (uint64_t)o));
            set_element(kind, types[t].extent, given, mix((uint64_t)o, (uint64_t)(t + rank)));
            memcpy(wanted, before, types[t].extent);
            model(op, kind, types[t].extent, wanted, given);
            memset(result, 0, sizeof result);
            memset(after, 0, sizeof after);
            OK(MPI_Put(before, 1, type, target, AT(area, target, 64), 1, type, area->win));
            OK(MPI_Win_flush(target, area->win));
            OK(MPI_Fetch_and_op(given, result, type, target, AT(area, target, 64), op, area->win));
            OK(MPI_Win_flush(target, area->win));
            OK(MPI_Get(after, 1, type, target, AT(area, target, 64), 1, type, area->win));
            OK(MPI_Win_flush(target, area->win));
            if (!same_element(kind, result, before, types[t].extent) || !same_element(kind, after, wanted, types[t].extent))
                check_failed(__FILE__, __LINE__, "%s of %s is wrong", all_ops[o].name, types[t].name);
        }
    OK(MPI_Win_unlock(target, area->win));
    barrier();
}

/* Narrow counters beside each other: neighbours in one word are not touched, and they wrap at their width. */
static void narrow(struct area *area)
{
    uint8_t one = 1, got;
    int target = (rank + 1) % size;
    memset(area->base, 0, 16);
    barrier();
    OK(MPI_Win_lock_all(0, area->win));
    for (int i = 0; i < 260; i++) {
        OK(MPI_Fetch_and_op(&one, &got, MPI_UINT8_T, target, AT(area, target, 3), MPI_SUM, area->win));
        OK(MPI_Win_flush(target, area->win));
        CHECK_EQ(got, i % 256);
    }
    OK(MPI_Win_unlock_all(area->win));
    barrier();
    OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, area->win));
    for (int i = 0; i < 16; i++)
        CHECK_EQ(area->base[i], i == 3 ? 260 % 256 : 0);
    OK(MPI_Win_unlock(rank, area->win));
    barrier();
}

static void run(struct area *area)
{
    int64_t untouched = -3;
    tickets(area);
    each_type_and_op(area);
    narrow(area);
    OK(MPI_Win_fence(0, area->win));
    OK(MPI_Fetch_and_op(&untouched, &untouched, MPI_INT64_T, MPI_PROC_NULL, 0, MPI_SUM, area->win));
    OK(MPI_Win_fence(0, area->win));
    CHECK_EQ(untouched, -3);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    type_count = all_types(types);
    on_each_flavour(256, run);
    return check_end();
}
