/*
 * Halo exchange in shared memory: heat spreads over a plate that is cut into tiles, one for each rank.
 *
 * Each tile has a frame of one cell, its halo, for the cells of its neighbours that lie next to it. All tiles are in one window of
 * MPI_Win_allocate_shared, so the halo is filled by loads from the neighbours' tiles: no message, no put, no packing of columns.
 *
 *     mpicc -O2 halo.c -o halo && mpiexec -n 4 ./halo
 *
 * Every rank computes the whole plate by itself, too, and compares its tile with that, bit for bit.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 192, STEPS = 100 };

/* The cells of a tile at one time are an array of (rows + 2) x (columns + 2), with the halo. */
typedef struct {
    int rows, columns;      /* without the halo */
    int first_row, first_column; /* where the tile lies on the plate */
    double *cells[2];       /* those of this step, and of the next */
} Tile;

static size_t cell(const Tile *tile, int row, int column)
{
    return (size_t)row * (tile->columns + 2) + column;
}

static size_t cells_of(const Tile *tile)
{
    return cell(tile, tile->rows + 2, 0);
}

/* N is shared out as evenly as can be: the share of part `i` of `parts` begins here. */
static int begin(int i, int parts)
{
    return N * i / parts;
}

/* The tile at this place in the grid of ranks, whose cells are from `memory` on. */
static Tile tile_at(const int dims[2], const int coords[2], double *memory)
{
    Tile tile = { .first_row = begin(coords[0], dims[0]), .first_column = begin(coords[1], dims[1]) };
    tile.rows = begin(coords[0] + 1, dims[0]) - tile.first_row;
    tile.columns = begin(coords[1] + 1, dims[1]) - tile.first_column;
    tile.cells[0] = memory;
    tile.cells[1] = memory ? memory + cells_of(&tile) : NULL;
    return tile;
}

/* The plate is cold, and its upper edge is kept hot. The edge is the halo of the tiles that have no neighbour there. */
static void heat(const Tile *tile)
{
    for (int half = 0; half < 2; half++) {
        memset(tile->cells[half], 0, cells_of(tile) * sizeof(double));
        for (int column = 0; tile->first_row == 0 && column < tile->columns + 2; column++)
            tile->cells[half][cell(tile, 0, column)] = 100.0;
    }
}

/* Each cell becomes the mean of its neighbours. */
static void step(const Tile *tile, int now)
{
    const double *old = tile->cells[now];
    double *new = tile->cells[1 - now];
    for (int row = 1; row <= tile->rows; row++)
        for (int column = 1; column <= tile->columns; column++)
            new[cell(tile, row, column)] = 0.25 * (old[cell(tile, row - 1, column)] + old[cell(tile, row + 1, column)] +
                                                   old[cell(tile, row, column - 1)] + old[cell(tile, row, column + 1)]);
}

/* Copies one line of cells, a row or a column, out of a neighbour's tile into the halo of mine. */
static void copy(const Tile *to, int to_row, int to_column, const Tile *from, int from_row, int from_column, int now)
{
    int down = to_column != 1, count = down ? to->rows : to->columns;
    for (int i = 0; i < count; i++) {
        size_t there = down ? cell(from, from_row + i, from_column) : cell(from, from_row, from_column + i);
        size_t here = down ? cell(to, to_row + i, to_column) : cell(to, to_row, to_column + i);
        to->cells[now][here] = from->cells[now][there];
    }
}

int main(int argc, char **argv)
{
    MPI_Comm shared, grid;
    MPI_Win win;
    int rank, size, dims[2] = { 0, 0 }, coords[2];

    MPI_Init(&argc, &argv);
    /* Those processes that can share memory: all of them, on one machine. */
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &shared);
    MPI_Comm_size(shared, &size);
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(shared, 2, dims, (int[]){ 0, 0 }, 0, &grid);
    MPI_Comm_rank(grid, &rank);
    MPI_Cart_coords(grid, rank, 2, coords);

    /* Each rank brings its own tile, which then lies in memory near to it. */
    Tile mine = tile_at(dims, coords, NULL);
    double *memory;
    MPI_Win_allocate_shared(2 * cells_of(&mine) * sizeof(double), sizeof(double), MPI_INFO_NULL, grid, &memory, &win);
    mine = tile_at(dims, coords, memory);

    /* A plain pointer to each neighbour's tile: up, down, left, right. */
    int neighbours[4];
    Tile tiles[4];
    MPI_Cart_shift(grid, 0, 1, &neighbours[0], &neighbours[1]);
    MPI_Cart_shift(grid, 1, 1, &neighbours[2], &neighbours[3]);
    for (int i = 0; i < 4; i++) {
        if (neighbours[i] == MPI_PROC_NULL)
            continue;
        MPI_Aint bytes;
        int unit, there[2];
        MPI_Win_shared_query(win, neighbours[i], &bytes, &unit, &memory);
        MPI_Cart_coords(grid, neighbours[i], 2, there);
        tiles[i] = tile_at(dims, there, memory);
    }

    /* One epoch for all loads and stores. Within it MPI_Win_sync orders memory, and the barrier time. */
    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
    heat(&mine);
    for (int i = 0; i < STEPS; i++) {
        int now = i % 2;
        MPI_Win_sync(win); /* what I have stored is seen by who comes out of the barrier, */
        MPI_Barrier(grid);
        MPI_Win_sync(win); /* and I see what the others have stored before it */
        if (neighbours[0] != MPI_PROC_NULL)
            copy(&mine, 0, 1, &tiles[0], tiles[0].rows, 1, now);
        if (neighbours[1] != MPI_PROC_NULL)
            copy(&mine, mine.rows + 1, 1, &tiles[1], 1, 1, now);
        if (neighbours[2] != MPI_PROC_NULL)
            copy(&mine, 1, 0, &tiles[2], 1, tiles[2].columns, now);
        if (neighbours[3] != MPI_PROC_NULL)
            copy(&mine, 1, mine.columns + 1, &tiles[3], 1, 1, now);
        /* One barrier for each step is enough: the neighbours read the cells of this step, and I write those of the next. */
        step(&mine, now);
    }
    MPI_Win_unlock_all(win);

    /* The same without any neighbour. */
    Tile whole = tile_at((int[]){ 1, 1 }, (int[]){ 0, 0 }, NULL);
    memory = malloc(2 * cells_of(&whole) * sizeof(double));
    if (!memory)
        MPI_Abort(MPI_COMM_WORLD, 1);
    whole = tile_at((int[]){ 1, 1 }, (int[]){ 0, 0 }, memory);
    heat(&whole);
    for (int i = 0; i < STEPS; i++)
        step(&whole, i % 2);
    int wrong = 0;
    for (int row = 1; row <= mine.rows; row++)
        for (int column = 1; column <= mine.columns; column++)
            wrong += mine.cells[STEPS % 2][cell(&mine, row, column)] !=
                     whole.cells[STEPS % 2][cell(&whole, mine.first_row + row, mine.first_column + column)];
    free(memory);

    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, grid);
    if (rank == 0)
        printf("halo: %d x %d cells in %d x %d tiles, %d steps: %d wrong\n", N, N, dims[0], dims[1], STEPS, wrong);
    MPI_Win_free(&win);
    MPI_Comm_free(&grid);
    MPI_Comm_free(&shared);
    MPI_Finalize();
    return wrong != 0;
}
