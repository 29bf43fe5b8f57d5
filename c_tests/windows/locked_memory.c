/* ranks: 1 4; mpich: skip locks as much memory as it has mapped, which is a question of its settings */
/* A program may lock its memory, as real-time programs do: that takes what is used and not what could be. */
#include "check.h"

#include <errno.h>
#include <sys/mman.h>

#define MEBIBYTE ((MPI_Aint)1 << 20)

/* Bytes, by their name in /proc. */
static long long status(const char *name)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[200];
    long long kib = -1;
    while (fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, name, strlen(name)) == 0)
            sscanf(line + strlen(name), ": %lld", &kib);
    fclose(file);
    CHECK(kib >= 0);
    return kib * 1024;
}

static void window(MPI_Aint bytes)
{
    MPI_Win win;
    char *base;
    OK(MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    memset(base, rank + 1, (size_t)bytes);
    barrier();
    char there = 0;
    OK(MPI_Win_lock(MPI_LOCK_SHARED, (rank + 1) % size, 0, win));
    OK(MPI_Get(&there, 1, MPI_CHAR, (rank + 1) % size, bytes - 1, 1, MPI_CHAR, win));
    OK(MPI_Win_unlock((rank + 1) % size, win));
    CHECK(there == (char)((rank + 1) % size + 1));
    OK(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    window(MEBIBYTE);
    /* Before it is tried: a machine whose memory was filled with terabytes would not come back. */
    CHECK(status("VmSize") < 4096 * MEBIBYTE);
    int refused = mlockall(MCL_CURRENT | MCL_FUTURE);
    /* To a user with a small limit the system may refuse it, whatever is mapped. */
    CHECK(!refused || errno == EPERM || errno == ENOMEM);
    CHECK(status("VmLck") < 1024 * MEBIBYTE);
    for (int round = 0; round < 4; round++)
        window((1 + round) * MEBIBYTE);
    CHECK(status("VmLck") < 1024 * MEBIBYTE);
    /* Messages too, and what the library makes when it is first used. */
    int sum = 0;
    OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK(sum == size * (size - 1) / 2);
    return check_end();
}
