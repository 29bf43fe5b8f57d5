/* ranks: 3 8; seconds: 240 */
/* The full product: each predefined type x each operation it is allowed for x each flavour x alignment. All ranks update
 * the same elements at the same time, one by one, in arrays, and in strided types, and read them with MPI_NO_OP between:
 * nothing is lost, nothing is read that is half written (MPI 4.1 section 12.7.1). */
#include "flavours.h"
#include "reduce_model.h"

#define COUNT 20
#define ROUNDS 4
#define EXTENT_MAX 32

static struct type types[TYPE_COUNT_MAX];
static int type_count;

/* One type with one operation, and where its elements are. */
struct pairing {
    const struct type *type;
    MPI_Op op;
    const char *op_name;
    size_t at;
};

static struct pairing pairings[TYPE_COUNT_MAX * OP_COUNT];
static int pairing_count;

/* The number as an element; all parts of one say the same. */
static void write_number(const struct type *type, unsigned char *element, int n)
{
    memset(element, 0, type->extent);
    switch (type->kind) {
    case I8: case U8: case BYTE8: case TEXT: memset(element, n, type->extent); return;
    case I16: case U16: { uint16_t v = (uint16_t)n; memcpy(element, &v, 2); return; }
    case I32: case U32: { uint32_t v = (uint32_t)n; memcpy(element, &v, 4); return; }
    case I64: case U64: { uint64_t v = (uint64_t)(int64_t)n; memcpy(element, &v, 8); return; }
    case F32: { float v = (float)n; memcpy(element, &v, sizeof v); return; }
    case F64: { double v = n; memcpy(element, &v, sizeof v); return; }
    case F80: { long double v = n; memcpy(element, &v, sizeof v); return; }
    case C32: { float _Complex v = (float)n + (float)n * I; memcpy(element, &v, sizeof v); return; }
    case C64: { double _Complex v = n + n * I; memcpy(element, &v, sizeof v); return; }
    case C80: { long double _Complex v = n + n * (long double _Complex)I; memcpy(element, &v, sizeof v); return; }
    case BOOL8: { bool v = n != 0; memcpy(element, &v, 1); return; }
    case BOOL32: { int32_t v = n != 0; memcpy(element, &v, 4); return; }
#define WRITE_PAIR(KIND, T)                                                           \
    case KIND: { T v; memset(&v, 0, sizeof v); v.value = n; v.index = n; memcpy(element, &v, sizeof v); return; }
    WRITE_PAIR(PAIR_FLOAT, struct pair_float)
    WRITE_PAIR(PAIR_DOUBLE, struct pair_double)
    WRITE_PAIR(PAIR_LONG, struct pair_long)
    WRITE_PAIR(PAIR_INT, struct pair_int)
    WRITE_PAIR(PAIR_SHORT, struct pair_short)
    WRITE_PAIR(PAIR_LONG_DOUBLE, struct pair_long_double)
#undef WRITE_PAIR
    }
}

/* What the elements are at first. */
static int start(MPI_Op op)
{
    return op == MPI_PROD || op == MPI_LAND ? 1 : op == MPI_BAND ? -1 : op == MPI_MIN || op == MPI_MINLOC ? 100 : 0;
}

/* What rank `r` brings to element `i` in a round. Results do not depend on the order, and most are wrong if one is missing. */
static int contribution(MPI_Op op, int r, int round, int i)
{
    int turn = (r + i) % ROUNDS == round;
    if (op == MPI_SUM)
        return 1 + (r + round + i) % 2;
    if (op == MPI_PROD)
        return 1 + (r + i + round) % 2;
    if (op == MPI_MAX || op == MPI_MAXLOC)
        return 1 + round * 8 + (r + i) % 8;
    if (op == MPI_MIN || op == MPI_MINLOC)
        return 99 - round * 8 - (r + i) % 8;
    if (op == MPI_LAND)
        return !(turn && i % 8 == r);
    if (op == MPI_LOR)
        return turn && i % 8 == r;
    if (op == MPI_LXOR)
        return (r + round + i) % 3 != 0;
    if (op == MPI_BAND)
        return turn ? ~(1 << r) : -1;
    if (op == MPI_BOR)
        return turn ? 1 << r : 0;
    if (op == MPI_BXOR)
        return round == 0 || turn ? 1 << r : 0;
    return 1 + round * 8 + r; /* MPI_REPLACE */
}

/* Doing it twice is doing it once: what has been brought can be seen in all that is read later. */
static int stays(MPI_Op op)
{
    return op == MPI_MAX || op == MPI_MIN || op == MPI_LAND || op == MPI_LOR || op == MPI_BAND || op == MPI_BOR ||
           op == MPI_MAXLOC || op == MPI_MINLOC;
}

/* The element holds what somebody wrote in one of the rounds from `first` on, or the start. */
static int is_whole(const struct pairing *p, const unsigned char *element, int first, int from_start)
{
    _Alignas(16) unsigned char wanted[EXTENT_MAX];
    if (from_start) {
        write_number(p->type, wanted, 0);
        if (same_element(p->type->kind, element, wanted, p->type->extent))
            return 1;
    }
    for (int r = 0; r < size; r++)
        for (int round = first; round < ROUNDS; round++) {
            write_number(p->type, wanted, contribution(p->op, r, round, 0));
            if (same_element(p->type->kind, element, wanted, p->type->extent))
                return 1;
        }
    return 0;
}

/* What this rank brought in rounds before `rounds` is in element `i` as it was read. */
static void check_read(const struct pairing *p, const unsigned char *read, int i, int rounds)
{
    _Alignas(16) unsigned char is[EXTENT_MAX], with[EXTENT_MAX], mine[EXTENT_MAX];
    size_t extent = p->type->extent;
    memcpy(is, read + (size_t)i * extent, extent);
    if (p->op == MPI_REPLACE && !is_whole(p, is, 0, 1))
        check_failed(__FILE__, __LINE__, "%s: element %d is torn", p->type->name, i);
    for (int round = 0; stays(p->op) && round < rounds; round++) {
        memcpy(with, is, extent);
        write_number(p->type, mine, contribution(p->op, rank, round, i));
        model(p->op, p->type->kind, extent, with, mine);
        if (!same_element(p->type->kind, is, with, extent))
            check_failed(__FILE__, __LINE__, "%s of %s: element %d, read in round %d, has lost round %d", p->op_name,
                         p->type->name, i, rounds, round);
    }
}

/* Brings this round's contributions to all elements at `target`. */
static void bring(struct area *area, const struct pairing *p, int target, int round, size_t shift)
{
    static _Alignas(16) unsigned char given[COUNT * EXTENT_MAX], got[COUNT * EXTENT_MAX];
    MPI_Aint at = AT(area, target, p->at + shift), extent = (MPI_Aint)p->type->extent;
    MPI_Datatype type = p->type->type, every_second;
    MPI_Win win = area->win;
    MPI_Op op = p->op;
    int read = 0;
    for (int i = 0; i < COUNT; i++)
        write_number(p->type, given + i * extent, contribution(op, rank, round, i));
    switch ((rank + round) % 6) {
    case 0:
        OK(MPI_Accumulate(given, COUNT, type, target, at, COUNT, type, op, win));
        break;
    case 1:
        for (int i = 0; i < COUNT; i++)
            OK(MPI_Accumulate(given + i * extent, 1, type, target, at + i * extent, 1, type, op, win));
        break;
    case 2:
        for (int i = 0; i < COUNT; i++)
            OK(MPI_Fetch_and_op(given + i * extent, got + i * extent, type, target, at + i * extent, op, win));
        read = 1;
        break;
    case 3:
        OK(MPI_Get_accumulate(given, COUNT, type, got, COUNT, type, target, at, COUNT, type, op, win));
        read = 1;
        break;
    case 4:
        OK(MPI_Type_vector(COUNT / 2, 1, 2, type, &every_second));
        OK(MPI_Type_commit(&every_second));
        for (int odd = 0; odd < 2; odd++)
            OK(MPI_Get_accumulate(given + odd * extent, 1, every_second, got + odd * extent, 1, every_second, target,
                                  at + odd * extent, 1, every_second, op, win));
        OK(MPI_Type_free(&every_second));
        read = 1;
        break;
    default:
        OK(MPI_Accumulate(given, 5, type, target, at, 5, type, op, win));
        OK(MPI_Accumulate(given + 5 * extent, COUNT - 5, type, target, at + 5 * extent, COUNT - 5, type, op, win));
    }
    OK(MPI_Win_flush(target, win));
    for (int i = 0; read && i < COUNT; i++)
        check_read(p, got, i, round);
    if ((rank + round) % 2 == 0)
        return;
    OK(MPI_Get_accumulate(NULL, 0, type, got, COUNT, type, target, at, COUNT, type, MPI_NO_OP, win));
    OK(MPI_Win_flush(target, win));
    for (int i = 0; i < COUNT; i++)
        check_read(p, got, i, round + 1);
}

static void check_end_state(struct area *area, const struct pairing *p, size_t shift)
{
    _Alignas(16) unsigned char wanted[EXTENT_MAX], is[EXTENT_MAX], given[EXTENT_MAX];
    const struct type *type = p->type;
    for (int i = 0; i < COUNT; i++) {
        memcpy(is, area->base + p->at + shift + (size_t)i * type->extent, type->extent);
        if (p->op == MPI_REPLACE) {
            CHECK(is_whole(p, is, ROUNDS - 1, 0));
            continue;
        }
        write_number(type, wanted, start(p->op));
        for (int r = 0; r < size; r++)
            for (int round = 0; round < ROUNDS; round++) {
                write_number(type, given, contribution(p->op, r, round, i));
                model(p->op, type->kind, type->extent, wanted, given);
            }
        if (!same_element(type->kind, is, wanted, type->extent))
            check_failed(__FILE__, __LINE__, "%s of %s, flavour %d, shift %zu: element %d is wrong", p->op_name, type->name,
                         (int)area->flavour, shift, i);
    }
}

static void run_at(struct area *area, size_t shift)
{
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, area->win));
    for (int k = 0; k < pairing_count; k++)
        for (int i = 0; i < COUNT; i++)
            write_number(pairings[k].type, area->base + pairings[k].at + shift + (size_t)i * pairings[k].type->extent,
                         start(pairings[k].op));
    OK(MPI_Win_unlock(rank, area->win));
    barrier();
    OK(MPI_Win_lock_all(0, area->win));
    for (int k = 0; k < pairing_count; k++)
        for (int round = 0; round < ROUNDS; round++)
            for (int target = 0; target < size; target += size - 1)
                bring(area, &pairings[k], target, round, shift);
    OK(MPI_Win_unlock_all(area->win));
    barrier();
    OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, area->win));
    for (int k = 0; (rank == 0 || rank == size - 1) && k < pairing_count; k++)
        check_end_state(area, &pairings[k], shift);
    OK(MPI_Win_unlock(rank, area->win));
    barrier();
}

static void run(struct area *area)
{
    run_at(area, 0);
#ifdef RMASHM /* the standard promises nothing for unaligned elements; rmashm does */
    run_at(area, 1);
    run_at(area, 4);
#endif
}

int main(int argc, char **argv)
{
    size_t bytes = 0;
    check_start(&argc, &argv);
    CHECK(size >= 2 && size <= 8);
    type_count = all_types(types);
    for (int t = 0; t < type_count; t++)
        for (int o = 0; o < OP_COUNT; o++)
            if (all_ops[o].op != MPI_NO_OP && is_allowed(all_ops[o].op, types[t].kind)) {
                struct pairing p = { &types[t], all_ops[o].op, all_ops[o].name, bytes };
                pairings[pairing_count++] = p;
                bytes += (COUNT * types[t].extent + 63) / 64 * 64;
            }
    on_each_flavour(bytes + 64, run);
    return check_end();
}
