/* ranks: 1 2 4; wrong: results that nobody looks at go to one variable, without flushes between */
/* Threads of each rank update the same elements at the same time, one by one and in arrays, on each flavour: nothing is
 * lost, also while a rank holds an exclusive lock that its threads share (MPI 4.1 section 11.6, 12.7.1). */
#include "flavours.h"

#include <pthread.h>

#define THREADS 3
#define ROUNDS 24
#define COUNT 500

static struct area *shared;

struct part {
    int number;
    int target;
};

static void *update(void *argument)
{
    const struct part *part = argument;
    MPI_Win win = shared->win;
    double ones[COUNT], before[COUNT], got;
    int64_t one = 1, ticket;
    for (int i = 0; i < COUNT; i++)
        ones[i] = 1;
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Aint at = AT(shared, part->target, 0), counter = AT(shared, part->target, COUNT * 8);
        switch ((round + part->number + rank) % 4) {
        case 0:
            OK(MPI_Accumulate(ones, COUNT, MPI_DOUBLE, part->target, at, COUNT, MPI_DOUBLE, MPI_SUM, win));
            break;
        case 1:
            for (int i = 0; i < COUNT; i++)
                OK(MPI_Fetch_and_op(&ones[i], &got, MPI_DOUBLE, part->target, at + i * 8, MPI_SUM, win));
            break;
        case 2:
            OK(MPI_Get_accumulate(ones, COUNT, MPI_DOUBLE, before, COUNT, MPI_DOUBLE, part->target, at, COUNT, MPI_DOUBLE,
                                  MPI_SUM, win));
            break;
        default:
            for (int i = 0; i < COUNT; i++)
                OK(MPI_Accumulate(&ones[i], 1, MPI_DOUBLE, part->target, at + i * 8, 1, MPI_DOUBLE, MPI_SUM, win));
        }
        OK(MPI_Fetch_and_op(&one, &ticket, MPI_INT64_T, part->target, counter, MPI_SUM, win));
    }
    return NULL;
}

/* All threads of this rank at once. */
static void update_all(int target)
{
    pthread_t threads[THREADS];
    struct part parts[THREADS];
    for (int i = 0; i < THREADS; i++) {
        parts[i] = (struct part){ i, target };
        CHECK(pthread_create(&threads[i], NULL, update, &parts[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
}

static void expect(int rounds)
{
    OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, shared->win));
    for (int i = 0; rank == 0 && i < COUNT; i++) {
        double is;
        memcpy(&is, shared->base + i * 8, 8);
        CHECK_EQ(is, rounds * THREADS * size);
    }
    if (rank == 0) {
        int64_t tickets;
        memcpy(&tickets, shared->base + COUNT * 8, 8);
        CHECK_EQ(tickets, rounds * THREADS * size);
    }
    OK(MPI_Win_unlock(rank, shared->win));
    barrier();
}

static void run(struct area *area)
{
    shared = area;
    OK(MPI_Win_lock_all(0, area->win));
    update_all(0);
    OK(MPI_Win_unlock_all(area->win));
    barrier();
    expect(ROUNDS);
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, area->win));
    update_all(0);
    OK(MPI_Win_unlock(0, area->win));
    barrier();
    expect(2 * ROUNDS);
}

int main(int argc, char **argv)
{
    check_start_threads(&argc, &argv);
    on_each_flavour(COUNT * 8 + 64, run);
    return check_end();
}
