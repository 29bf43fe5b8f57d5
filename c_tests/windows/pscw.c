/* ranks: 2 4 8; launcher: mpiexec hydra */
/* Post, start, complete, wait and test: groups that change from epoch to epoch, in every order, with and without
 * MPI_MODE_NOCHECK; data is there after wait, and only who was posted to is waited for (MPI 4.1 section 12.5.2). */
#include "flavours.h"

static MPI_Group world;

static MPI_Group group_of(const int *ranks, int count)
{
    MPI_Group group;
    OK(MPI_Group_incl(world, count, ranks, &group));
    return group;
}

static int slot(const struct area *area, int r)
{
    int value;
    memcpy(&value, area->base + 4 * r, 4);
    return value;
}

/* Each rank exposes itself to its left neighbour and puts to its right one: a ring. */
static void ring(struct area *area, int rounds)
{
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    MPI_Group from = group_of(&left, 1), to = group_of(&right, 1);
    for (int i = 0; i < rounds; i++) {
        int value = 1000 * i + rank, flag = 0;
        int nocheck = i % 3 == 2 ? MPI_MODE_NOCHECK : 0;
        OK(MPI_Win_post(from, nocheck, area->win));
        if (nocheck)
            barrier(); /* NOCHECK promises that the posts are made before the starts */
        OK(MPI_Win_start(to, nocheck, area->win));
        OK(MPI_Put(&value, 1, MPI_INT, right, AT(area, right, 4 * rank), 1, MPI_INT, area->win));
        OK(MPI_Win_complete(area->win));
        if (i % 2)
            OK(MPI_Win_wait(area->win));
        else
            while (!flag)
                OK(MPI_Win_test(area->win, &flag));
        CHECK_EQ(slot(area, left), 1000 * i + left);
    }
    OK(MPI_Group_free(&from));
    OK(MPI_Group_free(&to));
}

/* One target, several origins, and other ones each time; and one origin with several targets. */
static void changing(struct area *area)
{
    for (int round = 0; round < 3 * size; round++) {
        int target = round % size, origins[8], count = 0, mine = 0;
        for (int r = 0; r < size; r++)
            if (r != target && (r + round) % 3 != 1) {
                origins[count++] = r;
                mine |= r == rank;
            }
        MPI_Group to = group_of(&target, 1), from = group_of(origins, count);
        int value = 77 * round + rank;
        if (rank == target) {
            OK(MPI_Win_post(from, 0, area->win));
            OK(MPI_Win_wait(area->win));
            for (int i = 0; i < count; i++)
                CHECK_EQ(slot(area, origins[i]), 77 * round + origins[i]);
        } else if (mine) {
            OK(MPI_Win_start(to, 0, area->win));
            OK(MPI_Put(&value, 1, MPI_INT, target, AT(area, target, 4 * rank), 1, MPI_INT, area->win));
            OK(MPI_Win_complete(area->win));
        }
        /* Now the other way round: the target of before puts to its origins. */
        value = -round;
        if (rank == target) {
            OK(MPI_Win_start(from, 0, area->win));
            for (int i = 0; i < count; i++)
                OK(MPI_Put(&value, 1, MPI_INT, origins[i], AT(area, origins[i], 40), 1, MPI_INT, area->win));
            OK(MPI_Win_complete(area->win));
        } else if (mine) {
            OK(MPI_Win_post(to, 0, area->win));
            OK(MPI_Win_wait(area->win));
            CHECK_EQ(slot(area, 10), -round);
        }
        OK(MPI_Group_free(&to));
        OK(MPI_Group_free(&from));
    }
}

/* Everybody to everybody, oneself included; and empty groups. */
static void all_and_none(struct area *area)
{
    MPI_Group nobody = MPI_GROUP_EMPTY;
    int one = 1, values[8];
    memset(area->base, 0, 64);
    for (int i = 0; i < 8; i++)
        values[i] = 10 * rank + i;
    barrier();
    OK(MPI_Win_post(world, 0, area->win));
    OK(MPI_Win_start(world, 0, area->win));
    for (int target = 0; target < size; target++) {
        OK(MPI_Put(&values[target], 1, MPI_INT, target, AT(area, target, 4 * rank), 1, MPI_INT, area->win));
        OK(MPI_Accumulate(&one, 1, MPI_INT, target, AT(area, target, 48), 1, MPI_INT, MPI_SUM, area->win));
    }
    OK(MPI_Win_complete(area->win));
    OK(MPI_Win_wait(area->win));
    for (int r = 0; r < size; r++)
        CHECK_EQ(slot(area, r), 10 * r + rank);
    CHECK_EQ(slot(area, 12), size);
    OK(MPI_Win_post(nobody, 0, area->win));
    OK(MPI_Win_start(nobody, 0, area->win));
    OK(MPI_Win_complete(area->win));
    OK(MPI_Win_wait(area->win));
}

/* The test says no as long as the origin has not completed, and yes once. */
static void test_says_no(struct area *area)
{
    int peer = rank ^ 1, flag = 1, token = 0;
    MPI_Group pair = group_of(&peer, 1);
    if (rank % 2 == 0) {
        OK(MPI_Win_post(pair, 0, area->win));
        OK(MPI_Recv(&token, 1, MPI_INT, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        OK(MPI_Win_test(area->win, &flag));
        CHECK_EQ(flag, 0); /* the origin is between start and complete, and waits for our word */
        OK(MPI_Send(&token, 1, MPI_INT, peer, 2, MPI_COMM_WORLD));
        while (!flag)
            OK(MPI_Win_test(area->win, &flag));
    } else {
        OK(MPI_Win_start(pair, 0, area->win));
        OK(MPI_Send(&token, 1, MPI_INT, peer, 1, MPI_COMM_WORLD));
        OK(MPI_Recv(&token, 1, MPI_INT, peer, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        OK(MPI_Win_complete(area->win));
    }
    OK(MPI_Group_free(&pair));
}

static void run(struct area *area)
{
    ring(area, 30);
    barrier();
    changing(area);
    barrier();
    all_and_none(area);
    test_says_no(area);
    ring(area, 7);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    on_each_flavour(64, run);
    OK(MPI_Group_free(&world));
    return check_end();
}
