/* ranks: 2 3; seconds: 40; mpich: skip maps memory of its own */
/* Collective calls in which one process alone has no address space left for what the others have, or for its part of the work:
 * where there is another way the call goes that way, else all get an error, nobody waits for ever, and all goes on. */
#include "check.h"
#include <sys/mman.h>
#include <sys/resource.h>

#define MEBIBYTE ((size_t)1 << 20)

/* Lets the last process have `more` bytes more than it has; all if negative. */
static void limit(long more)
{
    long pages = 0;
    struct rlimit bytes;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file && fscanf(file, "%ld", &pages) == 1);
    fclose(file);
    CHECK_EQ(getrlimit(RLIMIT_AS, &bytes), 0);
    bytes.rlim_cur = more < 0 ? bytes.rlim_max : (rlim_t)(pages * 4096 + more);
    if (rank == size - 1)
        CHECK_EQ(setrlimit(RLIMIT_AS, &bytes), 0);
}

/* Whether a call fails at all processes, which is so at all or at none: with MPI_ERR_NO_MEM at the last, elsewhere with `class`. */
static int fails(int code, int class, MPI_Comm comm)
{
    int failed = code != MPI_SUCCESS, most = -1, least = -1;
    OK(MPI_Allreduce(&failed, &most, 1, MPI_INT, MPI_MAX, comm));
    OK(MPI_Allreduce(&failed, &least, 1, MPI_INT, MPI_MIN, comm));
    CHECK_EQ(most, least);
    if (failed)
        CHECK_CLASS(code, rank == size - 1 ? MPI_ERR_NO_MEM : class);
    return failed;
}

/* What others allocate lies where the last process cannot map it. */
static void not_mapped(void)
{
    enum { CALLS = 3, MOST = 2000 };
    static MPI_Comm made[MOST];
    static char block[50000];
    MPI_Comm comm;
    MPI_File file;
    void *far = NULL;
    int failed[CALLS] = {0}, count = 0, sum = 0, color = 0;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    OK(MPI_Barrier(comm));
    limit(16 * MEBIBYTE);
    if (rank == 0)
        OK(MPI_Alloc_mem(64 * MEBIBYTE, MPI_INFO_NULL, &far));
    OK(MPI_Barrier(comm));
    for (int round = 1; round <= 3; round++) {
        OK(MPI_Allreduce(&round, &sum, 1, MPI_INT, MPI_SUM, comm));
        CHECK_EQ(sum, size * round);
    }
    /* The last cannot put its block there. */
    memset(block, rank + 1, sizeof block);
    OK(MPI_Gather(block, sizeof block, MPI_BYTE, far, sizeof block, MPI_BYTE, 0, comm));
    for (size_t i = 0; rank == 0 && i < size * sizeof block; i++)
        CHECK_EQ(((char *)far)[i], (int)(i / sizeof block) + 1);
    /* There is some room for what is small at first. */
    while (count + 2 <= MOST && !(failed[0] && failed[1])) {
        failed[0] = fails(MPI_Comm_dup(comm, &made[count]), MPI_ERR_OTHER, comm);
        count += !failed[0];
        failed[1] = fails(MPI_Comm_split(comm, color, rank, &made[count]), MPI_ERR_OTHER, comm);
        count += !failed[1];
    }
    CHECK(failed[0] && failed[1]);
    failed[2] = fails(MPI_File_open(comm, "coll_little_memory.tmp", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                                    MPI_INFO_NULL, &file), MPI_ERR_NO_MEM, comm);
    if (!failed[2])
        OK(MPI_File_close(&file));
    limit(-1);
    while (count > 0)
        OK(MPI_Comm_free(&made[--count]));
    if (rank == 0) {
        OK(MPI_Free_mem(far));
        remove("coll_little_memory.tmp");
    }
    barrier();
    OK(MPI_Comm_free(&comm));
}

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    MPI_Aint low, extent;
    MPI_Type_get_extent(*type, &low, &extent);
    for (int i = 0; i < *count; i++)
        *(int *)((char *)inout + i * extent) += *(int *)((char *)in + i * extent);
}

/* The elements lie far apart: the last process has no room to unpack those of the others. */
static void no_room_to_fold(void)
{
    enum { N = 1000, APART = 64 << 10 };
    size_t bytes = (size_t)N * APART;
    char *from = mmap(NULL, 2 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0), *to;
    int one = 1, sum = 0;
    MPI_Datatype sparse;
    MPI_Op op;
    CHECK(from != MAP_FAILED);
    to = from + bytes;
    OK(MPI_Type_create_resized(MPI_INT, 0, APART, &sparse));
    OK(MPI_Type_commit(&sparse));
    OK(MPI_Op_create(add, 1, &op));
    for (int i = 0; i < N; i++)
        *(int *)(from + (size_t)i * APART) = rank + i;
    OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    limit(32 * MEBIBYTE);
    CHECK_CLASS(MPI_Allreduce(from, to, N, sparse, op, MPI_COMM_WORLD), rank == size - 1 ? MPI_ERR_NO_MEM : MPI_ERR_OTHER);
    limit(-1);
    OK(MPI_Allreduce(from, to, N, sparse, op, MPI_COMM_WORLD));
    for (int i = 0; i < N; i++)
        CHECK_EQ(*(int *)(to + (size_t)i * APART), size * (size - 1) / 2 + size * i);
    OK(MPI_Op_free(&op));
    OK(MPI_Type_free(&sparse));
    CHECK_EQ(munmap(from, 2 * bytes), 0);
}

/* What several operations that do not block lay out for each other: the last process has no memory for it, and none to see what the others
 * have. `all`: it has. Gives how many have failed. */
static int begin_several(int all)
{
    enum { SEVERAL = 5, N = 16384 };
    static int given[SEVERAL][N], got[SEVERAL][N];
    MPI_Request requests[SEVERAL];
    int codes[SEVERAL], failures = 0;
    for (int k = 0; k < SEVERAL; k++)
        for (int i = 0; i < N; i++)
            given[k][i] = rank + k * 100 + i, got[k][i] = -1;
    for (int k = 0; k < SEVERAL; k++)
        codes[k] = MPI_Iallreduce(given[k], got[k], N, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[k]);
    for (int k = 0; k < SEVERAL; k++)
        if (codes[k] == MPI_SUCCESS)
            codes[k] = MPI_Wait(&requests[k], MPI_STATUS_IGNORE);
    for (int k = 0; k < SEVERAL; k++) {
        int failed = codes[k] != MPI_SUCCESS, most = -1, least = -1;
        OK(MPI_Allreduce(&failed, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
        OK(MPI_Allreduce(&failed, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
        CHECK_EQ(most, least);
        CHECK(!failed || !all);
        failures += failed;
        for (int i = 0; i < N; i++)
            CHECK_EQ(got[k][i], failed ? -1 : size * (size - 1) / 2 + size * (k * 100 + i));
    }
    return failures;
}

static void nowhere_to_lay_out(void)
{
    enum { MOST = 4000, BLOCK = 128 << 10 };
    static void *blocks[MOST];
    int count = 0;
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    begin_several(1);
    barrier();
    limit(3 * MEBIBYTE);
    if (rank == size - 1)
        while (count < MOST && MPI_Alloc_mem(BLOCK, MPI_INFO_NULL, &blocks[count]) == MPI_SUCCESS)
            count++;
    CHECK(count < MOST);
    begin_several(0);
    limit(-1);
    while (count > 0)
        OK(MPI_Free_mem(blocks[--count]));
    barrier();
    begin_several(1);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    no_room_to_fold();
    not_mapped();
    nowhere_to_lay_out();
    return check_end();
}
