/* ranks: 3 6 */
/* What has a constant in MPI, and has to do with another process: it means the same to both, whatever number it has in each one's
 * header. tests/mixed runs this with ranks that were compiled with different headers. */
#include "check.h"

#include <unistd.h>

static char name[64];

static void wildcards(void)
{
    const int right = (rank + 1) % size, left = (rank + size - 1) % size;
    const int sources[2] = {left, MPI_ANY_SOURCE}, tags[2] = {5, MPI_ANY_TAG};
    MPI_Status status;
    MPI_Message message;
    MPI_Request request;
    for (int way = 0; way < 4; way++) {
        int sent = 1000 * way + rank, got = -1, count = -1, flag = 0;
        OK(MPI_Isend(&sent, 1, MPI_INT, right, 5, MPI_COMM_WORLD, &request));
        OK(MPI_Probe(sources[way / 2], tags[way % 2], MPI_COMM_WORLD, &status));
        CHECK_EQ(status.MPI_SOURCE, left);
        CHECK_EQ(status.MPI_TAG, 5);
        while (!flag)
            OK(MPI_Improbe(sources[way / 2], tags[way % 2], MPI_COMM_WORLD, &flag, &message, &status));
        CHECK_EQ(status.MPI_SOURCE, left);
        OK(MPI_Mrecv(&got, 1, MPI_INT, &message, &status));
        OK(MPI_Get_count(&status, MPI_INT, &count));
        CHECK_EQ(count, 1);
        CHECK_EQ(got, 1000 * way + left);
        CHECK_EQ(status.MPI_TAG, 5);
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        barrier();
    }
    /* Off the end of a chain is nobody. */
    int up = rank + 1 < size ? rank + 1 : MPI_PROC_NULL, down = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    int sent = rank, got = -7;
    OK(MPI_Sendrecv(&sent, 1, MPI_INT, up, 0, &got, 1, MPI_INT, down, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
    CHECK_EQ(got, rank > 0 ? rank - 1 : -7);
    CHECK_EQ(status.MPI_SOURCE, down);
}

static void parts(void)
{
    const int kinds[2] = {MPI_COMM_TYPE_SHARED, MPI_UNDEFINED};
    MPI_Comm part;
    int got, result, roots[2];
    OK(MPI_Comm_split(MPI_COMM_WORLD, rank == 1 ? MPI_UNDEFINED : 4, -rank, &part));
    CHECK_EQ(part == MPI_COMM_NULL, rank == 1);
    if (part != MPI_COMM_NULL) {
        OK(MPI_Comm_size(part, &got));
        CHECK_EQ(got, size - 1);
        OK(MPI_Comm_rank(part, &got));
        CHECK_EQ(got, rank == 0 ? size - 2 : size - 1 - rank);
        OK(MPI_Comm_free(&part));
    }
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, kinds[rank == 2], 0, MPI_INFO_NULL, &part));
    CHECK_EQ(part == MPI_COMM_NULL, rank == 2);
    if (part != MPI_COMM_NULL) {
        OK(MPI_Comm_size(part, &got));
        CHECK_EQ(got, size - 1);
        OK(MPI_Comm_free(&part));
    }
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &part));
    OK(MPI_Comm_compare(part, MPI_COMM_WORLD, &result));
    CHECK_EQ(result, MPI_CONGRUENT);
    OK(MPI_Comm_free(&part));
    OK(MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &part));
    OK(MPI_Comm_compare(part, MPI_COMM_WORLD, &result));
    CHECK_EQ(result, MPI_SIMILAR);
    OK(MPI_Comm_free(&part));

    /* Rank 0 is one group, all others are the other. */
    MPI_Comm local, inter;
    OK(MPI_Comm_split(MPI_COMM_WORLD, rank > 0, rank, &local));
    OK(MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, rank > 0 ? 0 : 1, 3, &inter));
    roots[0] = rank == 0 ? MPI_ROOT : 0;
    roots[1] = rank == 0 ? 0 : rank == 1 ? MPI_ROOT : MPI_PROC_NULL;
    for (int way = 0; way < 2; way++) {
        got = rank == way ? 77 + way : -1;
        OK(MPI_Bcast(&got, 1, MPI_INT, roots[way], inter));
        if (way == 0 || rank <= 1)
            CHECK_EQ(got, 77 + way);
    }
    OK(MPI_Comm_free(&inter));
    OK(MPI_Comm_free(&local));
}

static void windows(void)
{
    MPI_Win win;
    int *base, *flavor, *model, flag, one = 1, got = -1;
    OK(MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    OK(MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &flavor, &flag));
    CHECK(flag && *flavor == MPI_WIN_FLAVOR_ALLOCATE);
    OK(MPI_Win_get_attr(win, MPI_WIN_MODEL, &model, &flag));
    CHECK(flag && *model == MPI_WIN_UNIFIED);
    *base = 0;
    OK(MPI_Win_fence(MPI_MODE_NOPRECEDE | (rank ? MPI_MODE_NOPUT : 0), win));
    OK(MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win));
    OK(MPI_Put(&one, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win));
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    for (int round = 0; round < 50; round++) {
        /* An exclusive lock keeps the others out, shared ones do not. */
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
        OK(MPI_Get(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
        OK(MPI_Win_flush(0, win));
        got++;
        OK(MPI_Put(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
        OK(MPI_Win_unlock(0, win));
        OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
        OK(MPI_Fetch_and_op(&one, &got, MPI_INT, 0, 0, MPI_SUM, win));
        OK(MPI_Win_unlock(0, win));
        OK(MPI_Win_lock_all(0, win));
        OK(MPI_Fetch_and_op(NULL, &got, MPI_INT, 0, 0, MPI_NO_OP, win));
        OK(MPI_Win_unlock_all(win));
    }
    barrier();
    if (rank == 0)
        CHECK_EQ(*base, size * 101);
    barrier();
    OK(MPI_Win_free(&win));
}

static void files(void)
{
    const int modes[][2] = {{MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL, 0},
                            {MPI_MODE_RDONLY, 8},
                            {MPI_MODE_WRONLY | MPI_MODE_APPEND, 8},
                            {MPI_MODE_RDWR | MPI_MODE_UNIQUE_OPEN, 8},
                            {MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL, 8},
                            {MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, 8}};
    MPI_File file;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        MPI_Offset at;
        int amode;
        OK(MPI_File_open(MPI_COMM_WORLD, name, modes[i][0], MPI_INFO_NULL, &file));
        OK(MPI_File_get_amode(file, &amode));
        CHECK_EQ(amode, modes[i][0]);
        OK(MPI_File_get_size(file, &at));
        CHECK_EQ(at, modes[i][1]);
        if (!(amode & MPI_MODE_SEQUENTIAL)) {
            OK(MPI_File_get_position_shared(file, &at));
            CHECK_EQ(at, amode & MPI_MODE_APPEND ? 8 : 0);
            barrier();
            OK(MPI_File_seek_shared(file, 6, MPI_SEEK_SET));
            OK(MPI_File_seek_shared(file, -1, MPI_SEEK_CUR));
            OK(MPI_File_get_position_shared(file, &at));
            CHECK_EQ(at, 5);
            barrier();
            OK(MPI_File_seek_shared(file, 2, MPI_SEEK_END));
            OK(MPI_File_get_position_shared(file, &at));
            CHECK_EQ(at, modes[i][1] + 2);
            barrier();
        }
        if (i == 0)
            OK(MPI_File_set_size(file, 8));
        OK(MPI_File_close(&file));
    }
    barrier();
    CHECK(access(name, F_OK) != 0);
}

/* A block of a matrix, whose pieces each process describes by its own constants. */
static void arrays(void)
{
    const int sizes[2] = {6, 6}, part[2] = {3, 2}, from[2] = {1, 2}, args[2] = {MPI_DISTRIBUTE_DFLT_DARG, 2};
    const int how[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC}, grid[2] = {2, 1};
    MPI_Datatype block, dealt;
    int matrix[36], got[36], position = 0, count;
    char packed[4 * 36 + 64];
    MPI_Status status;
    OK(MPI_Type_create_subarray(2, sizes, part, from, rank % 2 ? MPI_ORDER_C : MPI_ORDER_FORTRAN, MPI_INT, &block));
    OK(MPI_Type_create_darray(2, 0, 2, sizes, how, args, grid, MPI_ORDER_C, MPI_INT, &dealt));
    OK(MPI_Type_commit(&block));
    OK(MPI_Type_commit(&dealt));
    for (int i = 0; i < 36; i++)
        matrix[i] = 100 * rank + i, got[i] = -1;
    OK(MPI_Sendrecv(matrix, 1, block, (rank + 1) % size, 1, got, 36, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &status));
    OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK_EQ(count, 6);
    const int left = (rank + size - 1) % size;
    for (int i = 0; i < 6; i++) {
        /* By rows, or with the first index running fastest. */
        int cell = left % 2 ? 6 * (1 + i / 2) + 2 + i % 2 : 6 * (2 + i / 3) + 1 + i % 3;
        CHECK_EQ(got[i], 100 * left + cell);
    }
    OK(MPI_Bcast(matrix, 1, dealt, 1, MPI_COMM_WORLD));
    for (int i = 0; i < 36; i++)
        CHECK_EQ(matrix[i], i < 18 ? 100 + i : 100 * rank + i);
    OK(MPI_Pack(matrix, 36, MPI_INT, packed, sizeof packed, &position, MPI_COMM_WORLD));
    OK(MPI_Sendrecv_replace(packed, position, MPI_PACKED, (rank + 1) % size, 2, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    position = 0;
    OK(MPI_Unpack(packed, sizeof packed, &position, got, 36, MPI_INT, MPI_COMM_WORLD));
    CHECK_EQ(got[35], 100 * left + 35);
    OK(MPI_Type_free(&block));
    OK(MPI_Type_free(&dealt));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    if (rank == 0)
        snprintf(name, sizeof name, "/tmp/rmashm-constants-%ld", (long)getpid());
    OK(MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD));
    wildcards();
    parts();
    windows();
    files();
    arrays();
    return check_end();
}
