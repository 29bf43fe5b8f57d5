/* ranks: 3 4 8; mpich: skip 4.0.2 hangs, as shared locks wait for exclusive ones that came before */
/* Shared epochs that can end only when another one has begun, while somebody waits for an exclusive lock: all locks that
 * fit those that are held are given, so each of these programs ends (MPI 4.1 sections 12.5.3, 12.7.3). */
#include "check.h"

#include <unistd.h>

enum { FIRST = 0, SECOND = 1, WRITER = 2 };

static MPI_Win win;
static int *base;

/* A shared lock of `target` (or all of them). */
static void begin(int all, int target)
{
    OK(all ? MPI_Win_lock_all(0, win) : MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win));
}

static void end(int all, int target)
{
    OK(all ? MPI_Win_unlock_all(win) : MPI_Win_unlock(target, win));
}

/* FIRST holds one kind of shared lock until SECOND holds the other kind, and WRITER wants what both hold. */
static void chain(int first_all, int second_all, int target, int milliseconds)
{
    int token = 0, value = -1, mark = 100 + rank;
    barrier();
    switch (rank) {
    case FIRST:
        begin(first_all, target);
        OK(MPI_Get(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win));
        OK(MPI_Win_flush(target, win)); /* the lock is held, also where MPI_Win_lock may be late */
        OK(MPI_Send(&token, 1, MPI_INT, WRITER, 1, MPI_COMM_WORLD));
        OK(MPI_Recv(&token, 1, MPI_INT, SECOND, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        OK(MPI_Get(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win));
        end(first_all, target);
        CHECK_EQ(value, 7); /* the writer is not in yet */
        break;
    case SECOND:
        OK(MPI_Recv(&token, 1, MPI_INT, WRITER, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        usleep(1000 * (unsigned)milliseconds); /* the writer waits by now, or nothing is shown */
        begin(second_all, target);
        OK(MPI_Get(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win));
        OK(MPI_Win_flush(target, win));
        CHECK_EQ(value, 7);
        OK(MPI_Send(&token, 1, MPI_INT, FIRST, 2, MPI_COMM_WORLD));
        end(second_all, target);
        break;
    case WRITER:
        OK(MPI_Recv(&token, 1, MPI_INT, FIRST, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        OK(MPI_Send(&token, 1, MPI_INT, SECOND, 3, MPI_COMM_WORLD));
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win));
        OK(MPI_Put(&mark, 1, MPI_INT, target, 0, 1, MPI_INT, win));
        OK(MPI_Win_unlock(target, win));
        break;
    }
    barrier();
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win));
    if (rank == target)
        CHECK_EQ(*base, 100 + WRITER);
    *base = 7;
    OK(MPI_Win_unlock(rank, win));
}

/* All but one rank hold a lock_all and meet in it, over and over, while that one takes exclusive locks. */
static void meet_inside(void)
{
    MPI_Comm meeting;
    int left = 1;
    OK(MPI_Comm_split(MPI_COMM_WORLD, rank == WRITER, rank, &meeting));
    for (int i = 0; i < 3; i++) {
        if (rank == WRITER) {
            for (int target = 0; target < size; target++) {
                OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win));
                OK(MPI_Accumulate(&left, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_SUM, win));
                OK(MPI_Win_unlock(target, win));
            }
        } else {
            begin(i % 2, WRITER);
            OK(MPI_Barrier(meeting));
            end(i % 2, WRITER);
        }
    }
    OK(MPI_Comm_free(&meeting));
    barrier();
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win));
    CHECK_EQ(*base, 7 + 3);
    OK(MPI_Win_unlock(rank, win));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    OK(MPI_Win_allocate(sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    *base = 7;
    for (int kinds = 0; kinds < 4; kinds++) {
        chain(kinds & 1, kinds >> 1, kinds % 3, 20);
        chain(kinds & 1, kinds >> 1, (kinds + 1) % 3, 700); /* waits so long that it insists */
    }
    meet_inside();
    OK(MPI_Win_free(&win));
    return check_end();
}
