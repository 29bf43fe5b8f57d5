// The functions of the classes that are not inline: those that need a class which is declared later, and one virtual function of each
// class that has many, by which the compiler knows where the class's table of virtual functions belongs.

#include <mpi.h>

namespace MPI {

using internal::check;

void MPIR_CXX_InitDatatypeNames()
{
    static const bool once = [] {
        MPI_Type_set_name(MPI_CXX_BOOL, "MPI::BOOL");
        MPI_Type_set_name(MPI_CXX_FLOAT_COMPLEX, "MPI::COMPLEX");
        MPI_Type_set_name(MPI_CXX_DOUBLE_COMPLEX, "MPI::DOUBLE_COMPLEX");
        MPI_Type_set_name(MPI_CXX_LONG_DOUBLE_COMPLEX, "MPI::LONG_DOUBLE_COMPLEX");
        return true;
    }();
    (void)once;
}

int Datatype::Pack_size(int incount, const Comm& comm) const
{
    int size = MPI_UNDEFINED;
    check(MPI_Pack_size(incount, handle, comm, &size), comm);
    return size;
}

void Datatype::Pack(const void* inbuf, int incount, void* outbuf, int outsize, int& position, const Comm& comm) const
{
    check(MPI_Pack(inbuf, incount, handle, outbuf, outsize, &position, comm), comm);
}

void Datatype::Unpack(const void* inbuf, int insize, void* outbuf, int outcount, int& position, const Comm& comm) const
{
    check(MPI_Unpack(inbuf, insize, &position, outbuf, outcount, handle, comm), comm);
}

Intercomm Comm::Join(const int fd)
{
    Intercomm made;
    internal::check(MPI_Comm_join(fd, made));
    return made;
}

Intercomm Comm::Get_parent()
{
    Intercomm parent;
    internal::check(MPI_Comm_get_parent(parent));
    return parent;
}

Intracomm Intercomm::Merge(bool high) const
{
    Intracomm made;
    check(MPI_Intercomm_merge(handle, high, made));
    return made;
}

Graphcomm Intracomm::Create_graph(int nnodes, const int index[], const int edges[], bool reorder) const
{
    Graphcomm made;
    check(MPI_Graph_create(handle, nnodes, index, edges, reorder, made));
    return made;
}

Cartcomm Intracomm::Create_cart(int ndims, const int dims[], const bool periods[], bool reorder) const
{
    Cartcomm made;
    internal::Array<int> plain(ndims, periods);
    check(MPI_Cart_create(handle, ndims, dims, plain, reorder, made));
    return made;
}

}
