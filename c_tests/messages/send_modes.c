/* ranks: 1 2 3 8 */
/* All send modes, nonblocking and persistent, with every tag that matters; cancelled receives. */
#include "check.h"

enum { MODES = 4 };

static int right, left;

static void nonblocking(int tag)
{
    int data[MODES], into[MODES];
    MPI_Request sends[MODES], receives[MODES];
    MPI_Status statuses[MODES];
    for (int i = 0; i < MODES; i++) {
        data[i] = rank * 100 + i;
        into[i] = -1;
        OK(MPI_Irecv(&into[i], 1, MPI_INT, left, tag, MPI_COMM_WORLD, &receives[i]));
    }
    /* A ready send needs its receive. */
    barrier();
    OK(MPI_Isend(&data[0], 1, MPI_INT, right, tag, MPI_COMM_WORLD, &sends[0]));
    OK(MPI_Issend(&data[1], 1, MPI_INT, right, tag, MPI_COMM_WORLD, &sends[1]));
    OK(MPI_Irsend(&data[2], 1, MPI_INT, right, tag, MPI_COMM_WORLD, &sends[2]));
    OK(MPI_Ibsend(&data[3], 1, MPI_INT, right, tag, MPI_COMM_WORLD, &sends[3]));
    OK(MPI_Waitall(MODES, receives, statuses));
    OK(MPI_Waitall(MODES, sends, MPI_STATUSES_IGNORE));
    for (int i = 0; i < MODES; i++) {
        CHECK_EQ(into[i], left * 100 + i);
        CHECK_EQ(statuses[i].MPI_TAG, tag);
        CHECK_EQ(statuses[i].MPI_SOURCE, left);
    }
}

static void persistent(void)
{
    int data[MODES], into[MODES], n, indices[MODES];
    MPI_Request sends[MODES], receives[MODES];
    OK(MPI_Send_init(&data[0], 1, MPI_INT, right, 0, MPI_COMM_WORLD, &sends[0]));
    OK(MPI_Ssend_init(&data[1], 1, MPI_INT, right, 1, MPI_COMM_WORLD, &sends[1]));
    OK(MPI_Rsend_init(&data[2], 1, MPI_INT, right, 2, MPI_COMM_WORLD, &sends[2]));
    OK(MPI_Bsend_init(&data[3], 1, MPI_INT, right, 3, MPI_COMM_WORLD, &sends[3]));
    for (int i = 0; i < MODES; i++)
        OK(MPI_Recv_init(&into[i], 1, MPI_INT, left, i, MPI_COMM_WORLD, &receives[i]));
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < MODES; i++) {
            data[i] = rank * 1000 + round * 10 + i;
            into[i] = -1;
        }
        OK(MPI_Startall(MODES, receives));
        barrier();
        OK(MPI_Startall(MODES, sends));
        for (int done = 0; done < MODES; done += n) {
            OK(MPI_Waitsome(MODES, receives, &n, indices, MPI_STATUSES_IGNORE));
            CHECK(n > 0);
            for (int i = 0; i < n; i++)
                CHECK_EQ(into[indices[i]], left * 1000 + round * 10 + indices[i]);
        }
        OK(MPI_Waitall(MODES, sends, MPI_STATUSES_IGNORE));
    }
    for (int i = 0; i < MODES; i++) {
        OK(MPI_Request_free(&sends[i]));
        OK(MPI_Request_free(&receives[i]));
    }
}

static void cancelled(void)
{
    int data = -1, flag = -1, is = 0;
    MPI_Request request;
    MPI_Status status;
    OK(MPI_Irecv(&data, 1, MPI_INT, left, 50, MPI_COMM_WORLD, &request));
    OK(MPI_Cancel(&request));
    OK(MPI_Wait(&request, &status));
    OK(MPI_Test_cancelled(&status, &is));
    CHECK(is);
    /* What met its message is not cancelled. */
    OK(MPI_Irecv(&data, 1, MPI_INT, left, 51, MPI_COMM_WORLD, &request));
    OK(MPI_Send(&rank, 1, MPI_INT, right, 51, MPI_COMM_WORLD));
    flag = 0;
    while (!flag)
        OK(MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE));
    OK(MPI_Cancel(&request));
    OK(MPI_Wait(&request, &status));
    OK(MPI_Test_cancelled(&status, &is));
    CHECK(!is);
    CHECK_EQ(data, left);
    /* A cancelled persistent one can be started again. */
    OK(MPI_Recv_init(&data, 1, MPI_INT, left, 52, MPI_COMM_WORLD, &request));
    OK(MPI_Start(&request));
    OK(MPI_Cancel(&request));
    OK(MPI_Wait(&request, &status));
    OK(MPI_Test_cancelled(&status, &is));
    CHECK(is);
    barrier();
    OK(MPI_Start(&request));
    OK(MPI_Send(&size, 1, MPI_INT, right, 52, MPI_COMM_WORLD));
    OK(MPI_Wait(&request, &status));
    OK(MPI_Test_cancelled(&status, &is));
    CHECK(!is);
    CHECK_EQ(data, size);
    OK(MPI_Request_free(&request));
    barrier();
}

/* Nothing may be of no type: the datatype of no elements is not looked at, if it is MPI_DATATYPE_NULL. */
static void nothing(int to, int from)
{
    MPI_Request requests[2];
    MPI_Status status;
    int count = -1;
    OK(MPI_Irecv(NULL, 0, MPI_DATATYPE_NULL, from, 1, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Isend(NULL, 0, MPI_DATATYPE_NULL, to, 1, MPI_COMM_WORLD, &requests[1]));
    OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    OK(MPI_Bsend(NULL, 0, MPI_DATATYPE_NULL, to, 2, MPI_COMM_WORLD));
    OK(MPI_Recv(NULL, 0, MPI_DATATYPE_NULL, from, 2, MPI_COMM_WORLD, &status));
    CHECK_EQ(status.MPI_SOURCE, from);
    OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK_EQ(count, 0);
    OK(MPI_Sendrecv(NULL, 0, MPI_DATATYPE_NULL, to, 3, NULL, 0, MPI_DATATYPE_NULL, from, 3, MPI_COMM_WORLD, &status));
    CHECK_EQ(status.MPI_SOURCE, from);
    OK(MPI_Ssend_init(NULL, 0, MPI_DATATYPE_NULL, to, 4, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Recv_init(NULL, 0, MPI_DATATYPE_NULL, from, 4, MPI_COMM_WORLD, &requests[1]));
    OK(MPI_Startall(2, requests));
    OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    OK(MPI_Request_free(&requests[0]));
    OK(MPI_Request_free(&requests[1]));
}

int main(int argc, char **argv)
{
    static char buffer[MODES * (sizeof(int) + MPI_BSEND_OVERHEAD) * 4];
    int *tag_ub, flag, len;
    void *address;
    check_start(&argc, &argv);
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    OK(MPI_Buffer_attach(buffer, sizeof buffer));
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &tag_ub, &flag));
    CHECK(flag && *tag_ub >= 32767);
    nonblocking(0);
    nonblocking(32767);
    nonblocking(*tag_ub - 1);
    nonblocking(*tag_ub);
    persistent();
    cancelled();
    nothing(right, left);
    nothing(MPI_PROC_NULL, MPI_PROC_NULL);
    OK(MPI_Buffer_detach(&address, &len));
    CHECK(address == buffer && len == (int)sizeof buffer);
    return check_end();
}
