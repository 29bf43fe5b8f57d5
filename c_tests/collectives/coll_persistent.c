/* ranks: 1 2 3 8; mpich: skip Debian's is built without checks of arguments and crashes */
/* Every persistent collective operation, small and large counts, started over and over; their errors. */
#include "check.h"

enum { ROUNDS = 4, MOST = 8 };

static MPI_Comm world;
static int out[MOST * MOST], in[MOST * MOST];
static int counts[MOST], displs[MOST], bytes[MOST];
static MPI_Count large[MOST];
static MPI_Aint steps[MOST], strides[MOST];
static MPI_Datatype types[MOST];

/* The request is started ROUNDS times; `prepare` and `verify` are statements over `round`. */
#define GO(call, prepare, verify)                                                             \
    do {                                                                                      \
        MPI_Request request;                                                                  \
        OK(call);                                                                             \
        for (int round = 0; round < ROUNDS; round++) {                                        \
            for (int i = 0; i < MOST * MOST; i++) {                                           \
                out[i] = rank * 1000 + round * 100 + i;                                       \
                in[i] = -1;                                                                   \
            }                                                                                 \
            prepare;                                                                          \
            OK(MPI_Start(&request));                                                          \
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));                                        \
            verify;                                                                           \
        }                                                                                     \
        OK(MPI_Request_free(&request));                                                       \
    } while (0)

/* What rank `from` has at `i` in its `out`. */
#define OUT(from, i) ((from) * 1000 + round * 100 + (i))

static void blocks_from_all(int round, int mine)
{
    for (int r = 0; r < size; r++)
        CHECK_EQ(in[r], OUT(r, mine));
}

static void move(void)
{
    GO(MPI_Barrier_init(world, MPI_INFO_NULL, &request), , );
    GO(MPI_Bcast_init(in, 3, MPI_INT, size - 1, world, MPI_INFO_NULL, &request),
       if (rank == size - 1) in[2] = 7 + round, CHECK_EQ(in[2], 7 + round));
    GO(MPI_Bcast_init_c(in, 3, MPI_INT, 0, world, MPI_INFO_NULL, &request),
       if (rank == 0) in[2] = 7 + round, CHECK_EQ(in[2], 7 + round));
    GO(MPI_Gather_init(out, 1, MPI_INT, in, 1, MPI_INT, 0, world, MPI_INFO_NULL, &request), ,
       if (rank == 0) blocks_from_all(round, 0));
    GO(MPI_Gather_init_c(out, 1, MPI_INT, in, 1, MPI_INT, 0, world, MPI_INFO_NULL, &request), ,
       if (rank == 0) blocks_from_all(round, 0));
    GO(MPI_Gatherv_init(out, 1, MPI_INT, in, counts, displs, MPI_INT, 0, world, MPI_INFO_NULL, &request), ,
       if (rank == 0) blocks_from_all(round, 0));
    GO(MPI_Gatherv_init_c(out, 1, MPI_INT, in, large, steps, MPI_INT, 0, world, MPI_INFO_NULL, &request), ,
       if (rank == 0) blocks_from_all(round, 0));
    GO(MPI_Scatter_init(out, 1, MPI_INT, in, 1, MPI_INT, 0, world, MPI_INFO_NULL, &request), ,
       CHECK_EQ(in[0], OUT(0, rank)));
    GO(MPI_Scatter_init_c(out, 1, MPI_INT, in, 1, MPI_INT, 0, world, MPI_INFO_NULL, &request), ,
       CHECK_EQ(in[0], OUT(0, rank)));
    GO(MPI_Scatterv_init(out, counts, displs, MPI_INT, in, 1, MPI_INT, 0, world, MPI_INFO_NULL, &request), ,
       CHECK_EQ(in[0], OUT(0, rank)));
    GO(MPI_Scatterv_init_c(out, large, steps, MPI_INT, in, 1, MPI_INT, 0, world, MPI_INFO_NULL, &request), ,
       CHECK_EQ(in[0], OUT(0, rank)));
    GO(MPI_Allgather_init(out, 1, MPI_INT, in, 1, MPI_INT, world, MPI_INFO_NULL, &request), ,
       blocks_from_all(round, 0));
    GO(MPI_Allgather_init_c(out, 1, MPI_INT, in, 1, MPI_INT, world, MPI_INFO_NULL, &request), ,
       blocks_from_all(round, 0));
    GO(MPI_Allgatherv_init(out, 1, MPI_INT, in, counts, displs, MPI_INT, world, MPI_INFO_NULL, &request), ,
       blocks_from_all(round, 0));
    GO(MPI_Allgatherv_init_c(out, 1, MPI_INT, in, large, steps, MPI_INT, world, MPI_INFO_NULL, &request), ,
       blocks_from_all(round, 0));
    GO(MPI_Alltoall_init(out, 1, MPI_INT, in, 1, MPI_INT, world, MPI_INFO_NULL, &request), ,
       blocks_from_all(round, rank));
    GO(MPI_Alltoall_init_c(out, 1, MPI_INT, in, 1, MPI_INT, world, MPI_INFO_NULL, &request), ,
       blocks_from_all(round, rank));
    GO(MPI_Alltoallv_init(out, counts, displs, MPI_INT, in, counts, displs, MPI_INT, world, MPI_INFO_NULL,
                          &request), , blocks_from_all(round, rank));
    GO(MPI_Alltoallv_init_c(out, large, steps, MPI_INT, in, large, steps, MPI_INT, world, MPI_INFO_NULL,
                            &request), , blocks_from_all(round, rank));
    GO(MPI_Alltoallw_init(out, counts, bytes, types, in, counts, bytes, types, world, MPI_INFO_NULL, &request), ,
       blocks_from_all(round, rank));
    GO(MPI_Alltoallw_init_c(out, large, strides, types, in, large, strides, types, world, MPI_INFO_NULL,
                            &request), , blocks_from_all(round, rank));
}

/* The sum over ranks `low` .. `high` - 1 of what they have at `i`. */
static int sum(int round, int low, int high, int i)
{
    int all = 0;
    for (int r = low; r < high; r++)
        all += OUT(r, i);
    return all;
}

static void reduce(void)
{
    GO(MPI_Reduce_init(out, in, 2, MPI_INT, MPI_SUM, 0, world, MPI_INFO_NULL, &request), ,
       if (rank == 0) CHECK_EQ(in[1], sum(round, 0, size, 1)));
    GO(MPI_Reduce_init_c(out, in, 2, MPI_INT, MPI_SUM, 0, world, MPI_INFO_NULL, &request), ,
       if (rank == 0) CHECK_EQ(in[1], sum(round, 0, size, 1)));
    GO(MPI_Allreduce_init(out, in, 2, MPI_INT, MPI_SUM, world, MPI_INFO_NULL, &request), ,
       CHECK_EQ(in[1], sum(round, 0, size, 1)));
    GO(MPI_Allreduce_init_c(out, in, 2, MPI_INT, MPI_SUM, world, MPI_INFO_NULL, &request), ,
       CHECK_EQ(in[1], sum(round, 0, size, 1)));
    GO(MPI_Scan_init(out, in, 2, MPI_INT, MPI_SUM, world, MPI_INFO_NULL, &request), ,
       CHECK_EQ(in[1], sum(round, 0, rank + 1, 1)));
    GO(MPI_Scan_init_c(out, in, 2, MPI_INT, MPI_SUM, world, MPI_INFO_NULL, &request), ,
       CHECK_EQ(in[1], sum(round, 0, rank + 1, 1)));
    GO(MPI_Exscan_init(out, in, 2, MPI_INT, MPI_SUM, world, MPI_INFO_NULL, &request), ,
       if (rank > 0) CHECK_EQ(in[1], sum(round, 0, rank, 1)));
    GO(MPI_Exscan_init_c(out, in, 2, MPI_INT, MPI_SUM, world, MPI_INFO_NULL, &request), ,
       if (rank > 0) CHECK_EQ(in[1], sum(round, 0, rank, 1)));
    GO(MPI_Reduce_scatter_block_init(out, in, 1, MPI_INT, MPI_SUM, world, MPI_INFO_NULL, &request), ,
       CHECK_EQ(in[0], sum(round, 0, size, rank)));
    GO(MPI_Reduce_scatter_block_init_c(out, in, 1, MPI_INT, MPI_SUM, world, MPI_INFO_NULL, &request), ,
       CHECK_EQ(in[0], sum(round, 0, size, rank)));
    GO(MPI_Reduce_scatter_init(out, in, counts, MPI_INT, MPI_SUM, world, MPI_INFO_NULL, &request), ,
       CHECK_EQ(in[0], sum(round, 0, size, rank)));
    GO(MPI_Reduce_scatter_init_c(out, in, large, MPI_INT, MPI_SUM, world, MPI_INFO_NULL, &request), ,
       CHECK_EQ(in[0], sum(round, 0, size, rank)));
}

/* Two of them at once, started in one order and waited for in the other. */
static void at_once(void)
{
    MPI_Request requests[2];
    int a = rank, b = rank * 2, all_a = -1, all_b = -1;
    OK(MPI_Allreduce_init(&a, &all_a, 1, MPI_INT, MPI_SUM, world, MPI_INFO_NULL, &requests[0]));
    OK(MPI_Allreduce_init(&b, &all_b, 1, MPI_INT, MPI_MAX, world, MPI_INFO_NULL, &requests[1]));
    for (int round = 0; round < ROUNDS; round++) {
        a = rank + round;
        b = rank * 2 + round;
        OK(MPI_Startall(2, requests));
        OK(MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
        OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
        CHECK_EQ(all_a, size * (size - 1) / 2 + size * round);
        CHECK_EQ(all_b, (size - 1) * 2 + round);
    }
    OK(MPI_Request_free(&requests[0]));
    OK(MPI_Request_free(&requests[1]));
}

static void errors(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Info wrong;
    memset(&wrong, 0x5a, sizeof wrong);
    OK(MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    CHECK_CLASS(MPI_Barrier_init(world, wrong, &request), MPI_ERR_INFO);
    CHECK_CLASS(MPI_Bcast_init(out, 1, MPI_INT, 0, world, wrong, &request), MPI_ERR_INFO);
    CHECK_CLASS(MPI_Allreduce_init(out, in, 1, MPI_INT, MPI_SUM, world, wrong, &request), MPI_ERR_INFO);
    CHECK_CLASS(MPI_Bcast_init(out, 1, MPI_INT, size, world, MPI_INFO_NULL, &request), MPI_ERR_ROOT);
    CHECK_CLASS(MPI_Bcast_init(out, -1, MPI_INT, 0, world, MPI_INFO_NULL, &request), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Allgather_init(out, 1, MPI_DATATYPE_NULL, in, 1, MPI_INT, world, MPI_INFO_NULL, &request),
                MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Scan_init(out, in, 1, MPI_INT, MPI_OP_NULL, world, MPI_INFO_NULL, &request), MPI_ERR_OP);
    CHECK_CLASS(MPI_Scan_init(NULL, in, 1, MPI_INT, MPI_SUM, world, MPI_INFO_NULL, &request), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Barrier_init(MPI_COMM_NULL, MPI_INFO_NULL, &request), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Barrier_init(world, MPI_INFO_NULL, NULL), MPI_ERR_ARG);
    CHECK(request == MPI_REQUEST_NULL);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    world = MPI_COMM_WORLD;
    for (int r = 0; r < MOST; r++) {
        counts[r] = 1;
        large[r] = 1;
        displs[r] = r;
        steps[r] = r;
        bytes[r] = r * (int)sizeof(int);
        strides[r] = r * (MPI_Aint)sizeof(int);
        types[r] = MPI_INT;
    }
    move();
    reduce();
    at_once();
    errors();
    return check_end();
}
