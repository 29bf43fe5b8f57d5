/* An intercommunicator of the first `cut` processes of the world and the others. */
#ifndef INTER_H
#define INTER_H

#include "check.h"

struct inter {
    MPI_Comm comm;  /* the intercommunicator */
    MPI_Comm local; /* the local group's own */
    int side;       /* 0: the first processes, 1: the others */
    int rank, size; /* in the local group */
    int remote;     /* how many are in the remote group */
};

MAYBE_UNUSED static struct inter inter_make(int cut)
{
    struct inter x;
    x.side = rank >= cut;
    OK(MPI_Comm_split(MPI_COMM_WORLD, x.side, rank, &x.local));
    OK(MPI_Intercomm_create(x.local, 0, MPI_COMM_WORLD, x.side ? 0 : cut, 5, &x.comm));
    OK(MPI_Comm_rank(x.comm, &x.rank));
    OK(MPI_Comm_size(x.comm, &x.size));
    OK(MPI_Comm_remote_size(x.comm, &x.remote));
    CHECK_EQ(x.size + x.remote, size);
    return x;
}

MAYBE_UNUSED static void inter_free(struct inter *x)
{
    OK(MPI_Comm_free(&x->comm));
    OK(MPI_Comm_free(&x->local));
    CHECK(x->comm == MPI_COMM_NULL);
}

/* The rank in the world of rank `r` of the local, of the remote group. */
MAYBE_UNUSED static int inter_local(const struct inter *x, int r)
{
    return x->side ? size - x->size + r : r;
}

MAYBE_UNUSED static int inter_remote(const struct inter *x, int r)
{
    return x->side ? r : x->size + r;
}

/* The groups of the intercommunicator are these processes of the world, in this order. */
MAYBE_UNUSED static void inter_is(MPI_Comm comm, int locals, const int *local, int remotes,
                                  const int *remote)
{
    MPI_Group world, group, wanted;
    int flag = 0, result;
    OK(MPI_Comm_test_inter(comm, &flag));
    CHECK(flag);
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    for (int i = 0; i < 2; i++) {
        OK(i ? MPI_Comm_remote_group(comm, &group) : MPI_Comm_group(comm, &group));
        OK(MPI_Group_incl(world, i ? remotes : locals, i ? remote : local, &wanted));
        OK(MPI_Group_compare(group, wanted, &result));
        CHECK_EQ(result, MPI_IDENT);
        OK(MPI_Group_free(&group));
        OK(MPI_Group_free(&wanted));
    }
    OK(MPI_Group_free(&world));
}

/* Everybody sends its rank in the world to everybody of the other group, whose ranks in the world are `remote`. */
MAYBE_UNUSED static void inter_talks(MPI_Comm comm, const int *remote)
{
    int n, me, got[64];
    MPI_Request requests[64];
    MPI_Status status;
    OK(MPI_Comm_remote_size(comm, &n));
    OK(MPI_Comm_rank(comm, &me));
    CHECK(n <= 64);
    for (int i = 0; i < n; i++)
        OK(MPI_Isend(&rank, 1, MPI_INT, i, 100 + me, comm, &requests[i]));
    for (int i = 0; i < n; i++) {
        got[i] = -1;
        OK(MPI_Recv(&got[i], 1, MPI_INT, i, 100 + i, comm, &status));
        CHECK_EQ(got[i], remote[i]);
        CHECK_EQ(status.MPI_SOURCE, i);
    }
    OK(MPI_Waitall(n, requests, MPI_STATUSES_IGNORE));
    OK(MPI_Barrier(comm));
    OK(MPI_Allgather(&rank, 1, MPI_INT, got, 1, MPI_INT, comm));
    for (int i = 0; i < n; i++)
        CHECK_EQ(got[i], remote[i]);
}

#endif
