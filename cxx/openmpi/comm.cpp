// Communicators of any kind.

#include "classes.h"

namespace MPI {

Comm::Comm() {}

Comm::Comm(const Comm_Null& data) : Comm_Null(data) {}

void Comm::Send(const void* buf, int count, const Datatype& datatype, int dest, int tag) const
{
    MPI_Send(buf, count, datatype, dest, tag, handle);
}

void Comm::Recv(void* buf, int count, const Datatype& datatype, int source, int tag, Status& status) const
{
    MPI_Recv(buf, count, datatype, source, tag, handle, status.place());
}

void Comm::Recv(void* buf, int count, const Datatype& datatype, int source, int tag) const
{
    MPI_Recv(buf, count, datatype, source, tag, handle, MPI_STATUS_IGNORE);
}

void Comm::Bsend(const void* buf, int count, const Datatype& datatype, int dest, int tag) const
{
    MPI_Bsend(buf, count, datatype, dest, tag, handle);
}

void Comm::Ssend(const void* buf, int count, const Datatype& datatype, int dest, int tag) const
{
    MPI_Ssend(buf, count, datatype, dest, tag, handle);
}

void Comm::Rsend(const void* buf, int count, const Datatype& datatype, int dest, int tag) const
{
    MPI_Rsend(buf, count, datatype, dest, tag, handle);
}

Request Comm::Isend(const void* buf, int count, const Datatype& datatype, int dest, int tag) const
{
    return started(MPI_Isend, buf, count, datatype, dest, tag);
}

Request Comm::Ibsend(const void* buf, int count, const Datatype& datatype, int dest, int tag) const
{
    return started(MPI_Ibsend, buf, count, datatype, dest, tag);
}

Request Comm::Issend(const void* buf, int count, const Datatype& datatype, int dest, int tag) const
{
    return started(MPI_Issend, buf, count, datatype, dest, tag);
}

Request Comm::Irsend(const void* buf, int count, const Datatype& datatype, int dest, int tag) const
{
    return started(MPI_Irsend, buf, count, datatype, dest, tag);
}

Request Comm::Irecv(void* buf, int count, const Datatype& datatype, int source, int tag) const
{
    return started(MPI_Irecv, buf, count, datatype, source, tag);
}

bool Comm::Iprobe(int source, int tag, Status& status) const
{
    int flag = 0;
    MPI_Iprobe(source, tag, handle, &flag, status.place());
    return flag != 0;
}

bool Comm::Iprobe(int source, int tag) const
{
    int flag = 0;
    MPI_Iprobe(source, tag, handle, &flag, MPI_STATUS_IGNORE);
    return flag != 0;
}

void Comm::Probe(int source, int tag, Status& status) const { MPI_Probe(source, tag, handle, status.place()); }

void Comm::Probe(int source, int tag) const { MPI_Probe(source, tag, handle, MPI_STATUS_IGNORE); }

Prequest Comm::Send_init(const void* buf, int count, const Datatype& datatype, int dest, int tag) const
{
    return started(MPI_Send_init, buf, count, datatype, dest, tag);
}

Prequest Comm::Bsend_init(const void* buf, int count, const Datatype& datatype, int dest, int tag) const
{
    return started(MPI_Bsend_init, buf, count, datatype, dest, tag);
}

Prequest Comm::Ssend_init(const void* buf, int count, const Datatype& datatype, int dest, int tag) const
{
    return started(MPI_Ssend_init, buf, count, datatype, dest, tag);
}

Prequest Comm::Rsend_init(const void* buf, int count, const Datatype& datatype, int dest, int tag) const
{
    return started(MPI_Rsend_init, buf, count, datatype, dest, tag);
}

Prequest Comm::Recv_init(void* buf, int count, const Datatype& datatype, int source, int tag) const
{
    return started(MPI_Recv_init, buf, count, datatype, source, tag);
}

void Comm::Sendrecv(const void* sendbuf, int sendcount, const Datatype& sendtype, int dest, int sendtag, void* recvbuf,
    int recvcount, const Datatype& recvtype, int source, int recvtag, Status& status) const
{
    MPI_Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, handle,
        status.place());
}

void Comm::Sendrecv(const void* sendbuf, int sendcount, const Datatype& sendtype, int dest, int sendtag, void* recvbuf,
    int recvcount, const Datatype& recvtype, int source, int recvtag) const
{
    MPI_Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, handle,
        MPI_STATUS_IGNORE);
}

void Comm::Sendrecv_replace(
    void* buf, int count, const Datatype& datatype, int dest, int sendtag, int source, int recvtag, Status& status) const
{
    MPI_Sendrecv_replace(buf, count, datatype, dest, sendtag, source, recvtag, handle, status.place());
}

void Comm::Sendrecv_replace(
    void* buf, int count, const Datatype& datatype, int dest, int sendtag, int source, int recvtag) const
{
    MPI_Sendrecv_replace(buf, count, datatype, dest, sendtag, source, recvtag, handle, MPI_STATUS_IGNORE);
}

Group Comm::Get_group() const
{
    MPI_Group group = OMPI_OBJECT(MPI_Group, ompi_mpi_group_null);
    MPI_Comm_group(handle, &group);
    return group;
}

int Comm::Get_size() const
{
    int size = 0;
    MPI_Comm_size(handle, &size);
    return size;
}

int Comm::Get_rank() const
{
    int rank = 0;
    MPI_Comm_rank(handle, &rank);
    return rank;
}

void Comm::Free() { MPI_Comm_free(&handle); }

bool Comm::Is_inter() const
{
    int flag = 0;
    MPI_Comm_test_inter(handle, &flag);
    return flag != 0;
}

void Comm::Disconnect() { MPI_Comm_disconnect(&handle); }

void Comm::Get_name(char* name, int& resultlen) const { MPI_Comm_get_name(handle, name, &resultlen); }

void Comm::Set_name(const char* name) { MPI_Comm_set_name(handle, name); }

int Comm::Get_topology() const
{
    int topology = 0;
    MPI_Topo_test(handle, &topology);
    return topology;
}

void Comm::Abort(int errorcode) { MPI_Abort(handle, errorcode); }

void Comm::Set_errhandler(const Errhandler& errhandler) { MPI_Comm_set_errhandler(handle, errhandler); }

Errhandler Comm::Get_errhandler() const
{
    MPI_Errhandler errhandler = OMPI_OBJECT(MPI_Errhandler, ompi_mpi_errhandler_null);
    MPI_Comm_get_errhandler(handle, &errhandler);
    return errhandler;
}

void Comm::Set_attr(int keyval, const void* value) const { MPI_Comm_set_attr(handle, keyval, const_cast<void*>(value)); }

bool Comm::Get_attr(int keyval, void* value) const
{
    int flag = 0;
    MPI_Comm_get_attr(handle, keyval, value, &flag);
    return flag != 0;
}

void Comm::Delete_attr(int keyval) { MPI_Comm_delete_attr(handle, keyval); }

}
