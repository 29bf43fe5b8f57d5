/* ranks: 1 2; mpich: skip it checks less, and crashes at handles that are none */
/* Every function that takes a communicator refuses what is none. */
#include "check.h"
#include "removed.h"

static char memory[4096], text[MPI_MAX_PORT_NAME] = "name";
static int ints[64];
static MPI_Aint aints[64];
static MPI_Datatype types[64];

#define REFUSED(call) CHECK_CLASS(call, MPI_ERR_COMM)

static MPI_Comm freed(void)
{
    MPI_Comm comm, copy;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    copy = comm;
    OK(MPI_Comm_free(&comm));
    return copy;
}

static void refuse(MPI_Comm bad)
{
    MPI_Comm comm_out;
    MPI_Request request_out;
    MPI_Message message_out;
    MPI_Status status_out;
    MPI_Info info_out;
    MPI_Group group_out, group;
    MPI_Errhandler errhandler_out;
    MPI_Win win_out;
    MPI_File file_out;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &group));
    REFUSED(MPI_Allgather(memory, 1, MPI_INT, memory, 1, MPI_INT, bad));
    REFUSED(MPI_Allgather_init(memory, 1, MPI_INT, memory, 1, MPI_INT, bad, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Allgatherv(memory, 1, MPI_INT, memory, ints, ints, MPI_INT, bad));
    REFUSED(MPI_Allgatherv_init(memory, 1, MPI_INT, memory, ints, ints, MPI_INT, bad, MPI_INFO_NULL,
                                &request_out));
    REFUSED(MPI_Allreduce(memory, memory, 1, MPI_INT, MPI_SUM, bad));
    REFUSED(MPI_Allreduce_init(memory, memory, 1, MPI_INT, MPI_SUM, bad, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Alltoall(memory, 1, MPI_INT, memory, 1, MPI_INT, bad));
    REFUSED(MPI_Alltoall_init(memory, 1, MPI_INT, memory, 1, MPI_INT, bad, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Alltoallv(memory, ints, ints, MPI_INT, memory, ints, ints, MPI_INT, bad));
    REFUSED(MPI_Alltoallv_init(memory, ints, ints, MPI_INT, memory, ints, ints, MPI_INT, bad, MPI_INFO_NULL,
                               &request_out));
    REFUSED(MPI_Alltoallw(memory, ints, ints, types, memory, ints, ints, types, bad));
    REFUSED(MPI_Alltoallw_init(memory, ints, ints, types, memory, ints, ints, types, bad, MPI_INFO_NULL,
                               &request_out));
    REFUSED(MPI_Attr_delete(bad, MPI_TAG_UB));
    REFUSED(MPI_Attr_get(bad, MPI_TAG_UB, memory, ints));
    REFUSED(MPI_Attr_put(bad, MPI_TAG_UB, memory));
    REFUSED(MPI_Barrier(bad));
    REFUSED(MPI_Barrier_init(bad, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Bcast(memory, 1, MPI_INT, 0, bad));
    REFUSED(MPI_Bcast_init(memory, 1, MPI_INT, 0, bad, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Bsend(memory, 1, MPI_INT, 0, 0, bad));
    REFUSED(MPI_Bsend_init(memory, 1, MPI_INT, 0, 0, bad, &request_out));
    REFUSED(MPI_Cart_coords(bad, 0, 1, ints));
    REFUSED(MPI_Cart_create(bad, 1, ints, ints, 0, &comm_out));
    REFUSED(MPI_Cart_get(bad, 1, ints, ints, ints));
    REFUSED(MPI_Cart_map(bad, 1, ints, ints, ints));
    REFUSED(MPI_Cart_rank(bad, ints, ints));
    REFUSED(MPI_Cart_shift(bad, 0, 0, ints, ints));
    REFUSED(MPI_Cart_sub(bad, ints, &comm_out));
    REFUSED(MPI_Cartdim_get(bad, ints));
    REFUSED(MPI_Comm_accept(text, MPI_INFO_NULL, 0, bad, &comm_out));
    REFUSED(MPI_Comm_attach_buffer(bad, memory, 8));
    REFUSED(MPI_Comm_call_errhandler(bad, MPI_ERR_OTHER));
    REFUSED(MPI_Comm_compare(bad, MPI_COMM_WORLD, ints));
    REFUSED(MPI_Comm_compare(MPI_COMM_WORLD, bad, ints));
    REFUSED(MPI_Comm_connect(text, MPI_INFO_NULL, 0, bad, &comm_out));
    REFUSED(MPI_Comm_create(bad, group, &comm_out));
    REFUSED(MPI_Comm_create_group(bad, group, 0, &comm_out));
    REFUSED(MPI_Comm_delete_attr(bad, MPI_TAG_UB));
    REFUSED(MPI_Comm_detach_buffer(bad, memory, ints));
    REFUSED(MPI_Comm_dup(bad, &comm_out));
    REFUSED(MPI_Comm_dup_with_info(bad, MPI_INFO_NULL, &comm_out));
    REFUSED(MPI_Comm_flush_buffer(bad));
    REFUSED(MPI_Comm_get_attr(bad, MPI_TAG_UB, memory, ints));
    REFUSED(MPI_Comm_get_errhandler(bad, &errhandler_out));
    REFUSED(MPI_Comm_get_info(bad, &info_out));
    REFUSED(MPI_Comm_group(bad, &group_out));
    REFUSED(MPI_Comm_idup(bad, &comm_out, &request_out));
    REFUSED(MPI_Comm_idup_with_info(bad, MPI_INFO_NULL, &comm_out, &request_out));
    REFUSED(MPI_Comm_iflush_buffer(bad, &request_out));
    REFUSED(MPI_Comm_rank(bad, ints));
    REFUSED(MPI_Comm_remote_group(bad, &group_out));
    REFUSED(MPI_Comm_remote_size(bad, ints));
    REFUSED(MPI_Comm_set_attr(bad, MPI_TAG_UB, memory));
    REFUSED(MPI_Comm_set_errhandler(bad, MPI_ERRORS_RETURN));
    REFUSED(MPI_Comm_set_info(bad, MPI_INFO_NULL));
    REFUSED(MPI_Comm_set_name(bad, text));
    REFUSED(MPI_Comm_size(bad, ints));
    REFUSED(MPI_Comm_spawn(text, MPI_ARGV_NULL, 0, MPI_INFO_NULL, 0, bad, &comm_out, ints));
    REFUSED(MPI_Comm_split(bad, 0, 0, &comm_out));
    REFUSED(MPI_Comm_split_type(bad, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm_out));
    REFUSED(MPI_Comm_test_inter(bad, ints));
    REFUSED(MPI_Dist_graph_create(bad, 1, ints, ints, ints, ints, MPI_INFO_NULL, 0, &comm_out));
    REFUSED(MPI_Dist_graph_create_adjacent(bad, 0, ints, ints, 0, ints, ints, MPI_INFO_NULL, 0, &comm_out));
    REFUSED(MPI_Dist_graph_neighbors(bad, 1, ints, ints, 1, ints, ints));
    REFUSED(MPI_Dist_graph_neighbors_count(bad, ints, ints, ints));
    REFUSED(MPI_Errhandler_get(bad, &errhandler_out));
    REFUSED(MPI_Errhandler_set(bad, MPI_ERRORS_RETURN));
    REFUSED(MPI_Exscan(memory, memory, 1, MPI_INT, MPI_SUM, bad));
    REFUSED(MPI_Exscan_init(memory, memory, 1, MPI_INT, MPI_SUM, bad, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_File_open(bad, text, MPI_MODE_RDWR, MPI_INFO_NULL, &file_out));
    REFUSED(MPI_Gather(memory, 1, MPI_INT, memory, 1, MPI_INT, 0, bad));
    REFUSED(MPI_Gather_init(memory, 1, MPI_INT, memory, 1, MPI_INT, 0, bad, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Gatherv(memory, 1, MPI_INT, memory, ints, ints, MPI_INT, 0, bad));
    REFUSED(MPI_Gatherv_init(memory, 1, MPI_INT, memory, ints, ints, MPI_INT, 0, bad, MPI_INFO_NULL,
                             &request_out));
    REFUSED(MPI_Graph_create(bad, 1, ints, ints, 0, &comm_out));
    REFUSED(MPI_Graph_get(bad, 1, 1, ints, ints));
    REFUSED(MPI_Graph_map(bad, 1, ints, ints, ints));
    REFUSED(MPI_Graph_neighbors(bad, 0, 1, ints));
    REFUSED(MPI_Graph_neighbors_count(bad, 0, ints));
    REFUSED(MPI_Graphdims_get(bad, ints, ints));
    REFUSED(MPI_Iallgather(memory, 1, MPI_INT, memory, 1, MPI_INT, bad, &request_out));
    REFUSED(MPI_Iallgatherv(memory, 1, MPI_INT, memory, ints, ints, MPI_INT, bad, &request_out));
    REFUSED(MPI_Iallreduce(memory, memory, 1, MPI_INT, MPI_SUM, bad, &request_out));
    REFUSED(MPI_Ialltoall(memory, 1, MPI_INT, memory, 1, MPI_INT, bad, &request_out));
    REFUSED(MPI_Ialltoallv(memory, ints, ints, MPI_INT, memory, ints, ints, MPI_INT, bad, &request_out));
    REFUSED(MPI_Ialltoallw(memory, ints, ints, types, memory, ints, ints, types, bad, &request_out));
    REFUSED(MPI_Ibarrier(bad, &request_out));
    REFUSED(MPI_Ibcast(memory, 1, MPI_INT, 0, bad, &request_out));
    REFUSED(MPI_Ibsend(memory, 1, MPI_INT, 0, 0, bad, &request_out));
    REFUSED(MPI_Iexscan(memory, memory, 1, MPI_INT, MPI_SUM, bad, &request_out));
    REFUSED(MPI_Igather(memory, 1, MPI_INT, memory, 1, MPI_INT, 0, bad, &request_out));
    REFUSED(MPI_Igatherv(memory, 1, MPI_INT, memory, ints, ints, MPI_INT, 0, bad, &request_out));
    REFUSED(MPI_Improbe(0, 0, bad, ints, &message_out, &status_out));
    REFUSED(MPI_Ineighbor_allgather(memory, 1, MPI_INT, memory, 1, MPI_INT, bad, &request_out));
    REFUSED(MPI_Ineighbor_allgatherv(memory, 1, MPI_INT, memory, ints, ints, MPI_INT, bad, &request_out));
    REFUSED(MPI_Ineighbor_alltoall(memory, 1, MPI_INT, memory, 1, MPI_INT, bad, &request_out));
    REFUSED(MPI_Ineighbor_alltoallv(memory, ints, ints, MPI_INT, memory, ints, ints, MPI_INT, bad,
                                    &request_out));
    REFUSED(MPI_Ineighbor_alltoallw(memory, ints, aints, types, memory, ints, aints, types, bad, &request_out));
    REFUSED(MPI_Intercomm_create(bad, 0, MPI_COMM_WORLD, 0, 0, &comm_out));
    REFUSED(MPI_Intercomm_merge(bad, 0, &comm_out));
    REFUSED(MPI_Iprobe(0, 0, bad, ints, &status_out));
    REFUSED(MPI_Irecv(memory, 1, MPI_INT, 0, 0, bad, &request_out));
    REFUSED(MPI_Ireduce(memory, memory, 1, MPI_INT, MPI_SUM, 0, bad, &request_out));
    REFUSED(MPI_Ireduce_scatter(memory, memory, ints, MPI_INT, MPI_SUM, bad, &request_out));
    REFUSED(MPI_Ireduce_scatter_block(memory, memory, 1, MPI_INT, MPI_SUM, bad, &request_out));
    REFUSED(MPI_Irsend(memory, 1, MPI_INT, 0, 0, bad, &request_out));
    REFUSED(MPI_Iscan(memory, memory, 1, MPI_INT, MPI_SUM, bad, &request_out));
    REFUSED(MPI_Iscatter(memory, 1, MPI_INT, memory, 1, MPI_INT, 0, bad, &request_out));
    REFUSED(MPI_Iscatterv(memory, ints, ints, MPI_INT, memory, 1, MPI_INT, 0, bad, &request_out));
    REFUSED(MPI_Isend(memory, 1, MPI_INT, 0, 0, bad, &request_out));
    REFUSED(MPI_Isendrecv(memory, 1, MPI_INT, 0, 0, memory, 1, MPI_INT, 0, 0, bad, &request_out));
    REFUSED(MPI_Isendrecv_replace(memory, 1, MPI_INT, 0, 0, 0, 0, bad, &request_out));
    REFUSED(MPI_Issend(memory, 1, MPI_INT, 0, 0, bad, &request_out));
    REFUSED(MPI_Mprobe(0, 0, bad, &message_out, &status_out));
    REFUSED(MPI_Neighbor_allgather(memory, 1, MPI_INT, memory, 1, MPI_INT, bad));
    REFUSED(MPI_Neighbor_allgather_init(memory, 1, MPI_INT, memory, 1, MPI_INT, bad, MPI_INFO_NULL,
                                        &request_out));
    REFUSED(MPI_Neighbor_allgatherv(memory, 1, MPI_INT, memory, ints, ints, MPI_INT, bad));
    REFUSED(MPI_Neighbor_allgatherv_init(memory, 1, MPI_INT, memory, ints, ints, MPI_INT, bad, MPI_INFO_NULL,
                                         &request_out));
    REFUSED(MPI_Neighbor_alltoall(memory, 1, MPI_INT, memory, 1, MPI_INT, bad));
    REFUSED(MPI_Neighbor_alltoall_init(memory, 1, MPI_INT, memory, 1, MPI_INT, bad, MPI_INFO_NULL,
                                       &request_out));
    REFUSED(MPI_Neighbor_alltoallv(memory, ints, ints, MPI_INT, memory, ints, ints, MPI_INT, bad));
    REFUSED(MPI_Neighbor_alltoallv_init(memory, ints, ints, MPI_INT, memory, ints, ints, MPI_INT, bad,
                                        MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Neighbor_alltoallw(memory, ints, aints, types, memory, ints, aints, types, bad));
    REFUSED(MPI_Neighbor_alltoallw_init(memory, ints, aints, types, memory, ints, aints, types, bad,
                                        MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Pack(memory, 1, MPI_INT, memory, 64, ints, bad));
    REFUSED(MPI_Pack_size(1, MPI_INT, bad, ints));
    REFUSED(MPI_Precv_init(memory, 1, 1, MPI_INT, 0, 0, bad, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Probe(0, 0, bad, &status_out));
    REFUSED(MPI_Psend_init(memory, 1, 1, MPI_INT, 0, 0, bad, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Recv(memory, 1, MPI_INT, 0, 0, bad, &status_out));
    REFUSED(MPI_Recv_init(memory, 1, MPI_INT, 0, 0, bad, &request_out));
    REFUSED(MPI_Reduce(memory, memory, 1, MPI_INT, MPI_SUM, 0, bad));
    REFUSED(MPI_Reduce_init(memory, memory, 1, MPI_INT, MPI_SUM, 0, bad, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Reduce_scatter(memory, memory, ints, MPI_INT, MPI_SUM, bad));
    REFUSED(MPI_Reduce_scatter_block(memory, memory, 1, MPI_INT, MPI_SUM, bad));
    REFUSED(MPI_Reduce_scatter_block_init(memory, memory, 1, MPI_INT, MPI_SUM, bad, MPI_INFO_NULL,
                                          &request_out));
    REFUSED(MPI_Reduce_scatter_init(memory, memory, ints, MPI_INT, MPI_SUM, bad, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Rsend(memory, 1, MPI_INT, 0, 0, bad));
    REFUSED(MPI_Rsend_init(memory, 1, MPI_INT, 0, 0, bad, &request_out));
    REFUSED(MPI_Scan(memory, memory, 1, MPI_INT, MPI_SUM, bad));
    REFUSED(MPI_Scan_init(memory, memory, 1, MPI_INT, MPI_SUM, bad, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Scatter(memory, 1, MPI_INT, memory, 1, MPI_INT, 0, bad));
    REFUSED(MPI_Scatter_init(memory, 1, MPI_INT, memory, 1, MPI_INT, 0, bad, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Scatterv(memory, ints, ints, MPI_INT, memory, 1, MPI_INT, 0, bad));
    REFUSED(MPI_Scatterv_init(memory, ints, ints, MPI_INT, memory, 1, MPI_INT, 0, bad, MPI_INFO_NULL,
                              &request_out));
    REFUSED(MPI_Send(memory, 1, MPI_INT, 0, 0, bad));
    REFUSED(MPI_Send_init(memory, 1, MPI_INT, 0, 0, bad, &request_out));
    REFUSED(MPI_Sendrecv(memory, 1, MPI_INT, 0, 0, memory, 1, MPI_INT, 0, 0, bad, &status_out));
    REFUSED(MPI_Sendrecv_replace(memory, 1, MPI_INT, 0, 0, 0, 0, bad, &status_out));
    REFUSED(MPI_Ssend(memory, 1, MPI_INT, 0, 0, bad));
    REFUSED(MPI_Ssend_init(memory, 1, MPI_INT, 0, 0, bad, &request_out));
    REFUSED(MPI_Topo_test(bad, ints));
    REFUSED(MPI_Unpack(memory, 64, ints, memory, 1, MPI_INT, bad));
    REFUSED(MPI_Win_allocate(8, 1, MPI_INFO_NULL, bad, memory, &win_out));
    REFUSED(MPI_Win_allocate_shared(8, 1, MPI_INFO_NULL, bad, memory, &win_out));
    REFUSED(MPI_Win_create(memory, 8, 1, MPI_INFO_NULL, bad, &win_out));
    REFUSED(MPI_Win_create_dynamic(MPI_INFO_NULL, bad, &win_out));
    /* The peer communicator is the leader's matter. */
    CHECK_CLASS(MPI_Intercomm_create(MPI_COMM_WORLD, 0, bad, 0, 0, &comm_out), rank ? MPI_ERR_OTHER : MPI_ERR_COMM);
    if (bad != MPI_COMM_NULL) {
        REFUSED(MPI_Comm_get_name(bad, text, ints));
        REFUSED(MPI_Comm_free(&bad));
        REFUSED(MPI_Comm_disconnect(&bad));
    }
    OK(MPI_Group_free(&group));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    for (int i = 0; i < 64; i++)
        types[i] = MPI_INT;
    refuse(MPI_COMM_NULL);
    refuse((MPI_Comm)0x12345);
    refuse((MPI_Comm)MPI_INT);
    refuse(freed());
    return check_end();
}
