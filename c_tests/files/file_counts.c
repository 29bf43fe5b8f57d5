/* ranks: 1 2 4; mpich: skip 4.0 has not all of them */
/* Reading and writing in every form with counts of type MPI_Count, each of which finds what another has written. */
#include "check.h"

enum { N = 6 };

static MPI_File file;
static int out[N], in[N], round_number = 0;
static MPI_Status status;
static MPI_Request request;

static int datum(int process, int i)
{
    return 100000 * round_number + 1000 * process + i;
}

/* New numbers to write. */
static void fresh(void)
{
    round_number++;
    for (int i = 0; i < N; i++)
        out[i] = datum(rank, i);
}

static void wrote(void)
{
    MPI_Count count = -1;
    OK(MPI_Get_count_c(&status, MPI_INT, &count));
    CHECK_EQ(count, N);
}

/* This process's numbers were read. */
static void got(void)
{
    wrote();
    for (int i = 0; i < N; i++) {
        CHECK_EQ(in[i], datum(rank, i));
        in[i] = -1;
    }
}

static void waited(void)
{
    OK(MPI_Wait(&request, &status));
}

/* What all have written is there for all. */
static void settle(void)
{
    OK(MPI_File_sync(file));
    barrier();
    OK(MPI_File_sync(file));
}

static void mine(void)
{
    OK(MPI_File_seek(file, rank * N, MPI_SEEK_SET));
}

static void explicit_offsets(void)
{
    MPI_Offset at = rank * N;
    fresh();
    OK(MPI_File_write_at_c(file, at, out, N, MPI_INT, &status));
    wrote();
    settle();
    OK(MPI_File_read_at_c(file, at, in, N, MPI_INT, &status));
    got();
    fresh();
    OK(MPI_File_write_at_all_c(file, at, out, N, MPI_INT, &status));
    wrote();
    settle();
    OK(MPI_File_read_at_all_c(file, at, in, N, MPI_INT, &status));
    got();
    fresh();
    OK(MPI_File_iwrite_at_c(file, at, out, N, MPI_INT, &request));
    waited();
    wrote();
    settle();
    OK(MPI_File_iread_at_c(file, at, in, N, MPI_INT, &request));
    waited();
    got();
    fresh();
    OK(MPI_File_iwrite_at_all_c(file, at, out, N, MPI_INT, &request));
    waited();
    settle();
    OK(MPI_File_iread_at_all_c(file, at, in, N, MPI_INT, &request));
    waited();
    got();
    fresh();
    OK(MPI_File_write_at_all_begin_c(file, at, out, N, MPI_INT));
    OK(MPI_File_write_at_all_end(file, out, &status));
    wrote();
    settle();
    OK(MPI_File_read_at_all_begin_c(file, at, in, N, MPI_INT));
    OK(MPI_File_read_at_all_end(file, in, &status));
    got();
}

static void individual_pointers(void)
{
    fresh();
    mine();
    OK(MPI_File_write_c(file, out, N, MPI_INT, &status));
    wrote();
    settle();
    mine();
    OK(MPI_File_read_c(file, in, N, MPI_INT, &status));
    got();
    fresh();
    mine();
    OK(MPI_File_write_all_c(file, out, N, MPI_INT, &status));
    wrote();
    settle();
    mine();
    OK(MPI_File_read_all_c(file, in, N, MPI_INT, &status));
    got();
    fresh();
    mine();
    OK(MPI_File_iwrite_c(file, out, N, MPI_INT, &request));
    waited();
    settle();
    mine();
    OK(MPI_File_iread_c(file, in, N, MPI_INT, &request));
    waited();
    got();
    fresh();
    mine();
    OK(MPI_File_iwrite_all_c(file, out, N, MPI_INT, &request));
    waited();
    settle();
    mine();
    OK(MPI_File_iread_all_c(file, in, N, MPI_INT, &request));
    waited();
    got();
    fresh();
    mine();
    OK(MPI_File_write_all_begin_c(file, out, N, MPI_INT));
    OK(MPI_File_write_all_end(file, out, &status));
    wrote();
    settle();
    mine();
    OK(MPI_File_read_all_begin_c(file, in, N, MPI_INT));
    OK(MPI_File_read_all_end(file, in, &status));
    got();
}

static void rewind_shared(void)
{
    barrier();
    OK(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    barrier();
}

/* In the order of ranks. */
static void ordered(void)
{
    fresh();
    rewind_shared();
    OK(MPI_File_write_ordered_c(file, out, N, MPI_INT, &status));
    wrote();
    settle();
    rewind_shared();
    OK(MPI_File_read_ordered_c(file, in, N, MPI_INT, &status));
    got();
    fresh();
    rewind_shared();
    OK(MPI_File_write_ordered_begin_c(file, out, N, MPI_INT));
    OK(MPI_File_write_ordered_end(file, out, &status));
    wrote();
    settle();
    rewind_shared();
    OK(MPI_File_read_ordered_begin_c(file, in, N, MPI_INT));
    OK(MPI_File_read_ordered_end(file, in, &status));
    got();
}

/* In any order: each takes the next place, and all the numbers of every process are there once. */
static void shared_pointer(int nonblocking)
{
    int seen[64] = { 0 }, all[64];
    fresh();
    rewind_shared();
    if (nonblocking) {
        OK(MPI_File_iwrite_shared_c(file, out, N, MPI_INT, &request));
        waited();
    } else {
        OK(MPI_File_write_shared_c(file, out, N, MPI_INT, &status));
    }
    wrote();
    settle();
    rewind_shared();
    if (nonblocking) {
        OK(MPI_File_iread_shared_c(file, in, N, MPI_INT, &request));
        waited();
    } else {
        OK(MPI_File_read_shared_c(file, in, N, MPI_INT, &status));
    }
    wrote();
    int from = in[0] / 1000 % 100;
    for (int i = 0; i < N; i++)
        CHECK_EQ(in[i], datum(from, i));
    OK(MPI_Allgather(&from, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD));
    for (int i = 0; i < size; i++) {
        CHECK(all[i] >= 0 && all[i] < size);
        CHECK_EQ(seen[all[i]]++, 0);
    }
}

int main(int argc, char **argv)
{
    char name[64];
    check_start(&argc, &argv);
    snprintf(name, sizeof name, "file_counts.%d.tmp", size);
    OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                     &file));
    OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    explicit_offsets();
    individual_pointers();
    ordered();
    shared_pointer(0);
    shared_pointer(1);
    MPI_Count extent = -1;
    OK(MPI_File_get_type_extent_c(file, MPI_INT, &extent));
    CHECK_EQ(extent, sizeof(int));

    /* Of hints only those are told that count. */
    MPI_Info info, used;
    char value[64] = "";
    int room = sizeof value, found = -1;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "access_style", "read_once"));
    OK(MPI_Info_set(info, "mpi_assert_memory_alloc_kinds", "system"));
    OK(MPI_File_set_info(file, info));
    OK(MPI_File_get_info(file, &used));
    OK(MPI_Info_get_string(used, "mpi_assert_memory_alloc_kinds", &room, value, &found));
    CHECK(found && strcmp(value, "system") == 0);
    room = sizeof value;
    OK(MPI_Info_get_string(used, "access_style", &room, value, &found));
    CHECK_EQ(found, 0);
    OK(MPI_Info_free(&used));
    OK(MPI_Info_set(info, "mpi_assert_memory_alloc_kinds", "system,,"));
    CHECK_CLASS(MPI_File_set_info(file, info), MPI_ERR_INFO_VALUE);
    CHECK_CLASS(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", info), MPI_ERR_INFO_VALUE);
    OK(MPI_Info_free(&info));
    OK(MPI_File_close(&file));
    return check_end();
}
