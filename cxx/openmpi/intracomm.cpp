// Communicators by their kinds.

#include "classes.h"

#include <vector>

namespace MPI {

// One of another kind is none.
Intracomm::Intracomm(MPI_Comm data) : Comm(data)
{
    int initialized = 0, is_inter = 0;
    MPI_Initialized(&initialized);
    if (!initialized || data == OMPI_OBJECT(MPI_Comm, ompi_mpi_comm_null))
        return;
    MPI_Comm_test_inter(data, &is_inter);
    if (is_inter)
        handle = OMPI_OBJECT(MPI_Comm, ompi_mpi_comm_null);
}

Intracomm& Intracomm::Clone() const { return *new Intracomm(made_comm(MPI_Comm_dup, handle)); }

Intracomm Intracomm::Create(const Group& group) const { return made_comm(MPI_Comm_create, handle, MPI_Group(group)); }

Intracomm Intracomm::Split(int color, int key) const { return made_comm(MPI_Comm_split, handle, color, key); }

Intercomm Intracomm::Create_intercomm(int local_leader, const Comm& peer_comm, int remote_leader, int tag) const
{
    return made_comm(MPI_Intercomm_create, handle, local_leader, MPI_Comm(peer_comm), remote_leader, tag);
}

Cartcomm Intracomm::Create_cart(int ndims, const int dims[], const bool periods[], bool reorder) const
{
    Flags flags(ndims, periods);
    return Cartcomm(made_comm(MPI_Cart_create, handle, ndims, dims, static_cast<int*>(flags), int(reorder)));
}

Graphcomm Intracomm::Create_graph(int nnodes, const int index[], const int edges[], bool reorder) const
{
    return Graphcomm(made_comm(MPI_Graph_create, handle, nnodes, index, edges, int(reorder)));
}

Intercomm Intracomm::Accept(const char* port_name, const Info& info, int root) const
{
    return made_comm(MPI_Comm_accept, port_name, MPI_Info(info), root, handle);
}

Intercomm Intracomm::Connect(const char* port_name, const Info& info, int root) const
{
    return made_comm(MPI_Comm_connect, port_name, MPI_Info(info), root, handle);
}

Intercomm Intracomm::Spawn(const char* command, const char* argv[], int maxprocs, const Info& info, int root) const
{
    return Spawn(command, argv, maxprocs, info, root, MPI_ERRCODES_IGNORE);
}

Intercomm Intracomm::Spawn(
    const char* command, const char* argv[], int maxprocs, const Info& info, int root, int errcodes[]) const
{
    MPI_Comm made = OMPI_OBJECT(MPI_Comm, ompi_mpi_comm_null);
    MPI_Comm_spawn(command, const_cast<char**>(argv), maxprocs, info, root, handle, &made, errcodes);
    return made;
}

Intercomm Intracomm::Spawn_multiple(int count, const char* commands[], const char** argvs[], const int maxprocs[],
    const Info infos[], int root)
{
    return Spawn_multiple(count, commands, argvs, maxprocs, infos, root, MPI_ERRCODES_IGNORE);
}

Intercomm Intracomm::Spawn_multiple(int count, const char* commands[], const char** argvs[], const int maxprocs[],
    const Info infos[], int root, int errcodes[])
{
    MPI_Comm made = OMPI_OBJECT(MPI_Comm, ompi_mpi_comm_null);
    std::vector<MPI_Info> handles(infos, infos + (count > 0 ? count : 0));
    MPI_Comm_spawn_multiple(count, const_cast<char**>(commands), const_cast<char***>(argvs), maxprocs, handles.data(), root,
        handle, &made, errcodes);
    return made;
}

Intercomm& Intercomm::Clone() const { return *new Intercomm(made_comm(MPI_Comm_dup, handle)); }

int Intercomm::Get_remote_size() const
{
    int size = 0;
    MPI_Comm_remote_size(handle, &size);
    return size;
}

Group Intercomm::Get_remote_group() const
{
    MPI_Group group = OMPI_OBJECT(MPI_Group, ompi_mpi_group_null);
    MPI_Comm_remote_group(handle, &group);
    return group;
}

Intracomm Intercomm::Merge(bool high) const { return made_comm(MPI_Intercomm_merge, handle, int(high)); }

Intercomm Intercomm::Create(const Group& group) const { return made_comm(MPI_Comm_create, handle, MPI_Group(group)); }

Intercomm Intercomm::Split(int color, int key) const { return made_comm(MPI_Comm_split, handle, color, key); }

Cartcomm& Cartcomm::Clone() const { return *new Cartcomm(made_comm(MPI_Comm_dup, handle)); }

int Cartcomm::Get_dim() const
{
    int ndims = 0;
    MPI_Cartdim_get(handle, &ndims);
    return ndims;
}

void Cartcomm::Get_topo(int maxdims, int dims[], bool periods[], int coords[]) const
{
    Flags flags(maxdims);
    if (MPI_Cart_get(handle, maxdims, dims, flags, coords) != MPI_SUCCESS)
        return;
    for (int i = 0; i < maxdims && i < Get_dim(); i++)
        periods[i] = flags[i] != 0;
}

int Cartcomm::Get_cart_rank(const int coords[]) const
{
    int rank = 0;
    MPI_Cart_rank(handle, coords, &rank);
    return rank;
}

void Cartcomm::Get_coords(int rank, int maxdims, int coords[]) const { MPI_Cart_coords(handle, rank, maxdims, coords); }

void Cartcomm::Shift(int direction, int disp, int& rank_source, int& rank_dest) const
{
    MPI_Cart_shift(handle, direction, disp, &rank_source, &rank_dest);
}

Cartcomm Cartcomm::Sub(const bool remain_dims[]) const
{
    Flags flags(Get_dim(), remain_dims);
    return Cartcomm(made_comm(MPI_Cart_sub, handle, static_cast<int*>(flags)));
}

int Cartcomm::Map(int ndims, const int dims[], const bool periods[]) const
{
    int rank = 0;
    Flags flags(ndims, periods);
    MPI_Cart_map(handle, ndims, dims, flags, &rank);
    return rank;
}

Graphcomm& Graphcomm::Clone() const { return *new Graphcomm(made_comm(MPI_Comm_dup, handle)); }

void Graphcomm::Get_dims(int nnodes[], int nedges[]) const { MPI_Graphdims_get(handle, nnodes, nedges); }

void Graphcomm::Get_topo(int maxindex, int maxedges, int index[], int edges[]) const
{
    MPI_Graph_get(handle, maxindex, maxedges, index, edges);
}

int Graphcomm::Get_neighbors_count(int rank) const
{
    int neighbors = 0;
    MPI_Graph_neighbors_count(handle, rank, &neighbors);
    return neighbors;
}

void Graphcomm::Get_neighbors(int rank, int maxneighbors, int neighbors[]) const
{
    MPI_Graph_neighbors(handle, rank, maxneighbors, neighbors);
}

int Graphcomm::Map(int nnodes, const int index[], const int edges[]) const
{
    int rank = 0;
    MPI_Graph_map(handle, nnodes, index, edges, &rank);
    return rank;
}

}
