/* ranks: 2 3 */
/* Messages of less than 1 KiB and a little more, by all forms of sends to all forms of receives, in turns that both draw alike: those that
 * are done at a glance and those that are not keep their order, and what came of them is the same. */
#include "check.h"
#include <unistd.h>

enum { MOST = 1100, SIZES = 11, ROUNDS = 3000, BURST = 40, TAG = 3, OTHER = 4 };
static const int sizes[SIZES] = {0, 1, 8, 63, 255, 256, 257, 1000, 1023, 1024, MOST};

enum sends { SEND, SEND_C, RSEND, ISEND, SSEND, GAPS, EXCHANGE, SENDS };
enum receives { RECV, RECV_C, ANY, IRECV, PROBED, LATE, APART, RECEIVES };

static unsigned char out[2 * MOST + 2], in[2 * MOST + 2], want[MOST + 1];
static MPI_Datatype gaps;
static unsigned drawn = 12345;

static int pick(int below)
{
    drawn = drawn * 1103515245u + 12345u;
    return (int)(drawn >> 16) % below;
}

static void spread(unsigned char *bytes, int n)
{
    for (int i = n - 1; i >= 0; i--)
        bytes[2 * i] = bytes[i];
}

static void gather(unsigned char *bytes, int n)
{
    for (int i = 0; i < n; i++)
        bytes[i] = bytes[2 * i];
}

static void give(enum sends how, int n, unsigned seed, MPI_Comm comm, int to)
{
    MPI_Request request;
    MPI_Status status;
    fill(out, n, seed);
    if (how == SEND) {
        OK(MPI_Send(out, n, MPI_BYTE, to, TAG, comm));
    } else if (how == SEND_C) {
        OK(MPI_Send_c(out, n, MPI_BYTE, to, TAG, comm));
    } else if (how == RSEND) {
        OK(MPI_Recv(NULL, 0, MPI_BYTE, to, OTHER, comm, MPI_STATUS_IGNORE));
        OK(MPI_Rsend(out, n, MPI_BYTE, to, TAG, comm));
    } else if (how == ISEND) {
        OK(MPI_Isend(out, n, MPI_BYTE, to, TAG, comm, &request));
        CHECK(request != MPI_REQUEST_NULL);
        OK(MPI_Wait(&request, &status));
        CHECK(request == MPI_REQUEST_NULL);
    } else if (how == SSEND) {
        OK(MPI_Ssend(out, n, MPI_BYTE, to, TAG, comm));
    } else if (how == GAPS) {
        spread(out, n);
        OK(MPI_Send(out, n, gaps, to, TAG, comm));
    } else {
        unsigned char back = 0;
        OK(MPI_Sendrecv(out, n, MPI_BYTE, to, TAG, &back, 1, MPI_BYTE, to, OTHER, comm, &status));
        CHECK_EQ(back, (unsigned char)seed);
        CHECK_EQ(status.MPI_SOURCE, to);
        CHECK_EQ(status.MPI_TAG, OTHER);
    }
    memset(out, 0x11, sizeof out);
}

static void take(enum sends sent, enum receives how, int n, unsigned seed, MPI_Comm comm, int from)
{
    MPI_Request request;
    MPI_Status status = { 0 };
    MPI_Count count = -1;
    unsigned char answer = (unsigned char)seed;
    memset(in, 0xee, sizeof in);
    if (sent == RSEND) {
        OK(MPI_Irecv(in, n, MPI_BYTE, from, TAG, comm, &request));
        OK(MPI_Send(NULL, 0, MPI_BYTE, from, OTHER, comm));
        OK(MPI_Wait(&request, &status));
    } else if (sent == EXCHANGE && how != PROBED) {
        if (how == LATE)
            usleep(1000);
        OK(MPI_Sendrecv(&answer, 1, MPI_BYTE, from, OTHER, in, MOST, MPI_BYTE, from, TAG, comm, &status));
    } else if (how == RECV) {
        OK(MPI_Recv(in, n, MPI_BYTE, from, TAG, comm, &status));
    } else if (how == RECV_C) {
        OK(MPI_Recv_c(in, MOST, MPI_BYTE, from, MPI_ANY_TAG, comm, &status));
    } else if (how == ANY) {
        OK(MPI_Recv(in, MOST, MPI_BYTE, MPI_ANY_SOURCE, TAG, comm, &status));
    } else if (how == IRECV) {
        OK(MPI_Irecv(in, MOST, MPI_BYTE, from, TAG, comm, &request));
        OK(MPI_Wait(&request, &status));
    } else if (how == PROBED) {
        OK(MPI_Probe(from, TAG, comm, &status));
        OK(MPI_Recv(in, n, MPI_BYTE, from, TAG, comm, &status));
    } else if (how == LATE) {
        usleep(300);
        OK(MPI_Recv(in, MOST, MPI_BYTE, from, TAG, comm, &status));
    } else {
        OK(MPI_Recv(in, MOST, gaps, from, TAG, comm, &status));
        gather(in, n);
    }
    if (sent == EXCHANGE && how == PROBED)
        OK(MPI_Send(&answer, 1, MPI_BYTE, from, OTHER, comm));
    CHECK_EQ(status.MPI_SOURCE, from);
    CHECK_EQ(status.MPI_TAG, TAG);
    OK(MPI_Get_count_c(&status, MPI_BYTE, &count));
    CHECK_EQ(count, n);
    fill(want, n, seed);
    CHECK_BYTES(in, want, n);
    if (how != APART)
        CHECK_EQ(in[n], 0xee);
}

/* One message after the other, from each of two processes in turns that are drawn. */
static void in_turns(MPI_Comm comm, int other, int is_first)
{
    drawn = 12345;
    for (int round = 0; round < ROUNDS; round++) {
        enum sends send = pick(SENDS);
        enum receives receive = pick(RECEIVES);
        int n = sizes[pick(SIZES)], sender = pick(2);
        if (sender == is_first)
            give(send, n, round, comm, other);
        else
            take(send, receive, n, round, comm, other);
    }
}

/* More than the ring has room for, without a receive; the receiver takes those of another tag first. */
static void burst(void)
{
    enum { MANY = 4000, N = 1000 };
    static unsigned char last[1];
    for (int i = 0; i < MANY; i++)
        if (rank == 0) {
            MPI_Request request;
            fill(out, N, i);
            OK(MPI_Isend(out, i % BURST == 0 ? 1024 : N, MPI_BYTE, 1, i == MANY - 1 ? OTHER : TAG, MPI_COMM_WORLD, &request));
            if (i % BURST == BURST - 1 && i != MANY - 1)
                OK(MPI_Recv(last, 1, MPI_BYTE, 1, OTHER, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        } else if (i % BURST == BURST - 1) {
            usleep(20);
            if (i != MANY - 1)
                OK(MPI_Send(last, 1, MPI_BYTE, 0, OTHER, MPI_COMM_WORLD));
            else
                OK(MPI_Recv(in, MOST, MPI_BYTE, 0, OTHER, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            for (int k = i - BURST + 1; k <= i - (i == MANY - 1); k++) {
                OK(MPI_Recv(in, MOST, MPI_BYTE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
                fill(want, N, k);
                CHECK_BYTES(in, want, N);
            }
        }
}

/* What goes wrong is told, and the next message is not touched by it. */
static void wrong(void)
{
    MPI_Comm comm;
    MPI_Status status;
    MPI_Request request = MPI_REQUEST_NULL;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    for (int late = 0; late < 2; late++)
        for (int i = 1; i < SIZES; i++) {
            int n = sizes[i];
            if (rank == 0) {
                if (late)
                    usleep(1000);
                fill(out, n, i);
                OK(MPI_Send(out, n, MPI_BYTE, 1, TAG, comm));
                OK(MPI_Send(out, n, MPI_BYTE, 1, TAG, comm));
                OK(MPI_Recv(in, 1, MPI_BYTE, 1, OTHER, comm, MPI_STATUS_IGNORE));
                CHECK_EQ(in[0], 9);
                OK(MPI_Send(out, n, MPI_BYTE, 1, TAG, comm));
            } else {
                unsigned char nine = 9;
                memset(in, 0xee, sizeof in);
                CHECK_CLASS(MPI_Recv(in, n - 1, MPI_BYTE, 0, TAG, comm, &status), MPI_ERR_TRUNCATE);
                fill(want, n, i);
#ifdef RMASHM
                CHECK_BYTES(in, want, n - 1);
#endif
                CHECK_EQ(in[n - 1], 0xee);
                CHECK_CLASS(MPI_Sendrecv(&nine, 1, MPI_BYTE, 0, OTHER, in, n - 1, MPI_BYTE, 0, TAG, comm, &status),
                            MPI_ERR_TRUNCATE);
                OK(MPI_Recv(in, n, MPI_BYTE, 0, TAG, comm, &status));
                CHECK_BYTES(in, want, n);
            }
        }
    CHECK_CLASS(MPI_Send(out, -1, MPI_BYTE, 0, TAG, comm), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Send(NULL, 1, MPI_BYTE, 0, TAG, comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Send(out, 1, MPI_DATATYPE_NULL, 0, TAG, comm), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Send(out, 1, MPI_BYTE, size, TAG, comm), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Send(out, 1, MPI_BYTE, -5, TAG, comm), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Send(out, 1, MPI_BYTE, 0, -7, comm), MPI_ERR_TAG);
    CHECK_CLASS(MPI_Isend(out, 1, MPI_BYTE, !rank, TAG, comm, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Isend(out, 1, MPI_BYTE, size, TAG, comm, &request), MPI_ERR_RANK);
    CHECK(request == MPI_REQUEST_NULL);
    CHECK_CLASS(MPI_Recv(in, 1, MPI_BYTE, !rank, -7, comm, MPI_STATUS_IGNORE), MPI_ERR_TAG);
    CHECK_CLASS(MPI_Recv(in, -1, MPI_BYTE, !rank, TAG, comm, MPI_STATUS_IGNORE), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Sendrecv(out, 1, MPI_BYTE, !rank, TAG, in, 1, MPI_BYTE, size, TAG, comm, MPI_STATUS_IGNORE), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Sendrecv(out, 1, MPI_BYTE, !rank, TAG, in, 1, MPI_DATATYPE_NULL, !rank, TAG, comm, MPI_STATUS_IGNORE),
                MPI_ERR_TYPE);
    OK(MPI_Comm_free(&comm));
}

/* To oneself, and to nobody. */
static void alone(void)
{
    MPI_Request request;
    MPI_Status status;
    fill(out, 8, 5);
    OK(MPI_Isend(out, 8, MPI_BYTE, rank, TAG, MPI_COMM_WORLD, &request));
    OK(MPI_Recv(in, 8, MPI_BYTE, rank, TAG, MPI_COMM_WORLD, &status));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_BYTES(in, out, 8);
    memset(in, 0, 8);
    OK(MPI_Sendrecv(out, 8, MPI_BYTE, rank, TAG, in, 8, MPI_BYTE, rank, TAG, MPI_COMM_WORLD, &status));
    CHECK_BYTES(in, out, 8);
    OK(MPI_Send(out, 8, MPI_BYTE, MPI_PROC_NULL, TAG, MPI_COMM_WORLD));
    OK(MPI_Recv(in, 8, MPI_BYTE, MPI_PROC_NULL, TAG, MPI_COMM_WORLD, &status));
    CHECK_EQ(status.MPI_SOURCE, MPI_PROC_NULL);
    OK(MPI_Sendrecv(out, 8, MPI_BYTE, MPI_PROC_NULL, TAG, in, 8, MPI_BYTE, MPI_PROC_NULL, TAG, MPI_COMM_WORLD, &status));
    CHECK_EQ(status.MPI_TAG, MPI_ANY_TAG);
}

/* Around a ring, each with two neighbours, who come at their own times. */
static void around(void)
{
    drawn = 54321;
    for (int round = 0; round < 500; round++) {
        int n = sizes[pick(SIZES)], late = pick(size), to = (rank + 1) % size, from = (rank + size - 1) % size;
        MPI_Status status;
        if (late == rank && round % 10 == 0)
            usleep(500);
        fill(out, n, round + rank);
        OK(MPI_Sendrecv(out, n, MPI_BYTE, to, round, in, MOST, MPI_BYTE, from, round, MPI_COMM_WORLD, &status));
        CHECK_EQ(status.MPI_SOURCE, from);
        CHECK_EQ(status.MPI_TAG, round);
        fill(want, n, round + from);
        CHECK_BYTES(in, want, n);
    }
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    OK(MPI_Type_create_resized(MPI_BYTE, 0, 2, &gaps));
    OK(MPI_Type_commit(&gaps));
    if (rank < 2)
        in_turns(MPI_COMM_WORLD, !rank, rank == 0);
    alone();
    around();

    /* The two groups of the first and the others, whose ranks are not those of the job. */
    MPI_Comm half, across;
    OK(MPI_Comm_split(MPI_COMM_WORLD, rank > 0, -rank, &half));
    OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank > 0 ? 0 : size - 1, 1, &across));
    if (rank == 0 || rank == 1)
        in_turns(across, rank ? 0 : size - 2, rank == 0);
    OK(MPI_Comm_free(&across));
    OK(MPI_Comm_free(&half));

    if (rank < 2)
        burst();
    if (size == 2)
        wrong();
    OK(MPI_Type_free(&gaps));
    return check_end();
}
