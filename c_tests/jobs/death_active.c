/* ranks: 3 4 8; name: fence; args: fence; expect-exit: 137; expect-stderr: was killed by signal 9; mpich: skip a death ends the job */
/* ranks: 3 4 8; name: free; args: free; expect-exit: 137; expect-stderr: was killed by signal 9; mpich: skip a death ends the job */
/* ranks: 3 4 8; name: create; args: create; expect-exit: 137; expect-stderr: was killed by signal 9; mpich: skip a death ends the job */
/* ranks: 3 4 8; name: start; args: start; expect-exit: 137; expect-stderr: was killed by signal 9; mpich: skip a death ends the job */
/* ranks: 3 4 8; name: wait; args: wait; expect-exit: 137; expect-stderr: was killed by signal 9; mpich: skip a death ends the job */
/* ranks: 3 4 8; name: test; args: test; expect-exit: 137; expect-stderr: was killed by signal 9; mpich: skip a death ends the job */
/* ranks: 4 8; name: others; args: others; expect-exit: 137; expect-stderr: was killed by signal 9; mpich: skip a death ends the job */
/* A process is killed while others wait for it in active target synchronisation, or in making or freeing a window. */
#include "death.h"

static MPI_Win win;
static int *base;
static MPI_Group victim, all_group, living;

static void fence(void)
{
    int value = rank;
    OK(MPI_Win_fence(0, win));
    if (rank == VICTIM)
        die();
    OK(MPI_Put(&value, 1, MPI_INT, rank, 0, 1, MPI_INT, win));
    FAILS(MPI_Win_fence(0, win), "MPI_Win_fence: ");
    /* And again: nobody takes the arrivals at the first for those at the second. */
    FAILS(MPI_Win_fence(MPI_MODE_NOPRECEDE, win), "MPI_Win_fence: ");
    FAILS(MPI_Win_fence(0, win), "MPI_Win_fence: ");
    FAILS(MPI_Barrier(all), "MPI_Barrier on communicator ");
}

static void free_window(void)
{
    if (rank == VICTIM)
        die();
    /* main frees */
}

static void create(void)
{
    MPI_Win another;
    if (rank == VICTIM)
        die();
    FAILS(MPI_Win_allocate(64, 1, MPI_INFO_NULL, all, &base, &another), "MPI_Win_allocate: ");
    FAILS(MPI_Win_create_dynamic(MPI_INFO_NULL, all, &another), "MPI_Win_create_dynamic: ");
}

static void start(void)
{
    if (rank == VICTIM)
        die();
    FAILS(MPI_Win_start(victim, 0, win), "MPI_Win_start: waiting for MPI_Win_post");
    CHECK_CLASS(MPI_Win_complete(win), MPI_ERR_RMA_SYNC);
}

/* Rank 0 is exposed to all the others; those that live complete, and those that wait for rank 1 do so in vain. */
static void wait_or_test(int testing)
{
    int over = 0, code;
    if (rank == VICTIM)
        die();
    OK(MPI_Win_post(victim, 0, win));
    if (testing) {
        while ((code = MPI_Win_test(win, &over)) == MPI_SUCCESS)
            CHECK(!over);
        FAILS(code, "waiting for MPI_Win_complete");
    } else
        FAILS(MPI_Win_wait(win), "MPI_Win_wait: waiting for MPI_Win_complete");
    CHECK_CLASS(MPI_Win_wait(win), MPI_ERR_RMA_SYNC);
    /* The completion that is missing is missing for ever. */
    OK(MPI_Win_post(MPI_GROUP_EMPTY, 0, win));
    FAILS(MPI_Win_wait(win), "MPI_Win_wait: waiting for MPI_Win_complete");
}

static void wait_for(void)
{
    wait_or_test(0);
}

static void test_for(void)
{
    wait_or_test(1);
}

/* Epochs among the living go on while and after one dies that is not in their groups, round and round. A start that fails
 * for a dead target counts as a completed epoch at the living ones: their wait ends. */
static void others(void)
{
    MPI_Group rest, me;
    if (rank == VICTIM) {
        sleep_ms(20);
        die();
    }
    OK(MPI_Group_incl(all_group, 1, &rank, &me));
    OK(MPI_Group_difference(living, me, &rest));
    for (int round = 0; round < 300; round++) {
        int value = round;
        OK(MPI_Win_post(rest, 0, win));
        OK(MPI_Win_start(rest, 0, win));
        for (int to = 0; to < size; to++)
            if (to != rank && to != VICTIM)
                OK(MPI_Put(&value, 1, MPI_INT, to, rank, 1, MPI_INT, win));
        OK(MPI_Win_complete(win));
        OK(MPI_Win_wait(win));
        for (int from = 0; from < size; from++)
            if (from != rank && from != VICTIM)
                CHECK_EQ(base[from], round);
    }
    await_death();
    if (rank == 0) {
        MPI_Group two;
        int ranks[] = {2, VICTIM};
        OK(MPI_Group_incl(all_group, 2, ranks, &two));
        FAILS(MPI_Win_start(two, 0, win), "MPI_Win_start: waiting for MPI_Win_post");
        OK(MPI_Group_free(&two));
    } else if (rank == 2) {
        MPI_Group zero;
        int ranks[] = {0};
        OK(MPI_Group_incl(all_group, 1, ranks, &zero));
        OK(MPI_Win_post(zero, 0, win));
        OK(MPI_Win_wait(win));
        OK(MPI_Group_free(&zero));
    }
    OK(MPI_Group_free(&rest));
    OK(MPI_Group_free(&me));
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {
        {"fence", fence},   {"free", free_window}, {"create", create}, {"start", start},
        {"wait", wait_for}, {"test", test_for},    {"others", others},
    };
    size_t i = 0, n = sizeof cases / sizeof *cases;
    int ranks[] = {VICTIM};
    death_start(&argc, &argv);
    OK(MPI_Win_allocate(size * sizeof *base, sizeof *base, MPI_INFO_NULL, all, &base, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    OK(MPI_Comm_group(all, &all_group));
    OK(MPI_Group_incl(all_group, 1, ranks, &victim));
    OK(MPI_Group_excl(all_group, 1, ranks, &living));
    together();
    while (i < n && strcmp(cases[i].name, argv[1]) != 0)
        i++;
    CHECK(i < n);
    cases[i].run();
    FAILS(MPI_Win_free(&win), "MPI_Win_free: ");
    OK(MPI_Group_free(&victim));
    OK(MPI_Group_free(&living));
    OK(MPI_Group_free(&all_group));
    return check_end();
}
