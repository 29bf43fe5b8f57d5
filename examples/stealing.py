"""Work stealing: each rank has a queue of tasks, and a rank that has none left takes half of another's.

A queue is a rank's part of the window. Who changes it holds the exclusive lock of that rank: the owner, which takes its next task
from a numpy array over it, and thieves, which use Get and Put. A rank that is robbed goes on with its task and takes no part in it.

    mpiexec -n 4 python -m mpi4py stealing.py

The tasks are ranges of numbers, whose primes are counted. All of them are rank 0's in the beginning.
"""

import sys

import numpy as np
from mpi4py import MPI

TASKS, RANGE, PRIMES = 202, 1000, 18148  # primes below TASKS * RANGE

# A queue is an array of integers: the tasks from FIRST to LAST - 1 are waiting, and are in places from HEAD on. (MPICH 4.0 takes one
# rank's part of a window for another's where parts are not a multiple of 16 bytes long. This one is.)
FIRST, LAST, HEAD = 0, 1, 2


def primes_in(task):
    n = np.arange(task * RANGE, (task + 1) * RANGE)
    prime = n > 1
    for d in range(2, int(n[-1] ** 0.5) + 1):
        prime &= (n % d != 0) | (n == d)
    return int(np.sum(prime))


def next_task(queue, me, win):
    """Takes the next task of my own queue; None if there is none."""
    win.Lock(me, MPI.LOCK_EXCLUSIVE)
    task = None
    if queue[FIRST] < queue[LAST]:
        task = int(queue[HEAD + queue[FIRST]])
        queue[FIRST] += 1
    win.Unlock(me)
    return task


def steal(victim, win):
    """Takes the later half of a victim's queue."""
    ends = np.empty(2, dtype="i")
    win.Lock(victim, MPI.LOCK_EXCLUSIVE)
    win.Get(ends, victim, FIRST)
    win.Flush(victim)  # the next step depends on what was read
    count = (int(ends[1]) - int(ends[0]) + 1) // 2
    last = np.array([ends[1] - count], dtype="i")
    loot = np.empty(count, dtype="i")
    if count > 0:
        win.Get(loot, victim, HEAD + int(last[0]))
        win.Put(last, victim, LAST)
    win.Unlock(victim)  # both are complete, here and there
    return loot


def refill(queue, tasks, me, win):
    """Fills my own queue, which is empty. Others may steal from it at once."""
    win.Lock(me, MPI.LOCK_EXCLUSIVE)
    queue[HEAD : HEAD + len(tasks)] = tasks
    queue[FIRST], queue[LAST] = 0, len(tasks)
    win.Unlock(me)


def main():
    comm = MPI.COMM_WORLD
    itemsize = MPI.INT.Get_size()
    win = MPI.Win.Allocate((HEAD + TASKS) * itemsize, itemsize, comm=comm)
    queue = np.frombuffer(win.tomemory(), dtype="i")
    refill(queue, np.arange(TASKS if comm.rank == 0 else 0), comm.rank, win)
    comm.Barrier()

    primes = done = 0
    while True:
        while (task := next_task(queue, comm.rank, win)) is not None:
            primes += primes_in(task)
            done += 1
        # Where nobody has any, those that are left are being done: no task makes new ones.
        for i in range(1, comm.size):
            loot = steal((comm.rank + i) % comm.size, win)
            if len(loot) > 0:
                refill(queue, loot, comm.rank, win)
                break
        else:
            break

    primes, done = comm.allreduce(primes), comm.allreduce(done)
    wrong = (primes != PRIMES) + (done != TASKS)
    if comm.rank == 0:
        print(f"stealing: {primes} primes in {done} tasks: {wrong} wrong")
    del queue
    win.Free()
    return wrong != 0


sys.exit(main())
