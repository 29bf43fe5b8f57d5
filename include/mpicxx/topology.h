/* Communicators with a topology (MPI-2.2 chapter 7). */

namespace MPI {

class Graphcomm : public Intracomm {
public:
    Graphcomm() {}
    Graphcomm(MPI_Comm comm) : Intracomm(comm) {}
    Graphcomm(const Graphcomm& other) : Intracomm(other) {}
    Graphcomm(const Comm& other) : Intracomm(other) {}
    virtual ~Graphcomm() {}
    Graphcomm& operator=(const Graphcomm& other) { return *this = other.handle; }
    Graphcomm& operator=(const Comm& other) { return *this = static_cast<MPI_Comm>(other); }
    Graphcomm& operator=(const MPI_Comm& comm)
    {
        handle = comm;
        return *this;
    }

    virtual void Get_dims(int* nnodes, int* nedges) const { check(MPI_Graphdims_get(handle, nnodes, nedges)); }
    virtual void Get_topo(int maxindex, int maxedges, int index[], int edges[]) const
    {
        check(MPI_Graph_get(handle, maxindex, maxedges, index, edges));
    }
    virtual int Map(int nnodes, const int index[], const int edges[]) const
    {
        int newrank = MPI_UNDEFINED;
        check(MPI_Graph_map(handle, nnodes, index, edges, &newrank));
        return newrank;
    }
    virtual void Get_neighbors(int rank, int maxneighbors, int neighbors[]) const
    {
        check(MPI_Graph_neighbors(handle, rank, maxneighbors, neighbors));
    }
    virtual int Get_neighbors_count(int rank) const
    {
        int nneighbors = 0;
        check(MPI_Graph_neighbors_count(handle, rank, &nneighbors));
        return nneighbors;
    }
    Graphcomm Dup() const
    {
        Graphcomm made;
        check(MPI_Comm_dup(handle, &made.handle));
        return made;
    }
    virtual Graphcomm& Clone() const { return *new Graphcomm(Dup()); }
};

class Cartcomm : public Intracomm {
    typedef internal::Array<int> Ints;

public:
    Cartcomm() {}
    Cartcomm(MPI_Comm comm) : Intracomm(comm) {}
    Cartcomm(const Cartcomm& other) : Intracomm(other) {}
    Cartcomm(const Comm& other) : Intracomm(other) {}
    virtual ~Cartcomm() {}
    Cartcomm& operator=(const Cartcomm& other) { return *this = other.handle; }
    Cartcomm& operator=(const Comm& other) { return *this = static_cast<MPI_Comm>(other); }
    Cartcomm& operator=(const MPI_Comm& comm)
    {
        handle = comm;
        return *this;
    }

    virtual void Get_coords(int rank, int maxdims, int coords[]) const { check(MPI_Cart_coords(handle, rank, maxdims, coords)); }
    virtual int Get_cart_rank(const int coords[]) const
    {
        int rank = MPI_UNDEFINED;
        check(MPI_Cart_rank(handle, coords, &rank));
        return rank;
    }
    virtual int Get_dim() const
    {
        int ndims = 0;
        check(MPI_Cartdim_get(handle, &ndims));
        return ndims;
    }
    Cartcomm Dup() const
    {
        Cartcomm made;
        check(MPI_Comm_dup(handle, &made.handle));
        return made;
    }
    virtual void Get_topo(int maxdims, int dims[], bool periods[], int coords[]) const
    {
        int ndims = Get_dim();
        Ints plain(maxdims);
        check(MPI_Cart_get(handle, maxdims, dims, plain, coords));
        for (int i = 0; i < ndims && i < maxdims; i++)
            periods[i] = plain[i] != 0;
    }
    virtual int Map(int ndims, const int dims[], const bool periods[]) const
    {
        int newrank = MPI_UNDEFINED;
        Ints plain(ndims, periods);
        check(MPI_Cart_map(handle, ndims, dims, plain, &newrank));
        return newrank;
    }
    virtual Cartcomm Sub(const bool remain_dims[]) const
    {
        Cartcomm made;
        Ints plain(Get_dim(), remain_dims);
        check(MPI_Cart_sub(handle, plain, &made.handle));
        return made;
    }
    virtual void Shift(int direction, int disp, int& rank_source, int& rank_dest) const
    {
        check(MPI_Cart_shift(handle, direction, disp, &rank_source, &rank_dest));
    }
    virtual Cartcomm& Clone() const { return *new Cartcomm(Dup()); }
};

/* A class that MPICH never had. Its functions are all inline: it asks nothing of a library. */
class Distgraphcomm : public Intracomm {
public:
    Distgraphcomm() {}
    Distgraphcomm(MPI_Comm comm) : Intracomm(comm) {}
    Distgraphcomm(const Distgraphcomm& other) : Intracomm(other) {}
    Distgraphcomm(const Comm& other) : Intracomm(other) {}
    virtual ~Distgraphcomm() {}
    Distgraphcomm& operator=(const Distgraphcomm& other) { return *this = other.handle; }
    Distgraphcomm& operator=(const Comm& other) { return *this = static_cast<MPI_Comm>(other); }
    Distgraphcomm& operator=(const MPI_Comm& comm)
    {
        handle = comm;
        return *this;
    }

    virtual Distgraphcomm& Clone() const { return *new Distgraphcomm(Dup()); }
    Distgraphcomm Dup() const
    {
        Distgraphcomm made;
        check(MPI_Comm_dup(handle, &made.handle));
        return made;
    }
    void Get_dist_neighbors_count(int& indegree, int& outdegree, bool& weighted) const
    {
        int flag = 0;
        check(MPI_Dist_graph_neighbors_count(handle, &indegree, &outdegree, &flag));
        weighted = flag != 0;
    }
    void Get_dist_neighbors(int maxindegree, int sources[], int sourceweights[], int maxoutdegree, int destinations[],
        int destweights[]) const
    {
        check(MPI_Dist_graph_neighbors(handle, maxindegree, sources, sourceweights, maxoutdegree, destinations, destweights));
    }
};

inline Distgraphcomm Intracomm::Dist_graph_create_adjacent(int indegree, const int sources[], const int sourceweights[],
    int outdegree, const int destinations[], const int destweights[], const Info& info, bool reorder) const
{
    Distgraphcomm made;
    check(MPI_Dist_graph_create_adjacent(handle, indegree, sources, sourceweights, outdegree, destinations, destweights, info, reorder,
        made));
    return made;
}

inline Distgraphcomm Intracomm::Dist_graph_create_adjacent(int indegree, const int sources[], int outdegree,
    const int destinations[], const Info& info, bool reorder) const
{
    return Dist_graph_create_adjacent(indegree, sources, MPI_UNWEIGHTED, outdegree, destinations, MPI_UNWEIGHTED, info, reorder);
}

inline Distgraphcomm Intracomm::Dist_graph_create(int n, const int sources[], const int degrees[], const int destinations[],
    const int weights[], const Info& info, bool reorder) const
{
    Distgraphcomm made;
    check(MPI_Dist_graph_create(handle, n, sources, degrees, destinations, weights, info, reorder, made));
    return made;
}

inline Distgraphcomm Intracomm::Dist_graph_create(int n, const int sources[], const int degrees[], const int destinations[],
    const Info& info, bool reorder) const
{
    return Dist_graph_create(n, sources, degrees, destinations, MPI_UNWEIGHTED, info, reorder);
}

}
