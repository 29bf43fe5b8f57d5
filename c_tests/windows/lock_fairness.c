/* ranks: 2 4 8; mpich: skip its lock_all starves */
/* Writers make progress under a flow of readers, and readers under a flow of writers: the flow ends only when the other
 * side has had its locks so many times (MPI 4.1 section 12.5.3). */
#include "check.h"

#include <unistd.h>

#define TURNS 40

static MPI_Win win, tally;
static int *base, *done;

/* How often rank 0 has had its lock so far. */
static int turns(void)
{
    int got, none = 0;
    OK(MPI_Fetch_and_op(&none, &got, MPI_INT, 0, 0, MPI_NO_OP, tally));
    OK(MPI_Win_flush(0, tally));
    return got;
}

static void turn(void)
{
    int one = 1, got;
    OK(MPI_Fetch_and_op(&one, &got, MPI_INT, 0, 0, MPI_SUM, tally));
    OK(MPI_Win_flush(0, tally));
}

/* One epoch; the writers keep two words of every target equal, and the readers look. */
static void epoch(int exclusive, int all, int target, int microseconds)
{
    int pair[2], here = all ? 0 : target;
    if (all)
        OK(MPI_Win_lock_all(0, win));
    else
        OK(MPI_Win_lock(exclusive ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, target, 0, win));
    do {
        OK(MPI_Get(pair, 2, MPI_INT, here, 0, 2, MPI_INT, win));
        OK(MPI_Win_flush(here, win));
        CHECK_EQ(pair[0], pair[1]);
        if (exclusive) {
            for (int i = 0; i < 2; i++) {
                pair[i]++;
                OK(MPI_Put(&pair[i], 1, MPI_INT, here, i, 1, MPI_INT, win));
                OK(MPI_Win_flush(here, win));
            }
        }
    } while (all && ++here < size);
    if (microseconds)
        usleep((unsigned)microseconds);
    if (all)
        OK(MPI_Win_unlock_all(win));
    else
        OK(MPI_Win_unlock(target, win));
}

/* Rank 0 takes its locks TURNS times while all others take theirs without a pause. */
static void flow(int writers_flow, int all, int microseconds)
{
    barrier();
    *done = 0;
    barrier();
    if (rank == 0) {
        for (int i = 0; i < TURNS; i++) {
            epoch(!writers_flow, writers_flow && all, (i + 1) % size, 0);
            turn();
        }
    } else {
        for (int i = 0; turns() < TURNS; i++)
            epoch(writers_flow, !writers_flow && all, all ? rank : (i + 1) % size, microseconds);
    }
}

/* Everybody takes exclusive locks on one target, and everybody gets its share: nobody can finish without them. */
static void writers_among_themselves(void)
{
    barrier();
    for (int i = 0; i < TURNS * 5; i++)
        epoch(1, 0, size - 1, 0);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    OK(MPI_Win_allocate(2 * sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    OK(MPI_Win_allocate(sizeof *done, sizeof *done, MPI_INFO_NULL, MPI_COMM_WORLD, &done, &tally));
    base[0] = base[1] = 0;
    barrier();
    OK(MPI_Win_lock_all(0, tally));
    for (int all = 0; all < 2; all++)
        for (int microseconds = 0; microseconds <= 2000; microseconds += 1000) {
            flow(0, all, microseconds); /* of readers */
            flow(1, all, microseconds); /* of writers */
        }
    OK(MPI_Win_unlock_all(tally));
    writers_among_themselves();
    OK(MPI_Win_free(&tally));
    OK(MPI_Win_free(&win));
    return check_end();
}
