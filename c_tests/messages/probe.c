/* ranks: 1 2 4 8 */
/* Probe, Iprobe, Mprobe, Improbe, Mrecv, Imrecv: what a message is before it is received. */
#include "check.h"

static const int lengths[] = {0, 1, 10, 3000, 40000};
enum { N = sizeof lengths / sizeof lengths[0], MOST = 40000 };

static int want(int from, int which, int i)
{
    return from * 1000000 + which * 100000 + i;
}

int main(int argc, char **argv)
{
    static int out[N][MOST], in[MOST];
    MPI_Request requests[N];
    MPI_Status status;
    check_start(&argc, &argv);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int way = 0; way < 5; way++) {
        for (int k = 0; k < N; k++) {
            for (int i = 0; i < lengths[k]; i++)
                out[k][i] = want(rank, k, i);
            OK(MPI_Isend(out[k], lengths[k], MPI_INT, next, k, MPI_COMM_WORLD, &requests[k]));
        }
        for (int k = 0; k < N; k++) {
            MPI_Message message = MPI_MESSAGE_NULL;
            int count = -1, flag = 0, tag = k % 2 ? k : MPI_ANY_TAG,
                source = k % 3 ? before : MPI_ANY_SOURCE;
            memset(in, 0xff, sizeof in);
            if (way == 0)
                OK(MPI_Probe(source, tag, MPI_COMM_WORLD, &status));
            else if (way == 1)
                while (!flag)
                    OK(MPI_Iprobe(source, tag, MPI_COMM_WORLD, &flag, &status));
            else if (way == 2)
                OK(MPI_Mprobe(source, tag, MPI_COMM_WORLD, &message, &status));
            else
                while (!flag)
                    OK(MPI_Improbe(source, tag, MPI_COMM_WORLD, &flag, &message, &status));
            CHECK_EQ(status.MPI_SOURCE, before);
            CHECK_EQ(status.MPI_TAG, k);
            OK(MPI_Get_count(&status, MPI_INT, &count));
            CHECK_EQ(count, lengths[k]);
            if (way < 2) {
                OK(MPI_Recv(in, count, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
                            &status));
            } else if (way < 4) {
                OK(MPI_Mrecv(in, MOST, MPI_INT, &message, &status));
                CHECK(message == MPI_MESSAGE_NULL);
            } else {
                MPI_Request request;
                OK(MPI_Imrecv(in, MOST, MPI_INT, &message, &request));
                CHECK(message == MPI_MESSAGE_NULL);
                OK(MPI_Wait(&request, &status));
            }
            OK(MPI_Get_count(&status, MPI_INT, &count));
            CHECK_EQ(count, lengths[k]);
            for (int i = 0; i < MOST; i++)
                CHECK_EQ(in[i], i < lengths[k] ? want(before, k, i) : -1);
        }
        OK(MPI_Waitall(N, requests, MPI_STATUSES_IGNORE));
    }

    int flag = 1;
    barrier();
    OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status));
    CHECK_EQ(flag, 0);
    MPI_Message message;
    OK(MPI_Mprobe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &message, &status));
    CHECK(message == MPI_MESSAGE_NO_PROC);
    CHECK_EQ(status.MPI_SOURCE, MPI_PROC_NULL);
    OK(MPI_Mrecv(in, 1, MPI_INT, &message, &status));
    CHECK(message == MPI_MESSAGE_NULL);
    CHECK_EQ(status.MPI_SOURCE, MPI_PROC_NULL);
    return check_end();
}
