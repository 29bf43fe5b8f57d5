/* ranks: 2 4 8; launcher: mpiexec hydra; mpich: skip its targets must call MPI for anything to go on */
/* One-sided means one-sided: while the target computes and makes no MPI call, every operation of the others completes,
 * on each flavour. The target computes until it sees, outside MPI, that the others are done: an implementation that
 * needs the target's help hangs here. */
#include "flavours.h"

#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#define ROUNDS 20

/* How many ranks are done: memory of the program's own, not MPI's. */
static _Atomic int *done;

/* A file mapped by all ranks, with no name left. */
static void share_outside_mpi(void)
{
    char name[64] = "/tmp/one_sided_progress.XXXXXX";
    int file;
    if (rank == 0) {
        file = mkstemp(name);
        CHECK(file >= 0);
        CHECK_EQ(ftruncate(file, 4096), 0);
        OK(MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD));
    } else {
        OK(MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD));
        FILE *stream = fopen(name, "r+");
        CHECK(stream != NULL);
        file = dup(fileno(stream));
        fclose(stream);
    }
    done = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    CHECK(done != MAP_FAILED);
    close(file);
    barrier();
    if (rank == 0)
        unlink(name);
}

/* Everything that can be done to rank 0 while it computes. */
static void work(struct area *area)
{
    MPI_Win win = area->win;
    int64_t one = 1, mine = 100 + rank, got = -1, zero = 0, old;
    MPI_Aint counter = AT(area, 0, 0), slot = AT(area, 0, 64 + 16 * rank);
    for (int i = 0; i < ROUNDS; i++) {
        OK(MPI_Win_lock(i % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 0, 0, win));
        OK(MPI_Put(&mine, 1, MPI_INT64_T, 0, slot, 1, MPI_INT64_T, win));
        OK(MPI_Win_unlock(0, win));

        OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
        OK(MPI_Get(&got, 1, MPI_INT64_T, 0, slot, 1, MPI_INT64_T, win));
        OK(MPI_Win_flush(0, win));
        CHECK_EQ(got, mine);
        OK(MPI_Accumulate(&one, 1, MPI_INT64_T, 0, counter, 1, MPI_INT64_T, MPI_SUM, win));
        OK(MPI_Win_flush(0, win));
        OK(MPI_Get_accumulate(&one, 1, MPI_INT64_T, &old, 1, MPI_INT64_T, 0, slot, 1, MPI_INT64_T, MPI_SUM, win));
        OK(MPI_Win_flush_all(win));
        CHECK_EQ(old, mine);
        OK(MPI_Win_unlock(0, win));

        OK(MPI_Win_lock_all(0, win));
        OK(MPI_Fetch_and_op(&one, &old, MPI_INT64_T, 0, counter, MPI_SUM, win));
        OK(MPI_Win_flush(0, win));
        CHECK(old >= 1);
        OK(MPI_Compare_and_swap(&mine, &zero, &old, MPI_INT64_T, 0, slot + 8, win));
        OK(MPI_Win_flush(0, win));
        CHECK_EQ(old, i == 0 ? 0 : mine);
        OK(MPI_Win_unlock_all(win));
    }
}

static void run(struct area *area)
{
    if (rank == 0)
        atomic_store(done, 0);
    barrier();
    if (rank == 0) {
        volatile double x = 1;
        while (atomic_load(done) < size - 1)
            for (int i = 0; i < 10000; i++)
                x = x * 1.0000001 + 1e-9;
    } else {
        work(area);
        atomic_fetch_add(done, 1);
    }
    barrier();
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, area->win));
    if (rank == 0) {
        CHECK_EQ(*(int64_t *)(void *)area->base, 2 * ROUNDS * (size - 1));
        for (int r = 1; r < size; r++) {
            int64_t *slot = (void *)(area->base + 64 + 16 * r);
            CHECK_EQ(slot[0], 100 + r + 1);
            CHECK_EQ(slot[1], 100 + r);
        }
    }
    OK(MPI_Win_unlock(rank, area->win));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    share_outside_mpi();
    on_each_flavour(256, run);
    return check_end();
}
