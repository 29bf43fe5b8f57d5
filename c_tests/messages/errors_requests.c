/* ranks: 1 2; mpich: skip it checks less, and crashes at handles that are none */
/* Every function that takes requests or messages refuses what is none: alone, and among good ones. Arrays of requests have
 * no negative length. */
#include "check.h"

#define REFUSED(call) CHECK_CLASS(call, MPI_ERR_REQUEST)

static char memory[128];
static int flag, indices[4], index_out, outcount;
static MPI_Status status, statuses[4];

static void one(MPI_Request bad)
{
    MPI_Request request = bad;
    REFUSED(MPI_Wait(&request, &status));
    REFUSED(MPI_Test(&request, &flag, &status));
    REFUSED(MPI_Request_get_status(request, &flag, &status));
    REFUSED(MPI_Cancel(&request));
    REFUSED(MPI_Request_free(&request));
    REFUSED(MPI_Start(&request));
    REFUSED(MPI_Pready(0, request));
    REFUSED(MPI_Pready_range(0, 0, request));
    REFUSED(MPI_Pready_list(1, indices, request));
    REFUSED(MPI_Parrived(request, 0, &flag));
    REFUSED(MPI_Grequest_complete(request));
    CHECK(request == bad);
}

static void among_others(MPI_Request bad)
{
    MPI_Request requests[4];
    OK(MPI_Irecv(memory, 64, MPI_BYTE, rank, 7, MPI_COMM_WORLD, &requests[0]));
    requests[1] = MPI_REQUEST_NULL;
    requests[2] = bad;
    OK(MPI_Irecv(memory + 64, 64, MPI_BYTE, rank, 8, MPI_COMM_WORLD, &requests[3]));
    REFUSED(MPI_Waitany(4, requests, &index_out, &status));
    REFUSED(MPI_Waitall(4, requests, statuses));
    REFUSED(MPI_Waitsome(4, requests, &outcount, indices, statuses));
    REFUSED(MPI_Testany(4, requests, &index_out, &flag, &status));
    REFUSED(MPI_Testall(4, requests, &flag, statuses));
    REFUSED(MPI_Testsome(4, requests, &outcount, indices, statuses));
    REFUSED(MPI_Request_get_status_any(4, requests, &index_out, &flag, &status));
    REFUSED(MPI_Request_get_status_all(4, requests, &flag, statuses));
    REFUSED(MPI_Request_get_status_some(4, requests, &outcount, indices, statuses));
    REFUSED(MPI_Startall(4, requests));
    /* The good ones are as they were. */
    for (int i = 0; i < 4; i += 3) {
        OK(MPI_Cancel(&requests[i]));
        OK(MPI_Wait(&requests[i], &status));
        OK(MPI_Test_cancelled(&status, &flag));
        CHECK(flag);
    }
}

static void lengths(void)
{
    MPI_Request requests[1] = { MPI_REQUEST_NULL };
#undef REFUSED
#define REFUSED(call) CHECK_CLASS(call, MPI_ERR_COUNT)
    REFUSED(MPI_Waitany(-1, requests, &index_out, &status));
    REFUSED(MPI_Waitall(-1, requests, statuses));
    REFUSED(MPI_Waitsome(-1, requests, &outcount, indices, statuses));
    REFUSED(MPI_Testany(-1, requests, &index_out, &flag, &status));
    REFUSED(MPI_Testall(-1, requests, &flag, statuses));
    REFUSED(MPI_Testsome(-1, requests, &outcount, indices, statuses));
    REFUSED(MPI_Request_get_status_any(-1, requests, &index_out, &flag, &status));
    REFUSED(MPI_Request_get_status_all(-1, requests, &flag, statuses));
    REFUSED(MPI_Request_get_status_some(-1, requests, &outcount, indices, statuses));
    REFUSED(MPI_Startall(-1, requests));
#undef REFUSED
#define REFUSED(call) CHECK_CLASS(call, MPI_ERR_REQUEST)
}

static void messages(void)
{
    MPI_Message bad[3] = { MPI_MESSAGE_NULL, (MPI_Message)0x12345, MPI_MESSAGE_NULL }, message;
    MPI_Request request;
    OK(MPI_Send(memory, 3, MPI_BYTE, rank, 9, MPI_COMM_WORLD));
    OK(MPI_Mprobe(rank, 9, MPI_COMM_WORLD, &message, &status));
    bad[2] = message;
    CHECK_CLASS(MPI_Mrecv(memory, 2, MPI_BYTE, &message, &status), MPI_ERR_TRUNCATE);
    CHECK(message == MPI_MESSAGE_NULL);
    for (int i = 0; i < 3; i++) {
        REFUSED(MPI_Mrecv(memory, 1, MPI_BYTE, &bad[i], &status));
        REFUSED(MPI_Imrecv(memory, 1, MPI_BYTE, &bad[i], &request));
    }
    OK(MPI_Send(memory, 3, MPI_BYTE, rank, 9, MPI_COMM_WORLD));
    OK(MPI_Mprobe(rank, 9, MPI_COMM_WORLD, &message, &status));
    OK(MPI_Imrecv(memory, 2, MPI_BYTE, &message, &request));
    CHECK_CLASS(MPI_Wait(&request, &status), MPI_ERR_TRUNCATE);
    CHECK(request == MPI_REQUEST_NULL);
}

/* The error of one of several is in its status. */
static void in_status(void)
{
    MPI_Request requests[2];
    for (int kind = 0; kind < 4; kind++) {
        int code = MPI_SUCCESS, class = -1;
        OK(MPI_Irecv(memory, 1, MPI_BYTE, rank, 1, MPI_COMM_WORLD, &requests[0]));
        OK(MPI_Irecv(memory + 8, 8, MPI_BYTE, rank, 2, MPI_COMM_WORLD, &requests[1]));
        OK(MPI_Send(memory + 16, 2, MPI_BYTE, rank, 1, MPI_COMM_WORLD));
        OK(MPI_Send(memory + 16, 2, MPI_BYTE, rank, 2, MPI_COMM_WORLD));
        switch (kind) {
        case 0: code = MPI_Waitall(2, requests, statuses); break;
        case 1: code = MPI_Testall(2, requests, &flag, statuses); break;
        case 2: code = MPI_Waitsome(2, requests, &outcount, indices, statuses); break;
        case 3: code = MPI_Testsome(2, requests, &outcount, indices, statuses); break;
        }
        CHECK_CLASS(code, MPI_ERR_IN_STATUS);
        OK(MPI_Error_class(statuses[0].MPI_ERROR, &class));
        CHECK_EQ(class, MPI_ERR_TRUNCATE);
        CHECK_EQ(statuses[1].MPI_ERROR, MPI_SUCCESS);
        CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
    }
}

int main(int argc, char **argv)
{
    MPI_Request old;
    check_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Irecv(memory, 64, MPI_BYTE, rank, 7, MPI_COMM_WORLD, &old));
    MPI_Request copy = old;
    OK(MPI_Cancel(&old));
    OK(MPI_Wait(&old, &status));
    one((MPI_Request)0x12345);
    one(copy);
    among_others((MPI_Request)0x12345);
    among_others(copy);
    lengths();
    messages();
    in_status();
    return check_end();
}
