/* ranks: 1 2; launcher: mpiexec preload path */
/* A profiling tool's own MPI functions that call PMPI_ ones: they are called by the program and by nobody else, and
 * nothing the library does inside goes through them (MPI 4.1 section 15.2). */
#include "check.h"

static int puts_, gets_, fences, barriers, allreduces, depth;

#define ENTER(counter)                                                                \
    do {                                                                              \
        (counter)++;                                                                  \
        if (++depth != 1)                                                             \
            check_failed(__FILE__, __LINE__, "the library called MPI_ itself");      \
    } while (0)

int MPI_Put(const void *origin, int count, MPI_Datatype type, int target, MPI_Aint at, int target_count,
            MPI_Datatype target_type, MPI_Win win)
{
    ENTER(puts_);
    int code = PMPI_Put(origin, count, type, target, at, target_count, target_type, win);
    depth--;
    return code;
}

int MPI_Get(void *origin, int count, MPI_Datatype type, int target, MPI_Aint at, int target_count,
            MPI_Datatype target_type, MPI_Win win)
{
    ENTER(gets_);
    int code = PMPI_Get(origin, count, type, target, at, target_count, target_type, win);
    depth--;
    return code;
}

int MPI_Win_fence(int assert, MPI_Win win)
{
    ENTER(fences);
    int code = PMPI_Win_fence(assert, win);
    depth--;
    return code;
}

int MPI_Barrier(MPI_Comm comm)
{
    ENTER(barriers);
    int code = PMPI_Barrier(comm);
    depth--;
    return code;
}

int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    ENTER(allreduces);
    int code = PMPI_Allreduce(from, to, count, type, op, comm);
    depth--;
    return code;
}

int main(int argc, char **argv)
{
    MPI_Win win, created;
    MPI_Comm comm;
    int *base, memory[4], value, got = -1, sum;
    check_start(&argc, &argv);
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &base, &win));
    OK(MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, comm, &created));
    value = 10 + rank;
    OK(MPI_Win_fence(0, win));
    OK(MPI_Put(&value, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win));
    OK(MPI_Win_fence(0, win));
    OK(MPI_Get(&got, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win));
    OK(MPI_Win_fence(0, win));
    CHECK_EQ(got, value);
    OK(MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK_EQ(sum, 10 * size + size * (size - 1) / 2);
    OK(MPI_Barrier(comm));
    OK(MPI_Win_free(&win));
    OK(MPI_Win_free(&created));
    OK(MPI_Comm_free(&comm));
    CHECK_EQ(puts_, 1);
    CHECK_EQ(gets_, 1);
    CHECK_EQ(fences, 3);
    CHECK_EQ(barriers, 1);
    CHECK_EQ(allreduces, 1);
    return check_end();
}
