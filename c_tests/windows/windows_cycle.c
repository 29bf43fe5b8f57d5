/* ranks: 2; name: 1000000; args: 1000000; seconds: 300; mpich: skip a window takes it milliseconds */
/* ranks: 4 8; name: 5000; args: 5000; mpich: skip a window takes it milliseconds */
/* ranks: 2; name: 500; args: 500 */
/* Windows made and freed over and over: memory, descriptors and mappings stay as they were. */
#include "check.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

/* Pages of the process's own. Those of files, libraries above all, go and come back where memory is short. */
static long own_pages(void)
{
    long total = 0, resident = 0, of_files = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    CHECK(statm != NULL);
    CHECK_EQ(fscanf(statm, "%ld %ld %ld", &total, &resident, &of_files), 3);
    fclose(statm);
    return resident - of_files;
}

static int entries(const char *folder)
{
    int count = 0;
    DIR *open = opendir(folder);
    CHECK(open != NULL);
    while (readdir(open))
        count++;
    closedir(open);
    return count;
}

/* Bytes of memory that the job's file holds; 0 where there is none. */
static long long segment(void)
{
    long long bytes = 0;
    DIR *open = opendir("/proc/self/fd");
    CHECK(open != NULL);
    for (struct dirent *entry = readdir(open); entry; entry = readdir(open)) {
        char path[300], target[300];
        struct stat status;
        snprintf(path, sizeof path, "/proc/self/fd/%s", entry->d_name);
        ssize_t length = readlink(path, target, sizeof target - 1);
        target[length < 0 ? 0 : length] = 0;
        if (strstr(target, "memfd:rmashm") != NULL && stat(path, &status) == 0)
            bytes = (long long)status.st_blocks * 512;
    }
    closedir(open);
    return bytes;
}

static int mappings(void)
{
    int lines = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    CHECK(maps != NULL);
    for (int c = getc(maps); c != EOF; c = getc(maps))
        lines += c == '\n';
    fclose(maps);
    return lines;
}

static void cycle(int count)
{
    int memory[16];
    for (int i = 0; i < count; i++) {
        MPI_Win win;
        int *base = memory;
        if (i % 4 == 0)
            OK(MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
        else if (i % 4 == 1)
            OK(MPI_Win_allocate(5000, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
        else
            OK(MPI_Win_allocate_shared(64 << (i % 12), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
        base[0] = i;
        OK(MPI_Win_free(&win));
    }
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    CHECK_EQ(argc, 2);
    int count = atoi(argv[1]);
    cycle(count > 5000 ? count / 10 : 500); /* all tables have their size now: handles rest before they are used again */
    long own = own_pages();
    barrier();
    long long held = segment();
    int descriptors = entries("/proc/self/fd"), maps = mappings();
    cycle(count);
    /* A page for 200 windows would be a leak of 20 bytes each. */
    long more = own_pages() - own;
    CHECK(more < 64 + count / 1000);
    barrier();
    CHECK(segment() < held + (16 << 20)); /* so much may be kept for the next windows */
    CHECK(entries("/proc/self/fd") <= descriptors + size); /* one for each rank, from the first long wait on */
    CHECK(mappings() <= maps + 8);
    return check_end();
}
