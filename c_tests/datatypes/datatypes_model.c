/* ranks: 1 */
/* Datatypes against what they mean, worked out the slow way: subarray and darray by index, elements of partial messages by
 * counting, external32 byte by byte, Fortran kinds, sizes that match, addresses, bounds of zero-size and backward types
 * (MPI 4.1 chapter 5, section 19.1.9). */
#include "types.h"

/* Where the elements of one `type` of ints lie, by packing an array of its own indices. */
static int places(MPI_Datatype type, int *found, int room)
{
    static int array[5000];
    int bytes, position = 0;
    for (int i = 0; i < 5000; i++)
        array[i] = i;
    OK(MPI_Type_commit(&type));
    OK(MPI_Type_size(type, &bytes));
    CHECK(bytes <= room * (int)sizeof(int));
    OK(MPI_Pack(array, 1, type, found, room * (int)sizeof(int), &position, MPI_COMM_WORLD));
    CHECK_EQ(position, bytes);
    return bytes / (int)sizeof(int);
}

/* The process that has index `i` of `n` in a dimension, of `p`. */
static int owner(int i, int n, int distribution, int argument, int p)
{
    int block = (n + p - 1) / p;
    switch (distribution) {
    case MPI_DISTRIBUTE_BLOCK: return i / (argument == MPI_DISTRIBUTE_DFLT_DARG ? block : argument);
    case MPI_DISTRIBUTE_CYCLIC: return i / (argument == MPI_DISTRIBUTE_DFLT_DARG ? 1 : argument) % p;
    default: return 0;
    }
}

/* Every process's part of arrays of one to three dimensions, in both orders, distributed in every way. */
static void darrays(void)
{
    uint64_t state = 4711;
    const int ways[3] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE};
    for (int turn = 0; turn < 400; turn++) {
        int dims = 1 + (int)(draw(&state) % 3), fortran = (int)(draw(&state) % 2);
        int sizes[3], distribution[3], argument[3], grid[3], total = 1, processes = 1;
        for (int d = 0; d < dims; d++) {
            sizes[d] = 1 + (int)(draw(&state) % 11);
            distribution[d] = ways[draw(&state) % 3];
            grid[d] = distribution[d] == MPI_DISTRIBUTE_NONE ? 1 : 1 + (int)(draw(&state) % 4);
            argument[d] = MPI_DISTRIBUTE_DFLT_DARG;
            if (distribution[d] == MPI_DISTRIBUTE_CYCLIC && draw(&state) % 2)
                argument[d] = 1 + (int)(draw(&state) % 3);
            if (distribution[d] == MPI_DISTRIBUTE_BLOCK && draw(&state) % 2)
                argument[d] = (sizes[d] + grid[d] - 1) / grid[d] + (int)(draw(&state) % 2);
            total *= sizes[d];
            processes *= grid[d];
        }
        int seen = 0;
        for (int process = 0; process < processes; process++) {
            MPI_Datatype type;
            int found[1400], wanted[1400], count = 0, coordinates[3], rest = process;
            MPI_Aint lb, extent;
            for (int d = dims - 1; d >= 0; d--) { /* the process grid is in C order always */
                coordinates[d] = rest % grid[d];
                rest /= grid[d];
            }
            for (int at = 0; at < total; at++) {
                int index = at, mine = 1;
                for (int i = 0; i < dims; i++) {
                    int d = fortran ? i : dims - 1 - i;
                    mine = mine && owner(index % sizes[d], sizes[d], distribution[d], argument[d], grid[d]) == coordinates[d];
                    index /= sizes[d];
                }
                if (mine)
                    wanted[count++] = at;
            }
            OK(MPI_Type_create_darray(processes, process, dims, sizes, distribution, argument, grid,
                                      fortran ? MPI_ORDER_FORTRAN : MPI_ORDER_C, MPI_INT, &type));
            OK(MPI_Type_get_extent(type, &lb, &extent));
            CHECK(lb == 0 && extent == (MPI_Aint)sizeof(int) * total);
            CHECK_EQ(places(type, found, 1400), count);
            CHECK_BYTES(found, wanted, (size_t)count * sizeof(int));
            seen += count;
            OK(MPI_Type_free(&type));
        }
        CHECK_EQ(seen, total); /* every element has one owner */
    }
}

static void subarrays(void)
{
    uint64_t state = 815;
    for (int turn = 0; turn < 400; turn++) {
        int dims = 1 + (int)(draw(&state) % 4), fortran = (int)(draw(&state) % 2), total = 1, count = 0;
        int sizes[4], part[4], start[4], found[3000], wanted[3000];
        MPI_Aint lb, extent, true_lb, true_extent;
        MPI_Datatype type;
        for (int d = 0; d < dims; d++) {
            sizes[d] = 1 + (int)(draw(&state) % 7);
            part[d] = 1 + (int)(draw(&state) % (uint64_t)sizes[d]);
            start[d] = (int)(draw(&state) % (uint64_t)(sizes[d] - part[d] + 1));
            total *= sizes[d];
        }
        for (int at = 0; at < total; at++) {
            int index = at, inside = 1;
            for (int i = 0; i < dims; i++) {
                int d = fortran ? i : dims - 1 - i, x = index % sizes[d];
                inside = inside && x >= start[d] && x < start[d] + part[d];
                index /= sizes[d];
            }
            if (inside)
                wanted[count++] = at;
        }
        OK(MPI_Type_create_subarray(dims, sizes, part, start, fortran ? MPI_ORDER_FORTRAN : MPI_ORDER_C, MPI_INT, &type));
        OK(MPI_Type_get_extent(type, &lb, &extent));
        OK(MPI_Type_get_true_extent(type, &true_lb, &true_extent));
        CHECK(lb == 0 && extent == (MPI_Aint)sizeof(int) * total);
        CHECK(true_lb == (MPI_Aint)sizeof(int) * wanted[0]);
        CHECK(true_extent == (MPI_Aint)sizeof(int) * (wanted[count - 1] - wanted[0] + 1));
        CHECK_EQ(places(type, found, 3000), count);
        CHECK_BYTES(found, wanted, (size_t)count * sizeof(int));
        OK(MPI_Type_free(&type));
    }
}

/* For a message of each length: whole datatypes and basic elements in it, by all functions that say so. */
static void elements(void)
{
    const int lengths[3] = {1, 3, 2};
    const MPI_Aint at[3] = {0, 8, 16};
    const MPI_Datatype parts[3] = {MPI_DOUBLE, MPI_SHORT, MPI_CHAR};
    const int bytes[6] = {8, 2, 2, 2, 1, 1};
    MPI_Datatype type;
    MPI_Status status;
    OK(MPI_Type_create_struct(3, lengths, at, parts, &type));
    OK(MPI_Type_commit(&type));
    memset(&status, 0, sizeof status);
    for (int length = 0; length <= 48; length++) {
        int whole = 0, basic = 0, left = length, count, small;
        while (left > 0 && left >= bytes[basic % 6])
            left -= bytes[basic++ % 6];
        whole = length % 16 ? MPI_UNDEFINED : length / 16;
        if (left)
            basic = MPI_UNDEFINED;
        MPI_Count large;
        OK(MPI_Status_set_elements(&status, MPI_BYTE, length));
        OK(MPI_Get_count(&status, type, &count));
        OK(MPI_Get_elements(&status, type, &small));
        OK(MPI_Get_elements_x(&status, type, &large));
        CHECK_EQ(count, whole);
#ifndef RMASHM
        if (left) /* which MPICH does not say of a part of an element */
            continue;
#endif
        CHECK_EQ(small, basic);
        CHECK_EQ(large, basic);
    }
#ifdef RMASHM /* MPICH counts one by one, which takes minutes */
    for (int i = 0; i < 5; i++) {
        MPI_Count large;
        int small;
        OK(MPI_Status_set_elements_x(&status, type, 6 * ((MPI_Count)1 << 31) + 6 * i + i));
        OK(MPI_Get_elements_x(&status, type, &large));
        CHECK_EQ(large, 6 * ((MPI_Count)1 << 31) + 6 * i + i);
        OK(MPI_Get_elements(&status, type, &small));
        CHECK_EQ(small, MPI_UNDEFINED); /* an int does not hold it */
    }
#endif
    OK(MPI_Type_free(&type));
}

static void type_sizes(void)
{
    const struct { int class, bytes; } all[] = {
        {MPI_TYPECLASS_INTEGER, 1}, {MPI_TYPECLASS_INTEGER, 2}, {MPI_TYPECLASS_INTEGER, 4}, {MPI_TYPECLASS_INTEGER, 8},
        {MPI_TYPECLASS_REAL, 4}, {MPI_TYPECLASS_REAL, 8}, {MPI_TYPECLASS_COMPLEX, 8}, {MPI_TYPECLASS_COMPLEX, 16}};
    MPI_Datatype type, again;
    int bytes, ni, na, nd, combiner, integers[2];
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        OK(MPI_Type_match_size(all[i].class, all[i].bytes, &type));
        OK(MPI_Type_size(type, &bytes));
        CHECK_EQ(bytes, all[i].bytes);
    }
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    CHECK(MPI_Type_match_size(MPI_TYPECLASS_REAL, 3, &type) != MPI_SUCCESS);
    CHECK(MPI_Type_match_size(-12, 4, &type) != MPI_SUCCESS);

    const struct { int p, r, bytes; } reals[] = {{6, 37, 4}, {6, MPI_UNDEFINED, 4}, {15, 307, 8}, {MPI_UNDEFINED, 100, 8}};
    for (size_t i = 0; i < 4; i++) {
        OK(MPI_Type_create_f90_real(reals[i].p, reals[i].r, &type));
        OK(MPI_Type_create_f90_real(reals[i].p, reals[i].r, &again));
        CHECK(type == again); /* the same for the same arguments */
        OK(MPI_Type_size(type, &bytes));
        CHECK_EQ(bytes, reals[i].bytes);
        OK(MPI_Type_get_envelope(type, &ni, &na, &nd, &combiner));
        CHECK(ni == 2 && na == 0 && nd == 0 && combiner == MPI_COMBINER_F90_REAL);
        OK(MPI_Type_get_contents(type, 2, 0, 0, integers, NULL, NULL));
        CHECK(integers[0] == reals[i].p && integers[1] == reals[i].r);
        OK(MPI_Type_create_f90_complex(reals[i].p, reals[i].r, &type));
        OK(MPI_Type_size(type, &bytes));
        CHECK_EQ(bytes, 2 * reals[i].bytes);
    }
    const struct { int r, bytes; } integers_of[] = {{1, 1}, {2, 1}, {3, 2}, {4, 2}, {5, 4}, {9, 4}, {10, 8}, {18, 8}};
    for (size_t i = 0; i < 8; i++) {
        OK(MPI_Type_create_f90_integer(integers_of[i].r, &type));
        OK(MPI_Type_size(type, &bytes));
        CHECK_EQ(bytes, integers_of[i].bytes);
        OK(MPI_Type_get_envelope(type, &ni, &na, &nd, &combiner));
        CHECK(ni == 1 && combiner == MPI_COMBINER_F90_INTEGER);
    }
    CHECK(MPI_Type_create_f90_real(5000, 5000, &type) != MPI_SUCCESS);
    CHECK(MPI_Type_create_f90_integer(400, &type) != MPI_SUCCESS);
}

#ifdef RMASHM
/* Every predefined type, there and back through the external form, which is big endian. */
static void external(void)
{
    struct type types[TYPE_COUNT_MAX];
    int count = all_types(types);
    for (int t = 0; t < count; t++) {
        _Alignas(16) unsigned char data[7 * 32], back[7 * 32], packed[7 * 40];
        MPI_Aint room, position = 0;
        for (int i = 0; i < 7; i++) { /* numbers that every kind holds */
            unsigned char *at = data + i * types[t].extent;
            memset(at, 0, types[t].extent);
            switch (types[t].kind) {
            case F32: *(float *)(void *)at = 1.5f * (float)i; break;
            case F64: *(double *)(void *)at = 1.5 * i; break;
            case F80: *(long double *)(void *)at = 1.5L * i; break;
            case C32: *(float _Complex *)(void *)at = 1.5f * (float)i; break;
            case C64: *(double _Complex *)(void *)at = 1.5 * i; break;
            case C80: *(long double _Complex *)(void *)at = 1.5L * i; break;
            case BOOL8:
            case BOOL32: at[0] = i % 2; break;
            case PAIR_FLOAT: *(struct pair_float *)(void *)at = (struct pair_float){1.5f * (float)i, i}; break;
            case PAIR_DOUBLE: *(struct pair_double *)(void *)at = (struct pair_double){1.5 * i, i}; break;
            case PAIR_LONG: *(struct pair_long *)(void *)at = (struct pair_long){300 * i, -i}; break;
            case PAIR_INT: *(struct pair_int *)(void *)at = (struct pair_int){300 * i, -i}; break;
            case PAIR_SHORT: *(struct pair_short *)(void *)at = (struct pair_short){(short)(300 * i), -i}; break;
            case PAIR_LONG_DOUBLE: *(struct pair_long_double *)(void *)at = (struct pair_long_double){1.5L * i, i}; break;
            default: at[0] = (unsigned char)(i + 1);
            }
        }
        OK(MPI_Pack_external_size("external32", 7, types[t].type, &room));
        CHECK(room > 0 && room <= (MPI_Aint)sizeof packed);
        OK(MPI_Pack_external("external32", data, 7, types[t].type, packed, room, &position));
        CHECK_EQ(position, room);
        if (is_integer(types[t].kind))
            for (int i = 0; i < 7; i++)
                CHECK_EQ(packed[(i + 1) * (room / 7) - 1], i + 1); /* the last byte is the lowest */
        memset(back, 0, sizeof back);
        position = 0;
        OK(MPI_Unpack_external("external32", packed, room, &position, back, 7, types[t].type));
        CHECK_EQ(position, room);
        for (int i = 0; i < 7; i++)
            if (!same_element(types[t].kind, data + i * types[t].extent, back + i * types[t].extent, types[t].extent))
                check_failed(__FILE__, __LINE__, "element %d of %s comes back another", i, types[t].name);
    }
    char word[8];
    MPI_Aint position = 0;
    CHECK(MPI_Pack_external("native", word, 1, MPI_INT, word, 8, &position) != MPI_SUCCESS);
}
#endif

/* Nothing, in many ways; and types that run backwards. */
static void bounds(void)
{
    MPI_Datatype type, inner;
    MPI_Aint lb, extent, places[2] = {-40, 16};
    MPI_Count true_lb, true_extent, bytes;
    int lengths[2] = {0, 0}, size_of;
    OK(MPI_Type_contiguous(0, MPI_DOUBLE, &type));
    OK(MPI_Type_size(type, &size_of));
    OK(MPI_Type_get_extent(type, &lb, &extent));
    CHECK(size_of == 0 && lb == 0 && extent == 0);
    OK(MPI_Type_free(&type));
    OK(MPI_Type_create_hindexed(2, lengths, places, MPI_DOUBLE, &type));
    OK(MPI_Type_size_x(type, &bytes));
    OK(MPI_Type_get_extent(type, &lb, &extent));
    CHECK(bytes == 0 && lb == 0 && extent == 0);
    OK(MPI_Type_free(&type));
    lengths[0] = lengths[1] = 1;
    OK(MPI_Type_create_hindexed(2, lengths, places, MPI_DOUBLE, &type));
    OK(MPI_Type_get_extent(type, &lb, &extent));
    CHECK(lb == -40 && extent == 64);
    OK(MPI_Type_free(&type));
    OK(MPI_Type_create_hvector(4, 2, -24, MPI_INT, &inner));
    OK(MPI_Type_create_resized(inner, -100, 300, &type));
    OK(MPI_Type_get_extent(type, &lb, &extent));
    OK(MPI_Type_get_true_extent_x(type, &true_lb, &true_extent));
    CHECK(lb == -100 && extent == 300 && true_lb == -72 && true_extent == 80);
    OK(MPI_Type_free(&inner));
    OK(MPI_Type_dup(type, &inner));
    OK(MPI_Type_get_extent(inner, &lb, &extent));
    CHECK(lb == -100 && extent == 300);
    OK(MPI_Type_free(&inner));
    OK(MPI_Type_free(&type));
    /* An extent below zero: the copies overlap backwards. */
    int array[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, packed[3], position = 0;
    OK(MPI_Type_create_resized(MPI_INT, 0, -8, &type));
    OK(MPI_Type_commit(&type));
    OK(MPI_Pack(array + 8, 3, type, packed, sizeof packed, &position, MPI_COMM_WORLD));
    CHECK(packed[0] == 8 && packed[1] == 6 && packed[2] == 4);
    OK(MPI_Type_free(&type));
}

/* Absolute addresses from MPI_BOTTOM, and arithmetic with them. */
MAYBE_UNUSED static void addresses(void)
{
    struct { int a; double b; char c[3]; } here = {5, 2.5, {'x', 'y', 'z'}}, there;
    const int lengths[3] = {3, 1, 1};
    MPI_Aint at[3], base;
    const MPI_Datatype parts[3] = {MPI_CHAR, MPI_INT, MPI_DOUBLE};
    char packed[32];
    int position = 0;
    MPI_Datatype type;
    OK(MPI_Get_address(&here, &base));
    OK(MPI_Get_address(here.c, &at[0]));
    OK(MPI_Get_address(&here.a, &at[1]));
    OK(MPI_Get_address(&here.b, &at[2]));
    CHECK_EQ(MPI_Aint_diff(at[0], base), (char *)here.c - (char *)&here);
    CHECK(MPI_Aint_add(base, 16) - base == 16);
    OK(MPI_Type_create_struct(3, lengths, at, parts, &type));
    OK(MPI_Type_commit(&type));
    OK(MPI_Pack(MPI_BOTTOM, 1, type, packed, sizeof packed, &position, MPI_COMM_WORLD));
    CHECK_EQ(position, 15);
    CHECK(memcmp(packed, "xyz", 3) == 0);
    there = here;
    memset(&here, 0, sizeof here);
    position = 0;
    OK(MPI_Unpack(packed, 15, &position, MPI_BOTTOM, 1, type, MPI_COMM_WORLD));
    CHECK(here.a == there.a && here.b == there.b && memcmp(here.c, there.c, 3) == 0);
    OK(MPI_Type_free(&type));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    darrays();
    subarrays();
    elements();
    type_sizes();
#ifdef RMASHM
    external();
#endif
    bounds();
#ifdef RMASHM /* MPICH's MPI_Pack takes MPI_BOTTOM for a null pointer */
    addresses();
#endif
    return check_end();
}
