/* Making and freeing windows: the first ones, large ones, and with ten thousand others alive. */
#include "bench.h"

static void shared(MPI_Aint bytes)
{
    MPI_Win win;
    char *memory;
    MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_free(&win);
}

static void created(char *memory, MPI_Aint bytes)
{
    MPI_Win win;
    MPI_Win_create(memory, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_free(&win);
}

static void dynamic(void)
{
    MPI_Win win;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_free(&win);
}

/* `x` is the number of windows alive. What a peer cannot hold ends its job, after all else was printed. */
static void among(int many)
{
    MPI_Win *others = malloc(many * sizeof *others);
    char *memory;
    for (int i = 0; i < many; i++)
        MPI_Win_allocate_shared(4096, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &others[i]);
    TIMED(TOGETHER, "shared_among", many, shared(4096));
    for (int i = 0; i < many; i++)
        MPI_Win_free(&others[i]);
    free(others);
}

void family_windows(void)
{
    char *memory = malloc(4096);
    TIMED(TOGETHER, "shared", 4096, shared(4096));
    TIMED(TOGETHER, "shared", 64 << 20, shared(64 << 20));
    TIMED(TOGETHER, "create", 4096, created(memory, 4096));
    TIMED(TOGETHER, "dynamic", 0, dynamic());
    free(memory);
    if (size == 2) {
        among(1000);
        among(10000);
    }
}
