/* ranks: 2 3 */
/* Messages of a few KiB from memory that the receiver can load from, between ranks that both send: where their cores are their own
 * they are announced, and left by their senders if no receive meets them within a moment. Sends end without their receivers, each
 * time with a new buffer; nothing overtakes; probes, matched probes and cancelled sends find what was left. */
#include "check.h"
#include <unistd.h>

enum { MOST = 8192, TAG = 7, FLAG = 8 };

static const int sizes[] = {2048, 2049, 3000, 4096, 8191, MOST};
enum { SIZES = sizeof sizes / sizeof *sizes };

static unsigned char *out, *in, *want;

static void take(int n, int tag, unsigned seed)
{
    MPI_Status status;
    int count = -1;
    memset(in, 0xee, MOST);
    OK(MPI_Recv(in, MOST, MPI_BYTE, !rank, tag, MPI_COMM_WORLD, &status));
    OK(MPI_Get_count(&status, MPI_BYTE, &count));
    CHECK_EQ(count, n);
    fill(want, n, seed);
    CHECK_BYTES(in, want, n);
}

static void tell(void)
{
    OK(MPI_Send(NULL, 0, MPI_BYTE, !rank, FLAG, MPI_COMM_WORLD));
}

static void hear(void)
{
    OK(MPI_Recv(NULL, 0, MPI_BYTE, !rank, FLAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

/* After this each rank has heard as much as it has said, and more than it has had fetched. */
static void talk(int times)
{
    for (int i = 0; i < times; i++) {
        tell();
        hear();
    }
}

/* Both send before either receives. */
static void both(int n, unsigned seed)
{
    fill(out, n, seed + rank);
    OK(MPI_Send(out, n, MPI_BYTE, !rank, TAG, MPI_COMM_WORLD));
    memset(out, 0x11, n);
    take(n, TAG, seed + !rank);
}

/* Long messages and short ones with one tag, whose sends have ended before a receive is there, stay in their order. */
static void in_order(void)
{
    enum { K = 5 };
    static const int lengths[K] = {4096, 8, MOST, 0, 2050};
    if (rank == 0) {
        MPI_Request requests[K];
        size_t at = 0;
        for (int i = 0; i < K; i++) {
            fill(out + at, lengths[i], i);
            OK(MPI_Isend(out + at, lengths[i], MPI_BYTE, 1, TAG, MPI_COMM_WORLD, &requests[i]));
            at += lengths[i];
        }
        OK(MPI_Waitall(K, requests, MPI_STATUSES_IGNORE));
        memset(out, 0x22, at);
        tell();
    } else {
        hear();
        for (int i = 0; i < K; i++)
            take(lengths[i], TAG, i);
    }
}

/* A probe and a matched probe find a message; its send ends before it is received. */
static void probed(int n, int matched)
{
    if (rank == 0) {
        MPI_Request request;
        fill(out, n, n);
        OK(MPI_Isend(out, n, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, &request));
        hear();
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        memset(out, 0x33, n);
        tell();
    } else {
        MPI_Status status;
        MPI_Message message = MPI_MESSAGE_NULL;
        int count = -1;
        if (matched)
            OK(MPI_Mprobe(0, TAG, MPI_COMM_WORLD, &message, &status));
        else
            OK(MPI_Probe(0, TAG, MPI_COMM_WORLD, &status));
        OK(MPI_Get_count(&status, MPI_BYTE, &count));
        CHECK_EQ(count, n);
        tell();
        hear();
        if (matched) {
            OK(MPI_Mrecv(in, n, MPI_BYTE, &message, &status));
            fill(want, n, n);
            CHECK_BYTES(in, want, n);
        } else {
            take(n, TAG, n);
        }
    }
}

/* A matched probe that comes when the send has ended. */
static void held_late(int n)
{
    if (rank == 0) {
        fill(out, n, n);
        OK(MPI_Send(out, n, MPI_BYTE, 1, TAG, MPI_COMM_WORLD));
        memset(out, 0x44, n);
        tell();
    } else {
        MPI_Message message;
        hear();
        OK(MPI_Mprobe(0, TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE));
        OK(MPI_Mrecv(in, n, MPI_BYTE, &message, MPI_STATUS_IGNORE));
        fill(want, n, n);
        CHECK_BYTES(in, want, n);
    }
}

/* A send is cancelled at once: it is received or not, but never half. */
MAYBE_UNUSED static void cancelled(int n)
{
    if (rank == 0) {
        MPI_Request request;
        MPI_Status status;
        int is_cancelled = -1;
        fill(out, n, n);
        OK(MPI_Isend(out, n, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, &request));
        OK(MPI_Cancel(&request));
        OK(MPI_Wait(&request, &status));
        OK(MPI_Test_cancelled(&status, &is_cancelled));
        memset(out, 0x55, n);
        OK(MPI_Send(&is_cancelled, 1, MPI_INT, 1, FLAG, MPI_COMM_WORLD));
    } else {
        int is_cancelled = -1, is_there = -1;
        OK(MPI_Recv(&is_cancelled, 1, MPI_INT, 0, FLAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        if (is_cancelled)
            OK(MPI_Iprobe(0, TAG, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE));
        else
            take(n, TAG, n);
        CHECK_EQ(is_there, is_cancelled ? 0 : -1);
    }
}

/* More than a sender leaves copies of. */
static void many(void)
{
    enum { K = 400 };
    MPI_Request requests[K];
    talk(K);
    for (int i = 0; i < K; i++) {
        fill(out + (size_t)i * MOST, MOST, i + rank);
        OK(MPI_Isend(out + (size_t)i * MOST, MOST, MPI_BYTE, !rank, TAG, MPI_COMM_WORLD, &requests[i]));
    }
    int done = 0;
    for (int i = 0; i < 3000; i++)
        OK(MPI_Testall(K, requests, &done, MPI_STATUSES_IGNORE));
    for (int i = 0; i < K; i++)
        take(MOST, TAG, i + !rank);
    OK(MPI_Waitall(K, requests, MPI_STATUSES_IGNORE));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    if (rank < 2) {
        OK(MPI_Alloc_mem(400 * MOST, MPI_INFO_NULL, &out));
        in = malloc(MOST);
        want = malloc(MOST);
        for (int round = 0; round < 40; round++)
            for (int i = 0; i < SIZES; i++) {
                talk(round % 20);
                both(sizes[i], round);
            }
        for (int round = 0; round < 20; round++) {
            talk(30);
            in_order();
            for (int i = 0; i < SIZES; i++) {
                talk(10);
                probed(sizes[i], round % 2);
                held_late(sizes[i]);
#ifdef RMASHM
                /* MPICH cancels no sends, and waits for them for ever. */
                talk(10);
                cancelled(sizes[i]);
#endif
            }
        }
        many();
        talk(1);
        /* The last message is left by one that is about to end. */
        if (rank == 0) {
            fill(out, MOST, 1);
            OK(MPI_Send(out, MOST, MPI_BYTE, 1, TAG, MPI_COMM_WORLD));
            OK(MPI_Free_mem(out));
        } else {
            usleep(20000);
            take(MOST, TAG, 1);
            OK(MPI_Free_mem(out));
        }
        free(in);
        free(want);
    }
    return check_end();
}
