/* ranks: 1 2 3 4 8; wrong: what all have to give alike is not, on purpose */
/* Graph topologies: making, asking, who is outside, duplicates, errors. */
#include "check.h"

/* The graph of `nodes` nodes in which i has edges to i itself and to all nodes before and after it, in that order. */
static int build(int nodes, int *index, int *edges)
{
    int n = 0;
    for (int i = 0; i < nodes; i++) {
        edges[n++] = i;
        if (i > 0)
            edges[n++] = i - 1;
        if (i + 1 < nodes)
            edges[n++] = i + 1;
        index[i] = n;
    }
    return n;
}

static void is_graph(MPI_Comm comm, int nodes)
{
    int index[8], edges[24], got_index[10], got_edges[26], n = -1, m = -1, status = -1;
    int count = build(nodes, index, edges);
    OK(MPI_Topo_test(comm, &status));
    CHECK_EQ(status, MPI_GRAPH);
    OK(MPI_Graphdims_get(comm, &n, &m));
    CHECK_EQ(n, nodes);
    CHECK_EQ(m, count);
    got_index[nodes] = got_edges[count] = -5;
    OK(MPI_Graph_get(comm, nodes + 1, count + 1, got_index, got_edges));
    CHECK_BYTES(got_index, index, sizeof(int) * (size_t)nodes);
    CHECK_BYTES(got_edges, edges, sizeof(int) * (size_t)count);
    CHECK(got_index[nodes] == -5 && got_edges[count] == -5);
    for (int r = 0; r < nodes; r++) {
        int begin = r ? index[r - 1] : 0, neighbors = -1;
        OK(MPI_Graph_neighbors_count(comm, r, &neighbors));
        CHECK_EQ(neighbors, index[r] - begin);
        OK(MPI_Graph_neighbors(comm, r, neighbors, got_edges));
        CHECK_BYTES(got_edges, edges + begin, sizeof(int) * (size_t)neighbors);
    }
}

static void graphs(void)
{
    int index[8], edges[24];
    for (int nodes = 0; nodes <= size; nodes++) {
        MPI_Comm comm = MPI_COMM_WORLD, dup;
        int mapped = -9, in, all = -1;
        build(nodes, index, edges);
        if (nodes > 0) {
            OK(MPI_Graph_map(MPI_COMM_WORLD, nodes, index, edges, &mapped));
            CHECK_EQ(mapped, rank < nodes ? rank : MPI_UNDEFINED);
        }
        OK(MPI_Graph_create(MPI_COMM_WORLD, nodes, index, edges, nodes % 2, &comm));
        in = comm != MPI_COMM_NULL;
        OK(MPI_Allreduce(&in, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
        CHECK_EQ(all, nodes);
        if (!in)
            continue;
        is_graph(comm, nodes);
        OK(MPI_Comm_dup(comm, &dup));
        OK(MPI_Comm_free(&comm));
        is_graph(dup, nodes);
        OK(MPI_Comm_free(&dup));
    }
}

static void errors(void)
{
    MPI_Comm comm, new = MPI_COMM_WORLD;
    int index[9] = {2, 2, 2, 2, 2, 2, 2, 2, 2}, edges[2] = {0, 0}, bad[2] = {0, 99}, a, b, some[2];
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &comm));
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    CHECK_CLASS(MPI_Graph_create(MPI_COMM_NULL, 1, index, edges, 0, &new), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Graph_create(MPI_COMM_WORLD, size + 1, index, edges, 0, &new), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Graph_create(MPI_COMM_WORLD, 1, NULL, edges, 0, &new), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Graph_neighbors_count(comm, size, &a), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Graph_neighbors_count(comm, -1, &a), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Graph_neighbors(comm, size, 2, some), MPI_ERR_RANK);
#ifdef RMASHM
    CHECK_CLASS(MPI_Graph_create(MPI_COMM_WORLD, -1, index, edges, 0, &new), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Graph_create(MPI_COMM_WORLD, 1, index, NULL, 0, &new), MPI_ERR_ARG);
    CHECK_SENTENCE(MPI_Graph_create(MPI_COMM_WORLD, 1, index, bad, 0, &new), MPI_ERR_ARG, "edges[1] is 99");
    CHECK(new == MPI_COMM_NULL);
    bad[1] = -1;
    CHECK_CLASS(MPI_Graph_create(MPI_COMM_WORLD, 1, index, bad, 0, &new), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Graph_create(MPI_COMM_WORLD, 1, index, edges, 0, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Graph_map(MPI_COMM_WORLD, size + 1, index, edges, &a), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Graph_map(MPI_COMM_WORLD, 1, index, edges, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Graph_map(MPI_COMM_NULL, 1, index, edges, &a), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Graph_get(comm, size - 1, 2, index, edges), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Graph_get(comm, size, 1, index, edges), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Graph_neighbors(comm, 0, 1, some), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Graph_neighbors(comm, 0, 2, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Graphdims_get(MPI_COMM_WORLD, &a, &b), MPI_ERR_TOPOLOGY);
    CHECK_CLASS(MPI_Graph_get(MPI_COMM_WORLD, 2, 2, some, some), MPI_ERR_TOPOLOGY);
    CHECK_CLASS(MPI_Graph_neighbors_count(MPI_COMM_WORLD, 0, &a), MPI_ERR_TOPOLOGY);
    CHECK_CLASS(MPI_Graph_neighbors(MPI_COMM_WORLD, 0, 2, some), MPI_ERR_TOPOLOGY);
    CHECK_CLASS(MPI_Cartdim_get(comm, &a), MPI_ERR_TOPOLOGY);
    CHECK_CLASS(MPI_Graphdims_get(MPI_COMM_NULL, &a, &b), MPI_ERR_COMM);
    if (size > 1) {
        int falling[2] = {2, 1};
        CHECK_CLASS(MPI_Graph_create(MPI_COMM_WORLD, 2, falling, edges, 0, &new), MPI_ERR_ARG);
        edges[1] = rank == 0;
        CHECK_CLASS(MPI_Graph_create(MPI_COMM_WORLD, 2, index, edges, 0, &new), MPI_ERR_NOT_SAME);
        CHECK_CLASS(MPI_Graph_create(MPI_COMM_WORLD, rank ? 2 : -2, index, edges, 0, &new),
                    rank ? MPI_ERR_OTHER : MPI_ERR_ARG);
    }
#endif
    (void)bad, (void)b, (void)new;
    OK(MPI_Comm_free(&comm));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    graphs();
    errors();
    return check_end();
}
