/* ranks: 1 2; mpich: skip it calls free_fn when the request is freed before it is complete */
/* Generalized requests: callbacks in wait, test, free and cancel, alone and among others. */
#include "check.h"
#include <pthread.h>

struct work {
    MPI_Request request;
    int tag, elements, error, error_of_free;
    int queried, freed, cancelled, complete_when_cancelled;
};

static int query(void *extra, MPI_Status *status)
{
    struct work *work = extra;
    work->queried++;
    OK(MPI_Status_set_elements(status, MPI_INT, work->elements));
    OK(MPI_Status_set_cancelled(status, work->cancelled > 0));
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = work->tag;
    return work->error;
}

static int let_go(void *extra)
{
    struct work *work = extra;
    CHECK_EQ(work->freed, 0);
    work->freed++;
    return work->error_of_free;
}

static int cancel(void *extra, int complete)
{
    struct work *work = extra;
    work->cancelled++;
    work->complete_when_cancelled = complete;
    return MPI_SUCCESS;
}

static void begin(struct work *work, int tag)
{
    memset(work, 0, sizeof *work);
    work->tag = tag;
    work->elements = tag + 1;
    OK(MPI_Grequest_start(query, let_go, cancel, work, &work->request));
}

static void *later(void *extra)
{
    struct work *work = extra;
    OK(MPI_Grequest_complete(work->request));
    return NULL;
}

static void waited_for(void)
{
    struct work work;
    MPI_Status status;
    MPI_Request copy;
    pthread_t thread;
    int flag = 1, count, cancelled;
    begin(&work, 7);
    copy = work.request;
    OK(MPI_Test(&copy, &flag, &status));
    CHECK_EQ(flag, 0);
    OK(MPI_Request_get_status(copy, &flag, &status));
    CHECK_EQ(flag, 0);
    CHECK_EQ(work.queried + work.freed, 0);
    CHECK_EQ(pthread_create(&thread, NULL, later, &work), 0);
    OK(MPI_Wait(&copy, &status));
    CHECK_EQ(pthread_join(thread, NULL), 0);
    CHECK(copy == MPI_REQUEST_NULL);
    CHECK_EQ(work.queried, 1);
    CHECK_EQ(work.freed, 1);
    CHECK_EQ(status.MPI_TAG, 7);
    OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK_EQ(count, 8);
    OK(MPI_Test_cancelled(&status, &cancelled));
    CHECK_EQ(cancelled, 0);
}

static void tested_and_cancelled(void)
{
    struct work work;
    MPI_Status status;
    int flag = 0, cancelled = 0;
    begin(&work, 1);
    OK(MPI_Cancel(&work.request));
    CHECK_EQ(work.cancelled, 1);
    CHECK_EQ(work.complete_when_cancelled, 0);
    OK(MPI_Grequest_complete(work.request));
    OK(MPI_Request_get_status(work.request, &flag, &status));
    CHECK_EQ(flag, 1);
    CHECK_EQ(work.freed, 0);
    OK(MPI_Cancel(&work.request));
    CHECK(work.complete_when_cancelled != 0);
    flag = 0;
    OK(MPI_Test(&work.request, &flag, &status));
    CHECK_EQ(flag, 1);
    CHECK_EQ(work.freed, 1);
    OK(MPI_Test_cancelled(&status, &cancelled));
    CHECK_EQ(cancelled, 1);
}

static void freed(void)
{
    struct work work;
    MPI_Request copy;
    begin(&work, 1);
    copy = work.request;
    OK(MPI_Request_free(&copy));
    CHECK(copy == MPI_REQUEST_NULL);
    CHECK_EQ(work.freed, 0);
    OK(MPI_Grequest_complete(work.request));
    CHECK_EQ(work.freed, 1);
    CHECK_EQ(work.queried, 0);

    begin(&work, 2);
    OK(MPI_Grequest_complete(work.request));
    CHECK_EQ(work.freed, 0);
    OK(MPI_Request_free(&work.request));
    CHECK_EQ(work.freed, 1);
}

static void among_others(void)
{
    struct work work[2];
    MPI_Request requests[4];
    MPI_Status statuses[4];
    int data = -1, count, index, other = (rank + 1) % size, from = (rank + size - 1) % size;
    begin(&work[0], 5);
    begin(&work[1], 6);
    requests[0] = work[0].request;
    OK(MPI_Irecv(&data, 1, MPI_INT, from, 3, MPI_COMM_WORLD, &requests[1]));
    requests[2] = work[1].request;
    OK(MPI_Isend(&rank, 1, MPI_INT, other, 3, MPI_COMM_WORLD, &requests[3]));
    OK(MPI_Grequest_complete(work[1].request));
    OK(MPI_Grequest_complete(work[0].request));
    OK(MPI_Waitall(4, requests, statuses));
    CHECK_EQ(data, from);
    CHECK_EQ(statuses[0].MPI_TAG, 5);
    CHECK_EQ(statuses[1].MPI_TAG, 3);
    CHECK_EQ(statuses[2].MPI_TAG, 6);
    OK(MPI_Get_count(&statuses[2], MPI_INT, &count));
    CHECK_EQ(count, 7);
    CHECK_EQ(work[0].freed + work[1].freed, 2);

    begin(&work[0], 1);
    begin(&work[1], 2);
    requests[0] = work[0].request;
    requests[1] = work[1].request;
    OK(MPI_Grequest_complete(requests[1]));
    OK(MPI_Waitany(2, requests, &index, statuses));
    CHECK_EQ(index, 1);
    CHECK_EQ(statuses[0].MPI_TAG, 2);
    OK(MPI_Grequest_complete(requests[0]));
    OK(MPI_Waitany(2, requests, &index, statuses));
    CHECK_EQ(index, 0);
}

static void errors(void)
{
    struct work work;
    MPI_Request request;
    MPI_Status statuses[1];
    int data, flag;
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    /* What a callback returns is what the call returns. */
    begin(&work, 1);
    work.error = MPI_ERR_OTHER;
    OK(MPI_Grequest_complete(work.request));
    CHECK_EQ(MPI_Wait(&work.request, MPI_STATUS_IGNORE), MPI_ERR_OTHER);
    CHECK_EQ(work.freed, 1);
    begin(&work, 1);
    work.error = MPI_ERR_OTHER;
    OK(MPI_Grequest_complete(work.request));
    CHECK_CLASS(MPI_Waitall(1, &work.request, statuses), MPI_ERR_IN_STATUS);
    CHECK_EQ(statuses[0].MPI_ERROR, MPI_ERR_OTHER);
    begin(&work, 1);
    OK(MPI_Grequest_complete(work.request));
    CHECK_CLASS(MPI_Grequest_complete(work.request), MPI_ERR_REQUEST);
    OK(MPI_Wait(&work.request, MPI_STATUS_IGNORE));
    /* A free function that fails frees all the same: the handle is given back. */
    for (int freed_first = 0; freed_first < 2; freed_first++) {
        begin(&work, 1);
        work.error_of_free = MPI_ERR_OTHER;
        request = work.request;
        if (freed_first) {
            OK(MPI_Request_free(&work.request));
            CHECK_EQ(MPI_Grequest_complete(request), MPI_ERR_OTHER);
        } else {
            OK(MPI_Grequest_complete(request));
            CHECK_EQ(MPI_Request_free(&work.request), MPI_ERR_OTHER);
        }
        CHECK_EQ(work.freed, 1);
        CHECK(work.request == MPI_REQUEST_NULL);
        CHECK_CLASS(MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
    }
    CHECK_CLASS(MPI_Grequest_complete(MPI_REQUEST_NULL), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Grequest_start(NULL, let_go, cancel, &work, &request), MPI_ERR_ARG);
    OK(MPI_Irecv(&data, 1, MPI_INT, 0, 77, MPI_COMM_WORLD, &request));
    CHECK_CLASS(MPI_Grequest_complete(request), MPI_ERR_REQUEST);
    OK(MPI_Cancel(&request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

int main(int argc, char **argv)
{
    check_start_threads(&argc, &argv);
    waited_for();
    tested_and_cancelled();
    freed();
    among_others();
    errors();
    return check_end();
}
