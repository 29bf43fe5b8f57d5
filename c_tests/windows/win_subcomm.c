/* Windows on communicators whose ranks are not those of MPI_COMM_WORLD: reversed, halves, one process. Every kind of
 * synchronisation names ranks of the window (MPI 4.1 section 12.2). */
#include "check.h"

static void everything(MPI_Comm comm, int shared)
{
    MPI_Win win;
    MPI_Group all, before, after;
    int me, members, *base, got, one = 1;
    OK(MPI_Comm_rank(comm, &me));
    OK(MPI_Comm_size(comm, &members));
    const int next = (me + 1) % members, previous = (me + members - 1) % members;
    int own[4] = {0};
    if (shared) {
        OK(MPI_Win_allocate_shared(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &base, &win));
    } else {
        base = own;
        OK(MPI_Win_create(base, 4 * sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &win));
    }
    memset(base, 0, 4 * sizeof(int));
    OK(MPI_Barrier(comm));

    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, win));
    OK(MPI_Put(&me, 1, MPI_INT, next, 0, 1, MPI_INT, win));
    OK(MPI_Win_unlock(next, win));
    OK(MPI_Win_fence(0, win));
    CHECK_EQ(base[0], previous);
    OK(MPI_Get(&got, 1, MPI_INT, next, 0, 1, MPI_INT, win));
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    CHECK_EQ(got, me);

    OK(MPI_Win_lock_all(0, win));
    for (int r = 0; r < members; r++)
        OK(MPI_Accumulate(&one, 1, MPI_INT, r, 1, 1, MPI_INT, MPI_SUM, win));
    OK(MPI_Win_unlock_all(win));

    OK(MPI_Win_get_group(win, &all));
    OK(MPI_Group_incl(all, 1, &previous, &before));
    OK(MPI_Group_incl(all, 1, &next, &after));
    for (int i = 1; i <= 3; i++) {
        int value = 100 * i + me;
        OK(MPI_Win_post(before, 0, win));
        OK(MPI_Win_start(after, 0, win));
        OK(MPI_Put(&value, 1, MPI_INT, next, 2, 1, MPI_INT, win));
        OK(MPI_Win_complete(win));
        OK(MPI_Win_wait(win));
        CHECK_EQ(base[2], 100 * i + previous);
    }
    OK(MPI_Group_free(&all));
    OK(MPI_Group_free(&before));
    OK(MPI_Group_free(&after));
    OK(MPI_Barrier(comm));
    CHECK_EQ(base[1], members);
    if (shared) {
        MPI_Aint bytes;
        int unit, *first, *theirs;
        OK(MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes, &unit, &first));
        OK(MPI_Win_shared_query(win, next, &bytes, &unit, &theirs));
        CHECK(theirs == first + 4 * next);
        CHECK_EQ(theirs[0], me);
    }
    OK(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    check_start(&argc, &argv);
    for (int shared = 0; shared < 2; shared++) {
        OK(MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm));
        everything(comm, shared);
        OK(MPI_Comm_free(&comm));
        OK(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &comm));
        everything(comm, shared);
        OK(MPI_Comm_free(&comm));
        OK(MPI_Comm_split(MPI_COMM_WORLD, rank < size - 1, rank, &comm));
        everything(comm, shared);
        OK(MPI_Comm_free(&comm));
        everything(MPI_COMM_SELF, shared);
    }
    return check_end();
}
