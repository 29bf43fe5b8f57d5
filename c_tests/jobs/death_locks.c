/* ranks: 3 4 8; name: exclusive; args: exclusive; expect-exit: 137; expect-stderr: was killed by signal 9; mpich: skip a death ends the job */
/* ranks: 3 4 8; name: shared; args: shared; expect-exit: 137; expect-stderr: was killed by signal 9; mpich: skip a death ends the job */
/* ranks: 3 4 8; name: lock_all; args: lock_all; expect-exit: 137; expect-stderr: was killed by signal 9; mpich: skip a death ends the job */
/* ranks: 3 4 8; name: for_lock_all; args: for_lock_all; expect-exit: 137; expect-stderr: was killed by signal 9; mpich: skip a death ends the job */
/* ranks: 4 8; name: bystander; args: bystander; expect-exit: 137; expect-stderr: was killed by signal 9; mpich: skip a death ends the job */
/* ranks: 4 8; name: waiter; args: waiter; expect-exit: 137; expect-stderr: was killed by signal 9; mpich: skip a death ends the job */
/* ranks: 3 4 8; name: wanting; args: wanting; expect-exit: 137; expect-stderr: was killed by signal 9; mpich: skip a death ends the job */
/* A process is killed while it holds a lock of a window, or waits for one: who waits for what it held gets an error,
 * everybody else goes on. */
#include "death.h"

static MPI_Win win;
static int *base;

/* The rest of the window works, and so does the memory of the dead. */
static void others_work(void)
{
    int value = rank, back = -1;
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win));
    OK(MPI_Put(&value, 1, MPI_INT, rank, 1, 1, MPI_INT, win));
    OK(MPI_Get(&back, 1, MPI_INT, rank, 1, 1, MPI_INT, win));
    OK(MPI_Win_unlock(rank, win));
    CHECK_EQ(back, rank);
    OK(MPI_Win_lock(MPI_LOCK_SHARED, VICTIM, 0, win));
    OK(MPI_Get(&back, 1, MPI_INT, VICTIM, 0, 1, MPI_INT, win));
    OK(MPI_Win_unlock(VICTIM, win));
    CHECK_EQ(back, 1000 + VICTIM);
}

static void exclusive(void)
{
    if (rank == VICTIM)
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
    together();
    if (rank == VICTIM)
        die();
    if (rank != 0) {
        FAILS(MPI_Win_lock(rank % 2 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, 0, 0, win),
              "MPI_Win_lock: the exclusive lock of rank 0 of the window (rank ");
        CHECK_CLASS(MPI_Win_unlock(0, win), MPI_ERR_RMA_SYNC);
        FAILS(MPI_Win_lock_all(0, win), "the exclusive lock of rank 0 of the window (rank ");
        others_work();
    } else {
        await_death();
        FAILS(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win), "the exclusive lock of rank 0 of the window (rank ");
    }
}

static void shared(void)
{
    int back;
    if (rank == VICTIM)
        OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
    together();
    if (rank == VICTIM)
        die();
    OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
    OK(MPI_Get(&back, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
    OK(MPI_Win_unlock(0, win));
    CHECK_EQ(back, 1000);
    FAILS(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win), "one of them may be ");
}

static void in_lock_all(void)
{
    if (rank == VICTIM)
        OK(MPI_Win_lock_all(0, win));
    together();
    if (rank == VICTIM)
        die();
    FAILS(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win), "MPI_Win_lock_all of ");
    /* The lock was not kept. */
    OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
    OK(MPI_Win_unlock(rank, win));
    OK(MPI_Win_lock_all(0, win));
    OK(MPI_Win_unlock_all(win));
}

static void for_lock_all(void)
{
    /* Everybody has used lock_all before: exclusive locks are counted. */
    OK(MPI_Win_lock_all(0, win));
    OK(MPI_Win_unlock_all(win));
    together();
    exclusive();
}

/* Rank 2 holds the lock that the others wait for, and lives: the death in between is not theirs. */
static void bystander(void)
{
    if (rank == 2)
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
    together();
    if (rank == VICTIM) {
        sleep_ms(100);
        die();
    }
    if (rank == 2) {
        await_death();
        /* A wait that the death wrongly ends would end now. */
        sleep_ms(700);
        OK(MPI_Win_unlock(0, win));
    } else {
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
        ++*base;
        OK(MPI_Win_unlock(0, win));
    }
    others_work();
}

/* The victim itself waits, long enough to have claimed the lock; rank 2 gives it back only after the death. */
static void waiter(void)
{
    if (rank == 2)
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
    together();
    if (rank == VICTIM) {
        die_in(1000000);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        die();
    }
    if (rank == 2) {
        await_death();
        OK(MPI_Win_unlock(0, win));
    }
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
    OK(MPI_Win_unlock(0, win));
    others_work();
}

/* The victim waits for a lock_all to end, and dies waiting: new lock_alls and exclusive locks do not wait for it. */
static void wanting(void)
{
    if (rank == 2)
        OK(MPI_Win_lock_all(0, win));
    together();
    if (rank == VICTIM) {
        die_in(1000000);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        die();
    }
    await_death();
    if (rank == 2)
        OK(MPI_Win_unlock_all(win));
    for (int i = 0; i < 20; i++) {
        OK(MPI_Win_lock_all(0, win));
        OK(MPI_Win_unlock_all(win));
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, i % size, 0, win));
        OK(MPI_Win_unlock(i % size, win));
    }
    others_work();
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {
        {"exclusive", exclusive}, {"shared", shared},       {"lock_all", in_lock_all},
        {"for_lock_all", for_lock_all}, {"bystander", bystander}, {"waiter", waiter},
        {"wanting", wanting},
    };
    size_t i = 0, n = sizeof cases / sizeof *cases;
    death_start(&argc, &argv);
    OK(MPI_Win_allocate(4 * sizeof *base, sizeof *base, MPI_INFO_NULL, all, &base, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    base[0] = 1000 + rank;
    together();
    while (i < n && strcmp(cases[i].name, argv[1]) != 0)
        i++;
    CHECK(i < n);
    cases[i].run();
    FAILS(MPI_Win_free(&win), "MPI_Win_free");
    return check_end();
}
