/* ranks: 1; mpich: skip it checks less, and crashes at handles that are none */
/* Every function that takes an info object, an error handler or an operation refuses what is none. */
#include "refused.h"
#include "removed.h"

static MPI_Info info_out;
static MPI_Session session, session_out;
static MPI_Group group;
static MPI_Win win_out;
static MPI_File file_out;
static MPI_Comm comm_out;

#define REFUSED(call) CHECK_CLASS(call, MPI_ERR_INFO)

static void infos(MPI_Info bad)
{
    REFUSED(MPI_Abi_set_fortran_info(bad));
    REFUSED(MPI_Allgather_init(memory, 1, MPI_INT, into, 1, MPI_INT, MPI_COMM_WORLD, bad, &request_out));
    REFUSED(MPI_Allgatherv_init(memory, 1, MPI_INT, into, ints, ints, MPI_INT, MPI_COMM_WORLD, bad, &request_out));
    REFUSED(MPI_Alloc_mem(8, bad, memory));
    REFUSED(MPI_Allreduce_init(memory, into, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, bad, &request_out));
    REFUSED(MPI_Alltoall_init(memory, 1, MPI_INT, into, 1, MPI_INT, MPI_COMM_WORLD, bad, &request_out));
    REFUSED(MPI_Alltoallv_init(memory, ints, ints, MPI_INT, into, ints, ints, MPI_INT, MPI_COMM_WORLD, bad,
                               &request_out));
    REFUSED(MPI_Alltoallw_init(memory, ints, ints, types, into, ints, ints, types, MPI_COMM_WORLD, bad,
                               &request_out));
    REFUSED(MPI_Barrier_init(MPI_COMM_WORLD, bad, &request_out));
    REFUSED(MPI_Bcast_init(memory, 1, MPI_INT, 0, MPI_COMM_WORLD, bad, &request_out));
    REFUSED(MPI_Comm_accept(text, bad, 0, MPI_COMM_WORLD, &comm_out));
    REFUSED(MPI_Comm_connect(text, bad, 0, MPI_COMM_WORLD, &comm_out));
    REFUSED(MPI_Comm_create_from_group(group, text, bad, MPI_ERRORS_RETURN, &comm_out));
    REFUSED(MPI_Comm_dup_with_info(MPI_COMM_WORLD, bad, &comm_out));
    REFUSED(MPI_Comm_idup_with_info(MPI_COMM_WORLD, bad, &comm_out, &request_out));
    REFUSED(MPI_Comm_set_info(MPI_COMM_WORLD, bad));
    REFUSED(MPI_Comm_spawn(text, MPI_ARGV_NULL, 0, bad, 0, MPI_COMM_WORLD, &comm_out, ints));
    REFUSED(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, bad, &comm_out));
    REFUSED(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, ints, ints, ints, ints, bad, 0, &comm_out));
    REFUSED(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, ints, ints, 0, ints, ints, bad, 0, &comm_out));
    REFUSED(MPI_Exscan_init(memory, into, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, bad, &request_out));
    REFUSED(MPI_File_delete(text, bad));
    REFUSED(MPI_File_open(MPI_COMM_WORLD, text, MPI_MODE_RDWR, bad, &file_out));
    REFUSED(MPI_File_set_info(file, bad));
    REFUSED(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, text, bad));
    REFUSED(MPI_Gather_init(memory, 1, MPI_INT, into, 1, MPI_INT, 0, MPI_COMM_WORLD, bad, &request_out));
    REFUSED(MPI_Gatherv_init(memory, 1, MPI_INT, into, ints, ints, MPI_INT, 0, MPI_COMM_WORLD, bad, &request_out));
    REFUSED(MPI_Info_delete(bad, text));
    REFUSED(MPI_Info_dup(bad, &info_out));
    REFUSED(MPI_Info_get(bad, text, 0, text, ints));
    REFUSED(MPI_Info_get_nkeys(bad, ints));
    REFUSED(MPI_Info_get_nthkey(bad, 1, text));
    REFUSED(MPI_Info_get_string(bad, text, ints, text, ints));
    REFUSED(MPI_Info_get_valuelen(bad, text, ints, ints));
    REFUSED(MPI_Info_set(bad, text, text));
    REFUSED(MPI_Intercomm_create_from_groups(group, 0, group, 0, text, bad, MPI_ERRORS_RETURN, &comm_out));
    REFUSED(MPI_Lookup_name(text, bad, text));
    REFUSED(MPI_Neighbor_allgather_init(memory, 1, MPI_INT, into, 1, MPI_INT, ring, bad, &request_out));
    REFUSED(MPI_Neighbor_allgatherv_init(memory, 1, MPI_INT, into, ints, ints, MPI_INT, ring, bad, &request_out));
    REFUSED(MPI_Neighbor_alltoall_init(memory, 1, MPI_INT, into, 1, MPI_INT, ring, bad, &request_out));
    REFUSED(MPI_Neighbor_alltoallv_init(memory, ints, ints, MPI_INT, into, ints, ints, MPI_INT, ring, bad,
                                        &request_out));
    REFUSED(MPI_Neighbor_alltoallw_init(memory, ints, aints, types, into, ints, aints, types, ring, bad,
                                        &request_out));
    REFUSED(MPI_Open_port(bad, text));
    REFUSED(MPI_Precv_init(memory, 1, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, bad, &request_out));
    REFUSED(MPI_Psend_init(memory, 1, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, bad, &request_out));
    REFUSED(MPI_Publish_name(text, bad, text));
    REFUSED(MPI_Reduce_init(memory, into, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD, bad, &request_out));
    REFUSED(MPI_Reduce_scatter_block_init(memory, into, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, bad, &request_out));
    REFUSED(MPI_Reduce_scatter_init(memory, into, ints, MPI_INT, MPI_SUM, MPI_COMM_WORLD, bad, &request_out));
    REFUSED(MPI_Scan_init(memory, into, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, bad, &request_out));
    REFUSED(MPI_Scatter_init(memory, 1, MPI_INT, into, 1, MPI_INT, 0, MPI_COMM_WORLD, bad, &request_out));
    REFUSED(MPI_Scatterv_init(memory, ints, ints, MPI_INT, into, 1, MPI_INT, 0, MPI_COMM_WORLD, bad, &request_out));
    REFUSED(MPI_Session_get_nth_pset(session, bad, 1, ints, text));
    REFUSED(MPI_Session_get_num_psets(session, bad, ints));
    REFUSED(MPI_Session_init(bad, MPI_ERRORS_RETURN, &session_out));
    REFUSED(MPI_Unpublish_name(text, bad, text));
    REFUSED(MPI_Win_allocate(8, 1, bad, MPI_COMM_WORLD, memory, &win_out));
    REFUSED(MPI_Win_allocate_shared(8, 1, bad, MPI_COMM_WORLD, memory, &win_out));
    REFUSED(MPI_Win_create(memory, 8, 1, bad, MPI_COMM_WORLD, &win_out));
    REFUSED(MPI_Win_create_dynamic(bad, MPI_COMM_WORLD, &win_out));
    REFUSED(MPI_Win_set_info(win, bad));
    REFUSED(MPI_Info_free(&bad));
}

#undef REFUSED
#define REFUSED(call) CHECK_CLASS(call, MPI_ERR_ERRHANDLER)

static void error_handlers(MPI_Errhandler bad)
{
    REFUSED(MPI_Comm_create_from_group(group, text, MPI_INFO_NULL, bad, &comm_out));
    REFUSED(MPI_Comm_set_errhandler(MPI_COMM_WORLD, bad));
    REFUSED(MPI_Errhandler_set(MPI_COMM_WORLD, bad));
    REFUSED(MPI_File_set_errhandler(file, bad));
    REFUSED(MPI_Intercomm_create_from_groups(group, 0, group, 0, text, MPI_INFO_NULL, bad, &comm_out));
    REFUSED(MPI_Session_init(MPI_INFO_NULL, bad, &session_out));
    REFUSED(MPI_Session_set_errhandler(session, bad));
    REFUSED(MPI_Win_set_errhandler(win, bad));
    REFUSED(MPI_Errhandler_free(&bad));
}

#undef REFUSED
#define REFUSED(call) CHECK_CLASS(call, MPI_ERR_OP)

static void operations(MPI_Op bad)
{
    REFUSED(MPI_Accumulate(memory, 1, MPI_INT, 0, 0, 1, MPI_INT, bad, win));
    REFUSED(MPI_Allreduce(memory, into, 1, MPI_INT, bad, MPI_COMM_WORLD));
    REFUSED(MPI_Allreduce_init(memory, into, 1, MPI_INT, bad, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Exscan(memory, into, 1, MPI_INT, bad, MPI_COMM_WORLD));
    REFUSED(MPI_Exscan_init(memory, into, 1, MPI_INT, bad, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Fetch_and_op(memory, into, MPI_INT, 0, 0, bad, win));
    REFUSED(MPI_Get_accumulate(memory, 1, MPI_INT, into, 1, MPI_INT, 0, 0, 1, MPI_INT, bad, win));
    REFUSED(MPI_Iallreduce(memory, into, 1, MPI_INT, bad, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Iexscan(memory, into, 1, MPI_INT, bad, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Ireduce(memory, into, 1, MPI_INT, bad, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Ireduce_scatter(memory, into, ints, MPI_INT, bad, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Ireduce_scatter_block(memory, into, 1, MPI_INT, bad, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Iscan(memory, into, 1, MPI_INT, bad, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Op_commutative(bad, ints));
    REFUSED(MPI_Raccumulate(memory, 1, MPI_INT, 0, 0, 1, MPI_INT, bad, win, &request_out));
    REFUSED(MPI_Reduce(memory, into, 1, MPI_INT, bad, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Reduce_init(memory, into, 1, MPI_INT, bad, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Reduce_local(memory, into, 1, MPI_INT, bad));
    REFUSED(MPI_Reduce_scatter(memory, into, ints, MPI_INT, bad, MPI_COMM_WORLD));
    REFUSED(MPI_Reduce_scatter_block(memory, into, 1, MPI_INT, bad, MPI_COMM_WORLD));
    REFUSED(MPI_Reduce_scatter_block_init(memory, into, 1, MPI_INT, bad, MPI_COMM_WORLD, MPI_INFO_NULL,
                                          &request_out));
    REFUSED(MPI_Reduce_scatter_init(memory, into, ints, MPI_INT, bad, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Rget_accumulate(memory, 1, MPI_INT, into, 1, MPI_INT, 0, 0, 1, MPI_INT, bad, win, &request_out));
    REFUSED(MPI_Scan(memory, into, 1, MPI_INT, bad, MPI_COMM_WORLD));
    REFUSED(MPI_Scan_init(memory, into, 1, MPI_INT, bad, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Op_free(&bad));
}

int main(int argc, char **argv)
{
    MPI_Info info, freed;
    check_start(&argc, &argv);
    open_all("errors_infos");
    OK(MPI_Comm_group(MPI_COMM_SELF, &group));
    OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
    OK(MPI_Info_create(&info));
    freed = info;
    OK(MPI_Info_free(&info));
    infos((MPI_Info)0x12345);
    infos((MPI_Info)MPI_INT);
    infos(freed);
    error_handlers(MPI_ERRHANDLER_NULL);
    error_handlers((MPI_Errhandler)0x12345);
    operations(MPI_OP_NULL);
    operations((MPI_Op)0x12345);
    OK(MPI_Group_free(&group));
    OK(MPI_Session_finalize(&session));
    close_all();
    return check_end();
}
