/* Communicators of one group: those made of them (MPI-2.2 6.4, 6.6), scans (5.11), topologies (7), and jobs (10). */

namespace MPI {

class Intracomm : public Comm {
public:
    Intracomm() {}
    Intracomm(MPI_Comm comm) : Comm(comm) {}
    Intracomm(const Intracomm& other) : Comm(other) {}
    Intracomm(const Comm& other) : Comm(other) {}
    virtual ~Intracomm() {}
    Intracomm& operator=(const Intracomm& other) { return *this = other.handle; }
    Intracomm& operator=(const Comm& other) { return *this = static_cast<MPI_Comm>(other); }
    Intracomm& operator=(const MPI_Comm& comm)
    {
        handle = comm;
        return *this;
    }

    virtual Intercomm Create_intercomm(int local_leader, const Comm& peer_comm, int remote_leader, int tag) const
    {
        Intercomm made;
        check(MPI_Intercomm_create(handle, local_leader, peer_comm, remote_leader, tag, made));
        return made;
    }
    virtual Intracomm Split(int color, int key) const
    {
        Intracomm made;
        check(MPI_Comm_split(handle, color, key, &made.handle));
        return made;
    }
    virtual Graphcomm Create_graph(int nnodes, const int index[], const int edges[], bool reorder) const;
    virtual Cartcomm Create_cart(int ndims, const int dims[], const bool periods[], bool reorder) const;
    virtual Intracomm Create(const Group& group) const
    {
        Intracomm made;
        check(MPI_Comm_create(handle, group, &made.handle));
        return made;
    }
    Intracomm Dup() const
    {
        Intracomm made;
        check(MPI_Comm_dup(handle, &made.handle));
        return made;
    }
    virtual void Scan(const void* sendbuf, void* recvbuf, int count, const Datatype& datatype, const Op& op) const
    {
        check(MPI_Scan(sendbuf, recvbuf, count, datatype, op, handle));
    }
    virtual void Exscan(const void* sendbuf, void* recvbuf, int count, const Datatype& datatype, const Op& op) const
    {
        check(MPI_Exscan(sendbuf, recvbuf, count, datatype, op, handle));
    }
    virtual Intercomm Accept(const char* port_name, const Info& info, int root) const
    {
        Intercomm made;
        check(MPI_Comm_accept(port_name, info, root, handle, made));
        return made;
    }
    virtual Intercomm Connect(const char* port_name, const Info& info, int root) const
    {
        Intercomm made;
        check(MPI_Comm_connect(port_name, info, root, handle, made));
        return made;
    }
    virtual Intracomm& Clone() const { return *new Intracomm(Dup()); }

    Intercomm Spawn(const char* command, const char* argv[], int maxprocs, const Info& info, int root) const
    {
        return Spawn(command, argv, maxprocs, info, root, MPI_ERRCODES_IGNORE);
    }
    Intercomm Spawn(const char* command, const char* argv[], int maxprocs, const Info& info, int root, int errcodes[]) const
    {
        Intercomm made;
        check(MPI_Comm_spawn(command, const_cast<char**>(argv), maxprocs, info, root, handle, made, errcodes));
        return made;
    }
    Intercomm Spawn_multiple(int count, const char* commands[], const char** argvs[], const int maxprocs[], const Info infos[],
        int root) const
    {
        return Spawn_multiple(count, commands, argvs, maxprocs, infos, root, MPI_ERRCODES_IGNORE);
    }
    Intercomm Spawn_multiple(int count, const char* commands[], const char** argvs[], const int maxprocs[], const Info infos[],
        int root, int errcodes[]) const
    {
        Intercomm made;
        internal::Array<MPI_Info> handles(count, infos);
        check(MPI_Comm_spawn_multiple(count, const_cast<char**>(commands), const_cast<char***>(argvs), maxprocs, handles, root, handle,
            made, errcodes));
        return made;
    }

    Distgraphcomm Dist_graph_create_adjacent(int indegree, const int sources[], const int sourceweights[], int outdegree,
        const int destinations[], const int destweights[], const Info& info, bool reorder) const;
    Distgraphcomm Dist_graph_create_adjacent(int indegree, const int sources[], int outdegree, const int destinations[],
        const Info& info, bool reorder) const;
    Distgraphcomm Dist_graph_create(int n, const int sources[], const int degrees[], const int destinations[],
        const int weights[], const Info& info, bool reorder) const;
    Distgraphcomm Dist_graph_create(int n, const int sources[], const int degrees[], const int destinations[],
        const Info& info, bool reorder) const;
};

}
