/* ranks: 1 2 4; mpich: skip it has no MPI_Op_create_c, and no error for operations that are not defined */
/* Predefined operations on all types that MPI 4.1 section 6.9.2 allows, locally and among all; users' operations with small
 * and large counts, commutative and not. */
#include "check.h"
#include <complex.h>
#include <stdbool.h>

enum { N = 5 };

/* Every operation on `type` whose value is that of the C expression, small and large. */
#define TRY(type, ctype, op, expression)                                                      \
    do {                                                                                      \
        ctype in[N], out[N], wanted[N];                                                       \
        for (int i = 0; i < N; i++) {                                                         \
            ctype a = (ctype)(i + 2), b = (ctype)(7 - i);                                     \
            in[i] = a;                                                                        \
            out[i] = b;                                                                       \
            wanted[i] = (ctype)(expression);                                                  \
        }                                                                                     \
        OK(MPI_Reduce_local(in, out, N, type, op));                                           \
        for (int i = 0; i < N; i++)                                                           \
            CHECK(out[i] == wanted[i]);                                                       \
        for (int i = 0; i < N; i++)                                                           \
            out[i] = (ctype)(7 - i);                                                          \
        OK(MPI_Reduce_local_c(in, out, N, type, op));                                         \
        for (int i = 0; i < N; i++)                                                           \
            CHECK(out[i] == wanted[i]);                                                       \
        for (int i = 0; i < N; i++)                                                           \
            in[i] = (ctype)(rank + i);                                                        \
        OK(MPI_Allreduce(in, out, N, type, op, MPI_COMM_WORLD));                              \
    } while (0)

#define ARITHMETIC(type, ctype)                                                               \
    TRY(type, ctype, MPI_SUM, a + b);                                                         \
    TRY(type, ctype, MPI_PROD, a * b)
#define ORDER(type, ctype)                                                                    \
    TRY(type, ctype, MPI_MAX, a > b ? a : b);                                                 \
    TRY(type, ctype, MPI_MIN, a < b ? a : b)
#define LOGICAL(type, ctype)                                                                  \
    TRY(type, ctype, MPI_LAND, a && b);                                                       \
    TRY(type, ctype, MPI_LOR, a || b);                                                        \
    TRY(type, ctype, MPI_LXOR, !a != !b)
#define BITS(type, ctype)                                                                     \
    TRY(type, ctype, MPI_BAND, (uint64_t)a & (uint64_t)b);                                    \
    TRY(type, ctype, MPI_BOR, (uint64_t)a | (uint64_t)b);                                     \
    TRY(type, ctype, MPI_BXOR, (uint64_t)a ^ (uint64_t)b)
#define INTEGER(type, ctype)                                                                  \
    ARITHMETIC(type, ctype);                                                                  \
    ORDER(type, ctype);                                                                       \
    LOGICAL(type, ctype);                                                                     \
    BITS(type, ctype)
#define REAL(type, ctype)                                                                     \
    ARITHMETIC(type, ctype);                                                                  \
    ORDER(type, ctype)
#define FORTRAN(type, ctype)                                                                  \
    ARITHMETIC(type, ctype);                                                                  \
    ORDER(type, ctype);                                                                       \
    BITS(type, ctype)

static void integers(void)
{
    INTEGER(MPI_INT, int);
    INTEGER(MPI_LONG, long);
    INTEGER(MPI_SHORT, short);
    INTEGER(MPI_UNSIGNED_SHORT, unsigned short);
    INTEGER(MPI_UNSIGNED, unsigned);
    INTEGER(MPI_UNSIGNED_LONG, unsigned long);
    INTEGER(MPI_LONG_LONG_INT, long long);
    INTEGER(MPI_LONG_LONG, long long);
    INTEGER(MPI_UNSIGNED_LONG_LONG, unsigned long long);
    INTEGER(MPI_SIGNED_CHAR, signed char);
    INTEGER(MPI_UNSIGNED_CHAR, unsigned char);
    INTEGER(MPI_INT8_T, int8_t);
    INTEGER(MPI_INT16_T, int16_t);
    INTEGER(MPI_INT32_T, int32_t);
    INTEGER(MPI_INT64_T, int64_t);
    INTEGER(MPI_UINT8_T, uint8_t);
    INTEGER(MPI_UINT16_T, uint16_t);
    INTEGER(MPI_UINT32_T, uint32_t);
    INTEGER(MPI_UINT64_T, uint64_t);
    FORTRAN(MPI_AINT, MPI_Aint);
    FORTRAN(MPI_OFFSET, MPI_Offset);
    FORTRAN(MPI_COUNT, MPI_Count);
    FORTRAN(MPI_INTEGER, int);
    FORTRAN(MPI_INTEGER1, int8_t);
    FORTRAN(MPI_INTEGER2, int16_t);
    FORTRAN(MPI_INTEGER4, int32_t);
    FORTRAN(MPI_INTEGER8, int64_t);
    BITS(MPI_BYTE, unsigned char);
    LOGICAL(MPI_C_BOOL, bool);
    LOGICAL(MPI_CXX_BOOL, bool);
    LOGICAL(MPI_LOGICAL, int);
}

static void floats(void)
{
    REAL(MPI_FLOAT, float);
    REAL(MPI_DOUBLE, double);
    REAL(MPI_LONG_DOUBLE, long double);
    REAL(MPI_REAL, float);
    REAL(MPI_DOUBLE_PRECISION, double);
    REAL(MPI_REAL4, float);
    REAL(MPI_REAL8, double);
    ARITHMETIC(MPI_C_COMPLEX, float complex);
    ARITHMETIC(MPI_C_FLOAT_COMPLEX, float complex);
    ARITHMETIC(MPI_C_DOUBLE_COMPLEX, double complex);
    ARITHMETIC(MPI_C_LONG_DOUBLE_COMPLEX, long double complex);
    ARITHMETIC(MPI_COMPLEX, float complex);
    ARITHMETIC(MPI_DOUBLE_COMPLEX, double complex);
    ARITHMETIC(MPI_COMPLEX8, float complex);
    ARITHMETIC(MPI_COMPLEX16, double complex);
    ARITHMETIC(MPI_CXX_FLOAT_COMPLEX, float complex);
    ARITHMETIC(MPI_CXX_DOUBLE_COMPLEX, double complex);
    ARITHMETIC(MPI_CXX_LONG_DOUBLE_COMPLEX, long double complex);
}

#define PAIR(type, vtype, itype)                                                              \
    do {                                                                                      \
        struct {                                                                              \
            vtype value;                                                                      \
            itype at;                                                                         \
        } in[3], out[3];                                                                      \
        for (int most = 0; most < 2; most++) {                                                \
            for (int i = 0; i < 3; i++) {                                                     \
                in[i].value = 5;                                                              \
                in[i].at = 9;                                                                 \
                out[i].value = (vtype)(4 + i);                                                \
                out[i].at = 3;                                                                \
            }                                                                                 \
            OK(MPI_Reduce_local(in, out, 3, type, most ? MPI_MAXLOC : MPI_MINLOC));           \
            CHECK(out[0].value == (most ? 5 : 4) && out[0].at == (most ? 9 : 3));             \
            CHECK(out[1].value == 5 && out[1].at == 3);                                       \
            CHECK(out[2].value == (most ? 6 : 5) && out[2].at == (most ? 3 : 9));             \
        }                                                                                     \
        for (int i = 0; i < 3; i++) {                                                         \
            in[i].value = (vtype)((rank + i) % size);                                         \
            in[i].at = (itype)rank;                                                           \
        }                                                                                     \
        OK(MPI_Allreduce(in, out, 3, type, MPI_MAXLOC, MPI_COMM_WORLD));                      \
        for (int i = 0; i < 3; i++)                                                           \
            CHECK(out[i].value == size - 1 && out[i].at == (2 * size - 1 - i % size) % size); \
    } while (0)

static void pairs(void)
{
    PAIR(MPI_FLOAT_INT, float, int);
    PAIR(MPI_DOUBLE_INT, double, int);
    PAIR(MPI_LONG_INT, long, int);
    PAIR(MPI_2INT, int, int);
    PAIR(MPI_SHORT_INT, short, int);
    PAIR(MPI_LONG_DOUBLE_INT, long double, int);
    PAIR(MPI_2REAL, float, float);
    PAIR(MPI_2DOUBLE_PRECISION, double, double);
    PAIR(MPI_2INTEGER, int, int);
}

static void not_defined(void)
{
    char in[64] = {0}, out[64] = {0};
    CHECK_CLASS(MPI_Reduce_local(in, out, 1, MPI_DOUBLE, MPI_BAND), MPI_ERR_OP);
    CHECK_CLASS(MPI_Reduce_local(in, out, 1, MPI_C_COMPLEX, MPI_MAX), MPI_ERR_OP);
    CHECK_CLASS(MPI_Reduce_local(in, out, 1, MPI_C_COMPLEX, MPI_LAND), MPI_ERR_OP);
    CHECK_CLASS(MPI_Reduce_local(in, out, 1, MPI_BYTE, MPI_SUM), MPI_ERR_OP);
    CHECK_CLASS(MPI_Reduce_local(in, out, 1, MPI_INT, MPI_MAXLOC), MPI_ERR_OP);
    CHECK_CLASS(MPI_Reduce_local(in, out, 1, MPI_2INT, MPI_SUM), MPI_ERR_OP);
    CHECK_CLASS(MPI_Reduce_local(in, out, 1, MPI_C_BOOL, MPI_SUM), MPI_ERR_OP);
    CHECK_CLASS(MPI_Reduce_local(in, out, 1, MPI_LOGICAL, MPI_BAND), MPI_ERR_OP);
    CHECK_CLASS(MPI_Reduce_local(in, out, 1, MPI_PACKED, MPI_BAND), MPI_ERR_OP);
    CHECK_CLASS(MPI_Reduce_local(in, out, 1, MPI_INT, MPI_REPLACE), MPI_ERR_OP);
    CHECK_CLASS(MPI_Reduce_local(in, out, 1, MPI_INT, MPI_NO_OP), MPI_ERR_OP);
    CHECK_CLASS(MPI_Reduce_local(in, out, 1, MPI_INT, MPI_OP_NULL), MPI_ERR_OP);
    CHECK_CLASS(MPI_Reduce_local(in, out, -1, MPI_INT, MPI_SUM), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Reduce_local(in, out, 1, MPI_DATATYPE_NULL, MPI_SUM), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Reduce_local(NULL, out, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
}

/* Composition of functions x -> a * x + b, which is associative and does not commute. */
struct line {
    int64_t a, b;
};

static void compose(const struct line *in, struct line *inout, MPI_Count n)
{
    for (MPI_Count i = 0; i < n; i++) {
        struct line first = in[i], then = inout[i];
        inout[i].a = then.a * first.a;
        inout[i].b = then.a * first.b + then.b;
    }
}

static void small_compose(void *in, void *inout, int *len, MPI_Datatype *datatype)
{
    int bytes;
    OK(MPI_Type_size(*datatype, &bytes));
    CHECK_EQ(bytes, (int)sizeof(struct line));
    compose(in, inout, *len);
}

static void large_compose(void *in, void *inout, MPI_Count *len, MPI_Datatype *datatype)
{
    MPI_Count bytes;
    OK(MPI_Type_size_c(*datatype, &bytes));
    CHECK_EQ(bytes, (int)sizeof(struct line));
    compose(in, inout, *len);
}

static void of_users(int large, int count)
{
    MPI_Op op;
    MPI_Datatype line;
    int commutes = 9;
    struct line *in = calloc(count, sizeof *in), *out = calloc(count, sizeof *out);
    OK(MPI_Type_contiguous(2, MPI_INT64_T, &line));
    OK(MPI_Type_commit(&line));
    if (large)
        OK(MPI_Op_create_c(large_compose, 0, &op));
    else
        OK(MPI_Op_create(small_compose, 0, &op));
    OK(MPI_Op_commutative(op, &commutes));
    CHECK_EQ(commutes, 0);
    for (int i = 0; i < count; i++)
        in[i] = (struct line){2, rank + i};
    OK(MPI_Allreduce(in, out, count, line, op, MPI_COMM_WORLD));
    for (int i = 0; i < count; i++) {
        struct line wanted = {2, i};
        for (int r = 1; r < size; r++) {
            struct line next = {2, r + i};
            compose(&wanted, &next, 1);
            wanted = next;
        }
        CHECK(out[i].a == wanted.a && out[i].b == wanted.b);
    }
    OK(MPI_Scan(in, out, count, line, op, MPI_COMM_WORLD));
    CHECK_EQ(out[0].a, (int64_t)1 << (rank + 1));
    OK(MPI_Op_free(&op));
    CHECK(op == MPI_OP_NULL);
    OK(MPI_Type_free(&line));
    free(in);
    free(out);
}

static void properties(void)
{
    MPI_Op predefined[] = {MPI_MAX, MPI_MIN, MPI_SUM, MPI_PROD, MPI_LAND, MPI_BAND, MPI_LOR, MPI_BOR, MPI_LXOR,
                           MPI_BXOR, MPI_MINLOC, MPI_MAXLOC};
    int commutes;
    for (size_t i = 0; i < sizeof predefined / sizeof *predefined; i++) {
        MPI_Op op = predefined[i];
        commutes = 0;
        OK(MPI_Op_commutative(op, &commutes));
        CHECK(commutes);
        CHECK_CLASS(MPI_Op_free(&op), MPI_ERR_OP);
    }
    MPI_Op op = MPI_OP_NULL;
    CHECK_CLASS(MPI_Op_free(&op), MPI_ERR_OP);
    CHECK_CLASS(MPI_Op_commutative(MPI_OP_NULL, &commutes), MPI_ERR_OP);
    CHECK_CLASS(MPI_Op_create(NULL, 1, &op), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Op_create_c(NULL, 1, &op), MPI_ERR_ARG);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    integers();
    floats();
    pairs();
    not_defined();
    of_users(0, 1);
    of_users(1, 3);
    of_users(1, 5000);
    of_users(0, 5000);
    properties();
    return check_end();
}
