/* A little of everything that needs memory of the job: messages, windows, collective operations. Silent if all is right. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 100000 };

static int rank, size;

static void expect(int value, int wanted, const char *what)
{
    if (value == wanted)
        return;
    fprintf(stderr, "rank %d: %s is %d and not %d\n", rank, what, value, wanted);
    MPI_Abort(MPI_COMM_WORLD, 99);
}

static void windows(int next)
{
    MPI_Win win;
    int *mine;
    for (int round = 0; round < 3; round++) {
        MPI_Aint bytes = (MPI_Aint)sizeof(int) * (COUNT << round);
        MPI_Win_allocate(bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
        MPI_Win_fence(0, win);
        for (int i = 0; i < 2; i++) {
            int value = rank * 2 + i;
            MPI_Put(&value, 1, MPI_INT, next, i * (COUNT - 1), 1, MPI_INT, win);
            MPI_Win_fence(0, win);
        }
        for (int i = 0; i < 2; i++)
            expect(mine[i * (COUNT - 1)], (rank + size - 1) % size * 2 + i, "what was put");
        MPI_Win_free(&win);
    }
}

/* The program's own arrays, which become shared memory where that goes: tools that watch memory find nothing wrong with it. */
static void own_arrays(int next)
{
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "rmashm_adopt", "true");
    for (int round = 0; round < 3; round++) {
        int local[50] = {0}, count = round ? COUNT << round : 50, *mine = round ? calloc(count, sizeof(int)) : local;
        int *others = malloc(77), value = rank;
        MPI_Win win;
        MPI_Win_create(mine, (MPI_Aint)sizeof(int) * count, sizeof(int), info, MPI_COMM_WORLD, &win);
        MPI_Win_fence(0, win);
        MPI_Put(&value, 1, MPI_INT, next, count - 1, 1, MPI_INT, win);
        MPI_Accumulate(&value, 1, MPI_INT, next, 7, 1, MPI_INT, MPI_SUM, win);
        MPI_Win_fence(0, win);
        expect(mine[count - 1], (rank + size - 1) % size, "what was put to an array");
        expect(mine[7], (rank + size - 1) % size, "what was added to an array");
        MPI_Win_free(&win);
        expect(mine[count - 1], (rank + size - 1) % size, "what was put to an array, after the window,");
        if (round)
            free(mine);
        free(others);
    }
    MPI_Info_free(&info);
}

/* What all copy to the root's own memory, in every length that has a way of its own, and what two exchange. */
static void gathers(void)
{
    for (int count = 1000; count <= 81000; count *= 3) {
        int *given = malloc(count * sizeof(int)), *got = malloc(sizeof(int) * size * count);
        for (int i = 0; i < count; i++)
            given[i] = rank + i;
        for (int round = 0; round < 10; round++) {
            MPI_Gather(given, count, MPI_INT, got, count, MPI_INT, round % size, MPI_COMM_WORLD);
            for (int i = 0; rank == round % size && i < size * count; i++)
                expect(got[i], i / count + i % count, "what was gathered");
            MPI_Allgather(given, count, MPI_INT, got, count, MPI_INT, MPI_COMM_WORLD);
            for (int i = 0; i < size * count; i++)
                expect(got[i], i / count + i % count, "what all have gathered");
        }
        free(given);
        free(got);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int next = (rank + 1) % size, before = (rank + size - 1) % size, sum = 0;
    int *given = malloc(COUNT * sizeof(int)), *got = malloc(COUNT * sizeof(int));
    for (int i = 0; i < COUNT; i++)
        given[i] = rank + i;
    MPI_Sendrecv(given, COUNT, MPI_INT, next, 0, got, COUNT, MPI_INT, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < COUNT; i++)
        expect(got[i], before + i, "what was sent");
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect(sum, size * (size - 1) / 2, "the sum of all ranks");
    windows(next);
    own_arrays(next);
    gathers();
    free(given);
    free(got);
    MPI_Finalize();
    return 0;
}
