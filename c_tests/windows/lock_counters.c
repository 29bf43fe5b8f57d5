/* ranks: 2; name: 10000000; args: 10000000 100000; mpich: skip its locks are messages */
/* ranks: 4 8; name: 20000; args: 20000 2000; mpich: skip its locks are messages */
/* Counters that never wrap wrongly: millions of lock epochs of all kinds, and many epochs of post, start, complete and
 * wait in groups that change, with checked ones after unchecked ones (MPI 4.1 section 12.5). */
#include "check.h"

static MPI_Win win;
static int64_t *base;

/* Each kind of lock on changing targets; every so often one that counts, so that the locks are seen to lock. */
static void locks(int pairs)
{
    int64_t counted = 0, all, sum;
    for (int i = 0; i < pairs; i++) {
        int target = i % size, kind = i % 3;
        if (kind == 2 && i % 8 == 2) {
            OK(MPI_Win_lock_all(0, win));
            OK(MPI_Win_unlock_all(win));
            continue;
        }
        OK(MPI_Win_lock(kind ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, target, 0, win));
        if (kind == 0 && i % 16 == 0) {
            int64_t value;
            OK(MPI_Get(&value, 1, MPI_INT64_T, target, 0, 1, MPI_INT64_T, win));
            OK(MPI_Win_flush(target, win));
            value++;
            counted++;
            OK(MPI_Put(&value, 1, MPI_INT64_T, target, 0, 1, MPI_INT64_T, win));
        }
        OK(MPI_Win_unlock(target, win));
    }
    barrier();
    OK(MPI_Allreduce(&counted, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD));
    OK(MPI_Allreduce(base, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD));
    CHECK_EQ(sum, all);
}

/* Whether `origin` puts to `target` in this round: any pattern, the same on all ranks. */
static int is_pair(int round, int origin, int target)
{
    return mix((uint64_t)round, (uint64_t)(64 * origin + target)) % 3 != 0;
}

static MPI_Group group_of(MPI_Group world, int round, int of_origins)
{
    MPI_Group group;
    int members[64], count = 0;
    for (int r = 0; r < size; r++)
        if (of_origins ? is_pair(round, r, rank) : is_pair(round, rank, r))
            members[count++] = r;
    OK(MPI_Group_incl(world, count, members, &group));
    return group;
}

static void epochs(int rounds)
{
    MPI_Group world, origins[16], targets[16];
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    for (int i = 0; i < 16; i++) {
        origins[i] = group_of(world, i, 1);
        targets[i] = group_of(world, i, 0);
    }
    for (int r = 0; r < size; r++)
        base[r] = -1;
    barrier();
    for (int round = 0; round < rounds; round++) {
        int i = (int)(mix(7, (uint64_t)round) % 16), over = 0;
        int nocheck = mix(9, (uint64_t)round) % 50 == 0 ? MPI_MODE_NOCHECK : 0;
        int64_t value = round;
        OK(MPI_Win_post(origins[i], nocheck, win));
        if (nocheck)
            barrier();
        OK(MPI_Win_start(targets[i], nocheck, win));
        for (int target = 0; target < size; target++)
            if (is_pair(i, rank, target))
                OK(MPI_Put(&value, 1, MPI_INT64_T, target, rank, 1, MPI_INT64_T, win));
        OK(MPI_Win_complete(win));
        if (round % 2)
            OK(MPI_Win_wait(win));
        else
            while (!over)
                OK(MPI_Win_test(win, &over));
        for (int origin = 0; origin < size; origin++)
            if (is_pair(i, origin, rank))
                CHECK_EQ(base[origin], round);
    }
    for (int i = 0; i < 16; i++) {
        OK(MPI_Group_free(&origins[i]));
        OK(MPI_Group_free(&targets[i]));
    }
    OK(MPI_Group_free(&world));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    CHECK_EQ(argc, 3);
    OK(MPI_Win_allocate(size * sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    base[0] = 0;
    barrier();
    locks(atoi(argv[1]));
    barrier();
    epochs(atoi(argv[2]));
    OK(MPI_Win_free(&win));
    return check_end();
}
