/* The predefined datatypes, by what can be done with them. */
#ifndef TYPES_H
#define TYPES_H

#include "check.h"

#include <complex.h>
#include <stdbool.h>
#include <wchar.h>

/* What an element is: each kind has a model in C, see reduce_model.h. */
enum kind {
    I8, U8, I16, U16, I32, U32, I64, U64, F32, F64, F80, C32, C64, C80, BOOL8, BOOL32, BYTE8, TEXT,
    PAIR_FLOAT, PAIR_DOUBLE, PAIR_LONG, PAIR_INT, PAIR_SHORT, PAIR_LONG_DOUBLE
};

struct type {
    const char *name;
    MPI_Datatype type;
    enum kind kind;
    size_t extent;
};

#define SIGNED(T) (sizeof(T) == 1 ? I8 : sizeof(T) == 2 ? I16 : sizeof(T) == 4 ? I32 : I64)
#define UNSIGNED(T) (sizeof(T) == 1 ? U8 : sizeof(T) == 2 ? U16 : sizeof(T) == 4 ? U32 : U64)
#define TYPE(type, T, kind) { #type, type, kind, sizeof(T) }

struct pair_float { float value; int index; };
struct pair_double { double value; int index; };
struct pair_long { long value; int index; };
struct pair_int { int value; int index; };
struct pair_short { short value; int index; };
struct pair_long_double { long double value; int index; };

#define TYPE_COUNT_MAX 80

/* Fills `types` and returns their number; those of Fortran are left out if this MPI has none. */
MAYBE_UNUSED static int all_types(struct type types[TYPE_COUNT_MAX])
{
    const struct type all[] = {
        TYPE(MPI_CHAR, char, TEXT),
        TYPE(MPI_SIGNED_CHAR, signed char, I8),
        TYPE(MPI_UNSIGNED_CHAR, unsigned char, U8),
        TYPE(MPI_SHORT, short, I16),
        TYPE(MPI_UNSIGNED_SHORT, unsigned short, U16),
        TYPE(MPI_INT, int, I32),
        TYPE(MPI_UNSIGNED, unsigned, U32),
        TYPE(MPI_LONG, long, SIGNED(long)),
        TYPE(MPI_UNSIGNED_LONG, unsigned long, UNSIGNED(long)),
        TYPE(MPI_LONG_LONG_INT, long long, I64),
        TYPE(MPI_LONG_LONG, long long, I64),
        TYPE(MPI_UNSIGNED_LONG_LONG, unsigned long long, U64),
        TYPE(MPI_FLOAT, float, F32),
        TYPE(MPI_DOUBLE, double, F64),
        TYPE(MPI_LONG_DOUBLE, long double, F80),
        TYPE(MPI_WCHAR, wchar_t, TEXT),
        TYPE(MPI_C_BOOL, bool, BOOL8),
        TYPE(MPI_INT8_T, int8_t, I8),
        TYPE(MPI_INT16_T, int16_t, I16),
        TYPE(MPI_INT32_T, int32_t, I32),
        TYPE(MPI_INT64_T, int64_t, I64),
        TYPE(MPI_UINT8_T, uint8_t, U8),
        TYPE(MPI_UINT16_T, uint16_t, U16),
        TYPE(MPI_UINT32_T, uint32_t, U32),
        TYPE(MPI_UINT64_T, uint64_t, U64),
        TYPE(MPI_AINT, MPI_Aint, SIGNED(MPI_Aint)),
        TYPE(MPI_COUNT, MPI_Count, SIGNED(MPI_Count)),
        TYPE(MPI_OFFSET, MPI_Offset, SIGNED(MPI_Offset)),
        TYPE(MPI_C_COMPLEX, float _Complex, C32),
        TYPE(MPI_C_FLOAT_COMPLEX, float _Complex, C32),
        TYPE(MPI_C_DOUBLE_COMPLEX, double _Complex, C64),
        TYPE(MPI_C_LONG_DOUBLE_COMPLEX, long double _Complex, C80),
        TYPE(MPI_BYTE, unsigned char, BYTE8),
        TYPE(MPI_FLOAT_INT, struct pair_float, PAIR_FLOAT),
        TYPE(MPI_DOUBLE_INT, struct pair_double, PAIR_DOUBLE),
        TYPE(MPI_LONG_INT, struct pair_long, PAIR_LONG),
        TYPE(MPI_2INT, struct pair_int, PAIR_INT),
        TYPE(MPI_SHORT_INT, struct pair_short, PAIR_SHORT),
        TYPE(MPI_LONG_DOUBLE_INT, struct pair_long_double, PAIR_LONG_DOUBLE),
        TYPE(MPI_INTEGER, int, I32),
        TYPE(MPI_REAL, float, F32),
        TYPE(MPI_DOUBLE_PRECISION, double, F64),
        TYPE(MPI_COMPLEX, float _Complex, C32),
        TYPE(MPI_DOUBLE_COMPLEX, double _Complex, C64),
        TYPE(MPI_LOGICAL, int, BOOL32),
        TYPE(MPI_CHARACTER, char, TEXT),
        TYPE(MPI_INTEGER1, int8_t, I8),
        TYPE(MPI_INTEGER2, int16_t, I16),
        TYPE(MPI_INTEGER4, int32_t, I32),
        TYPE(MPI_INTEGER8, int64_t, I64),
        TYPE(MPI_REAL4, float, F32),
        TYPE(MPI_REAL8, double, F64),
        TYPE(MPI_COMPLEX8, float _Complex, C32),
        TYPE(MPI_COMPLEX16, double _Complex, C64),
    };
    int count = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].type != MPI_DATATYPE_NULL)
            types[count++] = all[i];
    return count;
}

MAYBE_UNUSED static int is_integer(enum kind kind) { return kind <= U64; }
MAYBE_UNUSED static int is_real(enum kind kind) { return kind == F32 || kind == F64 || kind == F80; }
MAYBE_UNUSED static int is_complex(enum kind kind) { return kind == C32 || kind == C64 || kind == C80; }
MAYBE_UNUSED static int is_logical(enum kind kind) { return kind == BOOL8 || kind == BOOL32; }
MAYBE_UNUSED static int is_pair(enum kind kind) { return kind >= PAIR_FLOAT; }

/* Equal as values of this kind: long double and pairs have padding, and a zero may have a sign. */
MAYBE_UNUSED static int same_element(enum kind kind, const void *a, const void *b, size_t extent)
{
    switch (kind) {
#define SAME(KIND, T)                                                                 \
    case KIND:                                                                        \
        return *(const T *)a == *(const T *)b;
        SAME(F32, float)
        SAME(F64, double)
        SAME(F80, long double)
        SAME(C32, float _Complex)
        SAME(C64, double _Complex)
        SAME(C80, long double _Complex)
#undef SAME
#define SAME_PAIR(KIND, T)                                                            \
    case KIND:                                                                        \
        return ((const T *)a)->value == ((const T *)b)->value && ((const T *)a)->index == ((const T *)b)->index;
        SAME_PAIR(PAIR_FLOAT, struct pair_float)
        SAME_PAIR(PAIR_DOUBLE, struct pair_double)
        SAME_PAIR(PAIR_LONG, struct pair_long)
        SAME_PAIR(PAIR_INT, struct pair_int)
        SAME_PAIR(PAIR_SHORT, struct pair_short)
        SAME_PAIR(PAIR_LONG_DOUBLE, struct pair_long_double)
#undef SAME_PAIR
    default:
        return memcmp(a, b, extent) == 0;
    }
}

#endif
