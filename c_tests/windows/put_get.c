/* ranks: 1 2 4 8; launcher: mpiexec hydra preload path */
/* Put and get of every predefined type, of contiguous, vector and dup types on either side, of nothing, to nobody and
 * to oneself, on each flavour (MPI 4.1 section 12.3). */
#include "flavours.h"
#include "types.h"

#define COUNT 5
#define SLOT 256 /* bytes of window for each transfer */
#define BYTES (1 << 17)

static struct type types[TYPE_COUNT_MAX];
static int type_count;

/* Each rank fills its own part of everybody's window with elements of each type, then reads the others' back. */
static void predefined(struct area *area)
{
    static unsigned char puts[TYPE_COUNT_MAX][8][SLOT];
    unsigned char data[SLOT], back[SLOT];
    const int per_type = 8; /* ranks at most */
    memset(area->base, 0xaa, area->bytes);
    OK(MPI_Win_fence(0, area->win));
    for (int t = 0; t < type_count; t++)
        for (int target = 0; target < size; target++) {
            size_t slot = (size_t)(t * per_type + rank) * (COUNT * 32 + 8);
            unsigned char *from = puts[t][target];
            fill(from, SLOT, mix((uint64_t)t, (uint64_t)(rank * 8 + target)));
            OK(MPI_Put(from, COUNT, types[t].type, target, AT(area, target, slot), COUNT, types[t].type, area->win));
        }
    int target = (rank + size / 2) % size;
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, area->win));
    for (int t = 0; t < type_count; t++)
        for (int writer = 0; writer < size; writer++) {
            size_t slot = (size_t)(t * per_type + writer) * (COUNT * 32 + 8), length = COUNT * types[t].extent;
            int bytes;
            fill(data, SLOT, mix((uint64_t)t, (uint64_t)(writer * 8 + target)));
            memset(back, 0xaa, SLOT);
            OK(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, area->win));
            OK(MPI_Get(back, COUNT, types[t].type, target, AT(area, target, slot), COUNT, types[t].type, area->win));
            OK(MPI_Win_unlock(target, area->win));
            OK(MPI_Type_size(types[t].type, &bytes));
            if ((size_t)bytes == types[t].extent && types[t].kind != F80 && types[t].kind != C80) {
                CHECK_BYTES(back, data, length);
            } else if (is_pair(types[t].kind)) { /* padding may be moved or not, value and index must be */
                for (int i = 0; i < COUNT; i++)
                    CHECK_BYTES(back + i * types[t].extent, data + i * types[t].extent, types[t].kind == PAIR_SHORT ? 2 : 4);
            } else { /* x87 numbers: 10 bytes of data, 6 of padding */
                for (size_t i = 0; i < length; i += sizeof(long double))
                    CHECK_BYTES(back + i, data + i, 10);
            }
            for (size_t i = length; i < SLOT; i++)
                CHECK_EQ(back[i], 0xaa);
        }
    barrier();
}

/* A column of a matrix put into a row, a row into a column, and back. */
static void derived(struct area *area)
{
    enum { ROWS = 6, COLUMNS = 7 };
    int mine[ROWS][COLUMNS], column[ROWS], (*matrix)[COLUMNS] = (void *)area->base;
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    MPI_Datatype column_type, row_type, same_type, pairs_type;
    OK(MPI_Type_vector(ROWS, 1, COLUMNS, MPI_INT, &column_type));
    OK(MPI_Type_commit(&column_type));
    OK(MPI_Type_contiguous(ROWS, MPI_INT, &row_type));
    OK(MPI_Type_commit(&row_type));
    OK(MPI_Type_dup(column_type, &same_type));
    OK(MPI_Type_vector(3, 2, 4, MPI_INT, &pairs_type));
    OK(MPI_Type_commit(&pairs_type));
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            mine[i][j] = 100 * rank + 10 * i + j;
            matrix[i][j] = -1;
        }
    OK(MPI_Win_fence(0, area->win));
    /* Column 2 to row 1; row 3 to column 4 by the dup; 6 ints of row 5 as three pairs with gaps, from (4, 0) on. */
    OK(MPI_Put(&mine[0][2], 1, column_type, next, AT(area, next, 4 * COLUMNS), 1, row_type, area->win));
    OK(MPI_Put(&mine[3][0], ROWS, MPI_INT, next, AT(area, next, 4 * 6), 1, same_type, area->win));
    OK(MPI_Put(&mine[5][1], 1, row_type, next, AT(area, next, 4 * 4 * COLUMNS), 3, MPI_2INT, area->win));
    OK(MPI_Win_fence(0, area->win));
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            int wanted = -1;
            if (i == 1 && j < 6)
                wanted = 100 * previous + 10 * j + 2;
            if (j == 6)
                wanted = 100 * previous + 30 + i;
            if (i == 4 && j < 6)
                wanted = 100 * previous + 50 + j + 1;
            CHECK_EQ(matrix[i][j], wanted);
        }
    OK(MPI_Win_fence(0, area->win));
    /* Back: the row that was the column, the column that was the row. */
    OK(MPI_Get(column, 1, row_type, next, AT(area, next, 4 * COLUMNS), 1, row_type, area->win));
    OK(MPI_Win_fence(0, area->win));
    for (int i = 0; i < ROWS; i++)
        CHECK_EQ(column[i], 100 * rank + 10 * i + 2);
    int spread[12];
    memset(spread, 0xff, sizeof spread);
    OK(MPI_Get(spread, 1, pairs_type, next, AT(area, next, 4 * COLUMNS), 6, MPI_INT, area->win));
    OK(MPI_Win_fence(0, area->win));
    for (int i = 0; i < 12; i++)
        CHECK_EQ(spread[i], i < 10 && i % 4 < 2 ? 100 * rank + 10 * (i / 4 * 2 + i % 4) + 2 : -1);
    OK(MPI_Type_free(&column_type));
    OK(MPI_Type_free(&row_type));
    OK(MPI_Type_free(&same_type));
    OK(MPI_Type_free(&pairs_type));
    OK(MPI_Win_fence(0, area->win));
}

/* Nothing, in every way of saying so. */
static void nothing(struct area *area)
{
    unsigned char data[16], wanted[16];
    memset(area->base, 0x33, 64);
    memset(data, 0x44, 16);
    memcpy(wanted, data, 16);
    OK(MPI_Win_fence(0, area->win));
    OK(MPI_Put(data, 16, MPI_BYTE, MPI_PROC_NULL, 0, 16, MPI_BYTE, area->win));
    OK(MPI_Get(data, 16, MPI_BYTE, MPI_PROC_NULL, 0, 16, MPI_BYTE, area->win));
    OK(MPI_Put(NULL, 0, MPI_DOUBLE, 0, AT(area, 0, 0), 0, MPI_DOUBLE, area->win));
    OK(MPI_Get(NULL, 0, MPI_DOUBLE, 0, AT(area, 0, 0), 0, MPI_DOUBLE, area->win));
    OK(MPI_Put(data, 0, MPI_BYTE, size - 1, AT(area, size - 1, 3), 0, MPI_BYTE, area->win));
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, area->win));
    CHECK_BYTES(data, wanted, 16);
    for (int i = 0; i < 64; i++)
        CHECK_EQ(area->base[i], 0x33);
}

/* To oneself, from the window to the window, and from and to any alignment. */
static void self_and_alignments(struct area *area)
{
    unsigned char data[128], wanted[64];
    fill(data, sizeof data, (uint64_t)rank);
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, area->win));
    for (int from = 0; from < 9; from++)
        for (int to = 0; to < 9; to++)
            for (int length = 0; length < 40; length += 1 + length / 8) {
                memset(area->base, 0xbb, 64);
                OK(MPI_Put(data + from, length, MPI_BYTE, rank, AT(area, rank, to), length, MPI_BYTE, area->win));
                OK(MPI_Win_flush(rank, area->win));
                memset(wanted, 0xbb, 64);
                memcpy(wanted + to, data + from, (size_t)length);
                CHECK_BYTES(area->base, wanted, 64);
            }
    fill(area->base, 64, 77);
    OK(MPI_Put(area->base, 32, MPI_BYTE, rank, AT(area, rank, 1000), 32, MPI_BYTE, area->win));
    OK(MPI_Get(area->base + 2000, 32, MPI_BYTE, rank, AT(area, rank, 32), 32, MPI_BYTE, area->win));
    OK(MPI_Win_unlock(rank, area->win));
    CHECK_BYTES(area->base + 1000, area->base, 32);
    CHECK_BYTES(area->base + 2000, area->base + 32, 32);
}

static void run(struct area *area)
{
    if (area->flavour == SHARED || area->flavour == CREATE_MALLOC)
        predefined(area);
    derived(area);
    nothing(area);
    self_and_alignments(area);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    type_count = all_types(types);
    on_each_flavour(BYTES, run);
    return check_end();
}
