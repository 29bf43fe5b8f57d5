// The functions of C that the inline functions of Open MPI's classes call: name, parameters, arguments. (No guard: one file declares
// what the other defines.)

FUNCTION(MPI_Abort, (MPI_Comm comm, int errorcode), (comm, errorcode))
FUNCTION(MPI_Accumulate, (const void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint
    target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win), (origin_addr, origin_count,
    origin_datatype, target_rank, target_disp, target_count, target_datatype, op, win))
FUNCTION(MPI_Add_error_class, (int* errorclass), (errorclass))
FUNCTION(MPI_Add_error_code, (int errorclass, int* errorcode), (errorclass, errorcode))
FUNCTION(MPI_Add_error_string, (int errorcode, const char* string), (errorcode, string))
FUNCTION(MPI_Allgather, (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype
    recvtype, MPI_Comm comm), (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm))
FUNCTION(MPI_Allgatherv, (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int* recvcounts,
    const int* displs, MPI_Datatype recvtype, MPI_Comm comm), (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs,
    recvtype, comm))
FUNCTION(MPI_Alloc_mem, (MPI_Aint size, MPI_Info info, void* baseptr), (size, info, baseptr))
FUNCTION(MPI_Allreduce, (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm),
    (sendbuf, recvbuf, count, datatype, op, comm))
FUNCTION(MPI_Alltoall, (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype
    recvtype, MPI_Comm comm), (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm))
FUNCTION(MPI_Alltoallv, (const void* sendbuf, const int* sendcounts, const int* sdispls, MPI_Datatype sendtype, void* recvbuf,
    const int* recvcounts, const int* rdispls, MPI_Datatype recvtype, MPI_Comm comm), (sendbuf, sendcounts, sdispls, sendtype,
    recvbuf, recvcounts, rdispls, recvtype, comm))
FUNCTION(MPI_Alltoallw, (const void* sendbuf, const int* sendcounts, const int* sdispls, const MPI_Datatype* sendtypes, void*
    recvbuf, const int* recvcounts, const int* rdispls, const MPI_Datatype* recvtypes, MPI_Comm comm), (sendbuf, sendcounts,
    sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm))
FUNCTION(MPI_Barrier, (MPI_Comm comm), (comm))
FUNCTION(MPI_Bcast, (void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm), (buffer, count, datatype, root,
    comm))
FUNCTION(MPI_Bsend, (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm), (buf, count,
    datatype, dest, tag, comm))
FUNCTION(MPI_Bsend_init, (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request*
    request), (buf, count, datatype, dest, tag, comm, request))
FUNCTION(MPI_Buffer_attach, (void* buffer, int size), (buffer, size))
FUNCTION(MPI_Buffer_detach, (void* buffer_addr, int* size), (buffer_addr, size))
FUNCTION(MPI_Cancel, (MPI_Request* request), (request))
FUNCTION(MPI_Cart_coords, (MPI_Comm comm, int rank, int maxdims, int* coords), (comm, rank, maxdims, coords))
FUNCTION(MPI_Cart_create, (MPI_Comm comm_old, int ndims, const int* dims, const int* periods, int reorder, MPI_Comm*
    comm_cart), (comm_old, ndims, dims, periods, reorder, comm_cart))
FUNCTION(MPI_Cart_get, (MPI_Comm comm, int maxdims, int* dims, int* periods, int* coords), (comm, maxdims, dims, periods,
    coords))
FUNCTION(MPI_Cart_map, (MPI_Comm comm, int ndims, const int* dims, const int* periods, int* newrank), (comm, ndims, dims,
    periods, newrank))
FUNCTION(MPI_Cart_rank, (MPI_Comm comm, const int* coords, int* rank), (comm, coords, rank))
FUNCTION(MPI_Cart_shift, (MPI_Comm comm, int direction, int disp, int* rank_source, int* rank_dest), (comm, direction, disp,
    rank_source, rank_dest))
FUNCTION(MPI_Cart_sub, (MPI_Comm comm, const int* remain_dims, MPI_Comm* newcomm), (comm, remain_dims, newcomm))
FUNCTION(MPI_Cartdim_get, (MPI_Comm comm, int* ndims), (comm, ndims))
FUNCTION(MPI_Close_port, (const char* port_name), (port_name))
FUNCTION(MPI_Comm_accept, (const char* port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* newcomm), (port_name,
    info, root, comm, newcomm))
FUNCTION(MPI_Comm_compare, (MPI_Comm comm1, MPI_Comm comm2, int* result), (comm1, comm2, result))
FUNCTION(MPI_Comm_connect, (const char* port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* newcomm), (port_name,
    info, root, comm, newcomm))
FUNCTION(MPI_Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm), (comm, group, newcomm))
FUNCTION(MPI_Comm_delete_attr, (MPI_Comm comm, int comm_keyval), (comm, comm_keyval))
FUNCTION(MPI_Comm_disconnect, (MPI_Comm* comm), (comm))
FUNCTION(MPI_Comm_dup, (MPI_Comm comm, MPI_Comm* newcomm), (comm, newcomm))
FUNCTION(MPI_Comm_free, (MPI_Comm* comm), (comm))
FUNCTION(MPI_Comm_free_keyval, (int* comm_keyval), (comm_keyval))
FUNCTION(MPI_Comm_get_attr, (MPI_Comm comm, int comm_keyval, void* attribute_val, int* flag), (comm, comm_keyval,
    attribute_val, flag))
FUNCTION(MPI_Comm_get_errhandler, (MPI_Comm comm, MPI_Errhandler* errhandler), (comm, errhandler))
FUNCTION(MPI_Comm_get_name, (MPI_Comm comm, char* comm_name, int* resultlen), (comm, comm_name, resultlen))
FUNCTION(MPI_Comm_get_parent, (MPI_Comm* parent), (parent))
FUNCTION(MPI_Comm_group, (MPI_Comm comm, MPI_Group* group), (comm, group))
FUNCTION(MPI_Comm_join, (int fd, MPI_Comm* intercomm), (fd, intercomm))
FUNCTION(MPI_Comm_rank, (MPI_Comm comm, int* rank), (comm, rank))
FUNCTION(MPI_Comm_remote_group, (MPI_Comm comm, MPI_Group* group), (comm, group))
FUNCTION(MPI_Comm_remote_size, (MPI_Comm comm, int* size), (comm, size))
FUNCTION(MPI_Comm_set_attr, (MPI_Comm comm, int comm_keyval, void* attribute_val), (comm, comm_keyval, attribute_val))
FUNCTION(MPI_Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler errhandler), (comm, errhandler))
FUNCTION(MPI_Comm_set_name, (MPI_Comm comm, const char* comm_name), (comm, comm_name))
FUNCTION(MPI_Comm_size, (MPI_Comm comm, int* size), (comm, size))
FUNCTION(MPI_Comm_spawn, (const char* command, char** argv, int maxprocs, MPI_Info info, int root, MPI_Comm comm, MPI_Comm*
    intercomm, int* array_of_errcodes), (command, argv, maxprocs, info, root, comm, intercomm, array_of_errcodes))
FUNCTION(MPI_Comm_spawn_multiple, (int count, char** array_of_commands, char*** array_of_argv, const int* array_of_maxprocs,
    const MPI_Info* array_of_info, int root, MPI_Comm comm, MPI_Comm* intercomm, int* array_of_errcodes), (count,
    array_of_commands, array_of_argv, array_of_maxprocs, array_of_info, root, comm, intercomm, array_of_errcodes))
FUNCTION(MPI_Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* newcomm), (comm, color, key, newcomm))
FUNCTION(MPI_Comm_test_inter, (MPI_Comm comm, int* flag), (comm, flag))
FUNCTION(MPI_Dims_create, (int nnodes, int ndims, int* dims), (nnodes, ndims, dims))
FUNCTION(MPI_Errhandler_free, (MPI_Errhandler* errhandler), (errhandler))
FUNCTION(MPI_Error_class, (int errorcode, int* errorclass), (errorcode, errorclass))
FUNCTION(MPI_Error_string, (int errorcode, char* string, int* resultlen), (errorcode, string, resultlen))
FUNCTION(MPI_Exscan, (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm),
    (sendbuf, recvbuf, count, datatype, op, comm))
FUNCTION(MPI_File_delete, (const char* filename, MPI_Info info), (filename, info))
FUNCTION(MPI_File_get_amode, (MPI_File fh, int* amode), (fh, amode))
FUNCTION(MPI_File_get_atomicity, (MPI_File fh, int* flag), (fh, flag))
FUNCTION(MPI_File_get_byte_offset, (MPI_File fh, MPI_Offset offset, MPI_Offset* disp), (fh, offset, disp))
FUNCTION(MPI_File_get_errhandler, (MPI_File file, MPI_Errhandler* errhandler), (file, errhandler))
FUNCTION(MPI_File_get_group, (MPI_File fh, MPI_Group* group), (fh, group))
FUNCTION(MPI_File_get_info, (MPI_File fh, MPI_Info* info_used), (fh, info_used))
FUNCTION(MPI_File_get_position, (MPI_File fh, MPI_Offset* offset), (fh, offset))
FUNCTION(MPI_File_get_position_shared, (MPI_File fh, MPI_Offset* offset), (fh, offset))
FUNCTION(MPI_File_get_size, (MPI_File fh, MPI_Offset* size), (fh, size))
FUNCTION(MPI_File_get_type_extent, (MPI_File fh, MPI_Datatype datatype, MPI_Aint* extent), (fh, datatype, extent))
FUNCTION(MPI_File_get_view, (MPI_File fh, MPI_Offset* disp, MPI_Datatype* etype, MPI_Datatype* filetype, char* datarep), (fh,
    disp, etype, filetype, datarep))
FUNCTION(MPI_File_iread, (MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Request* request), (fh, buf, count,
    datatype, request))
FUNCTION(MPI_File_iread_at, (MPI_File fh, MPI_Offset offset, void* buf, int count, MPI_Datatype datatype, MPI_Request*
    request), (fh, offset, buf, count, datatype, request))
FUNCTION(MPI_File_iread_shared, (MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Request* request), (fh, buf,
    count, datatype, request))
FUNCTION(MPI_File_iwrite, (MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Request* request), (fh, buf,
    count, datatype, request))
FUNCTION(MPI_File_iwrite_at, (MPI_File fh, MPI_Offset offset, const void* buf, int count, MPI_Datatype datatype, MPI_Request*
    request), (fh, offset, buf, count, datatype, request))
FUNCTION(MPI_File_iwrite_shared, (MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Request* request), (fh,
    buf, count, datatype, request))
FUNCTION(MPI_File_open, (MPI_Comm comm, const char* filename, int amode, MPI_Info info, MPI_File* fh), (comm, filename, amode,
    info, fh))
FUNCTION(MPI_File_preallocate, (MPI_File fh, MPI_Offset size), (fh, size))
FUNCTION(MPI_File_read, (MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Status* status), (fh, buf, count,
    datatype, status))
FUNCTION(MPI_File_read_all, (MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Status* status), (fh, buf, count,
    datatype, status))
FUNCTION(MPI_File_read_all_begin, (MPI_File fh, void* buf, int count, MPI_Datatype datatype), (fh, buf, count, datatype))
FUNCTION(MPI_File_read_all_end, (MPI_File fh, void* buf, MPI_Status* status), (fh, buf, status))
FUNCTION(MPI_File_read_at, (MPI_File fh, MPI_Offset offset, void* buf, int count, MPI_Datatype datatype, MPI_Status* status),
    (fh, offset, buf, count, datatype, status))
FUNCTION(MPI_File_read_at_all, (MPI_File fh, MPI_Offset offset, void* buf, int count, MPI_Datatype datatype, MPI_Status*
    status), (fh, offset, buf, count, datatype, status))
FUNCTION(MPI_File_read_at_all_begin, (MPI_File fh, MPI_Offset offset, void* buf, int count, MPI_Datatype datatype), (fh,
    offset, buf, count, datatype))
FUNCTION(MPI_File_read_at_all_end, (MPI_File fh, void* buf, MPI_Status* status), (fh, buf, status))
FUNCTION(MPI_File_read_ordered, (MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Status* status), (fh, buf,
    count, datatype, status))
FUNCTION(MPI_File_read_ordered_begin, (MPI_File fh, void* buf, int count, MPI_Datatype datatype), (fh, buf, count, datatype))
FUNCTION(MPI_File_read_ordered_end, (MPI_File fh, void* buf, MPI_Status* status), (fh, buf, status))
FUNCTION(MPI_File_read_shared, (MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Status* status), (fh, buf,
    count, datatype, status))
FUNCTION(MPI_File_set_atomicity, (MPI_File fh, int flag), (fh, flag))
FUNCTION(MPI_File_set_errhandler, (MPI_File file, MPI_Errhandler errhandler), (file, errhandler))
FUNCTION(MPI_File_set_info, (MPI_File fh, MPI_Info info), (fh, info))
FUNCTION(MPI_File_set_size, (MPI_File fh, MPI_Offset size), (fh, size))
FUNCTION(MPI_File_set_view, (MPI_File fh, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype, const char* datarep,
    MPI_Info info), (fh, disp, etype, filetype, datarep, info))
FUNCTION(MPI_File_sync, (MPI_File fh), (fh))
FUNCTION(MPI_File_write, (MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Status* status), (fh, buf,
    count, datatype, status))
FUNCTION(MPI_File_write_all, (MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Status* status), (fh, buf,
    count, datatype, status))
FUNCTION(MPI_File_write_all_begin, (MPI_File fh, const void* buf, int count, MPI_Datatype datatype), (fh, buf, count,
    datatype))
FUNCTION(MPI_File_write_all_end, (MPI_File fh, const void* buf, MPI_Status* status), (fh, buf, status))
FUNCTION(MPI_File_write_at, (MPI_File fh, MPI_Offset offset, const void* buf, int count, MPI_Datatype datatype, MPI_Status*
    status), (fh, offset, buf, count, datatype, status))
FUNCTION(MPI_File_write_at_all, (MPI_File fh, MPI_Offset offset, const void* buf, int count, MPI_Datatype datatype,
    MPI_Status* status), (fh, offset, buf, count, datatype, status))
FUNCTION(MPI_File_write_at_all_begin, (MPI_File fh, MPI_Offset offset, const void* buf, int count, MPI_Datatype datatype),
    (fh, offset, buf, count, datatype))
FUNCTION(MPI_File_write_at_all_end, (MPI_File fh, const void* buf, MPI_Status* status), (fh, buf, status))
FUNCTION(MPI_File_write_ordered, (MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Status* status), (fh,
    buf, count, datatype, status))
FUNCTION(MPI_File_write_ordered_begin, (MPI_File fh, const void* buf, int count, MPI_Datatype datatype), (fh, buf, count,
    datatype))
FUNCTION(MPI_File_write_ordered_end, (MPI_File fh, const void* buf, MPI_Status* status), (fh, buf, status))
FUNCTION(MPI_File_write_shared, (MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Status* status), (fh,
    buf, count, datatype, status))
FUNCTION(MPI_Finalize, (), ())
FUNCTION(MPI_Finalized, (int* flag), (flag))
FUNCTION(MPI_Free_mem, (void* base), (base))
FUNCTION(MPI_Gather, (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype
    recvtype, int root, MPI_Comm comm), (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm))
FUNCTION(MPI_Gatherv, (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int* recvcounts, const
    int* displs, MPI_Datatype recvtype, int root, MPI_Comm comm), (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs,
    recvtype, root, comm))
FUNCTION(MPI_Get, (void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
    int target_count, MPI_Datatype target_datatype, MPI_Win win), (origin_addr, origin_count, origin_datatype, target_rank,
    target_disp, target_count, target_datatype, win))
FUNCTION(MPI_Get_address, (const void* location, MPI_Aint* address), (location, address))
FUNCTION(MPI_Get_count, (const MPI_Status* status, MPI_Datatype datatype, int* count), (status, datatype, count))
FUNCTION(MPI_Get_elements, (const MPI_Status* status, MPI_Datatype datatype, int* count), (status, datatype, count))
FUNCTION(MPI_Get_processor_name, (char* name, int* resultlen), (name, resultlen))
FUNCTION(MPI_Get_version, (int* version, int* subversion), (version, subversion))
FUNCTION(MPI_Graph_create, (MPI_Comm comm_old, int nnodes, const int* index, const int* edges, int reorder, MPI_Comm*
    comm_graph), (comm_old, nnodes, index, edges, reorder, comm_graph))
FUNCTION(MPI_Graph_get, (MPI_Comm comm, int maxindex, int maxedges, int* index, int* edges), (comm, maxindex, maxedges, index,
    edges))
FUNCTION(MPI_Graph_map, (MPI_Comm comm, int nnodes, const int* index, const int* edges, int* newrank), (comm, nnodes, index,
    edges, newrank))
FUNCTION(MPI_Graph_neighbors, (MPI_Comm comm, int rank, int maxneighbors, int* neighbors), (comm, rank, maxneighbors,
    neighbors))
FUNCTION(MPI_Graph_neighbors_count, (MPI_Comm comm, int rank, int* nneighbors), (comm, rank, nneighbors))
FUNCTION(MPI_Graphdims_get, (MPI_Comm comm, int* nnodes, int* nedges), (comm, nnodes, nedges))
FUNCTION(MPI_Grequest_complete, (MPI_Request request), (request))
FUNCTION(MPI_Grequest_start, (MPI_Grequest_query_function* query_fn, MPI_Grequest_free_function* free_fn,
    MPI_Grequest_cancel_function* cancel_fn, void* extra_state, MPI_Request* request), (query_fn, free_fn, cancel_fn,
    extra_state, request))
FUNCTION(MPI_Group_compare, (MPI_Group group1, MPI_Group group2, int* result), (group1, group2, result))
FUNCTION(MPI_Group_difference, (MPI_Group group1, MPI_Group group2, MPI_Group* newgroup), (group1, group2, newgroup))
FUNCTION(MPI_Group_excl, (MPI_Group group, int n, const int* ranks, MPI_Group* newgroup), (group, n, ranks, newgroup))
FUNCTION(MPI_Group_free, (MPI_Group* group), (group))
FUNCTION(MPI_Group_incl, (MPI_Group group, int n, const int* ranks, MPI_Group* newgroup), (group, n, ranks, newgroup))
FUNCTION(MPI_Group_intersection, (MPI_Group group1, MPI_Group group2, MPI_Group* newgroup), (group1, group2, newgroup))
FUNCTION(MPI_Group_range_excl, (MPI_Group group, int n, int (*ranges)[3], MPI_Group* newgroup), (group, n, ranges, newgroup))
FUNCTION(MPI_Group_range_incl, (MPI_Group group, int n, int (*ranges)[3], MPI_Group* newgroup), (group, n, ranges, newgroup))
FUNCTION(MPI_Group_rank, (MPI_Group group, int* rank), (group, rank))
FUNCTION(MPI_Group_size, (MPI_Group group, int* size), (group, size))
FUNCTION(MPI_Group_translate_ranks, (MPI_Group group1, int n, const int* ranks1, MPI_Group group2, int* ranks2), (group1, n,
    ranks1, group2, ranks2))
FUNCTION(MPI_Group_union, (MPI_Group group1, MPI_Group group2, MPI_Group* newgroup), (group1, group2, newgroup))
FUNCTION(MPI_Ibsend, (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request*
    request), (buf, count, datatype, dest, tag, comm, request))
FUNCTION(MPI_Info_create, (MPI_Info* info), (info))
FUNCTION(MPI_Info_delete, (MPI_Info info, const char* key), (info, key))
FUNCTION(MPI_Info_dup, (MPI_Info info, MPI_Info* newinfo), (info, newinfo))
FUNCTION(MPI_Info_free, (MPI_Info* info), (info))
FUNCTION(MPI_Info_get, (MPI_Info info, const char* key, int valuelen, char* value, int* flag), (info, key, valuelen, value,
    flag))
FUNCTION(MPI_Info_get_nkeys, (MPI_Info info, int* nkeys), (info, nkeys))
FUNCTION(MPI_Info_get_nthkey, (MPI_Info info, int n, char* key), (info, n, key))
FUNCTION(MPI_Info_get_valuelen, (MPI_Info info, const char* key, int* valuelen, int* flag), (info, key, valuelen, flag))
FUNCTION(MPI_Info_set, (MPI_Info info, const char* key, const char* value), (info, key, value))
FUNCTION(MPI_Init, (int* argc, char*** argv), (argc, argv))
FUNCTION(MPI_Init_thread, (int* argc, char*** argv, int required, int* provided), (argc, argv, required, provided))
FUNCTION(MPI_Initialized, (int* flag), (flag))
FUNCTION(MPI_Intercomm_create, (MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int tag,
    MPI_Comm* newintercomm), (local_comm, local_leader, peer_comm, remote_leader, tag, newintercomm))
FUNCTION(MPI_Intercomm_merge, (MPI_Comm intercomm, int high, MPI_Comm* newintracomm), (intercomm, high, newintracomm))
FUNCTION(MPI_Iprobe, (int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status), (source, tag, comm, flag, status))
FUNCTION(MPI_Irecv, (void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request* request),
    (buf, count, datatype, source, tag, comm, request))
FUNCTION(MPI_Irsend, (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request*
    request), (buf, count, datatype, dest, tag, comm, request))
FUNCTION(MPI_Is_thread_main, (int* flag), (flag))
FUNCTION(MPI_Isend, (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request*
    request), (buf, count, datatype, dest, tag, comm, request))
FUNCTION(MPI_Issend, (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request*
    request), (buf, count, datatype, dest, tag, comm, request))
FUNCTION(MPI_Lookup_name, (const char* service_name, MPI_Info info, char* port_name), (service_name, info, port_name))
FUNCTION(MPI_Op_commutative, (MPI_Op op, int* commute), (op, commute))
FUNCTION(MPI_Op_create, (MPI_User_function* user_fn, int commute, MPI_Op* op), (user_fn, commute, op))
FUNCTION(MPI_Op_free, (MPI_Op* op), (op))
FUNCTION(MPI_Open_port, (MPI_Info info, char* port_name), (info, port_name))
FUNCTION(MPI_Pack, (const void* inbuf, int incount, MPI_Datatype datatype, void* outbuf, int outsize, int* position, MPI_Comm
    comm), (inbuf, incount, datatype, outbuf, outsize, position, comm))
FUNCTION(MPI_Pack_external, (const char* datarep, const void* inbuf, int incount, MPI_Datatype datatype, void* outbuf,
    MPI_Aint outsize, MPI_Aint* position), (datarep, inbuf, incount, datatype, outbuf, outsize, position))
FUNCTION(MPI_Pack_external_size, (const char* datarep, int incount, MPI_Datatype datatype, MPI_Aint* size), (datarep, incount,
    datatype, size))
FUNCTION(MPI_Pack_size, (int incount, MPI_Datatype datatype, MPI_Comm comm, int* size), (incount, datatype, comm, size))
FUNCTION(MPI_Probe, (int source, int tag, MPI_Comm comm, MPI_Status* status), (source, tag, comm, status))
FUNCTION(MPI_Publish_name, (const char* service_name, MPI_Info info, const char* port_name), (service_name, info, port_name))
FUNCTION(MPI_Put, (const void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint
    target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win), (origin_addr, origin_count, origin_datatype,
    target_rank, target_disp, target_count, target_datatype, win))
FUNCTION(MPI_Query_thread, (int* provided), (provided))
FUNCTION(MPI_Recv, (void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status* status),
    (buf, count, datatype, source, tag, comm, status))
FUNCTION(MPI_Recv_init, (void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request*
    request), (buf, count, datatype, source, tag, comm, request))
FUNCTION(MPI_Reduce, (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm
    comm), (sendbuf, recvbuf, count, datatype, op, root, comm))
FUNCTION(MPI_Reduce_local, (const void* inbuf, void* inoutbuf, int count, MPI_Datatype datatype, MPI_Op op), (inbuf, inoutbuf,
    count, datatype, op))
FUNCTION(MPI_Reduce_scatter, (const void* sendbuf, void* recvbuf, const int* recvcounts, MPI_Datatype datatype, MPI_Op op,
    MPI_Comm comm), (sendbuf, recvbuf, recvcounts, datatype, op, comm))
FUNCTION(MPI_Request_free, (MPI_Request* request), (request))
FUNCTION(MPI_Request_get_status, (MPI_Request request, int* flag, MPI_Status* status), (request, flag, status))
FUNCTION(MPI_Rsend, (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm), (buf, count,
    datatype, dest, tag, comm))
FUNCTION(MPI_Rsend_init, (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request*
    request), (buf, count, datatype, dest, tag, comm, request))
FUNCTION(MPI_Scan, (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm), (sendbuf,
    recvbuf, count, datatype, op, comm))
FUNCTION(MPI_Scatter, (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype
    recvtype, int root, MPI_Comm comm), (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm))
FUNCTION(MPI_Scatterv, (const void* sendbuf, const int* sendcounts, const int* displs, MPI_Datatype sendtype, void* recvbuf,
    int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm), (sendbuf, sendcounts, displs, sendtype, recvbuf,
    recvcount, recvtype, root, comm))
FUNCTION(MPI_Send, (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm), (buf, count,
    datatype, dest, tag, comm))
FUNCTION(MPI_Send_init, (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request*
    request), (buf, count, datatype, dest, tag, comm, request))
FUNCTION(MPI_Sendrecv, (const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf, int
    recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status* status), (sendbuf, sendcount,
    sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm, status))
FUNCTION(MPI_Sendrecv_replace, (void* buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag,
    MPI_Comm comm, MPI_Status* status), (buf, count, datatype, dest, sendtag, source, recvtag, comm, status))
FUNCTION(MPI_Ssend, (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm), (buf, count,
    datatype, dest, tag, comm))
FUNCTION(MPI_Ssend_init, (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request*
    request), (buf, count, datatype, dest, tag, comm, request))
FUNCTION(MPI_Start, (MPI_Request* request), (request))
FUNCTION(MPI_Startall, (int count, MPI_Request* array_of_requests), (count, array_of_requests))
FUNCTION(MPI_Status_set_cancelled, (MPI_Status* status, int flag), (status, flag))
FUNCTION(MPI_Status_set_elements, (MPI_Status* status, MPI_Datatype datatype, int count), (status, datatype, count))
FUNCTION(MPI_Test, (MPI_Request* request, int* flag, MPI_Status* status), (request, flag, status))
FUNCTION(MPI_Test_cancelled, (const MPI_Status* status, int* flag), (status, flag))
FUNCTION(MPI_Testall, (int count, MPI_Request* array_of_requests, int* flag, MPI_Status* array_of_statuses), (count,
    array_of_requests, flag, array_of_statuses))
FUNCTION(MPI_Testany, (int count, MPI_Request* array_of_requests, int* index, int* flag, MPI_Status* status), (count,
    array_of_requests, index, flag, status))
FUNCTION(MPI_Testsome, (int incount, MPI_Request* array_of_requests, int* outcount, int* array_of_indices, MPI_Status*
    array_of_statuses), (incount, array_of_requests, outcount, array_of_indices, array_of_statuses))
FUNCTION(MPI_Topo_test, (MPI_Comm comm, int* status), (comm, status))
FUNCTION(MPI_Type_commit, (MPI_Datatype* datatype), (datatype))
FUNCTION(MPI_Type_contiguous, (int count, MPI_Datatype oldtype, MPI_Datatype* newtype), (count, oldtype, newtype))
FUNCTION(MPI_Type_create_darray, (int size, int rank, int ndims, const int* array_of_gsizes, const int* array_of_distribs,
    const int* array_of_dargs, const int* array_of_psizes, int order, MPI_Datatype oldtype, MPI_Datatype* newtype), (size,
    rank, ndims, array_of_gsizes, array_of_distribs, array_of_dargs, array_of_psizes, order, oldtype, newtype))
FUNCTION(MPI_Type_create_f90_complex, (int p, int r, MPI_Datatype* newtype), (p, r, newtype))
FUNCTION(MPI_Type_create_f90_integer, (int r, MPI_Datatype* newtype), (r, newtype))
FUNCTION(MPI_Type_create_f90_real, (int p, int r, MPI_Datatype* newtype), (p, r, newtype))
FUNCTION(MPI_Type_create_hindexed, (int count, const int* array_of_blocklengths, const MPI_Aint* array_of_displacements,
    MPI_Datatype oldtype, MPI_Datatype* newtype), (count, array_of_blocklengths, array_of_displacements, oldtype, newtype))
FUNCTION(MPI_Type_create_hvector, (int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype* newtype),
    (count, blocklength, stride, oldtype, newtype))
FUNCTION(MPI_Type_create_indexed_block, (int count, int blocklength, const int* array_of_displacements, MPI_Datatype oldtype,
    MPI_Datatype* newtype), (count, blocklength, array_of_displacements, oldtype, newtype))
FUNCTION(MPI_Type_create_resized, (MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent, MPI_Datatype* newtype), (oldtype, lb,
    extent, newtype))
FUNCTION(MPI_Type_create_struct, (int count, const int* array_of_blocklengths, const MPI_Aint* array_of_displacements, const
    MPI_Datatype* array_of_types, MPI_Datatype* newtype), (count, array_of_blocklengths, array_of_displacements,
    array_of_types, newtype))
FUNCTION(MPI_Type_create_subarray, (int ndims, const int* array_of_sizes, const int* array_of_subsizes, const int*
    array_of_starts, int order, MPI_Datatype oldtype, MPI_Datatype* newtype), (ndims, array_of_sizes, array_of_subsizes,
    array_of_starts, order, oldtype, newtype))
FUNCTION(MPI_Type_delete_attr, (MPI_Datatype datatype, int type_keyval), (datatype, type_keyval))
FUNCTION(MPI_Type_dup, (MPI_Datatype oldtype, MPI_Datatype* newtype), (oldtype, newtype))
FUNCTION(MPI_Type_free_keyval, (int* type_keyval), (type_keyval))
FUNCTION(MPI_Type_get_attr, (MPI_Datatype datatype, int type_keyval, void* attribute_val, int* flag), (datatype, type_keyval,
    attribute_val, flag))
FUNCTION(MPI_Type_get_contents, (MPI_Datatype datatype, int max_integers, int max_addresses, int max_datatypes, int*
    array_of_integers, MPI_Aint* array_of_addresses, MPI_Datatype* array_of_datatypes), (datatype, max_integers,
    max_addresses, max_datatypes, array_of_integers, array_of_addresses, array_of_datatypes))
FUNCTION(MPI_Type_get_envelope, (MPI_Datatype datatype, int* num_integers, int* num_addresses, int* num_datatypes, int*
    combiner), (datatype, num_integers, num_addresses, num_datatypes, combiner))
FUNCTION(MPI_Type_get_extent, (MPI_Datatype datatype, MPI_Aint* lb, MPI_Aint* extent), (datatype, lb, extent))
FUNCTION(MPI_Type_get_name, (MPI_Datatype datatype, char* type_name, int* resultlen), (datatype, type_name, resultlen))
FUNCTION(MPI_Type_get_true_extent, (MPI_Datatype datatype, MPI_Aint* true_lb, MPI_Aint* true_extent), (datatype, true_lb,
    true_extent))
FUNCTION(MPI_Type_indexed, (int count, const int* array_of_blocklengths, const int* array_of_displacements, MPI_Datatype
    oldtype, MPI_Datatype* newtype), (count, array_of_blocklengths, array_of_displacements, oldtype, newtype))
FUNCTION(MPI_Type_match_size, (int typeclass, int size, MPI_Datatype* datatype), (typeclass, size, datatype))
FUNCTION(MPI_Type_set_attr, (MPI_Datatype datatype, int type_keyval, void* attribute_val), (datatype, type_keyval,
    attribute_val))
FUNCTION(MPI_Type_set_name, (MPI_Datatype datatype, const char* type_name), (datatype, type_name))
FUNCTION(MPI_Type_size, (MPI_Datatype datatype, int* size), (datatype, size))
FUNCTION(MPI_Type_vector, (int count, int blocklength, int stride, MPI_Datatype oldtype, MPI_Datatype* newtype), (count,
    blocklength, stride, oldtype, newtype))
FUNCTION(MPI_Unpack, (const void* inbuf, int insize, int* position, void* outbuf, int outcount, MPI_Datatype datatype,
    MPI_Comm comm), (inbuf, insize, position, outbuf, outcount, datatype, comm))
FUNCTION(MPI_Unpack_external, (const char* datarep, const void* inbuf, MPI_Aint insize, MPI_Aint* position, void* outbuf, int
    outcount, MPI_Datatype datatype), (datarep, inbuf, insize, position, outbuf, outcount, datatype))
FUNCTION(MPI_Unpublish_name, (const char* service_name, MPI_Info info, const char* port_name), (service_name, info,
    port_name))
FUNCTION(MPI_Wait, (MPI_Request* request, MPI_Status* status), (request, status))
FUNCTION(MPI_Waitall, (int count, MPI_Request* array_of_requests, MPI_Status* array_of_statuses), (count, array_of_requests,
    array_of_statuses))
FUNCTION(MPI_Waitany, (int count, MPI_Request* array_of_requests, int* index, MPI_Status* status), (count, array_of_requests,
    index, status))
FUNCTION(MPI_Waitsome, (int incount, MPI_Request* array_of_requests, int* outcount, int* array_of_indices, MPI_Status*
    array_of_statuses), (incount, array_of_requests, outcount, array_of_indices, array_of_statuses))
FUNCTION(MPI_Win_complete, (MPI_Win win), (win))
FUNCTION(MPI_Win_create, (void* base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win* win), (base, size,
    disp_unit, info, comm, win))
FUNCTION(MPI_Win_delete_attr, (MPI_Win win, int win_keyval), (win, win_keyval))
FUNCTION(MPI_Win_fence, (int assert, MPI_Win win), (assert, win))
FUNCTION(MPI_Win_free_keyval, (int* win_keyval), (win_keyval))
FUNCTION(MPI_Win_get_attr, (MPI_Win win, int win_keyval, void* attribute_val, int* flag), (win, win_keyval, attribute_val,
    flag))
FUNCTION(MPI_Win_get_errhandler, (MPI_Win win, MPI_Errhandler* errhandler), (win, errhandler))
FUNCTION(MPI_Win_get_group, (MPI_Win win, MPI_Group* group), (win, group))
FUNCTION(MPI_Win_get_name, (MPI_Win win, char* win_name, int* resultlen), (win, win_name, resultlen))
FUNCTION(MPI_Win_lock, (int lock_type, int rank, int assert, MPI_Win win), (lock_type, rank, assert, win))
FUNCTION(MPI_Win_post, (MPI_Group group, int assert, MPI_Win win), (group, assert, win))
FUNCTION(MPI_Win_set_attr, (MPI_Win win, int win_keyval, void* attribute_val), (win, win_keyval, attribute_val))
FUNCTION(MPI_Win_set_errhandler, (MPI_Win win, MPI_Errhandler errhandler), (win, errhandler))
FUNCTION(MPI_Win_set_name, (MPI_Win win, const char* win_name), (win, win_name))
FUNCTION(MPI_Win_start, (MPI_Group group, int assert, MPI_Win win), (group, assert, win))
FUNCTION(MPI_Win_test, (MPI_Win win, int* flag), (win, flag))
FUNCTION(MPI_Win_unlock, (int rank, MPI_Win win), (rank, win))
FUNCTION(MPI_Win_wait, (MPI_Win win), (win))
