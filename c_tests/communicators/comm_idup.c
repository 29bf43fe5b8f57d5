/* ranks: 1 2 3 8 */
/* MPI_Comm_idup and MPI_Comm_idup_with_info: many under way, attributes as they were at the call, errors. */
#include "inter.h"

static int copies, deletions, refuse;

static int copy(MPI_Comm comm, int key, void *extra, void *value, void *to, int *flag)
{
    (void)comm, (void)key, (void)extra;
    if (refuse)
        return MPI_ERR_INTERN;
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

static void works(MPI_Comm comm, MPI_Comm parent)
{
    int result, sum, n, inter;
    OK(MPI_Comm_compare(comm, parent, &result));
    CHECK_EQ(result, MPI_CONGRUENT);
    OK(MPI_Comm_test_inter(comm, &inter));
    OK(inter ? MPI_Comm_remote_size(comm, &n) : MPI_Comm_size(comm, &n));
    int one = 1;
    OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK_EQ(sum, n);
}

/* Several in flight, with other operations between, completed in any order. */
static void several(MPI_Comm parent)
{
    enum { SEVERAL = 12 };
    MPI_Comm comms[SEVERAL];
    MPI_Request requests[2 * SEVERAL];
    for (int i = 0; i < SEVERAL; i++) {
        comms[i] = MPI_COMM_NULL;
        OK(MPI_Comm_idup(parent, &comms[i], &requests[2 * i]));
        OK(MPI_Ibarrier(parent, &requests[2 * i + 1]));
    }
    for (int i = SEVERAL - 1; i >= SEVERAL / 2; i--)
        OK(MPI_Wait(&requests[2 * i], MPI_STATUS_IGNORE));
    OK(MPI_Waitall(2 * SEVERAL, requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < SEVERAL; i++)
        works(comms[i], parent);
    /* They are all different. */
    int me, n, inter;
    OK(MPI_Comm_test_inter(parent, &inter));
    OK(MPI_Comm_rank(parent, &me));
    OK(inter ? MPI_Comm_remote_size(parent, &n) : MPI_Comm_size(parent, &n));
    int numbers[SEVERAL];
    if (me == 0 || inter)
        for (int i = 0; i < SEVERAL; i++) {
            numbers[i] = i;
            OK(MPI_Isend(&numbers[i], 1, MPI_INT, inter ? 0 : n - 1, 0, comms[i], &requests[i]));
        }
    if (me == (inter ? 0 : n - 1))
        for (int i = SEVERAL - 1; i >= 0; i--)
            for (int from = 0; from < (inter ? n : 1); from++) {
                int got = -1;
                OK(MPI_Recv(&got, 1, MPI_INT, from, 0, comms[i], MPI_STATUS_IGNORE));
                CHECK_EQ(got, i);
            }
    if (me == 0 || inter)
        OK(MPI_Waitall(SEVERAL, requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < SEVERAL; i++)
        OK(MPI_Comm_free(&comms[i]));
}

/* It is a copy of what the parent was at the call. */
static void as_it_was(void)
{
    MPI_Comm parent, dup;
    MPI_Request request;
    MPI_Errhandler handler;
    MPI_Info info, used;
    int key, flag, values[2] = {1, 2};
    char text[32] = "";
    void *value;
    copies = deletions = refuse = 0;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &parent));
    OK(MPI_Comm_create_keyval(copy, delete, &key, NULL));
    OK(MPI_Comm_set_attr(parent, key, &values[0]));
    OK(MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN));
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "mpi_assert_no_any_tag", "true"));
    OK(MPI_Comm_idup_with_info(parent, info, &dup, &request));
    OK(MPI_Info_free(&info));
    CHECK_EQ(copies, 1);
    OK(MPI_Comm_set_attr(parent, key, &values[1]));
    CHECK_EQ(deletions, 1);
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_EQ(copies, 1);
    OK(MPI_Comm_get_attr(dup, key, &value, &flag));
    CHECK(flag && value == &values[0]);
    OK(MPI_Comm_get_attr(parent, key, &value, &flag));
    CHECK(flag && value == &values[1]);
    OK(MPI_Comm_get_errhandler(dup, &handler));
    CHECK(handler == MPI_ERRORS_RETURN);
    OK(MPI_Comm_get_info(dup, &used));
    OK(MPI_Info_get(used, "mpi_assert_no_any_tag", 31, text, &flag));
    CHECK(flag && strcmp(text, "true") == 0);
    OK(MPI_Info_free(&used));

    /* The parent may end while its duplicate is on the way. */
    MPI_Comm last;
    OK(MPI_Comm_idup(parent, &last, &request));
    CHECK_EQ(copies, 2);
    OK(MPI_Comm_free(&parent));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_EQ(deletions, 2);
    works(last, dup);
    OK(MPI_Comm_free(&last));
    OK(MPI_Comm_free(&dup));
    CHECK_EQ(deletions, 4);
    OK(MPI_Comm_free_keyval(&key));
}

static void errors(void)
{
    MPI_Comm parent, dup = MPI_COMM_NULL;
    MPI_Request request;
    int key, value = 0, class;
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &parent));
    OK(MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN));
#ifdef RMASHM
    CHECK_CLASS(MPI_Comm_idup(MPI_COMM_NULL, &dup, &request), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_idup(parent, NULL, &request), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_idup(parent, &dup, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_idup_with_info(parent, (MPI_Info)0x12345, &dup, &request), MPI_ERR_INFO);
    /* A callback of one process refuses: its call fails, and the duplicates of the others. */
    copies = deletions = 0;
    OK(MPI_Comm_create_keyval(copy, delete, &key, NULL));
    OK(MPI_Comm_set_attr(parent, key, &value));
    refuse = rank == size - 1;
    int code = MPI_Comm_idup(parent, &dup, &request);
    if (refuse) {
        OK(MPI_Error_class(code, &class));
        CHECK_EQ(class, MPI_ERR_INTERN);
    } else {
        /* Where it is known at once, of the call. */
        if (code == MPI_SUCCESS)
            code = MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK_CLASS(code, MPI_ERR_OTHER);
        CHECK(dup == MPI_COMM_NULL);
        CHECK_EQ(copies, 1);
        CHECK_EQ(deletions, 1);
    }
    refuse = 0;
    OK(MPI_Comm_idup(parent, &dup, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    works(dup, parent);
    OK(MPI_Comm_free(&dup));
    OK(MPI_Comm_free_keyval(&key));
#else
    (void)key, (void)value, (void)class, (void)dup, (void)request;
#endif
    OK(MPI_Comm_free(&parent));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    several(MPI_COMM_WORLD);
    several(MPI_COMM_SELF);
    as_it_was();
    errors();
    if (size > 1) {
        struct inter x = inter_make(1);
        several(x.comm);
        inter_free(&x);
    }
    return check_end();
}
