/* ranks: 2 4; launcher: mpiexec hydra; mpich: skip needs descriptors of its own */
/* A program that closes all descriptors it does not know, and opens files of its own under their numbers, goes on, and so do
 * its files: nothing is written, moved or cut off there, and nobody is taken for dead. Waiting opens none. */
#include "check.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#define MEBIBYTE ((MPI_Aint)1 << 20)
enum { FILES = 1100, PAGES = 8192 };

static int open_descriptors(void)
{
    DIR *all = opendir("/proc/self/fd");
    int count = 0;
    while (readdir(all) != NULL)
        count++;
    closedir(all);
    return count;
}

/* Others wait so long that they look whether this process lives. */
static void long_wait(void)
{
    if (rank == 0)
        usleep(1000000);
    barrier();
}

static void window(MPI_Aint bytes, MPI_Win *win)
{
    char *base;
    OK(MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, win));
    base[0] = base[bytes - 1] = 1;
    barrier();
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    MPI_Win win;
    window(4 * MEBIBYTE, &win);
    const int before = open_descriptors();
    long_wait();
    CHECK(open_descriptors() == before);
    /* A process manager of another kind ends a process that closes the connection to it. */
    const char *manager = getenv("PMI_FD");
    const int spared = manager == NULL ? -1 : atoi(manager);
    for (int fd = 3; fd < FILES; fd++)
        if (fd != spared)
            close(fd);
    char name[] = "/tmp/rmashm-descriptors-XXXXXX";
    const int file = mkstemp(name);
    CHECK(file >= 0);
    unlink(name);
    /* The system need not have so many numbers. */
    while (dup(file) >= 0 && dup(file) < FILES)
        ;
    CHECK(ftruncate(file, (off_t)1 << 32) == 0);
    for (off_t page = 0; page < PAGES; page++)
        CHECK(pwrite(file, "x", 1, page * 4096) == 1);
    CHECK(lseek(file, 17, SEEK_SET) == 17);
    OK(MPI_Win_free(&win));
    for (int round = 0; round < 3; round++) {
        window((16 << round) * MEBIBYTE, &win);
        OK(MPI_Win_free(&win));
    }
    void *more;
    OK(MPI_Alloc_mem(100 * MEBIBYTE, MPI_INFO_NULL, &more));
    OK(MPI_Free_mem(more));
    CHECK(lseek(file, 0, SEEK_CUR) == 17);
    for (off_t page = 0; page < PAGES; page++) {
        char byte = 0;
        CHECK(pread(file, &byte, 1, page * 4096) == 1 && byte == 'x');
    }
    long_wait();
    return check_end();
}
