/* ranks: 1 2 8; mpich: skip maps memory of its own for each window, which needs more */
/* The job's memory takes no more of a process's address space than is used of it: there is room under a limit that is set
 * when MPI runs, and where there is none a window fails on all processes alike (MPI 4.1 section 12.2.1). */
#include "check.h"

#include <sys/resource.h>

#define MEBIBYTE ((MPI_Aint)1 << 20)

/* Bytes of address space that this process has. */
static long long mapped(void)
{
    FILE *status = fopen("/proc/self/status", "r");
    char line[200];
    long long kib = -1;
    while (fgets(line, sizeof line, status) != NULL)
        sscanf(line, "VmSize: %lld", &kib);
    fclose(status);
    CHECK(kib > 0);
    return kib * 1024;
}

static void limit(long long bytes)
{
    struct rlimit all;
    CHECK(getrlimit(RLIMIT_AS, &all) == 0);
    all.rlim_cur = bytes < 0 ? all.rlim_max : (rlim_t)bytes;
    CHECK(setrlimit(RLIMIT_AS, &all) == 0);
}

/* A window to whose last process each other writes. */
static void window(MPI_Aint bytes)
{
    MPI_Win win;
    char *base, value = (char)(rank + 1);
    OK(MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    OK(MPI_Win_fence(0, win));
    for (int target = 0; target < size; target++)
        OK(MPI_Put(&value, 1, MPI_CHAR, target, bytes - 1 - rank, 1, MPI_CHAR, win));
    OK(MPI_Win_fence(0, win));
    for (int origin = 0; origin < size; origin++)
        CHECK(base[bytes - 1 - origin] == (char)(origin + 1));
    OK(MPI_Win_free(&win));
}

/* One process has no address space for what others have, or for what it asks for itself. */
static void without_room(MPI_Aint mine)
{
    MPI_Win win;
    char *base;
    if (rank == size - 1)
        limit(mapped() + 40 * MEBIBYTE);
    for (int round = 0; round < 5; round++) {
        CHECK_CLASS(MPI_Win_allocate(mine, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win), MPI_ERR_NO_MEM);
        CHECK_CLASS(MPI_Win_allocate_shared(mine, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win), MPI_ERR_NO_MEM);
    }
    limit(-1);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    barrier();
    CHECK(mapped() < 4096 * MEBIBYTE);
    limit(8192 * MEBIBYTE);
    void *own = malloc((size_t)(64 * MEBIBYTE));
    CHECK(own != NULL);
    free(own);
    window(MEBIBYTE);
    limit(-1);
    without_room(256 * MEBIBYTE);
    if (size > 1)
        without_room(rank == 0 ? 256 * MEBIBYTE : 0);
    /* Now there is room. */
    window(256 * MEBIBYTE);
    window(256 * MEBIBYTE);
    return check_end();
}
