/* ranks: 1; mpich: skip it checks less, and crashes */
/* Every function that moves data refuses a null buffer. */
#include "refused.h"

#define REFUSED(call) CHECK_CLASS(call, MPI_ERR_BUFFER)

static void refuse(void)
{
    REFUSED(MPI_Accumulate(NULL, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win));
    REFUSED(MPI_Allgather(NULL, 1, MPI_INT, into, 1, MPI_INT, MPI_COMM_WORLD));
    REFUSED(MPI_Allgather(memory, 1, MPI_INT, NULL, 1, MPI_INT, MPI_COMM_WORLD));
    REFUSED(MPI_Allgather_init(NULL, 1, MPI_INT, into, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Allgather_init(memory, 1, MPI_INT, NULL, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Allgatherv(NULL, 1, MPI_INT, into, ints, ints, MPI_INT, MPI_COMM_WORLD));
    REFUSED(MPI_Allgatherv(memory, 1, MPI_INT, NULL, ints, ints, MPI_INT, MPI_COMM_WORLD));
    REFUSED(MPI_Allgatherv_init(NULL, 1, MPI_INT, into, ints, ints, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL,
                                &request_out));
    REFUSED(MPI_Allgatherv_init(memory, 1, MPI_INT, NULL, ints, ints, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL,
                                &request_out));
    REFUSED(MPI_Allreduce(NULL, into, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    REFUSED(MPI_Allreduce(memory, NULL, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    REFUSED(MPI_Allreduce_init(NULL, into, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Allreduce_init(memory, NULL, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Alltoall(NULL, 1, MPI_INT, into, 1, MPI_INT, MPI_COMM_WORLD));
    REFUSED(MPI_Alltoall(memory, 1, MPI_INT, NULL, 1, MPI_INT, MPI_COMM_WORLD));
    REFUSED(MPI_Alltoall_init(NULL, 1, MPI_INT, into, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Alltoall_init(memory, 1, MPI_INT, NULL, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Alltoallv(NULL, ints, ints, MPI_INT, into, ints, ints, MPI_INT, MPI_COMM_WORLD));
    REFUSED(MPI_Alltoallv(memory, ints, ints, MPI_INT, NULL, ints, ints, MPI_INT, MPI_COMM_WORLD));
    REFUSED(MPI_Alltoallv_init(NULL, ints, ints, MPI_INT, into, ints, ints, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL,
                               &request_out));
    REFUSED(MPI_Alltoallv_init(memory, ints, ints, MPI_INT, NULL, ints, ints, MPI_INT, MPI_COMM_WORLD,
                               MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Alltoallw(NULL, ints, ints, types, into, ints, ints, types, MPI_COMM_WORLD));
    REFUSED(MPI_Alltoallw(memory, ints, ints, types, NULL, ints, ints, types, MPI_COMM_WORLD));
    REFUSED(MPI_Alltoallw_init(NULL, ints, ints, types, into, ints, ints, types, MPI_COMM_WORLD, MPI_INFO_NULL,
                               &request_out));
    REFUSED(MPI_Alltoallw_init(memory, ints, ints, types, NULL, ints, ints, types, MPI_COMM_WORLD, MPI_INFO_NULL,
                               &request_out));
    REFUSED(MPI_Bsend(NULL, 1, MPI_INT, 0, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Bsend_init(NULL, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Compare_and_swap(NULL, memory, into, MPI_INT, 0, 0, win));
    REFUSED(MPI_Compare_and_swap(memory, NULL, into, MPI_INT, 0, 0, win));
    REFUSED(MPI_Compare_and_swap(memory, memory, NULL, MPI_INT, 0, 0, win));
    REFUSED(MPI_Exscan(NULL, into, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    REFUSED(MPI_Exscan(memory, NULL, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    REFUSED(MPI_Exscan_init(NULL, into, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Exscan_init(memory, NULL, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Fetch_and_op(NULL, into, MPI_INT, 0, 0, MPI_SUM, win));
    REFUSED(MPI_Fetch_and_op(memory, NULL, MPI_INT, 0, 0, MPI_SUM, win));
    REFUSED(MPI_File_iread(file, NULL, 1, MPI_INT, &request_out));
    REFUSED(MPI_File_iread_all(file, NULL, 1, MPI_INT, &request_out));
    REFUSED(MPI_File_iread_at(file, 0, NULL, 1, MPI_INT, &request_out));
    REFUSED(MPI_File_iread_at_all(file, 0, NULL, 1, MPI_INT, &request_out));
    REFUSED(MPI_File_iread_shared(file, NULL, 1, MPI_INT, &request_out));
    REFUSED(MPI_File_iwrite(file, NULL, 1, MPI_INT, &request_out));
    REFUSED(MPI_File_iwrite_all(file, NULL, 1, MPI_INT, &request_out));
    REFUSED(MPI_File_iwrite_at(file, 0, NULL, 1, MPI_INT, &request_out));
    REFUSED(MPI_File_iwrite_at_all(file, 0, NULL, 1, MPI_INT, &request_out));
    REFUSED(MPI_File_iwrite_shared(file, NULL, 1, MPI_INT, &request_out));
    REFUSED(MPI_File_read(file, NULL, 1, MPI_INT, &status_out));
    REFUSED(MPI_File_read_all(file, NULL, 1, MPI_INT, &status_out));
    REFUSED(MPI_File_read_all_begin(file, NULL, 1, MPI_INT));
    REFUSED(MPI_File_read_at(file, 0, NULL, 1, MPI_INT, &status_out));
    REFUSED(MPI_File_read_at_all(file, 0, NULL, 1, MPI_INT, &status_out));
    REFUSED(MPI_File_read_at_all_begin(file, 0, NULL, 1, MPI_INT));
    REFUSED(MPI_File_read_ordered(file, NULL, 1, MPI_INT, &status_out));
    REFUSED(MPI_File_read_ordered_begin(file, NULL, 1, MPI_INT));
    REFUSED(MPI_File_read_shared(file, NULL, 1, MPI_INT, &status_out));
    REFUSED(MPI_File_write(file, NULL, 1, MPI_INT, &status_out));
    REFUSED(MPI_File_write_all(file, NULL, 1, MPI_INT, &status_out));
    REFUSED(MPI_File_write_all_begin(file, NULL, 1, MPI_INT));
    REFUSED(MPI_File_write_at(file, 0, NULL, 1, MPI_INT, &status_out));
    REFUSED(MPI_File_write_at_all(file, 0, NULL, 1, MPI_INT, &status_out));
    REFUSED(MPI_File_write_at_all_begin(file, 0, NULL, 1, MPI_INT));
    REFUSED(MPI_File_write_ordered(file, NULL, 1, MPI_INT, &status_out));
    REFUSED(MPI_File_write_ordered_begin(file, NULL, 1, MPI_INT));
    REFUSED(MPI_File_write_shared(file, NULL, 1, MPI_INT, &status_out));
    REFUSED(MPI_Gather(NULL, 1, MPI_INT, into, 1, MPI_INT, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Gather(memory, 1, MPI_INT, NULL, 1, MPI_INT, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Gather_init(NULL, 1, MPI_INT, into, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Gather_init(memory, 1, MPI_INT, NULL, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Gatherv(NULL, 1, MPI_INT, into, ints, ints, MPI_INT, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Gatherv(memory, 1, MPI_INT, NULL, ints, ints, MPI_INT, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Gatherv_init(NULL, 1, MPI_INT, into, ints, ints, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                             &request_out));
    REFUSED(MPI_Gatherv_init(memory, 1, MPI_INT, NULL, ints, ints, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                             &request_out));
    REFUSED(MPI_Get(NULL, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
    REFUSED(MPI_Get_accumulate(NULL, 1, MPI_INT, into, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win));
    REFUSED(MPI_Get_accumulate(memory, 1, MPI_INT, NULL, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win));
    REFUSED(MPI_Iallgather(NULL, 1, MPI_INT, into, 1, MPI_INT, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Iallgather(memory, 1, MPI_INT, NULL, 1, MPI_INT, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Iallgatherv(NULL, 1, MPI_INT, into, ints, ints, MPI_INT, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Iallgatherv(memory, 1, MPI_INT, NULL, ints, ints, MPI_INT, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Iallreduce(NULL, into, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Iallreduce(memory, NULL, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Ialltoall(NULL, 1, MPI_INT, into, 1, MPI_INT, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Ialltoall(memory, 1, MPI_INT, NULL, 1, MPI_INT, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Ialltoallv(NULL, ints, ints, MPI_INT, into, ints, ints, MPI_INT, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Ialltoallv(memory, ints, ints, MPI_INT, NULL, ints, ints, MPI_INT, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Ialltoallw(NULL, ints, ints, types, into, ints, ints, types, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Ialltoallw(memory, ints, ints, types, NULL, ints, ints, types, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Ibsend(NULL, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Iexscan(NULL, into, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Iexscan(memory, NULL, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Igather(NULL, 1, MPI_INT, into, 1, MPI_INT, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Igather(memory, 1, MPI_INT, NULL, 1, MPI_INT, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Igatherv(NULL, 1, MPI_INT, into, ints, ints, MPI_INT, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Igatherv(memory, 1, MPI_INT, NULL, ints, ints, MPI_INT, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Imrecv(NULL, 1, MPI_INT, &message_out, &request_out));
    REFUSED(MPI_Ineighbor_allgather(NULL, 1, MPI_INT, into, 1, MPI_INT, ring, &request_out));
    REFUSED(MPI_Ineighbor_allgather(memory, 1, MPI_INT, NULL, 1, MPI_INT, ring, &request_out));
    REFUSED(MPI_Ineighbor_allgatherv(NULL, 1, MPI_INT, into, ints, ints, MPI_INT, ring, &request_out));
    REFUSED(MPI_Ineighbor_allgatherv(memory, 1, MPI_INT, NULL, ints, ints, MPI_INT, ring, &request_out));
    REFUSED(MPI_Ineighbor_alltoall(NULL, 1, MPI_INT, into, 1, MPI_INT, ring, &request_out));
    REFUSED(MPI_Ineighbor_alltoall(memory, 1, MPI_INT, NULL, 1, MPI_INT, ring, &request_out));
    REFUSED(MPI_Ineighbor_alltoallv(NULL, ints, ints, MPI_INT, into, ints, ints, MPI_INT, ring, &request_out));
    REFUSED(MPI_Ineighbor_alltoallv(memory, ints, ints, MPI_INT, NULL, ints, ints, MPI_INT, ring, &request_out));
    REFUSED(MPI_Ineighbor_alltoallw(NULL, ints, aints, types, into, ints, aints, types, ring, &request_out));
    REFUSED(MPI_Ineighbor_alltoallw(memory, ints, aints, types, NULL, ints, aints, types, ring, &request_out));
    REFUSED(MPI_Irecv(NULL, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Ireduce(NULL, into, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Ireduce(memory, NULL, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Ireduce_scatter(NULL, into, ints, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Ireduce_scatter(memory, NULL, ints, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Ireduce_scatter_block(NULL, into, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Ireduce_scatter_block(memory, NULL, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Irsend(NULL, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Iscan(NULL, into, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Iscan(memory, NULL, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Iscatter(NULL, 1, MPI_INT, into, 1, MPI_INT, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Iscatter(memory, 1, MPI_INT, NULL, 1, MPI_INT, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Iscatterv(NULL, ints, ints, MPI_INT, into, 1, MPI_INT, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Iscatterv(memory, ints, ints, MPI_INT, NULL, 1, MPI_INT, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Isend(NULL, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Isendrecv(NULL, 1, MPI_INT, 0, 0, into, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Isendrecv(memory, 1, MPI_INT, 0, 0, NULL, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Isendrecv_replace(NULL, 1, MPI_INT, 0, 0, 0, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Issend(NULL, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Mrecv(NULL, 1, MPI_INT, &message_out, &status_out));
    REFUSED(MPI_Neighbor_allgather(NULL, 1, MPI_INT, into, 1, MPI_INT, ring));
    REFUSED(MPI_Neighbor_allgather(memory, 1, MPI_INT, NULL, 1, MPI_INT, ring));
    REFUSED(MPI_Neighbor_allgather_init(NULL, 1, MPI_INT, into, 1, MPI_INT, ring, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Neighbor_allgather_init(memory, 1, MPI_INT, NULL, 1, MPI_INT, ring, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Neighbor_allgatherv(NULL, 1, MPI_INT, into, ints, ints, MPI_INT, ring));
    REFUSED(MPI_Neighbor_allgatherv(memory, 1, MPI_INT, NULL, ints, ints, MPI_INT, ring));
    REFUSED(MPI_Neighbor_allgatherv_init(NULL, 1, MPI_INT, into, ints, ints, MPI_INT, ring, MPI_INFO_NULL,
                                         &request_out));
    REFUSED(MPI_Neighbor_allgatherv_init(memory, 1, MPI_INT, NULL, ints, ints, MPI_INT, ring, MPI_INFO_NULL,
                                         &request_out));
    REFUSED(MPI_Neighbor_alltoall(NULL, 1, MPI_INT, into, 1, MPI_INT, ring));
    REFUSED(MPI_Neighbor_alltoall(memory, 1, MPI_INT, NULL, 1, MPI_INT, ring));
    REFUSED(MPI_Neighbor_alltoall_init(NULL, 1, MPI_INT, into, 1, MPI_INT, ring, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Neighbor_alltoall_init(memory, 1, MPI_INT, NULL, 1, MPI_INT, ring, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Neighbor_alltoallv(NULL, ints, ints, MPI_INT, into, ints, ints, MPI_INT, ring));
    REFUSED(MPI_Neighbor_alltoallv(memory, ints, ints, MPI_INT, NULL, ints, ints, MPI_INT, ring));
    REFUSED(MPI_Neighbor_alltoallv_init(NULL, ints, ints, MPI_INT, into, ints, ints, MPI_INT, ring, MPI_INFO_NULL,
                                        &request_out));
    REFUSED(MPI_Neighbor_alltoallv_init(memory, ints, ints, MPI_INT, NULL, ints, ints, MPI_INT, ring, MPI_INFO_NULL,
                                        &request_out));
    REFUSED(MPI_Neighbor_alltoallw(NULL, ints, aints, types, into, ints, aints, types, ring));
    REFUSED(MPI_Neighbor_alltoallw(memory, ints, aints, types, NULL, ints, aints, types, ring));
    REFUSED(MPI_Neighbor_alltoallw_init(NULL, ints, aints, types, into, ints, aints, types, ring, MPI_INFO_NULL,
                                        &request_out));
    REFUSED(MPI_Neighbor_alltoallw_init(memory, ints, aints, types, NULL, ints, aints, types, ring, MPI_INFO_NULL,
                                        &request_out));
    REFUSED(MPI_Pack(NULL, 1, MPI_INT, into, 64, ints, MPI_COMM_WORLD));
    REFUSED(MPI_Pack(memory, 1, MPI_INT, NULL, 64, ints, MPI_COMM_WORLD));
    REFUSED(MPI_Pack_external("external32", NULL, 1, MPI_INT, into, 0, aints));
    REFUSED(MPI_Precv_init(NULL, 1, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Psend_init(NULL, 1, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Put(NULL, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
    REFUSED(MPI_Raccumulate(NULL, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win, &request_out));
    REFUSED(MPI_Recv(NULL, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &status_out));
    REFUSED(MPI_Recv_init(NULL, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Reduce(NULL, into, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Reduce(memory, NULL, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Reduce_init(NULL, into, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Reduce_init(memory, NULL, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Reduce_local(NULL, into, 1, MPI_INT, MPI_SUM));
    REFUSED(MPI_Reduce_local(memory, NULL, 1, MPI_INT, MPI_SUM));
    REFUSED(MPI_Reduce_scatter(NULL, into, ints, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    REFUSED(MPI_Reduce_scatter(memory, NULL, ints, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    REFUSED(MPI_Reduce_scatter_block(NULL, into, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    REFUSED(MPI_Reduce_scatter_block(memory, NULL, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    REFUSED(MPI_Reduce_scatter_block_init(NULL, into, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                                          &request_out));
    REFUSED(MPI_Reduce_scatter_block_init(memory, NULL, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                                          &request_out));
    REFUSED(MPI_Reduce_scatter_init(NULL, into, ints, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                                    &request_out));
    REFUSED(MPI_Reduce_scatter_init(memory, NULL, ints, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                                    &request_out));
    REFUSED(MPI_Rget(NULL, 1, MPI_INT, 0, 0, 1, MPI_INT, win, &request_out));
    REFUSED(MPI_Rget_accumulate(NULL, 1, MPI_INT, into, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win, &request_out));
    REFUSED(MPI_Rget_accumulate(memory, 1, MPI_INT, NULL, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win,
                                &request_out));
    REFUSED(MPI_Rput(NULL, 1, MPI_INT, 0, 0, 1, MPI_INT, win, &request_out));
    REFUSED(MPI_Rsend(NULL, 1, MPI_INT, 0, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Rsend_init(NULL, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Scan(NULL, into, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    REFUSED(MPI_Scan(memory, NULL, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    REFUSED(MPI_Scan_init(NULL, into, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Scan_init(memory, NULL, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Scatter(NULL, 1, MPI_INT, into, 1, MPI_INT, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Scatter(memory, 1, MPI_INT, NULL, 1, MPI_INT, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Scatter_init(NULL, 1, MPI_INT, into, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Scatter_init(memory, 1, MPI_INT, NULL, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Scatterv(NULL, ints, ints, MPI_INT, into, 1, MPI_INT, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Scatterv(memory, ints, ints, MPI_INT, NULL, 1, MPI_INT, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Scatterv_init(NULL, ints, ints, MPI_INT, into, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                              &request_out));
    REFUSED(MPI_Scatterv_init(memory, ints, ints, MPI_INT, NULL, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                              &request_out));
    REFUSED(MPI_Send(NULL, 1, MPI_INT, 0, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Send_init(NULL, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Sendrecv(NULL, 1, MPI_INT, 0, 0, into, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &status_out));
    REFUSED(MPI_Sendrecv(memory, 1, MPI_INT, 0, 0, NULL, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &status_out));
    REFUSED(MPI_Sendrecv_replace(NULL, 1, MPI_INT, 0, 0, 0, 0, MPI_COMM_WORLD, &status_out));
    REFUSED(MPI_Ssend(NULL, 1, MPI_INT, 0, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Ssend_init(NULL, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Unpack(NULL, 64, ints, into, 1, MPI_INT, MPI_COMM_WORLD));
    REFUSED(MPI_Unpack(memory, 64, ints, NULL, 1, MPI_INT, MPI_COMM_WORLD));
    REFUSED(MPI_Unpack_external("external32", memory, 0, aints, NULL, 1, MPI_INT));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    open_all("errors_buffers");
    refuse();
    close_all();
    return check_end();
}
