// Communicators of any kind.

namespace MPI {

class Comm_Null {
protected:
    MPI_Comm handle;

public:
    Comm_Null() : handle(OMPI_OBJECT(MPI_Comm, ompi_mpi_comm_null)) {}
    Comm_Null(const Comm_Null& other) : handle(other.handle) {}
    Comm_Null(MPI_Comm made) : handle(made) {}
    virtual ~Comm_Null() {}
    operator MPI_Comm() const { return handle; }
};

class Comm : public Comm_Null {
    // The request of a call that starts one: the function of C, and its arguments but the last two.
    template <class Function, class Buffer>
    MPI_Request started(Function start, Buffer buf, int count, MPI_Datatype datatype, int rank, int tag) const
    {
        MPI_Request request = OMPI_OBJECT(MPI_Request, ompi_request_null);
        start(buf, count, datatype, rank, tag, handle, &request);
        return request;
    }

public:
    typedef void Errhandler_function(Comm& comm, int* errorcode, ...);
    typedef int Copy_attr_function(const Comm& oldcomm, int keyval, void* extra_state, void* value, void* copied, bool& flag);
    typedef int Delete_attr_function(Comm& comm, int keyval, void* value, void* extra_state);

    Comm();
    Comm(const Comm_Null& data);
    Comm(const Comm& other) : Comm_Null(other.handle) {}
    Comm(MPI_Comm made) : Comm_Null(made) {}

    virtual void Send(const void* buf, int count, const Datatype& datatype, int dest, int tag) const;
    virtual void Recv(void* buf, int count, const Datatype& datatype, int source, int tag, Status& status) const;
    virtual void Recv(void* buf, int count, const Datatype& datatype, int source, int tag) const;
    virtual void Bsend(const void* buf, int count, const Datatype& datatype, int dest, int tag) const;
    virtual void Ssend(const void* buf, int count, const Datatype& datatype, int dest, int tag) const;
    virtual void Rsend(const void* buf, int count, const Datatype& datatype, int dest, int tag) const;
    virtual Request Isend(const void* buf, int count, const Datatype& datatype, int dest, int tag) const;
    virtual Request Ibsend(const void* buf, int count, const Datatype& datatype, int dest, int tag) const;
    virtual Request Issend(const void* buf, int count, const Datatype& datatype, int dest, int tag) const;
    virtual Request Irsend(const void* buf, int count, const Datatype& datatype, int dest, int tag) const;
    virtual Request Irecv(void* buf, int count, const Datatype& datatype, int source, int tag) const;
    virtual bool Iprobe(int source, int tag, Status& status) const;
    virtual bool Iprobe(int source, int tag) const;
    virtual void Probe(int source, int tag, Status& status) const;
    virtual void Probe(int source, int tag) const;
    virtual Prequest Send_init(const void* buf, int count, const Datatype& datatype, int dest, int tag) const;
    virtual Prequest Bsend_init(const void* buf, int count, const Datatype& datatype, int dest, int tag) const;
    virtual Prequest Ssend_init(const void* buf, int count, const Datatype& datatype, int dest, int tag) const;
    virtual Prequest Rsend_init(const void* buf, int count, const Datatype& datatype, int dest, int tag) const;
    virtual Prequest Recv_init(void* buf, int count, const Datatype& datatype, int source, int tag) const;
    virtual void Sendrecv(const void* sendbuf, int sendcount, const Datatype& sendtype, int dest, int sendtag, void* recvbuf,
        int recvcount, const Datatype& recvtype, int source, int recvtag, Status& status) const;
    virtual void Sendrecv(const void* sendbuf, int sendcount, const Datatype& sendtype, int dest, int sendtag, void* recvbuf,
        int recvcount, const Datatype& recvtype, int source, int recvtag) const;
    virtual void Sendrecv_replace(
        void* buf, int count, const Datatype& datatype, int dest, int sendtag, int source, int recvtag, Status& status) const;
    virtual void Sendrecv_replace(
        void* buf, int count, const Datatype& datatype, int dest, int sendtag, int source, int recvtag) const;

    virtual Group Get_group() const;
    virtual int Get_size() const;
    virtual int Get_rank() const;
    virtual Comm& Clone() const = 0;
    virtual void Free();
    virtual bool Is_inter() const;

    virtual void Barrier() const;
    virtual void Bcast(void* buffer, int count, const Datatype& datatype, int root) const;
    virtual void Gather(const void* sendbuf, int sendcount, const Datatype& sendtype, void* recvbuf, int recvcount,
        const Datatype& recvtype, int root) const;
    virtual void Gatherv(const void* sendbuf, int sendcount, const Datatype& sendtype, void* recvbuf, const int recvcounts[],
        const int displs[], const Datatype& recvtype, int root) const;
    virtual void Scatter(const void* sendbuf, int sendcount, const Datatype& sendtype, void* recvbuf, int recvcount,
        const Datatype& recvtype, int root) const;
    virtual void Scatterv(const void* sendbuf, const int sendcounts[], const int displs[], const Datatype& sendtype, void* recvbuf,
        int recvcount, const Datatype& recvtype, int root) const;
    virtual void Allgather(const void* sendbuf, int sendcount, const Datatype& sendtype, void* recvbuf, int recvcount,
        const Datatype& recvtype) const;
    virtual void Allgatherv(const void* sendbuf, int sendcount, const Datatype& sendtype, void* recvbuf, const int recvcounts[],
        const int displs[], const Datatype& recvtype) const;
    virtual void Alltoall(const void* sendbuf, int sendcount, const Datatype& sendtype, void* recvbuf, int recvcount,
        const Datatype& recvtype) const;
    virtual void Alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], const Datatype& sendtype,
        void* recvbuf, const int recvcounts[], const int rdispls[], const Datatype& recvtype) const;
    virtual void Alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[], const Datatype sendtypes[],
        void* recvbuf, const int recvcounts[], const int rdispls[], const Datatype recvtypes[]) const;
    virtual void Reduce(
        const void* sendbuf, void* recvbuf, int count, const Datatype& datatype, const Op& op, int root) const;
    virtual void Allreduce(const void* sendbuf, void* recvbuf, int count, const Datatype& datatype, const Op& op) const;
    virtual void Reduce_scatter(
        const void* sendbuf, void* recvbuf, int recvcounts[], const Datatype& datatype, const Op& op) const;

    virtual void Disconnect();
    virtual void Get_name(char* name, int& resultlen) const;
    virtual void Set_name(const char* name);
    virtual int Get_topology() const;
    virtual void Abort(int errorcode);
    static Errhandler Create_errhandler(Errhandler_function* function);
    virtual void Set_errhandler(const Errhandler& errhandler);
    virtual Errhandler Get_errhandler() const;

protected:
    static int do_create_keyval(MPI_Comm_copy_attr_function* c_copy, MPI_Comm_delete_attr_function* c_remove,
        Copy_attr_function* copy, Delete_attr_function* remove, void* extra_state, int& keyval);

public:
    virtual void Set_attr(int keyval, const void* value) const;
    virtual bool Get_attr(int keyval, void* value) const;
    virtual void Delete_attr(int keyval);
};

}
