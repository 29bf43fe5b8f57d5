// Epochs of MPI_Win_start and MPI_Win_post of several at a time: an origin knows of a target what that has known when it posted, and a target of an origin
// what that has known when it completed. MPI_Win_complete completes operations at the origin; at the target they are complete when that has waited.
//
// ranks: 3 4
// wrong one_target: data race
// wrong origin_to_origin: data race
// wrong each_to_each: data race
// wrong completed_then_more: data race
// wrong told_by_origin: data race
// wrong told_by_origin_again: data race
// wrong accumulates_told_by_origin: data race
// right each_to_each_apart
// right one_after_another
// right told_by_target
// right got_told_by_origin
// right tested_by_target
// right told_by_target_later
// right told_by_shared_locks
// right own_part
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
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

static void tell(int to) { MPI_Send(NULL, 0, MPI_BYTE, to, 0, comm); }
static void hear(int from) { MPI_Recv(NULL, 0, MPI_BYTE, from, 0, comm, MPI_STATUS_IGNORE); }

/* What MPI does not know of: a rank says that it has come to a point, and others wait for that. */
static char *file_of(int point) {
    static char path[256];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/exposures.%d.%d", folder ? folder : "/tmp", (int)getppid(), point);
    return path;
}

static void reach(int point) {
    FILE *file = fopen(file_of(point), "w");
    if (file)
        fclose(file);
}

static void await(int point) {
    while (access(file_of(point), F_OK))
        usleep(1000);
    unlink(file_of(point));
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
    } else if (is("told_by_origin") || is("told_by_origin_again") || is("accumulates_told_by_origin") || is("got_told_by_origin")) {
        /* Rank 1 tells rank 2 that it has completed, which rank 0 has not heard of. The second time it knows of the first one. */
        int turns = is("told_by_origin_again") ? 3 : 1;
        for (int turn = 1; turn <= turns; turn++) {
            int last = turn == turns;
            if (rank == 0) post(6);
            if (rank == 1 || rank == 2) start(1);
            if (rank == 1 && is("got_told_by_origin"))
                MPI_Get(four, 4, MPI_LONG, 0, 2, 4, MPI_LONG, win);
            else if (rank == 1 && is("accumulates_told_by_origin"))
                MPI_Accumulate(four, 4, MPI_LONG, 0, 2, 4, MPI_LONG, MPI_SUM, win); // !accumulates_told_by_origin
            else if (rank == 1)
                MPI_Put(four, 4, MPI_LONG, 0, 2, 4, MPI_LONG, win); // !told_by_origin !told_by_origin_again
            if (rank == 1) MPI_Win_complete(win);
            if (rank == 1) tell(2);
            if (rank == 2) hear(1);
            if (rank == 2 && last) MPI_Put(four, 4, MPI_LONG, 0, 3, 4, MPI_LONG, win); // !told_by_origin !told_by_origin_again !accumulates_told_by_origin
            if (rank == 2) MPI_Win_complete(win);
            if (rank == 0) MPI_Win_wait(win);
            MPI_Barrier(comm);
        }
    } else if (is("tested_by_target") || is("told_by_target_later")) {
        /* Rank 1 makes epochs with ranks 0 and 2, one after the other, and rank 2 puts to rank 0 when that has told it. */
        int later = is("told_by_target_later");
        for (int turn = 0; turn < 20; turn++) {
            if (rank == 0 || rank == 2) post(2);
            for (int target = 0; target < 3; target += 2) {
                if (rank == 1) start(1 << target);
                if (rank == 1) MPI_Put(four, 4, MPI_LONG, target, 2, 4, MPI_LONG, win);
                if (rank == 1) MPI_Win_complete(win);
            }
            int flag = later;
            if (rank == 0)
                while (!flag)
                    MPI_Win_test(win, &flag);
            if (rank == 0 && later) MPI_Win_wait(win);
            if (rank == 2) MPI_Win_wait(win);
            if (rank == 1 && later) MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
            if (rank == 1 && later) MPI_Put(four, 4, MPI_LONG, 1, 2, 4, MPI_LONG, win);
            if (rank == 1 && later) MPI_Win_unlock(1, win);
            if (rank == 0) tell(2);
            if (rank == 2) hear(0);
            if (rank == 2) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
            if (rank == 2) MPI_Put(four, 4, MPI_LONG, 0, 3, 4, MPI_LONG, win);
            if (rank == 2) MPI_Win_unlock(0, win);
            MPI_Barrier(comm);
        }
    } else if (is("told_by_shared_locks")) {
        /* Rank 0 has waited, and leaves that where it has locked rank 1's part. Rank 1 leaves what it knows there after it, which is less: rank 2 has it
           of both. */
        if (rank == 0) post(2);
        if (rank == 1) start(1);
        if (rank == 1) MPI_Put(four, 4, MPI_LONG, 0, 2, 4, MPI_LONG, win);
        if (rank == 1) MPI_Win_complete(win);
        if (rank == 0) MPI_Win_wait(win);
        for (int turn = 0; turn < 3; turn++) {
            if (rank < 2) {
                if (rank == 1) await(0);
                MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
                MPI_Win_unlock(1, win);
                if (rank == 0) reach(0);
                if (rank == 1) reach(1);
            }
            if (rank == 0) await(1);
        }
        if (rank == 0) reach(2);
        if (rank == 2) await(2);
        if (rank == 2) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
        if (rank == 2) MPI_Win_unlock(1, win);
        if (rank == 2) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        if (rank == 2) MPI_Put(four, 4, MPI_LONG, 0, 3, 4, MPI_LONG, win);
        if (rank == 2) MPI_Win_unlock(0, win);
    } else if (is("own_part")) {
        /* Rank 0 accesses its own part, and tells rank 1 when it has waited for that. */
        for (int turn = 0; turn < 3; turn++) {
            if (rank == 0) {
                post(1);
                start(1);
                MPI_Put(four, 4, MPI_LONG, 0, 2, 4, MPI_LONG, win);
                MPI_Win_complete(win);
                MPI_Win_wait(win);
                tell(1);
            } else if (rank == 1) {
                hear(0);
                MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
                MPI_Put(four, 4, MPI_LONG, 0, 3, 4, MPI_LONG, win);
                MPI_Win_unlock(0, win);
            }
            MPI_Barrier(comm);
        }
    }
    MPI_Group_free(&all);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
