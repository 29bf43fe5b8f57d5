/* Communicators: messages (MPI-2.2 chapter 3), collective operations (5), attributes and names (6.7, 6.8), error handlers (8.3). */

namespace MPI {

class Comm {
protected:
    MPI_Comm handle;

    void check(int errorcode) const { internal::check(errorcode, *this); }

public:
    typedef int Copy_attr_function(const Comm& oldcomm, int comm_keyval, void* extra_state, void* attribute_val_in,
        void* attribute_val_out, bool& flag);
    typedef int Delete_attr_function(Comm& comm, int comm_keyval, void* attribute_val, void* extra_state);
    typedef void Errhandler_function(Comm&, int*, ...);
    typedef Errhandler_function Errhandler_fn;

    Comm() : handle(MPI_COMM_NULL) {}
    Comm(MPI_Comm comm) : handle(comm) {}
    Comm(const Comm& other) : handle(other.handle) {}
    virtual ~Comm() {}
    Comm& operator=(const Comm& other) { return *this = other.handle; }
    Comm& operator=(const MPI_Comm& comm)
    {
        handle = comm;
        return *this;
    }
    bool operator==(const Comm& other) const { return handle == other.handle; }
    bool operator!=(const Comm& other) const { return handle != other.handle; }
    operator MPI_Comm*() { return &handle; }
    operator MPI_Comm() const { return handle; }

    virtual Group Get_group() const
    {
        Group group;
        check(MPI_Comm_group(handle, group));
        return group;
    }
    virtual int Get_rank() const
    {
        int rank = MPI_UNDEFINED;
        check(MPI_Comm_rank(handle, &rank));
        return rank;
    }
    virtual Prequest Bsend_init(const void* buf, int count, const Datatype& datatype, int dest, int tag) const
    {
        Prequest request;
        check(MPI_Bsend_init(buf, count, datatype, dest, tag, handle, request));
        return request;
    }
    virtual Prequest Ssend_init(const void* buf, int count, const Datatype& datatype, int dest, int tag) const
    {
        Prequest request;
        check(MPI_Ssend_init(buf, count, datatype, dest, tag, handle, request));
        return request;
    }
    virtual bool Is_inter() const
    {
        int flag = 0;
        check(MPI_Comm_test_inter(handle, &flag));
        return flag != 0;
    }
    virtual Prequest Rsend_init(const void* buf, int count, const Datatype& datatype, int dest, int tag) const
    {
        Prequest request;
        check(MPI_Rsend_init(buf, count, datatype, dest, tag, handle, request));
        return request;
    }
    virtual Request Ibsend(const void* buf, int count, const Datatype& datatype, int dest, int tag) const
    {
        Request request;
        check(MPI_Ibsend(buf, count, datatype, dest, tag, handle, request));
        return request;
    }
    virtual void Abort(int errorcode) const { check(MPI_Abort(handle, errorcode)); }
    virtual void Free() { check(MPI_Comm_free(&handle)); }
    virtual Prequest Send_init(const void* buf, int count, const Datatype& datatype, int dest, int tag) const
    {
        Prequest request;
        check(MPI_Send_init(buf, count, datatype, dest, tag, handle, request));
        return request;
    }
    virtual void Recv(void* buf, int count, const Datatype& datatype, int source, int tag, Status& status) const
    {
        check(MPI_Recv(buf, count, datatype, source, tag, handle, status));
    }
    virtual void Recv(void* buf, int count, const Datatype& datatype, int source, int tag) const
    {
        check(MPI_Recv(buf, count, datatype, source, tag, handle, MPI_STATUS_IGNORE));
    }
    virtual void Sendrecv(const void* sendbuf, int sendcount, const Datatype& sendtype, int dest, int sendtag, void* recvbuf,
        int recvcount, const Datatype& recvtype, int source, int recvtag, Status& status) const
    {
        check(MPI_Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, handle,
            status));
    }
    virtual void Sendrecv(const void* sendbuf, int sendcount, const Datatype& sendtype, int dest, int sendtag, void* recvbuf,
        int recvcount, const Datatype& recvtype, int source, int recvtag) const
    {
        check(MPI_Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, handle,
            MPI_STATUS_IGNORE));
    }
    virtual void Sendrecv_replace(void* buf, int count, const Datatype& datatype, int dest, int sendtag, int source, int recvtag,
        Status& status) const
    {
        check(MPI_Sendrecv_replace(buf, count, datatype, dest, sendtag, source, recvtag, handle, status));
    }
    virtual void Sendrecv_replace(void* buf, int count, const Datatype& datatype, int dest, int sendtag, int source,
        int recvtag) const
    {
        check(MPI_Sendrecv_replace(buf, count, datatype, dest, sendtag, source, recvtag, handle, MPI_STATUS_IGNORE));
    }
    virtual int Get_topology() const
    {
        int topology = MPI_UNDEFINED;
        check(MPI_Topo_test(handle, &topology));
        return topology;
    }
    virtual Request Isend(const void* buf, int count, const Datatype& datatype, int dest, int tag) const
    {
        Request request;
        check(MPI_Isend(buf, count, datatype, dest, tag, handle, request));
        return request;
    }
    virtual void Probe(int source, int tag, Status& status) const { check(MPI_Probe(source, tag, handle, status)); }
    virtual void Probe(int source, int tag) const { check(MPI_Probe(source, tag, handle, MPI_STATUS_IGNORE)); }
    static int Compare(const Comm& comm1, const Comm& comm2)
    {
        int result = MPI_UNEQUAL;
        internal::check(MPI_Comm_compare(comm1, comm2, &result), comm1);
        return result;
    }
    virtual int Get_size() const
    {
        int size = MPI_UNDEFINED;
        check(MPI_Comm_size(handle, &size));
        return size;
    }
    virtual Request Issend(const void* buf, int count, const Datatype& datatype, int dest, int tag) const
    {
        Request request;
        check(MPI_Issend(buf, count, datatype, dest, tag, handle, request));
        return request;
    }
    virtual void Set_errhandler(const Errhandler& errhandler) { check(MPI_Comm_set_errhandler(handle, errhandler)); }
    virtual void Send(const void* buf, int count, const Datatype& datatype, int dest, int tag) const
    {
        check(MPI_Send(buf, count, datatype, dest, tag, handle));
    }
    virtual Request Irsend(const void* buf, int count, const Datatype& datatype, int dest, int tag) const
    {
        Request request;
        check(MPI_Irsend(buf, count, datatype, dest, tag, handle, request));
        return request;
    }
    virtual void Ssend(const void* buf, int count, const Datatype& datatype, int dest, int tag) const
    {
        check(MPI_Ssend(buf, count, datatype, dest, tag, handle));
    }
    virtual Prequest Recv_init(void* buf, int count, const Datatype& datatype, int source, int tag) const
    {
        Prequest request;
        check(MPI_Recv_init(buf, count, datatype, source, tag, handle, request));
        return request;
    }
    virtual bool Iprobe(int source, int tag, Status& status) const
    {
        int flag = 0;
        check(MPI_Iprobe(source, tag, handle, &flag, status));
        return flag != 0;
    }
    virtual bool Iprobe(int source, int tag) const
    {
        int flag = 0;
        check(MPI_Iprobe(source, tag, handle, &flag, MPI_STATUS_IGNORE));
        return flag != 0;
    }
    virtual void Bsend(const void* buf, int count, const Datatype& datatype, int dest, int tag) const
    {
        check(MPI_Bsend(buf, count, datatype, dest, tag, handle));
    }
    virtual Request Irecv(void* buf, int count, const Datatype& datatype, int source, int tag) const
    {
        Request request;
        check(MPI_Irecv(buf, count, datatype, source, tag, handle, request));
        return request;
    }
    virtual Errhandler Get_errhandler() const
    {
        Errhandler errhandler;
        check(MPI_Comm_get_errhandler(handle, errhandler));
        return errhandler;
    }
    virtual void Rsend(const void* buf, int count, const Datatype& datatype, int dest, int tag) const
    {
        check(MPI_Rsend(buf, count, datatype, dest, tag, handle));
    }
    virtual void Gatherv(const void* sendbuf, int sendcount, const Datatype& sendtype, void* recvbuf, const int recvcounts[],
        const int displs[], const Datatype& recvtype, int root) const
    {
        check(MPI_Gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, handle));
    }
    virtual void Disconnect() { check(MPI_Comm_disconnect(&handle)); }
    virtual void Allreduce(const void* sendbuf, void* recvbuf, int count, const Datatype& datatype, const Op& op) const
    {
        check(MPI_Allreduce(sendbuf, recvbuf, count, datatype, op, handle));
    }
    virtual void Alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[], const Datatype sendtypes[],
        void* recvbuf, const int recvcounts[], const int rdispls[], const Datatype recvtypes[]) const
    {
        int others = 0;
        check(Is_inter() ? MPI_Comm_remote_size(handle, &others) : MPI_Comm_size(handle, &others));
        // With MPI::IN_PLACE what would be sent is not looked at.
        internal::Array<MPI_Datatype> sent(sendbuf == MPI_IN_PLACE ? 0 : others, sendtypes), received(others, recvtypes);
        check(MPI_Alltoallw(sendbuf, sendcounts, sdispls, sent, recvbuf, recvcounts, rdispls, received, handle));
    }
    static Intercomm Join(const int fd);
    virtual void Alltoall(const void* sendbuf, int sendcount, const Datatype& sendtype, void* recvbuf, int recvcount,
        const Datatype& recvtype) const
    {
        check(MPI_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, handle));
    }
    virtual bool Get_attr(int comm_keyval, void* attribute_val) const
    {
        int flag = 0;
        check(MPI_Comm_get_attr(handle, comm_keyval, attribute_val, &flag));
        return flag != 0;
    }
    virtual void Barrier() const { check(MPI_Barrier(handle)); }
    virtual void Bcast(void* buffer, int count, const Datatype& datatype, int root) const
    {
        check(MPI_Bcast(buffer, count, datatype, root, handle));
    }
    virtual void Set_attr(int comm_keyval, const void* attribute_val)
    {
        check(MPI_Comm_set_attr(handle, comm_keyval, const_cast<void*>(attribute_val)));
    }
    virtual void Set_name(const char* comm_name) { check(MPI_Comm_set_name(handle, comm_name)); }
    static Intercomm Get_parent();
    virtual void Alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], const Datatype& sendtype, void* recvbuf,
        const int recvcounts[], const int rdispls[], const Datatype& recvtype) const
    {
        check(MPI_Alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, handle));
    }
    virtual void Reduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[], const Datatype& datatype,
        const Op& op) const
    {
        check(MPI_Reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, handle));
    }
    virtual void Scatter(const void* sendbuf, int sendcount, const Datatype& sendtype, void* recvbuf, int recvcount,
        const Datatype& recvtype, int root) const
    {
        check(MPI_Scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, handle));
    }
    virtual void Gather(const void* sendbuf, int sendcount, const Datatype& sendtype, void* recvbuf, int recvcount,
        const Datatype& recvtype, int root) const
    {
        check(MPI_Gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, handle));
    }
    static void Free_keyval(int& comm_keyval) { internal::check(MPI_Comm_free_keyval(&comm_keyval)); }
    virtual void Reduce(const void* sendbuf, void* recvbuf, int count, const Datatype& datatype, const Op& op, int root) const
    {
        check(MPI_Reduce(sendbuf, recvbuf, count, datatype, op, root, handle));
    }
    virtual void Allgather(const void* sendbuf, int sendcount, const Datatype& sendtype, void* recvbuf, int recvcount,
        const Datatype& recvtype) const
    {
        check(MPI_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, handle));
    }
    virtual void Delete_attr(int comm_keyval) { check(MPI_Comm_delete_attr(handle, comm_keyval)); }
    virtual void Scatterv(const void* sendbuf, const int sendcounts[], const int displs[], const Datatype& sendtype, void* recvbuf,
        int recvcount, const Datatype& recvtype, int root) const
    {
        check(MPI_Scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, handle));
    }
    virtual void Get_name(char* comm_name, int& resultlen) const { check(MPI_Comm_get_name(handle, comm_name, &resultlen)); }
    virtual void Allgatherv(const void* sendbuf, int sendcount, const Datatype& sendtype, void* recvbuf, const int recvcounts[],
        const int displs[], const Datatype& recvtype) const
    {
        check(MPI_Allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, handle));
    }
    virtual Comm& Clone() const = 0;
    virtual void Call_errhandler(int errorcode) const;
    virtual void Reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount, const Datatype& datatype,
        const Op& op) const
    {
        check(MPI_Reduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, handle));
    }

    static Errhandler Create_errhandler(Errhandler_function* function);
    static int Create_keyval(Copy_attr_function* copy, Delete_attr_function* remove, void* extra_state);
    static int NULL_COPY_FN(const Comm&, int, void*, void*, void*, bool& flag)
    {
        flag = false;
        return MPI_SUCCESS;
    }
    static int NULL_DELETE_FN(Comm&, int, void*, void*) { return MPI_SUCCESS; }
    static int DUP_FN(const Comm&, int, void*, void* attribute_val_in, void* attribute_val_out, bool& flag)
    {
        *static_cast<void**>(attribute_val_out) = attribute_val_in;
        flag = true;
        return MPI_SUCCESS;
    }
};

/* The class of MPI::COMM_NULL. */
class Nullcomm : public Comm {
public:
    Nullcomm() {}
    Nullcomm(MPI_Comm comm) : Comm(comm) {}
    Nullcomm(const Nullcomm& other) : Comm(other) {}
    Nullcomm(const Comm& other) : Comm(other) {}
    virtual ~Nullcomm() {}
    Nullcomm& operator=(const Nullcomm& other) { return *this = other.handle; }
    Nullcomm& operator=(const Comm& other) { return *this = static_cast<MPI_Comm>(other); }
    Nullcomm& operator=(const MPI_Comm& comm)
    {
        handle = comm;
        return *this;
    }

    virtual Nullcomm& Clone() const { return *new Nullcomm(*this); }
};

class Intercomm : public Comm {
public:
    Intercomm() {}
    Intercomm(MPI_Comm comm) : Comm(comm) {}
    Intercomm(const Intercomm& other) : Comm(other) {}
    Intercomm(const Comm& other) : Comm(other) {}
    virtual ~Intercomm() {}
    Intercomm& operator=(const Intercomm& other) { return *this = other.handle; }
    Intercomm& operator=(const Comm& other) { return *this = static_cast<MPI_Comm>(other); }
    Intercomm& operator=(const MPI_Comm& comm)
    {
        handle = comm;
        return *this;
    }

    virtual Intracomm Merge(bool high) const;
    virtual Group Get_remote_group() const
    {
        Group group;
        check(MPI_Comm_remote_group(handle, group));
        return group;
    }
    virtual int Get_remote_size() const
    {
        int size = MPI_UNDEFINED;
        check(MPI_Comm_remote_size(handle, &size));
        return size;
    }
    Intercomm Dup() const
    {
        Intercomm made;
        check(MPI_Comm_dup(handle, &made.handle));
        return made;
    }
    virtual Intercomm Split(int color, int key) const
    {
        Intercomm made;
        check(MPI_Comm_split(handle, color, key, &made.handle));
        return made;
    }
    virtual Intercomm& Clone() const { return *new Intercomm(Dup()); }

    Intercomm Create(const Group& group) const
    {
        Intercomm made;
        check(MPI_Comm_create(handle, group, &made.handle));
        return made;
    }
};

}
