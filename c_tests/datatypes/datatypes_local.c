/* ranks: 1; launcher: mpiexec */
/* Datatypes without communication: constructors, envelopes, contents, packing, external32, element counts, local
 * reductions (MPI 4.1 chapter 5, section 6.9). */
#include "check.h"

static void envelopes(void)
{
    MPI_Datatype vector, inner, types[1];
    int ni, na, nd, combiner, integers[3];
    MPI_Type_contiguous(2, MPI_INT, &inner);
    MPI_Type_vector(3, 2, -4, inner, &vector);
    MPI_Type_get_envelope(vector, &ni, &na, &nd, &combiner);
    CHECK(ni == 3 && na == 0 && nd == 1 && combiner == MPI_COMBINER_VECTOR);
    MPI_Type_get_contents(vector, 3, 0, 1, integers, NULL, types);
    CHECK(integers[0] == 3 && integers[1] == 2 && integers[2] == -4);
    MPI_Type_get_envelope(types[0], &ni, &na, &nd, &combiner);
    CHECK(ni == 1 && nd == 1 && combiner == MPI_COMBINER_CONTIGUOUS);
    MPI_Type_free(&types[0]);
    CHECK(types[0] == MPI_DATATYPE_NULL);
    MPI_Aint lb, extent;
    int bytes;
    MPI_Type_get_extent(vector, &lb, &extent);
    MPI_Type_size(vector, &bytes);
    CHECK(bytes == 48 && lb == -64 && extent == 80);
    MPI_Type_get_envelope(MPI_INT, &ni, &na, &nd, &combiner);
    CHECK(combiner == MPI_COMBINER_NAMED);
    MPI_Type_free(&vector);
    MPI_Type_free(&inner);
}

/* The extent of a struct of `n` elements of `member` and a char, at these places. */
static void check_bounds(MPI_Datatype member, int n, MPI_Aint at, MPI_Aint char_at, MPI_Aint low, MPI_Aint high)
{
    MPI_Datatype types[2] = { member, MPI_CHAR }, made;
    int lengths[2] = { n, 1 };
    MPI_Aint places[2] = { at, char_at }, lb = -1, extent = -1;
    MPI_Type_create_struct(2, lengths, places, types, &made);
    MPI_Type_get_extent(made, &lb, &extent);
    CHECK_EQ(lb, low);
    CHECK_EQ(lb + extent, high);
    MPI_Type_free(&made);
}

/* Bounds and alignment are those of the type map (MPI 4.1 section 5.1): a member without data has none, unless it was resized.
 * (MPICH takes its place for a bound, but not always.) */
static void bounds(void)
{
#ifdef RMASHM
    MPI_Datatype empty, sized, none;
    MPI_Type_contiguous(0, MPI_DOUBLE, &empty);
    MPI_Type_create_resized(empty, -3, 16, &sized);
    MPI_Type_vector(3, 0, 1, sized, &none);
    check_bounds(empty, 1, 0, -13, -13, -12);
    check_bounds(empty, 1, 100, 0, 0, 1);
    check_bounds(none, 2, 0, -13, -13, -12);
    check_bounds(sized, 1, 0, -13, -3, 13);
    MPI_Type_free(&empty);
    MPI_Type_free(&sized);
    MPI_Type_free(&none);
#endif
    check_bounds(MPI_DOUBLE, 0, 100, -13, -13, -12);
    check_bounds(MPI_INT, 1, 4, 1, 1, 9);
}

struct cell {
    double value;
    char kind;
    short pair[2];
};

static void packing(void)
{
    struct cell cells[5], back[5];
    int lengths[3] = { 1, 1, 2 };
    MPI_Aint places[3] = { offsetof(struct cell, value), offsetof(struct cell, kind), offsetof(struct cell, pair) };
    MPI_Datatype kinds[3] = { MPI_DOUBLE, MPI_CHAR, MPI_SHORT }, cell;
    MPI_Type_create_struct(3, lengths, places, kinds, &cell);
    MPI_Type_commit(&cell);
    MPI_Aint lb, extent;
    MPI_Type_get_extent(cell, &lb, &extent);
    CHECK(lb == 0 && extent == sizeof(struct cell));
    for (int i = 0; i < 5; i++) {
        cells[i].value = i * 1.5;
        cells[i].kind = (char)('a' + i);
        cells[i].pair[0] = (short)(-i);
        cells[i].pair[1] = (short)(300 * i);
    }
    int size, position = 0;
    char buffer[200];
    MPI_Pack_size(5, cell, MPI_COMM_WORLD, &size);
    CHECK(size >= 65 && size <= 200);
    MPI_Pack(cells, 5, cell, buffer, 200, &position, MPI_COMM_WORLD);
    CHECK(position == 65);
    position = 0;
    MPI_Unpack(buffer, 65, &position, back, 5, cell, MPI_COMM_WORLD);
#ifndef MPICH_VERSION /* MPICH 4.0.2 dies in external32 of a struct */
    MPI_Aint external = 0, external_size;
    char big[200];
    struct cell again[5];
    MPI_Pack_external_size("external32", 5, cell, &external_size);
    CHECK(external_size == 65);
    MPI_Pack_external("external32", cells, 5, cell, big, 200, &external);
    CHECK(external == 65);
    CHECK(big[13 + 0] == 0x3f && big[13 + 1] == (char)0xf8 && big[13 + 8] == 'b' && big[13 + 9] == (char)0xff);
    external = 0;
    MPI_Unpack_external("external32", big, 65, &external, again, 5, cell);
#endif
    for (int i = 0; i < 5; i++) {
        CHECK(back[i].value == cells[i].value && back[i].kind == cells[i].kind);
        CHECK(back[i].pair[0] == cells[i].pair[0] && back[i].pair[1] == cells[i].pair[1]);
#ifndef MPICH_VERSION
        CHECK(again[i].value == cells[i].value && again[i].kind == cells[i].kind);
        CHECK(again[i].pair[0] == cells[i].pair[0] && again[i].pair[1] == cells[i].pair[1]);
#endif
    }
    MPI_Status status;
    int count;
    MPI_Status_set_elements(&status, MPI_CHAR, 22);
    MPI_Get_elements(&status, cell, &count);
    CHECK(count == 6);
    MPI_Get_count(&status, cell, &count);
    CHECK(count == MPI_UNDEFINED);
    MPI_Status_set_elements(&status, MPI_CHAR, 26);
    MPI_Get_count(&status, cell, &count);
    CHECK(count == 2);
    MPI_Type_free(&cell);
}

static void large_counts(void)
{
    MPI_Datatype huge, rows;
    MPI_Count bytes, lb, extent;
    int small;
    MPI_Type_contiguous(1 << 30, MPI_DOUBLE, &huge);
    MPI_Type_size(huge, &small);
    CHECK(small == MPI_UNDEFINED);
    MPI_Type_vector_c(3, 1, (MPI_Count)1 << 33, MPI_INT, &rows);
    MPI_Type_size_c(rows, &bytes);
    MPI_Type_get_extent_c(rows, &lb, &extent);
    CHECK(bytes == 12 && lb == 0 && extent == ((MPI_Count)1 << 36) + 4);
    MPI_Count ni, na, nc, nd, counts[3];
    MPI_Datatype types[1];
    int combiner;
    MPI_Type_get_envelope_c(rows, &ni, &na, &nc, &nd, &combiner);
    CHECK(ni == 0 && na == 0 && nc == 3 && nd == 1 && combiner == MPI_COMBINER_VECTOR);
    MPI_Type_get_contents_c(rows, 0, 0, 3, 1, NULL, NULL, counts, types);
    CHECK(counts[0] == 3 && counts[1] == 1 && counts[2] == (MPI_Count)1 << 33 && types[0] == MPI_INT);
    MPI_Type_free(&huge);
    MPI_Type_free(&rows);
}

static void subtract(void *in, void *inout, int *n, MPI_Datatype *datatype)
{
    CHECK(*datatype == MPI_INT);
    for (int i = 0; i < *n; i++)
        ((int *)inout)[i] = ((int *)in)[i] - ((int *)inout)[i];
}

static void reductions(void)
{
    long double a[2] = { 1.25L, -3 }, b[2] = { 2, 1e300L };
    MPI_Reduce_local(a, b, 2, MPI_LONG_DOUBLE, MPI_PROD);
    CHECK(b[0] == 2.5L && b[1] == -3 * 1e300L);
    struct {
        double value;
        int place;
    } x[2] = { { 5, 3 }, { 7, 9 } }, y[2] = { { 5, 2 }, { 6, 1 } };
    MPI_Reduce_local(x, y, 2, MPI_DOUBLE_INT, MPI_MAXLOC);
    CHECK(y[0].place == 2 && y[1].value == 7 && y[1].place == 9);
    MPI_Op op;
    int in[3] = { 10, 20, 30 }, inout[3] = { 1, 2, 3 }, commute;
    MPI_Op_create(subtract, 0, &op);
    MPI_Op_commutative(op, &commute);
    CHECK(!commute);
    MPI_Reduce_local(in, inout, 3, MPI_INT, op);
    CHECK(inout[0] == 9 && inout[1] == 18 && inout[2] == 27);
    MPI_Op_free(&op);
    CHECK(op == MPI_OP_NULL);
}

static void misuse(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Datatype type = MPI_INT, uncommitted;
    int value = 0, other = 0, position = 0;
    CHECK_CLASS(MPI_Type_free(&type), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Type_contiguous(-1, MPI_INT, &type), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Type_size(MPI_DATATYPE_NULL, &value), MPI_ERR_TYPE);
    MPI_Type_contiguous(1, MPI_INT, &uncommitted);
    CHECK_CLASS(MPI_Pack(&value, 1, uncommitted, &other, 4, &position, MPI_COMM_WORLD), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Pack(&value, 1, MPI_INT, &other, 4, &position, MPI_COMM_NULL), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Pack(&value, -1, MPI_INT, &other, 4, &position, MPI_COMM_WORLD), MPI_ERR_COUNT);
#ifndef MPICH_VERSION /* MPICH 4.0.2 writes beyond the buffer */
    CHECK_CLASS(MPI_Pack(&value, 1, MPI_DOUBLE, &other, 4, &position, MPI_COMM_WORLD), MPI_ERR_ARG);
#endif
    CHECK(position == 0 && other == 0);
    CHECK_CLASS(MPI_Reduce_local(&value, &other, 1, MPI_INT, MPI_MAXLOC), MPI_ERR_OP);
    CHECK_CLASS(MPI_Reduce_local(&value, &other, 1, MPI_INT, MPI_OP_NULL), MPI_ERR_OP);
    MPI_Type_free(&uncommitted);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    envelopes();
    bounds();
    packing();
    large_counts();
    reductions();
    misuse();
    MPI_Finalize();
    return 0;
}
