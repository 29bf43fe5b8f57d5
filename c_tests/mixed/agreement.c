/* ranks: 3 6; mpich: skip an error on one rank leaves the others waiting; wrong: what all have to give alike is not, on purpose */
/* One rank is wrong, and all get the error, each by the number that its own header has for the class. tests/mixed runs this with
 * ranks that were compiled with different headers. */
#include "check.h"

#include <unistd.h>

static char name[64];

/* Nobody gets the file. */
static void modes(int culprit)
{
    const int wrong = rank == culprit;
    MPI_File file;
    CHECK_CLASS(MPI_File_open(MPI_COMM_WORLD, name, wrong ? MPI_MODE_RDONLY | MPI_MODE_WRONLY : MPI_MODE_RDONLY, MPI_INFO_NULL, &file),
                MPI_ERR_AMODE);
    CHECK_CLASS(MPI_File_open(MPI_COMM_WORLD, name, wrong ? MPI_MODE_RDWR : MPI_MODE_RDONLY, MPI_INFO_NULL, &file), MPI_ERR_NOT_SAME);
    CHECK_CLASS(MPI_File_open(MPI_COMM_WORLD, "/nowhere/at/all", MPI_MODE_RDONLY, MPI_INFO_NULL, &file), MPI_ERR_NO_SUCH_FILE);
    CHECK_CLASS(MPI_File_open(MPI_COMM_WORLD, wrong ? "" : name, MPI_MODE_RDONLY, MPI_INFO_NULL, &file), MPI_ERR_BAD_FILE);
    CHECK_CLASS(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL, MPI_INFO_NULL, &file),
                MPI_ERR_FILE_EXISTS);
}

static void pointers(int culprit)
{
    const int wrong = rank == culprit;
    MPI_File file;
    MPI_Offset at;
    OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR, MPI_INFO_NULL, &file));
    OK(MPI_File_seek_shared(file, 3, MPI_SEEK_SET));
    CHECK_CLASS(MPI_File_seek_shared(file, 2, wrong ? MPI_SEEK_SET : MPI_SEEK_CUR), MPI_ERR_NOT_SAME);
    CHECK_CLASS(MPI_File_seek_shared(file, 2, wrong ? 12345 : MPI_SEEK_CUR), MPI_ERR_ARG);
    CHECK_CLASS(MPI_File_seek_shared(file, wrong ? -10 : 1, MPI_SEEK_END), MPI_ERR_ARG);
    CHECK_CLASS(MPI_File_set_size(file, wrong ? 9 : 8), MPI_ERR_NOT_SAME);
    CHECK_CLASS(MPI_File_set_atomicity(file, wrong), MPI_ERR_NOT_SAME);
    OK(MPI_File_get_position_shared(file, &at));
    CHECK_EQ(at, 3);
    barrier();
    OK(MPI_File_close(&file));
}

static void windows(int culprit)
{
    const int wrong = rank == culprit;
    MPI_Win win;
    char memory[64];
    void *base;
    CHECK_CLASS(MPI_Win_create(memory, wrong ? -1 : 64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_ERR_SIZE);
    CHECK_CLASS(MPI_Win_create(memory, 64, wrong ? 0 : 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_ERR_DISP);
    CHECK_CLASS(MPI_Win_create(wrong ? (void *)64 : memory, 64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_ERR_BASE);
    CHECK_CLASS(MPI_Win_allocate(wrong ? -1 : 64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win), MPI_ERR_SIZE);
    CHECK_CLASS(MPI_Win_allocate_shared(64, wrong ? -3 : 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win), MPI_ERR_DISP);
    CHECK_CLASS(MPI_Win_allocate(wrong ? INT64_MAX / 2 : 64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win), MPI_ERR_NO_MEM);
}

/* The one gets its error, the others that there was one. */
static void communicators(int culprit)
{
    const int wrong = rank == culprit;
    const int dims[1] = {wrong ? size - 1 : size}, periods[1] = {0};
    MPI_Comm comm = MPI_COMM_WORLD, made;
    CHECK_CLASS(MPI_Comm_split(comm, wrong ? -5 : 0, 0, &made), wrong ? MPI_ERR_ARG : MPI_ERR_OTHER);
    CHECK_CLASS(MPI_Comm_split_type(comm, wrong ? 4711 : MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made),
                wrong ? MPI_ERR_ARG : MPI_ERR_OTHER);
    CHECK_CLASS(MPI_Cart_create(comm, 1, dims, periods, 0, &made), MPI_ERR_NOT_SAME);
    CHECK_CLASS(MPI_Cart_create(comm, 1, wrong ? (int[]){size + 1} : dims, periods, 0, &made), wrong ? MPI_ERR_DIMS : MPI_ERR_OTHER);
}

/* Only the receivers meet these. */
static void messages(int culprit)
{
    MPI_Request requests[2];
    MPI_Status statuses[2];
    long long data[2] = {0};
    char one;
    if (rank == culprit) {
        for (int to = 0; to < size; to++)
            if (to != rank) {
                OK(MPI_Send(data, sizeof data, MPI_CHAR, to, 7, MPI_COMM_WORLD));
                OK(MPI_Send(data, 1, MPI_LONG_LONG, to, 8, MPI_COMM_WORLD));
            }
        return;
    }
    OK(MPI_Irecv(&one, 1, MPI_CHAR, culprit, 7, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Irecv(data, 1, MPI_LONG_LONG, MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, &requests[1]));
    CHECK_CLASS(MPI_Waitall(2, requests, statuses), MPI_ERR_IN_STATUS);
    CHECK_CLASS(statuses[0].MPI_ERROR, MPI_ERR_TRUNCATE);
    CHECK_EQ(statuses[1].MPI_ERROR, MPI_SUCCESS);
    CHECK_EQ(statuses[1].MPI_SOURCE, culprit);
    CHECK_EQ(statuses[1].MPI_TAG, 8);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    if (rank == 0) {
        snprintf(name, sizeof name, "/tmp/rmashm-agreement-%ld", (long)getpid());
        FILE *file = fopen(name, "w");
        CHECK(file != NULL);
        fputs("12345678", file);
        fclose(file);
    }
    OK(MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD));
    for (int culprit = 0; culprit < size; culprit++) {
        modes(culprit);
        pointers(culprit);
        windows(culprit);
        communicators(culprit);
        messages(culprit);
        barrier();
    }
    if (rank == 0)
        CHECK_EQ(unlink(name), 0);
    return check_end();
}
