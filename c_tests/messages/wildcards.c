/* ranks: 1 2 4 8 */
/* Any source and any tag: each message exactly once, those of one sender in order; posted receives are met in order. */
#include "check.h"

enum { EACH = 500 };

static void gathered_by_rank_0(void)
{
    int next_of[64] = {0};
    if (rank != 0) {
        for (int i = 0; i < EACH; i++) {
            int data[2] = {rank, i};
            OK(MPI_Send(data, 2, MPI_INT, 0, i % 7, MPI_COMM_WORLD));
        }
        return;
    }
    for (int i = 0; i < EACH * (size - 1); i++) {
        MPI_Status status;
        int data[2];
        OK(MPI_Recv(data, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
        CHECK_EQ(data[0], status.MPI_SOURCE);
        CHECK_EQ(data[1], next_of[data[0]]);
        CHECK_EQ(status.MPI_TAG, data[1] % 7);
        next_of[data[0]]++;
    }
    for (int i = 1; i < size; i++)
        CHECK_EQ(next_of[i], EACH);
}

/* Receives with and without wildcards, posted before the messages: the earliest that fits gets each. */
static void posted_first(void)
{
    MPI_Request requests[5];
    MPI_Status statuses[5];
    int values[5], next = (rank + 1) % size, before = (rank + size - 1) % size;
    OK(MPI_Irecv(&values[0], 1, MPI_INT, before, 2, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Irecv(&values[1], 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &requests[1]));
    OK(MPI_Irecv(&values[2], 1, MPI_INT, before, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[2]));
    OK(MPI_Irecv(&values[3], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[3]));
    OK(MPI_Irecv(&values[4], 1, MPI_INT, before, 1, MPI_COMM_WORLD, &requests[4]));
    barrier();
    const int tags[5] = {1, 1, 2, 3, 1}, met_by[5] = {1, 2, 0, 3, 4};
    for (int i = 0; i < 5; i++)
        OK(MPI_Send(&i, 1, MPI_INT, next, tags[i], MPI_COMM_WORLD));
    OK(MPI_Waitall(5, requests, statuses));
    for (int i = 0; i < 5; i++) {
        CHECK_EQ(values[met_by[i]], i);
        CHECK_EQ(statuses[met_by[i]].MPI_TAG, tags[i]);
        CHECK_EQ(statuses[met_by[i]].MPI_SOURCE, before);
    }
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    gathered_by_rank_0();
    barrier();
    posted_first();
    return check_end();
}
