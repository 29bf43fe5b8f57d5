/* ranks: 1 2 4; mpich: skip 4.0 has no own representations, and MPI_ERR_ARG for what is not the same on all ranks; wrong: what all have to give alike is not, on purpose */
/* Opening, sizes and what files refuse (MPI 4.1 sections 14.2, 14.7): access modes, names, handles, read-only and write-only
 * files, sequential mode, error handlers. */
#include "check.h"
#include <sys/stat.h>
#include <unistd.h>

static char name[64];
static int calls = 0, last_class = MPI_SUCCESS;

static void remember(MPI_File *file, int *code, ...)
{
    (void)file;
    calls++;
    MPI_Error_class(*code, &last_class);
}

static int open_file(const char *path, int amode, MPI_File *file)
{
    *file = MPI_FILE_NULL;
    return MPI_File_open(MPI_COMM_WORLD, path, amode, MPI_INFO_NULL, file);
}

static int exists(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0;
}

static void modes(void)
{
    MPI_File file;
    int amode = -1;
    CHECK_CLASS(open_file(name, 0, &file), MPI_ERR_AMODE);
    CHECK_CLASS(open_file(name, MPI_MODE_CREATE, &file), MPI_ERR_AMODE);
    CHECK_CLASS(open_file(name, MPI_MODE_RDONLY | MPI_MODE_WRONLY, &file), MPI_ERR_AMODE);
    CHECK_CLASS(open_file(name, MPI_MODE_RDONLY | MPI_MODE_CREATE, &file), MPI_ERR_AMODE);
    CHECK_CLASS(open_file(name, MPI_MODE_RDONLY | MPI_MODE_EXCL, &file), MPI_ERR_AMODE);
    CHECK_CLASS(open_file(name, MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL, &file), MPI_ERR_AMODE);
    CHECK(file == MPI_FILE_NULL);
    CHECK_CLASS(open_file(name, MPI_MODE_RDONLY, &file), MPI_ERR_NO_SUCH_FILE);
    CHECK_CLASS(open_file("no_such_folder/file", MPI_MODE_RDWR | MPI_MODE_CREATE, &file),
                MPI_ERR_NO_SUCH_FILE);
    CHECK_CLASS(MPI_File_delete(name, MPI_INFO_NULL), MPI_ERR_NO_SUCH_FILE);
    if (size > 1)
        CHECK_CLASS(open_file(name, MPI_MODE_CREATE | (rank ? MPI_MODE_RDWR : MPI_MODE_WRONLY), &file),
                    MPI_ERR_NOT_SAME);
    barrier();
    CHECK(!exists(name));
    barrier();

    OK(open_file(name, MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR, &file));
    OK(MPI_File_get_amode(file, &amode));
    CHECK_EQ(amode, MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR);
    OK(MPI_File_close(&file));
    CHECK(file == MPI_FILE_NULL);
    CHECK_CLASS(open_file(name, MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR, &file), MPI_ERR_FILE_EXISTS);
    barrier();

    /* A name in ROMIO's way, and deleting at the end. */
    char prefixed[80];
    snprintf(prefixed, sizeof prefixed, "ufs:%s", name);
    OK(open_file(prefixed, MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE | MPI_MODE_UNIQUE_OPEN, &file));
    CHECK(exists(name));
    barrier();
    OK(MPI_File_close(&file));
    barrier();
    CHECK(!exists(name));
}

static void sizes(void)
{
    MPI_File file;
    MPI_Offset bytes = -1;
    MPI_Group group, world;
    int same = MPI_UNEQUAL;
    OK(open_file(name, MPI_MODE_CREATE | MPI_MODE_RDWR, &file));
    OK(MPI_File_set_size(file, 1000));
    OK(MPI_File_get_size(file, &bytes));
    CHECK_EQ(bytes, 1000);
    barrier();
    OK(MPI_File_preallocate(file, 500));
    OK(MPI_File_get_size(file, &bytes));
    CHECK_EQ(bytes, 1000);
    barrier();
    OK(MPI_File_preallocate(file, 70000));
    OK(MPI_File_get_size(file, &bytes));
    CHECK_EQ(bytes, 70000);
    barrier();
    OK(MPI_File_set_size(file, 10));
    OK(MPI_File_get_size(file, &bytes));
    CHECK_EQ(bytes, 10);
    CHECK_CLASS(MPI_File_set_size(file, -1), MPI_ERR_ARG);
    if (size > 1)
        CHECK_CLASS(MPI_File_set_size(file, rank), MPI_ERR_NOT_SAME);
    OK(MPI_File_get_group(file, &group));
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_compare(group, world, &same));
    CHECK_EQ(same, MPI_IDENT);
    OK(MPI_Group_free(&group));
    OK(MPI_Group_free(&world));

    int atomic = -1;
    OK(MPI_File_get_atomicity(file, &atomic));
    CHECK_EQ(atomic, 0);
    OK(MPI_File_set_atomicity(file, 1));
    OK(MPI_File_get_atomicity(file, &atomic));
    CHECK_EQ(atomic, 1);
    char byte = (char)rank;
    MPI_Status status;
    OK(MPI_File_write_at(file, rank, &byte, 1, MPI_BYTE, &status));
    OK(MPI_File_read_at(file, rank, &byte, 1, MPI_BYTE, &status));
    CHECK_EQ(byte, rank);
    if (size > 1)
        CHECK_CLASS(MPI_File_set_atomicity(file, rank == 0), MPI_ERR_NOT_SAME);
    OK(MPI_File_sync(file));
    OK(MPI_File_close(&file));
}

static void refusals(void)
{
    MPI_File file;
    MPI_Offset offset = 0;
    char bytes[8] = "abcdefg";
    int ints[2] = {0, 0};

    OK(open_file(name, MPI_MODE_RDONLY, &file));
    CHECK_CLASS(MPI_File_write(file, bytes, 1, MPI_BYTE, MPI_STATUS_IGNORE), MPI_ERR_READ_ONLY);
    CHECK_CLASS(MPI_File_set_size(file, 1), MPI_ERR_READ_ONLY);
    CHECK_CLASS(MPI_File_read_at(file, -1, bytes, 1, MPI_BYTE, MPI_STATUS_IGNORE), MPI_ERR_ARG);
    CHECK_CLASS(MPI_File_read(file, bytes, -1, MPI_BYTE, MPI_STATUS_IGNORE), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_File_read(file, bytes, 1, MPI_DATATYPE_NULL, MPI_STATUS_IGNORE), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_File_seek(file, -1, MPI_SEEK_SET), MPI_ERR_ARG);
    CHECK_CLASS(MPI_File_seek(file, 0, 17), MPI_ERR_ARG);
    CHECK_CLASS(MPI_File_get_size(file, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "external64", MPI_INFO_NULL),
                MPI_ERR_UNSUPPORTED_DATAREP);
    CHECK_CLASS(MPI_File_set_view(file, -1, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_File_set_view(file, 0, MPI_INT, MPI_BYTE, "native", MPI_INFO_NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_File_set_view(file, MPI_DISPLACEMENT_CURRENT, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL),
                MPI_ERR_ARG);
    OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    CHECK_CLASS(MPI_File_read(file, bytes, 3, MPI_BYTE, MPI_STATUS_IGNORE), MPI_ERR_ARG);
    CHECK_CLASS(MPI_File_read_all_end(file, ints, MPI_STATUS_IGNORE), MPI_ERR_IO);
    OK(MPI_File_read_all_begin(file, ints, 1, MPI_INT));
    CHECK_CLASS(MPI_File_read_all_begin(file, ints, 1, MPI_INT), MPI_ERR_IO);
    CHECK_CLASS(MPI_File_read_at_all_end(file, ints, MPI_STATUS_IGNORE), MPI_ERR_IO);
    OK(MPI_File_read_all_end(file, ints, MPI_STATUS_IGNORE));
    OK(MPI_File_close(&file));

    OK(open_file(name, MPI_MODE_WRONLY, &file));
    CHECK_CLASS(MPI_File_read(file, bytes, 1, MPI_BYTE, MPI_STATUS_IGNORE), MPI_ERR_ACCESS);
    OK(MPI_File_close(&file));

    OK(open_file(name, MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL, &file));
    CHECK_CLASS(MPI_File_write_at(file, 0, bytes, 1, MPI_BYTE, MPI_STATUS_IGNORE),
                MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK_CLASS(MPI_File_write(file, bytes, 1, MPI_BYTE, MPI_STATUS_IGNORE), MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK_CLASS(MPI_File_seek(file, 0, MPI_SEEK_SET), MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK_CLASS(MPI_File_get_position(file, &offset), MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK_CLASS(MPI_File_seek_shared(file, 0, MPI_SEEK_SET), MPI_ERR_UNSUPPORTED_OPERATION);
    OK(MPI_File_write_shared(file, bytes, 2, MPI_BYTE, MPI_STATUS_IGNORE));
    barrier();
    CHECK_CLASS(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL), MPI_ERR_ARG);
    OK(MPI_File_set_view(file, MPI_DISPLACEMENT_CURRENT, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    MPI_Datatype etype, filetype;
    char datarep[MPI_MAX_DATAREP_STRING];
    OK(MPI_File_get_view(file, &offset, &etype, &filetype, datarep));
    CHECK_EQ(offset, 2 * size);
    CHECK(etype == MPI_BYTE && filetype == MPI_BYTE && strcmp(datarep, "native") == 0);
    OK(MPI_File_close(&file));
}

static MPI_File handlers(void)
{
    MPI_Errhandler handler, now;
    MPI_File file, other;
    char byte;
    OK(MPI_File_create_errhandler(remember, &handler));
    OK(MPI_File_get_errhandler(MPI_FILE_NULL, &now));
    CHECK(now == MPI_ERRORS_RETURN);
    OK(MPI_File_set_errhandler(MPI_FILE_NULL, handler));
    CHECK_CLASS(open_file("no_such_folder/file", MPI_MODE_RDONLY, &file), MPI_ERR_NO_SUCH_FILE);
    CHECK_EQ(calls, 1);
    CHECK_EQ(last_class, MPI_ERR_NO_SUCH_FILE);
    OK(open_file(name, MPI_MODE_RDONLY, &file));
    OK(MPI_File_get_errhandler(file, &now));
    CHECK(now == handler);
    OK(MPI_Errhandler_free(&now));
    CHECK_CLASS(MPI_File_write(file, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE), MPI_ERR_READ_ONLY);
    CHECK_EQ(calls, 2);
    OK(MPI_File_call_errhandler(file, MPI_ERR_QUOTA));
    CHECK_EQ(last_class, MPI_ERR_QUOTA);
    OK(MPI_File_set_errhandler(file, MPI_ERRORS_RETURN));
    CHECK_CLASS(MPI_File_write(file, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE), MPI_ERR_READ_ONLY);
    CHECK_EQ(calls, 3);
    OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
    OK(MPI_Errhandler_free(&handler));
    other = file;
    OK(MPI_File_close(&file));
    return other;
}

static int no_extent(MPI_Datatype type, MPI_Aint *extent, void *state)
{
    (void)type, (void)state;
    *extent = 1;
    return MPI_SUCCESS;
}

/* Representations are defined by either function, for both. Without conversion functions, files are native. */
static void representations(void)
{
    MPI_File file;
    char byte = 'x', back = 0;
    OK(MPI_Register_datarep("mine", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, no_extent, NULL));
    OK(MPI_Register_datarep_c("large", MPI_CONVERSION_FN_NULL_C, MPI_CONVERSION_FN_NULL_C, no_extent, NULL));
    const char *names[] = { "mine", "large", "native", "external32", "internal" };
    for (int i = 0; i < 5; i++) {
        CHECK_CLASS(MPI_Register_datarep(names[i], MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, no_extent, NULL),
                    MPI_ERR_DUP_DATAREP);
        CHECK_SENTENCE(MPI_Register_datarep_c(names[i], MPI_CONVERSION_FN_NULL_C, MPI_CONVERSION_FN_NULL_C, no_extent, NULL),
                       MPI_ERR_DUP_DATAREP, names[i]);
    }
    CHECK_CLASS(MPI_Register_datarep_c("none", MPI_CONVERSION_FN_NULL_C, MPI_CONVERSION_FN_NULL_C, NULL, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Register_datarep_c(NULL, MPI_CONVERSION_FN_NULL_C, MPI_CONVERSION_FN_NULL_C, no_extent, NULL),
                MPI_ERR_ARG);
    OK(open_file(name, MPI_MODE_RDWR, &file));
    OK(MPI_File_write_at(file, 0, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE));
    for (int i = 0; i < 2; i++) {
        int value = 0x01020304, is = 0;
        OK(MPI_File_set_view(file, 4, MPI_INT, MPI_INT, names[i], MPI_INFO_NULL));
        OK(MPI_File_write_at(file, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
        OK(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
        OK(MPI_File_read_at(file, 4, &is, 4, MPI_BYTE, MPI_STATUS_IGNORE));
        CHECK_EQ(is, value);
    }
    CHECK_SENTENCE(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "theirs", MPI_INFO_NULL), MPI_ERR_UNSUPPORTED_DATAREP,
                   "theirs");
    /* The view is what it was. */
    OK(MPI_File_read_at(file, 0, &back, 1, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_EQ(back, 'x');
    OK(MPI_File_close(&file));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    snprintf(name, sizeof name, "file_errors.%d.tmp", size);
    if (rank == 0)
        unlink(name);
    barrier();
    modes();
    sizes();
    refusals();
    MPI_File file = handlers();
    MPI_Offset bytes;
    CHECK_CLASS(MPI_File_get_size(file, &bytes), MPI_ERR_FILE);
    file = MPI_FILE_NULL;
    CHECK_CLASS(MPI_File_close(&file), MPI_ERR_FILE);
    representations();
    barrier();
    if (rank == 0)
        OK(MPI_File_delete(name, MPI_INFO_NULL));
    barrier();
    CHECK(!exists(name));
    return check_end();
}
