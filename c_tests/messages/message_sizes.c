/* ranks: 1 2 3 8 */
/* Messages of all sizes around those at which they travel differently: expected and not, with gaps at either end, several
 * at once, from private and from shared memory, too long for their receives, probed, and taken back while they are on their way. */
#include "check.h"

enum { MOST = (4 << 20) + 1 };

static const int sizes[] = {
    0, 1, 24, 1023, 1024, 4095, 4097, 8151, 8152, 8191, 8192, 8193, 16384, 16385, 32704, 32705, 65472, 65535,
    65536, 65537, 131073, 300001, 1 << 20, 4 << 20, MOST,
};
enum { SIZES = sizeof sizes / sizeof *sizes };

static unsigned char *out, *in, *want;
/* Every second of two bytes; as long as twice the most. */
static unsigned char *wide;

static void take(int from, int n, int tag, unsigned seed)
{
    MPI_Status status;
    int count = -1;
    memset(in, 0xee, n + 1);
    OK(MPI_Recv(in, n, MPI_BYTE, from, tag, MPI_COMM_WORLD, &status));
    OK(MPI_Get_count(&status, MPI_BYTE, &count));
    CHECK_EQ(count, n);
    fill(want, n, seed);
    CHECK_BYTES(in, want, n);
    CHECK_EQ(in[n], 0xee);
}

/* Rank 0 sends and rank 1 receives, then the other way round. */
static void blocking(int n, int synchronous)
{
    for (int way = 0; way < 2; way++)
        if (rank == way) {
            fill(out, n, n + way);
            if (synchronous)
                OK(MPI_Ssend(out, n, MPI_BYTE, !way, way, MPI_COMM_WORLD));
            else
                OK(MPI_Send(out, n, MPI_BYTE, !way, way, MPI_COMM_WORLD));
            memset(out, 0x11, n);
        } else {
            take(way, n, way, n + way);
        }
}

/* Messages that wait for their receives, which come in the opposite order; the first one is probed. */
static void unexpected(int n)
{
    enum { K = 3 };
    if (rank == 0) {
        MPI_Request requests[K];
        unsigned char *all = malloc((size_t)K * (n + 1));
        for (int i = 0; i < K; i++) {
            fill(all + (size_t)i * n, n, n + i);
            OK(MPI_Isend(all + (size_t)i * n, n, MPI_BYTE, 1, 10 + i, MPI_COMM_WORLD, &requests[i]));
        }
        OK(MPI_Send(&n, 1, MPI_INT, 1, 9, MPI_COMM_WORLD));
        OK(MPI_Waitall(K, requests, MPI_STATUSES_IGNORE));
        free(all);
    } else {
        MPI_Status status;
        int announced = -1, count = -1;
        OK(MPI_Recv(&announced, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_EQ(announced, n);
        OK(MPI_Probe(MPI_ANY_SOURCE, 10, MPI_COMM_WORLD, &status));
        OK(MPI_Get_count(&status, MPI_BYTE, &count));
        CHECK_EQ(count, n);
        for (int i = K - 1; i > 0; i--)
            take(i % 2 ? MPI_ANY_SOURCE : 0, n, 10 + i, n + i);
        take(0, n, MPI_ANY_TAG, n);
    }
}

static void with_gaps(int n)
{
    MPI_Datatype gaps;
    OK(MPI_Type_vector(n, 1, 2, MPI_BYTE, &gaps));
    OK(MPI_Type_commit(&gaps));
    for (int kind = 1; kind < 4; kind++) {
        int gaps_out = kind & 1, gaps_in = kind & 2;
        fill(want, n, n + kind);
        if (rank == 0) {
            for (int i = 0; i < n; i++)
                wide[2 * i] = want[i];
            memcpy(out, want, n);
            OK(MPI_Send(gaps_out ? wide : out, gaps_out ? 1 : n, gaps_out ? gaps : MPI_BYTE, 1, kind,
                        MPI_COMM_WORLD));
        } else if (!gaps_in) {
            take(0, n, kind, n + kind);
        } else {
            memset(wide, 0xee, 2 * (size_t)n);
            OK(MPI_Recv(wide, 1, gaps, 0, kind, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            for (int i = 0; i < n; i++)
                if (wide[2 * i] != want[i] || wide[2 * i + 1] != 0xee)
                    CHECK_EQ(wide[2 * i] << 8 | wide[2 * i + 1], want[i] << 8 | 0xee);
        }
    }
    OK(MPI_Type_free(&gaps));
}

/* Receives that take less than what comes; what comes next is not harmed. */
static void too_long(int n)
{
    int room = n - n / 3 - 1;
    for (int early = 0; early < 2; early++)
        if (rank == 0) {
            if (early)
                OK(MPI_Recv(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            fill(out, n, n);
            OK(MPI_Send(out, n, MPI_BYTE, 1, 1, MPI_COMM_WORLD));
            fill(out, n, n + 1);
            OK(MPI_Send(out, n, MPI_BYTE, 1, 1, MPI_COMM_WORLD));
        } else {
            MPI_Request request;
            memset(in, 0xee, n);
            OK(MPI_Irecv(in, room, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &request));
            if (early)
                OK(MPI_Send(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD));
            CHECK_CLASS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
#ifdef RMASHM
            /* MPI does not say what is in the buffer. */
            fill(want, n, n);
            CHECK_BYTES(in, want, room);
#endif
            for (int i = room; i < n; i++)
                CHECK_EQ(in[i], 0xee);
            take(0, n, 1, n + 1);
        }
}

/* A cancelled send ends without its receiver, also when a part of it has left; it is received or it is not. */
MAYBE_UNUSED static void cancelled(int n)
{
    enum { K = 6 };
    int gone[K];
    if (rank == 0) {
        MPI_Request requests[K];
        unsigned char *all = malloc((size_t)K * n);
        for (int i = 0; i < K; i++) {
            fill(all + (size_t)i * n, n, n + i);
            OK(MPI_Isend(all + (size_t)i * n, n, MPI_BYTE, 1, 20, MPI_COMM_WORLD, &requests[i]));
        }
        for (int i = 0; i < K; i++) {
            MPI_Status status;
            OK(MPI_Cancel(&requests[i]));
            OK(MPI_Wait(&requests[i], &status));
            OK(MPI_Test_cancelled(&status, &gone[i]));
        }
        memset(all, 0x11, (size_t)K * n);
        free(all);
        barrier();
        OK(MPI_Send(gone, K, MPI_INT, 1, 21, MPI_COMM_WORLD));
    } else {
        barrier();
        if (rank == 1) {
            OK(MPI_Recv(gone, K, MPI_INT, 0, 21, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            for (int i = 0; i < K; i++)
                if (!gone[i])
                    take(0, n, 20, n + i);
        }
    }
    barrier();
}

/* Everybody, also to itself, all sizes at once. */
static void everybody(void)
{
    MPI_Request requests[2 * SIZES];
    unsigned char *outs[SIZES], *ins[SIZES];
    int to = (rank + 1) % size, from = (rank + size - 1) % size, n = 0;
    for (int i = 0; i < SIZES; i++) {
        outs[i] = malloc(sizes[i] + 1);
        ins[i] = malloc(sizes[i] + 1);
        fill(outs[i], sizes[i], rank + i);
        if (i % 2)
            OK(MPI_Irecv(ins[i], sizes[i], MPI_BYTE, from, i, MPI_COMM_WORLD, &requests[n++]));
    }
    for (int i = 0; i < SIZES; i++)
        OK(MPI_Isend(outs[i], sizes[i], MPI_BYTE, to, i, MPI_COMM_WORLD, &requests[n++]));
    for (int i = SIZES - 1; i >= 0; i--)
        if (i % 2 == 0)
            OK(MPI_Irecv(ins[i], sizes[i], MPI_BYTE, MPI_ANY_SOURCE, i, MPI_COMM_WORLD, &requests[n++]));
    OK(MPI_Waitall(n, requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < SIZES; i++) {
        fill(want, sizes[i], from + i);
        CHECK_BYTES(ins[i], want, sizes[i]);
        free(outs[i]);
        free(ins[i]);
    }
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    unsigned char *private = malloc(MOST + 1), *shared;
    OK(MPI_Alloc_mem(MOST + 1, MPI_INFO_NULL, &shared));
    in = malloc(MOST + 1);
    want = malloc(MOST + 1);
    wide = malloc(2 * (size_t)MOST);
    for (int i = 0; i < 2 * SIZES && rank < 2 && size > 1; i++) {
        int n = sizes[i / 2];
        out = i % 2 ? shared : private;
        blocking(n, 0);
        blocking(n, 1);
        unexpected(n);
        if (n > 0 && n <= 1 << 20)
            with_gaps(n);
        if (n > 4)
            too_long(n);
    }
#ifdef RMASHM
    /* MPICH cancels no sends, and waits for them for ever. */
    for (int i = 0; i < SIZES && size > 1; i++)
        if (sizes[i] > 0 && sizes[i] <= 131073)
            cancelled(sizes[i]);
#endif
    everybody();
    free(private);
    OK(MPI_Free_mem(shared));
    free(in);
    free(want);
    free(wide);
    return check_end();
}
