/* ranks: 2 3 4 8 */
/* Intercommunicators: what they tell of themselves, messages on them, and errors. */
#include "inter.h"

static void queries(const struct inter *x, int cut)
{
    int locals[64], remotes[64], flag, result, n;
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Comm dup;
    for (int i = 0; i < x->size; i++)
        locals[i] = inter_local(x, i);
    for (int i = 0; i < x->remote; i++)
        remotes[i] = inter_remote(x, i);
    CHECK_EQ(x->size, x->side ? size - cut : cut);
    CHECK_EQ(inter_local(x, x->rank), rank);
    inter_is(x->comm, x->size, locals, x->remote, remotes);
    inter_talks(x->comm, remotes);

    OK(MPI_Comm_test_inter(MPI_COMM_WORLD, &flag));
    CHECK(!flag);
    OK(MPI_Comm_test_inter(x->local, &flag));
    CHECK(!flag);
    OK(MPI_Comm_dup(x->comm, &dup));
    inter_is(dup, x->size, locals, x->remote, remotes);
    inter_talks(dup, remotes);
    OK(MPI_Comm_compare(x->comm, dup, &result));
    CHECK_EQ(result, MPI_CONGRUENT);
    OK(MPI_Comm_compare(x->comm, x->comm, &result));
    CHECK_EQ(result, MPI_IDENT);
    OK(MPI_Comm_compare(x->comm, x->local, &result));
    CHECK_EQ(result, MPI_UNEQUAL);
    OK(MPI_Comm_set_name(dup, "two groups"));
    OK(MPI_Comm_get_name(dup, name, &n));
    CHECK(strcmp(name, "two groups") == 0);
    OK(MPI_Comm_disconnect(&dup));
    CHECK(dup == MPI_COMM_NULL);
}

/* The processes of one group in another order: similar. */
static void similar(const struct inter *x)
{
    MPI_Comm other;
    int result, turned = x->side == 0 && x->size > 1;
    OK(MPI_Comm_split(x->comm, 3, turned ? -x->rank : x->rank, &other));
    OK(MPI_Comm_compare(x->comm, other, &result));
    turned = x->side == 0 ? x->size > 1 : x->remote > 1;
    CHECK_EQ(result, turned ? MPI_SIMILAR : MPI_CONGRUENT);
    OK(MPI_Comm_free(&other));
}

/* All kinds of messages from the first group's rank 0 to each of the other group, and back. */
static void messages(const struct inter *x)
{
    MPI_Status status;
    MPI_Request requests[4];
    MPI_Message message;
    int got, flag, n, numbers[3], large[20000];
    if (x->side == 0 && x->rank == 0) {
        for (int i = 0; i < x->remote; i++) {
            int number = 10 * i;
            OK(MPI_Send(&number, 1, MPI_INT, i, 1, x->comm));
            OK(MPI_Ssend(&number, 1, MPI_INT, i, 2, x->comm));
            OK(MPI_Isend(&number, 1, MPI_INT, i, 3, x->comm, &requests[0]));
            OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
            OK(MPI_Send_init(&number, 1, MPI_INT, i, 4, x->comm, &requests[1]));
            for (int k = 0; k < 2; k++) {
                number++;
                OK(MPI_Start(&requests[1]));
                OK(MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
            }
            OK(MPI_Request_free(&requests[1]));
            fill(large, sizeof large, (uint64_t)i);
            OK(MPI_Send(large, 20000, MPI_INT, i, 5, x->comm));
        }
        /* The answers come in any order. */
        unsigned long seen = 0;
        for (int i = 0; i < x->remote; i++) {
            OK(MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, x->comm, &status));
            CHECK_EQ(status.MPI_TAG, 40 + status.MPI_SOURCE);
            OK(MPI_Recv(numbers, 3, MPI_INT, MPI_ANY_SOURCE, status.MPI_TAG, x->comm, &status));
            OK(MPI_Get_count(&status, MPI_INT, &n));
            CHECK_EQ(n, 2);
            CHECK_EQ(numbers[0], inter_remote(x, status.MPI_SOURCE));
            CHECK_EQ(numbers[1], status.MPI_SOURCE);
            seen |= 1ul << status.MPI_SOURCE;
        }
        CHECK_EQ(seen, (1ul << x->remote) - 1);
    }
    if (x->side == 1) {
        OK(MPI_Recv(&got, 1, MPI_INT, 0, 1, x->comm, &status));
        CHECK_EQ(got, 10 * x->rank);
        CHECK_EQ(status.MPI_SOURCE, 0);
        OK(MPI_Mprobe(MPI_ANY_SOURCE, 2, x->comm, &message, &status));
        CHECK_EQ(status.MPI_SOURCE, 0);
        OK(MPI_Mrecv(&got, 1, MPI_INT, &message, &status));
        CHECK_EQ(got, 10 * x->rank);
        CHECK_EQ(status.MPI_SOURCE, 0);
        OK(MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 3, x->comm, &requests[0]));
        OK(MPI_Wait(&requests[0], &status));
        CHECK_EQ(status.MPI_SOURCE, 0);
        OK(MPI_Recv_init(&got, 1, MPI_INT, 0, 4, x->comm, &requests[0]));
        for (int k = 1; k <= 2; k++) {
            OK(MPI_Start(&requests[0]));
            OK(MPI_Wait(&requests[0], &status));
            CHECK_EQ(got, 10 * x->rank + k);
        }
        OK(MPI_Request_free(&requests[0]));
        OK(MPI_Recv(large, 20000, MPI_INT, 0, 5, x->comm, &status));
        int wanted[20000];
        fill(wanted, sizeof wanted, (uint64_t)x->rank);
        CHECK_BYTES(large, wanted, sizeof wanted);
        numbers[0] = rank;
        numbers[1] = x->rank;
        OK(MPI_Send(numbers, 2, MPI_INT, 0, 40 + x->rank, x->comm));
        OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, x->comm, &flag, &status));
        CHECK(!flag);
    }
    OK(MPI_Recv(&got, 1, MPI_INT, MPI_PROC_NULL, 1, x->comm, &status));
    CHECK_EQ(status.MPI_SOURCE, MPI_PROC_NULL);

    OK(MPI_Barrier(MPI_COMM_WORLD));

    /* Each with the one of the same rank in the other group. */
    if (x->rank < x->remote) {
        got = -1;
        OK(MPI_Sendrecv(&rank, 1, MPI_INT, x->rank, 9, &got, 1, MPI_INT, x->rank, 9, x->comm, &status));
        CHECK_EQ(got, inter_remote(x, x->rank));
        CHECK_EQ(status.MPI_SOURCE, x->rank);
        got = rank;
        OK(MPI_Sendrecv_replace(&got, 1, MPI_INT, x->rank, 9, x->rank, 9, x->comm, &status));
        CHECK_EQ(got, inter_remote(x, x->rank));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void errors(const struct inter *x, int cut)
{
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(x->comm, MPI_ERRORS_RETURN));
#ifdef RMASHM /* MPICH does not look at all of this, and waits */
    int number = 0, two[2], counts[64] = {0};
    void *base;
    MPI_Comm comm;
    MPI_Win win;
    MPI_Group group;
    MPI_Request request;
    OK(MPI_Comm_set_errhandler(x->local, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));

    CHECK_CLASS(MPI_Send(&number, 1, MPI_INT, x->remote, 0, x->comm), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Send(&number, 1, MPI_INT, -7, 0, x->comm), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Recv(&number, 1, MPI_INT, x->remote, 0, x->comm, MPI_STATUS_IGNORE), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Scan(&number, two, 1, MPI_INT, MPI_SUM, x->comm), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Exscan(&number, two, 1, MPI_INT, MPI_SUM, x->comm), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Iscan(&number, two, 1, MPI_INT, MPI_SUM, x->comm, &request), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Iexscan(&number, two, 1, MPI_INT, MPI_SUM, x->comm, &request), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_remote_size(MPI_COMM_WORLD, &number), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_remote_group(MPI_COMM_WORLD, &group), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Intercomm_merge(MPI_COMM_WORLD, 0, &comm), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_test_inter(MPI_COMM_NULL, &number), MPI_ERR_COMM);

    /* A root is one of the other group, or says which part it has. */
    CHECK_CLASS(MPI_Bcast(&number, 1, MPI_INT, x->remote, x->comm), MPI_ERR_ROOT);
    CHECK_CLASS(MPI_Bcast(&number, 1, MPI_INT, -9, x->comm), MPI_ERR_ROOT);
    CHECK_CLASS(MPI_Bcast(&number, 1, MPI_INT, MPI_ROOT, MPI_COMM_WORLD), MPI_ERR_ROOT);
    CHECK_CLASS(MPI_Bcast(&number, 1, MPI_INT, MPI_PROC_NULL, MPI_COMM_WORLD), MPI_ERR_ROOT);
    CHECK_CLASS(MPI_Reduce(&number, two, 1, MPI_INT, MPI_SUM, x->remote, x->comm), MPI_ERR_ROOT);
    CHECK_CLASS(MPI_Gather(&number, 1, MPI_INT, two, 1, MPI_INT, x->remote, x->comm), MPI_ERR_ROOT);
    CHECK_CLASS(MPI_Scatter(&number, 1, MPI_INT, two, 1, MPI_INT, x->remote, x->comm), MPI_ERR_ROOT);

    /* Nothing can be in place where it goes to others. */
    CHECK_CLASS(MPI_Allreduce(MPI_IN_PLACE, two, 1, MPI_INT, MPI_SUM, x->comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, counts, 1, MPI_INT, x->comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, counts, 1, MPI_INT, x->comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Reduce_scatter_block(MPI_IN_PLACE, counts, 1, MPI_INT, MPI_SUM, x->comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Gather(MPI_IN_PLACE, 1, MPI_INT, counts, 1, MPI_INT, 0, x->comm), MPI_ERR_BUFFER);

    /* Windows are of one group. */
    CHECK_CLASS(MPI_Win_create(&number, sizeof number, 1, MPI_INFO_NULL, x->comm, &win), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Win_allocate(8, 1, MPI_INFO_NULL, x->comm, &base, &win), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Win_allocate_shared(8, 1, MPI_INFO_NULL, x->comm, &base, &win), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Win_create_dynamic(MPI_INFO_NULL, x->comm, &win), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_create_group(x->comm, MPI_GROUP_EMPTY, 0, &comm), MPI_ERR_COMM);

    /* Making one: wrong arguments of all, so that nobody waits. */
    int leader = x->side ? 0 : cut;
    CHECK_CLASS(MPI_Intercomm_create(x->local, x->size, MPI_COMM_WORLD, leader, 0, &comm), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Intercomm_create(x->local, -1, MPI_COMM_WORLD, leader, 0, &comm), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Intercomm_create(x->local, 0, MPI_COMM_WORLD, leader, -1, &comm), MPI_ERR_TAG);
    CHECK_CLASS(MPI_Intercomm_create(x->comm, 0, MPI_COMM_WORLD, leader, 0, &comm), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Intercomm_create(MPI_COMM_NULL, 0, MPI_COMM_WORLD, leader, 0, &comm), MPI_ERR_COMM);
    /* Of the leader only: the others of its group are told. */
    int wrong = x->rank == 0 ? MPI_ERR_RANK : MPI_ERR_OTHER;
    CHECK_CLASS(MPI_Intercomm_create(x->local, 0, MPI_COMM_WORLD, size, 0, &comm), wrong);
    CHECK_CLASS(MPI_Intercomm_create(x->local, 0, MPI_COMM_WORLD, inter_local(x, 0), 0, &comm), wrong);
    wrong = x->rank == 0 ? MPI_ERR_COMM : MPI_ERR_OTHER;
    CHECK_CLASS(MPI_Intercomm_create(x->local, 0, MPI_COMM_NULL, leader, 0, &comm), wrong);
    CHECK_CLASS(MPI_Intercomm_create(x->local, 0, MPI_COMM_WORLD, leader, 0, NULL), MPI_ERR_ARG);
    /* One process of one group fails: both groups do, and the next call is not disturbed. */
    wrong = x->side == 0 && x->rank == x->size - 1 ? MPI_ERR_ARG : MPI_ERR_OTHER;
    CHECK_CLASS(MPI_Intercomm_create(x->local, 0, MPI_COMM_WORLD, leader, 0, wrong == MPI_ERR_ARG ? NULL : &comm),
                wrong);
    OK(MPI_Intercomm_create(x->local, 0, MPI_COMM_WORLD, leader, 0, &comm));
    OK(MPI_Comm_free(&comm));
    /* The processes of a group do not agree. */
    CHECK_CLASS(MPI_Intercomm_merge(x->comm, x->rank == 0, &comm),
                x->size > 1 || x->remote > 1 ? MPI_ERR_ARG : MPI_SUCCESS);
    if (size == 2)
        OK(MPI_Comm_free(&comm));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
#else
    (void)cut;
#endif
}

/* Attributes and the error handler go to duplicates. */
static int copies, deletions;

static int copy(MPI_Comm comm, int key, void *extra, void *value, void *to, int *flag)
{
    (void)comm, (void)key, (void)extra;
    copies++;
    *(void **)to = value;
    *flag = 1;
    return MPI_SUCCESS;
}

static int delete(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)extra, (void)value;
    deletions++;
    return MPI_SUCCESS;
}

static void attributes(const struct inter *x)
{
    int key, flag;
    void *value;
    MPI_Comm dup;
    MPI_Errhandler handler;
    copies = deletions = 0;
    OK(MPI_Comm_create_keyval(copy, delete, &key, NULL));
    OK(MPI_Comm_set_attr(x->comm, key, &copies));
    OK(MPI_Comm_dup(x->comm, &dup));
    CHECK_EQ(copies, 1);
    OK(MPI_Comm_get_attr(dup, key, &value, &flag));
    CHECK(flag && value == &copies);
    OK(MPI_Comm_get_errhandler(dup, &handler));
    CHECK(handler == MPI_ERRORS_RETURN);
    OK(MPI_Comm_free(&dup));
    CHECK_EQ(deletions, 1);
    OK(MPI_Comm_delete_attr(x->comm, key));
    CHECK_EQ(deletions, 2);
    OK(MPI_Comm_free_keyval(&key));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    for (int cut = 1; cut < size; cut = cut * 2 + 1) {
        struct inter x = inter_make(cut);
        queries(&x, cut);
        similar(&x);
        messages(&x);
        errors(&x, cut);
        attributes(&x);
        inter_free(&x);
    }
    return check_end();
}
