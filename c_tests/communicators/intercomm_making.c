/* ranks: 2 3 4 8; mpich: skip MPI_Comm_split with a color in one group only leaves MPICH 4.0 in disorder */
/* Intercommunicators made in every way, many of them overlapping, merged, duplicated, split; and none is left behind. */
#include "inter.h"

static void groups_of(const struct inter *x, int *locals, int *remotes)
{
    for (int i = 0; i < x->size; i++)
        locals[i] = inter_local(x, i);
    for (int i = 0; i < x->remote; i++)
        remotes[i] = inter_remote(x, i);
}

/* comm has these processes of the world, and they can work together. */
static void intra_is(MPI_Comm comm, int n, const int *members)
{
    int flag, got, me, sum = 0, all[64];
    OK(MPI_Comm_test_inter(comm, &flag));
    CHECK(!flag);
    OK(MPI_Comm_size(comm, &got));
    CHECK_EQ(got, n);
    OK(MPI_Comm_rank(comm, &me));
    CHECK_EQ(members[me], rank);
    OK(MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, comm));
    for (int i = 0; i < n; i++) {
        CHECK_EQ(all[i], members[i]);
        sum += members[i];
    }
    OK(MPI_Allreduce(&rank, &got, 1, MPI_INT, MPI_SUM, comm));
    CHECK_EQ(got, sum);
    got = rank;
    OK(MPI_Bcast(&got, 1, MPI_INT, n - 1, comm));
    CHECK_EQ(got, members[n - 1]);
}

static void merges(const struct inter *x)
{
    int locals[64], remotes[64], members[64];
    MPI_Comm merged, dup, half;
    groups_of(x, locals, remotes);
    for (int high = 0; high < 4; high++) {
        /* Bit 0: the first group's, bit 1: the second's. */
        int mine = x->side ? high >> 1 : high & 1, n = 0;
        OK(MPI_Intercomm_merge(x->comm, mine, &merged));
        int second_first = high == 1;
        if (high == 0 || high == 3) {
            /* Either order, but the same for all. */
            int me, first;
            OK(MPI_Comm_rank(merged, &me));
            first = rank;
            OK(MPI_Bcast(&first, 1, MPI_INT, 0, merged));
            second_first = first != 0;
        }
        int split = x->side ? x->remote : x->size;
        for (int i = 0; i < size; i++)
            members[n++] = second_first ? (split + i) % size : i;
        intra_is(merged, size, members);
        OK(MPI_Comm_dup(merged, &dup));
        intra_is(dup, size, members);
        OK(MPI_Comm_split(dup, x->side, -rank, &half));
        for (int i = 0; i < x->size; i++)
            members[i] = locals[x->size - 1 - i];
        intra_is(half, x->size, members);
        OK(MPI_Comm_free(&half));
        OK(MPI_Comm_free(&merged));
        OK(MPI_Barrier(dup));
        OK(MPI_Comm_free(&dup));
    }
}

/* Splits and parts: a color must be in both groups. */
static void parts(const struct inter *x)
{
    int mine[64], theirs[64], n, m, flag;
    MPI_Comm comm;
    MPI_Group group, some;

    /* By parity of the rank in the world, in reverse. */
    OK(MPI_Comm_split(x->comm, rank % 2, -rank, &comm));
    n = m = 0;
    for (int i = x->size - 1; i >= 0; i--)
        if (inter_local(x, i) % 2 == rank % 2)
            mine[n++] = inter_local(x, i);
    for (int i = x->remote - 1; i >= 0; i--)
        if (inter_remote(x, i) % 2 == rank % 2)
            theirs[m++] = inter_remote(x, i);
    CHECK_EQ(comm == MPI_COMM_NULL, m == 0);
    if (m > 0) {
        inter_is(comm, n, mine, m, theirs);
        inter_talks(comm, theirs);
        OK(MPI_Comm_free(&comm));
    }

    /* A color of one side only, and none. */
    OK(MPI_Comm_split(x->comm, x->side, 0, &comm));
    CHECK(comm == MPI_COMM_NULL);
    OK(MPI_Comm_split(x->comm, x->side ? MPI_UNDEFINED : 1, 0, &comm));
    CHECK(comm == MPI_COMM_NULL);

    /* What shares memory: all. */
    OK(MPI_Comm_split_type(x->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm));
    groups_of(x, mine, theirs);
    inter_is(comm, x->size, mine, x->remote, theirs);
    OK(MPI_Comm_free(&comm));

    /* The last of each group and its first, in this order. */
    OK(MPI_Comm_group(x->comm, &group));
    int ends[2] = {x->size - 1, 0}, count = x->size > 1 ? 2 : 1, remotes = x->remote > 1 ? 2 : 1;
    OK(MPI_Group_incl(group, count, ends, &some));
    OK(MPI_Comm_create(x->comm, some, &comm));
    flag = x->rank == 0 || x->rank == x->size - 1;
    CHECK_EQ(comm != MPI_COMM_NULL, flag);
    if (flag) {
        mine[0] = inter_local(x, x->size - 1);
        mine[1] = inter_local(x, 0);
        theirs[0] = inter_remote(x, x->remote - 1);
        theirs[1] = inter_remote(x, 0);
        inter_is(comm, count, mine, remotes, theirs);
        inter_talks(comm, theirs);
        OK(MPI_Comm_free(&comm));
    }
    /* One group gives nobody. */
    OK(MPI_Comm_create(x->comm, x->side ? some : MPI_GROUP_EMPTY, &comm));
    CHECK(comm == MPI_COMM_NULL);
#ifdef RMASHM
    /* Not a part of the local group; not the same on all. */
    OK(MPI_Comm_set_errhandler(x->comm, MPI_ERRORS_RETURN));
    OK(MPI_Group_free(&some));
    OK(MPI_Comm_remote_group(x->comm, &some));
    CHECK_CLASS(MPI_Comm_create(x->comm, some, &comm), MPI_ERR_GROUP);
    if (x->size > 1 || x->remote > 1)
        CHECK_CLASS(MPI_Comm_create(x->comm, x->rank == 0 ? MPI_GROUP_EMPTY : group, &comm), MPI_ERR_GROUP);
#endif
    OK(MPI_Group_free(&some));
    OK(MPI_Group_free(&group));
}

/* Neighbours in a ring, each alone in its group: every process makes two that overlap in time with others'. */
static void ring(void)
{
    MPI_Comm left, right;
    int previous = (rank + size - 1) % size, next = (rank + 1) % size;
    if (size < 3)
        return;
    for (int round = 0; round < 10; round++) {
        /* In an order in which the ring does not wait for itself. */
        for (int turn = 0; turn < 2; turn++)
            if (turn == (rank > 0))
                OK(MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, next, 10, &right));
            else
                OK(MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, previous, 10, &left));
        inter_is(left, 1, &rank, 1, &previous);
        inter_is(right, 1, &rank, 1, &next);
        int from[2] = {-1, -1};
        MPI_Request requests[2];
        OK(MPI_Isend(&rank, 1, MPI_INT, 0, 1, right, &requests[0]));
        OK(MPI_Isend(&rank, 1, MPI_INT, 0, 1, left, &requests[1]));
        OK(MPI_Recv(&from[0], 1, MPI_INT, 0, 1, right, MPI_STATUS_IGNORE));
        OK(MPI_Recv(&from[1], 1, MPI_INT, 0, 1, left, MPI_STATUS_IGNORE));
        OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        CHECK_EQ(from[0], next);
        CHECK_EQ(from[1], previous);
        OK(MPI_Comm_free(&left));
        OK(MPI_Comm_free(&right));
    }
}

/* Several alive at the same time, with the same peer and different tags, duplicates of duplicates, and leaders that are
 * not first; the peer communicator may itself be an intercommunicator. */
static void several(const struct inter *x)
{
    enum { SEVERAL = 6 };
    MPI_Comm comms[SEVERAL], dups[SEVERAL];
    int locals[64], remotes[64];
    groups_of(x, locals, remotes);
    for (int i = 0; i < SEVERAL; i++) {
        int last = i % 2;
        int leader = last ? x->size - 1 : 0, other = last ? x->remote - 1 : 0;
        if (i < 4)
            OK(MPI_Intercomm_create(x->local, leader, MPI_COMM_WORLD, inter_remote(x, other), i / 2, &comms[i]));
        else
#ifdef RMASHM
            OK(MPI_Intercomm_create(x->local, leader, x->comm, other, i, &comms[i]));
#else
            OK(MPI_Comm_dup(x->comm, &comms[i]));
#endif
        inter_is(comms[i], x->size, locals, x->remote, remotes);
    }
    for (int i = 0; i < SEVERAL; i++)
        OK(MPI_Comm_dup(comms[SEVERAL - 1 - i], &dups[i]));
    /* A message in each: none goes astray. */
    MPI_Request requests[2 * SEVERAL];
    int give[SEVERAL], get[SEVERAL], count = 0;
    if (x->rank == 0) {
        for (int i = SEVERAL - 1; i >= 0; i--) {
            give[i] = 100 * rank + i;
            OK(MPI_Isend(&give[i], 1, MPI_INT, 0, 0, comms[i], &requests[count++]));
        }
        for (int i = 0; i < SEVERAL; i++)
            OK(MPI_Irecv(&get[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comms[i], &requests[count++]));
        OK(MPI_Waitall(count, requests, MPI_STATUSES_IGNORE));
        for (int i = 0; i < SEVERAL; i++)
            CHECK_EQ(get[i], 100 * inter_remote(x, 0) + i);
    }
    for (int i = 0; i < SEVERAL; i++)
        inter_talks(dups[i], remotes);
    for (int i = 0; i < SEVERAL; i++) {
        OK(MPI_Comm_free(&comms[i]));
        inter_talks(dups[i], remotes);
        OK(MPI_Comm_free(&dups[i]));
    }
}

static int called;

static void handle(MPI_Comm *comm, int *code, ...)
{
    int class;
    MPI_Error_class(*code, &class);
    if (class == MPI_ERR_GROUP || class == MPI_ERR_RANK || class == MPI_ERR_OTHER)
        called++;
    (void)comm;
}

/* Of groups, without a communicator of theirs. */
static void from_groups(const struct inter *x)
{
    MPI_Group local, remote;
    MPI_Comm comm, both[2];
    MPI_Errhandler handler, got;
    MPI_Info info;
    int locals[64], remotes[64];
    groups_of(x, locals, remotes);
    OK(MPI_Comm_create_errhandler(handle, &handler));
    OK(MPI_Comm_group(x->comm, &local));
    OK(MPI_Comm_remote_group(x->comm, &remote));
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "color", "green"));
    int leader = x->size - 1, other = x->remote - 1;
    for (int round = 0; round < 3; round++) {
        OK(MPI_Intercomm_create_from_groups(local, leader, x->rank == leader ? remote : MPI_GROUP_NULL, other, "here",
                                            info, handler, &comm));
        inter_is(comm, x->size, locals, x->remote, remotes);
        inter_talks(comm, remotes);
        OK(MPI_Comm_get_errhandler(comm, &got));
        CHECK(got == handler);
        OK(MPI_Errhandler_free(&got));
        OK(MPI_Comm_free(&comm));
    }
    /* Two with different tags. */
    for (int i = 0; i < 2; i++)
        OK(MPI_Intercomm_create_from_groups(local, 0, remote, 0, i ? "one" : "other", MPI_INFO_NULL,
                                            MPI_ERRORS_RETURN, &both[i]));
    for (int i = 1; i >= 0; i--) {
        inter_talks(both[i], remotes);
        OK(MPI_Comm_free(&both[i]));
    }
#ifdef RMASHM
    comm = MPI_COMM_WORLD;
    OK(MPI_Intercomm_create_from_groups(MPI_GROUP_EMPTY, 0, remote, 0, "x", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    CHECK(comm == MPI_COMM_NULL);
    called = 0;
    CHECK_CLASS(MPI_Intercomm_create_from_groups(remote, 0, local, 0, "x", MPI_INFO_NULL, handler, &comm),
                MPI_ERR_GROUP);
    CHECK_CLASS(MPI_Intercomm_create_from_groups(MPI_GROUP_NULL, 0, local, 0, "x", MPI_INFO_NULL, handler, &comm),
                MPI_ERR_GROUP);
    CHECK_CLASS(MPI_Intercomm_create_from_groups(local, x->size, remote, 0, "x", MPI_INFO_NULL, handler, &comm),
                MPI_ERR_RANK);
    CHECK_EQ(called, 3);
    /* Only a leader sees what is wrong with the remote group: the others of its own hear of it. */
    int class = x->rank == 0 ? MPI_ERR_RANK : MPI_ERR_OTHER;
    CHECK_CLASS(MPI_Intercomm_create_from_groups(local, 0, remote, x->remote, "x", MPI_INFO_NULL, handler, &comm), class);
    CHECK_CLASS(MPI_Intercomm_create_from_groups(local, 0, local, 0, "x", MPI_INFO_NULL, handler, &comm), class);
    CHECK_EQ(called, 5);
    CHECK_CLASS(MPI_Intercomm_create_from_groups(local, 0, remote, 0, NULL, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm),
                MPI_ERR_ARG);
    CHECK_CLASS(MPI_Intercomm_create_from_groups(local, 0, remote, 0, "x", MPI_INFO_NULL, MPI_ERRORS_RETURN, NULL),
                MPI_ERR_ARG);
#endif
    OK(MPI_Info_free(&info));
    OK(MPI_Errhandler_free(&handler));
    OK(MPI_Group_free(&local));
    OK(MPI_Group_free(&remote));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    for (int cut = 1; cut < size; cut = cut * 2 + 1) {
        struct inter x = inter_make(cut);
        merges(&x);
        parts(&x);
        several(&x);
        from_groups(&x);
        inter_free(&x);
    }
    ring();
    return check_end();
}
