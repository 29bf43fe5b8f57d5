/*
 * A pipeline: blocks of data go from rank to rank, and each rank works on one block while the one before it fills the next.
 *
 * Each rank deals with two others only, so it synchronises with these alone: MPI_Win_post opens its window to the rank before it,
 * MPI_Win_start and MPI_Win_complete are that rank's epoch, and MPI_Win_wait says that the block is there. With two places for
 * blocks the next one may come while the last one is worked on.
 *
 *     mpicc -O2 pipeline.c -o pipeline && mpiexec -n 4 ./pipeline
 *
 * The last rank compares each block with what all stages make of it.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>

enum { BLOCKS = 64, LENGTH = 4096 };

/* What is in block `block` before the first stage. */
static uint32_t source(int block, int i)
{
    return (uint32_t)block * LENGTH + (uint32_t)i;
}

/* What the stage of one rank does. */
static uint32_t stage(uint32_t x, int rank)
{
    return x * 1664525u + 1013904223u + (uint32_t)rank;
}

/* The group of one process, or of none. */
static MPI_Group group_of(int rank)
{
    MPI_Group world, group;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, rank != MPI_PROC_NULL, &rank, &group);
    MPI_Group_free(&world);
    return group;
}

int main(int argc, char **argv)
{
    MPI_Win win;
    int rank, size;
    uint32_t *places; /* two of them, of LENGTH each */

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate(2 * LENGTH * sizeof(uint32_t), sizeof(uint32_t), MPI_INFO_NULL, MPI_COMM_WORLD, &places, &win);

    int first = rank == 0, last = rank == size - 1, wrong = 0;
    MPI_Group before = group_of(first ? MPI_PROC_NULL : rank - 1), after = group_of(last ? MPI_PROC_NULL : rank + 1);
    if (!first)
        MPI_Win_post(before, 0, win); /* for the first block */
    for (int block = 0; block < BLOCKS; block++) {
        uint32_t *in = places + block % 2 * LENGTH, out[LENGTH];
        if (first) {
            for (int i = 0; i < LENGTH; i++)
                in[i] = source(block, i);
        } else {
            MPI_Win_wait(win); /* the block is in its place */
            if (block + 1 < BLOCKS)
                MPI_Win_post(before, 0, win); /* the next one may come into the other place */
        }
        for (int i = 0; i < LENGTH; i++)
            out[i] = stage(in[i], rank);
        if (!last) {
            MPI_Win_start(after, 0, win);
            MPI_Put(out, LENGTH, MPI_UINT32_T, rank + 1, block % 2 * LENGTH, LENGTH, MPI_UINT32_T, win);
            MPI_Win_complete(win); /* `out` may be used again */
            continue;
        }
        for (int i = 0; i < LENGTH; i++) {
            uint32_t expected = source(block, i);
            for (int r = 0; r < size; r++)
                expected = stage(expected, r);
            wrong += out[i] != expected;
        }
    }
    MPI_Group_free(&before);
    MPI_Group_free(&after);

    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("pipeline: %d blocks of %d numbers through %d stages: %d wrong\n", BLOCKS, LENGTH, size, wrong);
    MPI_Win_free(&win);
    MPI_Finalize();
    return wrong != 0;
}
