/* ranks: 1 2 3 4 */
/* Reading and writing files in every way (MPI 4.1 section 14.4): at offsets, at the individual and the shared pointer, in the
 * order of ranks, split and nonblocking, through views that interleave the ranks. What is written is read back as plain
 * bytes, and what is read was written as plain bytes. */
#include "check.h"
#include <unistd.h>

enum { BLOCK = 5, ROUNDS = 7, EACH = BLOCK * ROUNDS };

static char name[64];

/* Element `i` of what `who` writes. */
static int value(int who, int i, int salt)
{
    return 1000000 * salt + 1000 * who + i;
}

/* All bytes of the file, read without MPI. */
static int *plain(long *count)
{
    FILE *stream = fopen(name, "rb");
    CHECK(stream != NULL);
    fseek(stream, 0, SEEK_END);
    long bytes = ftell(stream);
    rewind(stream);
    int *all = malloc(bytes ? (size_t)bytes : 1);
    CHECK_EQ(fread(all, 1, (size_t)bytes, stream), bytes);
    fclose(stream);
    *count = bytes / (long)sizeof(int);
    CHECK_EQ(*count * (long)sizeof(int), bytes);
    return all;
}

static void check_status(MPI_Status *status, int wanted)
{
    int count = -1;
    OK(MPI_Get_count(status, MPI_INT, &count));
    CHECK_EQ(count, wanted);
}

/* Blocks of BLOCK ints in turn for each rank. */
static MPI_Datatype turns(void)
{
    MPI_Datatype blocks, tile;
    OK(MPI_Type_contiguous(BLOCK, MPI_INT, &blocks));
    OK(MPI_Type_create_resized(blocks, 0, (MPI_Aint)(size * BLOCK * sizeof(int)), &tile));
    OK(MPI_Type_commit(&tile));
    OK(MPI_Type_free(&blocks));
    return tile;
}

static MPI_File reopen(MPI_File file)
{
    if (file != MPI_FILE_NULL)
        OK(MPI_File_close(&file));
    OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file));
    OK(MPI_File_set_size(file, 0));
    return file;
}

/* Every way to write, and to read back, EACH ints at the place of the rank through the view. */
enum way { AT, AT_ALL, IAT, IAT_ALL, AT_SPLIT, PLAIN, ALL, I, I_ALL, SPLIT, WAYS };

static void move(MPI_File file, enum way way, int reading, MPI_Offset offset, int *data, int count, MPI_Datatype type,
                 int ints)
{
    MPI_Status status;
    MPI_Request request;
#define DO(read_call, write_call) OK(reading ? read_call : write_call)
    switch (way) {
    case AT:
        DO(MPI_File_read_at(file, offset, data, count, type, &status),
           MPI_File_write_at(file, offset, data, count, type, &status));
        break;
    case AT_ALL:
        DO(MPI_File_read_at_all(file, offset, data, count, type, &status),
           MPI_File_write_at_all(file, offset, data, count, type, &status));
        break;
    case IAT:
        DO(MPI_File_iread_at(file, offset, data, count, type, &request),
           MPI_File_iwrite_at(file, offset, data, count, type, &request));
        OK(MPI_Wait(&request, &status));
        break;
    case IAT_ALL:
        DO(MPI_File_iread_at_all(file, offset, data, count, type, &request),
           MPI_File_iwrite_at_all(file, offset, data, count, type, &request));
        OK(MPI_Wait(&request, &status));
        break;
    case AT_SPLIT:
        DO(MPI_File_read_at_all_begin(file, offset, data, count, type),
           MPI_File_write_at_all_begin(file, offset, data, count, type));
        DO(MPI_File_read_at_all_end(file, data, &status), MPI_File_write_at_all_end(file, data, &status));
        break;
    default:
        OK(MPI_File_seek(file, offset, MPI_SEEK_SET));
        switch (way) {
        case PLAIN:
            DO(MPI_File_read(file, data, count, type, &status),
               MPI_File_write(file, data, count, type, &status));
            break;
        case ALL:
            DO(MPI_File_read_all(file, data, count, type, &status),
               MPI_File_write_all(file, data, count, type, &status));
            break;
        case I:
            DO(MPI_File_iread(file, data, count, type, &request),
               MPI_File_iwrite(file, data, count, type, &request));
            OK(MPI_Wait(&request, &status));
            break;
        case I_ALL:
            DO(MPI_File_iread_all(file, data, count, type, &request),
               MPI_File_iwrite_all(file, data, count, type, &request));
            OK(MPI_Wait(&request, &status));
            break;
        default:
            DO(MPI_File_read_all_begin(file, data, count, type),
               MPI_File_write_all_begin(file, data, count, type));
            DO(MPI_File_read_all_end(file, data, &status), MPI_File_write_all_end(file, data, &status));
        }
        MPI_Offset now = -1;
        OK(MPI_File_get_position(file, &now));
        CHECK_EQ(now, offset + ints);
    }
    check_status(&status, ints);
}

/* The ranks' blocks interleave behind `disp` ints; in memory, `gap` ints follow each int. */
static void interleaved(int gap)
{
    MPI_File file = MPI_FILE_NULL;
    MPI_Datatype tile = turns(), spread, resized;
    int disp = 3;
    OK(MPI_Type_create_resized(MPI_INT, 0, (MPI_Aint)((1 + gap) * sizeof(int)), &resized));
    OK(MPI_Type_contiguous(1, resized, &spread));
    OK(MPI_Type_commit(&spread));
    for (int way = 0; way < WAYS; way++) {
        int data[EACH * 3];
        file = reopen(file);
        OK(MPI_File_set_view(file, (MPI_Offset)(disp * sizeof(int)) + (MPI_Offset)(rank * BLOCK * sizeof(int)), MPI_INT,
                             tile, "native", MPI_INFO_NULL));
        for (int i = 0; i < EACH; i++)
            data[i * (1 + gap)] = value(rank, i, way + 1);
        /* In two parts, the second first. */
        int first = BLOCK + 2;
        move(file, way, 0, first, data + first * (1 + gap), EACH - first, spread, EACH - first);
        move(file, way, 0, 0, data, first, spread, first);
        OK(MPI_File_sync(file));
        barrier();

        long count;
        int *all = plain(&count);
        CHECK_EQ(count, disp + size * EACH);
        for (int i = 0; i < disp; i++)
            CHECK_EQ(all[i], 0);
        for (int who = 0; who < size; who++)
            for (int i = 0; i < EACH; i++)
                CHECK_EQ(all[disp + (i / BLOCK) * size * BLOCK + who * BLOCK + i % BLOCK],
                         value(who, i, way + 1));
        free(all);

        memset(data, 0xee, sizeof data);
        move(file, way, 1, 1, data + (1 + gap), EACH - 1, spread, EACH - 1);
        for (int i = 1; i < EACH; i++)
            CHECK_EQ(data[i * (1 + gap)], value(rank, i, way + 1));
        for (int i = 0; i < EACH * (1 + gap); i++)
            if (i % (1 + gap) || i == 0)
                CHECK_EQ(data[i], (int)0xeeeeeeee);

#ifdef RMASHM
        /* Behind the end there is nothing, and in front of it less. (ROMIO counts what it did not read.) */
        MPI_Status status;
        OK(MPI_File_read_at(file, EACH, data, 4, MPI_INT, &status));
        check_status(&status, 0);
        OK(MPI_File_read_at(file, EACH - 2, data, 4, MPI_INT, &status));
        check_status(&status, 2);
#endif

        MPI_Offset place = -1, end = -1;
        OK(MPI_File_get_byte_offset(file, BLOCK + 1, &place));
        CHECK_EQ(place, (MPI_Offset)sizeof(int) * (disp + (size + rank) * BLOCK + 1));
        OK(MPI_File_seek(file, -3, MPI_SEEK_END));
        OK(MPI_File_seek(file, 1, MPI_SEEK_CUR));
        OK(MPI_File_get_position(file, &end));
        CHECK_EQ(end, EACH - 2);
        barrier();
    }
    MPI_Offset where = -1;
    MPI_Datatype etype, filetype;
    char datarep[MPI_MAX_DATAREP_STRING];
    int type_size = -1;
    OK(MPI_File_get_view(file, &where, &etype, &filetype, datarep));
    CHECK_EQ(where, (MPI_Offset)sizeof(int) * (disp + rank * BLOCK));
    CHECK(etype == MPI_INT);
    OK(MPI_Type_size(filetype, &type_size));
    CHECK_EQ(type_size, (int)(BLOCK * sizeof(int)));
    OK(MPI_Type_free(&filetype));
    OK(MPI_File_close(&file));
    OK(MPI_Type_free(&tile));
    OK(MPI_Type_free(&spread));
    OK(MPI_Type_free(&resized));
}

/* Every rank's records are there once and whole, in any order. */
static void shared(int nonblocking)
{
    MPI_File file = reopen(MPI_FILE_NULL);
    MPI_Status status;
    MPI_Request request;
    MPI_Offset position = -1;
    int data[BLOCK];
    OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < BLOCK; i++)
            data[i] = value(rank, i, round + 1);
        if (nonblocking) {
            OK(MPI_File_iwrite_shared(file, data, BLOCK, MPI_INT, &request));
            OK(MPI_Wait(&request, &status));
        } else {
            OK(MPI_File_write_shared(file, data, BLOCK, MPI_INT, &status));
        }
        check_status(&status, BLOCK);
    }
    OK(MPI_File_sync(file));
    barrier();
    OK(MPI_File_get_position_shared(file, &position));
    CHECK_EQ(position, size * EACH);
    barrier();
    long count;
    int *all = plain(&count), next[8] = {0};
    CHECK_EQ(count, size * EACH);
    for (int record = 0; record < size * ROUNDS; record++) {
        int who = all[record * BLOCK] / 1000 % 1000;
        CHECK(who >= 0 && who < size);
        next[who]++;
        for (int i = 0; i < BLOCK; i++)
            CHECK_EQ(all[record * BLOCK + i], value(who, i, next[who]));
    }

    /* Reading shares the records out. */
    OK(MPI_File_seek_shared(file, BLOCK, MPI_SEEK_SET));
    int mine = 0, read = 0;
    for (;;) {
        int got = -1;
        if (nonblocking) {
            OK(MPI_File_iread_shared(file, data, BLOCK, MPI_INT, &request));
            OK(MPI_Wait(&request, &status));
        } else {
            OK(MPI_File_read_shared(file, data, BLOCK, MPI_INT, &status));
        }
        OK(MPI_Get_count(&status, MPI_INT, &got));
        if (got == 0)
            break;
        CHECK_EQ(got, BLOCK);
        mine++;
    }
    OK(MPI_Allreduce(&mine, &read, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_EQ(read, size * ROUNDS - 1);
    free(all);
    OK(MPI_File_close(&file));
}

/* Different lengths, in the order of ranks. */
static void ordered(int split)
{
    MPI_File file = reopen(MPI_FILE_NULL);
    MPI_Status status;
    int data[16], length = rank + 1, before = rank * (rank + 1) / 2, all_ranks = size * (size + 1) / 2;
    OK(MPI_File_set_view(file, 8, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < length; i++)
            data[i] = value(rank, i, round + 1);
        if (split) {
            OK(MPI_File_write_ordered_begin(file, data, length, MPI_INT));
            OK(MPI_File_write_ordered_end(file, data, &status));
        } else {
            OK(MPI_File_write_ordered(file, data, length, MPI_INT, &status));
        }
        check_status(&status, length);
    }
    OK(MPI_File_sync(file));
    barrier();
    long count;
    int *all = plain(&count);
    CHECK_EQ(count, 2 + ROUNDS * all_ranks);
    int at = 2;
    for (int round = 0; round < ROUNDS; round++)
        for (int who = 0; who < size; who++)
            for (int i = 0; i <= who; i++)
                CHECK_EQ(all[at++], value(who, i, round + 1));
    OK(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    for (int round = 0; round < ROUNDS; round++) {
        if (split) {
            OK(MPI_File_read_ordered_begin(file, data, length, MPI_INT));
            OK(MPI_File_read_ordered_end(file, data, &status));
        } else {
            OK(MPI_File_read_ordered(file, data, length, MPI_INT, &status));
        }
        check_status(&status, length);
        CHECK_BYTES(data, all + 2 + round * all_ranks + before, length * sizeof(int));
    }
    free(all);
    barrier();
    OK(MPI_File_close(&file));

    /* Appended to. */
    OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_WRONLY | MPI_MODE_APPEND, MPI_INFO_NULL, &file));
    OK(MPI_File_write_ordered(file, &rank, 1, MPI_INT, &status));
    OK(MPI_File_close(&file));
    barrier();
    all = plain(&count);
    CHECK_EQ(count, 2 + ROUNDS * all_ranks + size);
    CHECK_EQ(all[count - 1], size - 1);
    free(all);
    barrier();
}

static void extents(void)
{
    MPI_File file = reopen(MPI_FILE_NULL);
    MPI_Aint extent = -1;
    OK(MPI_File_get_type_extent(file, MPI_DOUBLE, &extent));
    CHECK_EQ(extent, 8);
#ifdef RMASHM
    MPI_Count large = -1;
    int data = 17 + rank, back = 0;
    OK(MPI_File_get_type_extent_c(file, MPI_DOUBLE, &large));
    CHECK_EQ(large, 8);
    OK(MPI_File_write_at_c(file, 4 * rank, &data, 1, MPI_INT, MPI_STATUS_IGNORE));
    OK(MPI_File_read_at_c(file, 4 * rank, &back, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_EQ(back, data);
#endif
    OK(MPI_File_close(&file));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    snprintf(name, sizeof name, "file_data.%d.tmp", size);
    if (rank == 0)
        unlink(name);
    barrier();
    interleaved(0);
    interleaved(2);
    for (int form = 0; form < 2; form++) {
        shared(form);
        ordered(form);
    }
    extents();
    barrier();
    if (rank == 0)
        OK(MPI_File_delete(name, MPI_INFO_NULL));
    return check_end();
}
