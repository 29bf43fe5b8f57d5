/* ranks: 1 2 */
/* Datatypes that this interface has beside MPICH's: sizes, names, reductions, updates, packing. */
#include "check.h"

#define LOGICAL(type, ctype)                                                                            \
    do {                                                                                                \
        ctype in[3] = { 0, 7, (ctype)-1 }, out[3] = { 1, 0, 3 }, back[3], both[6];                      \
        int bytes_, at = 0;                                                                             \
        char name[MPI_MAX_OBJECT_NAME], packed[64];                                                     \
        MPI_Aint lb, extent;                                                                            \
        OK(MPI_Type_size(type, &bytes_));                                                               \
        CHECK_EQ(bytes_, sizeof(ctype));                                                                \
        OK(MPI_Type_get_extent(type, &lb, &extent));                                                    \
        CHECK_EQ(extent, sizeof(ctype));                                                                \
        OK(MPI_Type_get_name(type, name, &bytes_));                                                     \
        CHECK(!strcmp(name, #type));                                                                    \
        OK(MPI_Reduce_local(in, out, 3, type, MPI_LOR));                                                \
        CHECK(out[0] == 1 && out[1] == 1 && out[2] == 1);                                               \
        OK(MPI_Reduce_local(in, out, 3, type, MPI_LAND));                                               \
        CHECK(out[0] == 0 && out[1] == 1 && out[2] == 1);                                               \
        OK(MPI_Reduce_local(in, out, 3, type, MPI_LXOR));                                               \
        CHECK(out[0] == 0 && out[1] == 0 && out[2] == 0);                                               \
        OK(MPI_Allreduce(MPI_IN_PLACE, in, 3, type, MPI_LAND, MPI_COMM_WORLD));                         \
        CHECK(in[0] == 0 && in[1] != 0 && in[2] != 0);                                                  \
        OK(MPI_Pack(in, 3, type, packed, sizeof packed, &at, MPI_COMM_WORLD));                          \
        CHECK_EQ(at, sizeof in);                                                                        \
        at = 0;                                                                                         \
        OK(MPI_Unpack(packed, sizeof packed, &at, back, 3, type, MPI_COMM_WORLD));                      \
        CHECK_BYTES(back, in, sizeof in);                                                               \
        CHECK_EQ(MPI_Reduce_local(in, out, 3, type, MPI_SUM), MPI_ERR_OP);                              \
        CHECK_EQ(MPI_Reduce_local(in, out, 3, type, MPI_MAX), MPI_ERR_OP);                              \
        MPI_Aint position = 0;                                                                          \
        OK(MPI_Pack_external("external32", in, 3, type, packed, sizeof packed, &position));             \
        CHECK_EQ(position, sizeof in);                                                                  \
        OK(MPI_Sendrecv(in, 3, type, peer, 1, both, 6, type, from, 1, MPI_COMM_WORLD, &status));        \
        OK(MPI_Get_count(&status, type, &bytes_));                                                      \
        CHECK_EQ(bytes_, 3);                                                                            \
        update(type, sizeof(ctype));                                                                    \
    } while (0)

static MPI_Win win;
static unsigned char *memory;

/* Logical updates and replacements in a window, and what was there. */
static void update(MPI_Datatype type, size_t bytes)
{
    unsigned char one[16] = { 1 }, was[16];
    memset(memory, 0, 64);
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win));
    OK(MPI_Accumulate(one, 1, type, rank, 0, 1, type, MPI_LOR, win));
    OK(MPI_Fetch_and_op(one, was, type, rank, 0, MPI_REPLACE, win));
    OK(MPI_Win_flush(rank, win));
    CHECK_BYTES(was, one, bytes);
    OK(MPI_Win_unlock(rank, win));
    CHECK_BYTES(memory, one, bytes);
}

int main(int argc, char **argv)
{
    MPI_Status status;
    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    int peer = (rank + 1) % size, from = (rank + size - 1) % size;
    OK(MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
    LOGICAL(MPI_LOGICAL1, int8_t);
    LOGICAL(MPI_LOGICAL2, int16_t);
    LOGICAL(MPI_LOGICAL4, int32_t);
    LOGICAL(MPI_LOGICAL8, int64_t);
    OK(MPI_Win_free(&win));

    /* Pairs of complex numbers: there is no operation for them. */
    float four[4] = { 1, 2, 3, 4 }, other[4] = { 0 };
    double eight[4] = { 1, 2, 3, 4 }, back[4] = { 0 };
    unsigned char external[64];
    MPI_Aint at = 0;
    int bytes;
    OK(MPI_Type_size(MPI_2COMPLEX, &bytes));
    CHECK_EQ(bytes, 16);
    OK(MPI_Type_size(MPI_2DOUBLE_COMPLEX, &bytes));
    CHECK_EQ(bytes, 32);
    OK(MPI_Sendrecv(four, 1, MPI_2COMPLEX, peer, 1, other, 1, MPI_2COMPLEX, from, 1, MPI_COMM_WORLD, &status));
    CHECK_BYTES(other, four, sizeof four);
    OK(MPI_Pack_external("external32", eight, 1, MPI_2DOUBLE_COMPLEX, external, sizeof external, &at));
    CHECK_EQ(at, 32);
    CHECK(external[0] == 0x3f && external[1] == 0xf0 && external[24] == 0x40 && external[25] == 0x10);
    at = 0;
    OK(MPI_Unpack_external("external32", external, 32, &at, back, 1, MPI_2DOUBLE_COMPLEX));
    CHECK_BYTES(back, eight, sizeof eight);
    CHECK_EQ(MPI_Reduce_local(four, other, 1, MPI_2COMPLEX, MPI_SUM), MPI_ERR_OP);
    CHECK_EQ(MPI_Reduce_local(four, other, 1, MPI_2COMPLEX, MPI_MAXLOC), MPI_ERR_OP);

    /* Other names of datatypes. */
    CHECK(MPI_C_COMPLEX == MPI_C_FLOAT_COMPLEX);
    CHECK(MPI_LONG_LONG == MPI_LONG_LONG_INT);
    CHECK(MPI_CXX_COMPLEX == MPI_CXX_FLOAT_COMPLEX);
    CHECK(MPI_Type_f2c(MPI_Type_c2f(MPI_LOGICAL8)) == MPI_LOGICAL8);

    /* Objects that the header declares and has no macro of. */
    OK(MPI_Type_size((MPI_Datatype)&ompi_mpi_ldblcplex, &bytes));
    CHECK_EQ(bytes, 32);
    OK(MPI_Type_size((MPI_Datatype)&ompi_mpi_integer16, &bytes));
    CHECK_EQ(bytes, 16);
    OK(MPI_Type_size((MPI_Datatype)&ompi_mpi_real2, &bytes));
    CHECK_EQ(bytes, 2);
    extern char ompi_mpi_unavailable[512];
    CHECK_EQ(MPI_Type_size((MPI_Datatype)ompi_mpi_unavailable, &bytes), MPI_ERR_TYPE);
    CHECK_EQ(MPI_Send(four, 1, (MPI_Datatype)ompi_mpi_unavailable, MPI_PROC_NULL, 0, MPI_COMM_SELF), MPI_ERR_TYPE);
    OK(MPI_Finalize());
    return 0;
}
