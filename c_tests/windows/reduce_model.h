/* What the predefined operations do to one element: written out plainly, to hold MPI's results against. */
#ifndef REDUCE_MODEL_H
#define REDUCE_MODEL_H

#include "types.h"

struct op {
    const char *name;
    MPI_Op op;
};

#define OP_COUNT 14

static struct op all_ops[OP_COUNT] MAYBE_UNUSED = {
    { "MPI_MAX", MPI_MAX },   { "MPI_MIN", MPI_MIN },       { "MPI_SUM", MPI_SUM },       { "MPI_PROD", MPI_PROD },
    { "MPI_LAND", MPI_LAND }, { "MPI_BAND", MPI_BAND },     { "MPI_LOR", MPI_LOR },       { "MPI_BOR", MPI_BOR },
    { "MPI_LXOR", MPI_LXOR }, { "MPI_BXOR", MPI_BXOR },     { "MPI_MAXLOC", MPI_MAXLOC }, { "MPI_MINLOC", MPI_MINLOC },
    { "MPI_REPLACE", MPI_REPLACE }, { "MPI_NO_OP", MPI_NO_OP },
};

/* MPI allows this operation on elements of this kind (MPI 4.1 section 6.9.2, 12.3.4). */
MAYBE_UNUSED static int is_allowed(MPI_Op op, enum kind kind)
{
    if (op == MPI_REPLACE || op == MPI_NO_OP)
        return 1;
    if (op == MPI_MAXLOC || op == MPI_MINLOC)
        return is_pair(kind);
    if (op == MPI_MAX || op == MPI_MIN)
        return is_integer(kind) || is_real(kind);
    if (op == MPI_SUM || op == MPI_PROD)
        return is_integer(kind) || is_real(kind) || is_complex(kind);
    if (op == MPI_LAND || op == MPI_LOR || op == MPI_LXOR)
        return is_integer(kind) || is_logical(kind);
    return is_integer(kind) || kind == BYTE8;
}

#define ORDER(a, b)                                                                   \
    if (op == MPI_MAX) { *a = *a > *b ? *a : *b; return; }                            \
    if (op == MPI_MIN) { *a = *a < *b ? *a : *b; return; }
#define ARITHMETIC(T, a, b)                                                           \
    if (op == MPI_SUM) { *a = (T)(*a + *b); return; }                                 \
    if (op == MPI_PROD) { *a = (T)(*a * *b); return; }
#define LOGIC(a, b)                                                                   \
    if (op == MPI_LAND) { *a = *a && *b; return; }                                    \
    if (op == MPI_LOR) { *a = *a || *b; return; }                                     \
    if (op == MPI_LXOR) { *a = !*a != !*b; return; }
#define BITS(T, a, b)                                                                 \
    if (op == MPI_BAND) { *a = (T)(*a & *b); return; }                                \
    if (op == MPI_BOR) { *a = (T)(*a | *b); return; }                                 \
    if (op == MPI_BXOR) { *a = (T)(*a ^ *b); return; }
#define PAIR(T, a, b)                                                                 \
    if (a->value == b->value) { a->index = a->index < b->index ? a->index : b->index; return; } \
    if (op == MPI_MAXLOC ? b->value > a->value : b->value < a->value) *a = *b;        \
    return;

#define CASE(KIND, T, ...) case KIND: { T *a = target; const T *b = origin; __VA_ARGS__ (void)a; (void)b; break; }
#define INTEGER_CASE(KIND, T) CASE(KIND, T, ORDER(a, b) ARITHMETIC(T, a, b) LOGIC(a, b) BITS(T, a, b))
#define REAL_CASE(KIND, T) CASE(KIND, T, ORDER(a, b) ARITHMETIC(T, a, b))
#define PAIR_CASE(KIND, T) CASE(KIND, T, PAIR(T, a, b))

/* target = target op origin, for one element. */
MAYBE_UNUSED static void model(MPI_Op op, enum kind kind, size_t extent, void *target, const void *origin)
{
    if (op == MPI_NO_OP)
        return;
    if (op == MPI_REPLACE) {
        memcpy(target, origin, extent);
        return;
    }
    switch (kind) {
        INTEGER_CASE(I8, int8_t)
        INTEGER_CASE(U8, uint8_t)
        INTEGER_CASE(I16, int16_t)
        INTEGER_CASE(U16, uint16_t)
        INTEGER_CASE(I32, int32_t)
        INTEGER_CASE(U32, uint32_t)
        INTEGER_CASE(I64, int64_t)
        INTEGER_CASE(U64, uint64_t)
        REAL_CASE(F32, float)
        REAL_CASE(F64, double)
        REAL_CASE(F80, long double)
        CASE(C32, float _Complex, ARITHMETIC(float _Complex, a, b))
        CASE(C64, double _Complex, ARITHMETIC(double _Complex, a, b))
        CASE(C80, long double _Complex, ARITHMETIC(long double _Complex, a, b))
        CASE(BOOL8, bool, LOGIC(a, b))
        CASE(BOOL32, int32_t, LOGIC(a, b))
        CASE(BYTE8, uint8_t, BITS(uint8_t, a, b))
        PAIR_CASE(PAIR_FLOAT, struct pair_float)
        PAIR_CASE(PAIR_DOUBLE, struct pair_double)
        PAIR_CASE(PAIR_LONG, struct pair_long)
        PAIR_CASE(PAIR_INT, struct pair_int)
        PAIR_CASE(PAIR_SHORT, struct pair_short)
        PAIR_CASE(PAIR_LONG_DOUBLE, struct pair_long_double)
    case TEXT:
        break;
    }
    check_failed(__FILE__, __LINE__, "the model has no such operation on kind %d", (int)kind);
}

/* Writes a small value of this kind, made of `number`: sums and products of a few stay exact in every kind. */
MAYBE_UNUSED static void set_element(enum kind kind, size_t extent, void *element, uint64_t number)
{
    int n = (int)(number % 3);
    memset(element, 0, extent);
    switch (kind) {
    case I8: case U8: case BYTE8: case TEXT: *(uint8_t *)element = (uint8_t)n; return;
    case I16: case U16: *(uint16_t *)element = (uint16_t)n; return;
    case I32: case U32: *(uint32_t *)element = (uint32_t)n; return;
    case I64: case U64: *(uint64_t *)element = (uint64_t)n; return;
    case F32: *(float *)element = (float)n; return;
    case F64: *(double *)element = n; return;
    case F80: *(long double *)element = n; return;
    case C32: *(float _Complex *)element = (float)n + (float)(number % 2) * I; return;
    case C64: *(double _Complex *)element = n + (double)(number % 2) * I; return;
    case C80: *(long double _Complex *)element = n + (long double)(number % 2) * I; return;
    case BOOL8: *(bool *)element = n % 2; return;
    case BOOL32: *(int32_t *)element = n % 2; return;
#define SET_PAIR(KIND, T)                                                             \
    case KIND: ((T *)element)->value = n; ((T *)element)->index = (int)(number % 7); return;
    SET_PAIR(PAIR_FLOAT, struct pair_float)
    SET_PAIR(PAIR_DOUBLE, struct pair_double)
    SET_PAIR(PAIR_LONG, struct pair_long)
    SET_PAIR(PAIR_INT, struct pair_int)
    SET_PAIR(PAIR_SHORT, struct pair_short)
    SET_PAIR(PAIR_LONG_DOUBLE, struct pair_long_double)
#undef SET_PAIR
    }
}

#endif
