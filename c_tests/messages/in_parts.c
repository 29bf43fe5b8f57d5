/* ranks: 2 3; seconds: 40 */
/* Messages of several cells to receives that wait for them: all lengths around those of cells, from any rank with any tag, with gaps,
 * too long for the buffer, and with others right behind them. */
#include "check.h"

enum { MOST = 70000, AROUND = 3 };
static char out[MOST + AROUND], in[3 * (MOST + AROUND)];

static char want(int from, int len, int i)
{
    return (char)(from * 31 + len + i * 7 + i / 256);
}

static void write_out(int len)
{
    for (int i = 0; i < len; i++)
        out[i] = want(rank, len, i);
}

/* Every `stride`th byte of the buffer is one of the message, and nothing else was touched. */
static void check_in(int from, int len, int room, int stride)
{
    for (int i = 0; i < (room + AROUND) * stride; i++) {
        int is_data = i % stride == 0 && i / stride < (len < room ? len : room);
        CHECK_EQ(in[i], is_data ? want(from, len, i / stride) : -1);
    }
}

static void receive(int len, int room, int stride, MPI_Datatype type)
{
    MPI_Status status;
    int count = -1, short_one = -1, behind;
    memset(in, -1, sizeof in);
    for (int i = 1; i < size; i++) {
        int code = MPI_Recv(in, room, type, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        int from = status.MPI_SOURCE;
        if (len > room)
            CHECK_CLASS(code, MPI_ERR_TRUNCATE);
        else
            OK(code);
        CHECK_EQ(status.MPI_TAG, len);
        OK(MPI_Get_count(&status, type, &count));
        CHECK_EQ(count, len < room ? len : room);
        check_in(from, len, room, stride);
        memset(in, -1, sizeof in);
        /* What its sender has sent behind it. */
        OK(MPI_Recv(&short_one, 1, MPI_INT, from, len, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_EQ(short_one, from * 1000000 + len);
    }
    behind = len;
    for (int i = 1; i < size; i++)
        OK(MPI_Send(&behind, 1, MPI_INT, i, 0, MPI_COMM_WORLD));
}

static void send(int len)
{
    int short_one = rank * 1000000 + len, behind = -1;
    write_out(len);
    OK(MPI_Send(out, len, MPI_CHAR, 0, len, MPI_COMM_WORLD));
    OK(MPI_Send(&short_one, 1, MPI_INT, 0, len, MPI_COMM_WORLD));
    OK(MPI_Recv(&behind, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_EQ(behind, len);
}

/* Both ways at once, in a ring. */
static void exchange(int len)
{
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    write_out(len);
    memset(in, -1, sizeof in);
    OK(MPI_Sendrecv(out, len, MPI_CHAR, to, len, in, len, MPI_CHAR, from, len, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    check_in(from, len, len, 1);
}

int main(int argc, char **argv)
{
    static const int lengths[] = {8192, 8193, 12000, 16384, 16385, 24577, 32768, 32769, 65536, 65537, MOST};
    MPI_Datatype apart;
    check_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Type_create_resized(MPI_CHAR, 0, 3, &apart));
    OK(MPI_Type_commit(&apart));
    for (int round = 0; round < 5; round++) {
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            int len = lengths[i];
            if (rank != 0) {
                for (int way = 0; way < 3; way++)
                    send(len);
            } else {
                receive(len, len, 1, MPI_CHAR);
                receive(len, len, 3, apart);
                receive(len, len / 3, 1, MPI_CHAR);
            }
            exchange(len);
        }
    }
    OK(MPI_Type_free(&apart));
    return check_end();
}
