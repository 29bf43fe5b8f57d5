/* ranks: 4 7; env: RMASHM_CHECK=off; expect-exit: 137; expect-stderr: was killed by signal 9; abi: mpich; mpich: skip names beyond MPI */
/* A solver that goes on when ranks die: each step is done by those that live, and counts if all of them agree that it is done. Each keeps a
 * copy of its state in a window of its neighbour, where those that are left find it. The result is that of a run without a death.
 * docs/recovery.md is about it. */
#include "check.h"
#include <signal.h>

enum { CELLS = 64, STEPS = 40 };

/* A cell and how far it is; who computes it changes. */
typedef struct {
    int64_t step, value;
} Cell;

static MPI_Comm comm;
static MPI_Win win;
static Cell *kept;        /* in my memory: the cells of the rank before me, as of its last step */
static int owners[CELLS]; /* by their ranks in MPI_COMM_WORLD */
static int alive[64];     /* likewise */

static int64_t next(int64_t value, int cell)
{
    return (int64_t)(mix((uint64_t)value, (uint64_t)cell) >> 8);
}

/* The next rank that lives keeps copies for this one. */
static int keeper(int of)
{
    do
        of = (of + 1) % size;
    while (!alive[of]);
    return of;
}

static void keep(const Cell *cells)
{
    int to = keeper(rank);
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to, 0, win));
    for (int i = 0; i < CELLS; i++)
        if (owners[i] == rank)
            OK(MPI_Put(&cells[i], sizeof(Cell), MPI_BYTE, to, i * (MPI_Aint)sizeof(Cell), sizeof(Cell), MPI_BYTE, win));
    OK(MPI_Win_unlock(to, win));
}

/* One step of all cells of this rank; then all have to have done it. */
static int step(Cell *cells, int number)
{
    int64_t sum = 0, all;
    for (int i = 0; i < CELLS; i++)
        if (owners[i] == rank && cells[i].step == number) {
            cells[i].value = next(cells[i].value, i);
            cells[i].step = number + 1;
            sum += cells[i].value;
        }
    keep(cells);
    return MPI_Allreduce(&sum, &all, 1, MPI_INT64_T, MPI_SUM, comm);
}

/* Goes on without those that have died: who keeps their copies computes their cells from now on. */
static void go_on(Cell *cells)
{
    MPI_Comm left;
    MPI_Group world, group;
    int n, there[64], ranks[64], before[64];
    OK(MPIX_Comm_revoke(comm));
    OK(MPIX_Comm_shrink(comm, &left));
    OK(MPI_Comm_free(&comm));
    comm = left;

    memcpy(before, alive, sizeof before);
    OK(MPI_Comm_size(comm, &n));
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Comm_group(comm, &group));
    for (int i = 0; i < n; i++)
        there[i] = i;
    OK(MPI_Group_translate_ranks(group, n, there, world, ranks));
    memset(alive, 0, sizeof alive);
    for (int i = 0; i < n; i++)
        alive[ranks[i]] = 1;
    for (int i = 0; i < CELLS; i++) {
        int owner = owners[i], heir = keeper(owner);
        if (alive[owner])
            continue;
        /* The one whose memory has the copy died as well, where two neighbours did: windows keep memory of the dead. */
        int has = owner;
        do
            has = (has + 1) % size;
        while (!before[has]);
        owners[i] = heir;
        if (heir == rank) {
            OK(MPI_Win_lock(MPI_LOCK_SHARED, has, 0, win));
            OK(MPI_Get(&cells[i], sizeof(Cell), MPI_BYTE, has, i * (MPI_Aint)sizeof(Cell), sizeof(Cell), MPI_BYTE, win));
            OK(MPI_Win_unlock(has, win));
        }
    }
    keep(cells);
    OK(MPI_Group_free(&world));
    OK(MPI_Group_free(&group));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    Cell cells[CELLS] = {{0, 0}};
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Win_allocate(CELLS * sizeof *kept, 1, MPI_INFO_NULL, comm, &kept, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    for (int i = 0; i < size; i++)
        alive[i] = 1;
    for (int i = 0; i < CELLS; i++) {
        cells[i].value = i;
        owners[i] = i % size;
    }
    keep(cells);
    OK(MPI_Barrier(comm));
    for (int number = 0; number < STEPS;) {
        if (rank == 1 && number == 11)
            raise(SIGKILL);
        if (size > 4 && rank == 2 && number == 11)
            raise(SIGKILL); /* the neighbour, at about the same time */
        if (size > 4 && rank == 6 && number == 30)
            raise(SIGKILL);
        int done = step(cells, number) == MPI_SUCCESS;
        /* Some may have done the step, and others heard of a death: all go on, or all do it again. */
        int agreed = MPIX_Comm_agree(comm, &done);
        if (agreed == MPI_SUCCESS && done)
            number++;
        else
            go_on(cells);
    }
    for (int i = 0; i < CELLS; i++)
        if (owners[i] == rank) {
            int64_t value = i;
            for (int number = 0; number < STEPS; number++)
                value = next(value, i);
            CHECK_EQ(cells[i].step, STEPS);
            CHECK_EQ(cells[i].value, value);
        }
    OK(MPI_Barrier(comm));
    MPI_Win_free(&win); /* its error is the death */
    OK(MPI_Comm_free(&comm));
    return check_end();
}
