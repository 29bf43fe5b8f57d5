"""Writes one HDF5 file from all ranks, collectively and independently, and reads it back."""

import sys

import h5py
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
rows, columns = 240, 300
own = rows // size
with h5py.File(sys.argv[1], "w", driver="mpio", comm=comm) as file:
    table = file.create_dataset("table", (rows, columns), dtype="f8", chunks=(40, 100))
    values = np.arange(rows * columns, dtype="f8").reshape(rows, columns) ** 0.5
    with table.collective:
        table[rank * own : (rank + 1) * own] = values[rank * own : (rank + 1) * own]
    stripes = file.create_dataset("stripes", (rows, columns), dtype="i4")
    stripes[rank::size] = np.arange(rank, rows, size, dtype="i4")[:, None] * np.ones(columns, "i4")
    table.attrs["ranks"] = "any"
with h5py.File(sys.argv[1], "r", driver="mpio", comm=comm) as file:
    whole = file["table"][:]
    sums = comm.allreduce(whole.sum() / size)
    turn = int(file["stripes"][:, rank].sum())
    turns = comm.gather(turn)
    if rank == 0:
        print(f"{sums:.6f} {set(turns)} {file['table'].attrs['ranks']}")
