/* ranks: 1 2 3 4 8; wrong: what all have to give alike is not, on purpose */
/* Distributed graphs: edges given by their own processes and by others, several the same, weights, errors. */
#include "check.h"

enum { MOST = 400 };

/* Edge number i of a random graph, the same at all processes. */
static void edge(int i, int *source, int *destination, int *weight)
{
    *source = (int)(mix(1, (uint64_t)i) % (uint64_t)size);
    *destination = (int)(mix(2, (uint64_t)i) % (uint64_t)size);
    *weight = (int)(mix(3, (uint64_t)i) % 100);
}

/* Sorts (rank, weight) pairs: the order is not said. */
static int by_both(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return x[0] != y[0] ? x[0] - y[0] : x[1] - y[1];
}

static void is_model(int edges, int weighted, int n, const int *ranks, const int *weights, int incoming)
{
    int is[MOST][2], model[MOST][2], count = 0;
    for (int i = 0; i < edges; i++) {
        int source, destination, weight;
        edge(i, &source, &destination, &weight);
        if ((incoming ? destination : source) == rank) {
            model[count][0] = incoming ? source : destination;
            model[count++][1] = weighted ? weight : 0;
        }
    }
    CHECK_EQ(n, count);
    for (int i = 0; i < n; i++) {
        is[i][0] = ranks[i];
        is[i][1] = weighted ? weights[i] : 0;
    }
    qsort(is, (size_t)n, sizeof *is, by_both);
    qsort(model, (size_t)n, sizeof *model, by_both);
    CHECK_BYTES(is, model, sizeof *is * (size_t)n);
}

static void is_graph(MPI_Comm comm, int edges, int weighted)
{
    int in = -1, out = -1, flag = -1, status = -1, result = -1;
    int sources[MOST], destinations[MOST], sw[MOST], dw[MOST], again[MOST];
    OK(MPI_Topo_test(comm, &status));
    CHECK_EQ(status, MPI_DIST_GRAPH);
    OK(MPI_Comm_compare(comm, MPI_COMM_WORLD, &result));
    CHECK_EQ(result, MPI_CONGRUENT);
    OK(MPI_Dist_graph_neighbors_count(comm, &in, &out, &flag));
    CHECK_EQ(flag, weighted);
    OK(MPI_Dist_graph_neighbors(comm, in, sources, weighted ? sw : MPI_UNWEIGHTED, out, destinations,
                                weighted ? dw : MPI_UNWEIGHTED));
    is_model(edges, weighted, in, sources, sw, 1);
    is_model(edges, weighted, out, destinations, dw, 0);
    /* The same sequence again, and only the first of it. */
    OK(MPI_Dist_graph_neighbors(comm, in, again, MPI_UNWEIGHTED, out, destinations, MPI_UNWEIGHTED));
    CHECK_BYTES(again, sources, sizeof(int) * (size_t)in);
#ifdef RMASHM /* MPICH takes an array that is too short for an error. */
    again[out / 2] = -3;
    OK(MPI_Dist_graph_neighbors(comm, 0, NULL, MPI_UNWEIGHTED, out / 2, again, MPI_UNWEIGHTED));
    CHECK_BYTES(again, destinations, sizeof(int) * (size_t)(out / 2));
    CHECK_EQ(again[out / 2], -3);
#endif
}

/* Each edge is given by some process. */
static void anybody(int edges, int weighted, int reorder)
{
    int n = 0, sources[MOST], degrees[MOST], destinations[MOST], weights[MOST];
    MPI_Comm comm, dup;
    for (int i = 0; i < edges; i++) {
        int source, destination, weight;
        edge(i, &source, &destination, &weight);
        if ((int)(mix(4, (uint64_t)i) % (uint64_t)size) == rank) {
            sources[n] = source;
            degrees[n] = 1;
            destinations[n] = destination;
            weights[n++] = weight;
        }
    }
    OK(MPI_Dist_graph_create(MPI_COMM_WORLD, n, sources, degrees, destinations,
                             !weighted ? MPI_UNWEIGHTED
                             : n       ? weights
                                       : MPI_WEIGHTS_EMPTY,
                             MPI_INFO_NULL, reorder, &comm));
    is_graph(comm, edges, weighted);
    OK(MPI_Comm_dup(comm, &dup));
    OK(MPI_Comm_free(&comm));
    is_graph(dup, edges, weighted);
    OK(MPI_Comm_free(&dup));
}

/* Rank 0 gives all, one source after the other, those without edges too. */
static void rank_zero(int edges)
{
    int n = 0, count = 0, sources[8], degrees[8], destinations[MOST], weights[MOST];
    MPI_Comm comm;
    for (int from = 0; rank == 0 && from < size; from++) {
        sources[n] = from;
        degrees[n] = 0;
        for (int i = 0; i < edges; i++) {
            int source;
            edge(i, &source, &destinations[count], &weights[count]);
            if (source == from) {
                degrees[n]++;
                count++;
            }
        }
        n++;
    }
    OK(MPI_Dist_graph_create(MPI_COMM_WORLD, n, sources, degrees, destinations,
                             n ? weights : MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &comm));
    is_graph(comm, edges, 1);
    OK(MPI_Comm_free(&comm));
}

/* Everybody gives its own, and gets them back in its order. */
static void adjacent(int edges, int weighted)
{
    int in = 0, out = 0, sources[MOST], destinations[MOST], sw[MOST], dw[MOST], a[MOST], b[MOST], c[MOST], d[MOST];
    MPI_Info info;
    MPI_Comm comm;
    for (int i = edges - 1; i >= 0; i--) {
        int source, destination, weight;
        edge(i, &source, &destination, &weight);
        if (destination == rank) {
            sources[in] = source;
            sw[in++] = weight;
        }
        if (source == rank) {
            destinations[out] = destination;
            dw[out++] = weight;
        }
    }
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "whatever", "it is"));
    OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in, sources, weighted ? in ? sw : MPI_WEIGHTS_EMPTY : MPI_UNWEIGHTED,
                                      out, destinations, weighted ? out ? dw : MPI_WEIGHTS_EMPTY : MPI_UNWEIGHTED,
                                      info, 0, &comm));
    OK(MPI_Info_free(&info));
    is_graph(comm, edges, weighted);
    OK(MPI_Dist_graph_neighbors(comm, in, a, weighted ? b : MPI_UNWEIGHTED, out, c, weighted ? d : MPI_UNWEIGHTED));
    CHECK_BYTES(a, sources, sizeof(int) * (size_t)in);
    CHECK_BYTES(c, destinations, sizeof(int) * (size_t)out);
    if (weighted) {
        CHECK_BYTES(b, sw, sizeof(int) * (size_t)in);
        CHECK_BYTES(d, dw, sizeof(int) * (size_t)out);
    }
    OK(MPI_Comm_free(&comm));
}

static void errors(void)
{
    int one[1] = {0}, two[1] = {1}, bad[1] = {size}, minus[1] = {-1}, a, b, c;
    MPI_Comm comm, new = MPI_COMM_WORLD;
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Dist_graph_create_adjacent(MPI_COMM_SELF, 1, one, one, 1, one, one, MPI_INFO_NULL, 0, &comm));
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
#define ADJACENT(comm, n, s, sw, m, d, dw) \
    MPI_Dist_graph_create_adjacent(comm, n, s, sw, m, d, dw, MPI_INFO_NULL, 0, &new)
#define GRAPH(comm, n, s, g, d, w) MPI_Dist_graph_create(comm, n, s, g, d, w, MPI_INFO_NULL, 0, &new)
    CHECK_CLASS(ADJACENT(MPI_COMM_NULL, 1, one, one, 1, one, one), MPI_ERR_COMM);
    CHECK_CLASS(GRAPH(MPI_COMM_NULL, 1, one, two, one, one), MPI_ERR_COMM);
    CHECK_CLASS(ADJACENT(MPI_COMM_WORLD, -1, one, one, 1, one, one), MPI_ERR_ARG);
    CHECK_CLASS(ADJACENT(MPI_COMM_WORLD, 1, one, one, -1, one, one), MPI_ERR_ARG);
    CHECK_CLASS(ADJACENT(MPI_COMM_WORLD, 1, NULL, one, 1, one, one), MPI_ERR_ARG);
    CHECK_CLASS(GRAPH(MPI_COMM_WORLD, -1, one, two, one, one), MPI_ERR_ARG);
#ifdef RMASHM
    CHECK_SENTENCE(ADJACENT(MPI_COMM_WORLD, 1, bad, one, 1, one, one), MPI_ERR_RANK, "sources[0] is");
    CHECK(new == MPI_COMM_NULL);
    CHECK_CLASS(ADJACENT(MPI_COMM_WORLD, 1, one, one, 1, minus, one), MPI_ERR_RANK);
    CHECK_CLASS(ADJACENT(MPI_COMM_WORLD, 1, one, minus, 1, one, one), MPI_ERR_ARG);
    CHECK_CLASS(ADJACENT(MPI_COMM_WORLD, 1, one, one, 1, one, minus), MPI_ERR_ARG);
    CHECK_CLASS(ADJACENT(MPI_COMM_WORLD, 1, one, NULL, 1, one, one), MPI_ERR_ARG);
    CHECK_CLASS(ADJACENT(MPI_COMM_WORLD, 1, one, MPI_UNWEIGHTED, 1, one, one), MPI_ERR_ARG);
    CHECK_SENTENCE(ADJACENT(MPI_COMM_WORLD, 1, one, MPI_WEIGHTS_EMPTY, 1, one, one), MPI_ERR_ARG,
                   "sourceweights is MPI_WEIGHTS_EMPTY");
    CHECK_SENTENCE(ADJACENT(MPI_COMM_WORLD, 1, one, one, 1, one, MPI_WEIGHTS_EMPTY), MPI_ERR_ARG,
                   "destweights is MPI_WEIGHTS_EMPTY");
    CHECK_CLASS(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, one, one, 1, one, one, (MPI_Info)12345, 0, &new),
                MPI_ERR_INFO);
    CHECK_CLASS(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, one, one, 1, one, one, MPI_INFO_NULL, 0, NULL),
                MPI_ERR_ARG);
    CHECK_CLASS(GRAPH(MPI_COMM_WORLD, 1, bad, two, one, one), MPI_ERR_RANK);
    CHECK_CLASS(GRAPH(MPI_COMM_WORLD, 1, one, two, minus, one), MPI_ERR_RANK);
    CHECK_CLASS(GRAPH(MPI_COMM_WORLD, 1, one, minus, one, one), MPI_ERR_ARG);
    CHECK_CLASS(GRAPH(MPI_COMM_WORLD, 1, one, two, one, minus), MPI_ERR_ARG);
    CHECK_CLASS(GRAPH(MPI_COMM_WORLD, 1, one, NULL, one, one), MPI_ERR_ARG);
    CHECK_CLASS(GRAPH(MPI_COMM_WORLD, 1, one, two, NULL, one), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Dist_graph_neighbors_count(MPI_COMM_WORLD, &a, &b, &c), MPI_ERR_TOPOLOGY);
    CHECK_CLASS(MPI_Dist_graph_neighbors(MPI_COMM_WORLD, 1, &a, &b, 1, &a, &b), MPI_ERR_TOPOLOGY);
    CHECK_CLASS(MPI_Dist_graph_neighbors_count(MPI_COMM_NULL, &a, &b, &c), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Dist_graph_neighbors_count(comm, &a, NULL, &c), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Dist_graph_neighbors(comm, -1, &a, &b, 1, &a, &b), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Dist_graph_neighbors(comm, 1, NULL, &b, 1, &a, &b), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Dist_graph_neighbors(comm, 1, &a, NULL, 1, &a, &b), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Cartdim_get(comm, &a), MPI_ERR_TOPOLOGY);
    if (size > 1) {
        const int *weights = rank ? one : MPI_UNWEIGHTED;
        CHECK_CLASS(ADJACENT(MPI_COMM_WORLD, 1, one, weights, 1, one, weights), MPI_ERR_NOT_SAME);
        CHECK_CLASS(GRAPH(MPI_COMM_WORLD, 1, one, two, one, weights), MPI_ERR_NOT_SAME);
        CHECK_CLASS(GRAPH(MPI_COMM_WORLD, 1, rank ? one : bad, two, one, one), rank ? MPI_ERR_OTHER : MPI_ERR_RANK);
    }
#endif
    (void)bad, (void)minus, (void)a, (void)b, (void)c, (void)two;
    OK(MPI_Comm_free(&comm));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    for (int edges = 0; edges <= MOST; edges = edges * 3 + 1) {
        anybody(edges, 0, 0);
        anybody(edges, 1, 0);
        rank_zero(edges);
        adjacent(edges, 0);
        adjacent(edges, 1);
    }
    errors();
    return check_end();
}
