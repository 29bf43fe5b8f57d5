/* ranks: 1; mpich: skip it checks less, and crashes at handles that are none */
/* Every function that takes a datatype refuses what is none, and every one that moves data refuses one that is not committed. */
#include "refused.h"
#include "removed.h"

#define REFUSED(call) CHECK_CLASS(call, MPI_ERR_TYPE)

static void moving(MPI_Datatype bad)
{
    REFUSED(MPI_Accumulate(memory, 1, bad, 0, 0, 1, MPI_INT, MPI_SUM, win));
    REFUSED(MPI_Accumulate(memory, 1, MPI_INT, 0, 0, 1, bad, MPI_SUM, win));
    REFUSED(MPI_Allgather(memory, 1, bad, into, 1, MPI_INT, MPI_COMM_WORLD));
    REFUSED(MPI_Allgather(memory, 1, MPI_INT, into, 1, bad, MPI_COMM_WORLD));
    REFUSED(MPI_Allgather_init(memory, 1, bad, into, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Allgather_init(memory, 1, MPI_INT, into, 1, bad, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Allgatherv(memory, 1, bad, into, ints, ints, MPI_INT, MPI_COMM_WORLD));
    REFUSED(MPI_Allgatherv(memory, 1, MPI_INT, into, ints, ints, bad, MPI_COMM_WORLD));
    REFUSED(MPI_Allgatherv_init(memory, 1, bad, into, ints, ints, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL,
                                &request_out));
    REFUSED(MPI_Allgatherv_init(memory, 1, MPI_INT, into, ints, ints, bad, MPI_COMM_WORLD, MPI_INFO_NULL,
                                &request_out));
    REFUSED(MPI_Allreduce(memory, into, 1, bad, MPI_SUM, MPI_COMM_WORLD));
    REFUSED(MPI_Allreduce_init(memory, into, 1, bad, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Alltoall(memory, 1, bad, into, 1, MPI_INT, MPI_COMM_WORLD));
    REFUSED(MPI_Alltoall(memory, 1, MPI_INT, into, 1, bad, MPI_COMM_WORLD));
    REFUSED(MPI_Alltoall_init(memory, 1, bad, into, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Alltoall_init(memory, 1, MPI_INT, into, 1, bad, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Alltoallv(memory, ints, ints, bad, into, ints, ints, MPI_INT, MPI_COMM_WORLD));
    REFUSED(MPI_Alltoallv(memory, ints, ints, MPI_INT, into, ints, ints, bad, MPI_COMM_WORLD));
    REFUSED(MPI_Alltoallv_init(memory, ints, ints, bad, into, ints, ints, MPI_INT, MPI_COMM_WORLD,
                               MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Alltoallv_init(memory, ints, ints, MPI_INT, into, ints, ints, bad, MPI_COMM_WORLD,
                               MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Bcast(memory, 1, bad, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Bcast_init(memory, 1, bad, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Bsend(memory, 1, bad, 0, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Bsend_init(memory, 1, bad, 0, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Compare_and_swap(memory, memory, into, bad, 0, 0, win));
    REFUSED(MPI_Exscan(memory, into, 1, bad, MPI_SUM, MPI_COMM_WORLD));
    REFUSED(MPI_Exscan_init(memory, into, 1, bad, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Fetch_and_op(memory, into, bad, 0, 0, MPI_SUM, win));
    REFUSED(MPI_File_iread(file, memory, 1, bad, &request_out));
    REFUSED(MPI_File_iread_all(file, memory, 1, bad, &request_out));
    REFUSED(MPI_File_iread_at(file, 0, memory, 1, bad, &request_out));
    REFUSED(MPI_File_iread_at_all(file, 0, memory, 1, bad, &request_out));
    REFUSED(MPI_File_iread_shared(file, memory, 1, bad, &request_out));
    REFUSED(MPI_File_iwrite(file, memory, 1, bad, &request_out));
    REFUSED(MPI_File_iwrite_all(file, memory, 1, bad, &request_out));
    REFUSED(MPI_File_iwrite_at(file, 0, memory, 1, bad, &request_out));
    REFUSED(MPI_File_iwrite_at_all(file, 0, memory, 1, bad, &request_out));
    REFUSED(MPI_File_iwrite_shared(file, memory, 1, bad, &request_out));
    REFUSED(MPI_File_read(file, memory, 1, bad, &status_out));
    REFUSED(MPI_File_read_all(file, memory, 1, bad, &status_out));
    REFUSED(MPI_File_read_all_begin(file, memory, 1, bad));
    REFUSED(MPI_File_read_at(file, 0, memory, 1, bad, &status_out));
    REFUSED(MPI_File_read_at_all(file, 0, memory, 1, bad, &status_out));
    REFUSED(MPI_File_read_at_all_begin(file, 0, memory, 1, bad));
    REFUSED(MPI_File_read_ordered(file, memory, 1, bad, &status_out));
    REFUSED(MPI_File_read_ordered_begin(file, memory, 1, bad));
    REFUSED(MPI_File_read_shared(file, memory, 1, bad, &status_out));
    REFUSED(MPI_File_set_view(file, 0, bad, MPI_INT, text, MPI_INFO_NULL));
    REFUSED(MPI_File_set_view(file, 0, MPI_INT, bad, text, MPI_INFO_NULL));
    REFUSED(MPI_File_write(file, memory, 1, bad, &status_out));
    REFUSED(MPI_File_write_all(file, memory, 1, bad, &status_out));
    REFUSED(MPI_File_write_all_begin(file, memory, 1, bad));
    REFUSED(MPI_File_write_at(file, 0, memory, 1, bad, &status_out));
    REFUSED(MPI_File_write_at_all(file, 0, memory, 1, bad, &status_out));
    REFUSED(MPI_File_write_at_all_begin(file, 0, memory, 1, bad));
    REFUSED(MPI_File_write_ordered(file, memory, 1, bad, &status_out));
    REFUSED(MPI_File_write_ordered_begin(file, memory, 1, bad));
    REFUSED(MPI_File_write_shared(file, memory, 1, bad, &status_out));
    REFUSED(MPI_Gather(memory, 1, bad, into, 1, MPI_INT, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Gather(memory, 1, MPI_INT, into, 1, bad, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Gather_init(memory, 1, bad, into, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Gather_init(memory, 1, MPI_INT, into, 1, bad, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Gatherv(memory, 1, bad, into, ints, ints, MPI_INT, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Gatherv(memory, 1, MPI_INT, into, ints, ints, bad, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Gatherv_init(memory, 1, bad, into, ints, ints, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                             &request_out));
    REFUSED(MPI_Gatherv_init(memory, 1, MPI_INT, into, ints, ints, bad, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                             &request_out));
    REFUSED(MPI_Get(memory, 1, bad, 0, 0, 1, MPI_INT, win));
    REFUSED(MPI_Get(memory, 1, MPI_INT, 0, 0, 1, bad, win));
    REFUSED(MPI_Get_accumulate(memory, 1, bad, into, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win));
    REFUSED(MPI_Get_accumulate(memory, 1, MPI_INT, into, 1, bad, 0, 0, 1, MPI_INT, MPI_SUM, win));
    REFUSED(MPI_Get_accumulate(memory, 1, MPI_INT, into, 1, MPI_INT, 0, 0, 1, bad, MPI_SUM, win));
    REFUSED(MPI_Iallgather(memory, 1, bad, into, 1, MPI_INT, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Iallgather(memory, 1, MPI_INT, into, 1, bad, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Iallgatherv(memory, 1, bad, into, ints, ints, MPI_INT, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Iallgatherv(memory, 1, MPI_INT, into, ints, ints, bad, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Iallreduce(memory, into, 1, bad, MPI_SUM, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Ialltoall(memory, 1, bad, into, 1, MPI_INT, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Ialltoall(memory, 1, MPI_INT, into, 1, bad, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Ialltoallv(memory, ints, ints, bad, into, ints, ints, MPI_INT, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Ialltoallv(memory, ints, ints, MPI_INT, into, ints, ints, bad, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Ibcast(memory, 1, bad, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Ibsend(memory, 1, bad, 0, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Iexscan(memory, into, 1, bad, MPI_SUM, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Igather(memory, 1, bad, into, 1, MPI_INT, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Igather(memory, 1, MPI_INT, into, 1, bad, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Igatherv(memory, 1, bad, into, ints, ints, MPI_INT, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Igatherv(memory, 1, MPI_INT, into, ints, ints, bad, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Imrecv(memory, 1, bad, &message_out, &request_out));
    REFUSED(MPI_Ineighbor_allgather(memory, 1, bad, into, 1, MPI_INT, ring, &request_out));
    REFUSED(MPI_Ineighbor_allgather(memory, 1, MPI_INT, into, 1, bad, ring, &request_out));
    REFUSED(MPI_Ineighbor_allgatherv(memory, 1, bad, into, ints, ints, MPI_INT, ring, &request_out));
    REFUSED(MPI_Ineighbor_allgatherv(memory, 1, MPI_INT, into, ints, ints, bad, ring, &request_out));
    REFUSED(MPI_Ineighbor_alltoall(memory, 1, bad, into, 1, MPI_INT, ring, &request_out));
    REFUSED(MPI_Ineighbor_alltoall(memory, 1, MPI_INT, into, 1, bad, ring, &request_out));
    REFUSED(MPI_Ineighbor_alltoallv(memory, ints, ints, bad, into, ints, ints, MPI_INT, ring,
                                    &request_out));
    REFUSED(MPI_Ineighbor_alltoallv(memory, ints, ints, MPI_INT, into, ints, ints, bad, ring,
                                    &request_out));
    REFUSED(MPI_Irecv(memory, 1, bad, 0, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Ireduce(memory, into, 1, bad, MPI_SUM, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Ireduce_scatter(memory, into, ints, bad, MPI_SUM, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Ireduce_scatter_block(memory, into, 1, bad, MPI_SUM, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Irsend(memory, 1, bad, 0, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Iscan(memory, into, 1, bad, MPI_SUM, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Iscatter(memory, 1, bad, into, 1, MPI_INT, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Iscatter(memory, 1, MPI_INT, into, 1, bad, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Iscatterv(memory, ints, ints, bad, into, 1, MPI_INT, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Iscatterv(memory, ints, ints, MPI_INT, into, 1, bad, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Isend(memory, 1, bad, 0, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Isendrecv(memory, 1, bad, 0, 0, into, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Isendrecv(memory, 1, MPI_INT, 0, 0, into, 1, bad, 0, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Isendrecv_replace(memory, 1, bad, 0, 0, 0, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Issend(memory, 1, bad, 0, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Mrecv(memory, 1, bad, &message_out, &status_out));
    REFUSED(MPI_Neighbor_allgather(memory, 1, bad, into, 1, MPI_INT, ring));
    REFUSED(MPI_Neighbor_allgather(memory, 1, MPI_INT, into, 1, bad, ring));
    REFUSED(MPI_Neighbor_allgather_init(memory, 1, bad, into, 1, MPI_INT, ring, MPI_INFO_NULL,
                                        &request_out));
    REFUSED(MPI_Neighbor_allgather_init(memory, 1, MPI_INT, into, 1, bad, ring, MPI_INFO_NULL,
                                        &request_out));
    REFUSED(MPI_Neighbor_allgatherv(memory, 1, bad, into, ints, ints, MPI_INT, ring));
    REFUSED(MPI_Neighbor_allgatherv(memory, 1, MPI_INT, into, ints, ints, bad, ring));
    REFUSED(MPI_Neighbor_allgatherv_init(memory, 1, bad, into, ints, ints, MPI_INT, ring,
                                         MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Neighbor_allgatherv_init(memory, 1, MPI_INT, into, ints, ints, bad, ring,
                                         MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Neighbor_alltoall(memory, 1, bad, into, 1, MPI_INT, ring));
    REFUSED(MPI_Neighbor_alltoall(memory, 1, MPI_INT, into, 1, bad, ring));
    REFUSED(MPI_Neighbor_alltoall_init(memory, 1, bad, into, 1, MPI_INT, ring, MPI_INFO_NULL,
                                       &request_out));
    REFUSED(MPI_Neighbor_alltoall_init(memory, 1, MPI_INT, into, 1, bad, ring, MPI_INFO_NULL,
                                       &request_out));
    REFUSED(MPI_Neighbor_alltoallv(memory, ints, ints, bad, into, ints, ints, MPI_INT, ring));
    REFUSED(MPI_Neighbor_alltoallv(memory, ints, ints, MPI_INT, into, ints, ints, bad, ring));
    REFUSED(MPI_Neighbor_alltoallv_init(memory, ints, ints, bad, into, ints, ints, MPI_INT, ring,
                                        MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Neighbor_alltoallv_init(memory, ints, ints, MPI_INT, into, ints, ints, bad, ring,
                                        MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Pack(memory, 1, bad, into, 64, ints, MPI_COMM_WORLD));
    REFUSED(MPI_Pack_external("external32", memory, 1, bad, into, 0, aints));
    REFUSED(MPI_Precv_init(memory, 1, 1, bad, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Psend_init(memory, 1, 1, bad, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Put(memory, 1, bad, 0, 0, 1, MPI_INT, win));
    REFUSED(MPI_Put(memory, 1, MPI_INT, 0, 0, 1, bad, win));
    REFUSED(MPI_Raccumulate(memory, 1, bad, 0, 0, 1, MPI_INT, MPI_SUM, win, &request_out));
    REFUSED(MPI_Raccumulate(memory, 1, MPI_INT, 0, 0, 1, bad, MPI_SUM, win, &request_out));
    REFUSED(MPI_Recv(memory, 1, bad, 0, 0, MPI_COMM_WORLD, &status_out));
    REFUSED(MPI_Recv_init(memory, 1, bad, 0, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Reduce(memory, into, 1, bad, MPI_SUM, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Reduce_init(memory, into, 1, bad, MPI_SUM, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Reduce_local(memory, into, 1, bad, MPI_SUM));
    REFUSED(MPI_Reduce_scatter(memory, into, ints, bad, MPI_SUM, MPI_COMM_WORLD));
    REFUSED(MPI_Reduce_scatter_block(memory, into, 1, bad, MPI_SUM, MPI_COMM_WORLD));
    REFUSED(MPI_Reduce_scatter_block_init(memory, into, 1, bad, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                                          &request_out));
    REFUSED(MPI_Reduce_scatter_init(memory, into, ints, bad, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                                    &request_out));
    REFUSED(MPI_Rget(memory, 1, bad, 0, 0, 1, MPI_INT, win, &request_out));
    REFUSED(MPI_Rget(memory, 1, MPI_INT, 0, 0, 1, bad, win, &request_out));
    REFUSED(MPI_Rget_accumulate(memory, 1, bad, into, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win,
                                &request_out));
    REFUSED(MPI_Rget_accumulate(memory, 1, MPI_INT, into, 1, bad, 0, 0, 1, MPI_INT, MPI_SUM, win,
                                &request_out));
    REFUSED(MPI_Rget_accumulate(memory, 1, MPI_INT, into, 1, MPI_INT, 0, 0, 1, bad, MPI_SUM, win,
                                &request_out));
    REFUSED(MPI_Rput(memory, 1, bad, 0, 0, 1, MPI_INT, win, &request_out));
    REFUSED(MPI_Rput(memory, 1, MPI_INT, 0, 0, 1, bad, win, &request_out));
    REFUSED(MPI_Rsend(memory, 1, bad, 0, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Rsend_init(memory, 1, bad, 0, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Scan(memory, into, 1, bad, MPI_SUM, MPI_COMM_WORLD));
    REFUSED(MPI_Scan_init(memory, into, 1, bad, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Scatter(memory, 1, bad, into, 1, MPI_INT, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Scatter(memory, 1, MPI_INT, into, 1, bad, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Scatter_init(memory, 1, bad, into, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Scatter_init(memory, 1, MPI_INT, into, 1, bad, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Scatterv(memory, ints, ints, bad, into, 1, MPI_INT, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Scatterv(memory, ints, ints, MPI_INT, into, 1, bad, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Scatterv_init(memory, ints, ints, bad, into, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                              &request_out));
    REFUSED(MPI_Scatterv_init(memory, ints, ints, MPI_INT, into, 1, bad, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                              &request_out));
    REFUSED(MPI_Send(memory, 1, bad, 0, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Send_init(memory, 1, bad, 0, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Sendrecv(memory, 1, bad, 0, 0, into, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &status_out));
    REFUSED(MPI_Sendrecv(memory, 1, MPI_INT, 0, 0, into, 1, bad, 0, 0, MPI_COMM_WORLD, &status_out));
    REFUSED(MPI_Sendrecv_replace(memory, 1, bad, 0, 0, 0, 0, MPI_COMM_WORLD, &status_out));
    REFUSED(MPI_Ssend(memory, 1, bad, 0, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Ssend_init(memory, 1, bad, 0, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Unpack(memory, 64, ints, into, 1, bad, MPI_COMM_WORLD));
    REFUSED(MPI_Unpack_external("external32", memory, 0, aints, into, 1, bad));
}

static void asking(MPI_Datatype bad)
{
    REFUSED(MPI_File_get_type_extent(file, bad, aints));
    REFUSED(MPI_Get_count(&status_out, bad, ints));
    REFUSED(MPI_Get_elements(&status_out, bad, ints));
    REFUSED(MPI_Get_elements_x(&status_out, bad, counts));
    REFUSED(MPI_Pack_external_size("external32", 1, bad, aints));
    REFUSED(MPI_Pack_size(1, bad, MPI_COMM_WORLD, ints));
    REFUSED(MPI_Status_set_elements(&status_out, bad, 1));
    REFUSED(MPI_Status_set_elements_x(&status_out, bad, 1));
    REFUSED(MPI_Type_contiguous(1, bad, types));
    REFUSED(MPI_Type_create_darray(8, 0, 1, ints, ints, ints, ints, MPI_ORDER_C, bad, types));
    REFUSED(MPI_Type_create_hindexed(1, ints, aints, bad, types));
    REFUSED(MPI_Type_create_hindexed_block(1, 1, aints, bad, types));
    REFUSED(MPI_Type_create_hvector(1, 1, 0, bad, types));
    REFUSED(MPI_Type_create_indexed_block(1, 1, ints, bad, types));
    REFUSED(MPI_Type_create_resized(bad, 0, 0, types));
    REFUSED(MPI_Type_create_subarray(1, ints, ints, ints, MPI_ORDER_C, bad, types));
    REFUSED(MPI_Type_delete_attr(bad, 1));
    REFUSED(MPI_Type_dup(bad, types));
    REFUSED(MPI_Type_extent(bad, aints));
    REFUSED(MPI_Type_get_attr(bad, 1, memory, ints));
    REFUSED(MPI_Type_get_contents(bad, 0, 0, 0, ints, aints, types));
    REFUSED(MPI_Type_get_envelope(bad, ints, ints, ints, ints));
    REFUSED(MPI_Type_get_extent(bad, aints, aints));
    REFUSED(MPI_Type_get_extent_x(bad, counts, counts));
    REFUSED(MPI_Type_get_true_extent(bad, aints, aints));
    REFUSED(MPI_Type_get_true_extent_x(bad, counts, counts));
    REFUSED(MPI_Type_get_value_index(bad, MPI_INT, types));
    REFUSED(MPI_Type_get_value_index(MPI_INT, bad, types));
    REFUSED(MPI_Type_hindexed(1, ints, aints, bad, types));
    REFUSED(MPI_Type_hvector(1, 1, 0, bad, types));
    REFUSED(MPI_Type_indexed(1, ints, ints, bad, types));
    REFUSED(MPI_Type_lb(bad, aints));
    REFUSED(MPI_Type_set_attr(bad, 1, memory));
    REFUSED(MPI_Type_set_name(bad, text));
    REFUSED(MPI_Type_size(bad, ints));
    REFUSED(MPI_Type_size_x(bad, counts));
    REFUSED(MPI_Type_ub(bad, aints));
    REFUSED(MPI_Type_vector(1, 1, 1, bad, types));
    if (bad != MPI_DATATYPE_NULL)
        REFUSED(MPI_Type_get_name(bad, text, ints));
    REFUSED(MPI_Type_commit(&bad));
    REFUSED(MPI_Type_free(&bad));
}

int main(int argc, char **argv)
{
    MPI_Datatype type, freed;
    check_start(&argc, &argv);
    open_all("errors_types");
    OK(MPI_Type_contiguous(2, MPI_INT, &type));
    moving(type);
    freed = type;
    OK(MPI_Type_free(&type));
    moving(MPI_DATATYPE_NULL);
    moving((MPI_Datatype)0x12345);
    moving((MPI_Datatype)MPI_COMM_WORLD);
    moving(freed);
    asking(MPI_DATATYPE_NULL);
    asking((MPI_Datatype)0x12345);
    asking(freed);
    close_all();
    return check_end();
}
