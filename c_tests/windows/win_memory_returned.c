/* ranks: 1 2 4; mpich: skip looks at the memory file of rmashm's jobs */
/* Memory of freed windows and of MPI_Free_mem goes back to the system, and failures leave none behind: the job's memory file
 * holds little afterwards (MPI 4.1 section 12.2.5). */
#include "segment.h"

#define MEBIBYTE ((MPI_Aint)1 << 20)

static void window(MPI_Aint bytes, int shared)
{
    MPI_Win win;
    char *base;
    if (shared)
        OK(MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    else
        OK(MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    memset(base, 1, (size_t)bytes);
    barrier();
    CHECK(segment_bytes() >= size * bytes);
    barrier();
    OK(MPI_Win_free(&win));
}

/* Bytes that the machine can give now, as it says. */
static MPI_Aint available(void)
{
    FILE *info = fopen("/proc/meminfo", "r");
    char line[200];
    long long sum = 0, kib;
    while (fgets(line, sizeof line, info) != NULL)
        if (sscanf(line, "MemAvailable: %lld", &kib) == 1 || sscanf(line, "SwapFree: %lld", &kib) == 1)
            sum += kib * 1024;
    fclose(info);
    return (MPI_Aint)sum;
}

/* Memory that is promised cannot be promised again before it is given back, touched or not. */
static void promises(void)
{
    const MPI_Aint bytes = available() / 10 * 7;
    for (int round = 0; round < 20; round++) {
        char *one, *two;
        if (MPI_Alloc_mem(bytes, MPI_INFO_NULL, &one) != MPI_SUCCESS) {
            /* The cgroup of the job, or what others took meanwhile, leaves less: nothing to be seen here. */
            CHECK(round == 0 || bytes > available() / 10 * 9);
            return;
        }
        CHECK_CLASS(MPI_Alloc_mem(bytes, MPI_INFO_NULL, &two), MPI_ERR_NO_MEM);
        OK(MPI_Free_mem(one));
    }
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    window(MEBIBYTE, 0);
    barrier();
    const long long before = segment_bytes();
    barrier();
    for (int round = 0; round < 3; round++) {
        window(24 * MEBIBYTE, 0);
        window(24 * MEBIBYTE, 1);
        window(3 * MEBIBYTE + 5, 1);
    }
    /* Many small ones, all at the same time. */
    enum { MANY = 200 };
    MPI_Win wins[MANY];
    char *base;
    for (int i = 0; i < MANY; i++) {
        OK(MPI_Win_allocate(100000, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &wins[i]));
        memset(base, 2, 100000);
    }
    for (int i = 0; i < MANY; i++)
        OK(MPI_Win_free(&wins[i]));
    /* Windows that fail on the last rank, when the others have their memory. */
    for (int i = 0; i < 50; i++) {
        MPI_Win win;
        MPI_Aint bytes = rank == size - 1 ? -1 : 64 * MEBIBYTE;
        CHECK_CLASS(MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win), MPI_ERR_SIZE);
        CHECK_CLASS(MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win), MPI_ERR_SIZE);
    }
    char *mine;
    OK(MPI_Alloc_mem(32 * MEBIBYTE, MPI_INFO_NULL, &mine));
    memset(mine, 3, (size_t)(32 * MEBIBYTE));
    OK(MPI_Free_mem(mine));
    barrier();
    /* What each rank may keep back of freed small pieces is below 10 MiB. */
    CHECK(segment_bytes() - before < size * 10 * MEBIBYTE);
    barrier();
    if (rank == 0)
        promises();
    barrier();
    return check_end();
}
