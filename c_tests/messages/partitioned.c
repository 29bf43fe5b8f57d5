/* ranks: 1 2 3 8; mpich: skip it refuses MPI_Parrived of an inactive request; wrong: in the last part counts differ, for the error that is to be told */
/* Partitioned communication: any partition counts on both sides, in any order, over and over, with gaps. */
#include "check.h"

static int right, left;

static int value(int from, int round, int i)
{
    return (from * 100 + round) * 100000 + i;
}

/* `mine` partitions are sent, and received as `theirs`; the elements divide by both. */
static void different(int mine, int theirs, int elements, int rounds)
{
    int *out = calloc(elements, sizeof *out), *into = calloc(elements, sizeof *into);
    MPI_Request requests[2];
    MPI_Status statuses[2];
    OK(MPI_Psend_init(out, mine, elements / mine, MPI_INT, right, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]));
    OK(MPI_Precv_init(into, theirs, elements / theirs, MPI_INT, left, 5, MPI_COMM_WORLD, MPI_INFO_NULL,
                      &requests[1]));
    for (int round = 0; round < rounds; round++) {
        int flag, count;
        for (int i = 0; i < elements; i++) {
            out[i] = value(rank, round, i);
            into[i] = -1;
        }
        OK(MPI_Startall(2, requests));
        /* Odd ones by themselves from the end, then the others in a list or a range. */
        for (int i = mine - 1; i >= 0; i--)
            if (i % 2 == 1)
                OK(MPI_Pready(i, requests[0]));
        int *list = malloc(sizeof(int) * mine), n = 0;
        for (int i = 0; i < mine; i += 2)
            list[n++] = i;
        if (mine == 1)
            OK(MPI_Pready_range(0, 0, requests[0]));
        else
            OK(MPI_Pready_list(n, list, requests[0]));
        free(list);
        for (int p = theirs - 1; p >= 0; p--) {
            flag = 0;
            while (!flag)
                OK(MPI_Parrived(requests[1], p, &flag));
            for (int i = p * (elements / theirs); i < (p + 1) * (elements / theirs); i++)
                CHECK_EQ(into[i], value(left, round, i));
        }
        OK(MPI_Waitall(2, requests, statuses));
        CHECK_EQ(statuses[1].MPI_SOURCE, left);
        CHECK_EQ(statuses[1].MPI_TAG, 5);
        OK(MPI_Get_count(&statuses[1], MPI_INT, &count));
        CHECK_EQ(count, elements);
        flag = 0;
        OK(MPI_Parrived(requests[1], 0, &flag));
        CHECK(flag != 0);
    }
    OK(MPI_Request_free(&requests[0]));
    OK(MPI_Request_free(&requests[1]));
    free(out);
    free(into);
}

/* Nothing arrives that is not ready. */
static void one_by_one(void)
{
    int out[4] = {rank, rank + 1, rank + 2, rank + 3}, into[4] = {-1, -1, -1, -1}, flag;
    MPI_Request requests[2];
    OK(MPI_Psend_init(out, 4, 1, MPI_INT, right, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]));
    OK(MPI_Precv_init(into, 2, 2, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]));
    OK(MPI_Startall(2, requests));
    OK(MPI_Pready_range(2, 3, requests[0]));
    flag = 0;
    while (!flag)
        OK(MPI_Parrived(requests[1], 1, &flag));
    CHECK_EQ(into[2], left + 2);
    CHECK_EQ(into[3], left + 3);
    OK(MPI_Parrived(requests[1], 0, &flag));
    CHECK_EQ(flag, 0);
    OK(MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE));
    CHECK_EQ(flag, 0);
    barrier();
    OK(MPI_Pready_range(0, 1, requests[0]));
    OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < 4; i++)
        CHECK_EQ(into[i], left + i);
    OK(MPI_Request_free(&requests[0]));
    OK(MPI_Request_free(&requests[1]));
}

/* Two channels with one tag meet in the order in which they were made, in whatever order they are started. */
static void two_channels(void)
{
    int out[2] = {rank * 2, rank * 2 + 1}, into[2] = {-1, -1};
    MPI_Request sends[2], receives[2];
    for (int i = 0; i < 2; i++) {
        OK(MPI_Psend_init(&out[i], 1, 1, MPI_INT, right, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &sends[i]));
        OK(MPI_Precv_init(&into[i], 1, 1, MPI_INT, left, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &receives[i]));
    }
    for (int i = 1; i >= 0; i--) {
        OK(MPI_Start(&sends[i]));
        OK(MPI_Pready(0, sends[i]));
    }
    OK(MPI_Startall(2, receives));
    OK(MPI_Waitall(2, sends, MPI_STATUSES_IGNORE));
    OK(MPI_Waitall(2, receives, MPI_STATUSES_IGNORE));
    for (int i = 0; i < 2; i++) {
        CHECK_EQ(into[i], left * 2 + i);
        OK(MPI_Request_free(&sends[i]));
        OK(MPI_Request_free(&receives[i]));
    }
}

/* Partitions whose elements have gaps, received as partitions of another datatype. */
static void gaps(void)
{
    int out[24], into[24], dense[12];
    MPI_Datatype pair;
    MPI_Request requests[4];
    for (int i = 0; i < 24; i++) {
        out[i] = value(rank, 0, i);
        into[i] = -1;
    }
    OK(MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &pair));
    OK(MPI_Type_commit(&pair));
    OK(MPI_Psend_init(out, 6, 2, pair, right, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]));
    OK(MPI_Precv_init(dense, 4, 3, MPI_INT, left, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]));
    OK(MPI_Psend_init(out, 3, 4, MPI_INT, right, 4, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[2]));
    OK(MPI_Precv_init(into, 4, 3, pair, left, 4, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[3]));
    OK(MPI_Startall(4, requests));
    OK(MPI_Pready_range(0, 5, requests[0]));
    OK(MPI_Pready_range(0, 2, requests[2]));
    OK(MPI_Waitall(4, requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < 12; i++) {
        CHECK_EQ(dense[i], value(left, 0, 2 * i));
        CHECK_EQ(into[2 * i], value(left, 0, i));
        CHECK_EQ(into[2 * i + 1], -1);
    }
    for (int i = 0; i < 4; i++)
        OK(MPI_Request_free(&requests[i]));
    OK(MPI_Type_free(&pair));
}

static void nobody(void)
{
    int data = 5;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    OK(MPI_Psend_init(&data, 1, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]));
    OK(MPI_Precv_init(&data, 1, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]));
    OK(MPI_Startall(2, requests));
    OK(MPI_Pready(0, requests[0]));
    OK(MPI_Waitall(2, requests, statuses));
    CHECK_EQ(data, 5);
    CHECK_EQ(statuses[1].MPI_SOURCE, MPI_PROC_NULL);
    OK(MPI_Request_free(&requests[0]));
    OK(MPI_Request_free(&requests[1]));
}

static void errors(void)
{
    int data[4] = {0}, flag;
    MPI_Request send, receive, plain;
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    CHECK_CLASS(MPI_Psend_init(data, -1, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &send), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Psend_init(data, 1, -1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &send), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Psend_init(data, 1, 1, MPI_INT, size, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &send), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Psend_init(data, 1, 1, MPI_INT, 0, -1, MPI_COMM_WORLD, MPI_INFO_NULL, &send), MPI_ERR_TAG);
    CHECK_CLASS(MPI_Psend_init(data, 1, 1, MPI_INT, 0, 0, MPI_COMM_NULL, MPI_INFO_NULL, &send), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Psend_init(data, 1, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, (MPI_Info)77, &send), MPI_ERR_INFO);
    CHECK_CLASS(MPI_Psend_init(data, 1, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &send),
                MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Psend_init(NULL, 1, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &send), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Precv_init(data, 1, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &receive),
                MPI_ERR_RANK);
    CHECK_CLASS(MPI_Precv_init(data, 1, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &receive),
                MPI_ERR_TAG);

    OK(MPI_Psend_init(data, 2, 1, MPI_INT, right, 8, MPI_COMM_WORLD, MPI_INFO_NULL, &send));
    OK(MPI_Precv_init(data + 2, 1, 1, MPI_INT, left, 8, MPI_COMM_WORLD, MPI_INFO_NULL, &receive));
    CHECK_CLASS(MPI_Pready(0, send), MPI_ERR_REQUEST);
    OK(MPI_Start(&send));
    OK(MPI_Start(&receive));
    CHECK_CLASS(MPI_Pready(2, send), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Pready(-1, send), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Pready(0, receive), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Parrived(send, 0, &flag), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Parrived(receive, 1, &flag), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Start(&send), MPI_ERR_REQUEST);
    OK(MPI_Pready(0, send));
    CHECK_CLASS(MPI_Pready(0, send), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Pready_range(0, 1, send), MPI_ERR_ARG);
    OK(MPI_Pready(1, send));
    OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
    /* More was sent than there is room for. */
    CHECK_CLASS(MPI_Wait(&receive, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
    OK(MPI_Request_free(&send));
    OK(MPI_Request_free(&receive));
    OK(MPI_Irecv(data, 1, MPI_INT, 0, 99, MPI_COMM_WORLD, &plain));
    CHECK_CLASS(MPI_Pready(0, plain), MPI_ERR_REQUEST);
    OK(MPI_Cancel(&plain));
    OK(MPI_Wait(&plain, MPI_STATUS_IGNORE));
    flag = 0;
    OK(MPI_Parrived(MPI_REQUEST_NULL, 0, &flag));
    CHECK(flag != 0);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    different(1, 1, 10, 3);
    different(4, 4, 400, 3);
    different(6, 4, 12, 5);
    different(2, 30, 60, 3);
    different(50, 1, 5000, 3);
    different(7, 3, 21 * 5000, 2);
    one_by_one();
    two_channels();
    gaps();
    nobody();
    barrier();
    errors();
    return check_end();
}
