"""A pipeline: blocks of data go from rank to rank, and each rank works on one block while the one before it fills the next.

Each rank deals with two others only, so it synchronises with these alone: Post opens its window to the rank before it, Start and
Complete are that rank's epoch, and Wait says that the block is there. With two places for blocks the next one may come while the last
one is worked on.

    mpiexec -n 4 python -m mpi4py pipeline.py

The last rank compares each block with what all stages make of it.
"""

import sys

import numpy as np
from mpi4py import MPI

BLOCKS, LENGTH = 64, 4096


def source(block):
    """What is in a block before the first stage."""
    return np.arange(block * LENGTH, (block + 1) * LENGTH, dtype="u4")


def stage(x, rank):
    """What the stage of one rank does."""
    return x * np.uint32(1664525) + np.uint32(1013904223 + rank)


def main():
    comm = MPI.COMM_WORLD
    rank, size = comm.rank, comm.size
    itemsize = MPI.UINT32_T.Get_size()
    win = MPI.Win.Allocate(2 * LENGTH * itemsize, itemsize, comm=comm)
    places = np.frombuffer(win.tomemory(), dtype="u4").reshape(2, LENGTH)

    is_first, is_last, wrong = rank == 0, rank == size - 1, 0
    before = comm.group.Incl([] if is_first else [rank - 1])
    after = comm.group.Incl([] if is_last else [rank + 1])
    if not is_first:
        win.Post(before)  # for the first block
    for block in range(BLOCKS):
        if is_first:
            places[block % 2] = source(block)
        else:
            win.Wait()  # the block is in its place
            if block + 1 < BLOCKS:
                win.Post(before)  # the next one may come into the other place
        out = stage(places[block % 2], rank)
        if not is_last:
            win.Start(after)
            win.Put(out, rank + 1, block % 2 * LENGTH)
            win.Complete()  # `out` may be used again
            continue
        expected = source(block)
        for r in range(size):
            expected = stage(expected, r)
        wrong += int(np.sum(out != expected))
    before.Free()
    after.Free()

    wrong = comm.allreduce(wrong)
    if rank == 0:
        print(f"pipeline: {BLOCKS} blocks of {LENGTH} numbers through {size} stages: {wrong} wrong")
    del places
    win.Free()
    return wrong != 0


sys.exit(main())
