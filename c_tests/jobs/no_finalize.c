/* ranks: 1 4; name: return; args: return; expect-stderr: without calling MPI_Finalize; mpich: skip our mpiexec warns */
/* ranks: 4; name: leave; args: leave; expect-stderr: ranks 0-3 exited with status 0 without calling MPI_Finalize; mpich: skip our mpiexec warns */
/* ranks: 4; launcher: hydra; name: return; args: return; mpich: skip the same as without hydra */
/* ranks: 4; launcher: hydra; name: receive; args: receive; expect-exit: nonzero; expect-stderr:; expect-stdout:; mpich: skip it hangs */
/* ranks: 4; name: lock; args: lock; expect-stderr: ranks 0-3 exited with status 0 without calling MPI_Finalize; mpich: skip our mpiexec warns */
/* ranks: 4; name: expose; args: expose; expect-stderr: ranks 0-3 exited with status 0 without calling MPI_Finalize; mpich: skip our mpiexec warns */
/* ranks: 4; name: barrier; args: barrier; expect-exit: 1; expect-stderr: rank 1 (pid; expect-stderr: exited with status 0 without calling MPI_Finalize; expect-stderr: in MPI_Barrier; mpich: skip it hangs */
/* ranks: 4; name: receive; args: receive; expect-exit: 1; expect-stderr: rank 1 (pid; expect-stderr: receiving from rank 1; mpich: skip it hangs */
/* ranks: 4; name: probe; args: probe; expect-exit: 1; expect-stderr: rank 1 (pid; expect-stderr: without calling MPI_Finalize; mpich: skip it hangs */
/* ranks: 4; name: finalize; args: finalize; expect-exit: 1; expect-stderr: rank 1 (pid; expect-stderr: in MPI_Finalize; mpich: skip it hangs */
/* ranks: 4; name: status; args: status; expect-exit: 3; expect-stderr: rank 1 (pid; expect-stderr: exited with status 3 without calling MPI_Finalize; mpich: skip our mpiexec says it */

/* Ranks that leave with status 0 and without MPI_Finalize: if nobody needs them any more the job has status 0, and a line
 * of warning under our mpiexec; if somebody waits for one, or comes to, that is a death. */

#include "check.h"
#include <unistd.h>

/* Rank 1 has left when this returns, so far as time can tell: where it has not, the same comes to light a little later. */
static void let_it_go(void)
{
    usleep(200000);
}

/* Rank 2 holds a lock while rank 1 leaves; the others wait for rank 2 alone. */
static void lock(void)
{
    MPI_Win win;
    int *mine, value = -1;

    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
    if (rank == 2)
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        return;
    if (rank == 2) {
        let_it_go();
        let_it_go();
        MPI_Win_unlock(0, win);
    } else {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        MPI_Win_flush(0, win);
        MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        MPI_Win_unlock(0, win);
        CHECK(value == rank);
    }
}

/* Rank 1 completes its access epoch at rank 0 and leaves; rank 2 completes later. */
static void expose(void)
{
    MPI_Win win;
    MPI_Group world, group;
    int *mine;

    MPI_Win_allocate(3 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    if (rank == 0) {
        MPI_Group_incl(world, 2, (int[]){1, 2}, &group);
        MPI_Win_post(group, 0, win);
        MPI_Win_wait(win);
        CHECK(mine[1] == 1 && mine[2] == 2);
    } else if (rank < 3) {
        MPI_Group_incl(world, 1, (int[]){0}, &group);
        MPI_Win_start(group, 0, win);
        if (rank == 2) {
            let_it_go();
            let_it_go();
        }
        MPI_Put(&rank, 1, MPI_INT, 0, rank, 1, MPI_INT, win);
        MPI_Win_complete(win);
    }
}

int main(int argc, char **argv)
{
    const char *what = argv[argc - 1];
    int flag = 0, value = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(what, "return") == 0) {
        /* The last message of a rank that has gone still arrives. */
        if (rank == 1)
            MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        usleep(rank * 50000);
        return 0;
    }
    if (strcmp(what, "leave") == 0) {
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        if (rank == 0) {
            let_it_go();
            for (int from = 1; from < size; from++) {
                MPI_Recv(&value, 1, MPI_INT, from, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                CHECK(value == from);
            }
        } else {
            MPI_Send(&rank, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
        }
        _exit(0);
    }
    if (strcmp(what, "lock") == 0) {
        lock();
        return 0;
    }
    if (strcmp(what, "expose") == 0) {
        expose();
        return 0;
    }

    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        return strcmp(what, "status") == 0 ? 3 : 0;
    if (rank != 2)
        let_it_go();
    if (strcmp(what, "barrier") == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(what, "receive") == 0)
        MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    while (strcmp(what, "probe") == 0 && !flag)
        MPI_Iprobe(1, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    while (strcmp(what, "status") == 0)
        usleep(1000);
    MPI_Finalize();
    return 0;
}
