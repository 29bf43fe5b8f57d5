/* ranks: 1 2 4; mpich: skip MPI_Request_get_status_any, _some and _all are of MPI 4.1 */
/* MPI_Request_get_status and its forms for several: they tell, and end nothing. */
#include "check.h"

#define N 6

static void several(void)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    MPI_Request requests[N];
    MPI_Status statuses[N], status;
    int data[N], out[N], indices[N], index, flag, n, token = 0;
    for (int i = 0; i < N; i++)
        OK(MPI_Irecv(&data[i], 1, MPI_INT, left, i, MPI_COMM_WORLD, &requests[i]));

    /* Nobody sends before everybody has looked. */
    flag = index = 99;
    OK(MPI_Request_get_status_any(N, requests, &index, &flag, &status));
    CHECK_EQ(flag, 0);
    OK(MPI_Request_get_status_all(N, requests, &flag, statuses));
    CHECK_EQ(flag, 0);
    OK(MPI_Request_get_status_some(N, requests, &n, indices, statuses));
    CHECK_EQ(n, 0);
    barrier();

    out[4] = rank * 10 + 4;
    OK(MPI_Send(&out[4], 1, MPI_INT, right, 4, MPI_COMM_WORLD));
    flag = 0;
    while (!flag)
        OK(MPI_Request_get_status_any(N, requests, &index, &flag, &status));
    CHECK_EQ(index, 4);
    CHECK_EQ(status.MPI_TAG, 4);
    CHECK_EQ(status.MPI_SOURCE, left);
    OK(MPI_Request_get_status_some(N, requests, &n, indices, statuses));
    CHECK_EQ(n, 1);
    CHECK_EQ(indices[0], 4);
    CHECK_EQ(statuses[0].MPI_TAG, 4);
    CHECK(requests[4] != MPI_REQUEST_NULL);
    barrier();

    for (int i = 0; i < N; i++) {
        out[i] = rank * 10 + i;
        if (i != 4)
            OK(MPI_Send(&out[i], 1, MPI_INT, right, i, MPI_COMM_WORLD));
    }
    flag = 0;
    while (!flag)
        OK(MPI_Request_get_status_all(N, requests, &flag, statuses));
    for (int i = 0; i < N; i++) {
        CHECK_EQ(statuses[i].MPI_TAG, i);
        CHECK_EQ(data[i], left * 10 + i);
        CHECK(requests[i] != MPI_REQUEST_NULL);
    }
    OK(MPI_Request_get_status_some(N, requests, &n, indices, MPI_STATUSES_IGNORE));
    CHECK_EQ(n, N);
    OK(MPI_Request_get_status(requests[2], &flag, &status));
    CHECK_EQ(flag, 1);
    CHECK_EQ(status.MPI_TAG, 2);
    OK(MPI_Waitall(N, requests, statuses));

    /* None active. */
    OK(MPI_Request_get_status_any(N, requests, &index, &flag, &status));
    CHECK_EQ(flag, 1);
    CHECK_EQ(index, MPI_UNDEFINED);
    OK(MPI_Request_get_status_some(N, requests, &n, indices, statuses));
    CHECK_EQ(n, MPI_UNDEFINED);
    OK(MPI_Request_get_status_all(N, requests, &flag, statuses));
    CHECK_EQ(flag, 1);
    CHECK_EQ(statuses[0].MPI_SOURCE, MPI_ANY_SOURCE);

    /* A persistent one stays, too, and is inactive after its wait. */
    MPI_Request persistent;
    OK(MPI_Recv_init(&token, 1, MPI_INT, left, 9, MPI_COMM_WORLD, &persistent));
    OK(MPI_Request_get_status(persistent, &flag, &status));
    CHECK_EQ(flag, 1);
    OK(MPI_Start(&persistent));
    OK(MPI_Send(&out[1], 1, MPI_INT, right, 9, MPI_COMM_WORLD));
    flag = 0;
    while (!flag)
        OK(MPI_Request_get_status(persistent, &flag, &status));
    CHECK_EQ(status.MPI_TAG, 9);
    OK(MPI_Wait(&persistent, &status));
    CHECK_EQ(status.MPI_TAG, 9);
    CHECK_EQ(token, left * 10 + 1);
    OK(MPI_Request_free(&persistent));
}

static void spoil(MPI_Status *status)
{
    memset(status, 0x55, sizeof *status);
}

/* The empty status, with MPI_ERROR (MPI 4.1 section 3.7.3). */
static void check_empty(const MPI_Status *status)
{
    int count = -1, cancelled = -1;
    CHECK_EQ(status->MPI_SOURCE, MPI_ANY_SOURCE);
    CHECK_EQ(status->MPI_TAG, MPI_ANY_TAG);
    CHECK_EQ(status->MPI_ERROR, MPI_SUCCESS);
    OK(MPI_Get_count(status, MPI_BYTE, &count));
    OK(MPI_Test_cancelled(status, &cancelled));
    CHECK(count == 0 && !cancelled);
}

/* Statuses of `request`, of which nothing is under way. */
static void nothing_under_way(MPI_Request request)
{
    MPI_Request requests[2] = {request, MPI_REQUEST_NULL};
    MPI_Status status, statuses[2];
    int flag, index;
#define EMPTY(call)                   \
    flag = 1, index = MPI_UNDEFINED;  \
    spoil(&status);                   \
    OK(call);                         \
    CHECK(flag);                      \
    CHECK_EQ(index, MPI_UNDEFINED);   \
    check_empty(&status)
    EMPTY(MPI_Wait(&requests[0], &status));
    EMPTY(MPI_Test(&requests[0], &flag, &status));
    EMPTY(MPI_Request_get_status(requests[0], &flag, &status));
    EMPTY(MPI_Waitany(2, requests, &index, &status));
    EMPTY(MPI_Testany(2, requests, &index, &flag, &status));
    EMPTY(MPI_Request_get_status_any(2, requests, &index, &flag, &status));
#define BOTH_EMPTY(call)     \
    flag = 1;                \
    spoil(&statuses[0]);     \
    spoil(&statuses[1]);     \
    OK(call);                \
    CHECK(flag);             \
    check_empty(&statuses[0]); \
    check_empty(&statuses[1])
    BOTH_EMPTY(MPI_Waitall(2, requests, statuses));
    BOTH_EMPTY(MPI_Testall(2, requests, &flag, statuses));
    BOTH_EMPTY(MPI_Request_get_status_all(2, requests, &flag, statuses));
    CHECK(requests[0] == request && requests[1] == MPI_REQUEST_NULL);
}

/* The status of one completed operation leaves MPI_ERROR alone (MPI 4.1 section 3.2.5), also beside an empty one. */
static void something_is_over(void)
{
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status statuses[2];
    int data = -1, before;
    for (int way = 0; way < 2; way++) {
        OK(MPI_Irecv(&data, 1, MPI_INT, rank, 6, MPI_COMM_WORLD, &requests[1]));
        OK(MPI_Send(&rank, 1, MPI_INT, rank, 6, MPI_COMM_WORLD));
        spoil(&statuses[0]);
        spoil(&statuses[1]);
        before = statuses[1].MPI_ERROR;
        if (way == 0)
            OK(MPI_Wait(&requests[1], &statuses[1]));
        else
            OK(MPI_Waitall(2, requests, statuses));
        CHECK_EQ(statuses[1].MPI_ERROR, before);
        CHECK_EQ(statuses[1].MPI_TAG, 6);
        CHECK_EQ(data, rank);
    }
    check_empty(&statuses[0]);
}

static void empty(void)
{
    MPI_Request persistent;
    int data = 0;
    OK(MPI_Recv_init(&data, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &persistent));
    nothing_under_way(MPI_REQUEST_NULL);
    nothing_under_way(persistent);
    OK(MPI_Request_free(&persistent));
    something_is_over();
}

static void errors(void)
{
    MPI_Request wrong[2] = {MPI_REQUEST_NULL, (MPI_Request)0x12345};
    MPI_Request request;
    int index, flag, n, data = 0, indices[2];
    MPI_Status statuses[2];
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    CHECK_CLASS(MPI_Request_get_status_any(2, wrong, &index, &flag, statuses), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Request_get_status_all(2, wrong, &flag, statuses), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Request_get_status_some(2, wrong, &n, indices, statuses), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Request_get_status_any(-1, wrong, &index, &flag, statuses), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Request_get_status_all(1, wrong, NULL, statuses), MPI_ERR_ARG);

    /* Errors of operations are in the statuses. */
    MPI_Request both[2];
    OK(MPI_Irecv(&data, 0, MPI_INT, rank, 1, MPI_COMM_WORLD, &both[0]));
    OK(MPI_Irecv(&data, 1, MPI_INT, rank, 2, MPI_COMM_WORLD, &both[1]));
    for (int tag = 1; tag <= 2; tag++) {
        OK(MPI_Isend(&rank, 1, MPI_INT, rank, tag, MPI_COMM_WORLD, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    CHECK_CLASS(MPI_Request_get_status_all(2, both, &flag, statuses), MPI_ERR_IN_STATUS);
    CHECK_EQ(flag, 1);
    CHECK_CLASS(statuses[0].MPI_ERROR, MPI_ERR_TRUNCATE);
    CHECK_EQ(statuses[1].MPI_ERROR, MPI_SUCCESS);
    CHECK_CLASS(MPI_Waitall(2, both, statuses), MPI_ERR_IN_STATUS);
    CHECK_CLASS(statuses[0].MPI_ERROR, MPI_ERR_TRUNCATE);
    CHECK_EQ(statuses[1].MPI_ERROR, MPI_SUCCESS);
}

static int query(void *state, MPI_Status *status)
{
    OK(MPI_Status_set_elements(status, MPI_INT, *(int *)state));
    OK(MPI_Status_set_cancelled(status, 0));
    status->MPI_TAG = 9;
    return MPI_ERR_TAG;
}

static int nothing(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

static int no_cancel(void *state, int complete)
{
    (void)state, (void)complete;
    return MPI_SUCCESS;
}

/* What ended with an error: all that tell the status give the error, and the request stays. */
static void ended_badly(MPI_Request request, int class, int count)
{
    MPI_Status status, statuses[1];
    int flag = 0, index = 99, n = 99, indices[1] = {99}, given = -1;
    CHECK_CLASS(MPI_Request_get_status(request, &flag, &status), class);
    CHECK_EQ(flag, 1);
    CHECK_EQ(status.MPI_TAG, 9);
    CHECK_CLASS(MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE), class);
    flag = status.MPI_TAG = 0;
    CHECK_CLASS(MPI_Request_get_status_any(1, &request, &index, &flag, &status), class);
    CHECK(flag && index == 0);
    CHECK_EQ(status.MPI_TAG, 9);
    OK(MPI_Get_count(&status, MPI_INT, &given));
    CHECK_EQ(given, count);
    flag = 0;
    CHECK_CLASS(MPI_Request_get_status_all(1, &request, &flag, statuses), MPI_ERR_IN_STATUS);
    CHECK_EQ(flag, 1);
    CHECK_CLASS(statuses[0].MPI_ERROR, class);
    CHECK_CLASS(MPI_Request_get_status_some(1, &request, &n, indices, statuses), MPI_ERR_IN_STATUS);
    CHECK(n == 1 && indices[0] == 0);
    CHECK_CLASS(statuses[0].MPI_ERROR, class);
    CHECK_CLASS(MPI_Wait(&request, &status), class);
    CHECK(request == MPI_REQUEST_NULL);
}

static void bad_ends(void)
{
    MPI_Comm comm;
    MPI_Request request, send;
    int out[3] = {1, 2, 3}, in[2], two = 2;
    OK(MPI_Comm_dup(MPI_COMM_SELF, &comm));
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Irecv(in, 2, MPI_INT, 0, 9, comm, &request));
    OK(MPI_Isend(out, 3, MPI_INT, 0, 9, comm, &send));
    OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
    ended_badly(request, MPI_ERR_TRUNCATE, 2);
    OK(MPI_Grequest_start(query, nothing, no_cancel, &two, &request));
    OK(MPI_Grequest_complete(request));
    ended_badly(request, MPI_ERR_TAG, 2);
    OK(MPI_Comm_free(&comm));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    several();
    empty();
    errors();
    bad_ends();
    return check_end();
}
