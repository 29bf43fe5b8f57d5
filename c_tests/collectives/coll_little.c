/* ranks: 1 2 3 5 8 9 17 */
/* Collective operations of little, many one after another: sizes around those where data lies elsewhere or goes by messages,
 * every root, operations that do not commute, elements with gaps, none at all, in place; on several communicators in turn,
 * mixed with messages, and with processes that come late and find the others far ahead. */
#include "check.h"
#include "lines.h"
#include <unistd.h>

enum { MOST = 9000, COMMS = 3 };

static const int lengths[] = {0, 1, 8, 47, 48, 49, 111, 112, 113, 1000, 4096, 8191, 8192, 8193, MOST};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static unsigned char buffer[2 * MOST];
static MPI_Comm comms[COMMS];
static unsigned step;

static unsigned char byte(int from, int i)
{
    return (unsigned char)(step * 31 + from * 17 + i * 7);
}

/* What comes late. */
static void doze(void)
{
    if (step % 97 == (unsigned)rank)
        usleep(3000);
}

static void broadcast(int length, int root, MPI_Comm comm)
{
    for (int i = 0; i < length; i++)
        buffer[i] = rank == root ? byte(root, i) : 0;
    buffer[length] = 0xee;
    OK(MPI_Bcast(buffer, length, MPI_UNSIGNED_CHAR, root, comm));
    for (int i = 0; i < length; i++)
        CHECK_EQ(buffer[i], byte(root, i));
    CHECK_EQ(buffer[length], 0xee);
    step++;
}

/* Every second byte. */
static void broadcast_with_gaps(int length, int root, MPI_Comm comm)
{
    MPI_Datatype type;
    OK(MPI_Type_vector(length, 1, 2, MPI_UNSIGNED_CHAR, &type));
    OK(MPI_Type_commit(&type));
    for (int i = 0; i < 2 * length; i++)
        buffer[i] = rank == root && i % 2 == 0 ? byte(root, i) : 0xdd;
    OK(MPI_Bcast(buffer, 1, type, root, comm));
    for (int i = 0; i < 2 * length; i++)
        CHECK_EQ(buffer[i], i % 2 == 0 ? byte(root, i) : 0xdd);
    OK(MPI_Type_free(&type));
    step++;
}

static struct line line(int from, int i)
{
    return (struct line){ (step + from * 31 + i) % 250 + 1, (uint32_t)((from * 17 + i) % 251) };
}

/* `root` is -1 for everybody. */
static void reduce_lines(int n, int root, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    static struct line in[MOST], out[MOST];
    int gets = root < 0 || root == rank, in_place = gets && step % 2;
    for (int i = 0; i < n; i++) {
        in[i] = line(rank, i);
        out[i] = in_place ? in[i] : (struct line){ 0, 0 };
    }
    if (root < 0)
        OK(MPI_Allreduce(in_place ? MPI_IN_PLACE : (void *)in, out, n, type, op, comm));
    else
        OK(MPI_Reduce(in_place ? MPI_IN_PLACE : (void *)in, gets ? out : NULL, n, type, op, root, comm));
    for (int i = 0; i < n; i++) {
        struct line all = line(0, i), is = gets ? out[i] : in[i];
        for (int r = 1; r < size; r++)
            all = after(all, line(r, i));
        if (!gets)
            all = line(rank, i);
        CHECK(is.slope == all.slope && is.shift == all.shift);
    }
    step++;
}

static void reduce_sums(int n, int root, MPI_Comm comm)
{
    static int in[MOST], out[MOST];
    int gets = root < 0 || root == rank, in_place = gets && step % 2;
    for (int i = 0; i < n; i++) {
        in[i] = rank * 1000 + i + (int)step;
        out[i] = in_place ? in[i] : -1;
    }
    if (root < 0)
        OK(MPI_Allreduce(in_place ? MPI_IN_PLACE : (void *)in, out, n, MPI_INT, MPI_SUM, comm));
    else
        OK(MPI_Reduce(in_place ? MPI_IN_PLACE : (void *)in, out, n, MPI_INT, MPI_SUM, root, comm));
    for (int i = 0; i < n; i++) {
        if (gets)
            CHECK_EQ(out[i], size * (size - 1) / 2 * 1000 + size * (i + (int)step));
        CHECK_EQ(in[i], rank * 1000 + i + (int)step);
    }
    step++;
}

/* One that is sent before a collective operation is there after it, and nothing of the one is taken for the other. */
static void message(void)
{
    int to = (rank + 1) % size, from = (rank + size - 1) % size, got = -1;
    int sent = (int)step;
    MPI_Request request;
    OK(MPI_Irecv(&got, 1, MPI_INT, from, 3, comms[step % COMMS], &request));
    OK(MPI_Send(&sent, 1, MPI_INT, to, 3, comms[step % COMMS]));
    broadcast(8, (int)(step % (unsigned)size), comms[(step + 1) % COMMS]);
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_EQ(got, sent);
}

int main(int argc, char **argv)
{
    MPI_Datatype type;
    MPI_Op op;
    check_start(&argc, &argv);
    comms[0] = MPI_COMM_WORLD;
    for (int i = 1; i < COMMS; i++)
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]));
    OK(MPI_Type_contiguous(2, MPI_UINT32_T, &type));
    OK(MPI_Type_commit(&type));
    OK(MPI_Op_create(compose, 0, &op));
    for (int l = 0; l < LENGTHS; l++) {
        for (int root = 0; root < size; root++) {
            doze();
            broadcast(lengths[l], root, comms[step % COMMS]);
            reduce_lines(lengths[l] / 8, root, type, op, comms[step % COMMS]);
            reduce_sums(lengths[l] / 4, root, comms[step % COMMS]);
            if (lengths[l] > 0)
                broadcast_with_gaps(lengths[l], root, comms[step % COMMS]);
            message();
        }
        reduce_lines(lengths[l] / 8, -1, type, op, comms[step % COMMS]);
        reduce_sums(lengths[l] / 4, -1, comms[step % COMMS]);
    }
    /* One process gives all the time, and is far ahead. */
    for (int i = 0; i < 300; i++) {
        doze();
        broadcast(i % 200, 0, comms[1]);
    }
    for (int i = 0; i < 300; i++) {
        doze();
        reduce_sums(i % 50, size - 1, comms[2]);
    }
    OK(MPI_Op_free(&op));
    OK(MPI_Type_free(&type));
    for (int i = 1; i < COMMS; i++)
        OK(MPI_Comm_free(&comms[i]));
    return check_end();
}
