/* ranks: 3 4 */
/* A process may lock the windows of others while its own is exposed, and expose its own while it holds locks of others: only
 * one and the same window must not be both (MPI 4.1 section 12.5.3). After a fence that no operation followed every kind of
 * epoch may be opened (section 12.5.1). */
#include "check.h"

enum { TARGET = 0, ORIGIN = 1, LOCKED = 2 };

static MPI_Win win;
static MPI_Group target, origin;
static int *base;

static void put(int value, int to, int at)
{
    OK(MPI_Put(&value, 1, MPI_INT, to, at, 1, MPI_INT, win));
    OK(MPI_Win_flush(to, win));
}

/* In the epoch of ORIGIN at TARGET. */
static void visit(int value)
{
    OK(MPI_Win_start(target, 0, win));
    OK(MPI_Put(&value, 1, MPI_INT, TARGET, 0, 1, MPI_INT, win));
    OK(MPI_Win_complete(win));
}

/* What both must have left. */
static void both_came(int value)
{
    barrier();
    if (rank == LOCKED)
        OK(MPI_Win_lock(MPI_LOCK_SHARED, LOCKED, 0, win));
    if (rank == TARGET || rank == LOCKED)
        CHECK_EQ(base[0], value);
    if (rank == LOCKED)
        OK(MPI_Win_unlock(LOCKED, win));
    barrier();
}

/* TARGET is exposed to ORIGIN, and holds a lock of LOCKED: for what part of that time says the order. */
static void exposed_and_locking(int order, int type, int value)
{
    if (rank == ORIGIN)
        visit(value);
    if (rank == TARGET) {
        if (order == 0)
            OK(MPI_Win_lock(type, LOCKED, 0, win));
        OK(MPI_Win_post(origin, 0, win));
        if (order != 0)
            OK(MPI_Win_lock(type, LOCKED, 0, win));
        put(value, LOCKED, 0);
        if (order == 1)
            OK(MPI_Win_wait(win));
        OK(MPI_Win_unlock(LOCKED, win));
        if (order != 1)
            OK(MPI_Win_wait(win));
    }
    both_came(value);
}

/* Several locks one after the other within one exposure, and several exposures within one lock. */
static void one_in_the_other(int value)
{
    if (rank == ORIGIN)
        for (int i = 0; i < 5; i++)
            visit(value);
    if (rank == TARGET) {
        OK(MPI_Win_post(origin, 0, win));
        for (int i = 0; i < 3; i++) {
            OK(MPI_Win_lock(i % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, LOCKED, 0, win));
            put(value, LOCKED, 0);
            OK(MPI_Win_unlock(LOCKED, win));
        }
        OK(MPI_Win_wait(win));
        OK(MPI_Win_lock(MPI_LOCK_SHARED, LOCKED, 0, win));
        for (int i = 1, over; i < 5; i++) {
            OK(MPI_Win_post(origin, 0, win));
            put(value, LOCKED, 0);
            for (over = 0; !over;)
                OK(MPI_Win_test(win, &over));
        }
        OK(MPI_Win_unlock(LOCKED, win));
    }
    both_came(value);
}

/* ORIGIN holds a lock of LOCKED and lets it go before it starts, all the while TARGET is exposed. */
static void locks_then_starts(int value)
{
    if (rank == TARGET)
        OK(MPI_Win_post(origin, 0, win));
    if (rank == ORIGIN) {
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, LOCKED, 0, win));
        put(value, LOCKED, 0);
        OK(MPI_Win_unlock(LOCKED, win));
        visit(value);
    }
    if (rank == TARGET)
        OK(MPI_Win_wait(win));
    both_came(value);
}

int main(int argc, char **argv)
{
    MPI_Group world;
    int value = 10, its_rank;
    check_start(&argc, &argv);
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_incl(world, 1, (its_rank = TARGET, &its_rank), &target));
    OK(MPI_Group_incl(world, 1, (its_rank = ORIGIN, &its_rank), &origin));
    OK(MPI_Win_allocate(64, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    *base = 0;
    barrier();
    for (int fences = 0; fences < 2; fences++) {
#define AFTER_A_FENCE(call)                        \
    do {                                           \
        if (fences)                                \
            OK(MPI_Win_fence(0, win));             \
        call;                                      \
    } while (0)
        for (int order = 0; order < 3; order++) {
            AFTER_A_FENCE(exposed_and_locking(order, MPI_LOCK_EXCLUSIVE, value++));
            AFTER_A_FENCE(exposed_and_locking(order, MPI_LOCK_SHARED, value++));
        }
        AFTER_A_FENCE(one_in_the_other(value++));
        AFTER_A_FENCE(locks_then_starts(value++));
    }
    OK(MPI_Group_free(&target));
    OK(MPI_Group_free(&origin));
    OK(MPI_Group_free(&world));
    OK(MPI_Win_free(&win));
    return check_end();
}
