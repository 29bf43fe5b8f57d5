"""Halo exchange in shared memory: heat spreads over a plate that is cut into tiles, one for each rank.

Each tile has a frame of one cell, its halo, for the cells of its neighbours that lie next to it. All tiles are numpy arrays over one
window of MPI_Win_allocate_shared, so the halo is filled by assignments from the neighbours' arrays.

    mpiexec -n 4 python -m mpi4py halo.py

Every rank computes the whole plate by itself, too, and compares its tile with that, bit for bit.
"""

import sys

import numpy as np
from mpi4py import MPI

N, STEPS = 192, 100


def begin(i, parts):
    """N is shared out as evenly as can be: the share of part i of parts begins here."""
    return N * i // parts


def place(dims, coords):
    """The rows and the columns of the tile at this place in the grid of ranks."""
    return [slice(begin(i, parts), begin(i + 1, parts)) for i, parts in zip(coords, dims)]


def shape(dims, coords):
    """That of its memory: the cells of this step and of the next, with the halo."""
    rows, columns = place(dims, coords)
    return 2, rows.stop - rows.start + 2, columns.stop - columns.start + 2


def heat(tile, is_upper):
    """The plate is cold, and its upper edge, which is the halo of the tiles there, is kept hot."""
    tile[:] = 0.0
    if is_upper:
        tile[:, 0, :] = 100.0


def step(old, new):
    """Each cell becomes the mean of its neighbours."""
    new[1:-1, 1:-1] = 0.25 * (old[:-2, 1:-1] + old[2:, 1:-1] + old[1:-1, :-2] + old[1:-1, 2:])


def main():
    # Those processes that can share memory: all of them, on one machine.
    shared = MPI.COMM_WORLD.Split_type(MPI.COMM_TYPE_SHARED)
    dims = MPI.Compute_dims(shared.size, 2)
    grid = shared.Create_cart(dims)
    coords = grid.coords

    # Each rank brings its own tile, which then lies in memory near to it.
    itemsize = MPI.DOUBLE.Get_size()
    win = MPI.Win.Allocate_shared(int(np.prod(shape(dims, coords))) * itemsize, itemsize, comm=grid)

    def tile_of(rank):
        """A numpy array over a rank's part of the window."""
        if rank == MPI.PROC_NULL:
            return None
        memory, _ = win.Shared_query(rank)
        return np.ndarray(shape(dims, grid.Get_coords(rank)), dtype="d", buffer=memory)

    mine = tile_of(grid.rank)
    above, below = (tile_of(rank) for rank in grid.Shift(0, 1))
    left, right = (tile_of(rank) for rank in grid.Shift(1, 1))

    # One epoch for all loads and stores. Within it Sync orders memory, and the barrier time.
    win.Lock_all(MPI.MODE_NOCHECK)
    heat(mine, coords[0] == 0)
    for i in range(STEPS):
        now = i % 2
        win.Sync()  # what I have stored is seen by who comes out of the barrier,
        grid.Barrier()
        win.Sync()  # and I see what the others have stored before it
        if above is not None:
            mine[now, 0, 1:-1] = above[now, -2, 1:-1]
        if below is not None:
            mine[now, -1, 1:-1] = below[now, 1, 1:-1]
        if left is not None:
            mine[now, 1:-1, 0] = left[now, 1:-1, -2]
        if right is not None:
            mine[now, 1:-1, -1] = right[now, 1:-1, 1]
        # One barrier for each step is enough: the neighbours read the cells of this step, and I write those of the next.
        step(mine[now], mine[1 - now])
    win.Unlock_all()

    # The same without any neighbour.
    whole = np.empty(shape([1, 1], [0, 0]))
    heat(whole, True)
    for i in range(STEPS):
        step(whole[i % 2], whole[1 - i % 2])
    rows, columns = place(dims, coords)
    expected = whole[STEPS % 2, 1:-1, 1:-1][rows, columns]
    wrong = grid.allreduce(int(np.sum(mine[STEPS % 2, 1:-1, 1:-1] != expected)))
    if grid.rank == 0:
        print(f"halo: {N} x {N} cells in {dims[0]} x {dims[1]} tiles, {STEPS} steps: {wrong} wrong")
    # No array may be used any more once the window is freed.
    del mine, above, below, left, right
    win.Free()
    return wrong != 0


sys.exit(main())
