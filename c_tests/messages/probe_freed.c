/* ranks: 2 3 */
/* A message that a matched probe has taken is received though its communicator was freed meanwhile: what is under way goes on
 * (MPI 4.1 section 7.4.3). */
#include "check.h"

enum { MOST = 1 << 20 };

int main(int argc, char **argv)
{
    static const int lengths[] = {0, 10, 5000, MOST};
    static char out[MOST], in[MOST];
    check_start(&argc, &argv);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int i = 0; i < 8; i++) {
        int length = lengths[i / 2], count = -1;
        MPI_Comm comm, other;
        MPI_Message message;
        MPI_Request request, receive;
        MPI_Status status;
        memset(out, 'a' + i + rank, sizeof out);
        memset(in, 0, sizeof in);
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
        OK(MPI_Isend(out, length, MPI_BYTE, next, 3, comm, &request));
        OK(MPI_Mprobe(before, 3, comm, &message, &status));
        OK(MPI_Comm_free(&comm));
        /* What has its place is none of the message's. */
        OK(MPI_Comm_dup(MPI_COMM_SELF, &other));
        if (i % 2 == 0) {
            OK(MPI_Mrecv(in, MOST, MPI_BYTE, &message, &status));
        } else {
            OK(MPI_Imrecv(in, MOST, MPI_BYTE, &message, &receive));
            OK(MPI_Wait(&receive, &status));
        }
        CHECK(message == MPI_MESSAGE_NULL);
        CHECK_EQ(status.MPI_SOURCE, before);
        CHECK_EQ(status.MPI_TAG, 3);
        OK(MPI_Get_count(&status, MPI_BYTE, &count));
        CHECK_EQ(count, length);
        for (int k = 0; k < MOST; k++)
            CHECK_EQ(in[k], k < length ? 'a' + i + before : 0);
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        OK(MPI_Comm_free(&other));
    }
    return check_end();
}
