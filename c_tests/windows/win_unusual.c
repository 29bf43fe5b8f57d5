/* ranks: 1 2 3 4 8; mpich: skip 4.0.2 has not done the put after the fence in outlives_its_communicator */
/* Windows used in unusual but right ways: over memory of other windows and other ranks, longer than their communicators,
 * several in different epochs at once, locked in every order, freed while messages are on their way, with attributes whose
 * callbacks use or keep the window (MPI 4.1 sections 7.7, 12.2, 12.5). */
#include "check.h"

static int next, previous;

/* The communicator is gone before the window is used; ranks run the other way in it. */
static void outlives_its_communicator(void)
{
    MPI_Comm comm, copy;
    MPI_Win win, other;
    int *base, *other_base, me, value;
    OK(MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm));
    OK(MPI_Comm_dup(comm, &copy));
    OK(MPI_Comm_rank(comm, &me));
    CHECK_EQ(me, size - 1 - rank);
    OK(MPI_Win_allocate(sizeof *base, 1, MPI_INFO_NULL, comm, &base, &win));
    OK(MPI_Win_allocate_shared(sizeof *base, 1, MPI_INFO_NULL, copy, &other_base, &other));
    OK(MPI_Comm_free(&comm));
    OK(MPI_Comm_free(&copy));
    *base = *other_base = -1;
    OK(MPI_Win_fence(0, win));
    OK(MPI_Win_fence(0, other));
    value = 50 + me;
    OK(MPI_Put(&value, 1, MPI_INT, (me + 1) % size, 0, 1, MPI_INT, win));
    OK(MPI_Put(&value, 1, MPI_INT, (me + size - 1) % size, 0, 1, MPI_INT, other));
    OK(MPI_Win_fence(0, other));
    OK(MPI_Win_fence(0, win));
    CHECK_EQ(*base, 50 + (me + size - 1) % size);
    CHECK_EQ(*other_base, 50 + (me + 1) % size);
    OK(MPI_Win_free(&other));
    OK(MPI_Win_free(&win));
}

/* A window over the memory that another window has at the next rank: operations on this rank's part of it land there. */
static void over_memory_of_others(void)
{
    MPI_Win shared, lent, part;
    MPI_Aint bytes;
    int *base, *theirs, unit, value = 7 + rank;
    OK(MPI_Win_allocate_shared(4 * sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &shared));
    OK(MPI_Win_shared_query(shared, next, &bytes, &unit, &theirs));
    OK(MPI_Win_create(theirs, bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &lent));
    OK(MPI_Win_create(base + 1, 2 * sizeof *base, unit, MPI_INFO_NULL, MPI_COMM_SELF, &part));
    for (int i = 0; i < 4; i++)
        base[i] = 0;
    barrier();
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, lent)); /* our part, which is the next rank's memory */
    OK(MPI_Put(&value, 1, MPI_INT, rank, 2, 1, MPI_INT, lent));
    OK(MPI_Win_unlock(rank, lent));
    barrier();
    OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, part));
    OK(MPI_Get(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, part));
    OK(MPI_Win_unlock(0, part));
    CHECK_EQ(value, 7 + previous);
    CHECK_EQ(base[2], 7 + previous);
    OK(MPI_Win_free(&part));
    OK(MPI_Win_free(&lent));
    OK(MPI_Win_free(&shared));
}

/* A fence epoch on one window, lock_all on another, an exposure and an access epoch on a third, all open at once. */
static void epochs_side_by_side(void)
{
    MPI_Win win[3];
    MPI_Group world, left, right;
    int *base[3], value, got;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_incl(world, 1, &previous, &left));
    OK(MPI_Group_incl(world, 1, &next, &right));
    for (int i = 0; i < 3; i++) {
        OK(MPI_Win_allocate(sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base[i], &win[i]));
        *base[i] = -1;
    }
    barrier();
    for (int round = 0; round < 50; round++) {
        value = 100 * round + rank;
        OK(MPI_Win_post(left, 0, win[2]));
        OK(MPI_Win_fence(0, win[0]));
        OK(MPI_Win_lock_all(0, win[1]));
        OK(MPI_Win_start(right, 0, win[2]));
        for (int i = 0; i < 3; i++)
            OK(MPI_Put(&value, 1, MPI_INT, next, 0, 1, MPI_INT, win[i]));
        OK(MPI_Win_flush(next, win[1]));
        OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win[0]));
        OK(MPI_Get(&got, 1, MPI_INT, rank, 0, 1, MPI_INT, win[1]));
        OK(MPI_Win_complete(win[2]));
        OK(MPI_Win_unlock_all(win[1]));
        OK(MPI_Win_wait(win[2]));
        CHECK_EQ(got, 100 * round + previous);
        for (int i = 0; i < 3; i++)
            CHECK_EQ(*base[i], 100 * round + previous);
        barrier();
    }
    for (int i = 0; i < 3; i++)
        OK(MPI_Win_free(&win[i]));
    OK(MPI_Group_free(&world));
    OK(MPI_Group_free(&left));
    OK(MPI_Group_free(&right));
}

/* The exposure epoch ends before the access epoch on even ranks, after it on odd ones; epochs of several rounds overlap. */
static void exposures_overlap(void)
{
    MPI_Win win;
    MPI_Group world, others[8];
    int *base, peer, value;
    if (size % 2)
        return;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Win_allocate(8 * sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    for (int r = 0; r < size; r++)
        OK(MPI_Group_incl(world, 1, &r, &others[r]));
    barrier();
    for (int round = 0; round < 60; round++) {
        peer = rank ^ 1;
        value = 10 * round + rank;
        OK(MPI_Win_post(others[peer], 0, win));
        OK(MPI_Win_start(others[peer], 0, win));
        OK(MPI_Put(&value, 1, MPI_INT, peer, rank, 1, MPI_INT, win));
        if (rank % 2 == 0)
            OK(MPI_Win_wait(win)); /* while our own access epoch is open */
        if (rank % 2 == 0)
            CHECK_EQ(base[peer], 10 * round + peer);
        OK(MPI_Win_complete(win));
        if (rank % 2) {
            OK(MPI_Win_wait(win));
            CHECK_EQ(base[peer], 10 * round + peer);
        }
    }
    OK(MPI_Win_free(&win));
    for (int r = 0; r < size; r++)
        OK(MPI_Group_free(&others[r]));
    OK(MPI_Group_free(&world));
}

/* Shared and exclusive locks on changing sets of targets, given back in another order than taken. */
static void locks_in_every_order(void)
{
    MPI_Win win;
    int64_t *base, one = 1, counted = 0, all, sum;
    OK(MPI_Win_allocate(2 * sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    base[0] = base[1] = 0;
    barrier();
    uint64_t state = mix(3, (uint64_t)rank);
    for (int round = 0; round < 200; round++) {
        int kinds[8];
        for (int target = 0; target < size; target++) { /* in one order: no two wait for each other */
            kinds[target] = (int)(draw(&state) % 4); /* 0: none, 1: exclusive, else shared */
            if (kinds[target])
                OK(MPI_Win_lock(kinds[target] == 1 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, target, 0, win));
        }
        int first = (int)(draw(&state) % (uint64_t)size);
        for (int i = 0; i < size; i++) {
            int target = (first + i * (size - 1)) % size;
            int64_t value;
            if (kinds[target] == 1) {
                OK(MPI_Get(&value, 1, MPI_INT64_T, target, 0, 1, MPI_INT64_T, win));
                OK(MPI_Win_flush(target, win));
                value++;
                OK(MPI_Put(&value, 1, MPI_INT64_T, target, 0, 1, MPI_INT64_T, win));
            } else if (kinds[target])
                OK(MPI_Accumulate(&one, 1, MPI_INT64_T, target, 1, 1, MPI_INT64_T, MPI_SUM, win));
            counted += kinds[target] != 0;
            if (kinds[target])
                OK(MPI_Win_unlock(target, win));
        }
    }
    barrier();
    int64_t mine = base[0] + base[1];
    OK(MPI_Allreduce(&counted, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD));
    OK(MPI_Allreduce(&mine, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD));
    CHECK_EQ(sum, all);
    OK(MPI_Win_free(&win));
}

/* A window is freed between a send and its receive, and requests of both kinds are waited for together. */
static void requests_of_others(void)
{
    MPI_Win win;
    MPI_Request requests[4];
    int *base, sent = 900 + rank, got = -1, put = 800 + rank, seen = -1;
    OK(MPI_Win_allocate(sizeof *base, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    OK(MPI_Irecv(&got, 1, MPI_INT, previous, 5, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Win_lock_all(0, win));
    OK(MPI_Rput(&put, 1, MPI_INT, next, 0, 1, MPI_INT, win, &requests[1]));
    OK(MPI_Isend(&sent, 1, MPI_INT, next, 5, MPI_COMM_WORLD, &requests[2]));
    OK(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE));
    CHECK_EQ(got, 900 + previous);
    OK(MPI_Win_flush_all(win));
    barrier();
    OK(MPI_Rget(&seen, 1, MPI_INT, rank, 0, 1, MPI_INT, win, &requests[3]));
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Irecv(&got, 1, MPI_INT, previous, 6, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Isend(&sent, 1, MPI_INT, next, 6, MPI_COMM_WORLD, &requests[1]));
    requests[2] = MPI_REQUEST_NULL;
    OK(MPI_Win_free(&win));
    OK(MPI_Waitall(4, requests, MPI_STATUSES_IGNORE));
    CHECK_EQ(seen, 800 + previous);
}

/* What the delete callback of an attribute saw. */
static int deleted, refuse;

static int on_delete(MPI_Win win, int keyval, void *value, void *extra)
{
    (void)keyval;
    CHECK(extra == &deleted);
    CHECK_EQ((intptr_t)value, 40 + deleted % 2);
    void *base;
    int found;
    OK(MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &found)); /* the window is still there */
    CHECK(found);
    if (refuse)
        return MPI_ERR_OTHER;
    deleted++;
    return MPI_SUCCESS;
}

static void attributes(void)
{
    MPI_Win win;
    int key, *base, found, value = 3;
    void *got;
    OK(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, on_delete, &key, &deleted));
    OK(MPI_Win_allocate(sizeof *base, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    OK(MPI_Win_get_attr(win, key, &got, &found));
    CHECK(!found);
    OK(MPI_Win_set_attr(win, key, (void *)(intptr_t)40));
    OK(MPI_Win_set_attr(win, key, (void *)(intptr_t)41)); /* deletes 40 */
    CHECK_EQ(deleted, 1);
    OK(MPI_Win_get_attr(win, key, &got, &found));
    CHECK(found && (intptr_t)got == 41);
    OK(MPI_Win_delete_attr(win, key));
    CHECK_EQ(deleted, 2);
    OK(MPI_Win_get_attr(win, key, &got, &found));
    CHECK(!found);
    OK(MPI_Win_set_attr(win, key, (void *)(intptr_t)40));
    int keep = key;
    OK(MPI_Win_free_keyval(&key)); /* the attribute lives on */
    CHECK(key == MPI_KEYVAL_INVALID);
    OK(MPI_Win_get_attr(win, keep, &got, &found));
    CHECK(found && (intptr_t)got == 40);
    /* A callback that refuses keeps the window, on all ranks. */
    refuse = 1;
    MPI_Win kept = win;
    CHECK_CLASS(MPI_Win_free(&win), MPI_ERR_OTHER);
    CHECK(win == kept);
    refuse = 0;
    OK(MPI_Win_fence(0, win));
    OK(MPI_Put(&value, 1, MPI_INT, next, 0, 1, MPI_INT, win));
    OK(MPI_Win_fence(0, win));
    CHECK_EQ(*base, 3);
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    OK(MPI_Win_free(&win));
    CHECK_EQ(deleted, 3);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    next = (rank + 1) % size;
    previous = (rank + size - 1) % size;
    outlives_its_communicator();
    over_memory_of_others();
    epochs_side_by_side();
    exposures_overlap();
    locks_in_every_order();
    requests_of_others();
    attributes();
    return check_end();
}
