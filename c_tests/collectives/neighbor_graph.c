/* ranks: 1 2 3 4 8; wrong: blocks that differ, for the error that is to be told */
/* Neighbourhood collectives on graphs and distributed graphs: neighbours that come several times, a process that is its
 * own neighbour, none at all, different numbers in and out; lengths and datatypes that differ; errors. */
#include "check.h"

enum { MOST = 64, ROOM = 16 };

static int in, out, sources[MOST], destinations[MOST];

static int value(int from, int to, int which, int i)
{
    return (int)(mix(mix((uint64_t)from, (uint64_t)to), mix((uint64_t)which, (uint64_t)i)) >> 33);
}

/* How many of the same come before number n: the first edge to a process belongs to its first edge from us. */
static int which(const int *ranks, int n)
{
    int before = 0;
    for (int i = 0; i < n; i++)
        before += ranks[i] == ranks[n];
    return before;
}

/* Elements that go along an edge. */
static int length(int from, int to, int n)
{
    return (from * 3 + to + n) % ROOM;
}

static void finish(MPI_Request *requests, int n)
{
    OK(MPI_Waitall(n, requests, MPI_STATUSES_IGNORE));
}

static void exchange(MPI_Comm comm)
{
    int send[MOST][ROOM], receive[4][MOST][ROOM], mine[2];
    int out_counts[MOST], in_counts[MOST], displs[MOST], twos[MOST], reverse[MOST];
    long long wide[MOST][ROOM];
    MPI_Aint out_bytes[MOST], in_bytes[MOST];
    MPI_Datatype out_types[MOST], in_types[MOST], pair;
    MPI_Request requests[4];

    for (int k = 0; k < out; k++) {
        for (int i = 0; i < ROOM; i++) {
            send[k][i] = value(rank, destinations[k], which(destinations, k), i);
            wide[k][i] = send[k][i];
        }
        out_counts[k] = length(rank, destinations[k], which(destinations, k));
    }
    for (int k = 0; k < in; k++)
        in_counts[k] = length(sources[k], rank, which(sources, k));
    for (int k = 0; k < MOST; k++)
        displs[k] = ROOM * k;

    /* The same blocks for all, in two datatypes of the same signature. */
    OK(MPI_Type_contiguous(2, MPI_INT, &pair));
    OK(MPI_Type_commit(&pair));
    memset(receive, 0x55, sizeof receive);
    mine[0] = value(rank, -1, 0, 0);
    mine[1] = value(rank, -1, 0, 1);
    OK(MPI_Neighbor_allgather(mine, 1, pair, receive[0], 2, MPI_INT, comm));
    for (int k = 0; k < in; k++)
        for (int i = 0; i < 2; i++)
            CHECK_EQ(receive[0][0][2 * k + i], value(sources[k], -1, 0, i));
    CHECK_EQ(receive[0][0][2 * in], 0x55555555);
    /* Blocks in reverse order. */
    memset(receive, 0x55, sizeof receive);
    for (int k = 0; k < in; k++) {
        twos[k] = 2;
        reverse[k] = 2 * (in - 1 - k);
    }
    OK(MPI_Neighbor_allgatherv(mine, 2, MPI_INT, receive[0], twos, reverse, MPI_INT, comm));
    for (int k = 0; k < in; k++)
        for (int i = 0; i < 2; i++)
            CHECK_EQ(receive[0][0][reverse[k] + i], value(sources[k], -1, 0, i));

    memset(receive, 0x55, sizeof receive);
    OK(MPI_Neighbor_alltoall(send, ROOM, MPI_INT, receive[0], ROOM, MPI_INT, comm));
    for (int k = 0; k < in; k++)
        for (int i = 0; i < ROOM; i++)
            CHECK_EQ(receive[0][k][i], value(sources[k], rank, which(sources, k), i));

    /* Four at the same time. */
    memset(receive, 0x55, sizeof receive);
    for (int k = 0; k < MOST; k++) {
        out_types[k] = MPI_LONG_LONG;
        in_types[k] = MPI_LONG_LONG;
        out_bytes[k] = k * (MPI_Aint)sizeof *wide;
        in_bytes[k] = k * (MPI_Aint)(ROOM * sizeof(long long));
    }
    long long got[MOST][ROOM];
    memset(got, 0x55, sizeof got);
    OK(MPI_Ineighbor_alltoallv(send, out_counts, displs, MPI_INT, receive[0], in_counts, displs, MPI_INT, comm,
                               &requests[0]));
    OK(MPI_Ineighbor_alltoallw(wide, out_counts, out_bytes, out_types, got, in_counts, in_bytes, in_types, comm,
                               &requests[1]));
    OK(MPI_Ineighbor_alltoall(send, ROOM, MPI_INT, receive[2], ROOM, MPI_INT, comm, &requests[2]));
    OK(MPI_Ineighbor_allgather(mine, 2, MPI_INT, receive[3], 1, pair, comm, &requests[3]));
    finish(requests, 4);
    for (int k = 0; k < in; k++) {
        for (int i = 0; i < ROOM; i++) {
            int model = value(sources[k], rank, which(sources, k), i);
            CHECK_EQ(receive[0][k][i], i < in_counts[k] ? model : 0x55555555);
            CHECK_EQ(got[k][i], i < in_counts[k] ? model : 0x5555555555555555);
            CHECK_EQ(receive[2][k][i], model);
        }
        CHECK_EQ(receive[3][0][2 * k], value(sources[k], -1, 0, 0));
        CHECK_EQ(receive[3][0][2 * k + 1], value(sources[k], -1, 0, 1));
    }
    OK(MPI_Type_free(&pair));
}

/* Edges at random, `edges` of them: many between the same processes. */
static void distributed(int edges)
{
    MPI_Comm comm, dup;
    in = out = 0;
    for (int i = 0; i < edges; i++) {
        int from = (int)(mix(5, (uint64_t)i) % (uint64_t)size), to = (int)(mix(6, (uint64_t)i) % (uint64_t)size);
        if (to == rank)
            sources[in++] = from;
        if (from == rank)
            destinations[out++] = to;
    }
    OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in, sources, MPI_UNWEIGHTED, out, destinations, MPI_UNWEIGHTED,
                                      MPI_INFO_NULL, 0, &comm));
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    exchange(comm);
    OK(MPI_Comm_dup(comm, &dup));
    OK(MPI_Comm_free(&comm));
    exchange(dup);
    OK(MPI_Comm_free(&dup));
}

/* A symmetric graph: everybody with everybody, itself included, twice. */
static void graph(void)
{
    int index[8], edges[2 * 8 * 8], n = 0;
    MPI_Comm comm;
    for (int i = 0; i < size; i++) {
        for (int j = 0; j < 2 * size; j++)
            edges[n++] = (i + j) % size;
        index[i] = n;
    }
    OK(MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &comm));
    in = out = 2 * size;
    OK(MPI_Graph_neighbors(comm, rank, MOST, sources));
    memcpy(destinations, sources, sizeof sources);
    exchange(comm);
    OK(MPI_Comm_free(&comm));
}

static void errors(void)
{
    int one[1] = {rank}, send[4] = {1, 2, 3, 4}, receive[4], counts[1] = {1}, minus[1] = {-1}, displs[1] = {0};
    MPI_Aint bytes[1] = {0};
    MPI_Datatype type[1] = {MPI_INT}, none[1] = {MPI_DATATYPE_NULL}, raw;
    MPI_Request request;
    MPI_Comm comm;
    OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, one, MPI_UNWEIGHTED, 1, one, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                      &comm));
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    OK(MPI_Type_contiguous(1, MPI_INT, &raw));
    CHECK_CLASS(MPI_Neighbor_allgather(send, 1, MPI_INT, receive, 1, MPI_INT, MPI_COMM_NULL), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Neighbor_alltoallw(send, counts, bytes, type, receive, counts, bytes, type, MPI_COMM_NULL),
                MPI_ERR_COMM);
#ifdef RMASHM
    CHECK_SENTENCE(MPI_Neighbor_allgather(send, 1, MPI_INT, receive, 1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_TOPOLOGY,
                   "which has no topology");
    CHECK_CLASS(MPI_Neighbor_allgatherv(send, 1, MPI_INT, receive, counts, displs, MPI_INT, MPI_COMM_WORLD),
                MPI_ERR_TOPOLOGY);
    CHECK_CLASS(MPI_Neighbor_alltoall(send, 1, MPI_INT, receive, 1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_TOPOLOGY);
    CHECK_CLASS(MPI_Ineighbor_alltoallv(send, counts, displs, MPI_INT, receive, counts, displs, MPI_INT, MPI_COMM_WORLD,
                                        &request),
                MPI_ERR_TOPOLOGY);
    CHECK_CLASS(MPI_Neighbor_alltoallw_init(send, counts, bytes, type, receive, counts, bytes, type, MPI_COMM_WORLD,
                                            MPI_INFO_NULL, &request),
                MPI_ERR_TOPOLOGY);
    CHECK_CLASS(MPI_Neighbor_allgather(MPI_IN_PLACE, 1, MPI_INT, receive, 1, MPI_INT, comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Neighbor_allgather(send, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Neighbor_allgather(NULL, 1, MPI_INT, receive, 1, MPI_INT, comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Neighbor_alltoall(send, 1, MPI_INT, NULL, 1, MPI_INT, comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Neighbor_alltoall(send, -1, MPI_INT, receive, 1, MPI_INT, comm), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Neighbor_alltoall_c(send, 1, MPI_INT, receive, -1, MPI_INT, comm), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Neighbor_alltoall(send, 1, raw, receive, 1, MPI_INT, comm), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Neighbor_alltoall(send, 1, MPI_INT, receive, 1, MPI_DATATYPE_NULL, comm), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Neighbor_alltoallv(send, minus, displs, MPI_INT, receive, counts, displs, MPI_INT, comm),
                MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Neighbor_alltoallv(send, counts, NULL, MPI_INT, receive, counts, displs, MPI_INT, comm),
                MPI_ERR_ARG);
    CHECK_CLASS(MPI_Neighbor_allgatherv(send, 1, MPI_INT, receive, NULL, displs, MPI_INT, comm), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Neighbor_alltoallw(send, counts, bytes, none, receive, counts, bytes, type, comm), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Neighbor_alltoallw(send, counts, bytes, type, receive, counts, bytes, NULL, comm), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Ineighbor_allgather(send, 1, MPI_INT, receive, 1, MPI_INT, comm, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Neighbor_allgather_init(send, 1, MPI_INT, receive, 1, MPI_INT, comm, (MPI_Info)12345, &request),
                MPI_ERR_INFO);
    CHECK_CLASS(MPI_Neighbor_alltoall(send, 4, MPI_INT, receive, 1, MPI_INT, comm), MPI_ERR_TRUNCATE);
#endif
    (void)request, (void)minus, (void)none, (void)receive, (void)displs;
    OK(MPI_Type_free(&raw));
    OK(MPI_Comm_free(&comm));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    distributed(0);
    distributed(1);
    distributed(7);
    distributed(MOST);
    graph();
    errors();
    return check_end();
}
