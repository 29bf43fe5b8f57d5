// Grids, graphs, distributed graphs.
#include "check.hpp"

#include <vector>

static void grids(int rank, int size)
{
    int dims[2] = {0, 0}, coords[2], others[2], back[2], source, dest;
    MPI::Compute_dims(size, 2, dims);
    CHECK(dims[0] * dims[1] == size && dims[0] >= dims[1]);
    const bool periods[2] = {true, false};
    bool told[2] = {false, true};
    MPI::Cartcomm grid = MPI::COMM_WORLD.Create_cart(2, dims, periods, false);
    CHECK(grid.Get_topology() == MPI::CART && grid.Get_dim() == 2);
    grid.Get_topo(2, others, told, coords);
    CHECK(others[0] == dims[0] && others[1] == dims[1] && told[0] && !told[1]);
    grid.Get_coords(rank, 2, back);
    CHECK(back[0] == coords[0] && back[1] == coords[1] && grid.Get_cart_rank(coords) == rank);
    grid.Shift(0, 1, source, dest);
    back[0] = (coords[0] + 1) % dims[0];
    CHECK(dest == grid.Get_cart_rank(back));
    grid.Shift(1, dims[1], source, dest);
    CHECK(source == MPI::PROC_NULL && dest == MPI::PROC_NULL);
    const bool remain[2] = {true, false};
    MPI::Cartcomm line = grid.Sub(remain);
    CHECK(line.Get_dim() == 1 && line.Get_size() == dims[0] && line.Get_rank() == coords[0]);
    CHECK(grid.Map(2, dims, periods) == rank);
    MPI::Cartcomm copy = grid.Dup();
    MPI::Cartcomm& clone = grid.Clone();
    CHECK(copy.Get_dim() == 2 && clone.Get_dim() == 2);
    clone.Free();
    delete &clone;
    copy.Free();
    line.Free();
    grid.Free();
}

static void graphs(int rank, int size)
{
    std::vector<int> index(size), edges(2 * size);
    for (int i = 0; i < size; i++) {
        index[i] = 2 * (i + 1);
        edges[2 * i] = (i + 1) % size;
        edges[2 * i + 1] = (i + size - 1) % size;
    }
    MPI::Graphcomm ring = MPI::COMM_WORLD.Create_graph(size, &index[0], &edges[0], false);
    CHECK(ring.Get_topology() == MPI::GRAPH);
    int nodes[1] = {0}, links[1] = {0}, neighbors[2] = {-1, -1};
    ring.Get_dims(nodes, links);
    CHECK(nodes[0] == size && links[0] == 2 * size);
    std::vector<int> told(size), ends(2 * size);
    ring.Get_topo(size, 2 * size, &told[0], &ends[0]);
    CHECK(told == index && ends == edges);
    CHECK(ring.Get_neighbors_count(rank) == 2);
    ring.Get_neighbors(rank, 2, neighbors);
    CHECK(neighbors[0] == (rank + 1) % size && neighbors[1] == (rank + size - 1) % size);
    CHECK(ring.Map(size, &index[0], &edges[0]) == rank);
    MPI::Graphcomm copy = ring.Dup();
    MPI::Graphcomm& clone = ring.Clone();
    CHECK(copy.Get_neighbors_count(0) == 2 && clone.Get_topology() == MPI::GRAPH);
    clone.Free();
    delete &clone;
    copy.Free();
    ring.Free();
}

static void distributed_graphs(int rank, int size)
{
#if !defined(REAL_MPICH_HEADER) && !defined(OPEN_MPI_HEADER)
    int in[1] = {(rank + size - 1) % size}, out[1] = {(rank + 1) % size}, weight[1] = {7}, one[1] = {1}, me[1] = {rank};
    int indegree = -1, outdegree = -1, sources[1], targets[1], ins[1] = {-1}, outs[1] = {-1};
    bool weighted = false;
    MPI::Distgraphcomm ring
        = MPI::COMM_WORLD.Dist_graph_create_adjacent(1, in, weight, 1, out, weight, MPI::INFO_NULL, false);
    ring.Get_dist_neighbors_count(indegree, outdegree, weighted);
    CHECK(indegree == 1 && outdegree == 1 && weighted);
    ring.Get_dist_neighbors(1, sources, ins, 1, targets, outs);
    CHECK(sources[0] == in[0] && targets[0] == out[0] && ins[0] == 7 && outs[0] == 7);
    MPI::Distgraphcomm& clone = ring.Clone();
    CHECK(clone.Get_topology() == MPI_DIST_GRAPH);
    clone.Free();
    delete &clone;
    ring.Free();
    ring = MPI::COMM_WORLD.Dist_graph_create_adjacent(1, in, 1, out, MPI::INFO_NULL, false);
    ring.Get_dist_neighbors_count(indegree, outdegree, weighted);
    CHECK(indegree == 1 && outdegree == 1 && !weighted);
    ring.Free();
    ring = MPI::COMM_WORLD.Dist_graph_create(1, me, one, out, weight, MPI::INFO_NULL, false);
    ring.Get_dist_neighbors(1, sources, ins, 1, targets, outs);
    CHECK(sources[0] == in[0] && targets[0] == out[0] && ins[0] == 7 && outs[0] == 7);
    ring.Free();
    ring = MPI::COMM_WORLD.Dist_graph_create(1, me, one, out, MPI::INFO_NULL, false);
    ring.Get_dist_neighbors_count(indegree, outdegree, weighted);
    CHECK(indegree == 1 && outdegree == 1 && !weighted);
    ring.Free();
#else
    (void)rank;
    (void)size;
#endif
}

int main(int argc, char** argv)
{
    MPI::Init(argc, argv);
    const int rank = MPI::COMM_WORLD.Get_rank(), size = MPI::COMM_WORLD.Get_size();
    grids(rank, size);
    graphs(rank, size);
    distributed_graphs(rank, size);
    return conclude();
}
