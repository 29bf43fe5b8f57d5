// Collective operations.

#include "classes.h"

#include <vector>

namespace MPI {

void Comm::Barrier() const { MPI_Barrier(handle); }

void Comm::Bcast(void* buffer, int count, const Datatype& datatype, int root) const
{
    MPI_Bcast(buffer, count, datatype, root, handle);
}

void Comm::Gather(const void* sendbuf, int sendcount, const Datatype& sendtype, void* recvbuf, int recvcount,
    const Datatype& recvtype, int root) const
{
    MPI_Gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, handle);
}

void Comm::Gatherv(const void* sendbuf, int sendcount, const Datatype& sendtype, void* recvbuf, const int recvcounts[],
    const int displs[], const Datatype& recvtype, int root) const
{
    MPI_Gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, handle);
}

void Comm::Scatter(const void* sendbuf, int sendcount, const Datatype& sendtype, void* recvbuf, int recvcount,
    const Datatype& recvtype, int root) const
{
    MPI_Scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, handle);
}

void Comm::Scatterv(const void* sendbuf, const int sendcounts[], const int displs[], const Datatype& sendtype, void* recvbuf,
    int recvcount, const Datatype& recvtype, int root) const
{
    MPI_Scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, handle);
}

void Comm::Allgather(const void* sendbuf, int sendcount, const Datatype& sendtype, void* recvbuf, int recvcount,
    const Datatype& recvtype) const
{
    MPI_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, handle);
}

void Comm::Allgatherv(const void* sendbuf, int sendcount, const Datatype& sendtype, void* recvbuf, const int recvcounts[],
    const int displs[], const Datatype& recvtype) const
{
    MPI_Allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, handle);
}

void Comm::Alltoall(const void* sendbuf, int sendcount, const Datatype& sendtype, void* recvbuf, int recvcount,
    const Datatype& recvtype) const
{
    MPI_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, handle);
}

void Comm::Alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], const Datatype& sendtype, void* recvbuf,
    const int recvcounts[], const int rdispls[], const Datatype& recvtype) const
{
    MPI_Alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, handle);
}

// A datatype for each process that is spoken with: those of the other group, if there is one.
void Comm::Alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[], const Datatype sendtypes[],
    void* recvbuf, const int recvcounts[], const int rdispls[], const Datatype recvtypes[]) const
{
    int size = 0;
    (Is_inter() ? MPI_Comm_remote_size : MPI_Comm_size)(handle, &size);
    const void* const in_place = reinterpret_cast<void*>(1);
    std::vector<MPI_Datatype> sent, received(recvtypes, recvtypes + size);
    if (sendbuf != in_place)
        sent.assign(sendtypes, sendtypes + size);
    MPI_Alltoallw(
        sendbuf, sendcounts, sdispls, sent.data(), recvbuf, recvcounts, rdispls, received.data(), handle);
}

void Comm::Reduce(const void* sendbuf, void* recvbuf, int count, const Datatype& datatype, const Op& op, int root) const
{
    MPI_Reduce(sendbuf, recvbuf, count, datatype, op, root, handle);
}

void Comm::Allreduce(const void* sendbuf, void* recvbuf, int count, const Datatype& datatype, const Op& op) const
{
    MPI_Allreduce(sendbuf, recvbuf, count, datatype, op, handle);
}

void Comm::Reduce_scatter(
    const void* sendbuf, void* recvbuf, int recvcounts[], const Datatype& datatype, const Op& op) const
{
    MPI_Reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, handle);
}

void Intracomm::Scan(const void* sendbuf, void* recvbuf, int count, const Datatype& datatype, const Op& op) const
{
    MPI_Scan(sendbuf, recvbuf, count, datatype, op, handle);
}

void Intracomm::Exscan(const void* sendbuf, void* recvbuf, int count, const Datatype& datatype, const Op& op) const
{
    MPI_Exscan(sendbuf, recvbuf, count, datatype, op, handle);
}

}
