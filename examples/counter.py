"""A shared counter: every rank draws pieces of work from it until there are none, so that nobody waits for the slowest.

The counter is one integer in the memory of rank 0. Fetch_and_op adds to it and gives what it was before, in one atomic step: no two
ranks draw the same piece, and rank 0 does nothing for that.

    mpiexec -n 4 python -m mpi4py counter.py

The work is to integrate 4 / (1 + x^2) from 0 to 1, which is pi. Each piece has to be drawn once.
"""

import sys

import numpy as np
from mpi4py import MPI

PIECES, POINTS = 1000, 2000


def integrate(piece):
    h = 1.0 / (PIECES * POINTS)
    x = (piece * POINTS + np.arange(POINTS) + 0.5) * h
    return np.sum(h * 4.0 / (1.0 + x * x))


def draw(win):
    """The next number of the counter of rank 0."""
    one, drawn = np.ones(1, dtype="i"), np.empty(1, dtype="i")
    win.Fetch_and_op(one, drawn, 0, op=MPI.SUM)
    win.Flush(0)  # only now `drawn` has its value
    return int(drawn[0])


def main():
    comm = MPI.COMM_WORLD
    itemsize = MPI.INT.Get_size()
    win = MPI.Win.Allocate(itemsize if comm.rank == 0 else 0, itemsize, comm=comm)

    win.Lock_all()
    if comm.rank == 0:
        np.frombuffer(win.tomemory(), dtype="i")[0] = 0
    win.Sync()
    comm.Barrier()  # nobody draws before the counter is 0

    pi, times = np.zeros(1), np.zeros(PIECES, dtype="i")
    while (piece := draw(win)) < PIECES:
        pi[0] += integrate(piece)
        times[piece] += 1
    win.Unlock_all()

    comm.Allreduce(MPI.IN_PLACE, pi)
    comm.Allreduce(MPI.IN_PLACE, times)
    wrong = int(np.sum(times != 1)) + int(abs(pi[0] - np.pi) > 1e-10)
    if comm.rank == 0:
        print(f"counter: pi is {pi[0]:.10f}, of {PIECES} pieces: {wrong} wrong")
    win.Free()
    return wrong != 0


sys.exit(main())
