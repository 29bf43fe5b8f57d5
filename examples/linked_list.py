"""A linked list over all ranks: each rank adds nodes that lie in its own memory, and any rank can walk along all of them.

A dynamic window has no memory in the beginning. Each rank attaches a node when it makes it. A displacement in such a window is an
address (MPI.Get_address), so a pointer to a node is the rank that has it and the address there. Who changes the list holds the
exclusive lock of rank 0, which has the pointer to the first node.

    mpiexec -n 4 python -m mpi4py linked_list.py

Every rank then walks along the list, and has to meet each node once, those of one rank in the order in which they were added.
"""

import sys

import numpy as np
from mpi4py import MPI

NODES = 100  # of each rank

# A pointer is an array of two addresses' size, (rank, address); the rank is -1 behind the last node. A node is three: a pointer to
# the next one, and a value.
POINTER, NODE = 2, 3
AINT = np.dtype("p")


def attached(count, win):
    """An array in memory of MPI's, which is attached to the window."""
    memory = MPI.Alloc_mem(count * AINT.itemsize)
    win.Attach(memory)
    return memory, np.frombuffer(memory, dtype=AINT)


def add(value, me, head, win):
    """Makes a node and puts it at the head of the list; head is the address of the first pointer in rank 0."""
    memory, node = attached(NODE, win)
    node[2] = value
    to_node = np.array([me, MPI.Get_address(memory)], dtype=AINT)

    win.Lock(0, MPI.LOCK_EXCLUSIVE)
    win.Get(node[:POINTER], 0, head)
    win.Flush(0)
    win.Sync()  # the node is whole before anybody can find it
    win.Put(to_node, 0, head)
    win.Unlock(0)
    return memory


def main():
    comm = MPI.COMM_WORLD
    win = MPI.Win.Create_dynamic(comm=comm)

    # The list is empty. All ranks learn where it begins.
    memory, first = attached(POINTER, win)
    win.Lock(comm.rank, MPI.LOCK_EXCLUSIVE)
    first[:] = -1, 0
    win.Unlock(comm.rank)
    head = comm.bcast(MPI.Get_address(memory))
    del first
    kept = [memory]

    for i in range(NODES):
        kept.append(add(comm.rank * NODES + i, comm.rank, head, win))
    comm.Barrier()

    # From now on nobody changes the list, and all walk along it at once.
    met, wrong, left = 0, 0, [NODES] * comm.size
    at, node = np.empty(POINTER, dtype=AINT), np.empty(NODE, dtype=AINT)
    win.Lock_all()
    win.Get(at, 0, head)
    win.Flush(0)
    while at[0] >= 0:
        rank = int(at[0])
        win.Get(node, rank, int(at[1]))
        win.Flush(rank)
        met += 1
        left[rank] -= 1  # the one added last is met first
        wrong += int(node[2] != rank * NODES + left[rank])
        at[:] = node[:POINTER]
    win.Unlock_all()
    wrong += met != comm.size * NODES

    wrong = comm.allreduce(wrong)
    if comm.rank == 0:
        print(f"linked_list: {met} nodes of {comm.size} ranks: {wrong} wrong")
    # All have ended their walks: memory may be detached and freed.
    for memory in kept:
        win.Detach(memory)
        MPI.Free_mem(memory)
    win.Free()
    return wrong != 0


sys.exit(main())
