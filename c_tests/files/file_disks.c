/* ranks: 1 2; mpich: skip its classes differ */
/* Disks that fail: quotas, file systems that are read-only, full, broken, gone; and disks that read and write in pieces. The
 * system's calls that a file's bytes pass are defined here, where the library finds them before those of the C library. */
#define _GNU_SOURCE
#include "check.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BYTES = 5000 };

static char name[64];

/* What fails next, on the file of that name only, with what error; and the most bytes of a read or write, if not 0. */
enum call { NONE, OPEN, READ, WRITE, SYNC, UNLINK, ALLOCATE, TRUNCATE };
static enum call failing;
static int failure;
static size_t piece;
/* So many calls more go well, and so many fail then. */
static int good, bad;
/* So many pieces were moved. */
static int pieces;

/* The file's name ends with ours. */
static int is_ours(const char *path)
{
    size_t length = strlen(path), ours = strlen(name);
    return ours > 0 && length >= ours && strcmp(path + length - ours, name) == 0;
}

static int is_our_descriptor(int fd)
{
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return 0;
    path[length] = 0;
    return is_ours(path);
}

static int fails(enum call call, int is_it)
{
    if (failing != call || !is_it)
        return 0;
    if (good > 0) {
        good--;
        return 0;
    }
    if (bad-- == 0) {
        bad = 0;
        return 0;
    }
    errno = failure;
    return 1;
}

#define REAL(name) (*(void **)(&real) = dlsym(RTLD_NEXT, name))

int open64(const char *path, int flags, ...)
{
    int (*real)(const char *, int, ...);
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    REAL("open64");
    return fails(OPEN, is_ours(path)) ? -1 : real(path, flags, mode);
}

ssize_t pread64(int fd, void *to, size_t bytes, off64_t at)
{
    ssize_t (*real)(int, void *, size_t, off64_t);
    int ours = is_our_descriptor(fd);
    REAL("pread64");
    pieces += ours;
    return fails(READ, ours) ? -1 : real(fd, to, ours && piece && bytes > piece ? piece : bytes, at);
}

ssize_t pwrite64(int fd, const void *from, size_t bytes, off64_t at)
{
    ssize_t (*real)(int, const void *, size_t, off64_t);
    int ours = is_our_descriptor(fd);
    REAL("pwrite64");
    pieces += ours;
    return fails(WRITE, ours) ? -1 : real(fd, from, ours && piece && bytes > piece ? piece : bytes, at);
}

int fdatasync(int fd)
{
    int (*real)(int);
    REAL("fdatasync");
    return fails(SYNC, is_our_descriptor(fd)) ? -1 : real(fd);
}

int unlink(const char *path)
{
    int (*real)(const char *);
    REAL("unlink");
    return fails(UNLINK, is_ours(path)) ? -1 : real(path);
}

/* This one returns its error. */
int posix_fallocate(int fd, off_t from, off_t bytes)
{
    int (*real)(int, off_t, off_t);
    REAL("posix_fallocate");
    return fails(ALLOCATE, is_our_descriptor(fd)) ? failure : real(fd, from, bytes);
}

int ftruncate64(int fd, off64_t bytes)
{
    int (*real)(int, off64_t);
    REAL("ftruncate64");
    return fails(TRUNCATE, is_our_descriptor(fd)) ? -1 : real(fd, bytes);
}

static void fail(enum call call, int error)
{
    failing = call;
    failure = error;
    good = 0;
    bad = 1000;
}

static const struct {
    int error, class;
    const char *text;
} errors[] = {
    { EDQUOT, MPI_ERR_QUOTA, "quota" },
    { EROFS, MPI_ERR_READ_ONLY, "ead-only" },
    { ENOSPC, MPI_ERR_NO_SPACE, "space" },
    { EFBIG, MPI_ERR_NO_SPACE, "large" },
    { EIO, MPI_ERR_IO, "nput/output" },
    { ENOMEM, MPI_ERR_NO_MEM, "memory" },
    { EBUSY, MPI_ERR_FILE_IN_USE, "busy" },
    { EACCES, MPI_ERR_ACCESS, "denied" },
    { EPERM, MPI_ERR_ACCESS, "permitted" },
};
enum { ERRORS = sizeof errors / sizeof *errors };

static MPI_File opened(int amode)
{
    MPI_File file = MPI_FILE_NULL;
    OK(MPI_File_open(MPI_COMM_WORLD, name, amode, MPI_INFO_NULL, &file));
    return file;
}

/* Whatever fails tells the class and the file; when the disk is well again, so is the file. */
static void calls(int error, int class, const char *text)
{
    char bytes[BYTES], back[BYTES];
    MPI_File file = MPI_FILE_NULL;
    MPI_Status status;
    MPI_Request request;
    MPI_Offset size_now;
    int count;
    fail(OPEN, error);
    CHECK_SENTENCE(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file), class,
                   rank == 0 ? text : "");
    CHECK(file == MPI_FILE_NULL);
    fail(NONE, 0);
    file = opened(MPI_MODE_RDWR | MPI_MODE_CREATE);

    memset(bytes, 1, sizeof bytes);
    fail(WRITE, error);
    CHECK_SENTENCE(MPI_File_write_at(file, 0, bytes, BYTES, MPI_BYTE, &status), class, name);
    CHECK_SENTENCE(MPI_File_write(file, bytes, BYTES, MPI_BYTE, &status), class, text);
    CHECK_CLASS(MPI_File_write_all(file, bytes, BYTES, MPI_BYTE, &status), class);
    CHECK_CLASS(MPI_File_write_shared(file, bytes, BYTES, MPI_BYTE, &status), class);
    CHECK_CLASS(MPI_File_iwrite_at(file, 0, bytes, BYTES, MPI_BYTE, &request), class);
    fail(SYNC, error);
    CHECK_SENTENCE(MPI_File_sync(file), class, text);
    fail(ALLOCATE, error);
    CHECK_CLASS(MPI_File_preallocate(file, 100), class);
    fail(TRUNCATE, error);
    CHECK_CLASS(MPI_File_set_size(file, 3 * BYTES), class);
    fail(NONE, 0);

    /* Every process writes its part, one after the other and in pieces. */
    fill(bytes, sizeof bytes, mix((uint64_t)error, (uint64_t)rank));
    OK(MPI_File_set_size(file, 0));
    OK(MPI_File_preallocate(file, (MPI_Offset)size * BYTES));
    OK(MPI_File_get_size(file, &size_now));
    CHECK_EQ(size_now, size * BYTES);
    piece = 700;
    pieces = 0;
    OK(MPI_File_write_at_all(file, (MPI_Offset)rank * BYTES, bytes, BYTES, MPI_BYTE, &status));
    OK(MPI_Get_count(&status, MPI_BYTE, &count));
    CHECK_EQ(count, BYTES);
    CHECK(pieces >= BYTES / 700);
    OK(MPI_File_sync(file));
    barrier();
    fail(READ, error);
    CHECK_SENTENCE(MPI_File_read_at(file, 0, back, BYTES, MPI_BYTE, &status), class, text);
    CHECK_CLASS(MPI_File_read(file, back, BYTES, MPI_BYTE, &status), class);
    CHECK_CLASS(MPI_File_read_at_all(file, 0, back, BYTES, MPI_BYTE, &status), class);
    fail(NONE, 0);
    for (int of = 0; of < size; of++) {
        memset(back, 0, sizeof back);
        OK(MPI_File_read_at(file, (MPI_Offset)of * BYTES, back, BYTES, MPI_BYTE, &status));
        OK(MPI_Get_count(&status, MPI_BYTE, &count));
        CHECK_EQ(count, BYTES);
        fill(bytes, sizeof bytes, mix((uint64_t)error, (uint64_t)of));
        CHECK_BYTES(back, bytes, BYTES);
    }
    piece = 0;
    barrier();
    OK(MPI_File_close(&file));
    if (rank == 0) {
        fail(UNLINK, error);
        CHECK_SENTENCE(MPI_File_delete(name, MPI_INFO_NULL), class, text);
        fail(NONE, 0);
        OK(MPI_File_delete(name, MPI_INFO_NULL));
    }
    barrier();
}

/* A disk that is full after two pieces: what was written before is in the file. And signals. */
static void full_in_the_middle(void)
{
    char bytes[BYTES], back[1000];
    MPI_Status status;
    MPI_File file = opened(MPI_MODE_RDWR | MPI_MODE_CREATE);
    fill(bytes, sizeof bytes, 3);
    if (rank == 0) {
        piece = 500;
        fail(WRITE, ENOSPC);
        good = 2;
        CHECK_CLASS(MPI_File_write_at(file, 0, bytes, BYTES, MPI_BYTE, &status), MPI_ERR_NO_SPACE);
        CHECK_EQ(good, 0);
        fail(NONE, 0);
        piece = 0;
        OK(MPI_File_read_at(file, 0, back, 1000, MPI_BYTE, &status));
        CHECK_BYTES(back, bytes, 1000);
        /* What a signal interrupts is no failure. */
        piece = 500;
        fail(WRITE, EINTR);
        bad = 3;
        good = 1;
        OK(MPI_File_write_at(file, 0, bytes, BYTES, MPI_BYTE, &status));
        CHECK_EQ(bad, 0);
        fail(READ, EINTR);
        bad = 3;
        good = 1;
        OK(MPI_File_read_at(file, BYTES - 1000, back, 1000, MPI_BYTE, &status));
        CHECK_EQ(bad, 0);
        CHECK_BYTES(back, bytes + BYTES - 1000, 1000);
        fail(NONE, 0);
        piece = 0;
    }
    OK(MPI_File_close(&file));
    barrier();
    if (rank == 0)
        OK(MPI_File_delete(name, MPI_INFO_NULL));
    barrier();
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    snprintf(name, sizeof name, "file_disks.%d.tmp", size);
    if (rank == 0)
        unlink(name);
    barrier();
    for (int e = 0; e < ERRORS; e++)
        calls(errors[e].error, errors[e].class, errors[e].text);
    full_in_the_middle();
    return check_end();
}
