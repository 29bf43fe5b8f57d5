/* Loads and stores in shared windows, and in memory of the program's own that was adopted, next to private memory: copy, triad,
 * and the first touch; puts that are the first of their origin to memory that its owner has touched. */
#include "bench.h"
#include <sys/mman.h>

enum { N = 4 << 20 };

enum { HUGE = 2 << 20 };

/* With the pages that malloc has, or with huge ones where the machine gives them to who asks. */
static double *private_memory(int huge)
{
    double *memory = huge ? aligned_alloc(HUGE, 3 * N * sizeof(double)) : malloc(3 * N * sizeof(double));
    if (huge)
        madvise(memory, 3 * N * sizeof(double), MADV_HUGEPAGE);
    for (long i = 0; i < 3 * N; i++)
        memory[i] = i;
    return memory;
}

/* GB/s of what is read and written; the best of five, for others use the machine, too. */
static void work(const char *name, double *a)
{
    double *b = a + N, *c = b + N, best = 0, begin;
    char text[64];
    for (int round = 0; round < 5; round++) {
        begin = MPI_Wtime();
        for (long i = 0; i < N; i++)
            a[i] = b[i] + 3 * c[i];
        double rate = 3.0 * N * sizeof(double) / (MPI_Wtime() - begin) / 1e9;
        best = rate > best ? rate : best;
    }
    check(a[N - 1] == b[N - 1] + 3 * c[N - 1], "triad");
    snprintf(text, sizeof text, "triad_%s", name);
    result(text, N * sizeof(double), "GB/s", best);
    best = 0;
    for (int round = 0; round < 5; round++) {
        begin = MPI_Wtime();
        memcpy(a, b, N * sizeof(double));
        double rate = 2.0 * N * sizeof(double) / (MPI_Wtime() - begin) / 1e9;
        best = rate > best ? rate : best;
    }
    check(a[N - 1] == b[N - 1], "memcpy");
    snprintf(text, sizeof text, "memcpy_%s", name);
    result(text, N * sizeof(double), "GB/s", best);
}

static double touch(char *memory)
{
    double begin = MPI_Wtime();
    for (long i = 0; i < 3 * N * (long)sizeof(double); i += 4096)
        memory[i] = 1;
    return 3.0 * N * sizeof(double) / (MPI_Wtime() - begin) / 1e9;
}

/* In pieces of this many doubles: 1 MiB. */
enum { PIECE = 128 << 10 };

static double put(const double *from, int target, MPI_Win win)
{
    double begin = MPI_Wtime();
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
    for (long i = 0; i < 3 * N; i += PIECE)
        MPI_Put(from, PIECE, MPI_DOUBLE, target, i * sizeof *from, PIECE, MPI_DOUBLE, win);
    MPI_Win_unlock(target, win);
    return 3.0 * N * sizeof(double) / (MPI_Wtime() - begin) / 1e9;
}

/* The same, before and after it belongs to a window that adopts it. */
static void adopted(int huge)
{
    MPI_Win win;
    MPI_Info info;
    double *memory = rank == 0 ? private_memory(huge) : NULL;
    if (rank == 0)
        work(huge ? "huge" : "private", memory);
    MPI_Info_create(&info);
    MPI_Info_set(info, "rmashm_adopt", "true");
    MPI_Win_create(memory, memory ? 3 * N * sizeof(double) : 0, 1, info, MPI_COMM_WORLD, &win);
    MPI_Info_free(&info);
    if (rank == 0)
        work(huge ? "adopted_huge" : "adopted", memory);
    MPI_Win_free(&win);
    free(memory);
}

void family_bandwidth(void)
{
    MPI_Win win;
    MPI_Aint bytes;
    int unit;
    double *mine, *theirs;
    MPI_Win_allocate_shared(3 * N * sizeof(double), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
    if (rank == 0) {
        char *fresh = malloc(3 * N * sizeof(double));
        result("touch_private", 0, "GB/s", touch(fresh));
        result("touch_window", 0, "GB/s", touch((char *)mine));
        free(fresh);
    }
    for (long i = 0; i < 3 * N; i++)
        mine[i] = i;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        double *memory = private_memory(0);
        result("put_first", PIECE * sizeof(double), "GB/s", put(memory, size - 1, win));
        result("put_again", PIECE * sizeof(double), "GB/s", put(memory, size - 1, win));
        free(memory);
        work("own", mine);
        MPI_Win_shared_query(win, size - 1, &bytes, &unit, &theirs);
        work("remote", theirs);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&win);
    adopted(0);
    adopted(1);
}
