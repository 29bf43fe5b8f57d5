/* How long the elementary one-sided operations take on a window of MPI_Win_allocate_shared: lines `name nanoseconds`.
 *
 * Rank 0 works on the part of the last rank, which waits in a barrier; what needs all ranks is done by all. Only the
 * MPI-3 API, so that it compiles against any MPI. The data of every family is checked. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size;
static long *base;
static MPI_Win win;

static void check(int right, const char *what)
{
    if (!right) {
        fprintf(stderr, "bench: wrong data in %s\n", what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void report(const char *name, double seconds, int rounds)
{
    if (rank == 0)
        printf("%s %.1f\n", name, seconds / rounds * 1e9);
}

/* What rank 0 does alone: `body` in a loop, the others in a barrier. */
#define ALONE(name, rounds, body)                           \
    do {                                                    \
        MPI_Barrier(MPI_COMM_WORLD);                        \
        if (rank == 0) {                                    \
            double begin = MPI_Wtime();                     \
            for (int i = 0; i < (rounds); i++)              \
                body;                                       \
            report(name, MPI_Wtime() - begin, rounds);      \
        }                                                   \
        MPI_Barrier(MPI_COMM_WORLD);                        \
    } while (0)

#define TOGETHER(name, rounds, body)                        \
    do {                                                    \
        MPI_Barrier(MPI_COMM_WORLD);                        \
        double begin = MPI_Wtime();                         \
        for (int i = 0; i < (rounds); i++)                  \
            body;                                           \
        report(name, MPI_Wtime() - begin, rounds);          \
        MPI_Barrier(MPI_COMM_WORLD);                        \
    } while (0)

static void operations(int target, int rounds)
{
    long value = 0, one = 1, before = -1;
    MPI_Win_lock_all(0, win);
    ALONE("put+flush", rounds, {
        value = i;
        MPI_Put(&value, 1, MPI_LONG, target, 0, 1, MPI_LONG, win);
        MPI_Win_flush(target, win);
    });
    check(rank != size - 1 || base[0] == rounds - 1, "put");
    ALONE("get+flush", rounds, {
        MPI_Get(&value, 1, MPI_LONG, target, 0, 1, MPI_LONG, win);
        MPI_Win_flush(target, win);
    });
    check(rank != 0 || value == rounds - 1, "get");
    ALONE("fetch_and_op+flush", rounds, {
        MPI_Fetch_and_op(&one, &before, MPI_LONG, target, 1, MPI_SUM, win);
        MPI_Win_flush(target, win);
    });
    check(rank != size - 1 || base[1] == rounds, "fetch_and_op");
    check(rank != 0 || before == rounds - 1, "fetch_and_op");
    ALONE("compare_and_swap+flush", rounds, {
        long next = i + 1;
        long now = i;
        MPI_Compare_and_swap(&next, &now, &before, MPI_LONG, target, 2, win);
        MPI_Win_flush(target, win);
    });
    check(rank != size - 1 || base[2] == rounds, "compare_and_swap");
    MPI_Win_unlock_all(win);
}

static void locks(int target, int rounds)
{
    ALONE("lock+unlock_exclusive", rounds, {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
        MPI_Win_unlock(target, win);
    });
    ALONE("lock+unlock_shared", rounds, {
        MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
        MPI_Win_unlock(target, win);
    });
}

static void lock_all(int rounds)
{
    ALONE("lock_all+unlock_all", rounds, {
        MPI_Win_lock_all(0, win);
        MPI_Win_unlock_all(win);
    });
}

static void create_and_free(void)
{
    MPI_Win other;
    long *memory;
    MPI_Win_allocate_shared(4096, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &other);
    MPI_Win_free(&other);
}

static void make(void)
{
    MPI_Win_allocate_shared(4096, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    for (int i = 0; i < 8; i++)
        base[i] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    make();
    locks(size - 1, 200000);
    operations(size - 1, 200000);
    lock_all(200000);
    TOGETHER("fence", 20000, MPI_Win_fence(0, win));
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    TOGETHER("create+free", 500, create_and_free());
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
