/* ranks: 1; mpich: skip it checks less */
/* Every function that takes a count refuses a negative one, where it matters. */
#include "refused.h"
#include "removed.h"

#define REFUSED(call) CHECK_CLASS(call, MPI_ERR_COUNT)

static const int negative[1] = { -1 };
static MPI_Request requests[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL };
static MPI_Status statuses[2];

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    open_all("errors_counts");
    REFUSED(MPI_Accumulate(memory, -1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win));
    REFUSED(MPI_Accumulate(memory, 1, MPI_INT, 0, 0, -1, MPI_INT, MPI_SUM, win));
    REFUSED(MPI_Allgather(memory, -1, MPI_INT, into, 1, MPI_INT, MPI_COMM_WORLD));
    REFUSED(MPI_Allgather(memory, 1, MPI_INT, into, -1, MPI_INT, MPI_COMM_WORLD));
    REFUSED(MPI_Allgather_init(memory, -1, MPI_INT, into, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL,
                               &request_out));
    REFUSED(MPI_Allgather_init(memory, 1, MPI_INT, into, -1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL,
                               &request_out));
    REFUSED(MPI_Allgatherv(memory, -1, MPI_INT, into, ints, ints, MPI_INT, MPI_COMM_WORLD));
    REFUSED(MPI_Allgatherv(memory, 1, MPI_INT, into, negative, ints, MPI_INT, MPI_COMM_WORLD));
    REFUSED(MPI_Allgatherv_init(memory, -1, MPI_INT, into, ints, ints, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL,
                                &request_out));
    REFUSED(MPI_Allgatherv_init(memory, 1, MPI_INT, into, negative, ints, MPI_INT, MPI_COMM_WORLD,
                                MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Allreduce(memory, into, -1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    REFUSED(MPI_Allreduce_init(memory, into, -1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                               &request_out));
    REFUSED(MPI_Alltoall(memory, -1, MPI_INT, into, 1, MPI_INT, MPI_COMM_WORLD));
    REFUSED(MPI_Alltoall(memory, 1, MPI_INT, into, -1, MPI_INT, MPI_COMM_WORLD));
    REFUSED(MPI_Alltoall_init(memory, -1, MPI_INT, into, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL,
                              &request_out));
    REFUSED(MPI_Alltoall_init(memory, 1, MPI_INT, into, -1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL,
                              &request_out));
    REFUSED(MPI_Alltoallv(memory, negative, ints, MPI_INT, into, ints, ints, MPI_INT, MPI_COMM_WORLD));
    REFUSED(MPI_Alltoallv(memory, ints, ints, MPI_INT, into, negative, ints, MPI_INT, MPI_COMM_WORLD));
    REFUSED(MPI_Alltoallv_init(memory, negative, ints, MPI_INT, into, ints, ints, MPI_INT, MPI_COMM_WORLD,
                               MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Alltoallv_init(memory, ints, ints, MPI_INT, into, negative, ints, MPI_INT, MPI_COMM_WORLD,
                               MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Alltoallw(memory, negative, ints, types, into, ints, ints, types, MPI_COMM_WORLD));
    REFUSED(MPI_Alltoallw(memory, ints, ints, types, into, negative, ints, types, MPI_COMM_WORLD));
    REFUSED(MPI_Alltoallw_init(memory, negative, ints, types, into, ints, ints, types, MPI_COMM_WORLD,
                               MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Alltoallw_init(memory, ints, ints, types, into, negative, ints, types, MPI_COMM_WORLD,
                               MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Bcast(memory, -1, MPI_INT, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Bcast_init(memory, -1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Bsend(memory, -1, MPI_INT, 0, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Bsend_init(memory, -1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Exscan(memory, into, -1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    REFUSED(MPI_Exscan_init(memory, into, -1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_File_iread(file, memory, -1, MPI_INT, &request_out));
    REFUSED(MPI_File_iread_all(file, memory, -1, MPI_INT, &request_out));
    REFUSED(MPI_File_iread_at(file, 0, memory, -1, MPI_INT, &request_out));
    REFUSED(MPI_File_iread_at_all(file, 0, memory, -1, MPI_INT, &request_out));
    REFUSED(MPI_File_iread_shared(file, memory, -1, MPI_INT, &request_out));
    REFUSED(MPI_File_iwrite(file, memory, -1, MPI_INT, &request_out));
    REFUSED(MPI_File_iwrite_all(file, memory, -1, MPI_INT, &request_out));
    REFUSED(MPI_File_iwrite_at(file, 0, memory, -1, MPI_INT, &request_out));
    REFUSED(MPI_File_iwrite_at_all(file, 0, memory, -1, MPI_INT, &request_out));
    REFUSED(MPI_File_iwrite_shared(file, memory, -1, MPI_INT, &request_out));
    REFUSED(MPI_File_read(file, memory, -1, MPI_INT, &status_out));
    REFUSED(MPI_File_read_all(file, memory, -1, MPI_INT, &status_out));
    REFUSED(MPI_File_read_all_begin(file, memory, -1, MPI_INT));
    REFUSED(MPI_File_read_at(file, 0, memory, -1, MPI_INT, &status_out));
    REFUSED(MPI_File_read_at_all(file, 0, memory, -1, MPI_INT, &status_out));
    REFUSED(MPI_File_read_at_all_begin(file, 0, memory, -1, MPI_INT));
    REFUSED(MPI_File_read_ordered(file, memory, -1, MPI_INT, &status_out));
    REFUSED(MPI_File_read_ordered_begin(file, memory, -1, MPI_INT));
    REFUSED(MPI_File_read_shared(file, memory, -1, MPI_INT, &status_out));
    REFUSED(MPI_File_write(file, memory, -1, MPI_INT, &status_out));
    REFUSED(MPI_File_write_all(file, memory, -1, MPI_INT, &status_out));
    REFUSED(MPI_File_write_all_begin(file, memory, -1, MPI_INT));
    REFUSED(MPI_File_write_at(file, 0, memory, -1, MPI_INT, &status_out));
    REFUSED(MPI_File_write_at_all(file, 0, memory, -1, MPI_INT, &status_out));
    REFUSED(MPI_File_write_at_all_begin(file, 0, memory, -1, MPI_INT));
    REFUSED(MPI_File_write_ordered(file, memory, -1, MPI_INT, &status_out));
    REFUSED(MPI_File_write_ordered_begin(file, memory, -1, MPI_INT));
    REFUSED(MPI_File_write_shared(file, memory, -1, MPI_INT, &status_out));
    REFUSED(MPI_Gather(memory, -1, MPI_INT, into, 1, MPI_INT, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Gather(memory, 1, MPI_INT, into, -1, MPI_INT, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Gather_init(memory, -1, MPI_INT, into, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                            &request_out));
    REFUSED(MPI_Gather_init(memory, 1, MPI_INT, into, -1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                            &request_out));
    REFUSED(MPI_Gatherv(memory, -1, MPI_INT, into, ints, ints, MPI_INT, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Gatherv(memory, 1, MPI_INT, into, negative, ints, MPI_INT, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Gatherv_init(memory, -1, MPI_INT, into, ints, ints, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                             &request_out));
    REFUSED(MPI_Gatherv_init(memory, 1, MPI_INT, into, negative, ints, MPI_INT, 0, MPI_COMM_WORLD,
                             MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Get(memory, -1, MPI_INT, 0, 0, 1, MPI_INT, win));
    REFUSED(MPI_Get(memory, 1, MPI_INT, 0, 0, -1, MPI_INT, win));
    REFUSED(MPI_Get_accumulate(memory, -1, MPI_INT, into, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win));
    REFUSED(MPI_Get_accumulate(memory, 1, MPI_INT, into, -1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win));
    REFUSED(MPI_Get_accumulate(memory, 1, MPI_INT, into, 1, MPI_INT, 0, 0, -1, MPI_INT, MPI_SUM, win));
    REFUSED(MPI_Iallgather(memory, -1, MPI_INT, into, 1, MPI_INT, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Iallgather(memory, 1, MPI_INT, into, -1, MPI_INT, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Iallgatherv(memory, -1, MPI_INT, into, ints, ints, MPI_INT, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Iallgatherv(memory, 1, MPI_INT, into, negative, ints, MPI_INT, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Iallreduce(memory, into, -1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Ialltoall(memory, -1, MPI_INT, into, 1, MPI_INT, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Ialltoall(memory, 1, MPI_INT, into, -1, MPI_INT, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Ialltoallv(memory, negative, ints, MPI_INT, into, ints, ints, MPI_INT, MPI_COMM_WORLD,
                           &request_out));
    REFUSED(MPI_Ialltoallv(memory, ints, ints, MPI_INT, into, negative, ints, MPI_INT, MPI_COMM_WORLD,
                           &request_out));
    REFUSED(MPI_Ialltoallw(memory, negative, ints, types, into, ints, ints, types, MPI_COMM_WORLD,
                           &request_out));
    REFUSED(MPI_Ialltoallw(memory, ints, ints, types, into, negative, ints, types, MPI_COMM_WORLD,
                           &request_out));
    REFUSED(MPI_Ibcast(memory, -1, MPI_INT, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Ibsend(memory, -1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Iexscan(memory, into, -1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Igather(memory, -1, MPI_INT, into, 1, MPI_INT, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Igather(memory, 1, MPI_INT, into, -1, MPI_INT, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Igatherv(memory, -1, MPI_INT, into, ints, ints, MPI_INT, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Igatherv(memory, 1, MPI_INT, into, negative, ints, MPI_INT, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Imrecv(memory, -1, MPI_INT, &message_out, &request_out));
    REFUSED(MPI_Ineighbor_allgather(memory, -1, MPI_INT, into, 1, MPI_INT, ring, &request_out));
    REFUSED(MPI_Ineighbor_allgather(memory, 1, MPI_INT, into, -1, MPI_INT, ring, &request_out));
    REFUSED(MPI_Ineighbor_allgatherv(memory, -1, MPI_INT, into, ints, ints, MPI_INT, ring,
                                     &request_out));
    REFUSED(MPI_Ineighbor_allgatherv(memory, 1, MPI_INT, into, negative, ints, MPI_INT, ring,
                                     &request_out));
    REFUSED(MPI_Ineighbor_alltoall(memory, -1, MPI_INT, into, 1, MPI_INT, ring, &request_out));
    REFUSED(MPI_Ineighbor_alltoall(memory, 1, MPI_INT, into, -1, MPI_INT, ring, &request_out));
    REFUSED(MPI_Ineighbor_alltoallv(memory, negative, ints, MPI_INT, into, ints, ints, MPI_INT, ring,
                                    &request_out));
    REFUSED(MPI_Ineighbor_alltoallv(memory, ints, ints, MPI_INT, into, negative, ints, MPI_INT, ring,
                                    &request_out));
    REFUSED(MPI_Ineighbor_alltoallw(memory, negative, aints, types, into, ints, aints, types, ring,
                                    &request_out));
    REFUSED(MPI_Ineighbor_alltoallw(memory, ints, aints, types, into, negative, aints, types, ring,
                                    &request_out));
    REFUSED(MPI_Irecv(memory, -1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Ireduce(memory, into, -1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Ireduce_scatter(memory, into, negative, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Ireduce_scatter_block(memory, into, -1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Irsend(memory, -1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Iscan(memory, into, -1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Iscatter(memory, -1, MPI_INT, into, 1, MPI_INT, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Iscatter(memory, 1, MPI_INT, into, -1, MPI_INT, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Iscatterv(memory, negative, ints, MPI_INT, into, 1, MPI_INT, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Iscatterv(memory, ints, ints, MPI_INT, into, -1, MPI_INT, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Isend(memory, -1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Isendrecv(memory, -1, MPI_INT, 0, 0, into, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Isendrecv(memory, 1, MPI_INT, 0, 0, into, -1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Isendrecv_replace(memory, -1, MPI_INT, 0, 0, 0, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Issend(memory, -1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Mrecv(memory, -1, MPI_INT, &message_out, &status_out));
    REFUSED(MPI_Neighbor_allgather(memory, -1, MPI_INT, into, 1, MPI_INT, ring));
    REFUSED(MPI_Neighbor_allgather(memory, 1, MPI_INT, into, -1, MPI_INT, ring));
    REFUSED(MPI_Neighbor_allgather_init(memory, -1, MPI_INT, into, 1, MPI_INT, ring, MPI_INFO_NULL,
                                        &request_out));
    REFUSED(MPI_Neighbor_allgather_init(memory, 1, MPI_INT, into, -1, MPI_INT, ring, MPI_INFO_NULL,
                                        &request_out));
    REFUSED(MPI_Neighbor_allgatherv(memory, -1, MPI_INT, into, ints, ints, MPI_INT, ring));
    REFUSED(MPI_Neighbor_allgatherv(memory, 1, MPI_INT, into, negative, ints, MPI_INT, ring));
    REFUSED(MPI_Neighbor_allgatherv_init(memory, -1, MPI_INT, into, ints, ints, MPI_INT, ring,
                                         MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Neighbor_allgatherv_init(memory, 1, MPI_INT, into, negative, ints, MPI_INT, ring,
                                         MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Neighbor_alltoall(memory, -1, MPI_INT, into, 1, MPI_INT, ring));
    REFUSED(MPI_Neighbor_alltoall(memory, 1, MPI_INT, into, -1, MPI_INT, ring));
    REFUSED(MPI_Neighbor_alltoall_init(memory, -1, MPI_INT, into, 1, MPI_INT, ring, MPI_INFO_NULL,
                                       &request_out));
    REFUSED(MPI_Neighbor_alltoall_init(memory, 1, MPI_INT, into, -1, MPI_INT, ring, MPI_INFO_NULL,
                                       &request_out));
    REFUSED(MPI_Neighbor_alltoallv(memory, negative, ints, MPI_INT, into, ints, ints, MPI_INT, ring));
    REFUSED(MPI_Neighbor_alltoallv(memory, ints, ints, MPI_INT, into, negative, ints, MPI_INT, ring));
    REFUSED(MPI_Neighbor_alltoallv_init(memory, negative, ints, MPI_INT, into, ints, ints, MPI_INT,
                                        ring, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Neighbor_alltoallv_init(memory, ints, ints, MPI_INT, into, negative, ints, MPI_INT,
                                        ring, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Neighbor_alltoallw(memory, negative, aints, types, into, ints, aints, types, ring));
    REFUSED(MPI_Neighbor_alltoallw(memory, ints, aints, types, into, negative, aints, types, ring));
    REFUSED(MPI_Neighbor_alltoallw_init(memory, negative, aints, types, into, ints, aints, types,
                                        ring, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Neighbor_alltoallw_init(memory, ints, aints, types, into, negative, aints, types,
                                        ring, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Pack(memory, -1, MPI_INT, into, 64, ints, MPI_COMM_WORLD));
    REFUSED(MPI_Pack_external("external32", memory, -1, MPI_INT, into, 0, aints));
    REFUSED(MPI_Pack_external_size("external32", -1, MPI_INT, aints));
    REFUSED(MPI_Pack_size(-1, MPI_INT, MPI_COMM_WORLD, ints));
    REFUSED(MPI_Precv_init(memory, 1, -1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Psend_init(memory, 1, -1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Put(memory, -1, MPI_INT, 0, 0, 1, MPI_INT, win));
    REFUSED(MPI_Put(memory, 1, MPI_INT, 0, 0, -1, MPI_INT, win));
    REFUSED(MPI_Raccumulate(memory, -1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win, &request_out));
    REFUSED(MPI_Raccumulate(memory, 1, MPI_INT, 0, 0, -1, MPI_INT, MPI_SUM, win, &request_out));
    REFUSED(MPI_Recv(memory, -1, MPI_INT, 0, 0, MPI_COMM_WORLD, &status_out));
    REFUSED(MPI_Recv_init(memory, -1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Reduce(memory, into, -1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Reduce_init(memory, into, -1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                            &request_out));
    REFUSED(MPI_Reduce_local(memory, into, -1, MPI_INT, MPI_SUM));
    REFUSED(MPI_Reduce_scatter(memory, into, negative, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    REFUSED(MPI_Reduce_scatter_block(memory, into, -1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    REFUSED(MPI_Reduce_scatter_block_init(memory, into, -1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                                          &request_out));
    REFUSED(MPI_Reduce_scatter_init(memory, into, negative, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                                    &request_out));
    REFUSED(MPI_Request_get_status_all(-1, &request_out, ints, statuses));
    REFUSED(MPI_Request_get_status_any(-1, &request_out, ints, ints, &status_out));
    REFUSED(MPI_Request_get_status_some(-1, &request_out, ints, ints, statuses));
    REFUSED(MPI_Rget(memory, -1, MPI_INT, 0, 0, 1, MPI_INT, win, &request_out));
    REFUSED(MPI_Rget(memory, 1, MPI_INT, 0, 0, -1, MPI_INT, win, &request_out));
    REFUSED(MPI_Rget_accumulate(memory, -1, MPI_INT, into, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win,
                                &request_out));
    REFUSED(MPI_Rget_accumulate(memory, 1, MPI_INT, into, -1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win,
                                &request_out));
    REFUSED(MPI_Rget_accumulate(memory, 1, MPI_INT, into, 1, MPI_INT, 0, 0, -1, MPI_INT, MPI_SUM, win,
                                &request_out));
    REFUSED(MPI_Rput(memory, -1, MPI_INT, 0, 0, 1, MPI_INT, win, &request_out));
    REFUSED(MPI_Rput(memory, 1, MPI_INT, 0, 0, -1, MPI_INT, win, &request_out));
    REFUSED(MPI_Rsend(memory, -1, MPI_INT, 0, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Rsend_init(memory, -1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Scan(memory, into, -1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    REFUSED(MPI_Scan_init(memory, into, -1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Scatter(memory, -1, MPI_INT, into, 1, MPI_INT, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Scatter(memory, 1, MPI_INT, into, -1, MPI_INT, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Scatter_init(memory, -1, MPI_INT, into, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                             &request_out));
    REFUSED(MPI_Scatter_init(memory, 1, MPI_INT, into, -1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                             &request_out));
    REFUSED(MPI_Scatterv(memory, negative, ints, MPI_INT, into, 1, MPI_INT, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Scatterv(memory, ints, ints, MPI_INT, into, -1, MPI_INT, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Scatterv_init(memory, negative, ints, MPI_INT, into, 1, MPI_INT, 0, MPI_COMM_WORLD,
                              MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Scatterv_init(memory, ints, ints, MPI_INT, into, -1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                              &request_out));
    REFUSED(MPI_Send(memory, -1, MPI_INT, 0, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Send_init(memory, -1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Sendrecv(memory, -1, MPI_INT, 0, 0, into, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &status_out));
    REFUSED(MPI_Sendrecv(memory, 1, MPI_INT, 0, 0, into, -1, MPI_INT, 0, 0, MPI_COMM_WORLD, &status_out));
    REFUSED(MPI_Sendrecv_replace(memory, -1, MPI_INT, 0, 0, 0, 0, MPI_COMM_WORLD, &status_out));
    REFUSED(MPI_Ssend(memory, -1, MPI_INT, 0, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Ssend_init(memory, -1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Startall(-1, requests));
    REFUSED(MPI_Status_set_elements(&status_out, MPI_INT, -1));
    REFUSED(MPI_Testall(-1, requests, ints, statuses));
    REFUSED(MPI_Testany(-1, requests, ints, ints, &status_out));
    REFUSED(MPI_Testsome(-1, requests, ints, ints, statuses));
    REFUSED(MPI_Type_contiguous(-1, MPI_INT, types));
    REFUSED(MPI_Type_create_hindexed(-1, ints, aints, MPI_INT, types));
    REFUSED(MPI_Type_create_hindexed_block(-1, 1, aints, MPI_INT, types));
    REFUSED(MPI_Type_create_hvector(-1, 1, 0, MPI_INT, types));
    REFUSED(MPI_Type_create_indexed_block(-1, 1, ints, MPI_INT, types));
    REFUSED(MPI_Type_create_struct(-1, ints, aints, types, types));
    REFUSED(MPI_Type_hindexed(-1, ints, aints, MPI_INT, types));
    REFUSED(MPI_Type_hvector(-1, 1, 0, MPI_INT, types));
    REFUSED(MPI_Type_indexed(-1, ints, ints, MPI_INT, types));
    REFUSED(MPI_Type_struct(-1, ints, aints, types, types));
    REFUSED(MPI_Type_vector(-1, 1, 1, MPI_INT, types));
    REFUSED(MPI_Unpack(memory, 64, ints, into, -1, MPI_INT, MPI_COMM_WORLD));
    REFUSED(MPI_Unpack_external("external32", memory, 0, aints, into, -1, MPI_INT));
    REFUSED(MPI_Waitall(-1, requests, statuses));
    REFUSED(MPI_Waitany(-1, requests, ints, &status_out));
    REFUSED(MPI_Waitsome(-1, requests, ints, ints, statuses));
    close_all();
    return check_end();
}
