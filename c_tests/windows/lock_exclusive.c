/* ranks: 1 2 4 8; launcher: mpiexec hydra */
/* An exclusive lock excludes everybody: other exclusive locks, shared ones, lock_all and the owner's own lock, for
 * operations and for plain load and store (MPI 4.1 section 12.5.3). */
#include "flavours.h"

#define ROUNDS 100

/* Read, add, write back with put and get: only a lock makes it exact. */
static void counter_by_get_and_put(struct area *area)
{
    for (int i = 0; i < ROUNDS; i++) {
        int target = i % size;
        int64_t value = -1;
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, area->win));
        OK(MPI_Get(&value, 1, MPI_INT64_T, target, AT(area, target, 0), 1, MPI_INT64_T, area->win));
        OK(MPI_Win_flush(target, area->win));
        value++;
        OK(MPI_Put(&value, 1, MPI_INT64_T, target, AT(area, target, 0), 1, MPI_INT64_T, area->win));
        OK(MPI_Win_unlock(target, area->win));
    }
    barrier();
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, area->win));
    int64_t mine;
    memcpy(&mine, area->base, sizeof mine);
    CHECK_EQ(mine, (int64_t)size * (ROUNDS / size + (rank < ROUNDS % size)));
    OK(MPI_Win_unlock(rank, area->win));
    barrier();
}

/* The owner changes its memory by load and store under its own lock, the others by get and put. */
static void owner_by_load_and_store(struct area *area)
{
    volatile int64_t *mine = (volatile void *)(area->base + 8);
    for (int i = 0; i < ROUNDS; i++) {
        int64_t value = -1;
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, area->win));
        if (rank == 0) {
            *mine = *mine + 1;
        } else {
            OK(MPI_Get(&value, 1, MPI_INT64_T, 0, AT(area, 0, 8), 1, MPI_INT64_T, area->win));
            OK(MPI_Win_flush(0, area->win));
            value++;
            OK(MPI_Put(&value, 1, MPI_INT64_T, 0, AT(area, 0, 8), 1, MPI_INT64_T, area->win));
        }
        OK(MPI_Win_unlock(0, area->win));
    }
    barrier();
    OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, area->win));
    if (rank == 0)
        CHECK_EQ(*mine, ROUNDS * size);
    OK(MPI_Win_unlock(rank, area->win));
    barrier();
}

/* Writers make two words equal under the exclusive lock; readers under shared locks and lock_all never see them differ. */
static void excludes_readers(struct area *area)
{
    for (int i = 0; i < ROUNDS; i++) {
        int64_t pair[2];
        if ((i + rank) % 3 == 0) {
            pair[0] = pair[1] = 1000 * i + rank;
            OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, area->win));
            OK(MPI_Put(&pair[0], 1, MPI_INT64_T, 0, AT(area, 0, 16), 1, MPI_INT64_T, area->win));
            OK(MPI_Win_flush(0, area->win));
            OK(MPI_Put(&pair[1], 1, MPI_INT64_T, 0, AT(area, 0, 512), 1, MPI_INT64_T, area->win));
            OK(MPI_Win_unlock(0, area->win));
            continue;
        }
        int all = (i + rank) % 3 == 1;
        OK(all ? MPI_Win_lock_all(0, area->win) : MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, area->win));
        OK(MPI_Get(&pair[1], 1, MPI_INT64_T, 0, AT(area, 0, 512), 1, MPI_INT64_T, area->win));
        OK(MPI_Win_flush(0, area->win));
        OK(MPI_Get(&pair[0], 1, MPI_INT64_T, 0, AT(area, 0, 16), 1, MPI_INT64_T, area->win));
        OK(all ? MPI_Win_unlock_all(area->win) : MPI_Win_unlock(0, area->win));
        CHECK_EQ(pair[0], pair[1]);
    }
    barrier();
}

/* On shared memory everybody counts by load and store: a lock is held when MPI_Win_lock returns. */
static void everybody_by_load_and_store(struct area *area)
{
    if (!is_shared(area))
        return;
    volatile int64_t *count = (volatile void *)(memory_of(area, size - 1) + 24);
    for (int i = 0; i < 10 * ROUNDS; i++) {
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, size - 1, 0, area->win));
        *count = *count + 1;
        OK(MPI_Win_unlock(size - 1, area->win));
    }
    barrier();
    OK(MPI_Win_lock(MPI_LOCK_SHARED, size - 1, 0, area->win));
    CHECK_EQ(*count, 10 * ROUNDS * size);
    OK(MPI_Win_unlock(size - 1, area->win));
    barrier();
}

/* Locks on all targets at once, taken in the same order by all ranks, so that none waits for ever. */
static void several_at_once(struct area *area)
{
    for (int i = 0; i < ROUNDS / 10; i++) {
        for (int target = 0; target < size; target++)
            OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, area->win));
        int64_t values[8] = { 0 };
        for (int target = 0; target < size; target++)
            OK(MPI_Get(&values[target], 1, MPI_INT64_T, target, AT(area, target, 32), 1, MPI_INT64_T, area->win));
        for (int target = 0; target < size; target++)
            OK(MPI_Win_flush(target, area->win));
        for (int target = 0; target < size; target++) {
            CHECK_EQ(values[target], values[0] - (target > 0)); /* values[0] is one further already */
            values[target]++;
            OK(MPI_Put(&values[target], 1, MPI_INT64_T, target, AT(area, target, 32), 1, MPI_INT64_T, area->win));
        }
        for (int target = size - 1; target >= 0; target--)
            OK(MPI_Win_unlock(target, area->win));
    }
    barrier();
}

static void run(struct area *area)
{
    counter_by_get_and_put(area);
    owner_by_load_and_store(area);
    excludes_readers(area);
    everybody_by_load_and_store(area);
    several_at_once(area);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    on_each_flavour(1024, run);
    return check_end();
}
