/* ranks: 1 2; mpich: skip its classes differ */
/* What the system says of files becomes MPI's classes: names that cannot be, folders, programs that run, full disks. */
#include "check.h"
#include <sys/stat.h>
#include <unistd.h>

static MPI_File file;

static int open_as(const char *name, int amode)
{
    return MPI_File_open(MPI_COMM_WORLD, name, amode, MPI_INFO_NULL, &file);
}

static void names(void)
{
    static char long_name[5000];
    memset(long_name, 'n', sizeof long_name - 1);
    CHECK_CLASS(open_as(long_name, MPI_MODE_RDWR | MPI_MODE_CREATE), MPI_ERR_BAD_FILE);
    CHECK_CLASS(MPI_File_delete(long_name, MPI_INFO_NULL), MPI_ERR_BAD_FILE);
    CHECK_CLASS(open_as("/proc/self/exe/below", MPI_MODE_RDONLY), MPI_ERR_BAD_FILE);
    CHECK_CLASS(open_as("", MPI_MODE_RDONLY), MPI_ERR_BAD_FILE);
    CHECK_CLASS(open_as(".", MPI_MODE_RDWR), MPI_ERR_BAD_FILE);
    CHECK_CLASS(MPI_File_delete("no_such_folder/file", MPI_INFO_NULL), MPI_ERR_NO_SUCH_FILE);
    CHECK(file == MPI_FILE_NULL);
}

static void running_programs(void)
{
    CHECK_CLASS(open_as("/proc/self/exe", MPI_MODE_RDWR), MPI_ERR_FILE_IN_USE);
}

static void full_disks(void)
{
    char bytes[100] = "";
    MPI_Request request;
    if (access("/dev/full", W_OK) != 0)
        return;
    OK(open_as("/dev/full", MPI_MODE_WRONLY));
    CHECK_CLASS(MPI_File_write_at(file, 0, bytes, 100, MPI_BYTE, MPI_STATUS_IGNORE), MPI_ERR_NO_SPACE);
    CHECK_CLASS(MPI_File_write(file, bytes, 100, MPI_BYTE, MPI_STATUS_IGNORE), MPI_ERR_NO_SPACE);
    CHECK_CLASS(MPI_File_write_shared(file, bytes, 100, MPI_BYTE, MPI_STATUS_IGNORE), MPI_ERR_NO_SPACE);
    CHECK_CLASS(MPI_File_write_at_all(file, 0, bytes, 100, MPI_BYTE, MPI_STATUS_IGNORE), MPI_ERR_NO_SPACE);
    CHECK_CLASS(MPI_File_write_ordered(file, bytes, 100, MPI_BYTE, MPI_STATUS_IGNORE), MPI_ERR_NO_SPACE);
    CHECK_CLASS(MPI_File_iwrite_at(file, 0, bytes, 100, MPI_BYTE, &request), MPI_ERR_NO_SPACE);
    OK(MPI_File_close(&file));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    file = MPI_FILE_NULL;
    names();
    running_programs();
    full_disks();
    return check_end();
}
