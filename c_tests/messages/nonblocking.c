/* ranks: 1 2 4 8 */
/* Isend, Irecv and all ways to complete them; persistent requests; cancelled receives; requests given back. */
#include "check.h"

enum { MANY = 40, LONG = 5000 };

static int peer(int i)
{
    return (rank + i) % size;
}

/* MANY messages to and from everybody, short and long ones, completed by `way`. */
static void exchange(int way)
{
    int total = 2 * MANY, left = total, *out = malloc(MANY * LONG * sizeof(int)),
        *in = malloc(MANY * LONG * sizeof(int)), indices[2 * MANY];
    MPI_Request requests[2 * MANY];
    MPI_Status statuses[2 * MANY];
    for (int i = 0; i < MANY; i++) {
        int n = i % 3 ? i : LONG, from = (rank + size * MANY - i) % size;
        for (int k = 0; k < n; k++)
            out[i * LONG + k] = rank * 1000000 + i * 10000 + k;
        memset(in + i * LONG, 0xff, LONG * sizeof(int));
        OK(MPI_Irecv(in + i * LONG, LONG, MPI_INT, from, i, MPI_COMM_WORLD, &requests[MANY + i]));
        OK(MPI_Isend(out + i * LONG, n, MPI_INT, peer(i), i, MPI_COMM_WORLD, &requests[i]));
    }
    if (way == 0) {
        OK(MPI_Waitall(total, requests, statuses));
        for (int i = 0; i < MANY; i++) {
            int count = -1;
            OK(MPI_Get_count(&statuses[MANY + i], MPI_INT, &count));
            CHECK_EQ(count, i % 3 ? i : LONG);
            CHECK_EQ(statuses[MANY + i].MPI_TAG, i);
        }
    } else if (way == 1) {
        int flag = 0;
        while (!flag)
            OK(MPI_Testall(total, requests, &flag, MPI_STATUSES_IGNORE));
    } else if (way == 2) {
        for (; left > 0; left--) {
            int index = -1;
            OK(MPI_Waitany(total, requests, &index, MPI_STATUS_IGNORE));
            CHECK(index >= 0 && index < total);
            CHECK(requests[index] == MPI_REQUEST_NULL);
        }
    } else if (way == 3) {
        while (left > 0) {
            int n = -1;
            OK(MPI_Waitsome(total, requests, &n, indices, MPI_STATUSES_IGNORE));
            CHECK(n > 0 && n <= left);
            left -= n;
        }
    } else if (way == 4) {
        while (left > 0) {
            int n = -1;
            OK(MPI_Testsome(total, requests, &n, indices, statuses));
            CHECK(n >= 0 && n <= left);
            left -= n;
        }
    } else if (way == 5) {
        while (left > 0) {
            int index, flag = 0;
            OK(MPI_Testany(total, requests, &index, &flag, MPI_STATUS_IGNORE));
            if (flag)
                left--;
            else
                CHECK_EQ(index, MPI_UNDEFINED);
        }
    } else {
        for (int i = 0; i < total; i++) {
            int flag = 0;
            while (!flag)
                OK(MPI_Request_get_status(requests[i], &flag, MPI_STATUS_IGNORE));
            CHECK(requests[i] != MPI_REQUEST_NULL);
            OK(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
        }
    }
    for (int i = 0; i < total; i++)
        CHECK(requests[i] == MPI_REQUEST_NULL);
    for (int i = 0; i < MANY; i++) {
        int n = i % 3 ? i : LONG, from = (rank + size * MANY - i) % size;
        for (int k = 0; k < LONG; k++)
            CHECK_EQ(in[i * LONG + k], k < n ? from * 1000000 + i * 10000 + k : -1);
    }
    free(out);
    free(in);
}

static void nothing_to_wait_for(void)
{
    MPI_Request none[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status status;
    int index = 0, flag = 0, count = 0, indices[2];
    OK(MPI_Wait(&none[0], &status));
    CHECK_EQ(status.MPI_SOURCE, MPI_ANY_SOURCE);
    CHECK_EQ(status.MPI_TAG, MPI_ANY_TAG);
    OK(MPI_Waitall(2, none, MPI_STATUSES_IGNORE));
    OK(MPI_Waitany(2, none, &index, &status));
    CHECK_EQ(index, MPI_UNDEFINED);
    OK(MPI_Testany(2, none, &index, &flag, &status));
    CHECK_EQ(index, MPI_UNDEFINED);
    CHECK_EQ(flag, 1);
    OK(MPI_Waitsome(2, none, &count, indices, MPI_STATUSES_IGNORE));
    CHECK_EQ(count, MPI_UNDEFINED);
    OK(MPI_Testsome(2, none, &count, indices, MPI_STATUSES_IGNORE));
    CHECK_EQ(count, MPI_UNDEFINED);
    OK(MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE));
}

static void persistent(void)
{
    MPI_Request requests[3];
    int out = 0, long_out[LONG], in = 0, long_in[LONG], before = (rank + size - 1) % size;
    OK(MPI_Send_init(&out, 1, MPI_INT, peer(1), 1, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Ssend_init(long_out, LONG, MPI_INT, peer(1), 2, MPI_COMM_WORLD, &requests[1]));
    OK(MPI_Recv_init(&in, 1, MPI_INT, before, 1, MPI_COMM_WORLD, &requests[2]));
    for (int round = 0; round < 20; round++) {
        MPI_Request receive;
        out = 100 * rank + round;
        for (int i = 0; i < LONG; i++)
            long_out[i] = out + i;
        OK(MPI_Irecv(long_in, LONG, MPI_INT, before, 2, MPI_COMM_WORLD, &receive));
        OK(MPI_Startall(3, requests));
        OK(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE));
        OK(MPI_Wait(&receive, MPI_STATUS_IGNORE));
        CHECK(requests[0] != MPI_REQUEST_NULL);
        CHECK_EQ(in, 100 * before + round);
        for (int i = 0; i < LONG; i++)
            CHECK_EQ(long_in[i], 100 * before + round + i);
    }
    for (int i = 0; i < 3; i++)
        OK(MPI_Request_free(&requests[i]));
    CHECK(requests[2] == MPI_REQUEST_NULL);
}

static void cancelled(void)
{
    MPI_Request request;
    MPI_Status status;
    int value = 7, flag = 0;
    OK(MPI_Irecv(&value, 1, MPI_INT, rank, 99, MPI_COMM_WORLD, &request));
    OK(MPI_Cancel(&request));
    OK(MPI_Wait(&request, &status));
    OK(MPI_Test_cancelled(&status, &flag));
    CHECK_EQ(flag, 1);
    CHECK_EQ(value, 7);
#ifdef RMASHM /* MPICH may still cancel a receive whose message has come */
    /* It is out of the way: the next receive gets the message. */
    OK(MPI_Irecv(&value, 1, MPI_INT, rank, 99, MPI_COMM_WORLD, &request));
    int eight = 8;
    OK(MPI_Send(&eight, 1, MPI_INT, rank, 99, MPI_COMM_WORLD));
    OK(MPI_Cancel(&request));
    OK(MPI_Wait(&request, &status));
    OK(MPI_Test_cancelled(&status, &flag));
    CHECK_EQ(flag, 0);
    CHECK_EQ(value, 8);
#endif
}

static void given_back(void)
{
    static int out[LONG], in[LONG];
    MPI_Request request;
    for (int i = 0; i < LONG; i++)
        out[i] = rank + i;
    OK(MPI_Isend(out, LONG, MPI_INT, peer(1), 5, MPI_COMM_WORLD, &request));
    OK(MPI_Request_free(&request));
    CHECK(request == MPI_REQUEST_NULL);
    OK(MPI_Recv(in, LONG, MPI_INT, (rank + size - 1) % size, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int i = 0; i < LONG; i++)
        CHECK_EQ(in[i], (rank + size - 1) % size + i);
    barrier();
}

#ifdef RMASHM /* MPICH 4.0 gives back no request of a collective operation, and looks at none that is active */
/* The request of a collective operation that is complete may be given back; that of an active one must be completed. */
static void collectives_given_back(void)
{
    MPI_Request request;
    int flag = 0, sum = 0, one = 1;
    OK(MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request));
    while (!flag)
        OK(MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE));
    CHECK_EQ(sum, size);
    OK(MPI_Request_free(&request));
    CHECK(request == MPI_REQUEST_NULL);
    /* Complete when it is made. */
    OK(MPI_Ibarrier(MPI_COMM_SELF, &request));
    for (flag = 0; !flag;)
        OK(MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE));
    OK(MPI_Request_free(&request));
    CHECK(request == MPI_REQUEST_NULL);
    barrier();
    if (rank > 0)
        OK(MPI_Recv(&flag, 0, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Ibarrier(MPI_COMM_WORLD, &request));
    if (rank == 0 && size > 1) {
        OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
        OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
        CHECK_CLASS(MPI_Request_free(&request), MPI_ERR_REQUEST);
        for (int to = 1; to < size; to++)
            OK(MPI_Send(&flag, 0, MPI_INT, to, 8, MPI_COMM_WORLD));
    }
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}
#endif

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    for (int way = 0; way < 7; way++)
        exchange(way);
    nothing_to_wait_for();
    persistent();
    cancelled();
    given_back();
#ifdef RMASHM
    collectives_given_back();
#endif
    return check_end();
}
