// Communicators by their kinds.

namespace MPI {

// What a function of C makes of a communicator.
template <class Function, class... Arguments> MPI_Comm made_comm(Function make, Arguments... arguments)
{
    MPI_Comm made = OMPI_OBJECT(MPI_Comm, ompi_mpi_comm_null);
    make(arguments..., &made);
    return made;
}

// The numbers of C in the place of truth values of C++.
class Flags {
    int* flags;

public:
    Flags(int count, const bool values[]) : flags(new int[count > 0 ? count : 0])
    {
        for (int i = 0; i < count; i++)
            flags[i] = values[i];
    }
    explicit Flags(int count) : flags(new int[count > 0 ? count : 0]()) {}
    Flags(const Flags&) = delete;
    Flags& operator=(const Flags&) = delete;
    ~Flags() { delete[] flags; }
    operator int*() { return flags; }
};

class Intracomm : public Comm {
public:
    Intracomm() {}
    Intracomm(MPI_Comm data);
    Intracomm(const Intracomm& other) : Comm(other.handle) {}

    virtual void Scan(const void* sendbuf, void* recvbuf, int count, const Datatype& datatype, const Op& op) const;
    virtual void Exscan(const void* sendbuf, void* recvbuf, int count, const Datatype& datatype, const Op& op) const;
    virtual Intracomm& Clone() const;
    virtual Intracomm Create(const Group& group) const;
    virtual Intracomm Split(int color, int key) const;
    virtual Intercomm Create_intercomm(int local_leader, const Comm& peer_comm, int remote_leader, int tag) const;
    virtual Cartcomm Create_cart(int ndims, const int dims[], const bool periods[], bool reorder) const;
    virtual Graphcomm Create_graph(int nnodes, const int index[], const int edges[], bool reorder) const;
    virtual Intercomm Accept(const char* port_name, const Info& info, int root) const;
    virtual Intercomm Connect(const char* port_name, const Info& info, int root) const;
    virtual Intercomm Spawn(const char* command, const char* argv[], int maxprocs, const Info& info, int root) const;
    virtual Intercomm Spawn(
        const char* command, const char* argv[], int maxprocs, const Info& info, int root, int errcodes[]) const;
    virtual Intercomm Spawn_multiple(int count, const char* commands[], const char** argvs[], const int maxprocs[],
        const Info infos[], int root);
    virtual Intercomm Spawn_multiple(int count, const char* commands[], const char** argvs[], const int maxprocs[],
        const Info infos[], int root, int errcodes[]);
};

class Intercomm : public Comm {
public:
    Intercomm() {}
    Intercomm(MPI_Comm data) : Comm(data) {}
    Intercomm(const Intercomm& other) : Comm(other.handle) {}

    virtual Intercomm& Clone() const;
    virtual int Get_remote_size() const;
    virtual Group Get_remote_group() const;
    virtual Intracomm Merge(bool high) const;
    virtual Intercomm Create(const Group& group) const;
    virtual Intercomm Split(int color, int key) const;
};

class Cartcomm : public Intracomm {
public:
    explicit Cartcomm(const MPI_Comm& data) { handle = data; }
    Cartcomm(const Cartcomm& other) : Intracomm(other) {}

    virtual Cartcomm& Clone() const;
    virtual int Get_dim() const;
    virtual void Get_topo(int maxdims, int dims[], bool periods[], int coords[]) const;
    virtual int Get_cart_rank(const int coords[]) const;
    virtual void Get_coords(int rank, int maxdims, int coords[]) const;
    virtual void Shift(int direction, int disp, int& rank_source, int& rank_dest) const;
    virtual Cartcomm Sub(const bool remain_dims[]) const;
    virtual int Map(int ndims, const int dims[], const bool periods[]) const;
};

class Graphcomm : public Intracomm {
public:
    explicit Graphcomm(const MPI_Comm& data) { handle = data; }
    Graphcomm(const Graphcomm& other) : Intracomm(other) {}

    virtual Graphcomm& Clone() const;
    virtual void Get_dims(int nnodes[], int nedges[]) const;
    virtual void Get_topo(int maxindex, int maxedges, int index[], int edges[]) const;
    virtual int Get_neighbors_count(int rank) const;
    virtual void Get_neighbors(int rank, int maxneighbors, int neighbors[]) const;
    virtual int Map(int nnodes, const int index[], const int edges[]) const;
};

}
