/* ranks: 2; mpich: skip it is about what rmashm does with the program's memory */
/* Where the process has no descriptor left as a window is freed, its memory stays in the job's segment. What the program makes of it then,
 * longer by `realloc`, has nothing that is another window's. */
#include "adopt.h"

#include <sys/resource.h>

enum { BYTES = 1 << 20, LONGER = 8 << 20, MOST = 64 };

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    unsigned char *memory = malloc(BYTES), *other = malloc(BYTES), *allocated;
    memset(memory, 1 + rank, BYTES);
    memset(other, 11 + rank, BYTES);
    MPI_Win windows[3] = {window_of(MPI_COMM_WORLD, memory, BYTES, "true"), window_of(MPI_COMM_WORLD, other, BYTES, "true")};
    OK(MPI_Win_allocate(BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &allocated, &windows[2]));
    memset(allocated, 21 + rank, BYTES);
    barrier();
    struct rlimit limit;
    int taken[MOST], count = 0;
    CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    rlim_t before = limit.rlim_cur;
    limit.rlim_cur = MOST;
    CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    while (count < MOST && (taken[count] = dup(0)) >= 0)
        count++;
    OK(MPI_Win_free(&windows[0]));
    while (count > 0)
        close(taken[--count]);
    limit.rlim_cur = before;
    CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    memory = realloc(memory, LONGER);
    CHECK(memory != NULL);
    for (int i = 0; i < BYTES; i++)
        CHECK_EQ(memory[i], 1 + rank);
    memset(memory + BYTES, 99, LONGER - BYTES);
    barrier();
    for (int i = 0; i < BYTES; i++) {
        CHECK_EQ(other[i], 11 + rank);
        CHECK_EQ(allocated[i], 21 + rank);
    }
    barrier();
    OK(MPI_Win_free(&windows[1]));
    OK(MPI_Win_free(&windows[2]));
    free(memory);
    free(other);
    return check_end();
}
