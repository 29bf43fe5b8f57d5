/* ranks: 2 3 8; seconds: 60 */
/* Pairs that answer each other with messages that use a tray: of all lengths around the least one, those of its parts and its own, of several at once,
 * met early and late, with gaps, cut short, both ways at the same time and one way for a while, with short ones in between. */
#include "check.h"

/* To warm up: what goes in parts also where ranks share cores. */
enum { MOST = 3 * 1024 * 1024 + 5, SHORT = 40, WARM = 30 * 1024, WARM_UP = 9 * 1024 * 1024 / WARM };
static unsigned char out[2][2 * MOST], in[2][2 * MOST];
static int other;
static MPI_Datatype apart;

static unsigned char want(int from, int number, int i)
{
    unsigned word = (unsigned)(i / 4 + 1) * 2654435761u + (unsigned)(from * 77 + number) * 40503u;
    return (unsigned char)(word >> 8 * (i % 4) >> 3);
}

static void write_out(unsigned char *to, int number, int len, int stride)
{
    for (int i = 0; i < len; i++)
        to[i * stride] = want(rank, number, i);
}

static void check_in(const unsigned char *got, int number, int len, int stride)
{
    int wrong = 0;
    for (int i = 0; i < len; i++)
        wrong += got[i * stride] != want(other, number, i);
    CHECK_EQ(wrong, 0);
}

enum way { PLAIN, PROBED, APART, CUT, SENT_APART, WAYS };

static void send(enum way way, int number, int len)
{
    int stride = way == SENT_APART ? 2 : 1;
    write_out(out[0], number, len, stride);
    OK(MPI_Send(out[0], len, way == SENT_APART ? apart : MPI_BYTE, other, number, MPI_COMM_WORLD));
    /* It is the program's again. */
    memset(out[0], 0xee, (size_t)(len * stride));
}

static void receive(enum way way, int number, int len)
{
    MPI_Status status;
    int count = -1, stride = way == APART ? 2 : 1, room = way == CUT ? len / 3 * 2 : len;
    memset(in[0], 0xdd, (size_t)(len * stride));
    if (way == PROBED)
        OK(MPI_Probe(other, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
    int code = MPI_Recv(in[0], room, way == APART ? apart : MPI_BYTE, other, number, MPI_COMM_WORLD, &status);
    if (way == CUT)
        CHECK_CLASS(code, MPI_ERR_TRUNCATE);
    else
        OK(code);
    OK(MPI_Get_count(&status, MPI_BYTE, &count));
    CHECK_EQ(count, room);
    check_in(in[0], number, room, stride);
    for (int i = room; way == CUT && i < len; i++)
        CHECK_EQ(in[0][i], 0xdd);
}

/* To and fro, the lower one first or last. */
static void answer(enum way way, int number, int len)
{
    if ((rank < other) == (number % 2))
        send(way, number, len), receive(way, number, len);
    else
        receive(way, number, len), send(way, number, len);
}

/* Two messages and a short one from each, all under way at once. */
static void at_once(int number, int len)
{
    MPI_Request requests[6];
    int told = number * 10 + rank, heard = -1;
    for (int i = 0; i < 2; i++) {
        write_out(out[i], number + i, len, 1);
        OK(MPI_Irecv(in[i], len, MPI_BYTE, other, number + i, MPI_COMM_WORLD, &requests[i]));
        OK(MPI_Isend(out[i], len, MPI_BYTE, other, number + i, MPI_COMM_WORLD, &requests[2 + i]));
    }
    OK(MPI_Irecv(&heard, 1, MPI_INT, other, SHORT, MPI_COMM_WORLD, &requests[4]));
    OK(MPI_Isend(&told, 1, MPI_INT, other, SHORT, MPI_COMM_WORLD, &requests[5]));
    OK(MPI_Waitall(6, requests, MPI_STATUSES_IGNORE));
    CHECK_EQ(heard, number * 10 + other);
    for (int i = 0; i < 2; i++)
        check_in(in[i], number + i, len, 1);
}

static void exchange(int number, int len)
{
    write_out(out[0], number, len, 1);
    OK(MPI_Sendrecv(out[0], len, MPI_BYTE, other, number, in[0], len, MPI_BYTE, other, number, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE));
    check_in(in[0], number, len, 1);
}

/* Three one way without an answer, and one back. */
static void stream(int number, int len)
{
    for (int i = 0; i < 3; i++) {
        if (rank < other)
            send(PLAIN, number + i, len);
        else
            receive(PLAIN, number + i, len);
    }
    if (rank < other)
        receive(PLAIN, number, len);
    else
        send(PLAIN, number, len);
}

static void with(int partner)
{
    static const int lengths[] = {1023, 1024, 1025, 4096, 8192, 8193, 16320, 16384, 16385, 65536, 65537, 261120, 300000, 524288, 524289, 1 << 20, (1 << 20) + 1, MOST};
    other = partner;
    OK(MPI_Type_create_resized(MPI_BYTE, 0, 2, &apart));
    OK(MPI_Type_commit(&apart));
    for (int i = 0; i < WARM_UP; i++)
        answer(i % 2 ? PLAIN : SENT_APART, i, WARM);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        int len = lengths[i], number = 100 * (int)i + 100;
        for (int way = PLAIN; way < WAYS; way++) {
            answer(way, number++, len);
            answer(way, number++, len);
        }
        at_once(number, len);
        exchange(number, len);
        stream(number, len);
        answer(PLAIN, number, len);
    }
    OK(MPI_Type_free(&apart));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    for (int first = 0; first < (size > 3 ? 1 : size); first++) {
        for (int second = first + 1; second < (size > 3 ? 2 : size); second++) {
            if (size > 3)
                with(rank ^ 1);
            else if (rank == first || rank == second)
                with(rank == first ? second : first);
            OK(MPI_Barrier(MPI_COMM_WORLD));
        }
    }
    return check_end();
}
