// Epochs of MPI_Win_start and MPI_Win_post of several at a time: an origin knows of a target what that has known when it posted, and a target of an origin
// what that has known when it completed.
//
// ranks: 3 4
// wrong one_target: data race
// wrong origin_to_origin: data race
// wrong each_to_each: data race
// wrong completed_then_more: data race
// right each_to_each_apart
// right one_after_another
// right told_by_target
#include <mpi.h>
#include <string.h>
#include <unistd.h>

static const MPI_Comm comm = MPI_COMM_WORLD;
static char *variant;
static int is(const char *name) { return !strcmp(name, variant); }

static MPI_Win win;
static MPI_Group all;
static int rank, size;

/* Those of the first three that are in a set of bits. */
static MPI_Group some(int bits) {
    int ranks[3], count = 0;
    MPI_Group group;
    for (int r = 0; r < 3; r++)
        if (bits >> r & 1) ranks[count++] = r;
    MPI_Group_incl(all, count, ranks, &group);
    return group;
}

static void post(int origins) {
    MPI_Group group = some(origins);
    MPI_Win_post(group, 0, win);
    MPI_Group_free(&group);
}

static void start(int targets) {
    MPI_Group group = some(targets);
    MPI_Win_start(group, 0, win);
    MPI_Group_free(&group);
}

int main(int argc, char **argv) {
    long *memory, four[4] = {1, 2, 3, 4};
    MPI_Init(&argc, &argv);
    variant = argv[1];
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Comm_group(comm, &all);
    MPI_Win_allocate(64 * sizeof(long), sizeof(long), MPI_INFO_NULL, comm, &memory, &win);
    memset(memory, 0, 64 * sizeof(long));
    MPI_Barrier(comm);
    int others = 7 & ~(1 << rank);
    if (is("one_target")) {
        if (rank == 0) post(6);
        if (rank == 1 || rank == 2) start(1);
        if (rank == 1) MPI_Put(four, 4, MPI_LONG, 0, 2, 4, MPI_LONG, win); // !one_target
        if (rank == 2) MPI_Put(four, 4, MPI_LONG, 0, 3, 4, MPI_LONG, win); // !one_target
        if (rank == 1 || rank == 2) MPI_Win_complete(win);
        if (rank == 0) MPI_Win_wait(win);
    } else if (is("origin_to_origin")) {
        /* Rank 2 has posted to rank 1, and has put and completed when that starts. */
        if (rank == 0) post(6);
        if (rank == 2) post(2);
        if (rank == 1) usleep(100000);
        if (rank == 1) start(5);
        if (rank == 1) MPI_Put(four, 4, MPI_LONG, 0, 2, 4, MPI_LONG, win); // !origin_to_origin
        if (rank == 1) MPI_Win_complete(win);
        if (rank == 2) start(1);
        if (rank == 2) MPI_Put(four, 4, MPI_LONG, 0, 3, 4, MPI_LONG, win); // !origin_to_origin
        if (rank == 2) MPI_Win_complete(win);
        if (rank == 0 || rank == 2) MPI_Win_wait(win);
    } else if (is("each_to_each") || is("each_to_each_apart")) {
        int wrong = is("each_to_each");
        if (rank < 3) post(others);
        /* Rank 1 has posted, put and completed. */
        if (rank == 2) usleep(100000);
        if (rank < 3) start(others);
        if (rank == 1) MPI_Put(four, 4, MPI_LONG, 0, 2, 4, MPI_LONG, win); // !each_to_each
        if (rank == 2) MPI_Put(four, 4, MPI_LONG, 0, wrong ? 3 : 6, 4, MPI_LONG, win); // !each_to_each
        if (rank < 3) MPI_Win_complete(win);
        if (rank < 3) MPI_Win_wait(win);
    } else if (is("completed_then_more")) {
        /* What rank 1 does behind MPI_Win_complete is nothing that rank 0 knows of by MPI_Win_wait, however late that is. */
        if (rank == 0) post(2);
        if (rank == 1) start(1);
        if (rank == 1) MPI_Win_complete(win);
        if (rank == 0) usleep(100000);
        if (rank == 0) MPI_Win_wait(win);
        if (rank < 2) MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, win);
        if (rank == 1) MPI_Put(four, 4, MPI_LONG, 2, 2, 4, MPI_LONG, win); // !completed_then_more
        if (rank == 0) MPI_Put(four, 4, MPI_LONG, 2, 3, 4, MPI_LONG, win); // !completed_then_more
        if (rank < 2) MPI_Win_unlock(2, win);
    } else if (is("one_after_another")) {
        for (int turn = 0; turn < 20; turn++)
            for (int origin = 1; origin < 3; origin++) {
                if (rank == 0) post(1 << origin);
                if (rank == origin) start(1);
                if (rank == origin) MPI_Put(four, 4, MPI_LONG, 0, 2, 4, MPI_LONG, win);
                if (rank == origin) MPI_Win_complete(win);
                if (rank == 0) MPI_Win_wait(win);
            }
    } else if (is("told_by_target")) {
        /* Rank 0 has waited for rank 1, and posts to rank 2: that knows of it. */
        if (rank == 1) start(1);
        if (rank == 0) post(2);
        if (rank == 1) MPI_Put(four, 4, MPI_LONG, 0, 2, 4, MPI_LONG, win);
        if (rank == 1) MPI_Win_complete(win);
        if (rank == 0) MPI_Win_wait(win);
        if (rank == 0) post(4);
        if (rank == 2) start(1);
        if (rank == 2) MPI_Accumulate(four, 4, MPI_LONG, 0, 3, 4, MPI_LONG, MPI_SUM, win);
        if (rank == 2) MPI_Win_complete(win);
        if (rank == 0) MPI_Win_wait(win);
    }
    MPI_Group_free(&all);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
