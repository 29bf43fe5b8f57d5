/* ranks: 1 2 3 4 6 8 */
/* Neighbourhood collectives on Cartesian grids: all five, blocking, nonblocking, persistent, small and large counts. What
 * goes down arrives at the receiver's block from above, also where both are the same process; blocks of missing
 * neighbours stay as they are. */
#include "check.h"

enum { MOST_DIMS = 4, MOST = 2 * MOST_DIMS, LENGTH = 5 };
enum form { BLOCKING, NONBLOCKING, PERSISTENT, FORMS };

static int ndims, degree, neighbor[MOST];
static MPI_Comm comm;

/* What `from` sends in its block `block`. */
static int value(int from, int block, int i, int round)
{
    return (int)(mix(mix((uint64_t)from, (uint64_t)block), mix((uint64_t)i, (uint64_t)round)) >> 33);
}

static int me(void)
{
    int r;
    OK(MPI_Comm_rank(comm, &r));
    return r;
}

/* Ends a request. */
static void end(MPI_Request *request, enum form form)
{
    if (form == PERSISTENT)
        OK(MPI_Start(request));
    OK(MPI_Wait(request, MPI_STATUS_IGNORE));
    if (form == PERSISTENT)
        OK(MPI_Request_free(request));
    CHECK(*request == MPI_REQUEST_NULL);
}

#define FORM(form, large, blocking, nonblocking, init, ...)                                  \
    do {                                                                                     \
        MPI_Request request = MPI_REQUEST_NULL;                                              \
        if (form == BLOCKING)                                                                \
            OK(blocking##large(__VA_ARGS__, comm));                                          \
        if (form == NONBLOCKING)                                                             \
            OK(nonblocking##large(__VA_ARGS__, comm, &request));                             \
        if (form == PERSISTENT)                                                              \
            OK(init##large(__VA_ARGS__, comm, MPI_INFO_NULL, &request));                     \
        if (form != BLOCKING)                                                                \
            end(&request, form);                                                             \
    } while (0)

static void allgather(enum form form, int large)
{
    int send[LENGTH], receive[MOST][LENGTH];
    for (int i = 0; i < LENGTH; i++)
        send[i] = value(me(), 0, i, form);
    memset(receive, 0x55, sizeof receive);
    if (large)
        FORM(form, _c, MPI_Neighbor_allgather, MPI_Ineighbor_allgather, MPI_Neighbor_allgather_init, send, LENGTH,
             MPI_INT, receive, LENGTH, MPI_INT);
    else
        FORM(form, , MPI_Neighbor_allgather, MPI_Ineighbor_allgather, MPI_Neighbor_allgather_init, send, LENGTH,
             MPI_INT, receive, LENGTH, MPI_INT);
    for (int b = 0; b < degree; b++)
        for (int i = 0; i < LENGTH; i++)
            CHECK_EQ(receive[b][i], neighbor[b] == MPI_PROC_NULL ? 0x55555555 : value(neighbor[b], 0, i, form));
}

/* The displacements are in reverse. */
static void allgatherv(enum form form, int large)
{
    int send[LENGTH], receive[MOST][LENGTH], counts[MOST], displs[MOST];
    MPI_Count counts_c[MOST];
    MPI_Aint displs_c[MOST];
    for (int i = 0; i < LENGTH; i++)
        send[i] = value(me(), 0, i, form);
    memset(receive, 0x55, sizeof receive);
    for (int b = 0; b < degree; b++) {
        counts_c[b] = counts[b] = LENGTH;
        displs_c[b] = displs[b] = LENGTH * (degree - 1 - b);
    }
    if (large)
        FORM(form, _c, MPI_Neighbor_allgatherv, MPI_Ineighbor_allgatherv, MPI_Neighbor_allgatherv_init, send, LENGTH,
             MPI_INT, receive, counts_c, displs_c, MPI_INT);
    else
        FORM(form, , MPI_Neighbor_allgatherv, MPI_Ineighbor_allgatherv, MPI_Neighbor_allgatherv_init, send, LENGTH,
             MPI_INT, receive, counts, displs, MPI_INT);
    for (int b = 0; b < degree; b++)
        for (int i = 0; i < LENGTH; i++)
            CHECK_EQ(receive[degree - 1 - b][i],
                     neighbor[b] == MPI_PROC_NULL ? 0x55555555 : value(neighbor[b], 0, i, form));
}

static void alltoall(enum form form, int large)
{
    int send[MOST][LENGTH], receive[MOST][LENGTH];
    for (int b = 0; b < degree; b++)
        for (int i = 0; i < LENGTH; i++)
            send[b][i] = value(me(), b, i, form);
    memset(receive, 0x55, sizeof receive);
    if (large)
        FORM(form, _c, MPI_Neighbor_alltoall, MPI_Ineighbor_alltoall, MPI_Neighbor_alltoall_init, send, LENGTH, MPI_INT,
             receive, LENGTH, MPI_INT);
    else
        FORM(form, , MPI_Neighbor_alltoall, MPI_Ineighbor_alltoall, MPI_Neighbor_alltoall_init, send, LENGTH, MPI_INT,
             receive, LENGTH, MPI_INT);
    for (int b = 0; b < degree; b++)
        for (int i = 0; i < LENGTH; i++)
            CHECK_EQ(receive[b][i], neighbor[b] == MPI_PROC_NULL ? 0x55555555 : value(neighbor[b], b ^ 1, i, form));
}

/* Block b of its sender has 1 + b elements: so much comes into block b ^ 1. */
static void alltoallv(enum form form, int large)
{
    int send[MOST][MOST], receive[MOST][MOST], out[MOST], in[MOST], displs[MOST];
    MPI_Count out_c[MOST], in_c[MOST];
    MPI_Aint displs_c[MOST];
    for (int b = 0; b < degree; b++) {
        for (int i = 0; i <= b; i++)
            send[b][i] = value(me(), b, i, form);
        out_c[b] = out[b] = 1 + b;
        in_c[b] = in[b] = 1 + (b ^ 1);
        displs_c[b] = displs[b] = MOST * b;
    }
    memset(receive, 0x55, sizeof receive);
    if (large)
        FORM(form, _c, MPI_Neighbor_alltoallv, MPI_Ineighbor_alltoallv, MPI_Neighbor_alltoallv_init, send, out_c,
             displs_c, MPI_INT, receive, in_c, displs_c, MPI_INT);
    else
        FORM(form, , MPI_Neighbor_alltoallv, MPI_Ineighbor_alltoallv, MPI_Neighbor_alltoallv_init, send, out, displs,
             MPI_INT, receive, in, displs, MPI_INT);
    for (int b = 0; b < degree; b++)
        for (int i = 0; i < MOST; i++)
            CHECK_EQ(receive[b][i], neighbor[b] == MPI_PROC_NULL || i >= in[b] ? 0x55555555
                                                                               : value(neighbor[b], b ^ 1, i, form));
}

/* Every second element of a row is sent; columns of a matrix are received. */
static void alltoallw(enum form form, int large)
{
    int send[MOST][2 * LENGTH], receive[LENGTH][MOST], counts[MOST];
    MPI_Count counts_c[MOST];
    MPI_Aint out[MOST], in[MOST];
    MPI_Datatype row, column, rows[MOST], columns[MOST];
    OK(MPI_Type_vector(LENGTH, 1, 2, MPI_INT, &row));
    OK(MPI_Type_vector(LENGTH, 1, MOST, MPI_INT, &column));
    OK(MPI_Type_commit(&row));
    OK(MPI_Type_commit(&column));
    for (int b = 0; b < degree; b++) {
        for (int i = 0; i < LENGTH; i++)
            send[b][2 * i] = value(me(), b, i, form);
        counts_c[b] = counts[b] = 1;
        out[b] = b * (MPI_Aint)sizeof *send;
        in[b] = b * (MPI_Aint)sizeof(int);
        rows[b] = row;
        columns[b] = column;
    }
    memset(receive, 0x55, sizeof receive);
    if (large)
        FORM(form, _c, MPI_Neighbor_alltoallw, MPI_Ineighbor_alltoallw, MPI_Neighbor_alltoallw_init, send, counts_c, out,
             rows, receive, counts_c, in, columns);
    else
        FORM(form, , MPI_Neighbor_alltoallw, MPI_Ineighbor_alltoallw, MPI_Neighbor_alltoallw_init, send, counts, out,
             rows, receive, counts, in, columns);
    for (int b = 0; b < MOST; b++)
        for (int i = 0; i < LENGTH; i++)
            CHECK_EQ(receive[i][b], b >= degree || neighbor[b] == MPI_PROC_NULL
                                        ? 0x55555555
                                        : value(neighbor[b], b ^ 1, i, form));
    OK(MPI_Type_free(&row));
    OK(MPI_Type_free(&column));
}

/* A persistent one reads its buffers at every start; the datatype may be freed before. Blocks too large for a mailbox. */
static void again(void)
{
    enum { LONG = 100000 };
    int *send = malloc(sizeof(int) * LONG * MOST), *receive = malloc(sizeof(int) * LONG * MOST);
    MPI_Datatype block;
    MPI_Request request;
    CHECK(send && receive);
    OK(MPI_Type_contiguous(LONG, MPI_INT, &block));
    OK(MPI_Type_commit(&block));
    OK(MPI_Neighbor_alltoall_init(send, 1, block, receive, LONG, MPI_INT, comm, MPI_INFO_NULL, &request));
    OK(MPI_Type_free(&block));
    for (int round = 0; round < 3; round++) {
        for (int b = 0; b < degree; b++) {
            int first = value(me(), b, 0, round);
            for (int i = 0; i < LONG; i++)
                send[b * LONG + i] = first ^ i;
        }
        memset(receive, 0x55, sizeof(int) * LONG * MOST);
        OK(MPI_Start(&request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        for (int b = 0; b < degree; b++) {
            int is_missing = neighbor[b] == MPI_PROC_NULL;
            int first = is_missing ? 0 : value(neighbor[b], b ^ 1, 0, round);
            for (int i = 0; i < LONG; i++)
                CHECK_EQ(receive[b * LONG + i], is_missing ? 0x55555555 : first ^ i);
        }
    }
    OK(MPI_Request_free(&request));
    free(send);
    free(receive);
}

static void all(int n, const int *dims, int mask)
{
    int periods[MOST_DIMS] = {0};
    for (int i = 0; i < n; i++)
        periods[i] = mask >> i & 1;
    OK(MPI_Cart_create(MPI_COMM_WORLD, n, dims, periods, 0, &comm));
    if (comm == MPI_COMM_NULL)
        return;
    ndims = n;
    degree = 2 * n;
    for (int i = 0; i < n; i++)
        OK(MPI_Cart_shift(comm, i, 1, &neighbor[2 * i], &neighbor[2 * i + 1]));
    for (int form = 0; form < FORMS; form++) {
        for (int large = 0; large < 2; large++) {
            allgather(form, large);
            allgatherv(form, large);
            alltoall(form, large);
            alltoallv(form, large);
            alltoallw(form, large);
        }
    }
    if (mask == 1)
        again();
    OK(MPI_Comm_free(&comm));
}

/* Who has no neighbours needs no buffers. */
static void no_buffers(void)
{
    int dims[2] = {1, 1}, periods[2] = {0, 0};
    MPI_Comm alone;
    OK(MPI_Cart_create(MPI_COMM_SELF, 2, dims, periods, 0, &alone));
#ifdef RMASHM
    OK(MPI_Neighbor_allgather(NULL, 3, MPI_INT, NULL, 3, MPI_INT, alone));
    OK(MPI_Neighbor_alltoall(NULL, 3, MPI_INT, NULL, 3, MPI_INT, alone));
#endif
    OK(MPI_Comm_free(&alone));
    OK(MPI_Cart_create(MPI_COMM_SELF, 0, NULL, NULL, 0, &alone));
    OK(MPI_Neighbor_allgather(NULL, 0, MPI_INT, NULL, 0, MPI_INT, alone));
    OK(MPI_Neighbor_alltoallv(NULL, NULL, NULL, MPI_INT, NULL, NULL, NULL, MPI_INT, alone));
    OK(MPI_Comm_free(&alone));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    int shapes[][MOST_DIMS] = {{1, 1, 1, 1}, {2, 1, 1, 1}, {1, 2, 1, 1}, {3, 1, 1, 1}, {2, 2, 1, 1},
                               {1, 2, 1, 2}, {3, 2, 1, 1}, {2, 2, 2, 1}, {4, 2, 1, 1}, {8, 1, 1, 1}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        int places = 1;
        for (int i = 0; i < MOST_DIMS; i++)
            places *= shapes[s][i];
        for (int n = MOST_DIMS; n > 0 && places <= size; n--) {
            all(n, shapes[s], 0);
            all(n, shapes[s], 1);
            all(n, shapes[s], (1 << n) - 1);
            if (shapes[s][n - 1] > 1)
                break;
        }
    }
    no_buffers();
    return check_end();
}
