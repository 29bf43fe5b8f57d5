/* ranks: 1 2 4; seconds: 60; mpich: skip ROMIO has no own representations, and external32 with C's sizes of elements; wrong: representations differ from rank to rank, on purpose */
/* Data representations (MPI 4.1 section 14.5): what external32 puts into a file and where, by all kinds of accesses; extents in the
 * file; representations of the program's own with their functions, and what is refused. */
#include "check.h"
#include <unistd.h>
#include <wchar.h>

static char name[64], common[64];

static MPI_File open_alone(void)
{
    MPI_File file;
    OK(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file));
    return file;
}

static long load(const char *path, unsigned char *bytes, long room)
{
    FILE *stream = fopen(path, "rb");
    CHECK(stream != NULL);
    long length = (long)fread(bytes, 1, (size_t)room, stream);
    fclose(stream);
    return length;
}

/* The `bytes` low bytes of a number with the highest first. */
static void put(unsigned char *to, int64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        to[i] = (unsigned char)((uint64_t)value >> (8 * (bytes - 1 - i)));
}

static void check_count(MPI_Status *status, MPI_Datatype datatype, long wanted)
{
    int count = -1;
    OK(MPI_Get_count(status, datatype, &count));
    CHECK_EQ(count, wanted);
}

static void check_extent(MPI_File file, MPI_Datatype datatype, long wanted)
{
    MPI_Aint extent = -1;
    MPI_Count large = -1;
    OK(MPI_File_get_type_extent(file, datatype, &extent));
    CHECK_EQ(extent, wanted);
    OK(MPI_File_get_type_extent_c(file, datatype, &large));
    CHECK_EQ(large, wanted);
}

static void extents(void)
{
    MPI_File file = open_alone();
    MPI_Datatype types[] = {MPI_CHAR, MPI_SHORT, MPI_INT, MPI_LONG, MPI_UNSIGNED_LONG, MPI_LONG_LONG, MPI_FLOAT, MPI_DOUBLE,
                            MPI_LONG_DOUBLE, MPI_WCHAR, MPI_AINT, MPI_OFFSET, MPI_C_DOUBLE_COMPLEX, MPI_DOUBLE_INT, MPI_LONG_INT,
                            MPI_SHORT_INT, MPI_C_BOOL, MPI_INT16_T, MPI_PACKED};
    int sizes[] = {1, 2, 4, 4, 4, 8, 4, 8, 16, 2, 8, 8, 16, 12, 8, 6, 1, 2, 1};
    OK(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "external32", MPI_INFO_NULL));
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
        check_extent(file, types[i], sizes[i]);
    MPI_Datatype vector, bytes, both;
    int lengths[] = {1, 1};
    MPI_Aint displacements[] = {0, 8};
    MPI_Datatype parts[] = {MPI_CHAR, MPI_LONG};
    OK(MPI_Type_vector(3, 1, 2, MPI_LONG, &vector));
    check_extent(file, vector, 20);
    OK(MPI_Type_create_hvector(3, 1, 16, MPI_LONG, &bytes));
    check_extent(file, bytes, 36);
    OK(MPI_Type_create_struct(2, lengths, displacements, parts, &both));
    check_extent(file, both, 12);
    OK(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    check_extent(file, vector, 40);
    check_extent(file, both, 16);
    OK(MPI_Type_free(&vector));
    OK(MPI_Type_free(&bytes));
    OK(MPI_Type_free(&both));
    OK(MPI_File_close(&file));
}

/* Elements of all sizes in one datatype, more than a buffer takes. */
static void mixed(void)
{
    enum { N = 300000, EACH = 1 + 4 + 8 + 2 + 12 };
    struct element {
        char c;
        long l;
        double d;
        wchar_t w;
        struct {
            double value;
            int index;
        } pair;
    } *data = calloc(N, sizeof *data), *back = calloc(N, sizeof *back);
    int lengths[] = {1, 1, 1, 1, 1};
    MPI_Aint displacements[] = {offsetof(struct element, c), offsetof(struct element, l), offsetof(struct element, d),
                                offsetof(struct element, w), offsetof(struct element, pair)};
    MPI_Datatype parts[] = {MPI_CHAR, MPI_LONG, MPI_DOUBLE, MPI_WCHAR, MPI_DOUBLE_INT}, bare, element, etype;
    MPI_Aint packed[] = {0, 1, 5, 13, 15};
    MPI_Status status;
    unsigned char *wanted = malloc(N * EACH), *is = malloc(N * EACH + 1);
    OK(MPI_Type_create_struct(5, lengths, displacements, parts, &bare));
    OK(MPI_Type_create_resized(bare, 0, sizeof *data, &element));
    OK(MPI_Type_commit(&element));
    OK(MPI_Type_create_struct(5, lengths, packed, parts, &etype));
    OK(MPI_Type_commit(&etype));
    for (int i = 0; i < N; i++) {
        unsigned char *to = wanted + (size_t)i * EACH;
        int64_t bits;
        data[i].c = (char)i;
        data[i].l = -7L * i;
        data[i].d = i / 3.0;
        data[i].w = i % 60000;
        data[i].pair.value = -i / 7.0;
        data[i].pair.index = i * 1000;
        put(to, data[i].c, 1);
        put(to + 1, data[i].l, 4);
        memcpy(&bits, &data[i].d, 8);
        put(to + 5, bits, 8);
        put(to + 13, data[i].w, 2);
        memcpy(&bits, &data[i].pair.value, 8);
        put(to + 15, bits, 8);
        put(to + 23, data[i].pair.index, 4);
    }
    MPI_File file = open_alone();
    OK(MPI_File_set_view(file, 0, etype, etype, "external32", MPI_INFO_NULL));
    OK(MPI_File_write(file, data, N, element, &status));
    check_count(&status, element, N);
    CHECK_EQ(load(name, is, N * EACH + 1), N * EACH);
    CHECK_BYTES(is, wanted, N * EACH);
    MPI_Offset position = -1;
    OK(MPI_File_get_position(file, &position));
    CHECK_EQ(position, N);
    OK(MPI_File_seek(file, -N, MPI_SEEK_END));
    OK(MPI_File_read(file, back, N, element, &status));
    check_count(&status, element, N);
    CHECK_BYTES(back, data, N * sizeof *data);
    /* Not the whole of an element is there. */
    OK(MPI_File_set_size(file, (N - 1) * (MPI_Offset)EACH + 7));
    memset(back, 0, N * sizeof *back);
    OK(MPI_File_read_at(file, 1, back, N, element, &status));
    CHECK_BYTES(back, data + 1, (N - 2) * sizeof *data);
    CHECK(back[N - 2].c == data[N - 1].c && back[N - 2].l == data[N - 1].l && back[N - 2].d == 0);
    MPI_Count elements = -1;
    OK(MPI_Get_elements_x(&status, element, &elements));
    CHECK_EQ(elements, (N - 2) * 6L + 2);
    OK(MPI_File_close(&file));
    OK(MPI_Type_free(&bare));
    OK(MPI_Type_free(&element));
    OK(MPI_Type_free(&etype));
    free(data);
    free(back);
    free(wanted);
    free(is);
}

/* Each rank has every size-th long of the file, and moves it in every way. */
static void interleaved(int way)
{
    enum { N = 5000 };
    MPI_File file;
    MPI_Datatype tile, one, gaps;
    MPI_Status status;
    MPI_Request request;
    long *data = malloc(2 * N * sizeof *data), *back = malloc(2 * N * sizeof *back);
    int at = 1, last = size - 1;
    OK(MPI_File_open(MPI_COMM_WORLD, common, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file));
    /* Portable: every size-th element, whatever the elements' size in the file. */
    OK(MPI_Type_create_subarray(1, &size, &at, &rank, MPI_ORDER_C, MPI_LONG, &one));
    OK(MPI_Type_dup(one, &tile));
    OK(MPI_Type_commit(&tile));
    OK(MPI_Type_create_resized(MPI_LONG, 0, 2 * sizeof(long), &gaps));
    OK(MPI_Type_commit(&gaps));
    OK(MPI_File_set_view(file, 12, MPI_LONG, tile, "external32", MPI_INFO_NULL));
    for (int i = 0; i < 2 * N; i++)
        data[i] = i % 2 == 0 ? -1000L * rank - i : 0;
    memset(back, 0, 2 * N * sizeof *back);
    MPI_Offset offset = -1;
    OK(MPI_File_get_byte_offset(file, 3, &offset));
    CHECK_EQ(offset, 12 + 4 * (3 * size + rank));
    switch (way) {
    case 0:
        OK(MPI_File_write_at(file, 0, data, N, gaps, &status));
        barrier();
        OK(MPI_File_read_at(file, 0, back, N, gaps, &status));
        break;
    case 1:
        OK(MPI_File_write_at_all(file, 0, data, N, gaps, &status));
        OK(MPI_File_read_at_all(file, 0, back, N, gaps, &status));
        break;
    case 2:
        OK(MPI_File_write_all(file, data, N, gaps, &status));
        OK(MPI_File_seek(file, 0, MPI_SEEK_SET));
        OK(MPI_File_read_all(file, back, N, gaps, &status));
        break;
    case 3:
        OK(MPI_File_iwrite_at(file, 0, data, N, gaps, &request));
        OK(MPI_Wait(&request, &status));
        OK(MPI_File_iread_at_all(file, 0, back, N, gaps, &request));
        OK(MPI_Wait(&request, &status));
        break;
    case 4:
        OK(MPI_File_write_all_begin(file, data, N, gaps));
        OK(MPI_File_write_all_end(file, data, &status));
        OK(MPI_File_read_at_all_begin(file, 0, back, N, gaps));
        OK(MPI_File_read_at_all_end(file, back, &status));
        break;
    case 5:
        OK(MPI_File_iwrite(file, data, N, gaps, &request));
        OK(MPI_Wait(&request, &status));
        OK(MPI_File_seek(file, -N, MPI_SEEK_CUR));
        OK(MPI_File_iread_all(file, back, N, gaps, &request));
        OK(MPI_Wait(&request, &status));
        break;
    }
    check_count(&status, gaps, N);
    CHECK_BYTES(back, data, 2 * N * sizeof *back);
    barrier();
    long length = 12 + 4L * N * size;
    unsigned char *is = malloc((size_t)length + 1), wanted[4];
    CHECK_EQ(load(common, is, length + 1), length);
    for (int r = 0; r <= last; r++)
        for (int i = 0; i < N; i++) {
            put(wanted, -1000L * r - 2 * i, 4);
            CHECK_BYTES(is + 12 + 4L * (i * size + r), wanted, 4);
        }
    barrier();
    OK(MPI_File_close(&file));
    OK(MPI_Type_free(&one));
    OK(MPI_Type_free(&tile));
    OK(MPI_Type_free(&gaps));
    free(is);
    free(data);
    free(back);
}

/* The shared pointer counts etypes, in the order of ranks and in any order. */
static void shared(void)
{
    enum { N = 100 };
    MPI_File file;
    MPI_Offset position = -1;
    long data[N], back[N];
    unsigned char *is = malloc(4 * N * (size_t)size), wanted[4];
    OK(MPI_File_open(MPI_COMM_WORLD, common, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file));
    OK(MPI_File_set_view(file, 0, MPI_LONG, MPI_LONG, "external32", MPI_INFO_NULL));
    for (int i = 0; i < N; i++)
        data[i] = 1000 * rank + i;
    OK(MPI_File_write_ordered(file, data, N, MPI_LONG, MPI_STATUS_IGNORE));
    barrier();
    OK(MPI_File_get_position_shared(file, &position));
    CHECK_EQ(position, N * size);
    CHECK_EQ(load(common, is, 4L * N * size), 4L * N * size);
    for (int i = 0; i < N * size; i++) {
        put(wanted, 1000 * (i / N) + i % N, 4);
        CHECK_BYTES(is + 4 * i, wanted, 4);
    }
    OK(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    OK(MPI_File_read_shared(file, back, N, MPI_LONG, MPI_STATUS_IGNORE));
    for (int i = 0; i < N; i++)
        CHECK_EQ(back[i], back[0] + i);
    CHECK_EQ(back[0] % 1000, 0);
    barrier();
    OK(MPI_File_close(&file));
    free(is);
}

/* Own representation: an int is eight hexadecimal digits, to which the extra state is added. */
struct state {
    int extents, reads, writes, failing;
    int base;
};

static int extent_of(MPI_Datatype datatype, MPI_Aint *extent, void *extra)
{
    struct state *state = extra;
    state->extents++;
    CHECK(datatype == MPI_INT || datatype == MPI_DOUBLE);
    if (datatype == MPI_DOUBLE)
        return state->failing ? 17 : MPI_SUCCESS; /* no extent */
    *extent = 8;
    return MPI_SUCCESS;
}

/* Where element number k is: two ints of every three, or all. */
static int *place(void *userbuf, MPI_Datatype datatype, MPI_Offset k)
{
    MPI_Aint lb, extent;
    OK(MPI_Type_get_extent(datatype, &lb, &extent));
    if (extent == sizeof(int))
        return (int *)userbuf + k;
    CHECK_EQ(extent, 3 * sizeof(int));
    return (int *)userbuf + k / 2 * 3 + k % 2;
}

static int read_large(void *userbuf, MPI_Datatype datatype, MPI_Count count, void *filebuf, MPI_Offset position, void *extra)
{
    struct state *state = extra;
    state->reads++;
    for (MPI_Count i = 0; i < count; i++) {
        char digits[9] = "";
        memcpy(digits, (char *)filebuf + 8 * i, 8);
        *place(userbuf, datatype, position + i) = (int)strtol(digits, NULL, 16) - state->base;
    }
    return state->failing == 1 ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int write_large(void *userbuf, MPI_Datatype datatype, MPI_Count count, void *filebuf, MPI_Offset position, void *extra)
{
    struct state *state = extra;
    state->writes++;
    for (MPI_Count i = 0; i < count; i++) {
        char digits[9];
        snprintf(digits, sizeof digits, "%08x", *place(userbuf, datatype, position + i) + state->base);
        memcpy((char *)filebuf + 8 * i, digits, 8);
    }
    return state->failing == 1 ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int read_small(void *userbuf, MPI_Datatype datatype, int count, void *filebuf, MPI_Offset position, void *extra)
{
    return read_large(userbuf, datatype, count, filebuf, position, extra);
}

static int write_small(void *userbuf, MPI_Datatype datatype, int count, void *filebuf, MPI_Offset position, void *extra)
{
    return write_large(userbuf, datatype, count, filebuf, position, extra);
}

static struct state small = {.base = 5}, large = {.base = 77}, writing = {.base = 9};

static void registered(void)
{
    char longest[MPI_MAX_DATAREP_STRING + 1];
    memset(longest, 'x', sizeof longest);
    longest[MPI_MAX_DATAREP_STRING] = 0;
    OK(MPI_Register_datarep("digits", read_small, write_small, extent_of, &small));
    OK(MPI_Register_datarep_c("large digits", read_large, write_large, extent_of, &large));
    OK(MPI_Register_datarep("written digits", MPI_CONVERSION_FN_NULL, write_small, extent_of, &writing));
    const char *twice[] = {"digits", "large digits", "native", "internal", "external32"};
    for (int i = 0; i < 5; i++) {
        CHECK_CLASS(MPI_Register_datarep(twice[i], read_small, write_small, extent_of, &small), MPI_ERR_DUP_DATAREP);
        CHECK_CLASS(MPI_Register_datarep_c(twice[i], MPI_CONVERSION_FN_NULL_C, write_large, extent_of, NULL), MPI_ERR_DUP_DATAREP);
    }
    CHECK_CLASS(MPI_Register_datarep("other", read_small, write_small, NULL, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Register_datarep(NULL, read_small, write_small, extent_of, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Register_datarep(longest, read_small, write_small, extent_of, NULL), MPI_ERR_ARG);
    CHECK_EQ(small.extents + large.extents + writing.extents, 0);
}

static void own(const char *datarep, struct state *state)
{
    enum { N = 400000 };
    int *data = malloc(N * 3 / 2 * sizeof *data), *back = calloc(N * 3 / 2, sizeof *back);
    char *is = malloc(16 * N), digits[9], got[MPI_MAX_DATAREP_STRING];
    MPI_Datatype tile, two, gaps, etype, filetype;
    MPI_Status status;
    MPI_Offset disp;
    for (int i = 0; i < N * 3 / 2; i++)
        data[i] = i % 3 == 2 ? 0 : 3 * i;
    MPI_File file = open_alone();
    OK(MPI_Type_vector(2, 1, 2, MPI_INT, &two)); /* an int, a hole, an int */
    OK(MPI_Type_commit(&two));
    OK(MPI_Type_contiguous(2, MPI_INT, &tile));
    OK(MPI_Type_create_resized(tile, 0, 3 * sizeof(int), &gaps));
    OK(MPI_Type_commit(&gaps));
    OK(MPI_File_set_view(file, 4, MPI_INT, two, datarep, MPI_INFO_NULL));
    CHECK_EQ(state->extents, 0); /* accesses alone ask */
    OK(MPI_File_get_view(file, &disp, &etype, &filetype, got));
    CHECK(strcmp(got, datarep) == 0);
    OK(MPI_Type_free(&filetype));
    check_extent(file, two, 24);
    OK(MPI_File_write(file, data, N / 2, gaps, &status));
    check_count(&status, gaps, N / 2);
    CHECK(state->writes > 1);
    CHECK_EQ(load(name, (unsigned char *)is, 16 * N), 4 + 12 * N);
    for (int k = 0; k < N; k++) {
        snprintf(digits, sizeof digits, "%08x", data[k / 2 * 3 + k % 2] + state->base);
        CHECK_BYTES(is + 4 + k / 2 * 24 + k % 2 * 16, digits, 8);
    }
    OK(MPI_File_seek(file, 0, MPI_SEEK_SET));
    OK(MPI_File_read(file, back, N / 2, gaps, &status));
    check_count(&status, gaps, N / 2);
    CHECK_BYTES(back, data, N * 3 / 2 * sizeof *data);
    OK(MPI_File_read_at(file, N - 3, back, 9, MPI_INT, &status));
    check_count(&status, MPI_INT, 3);
    for (int i = 0; i < 3; i++)
        CHECK_EQ(back[i], data[(N - 3 + i) / 2 * 3 + (N - 3 + i) % 2]);
    /* What the functions return. */
    state->failing = 1;
    CHECK_CLASS(MPI_File_write_at(file, 0, data, 1, MPI_INT, &status), MPI_ERR_CONVERSION);
    CHECK_CLASS(MPI_File_read_at(file, 0, data, 1, MPI_INT, &status), MPI_ERR_CONVERSION);
    MPI_Aint extent;
    CHECK_CLASS(MPI_File_get_type_extent(file, MPI_DOUBLE, &extent), MPI_ERR_CONVERSION);
    CHECK_CLASS(MPI_File_write_at(file, 0, data, 1, MPI_DOUBLE, &status), MPI_ERR_CONVERSION);
    state->failing = 0;
    CHECK_EQ(load(name, (unsigned char *)is, 16 * N), 4 + 12 * N);
    CHECK_BYTES(is + 4, "0000", 4);
    OK(MPI_File_close(&file));
    OK(MPI_Type_free(&two));
    OK(MPI_Type_free(&tile));
    OK(MPI_Type_free(&gaps));
    free(data);
    free(back);
    free(is);
}

/* Without a function for reading, reading is native. */
static void half(void)
{
    MPI_File file = open_alone();
    int data[2] = {0x1234, 7};
    char back[9] = "";
    MPI_Status status;
    OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "written digits", MPI_INFO_NULL));
    OK(MPI_File_write_at(file, 0, data, 1, MPI_INT, &status));
    OK(MPI_File_read_at(file, 0, back, 2, MPI_INT, &status));
    check_count(&status, MPI_INT, 2);
    CHECK(strcmp(back, "0000123d") == 0);
    OK(MPI_File_close(&file));
}

static void refused(void)
{
    MPI_File file;
    OK(MPI_File_open(MPI_COMM_WORLD, common, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file));
    CHECK_CLASS(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "external64", MPI_INFO_NULL), MPI_ERR_UNSUPPORTED_DATAREP);
    CHECK_CLASS(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, NULL, MPI_INFO_NULL), MPI_ERR_ARG);
    if (size > 1)
        CHECK_CLASS(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, rank == 0 ? "native" : "external32", MPI_INFO_NULL), MPI_ERR_NOT_SAME);
    OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "External32", MPI_INFO_NULL));
    short half = 1;
    CHECK_CLASS(MPI_File_write_at(file, 0, &half, 1, MPI_SHORT, MPI_STATUS_IGNORE), MPI_ERR_ARG);
    barrier();
    OK(MPI_File_close(&file));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    snprintf(name, sizeof name, "/tmp/rmashm-representations-%d-%d", (int)getpid(), rank);
    memcpy(common, name, sizeof name);
    OK(MPI_Bcast(common, sizeof common, MPI_CHAR, 0, MPI_COMM_WORLD));
    strcat(common, "c");
    registered();
    if (rank == 0) {
        extents();
        mixed();
        own("digits", &small);
        own("large digits", &large);
        half();
    }
    for (int way = 0; way < 6; way++)
        interleaved(way);
    shared();
    refused();
    return check_end();
}
