/* ranks: 1; mpich: skip it checks less */
/* Every function that takes a rank, a root or a tag refuses one that does not exist. */
#include "refused.h"

static char attached[1000];
static MPI_Group group;
static MPI_Info info_out;
static MPI_Comm graph, comm_out;

#define REFUSED(call) CHECK_CLASS(call, MPI_ERR_RANK)

static void ranks(int bad)
{
    REFUSED(MPI_Accumulate(memory, 1, MPI_INT, bad, 0, 1, MPI_INT, MPI_SUM, win));
    REFUSED(MPI_Bsend(memory, 1, MPI_INT, bad, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Bsend_init(memory, 1, MPI_INT, bad, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Cart_coords(ring, bad, 1, ints));
    REFUSED(MPI_Compare_and_swap(memory, memory, into, MPI_INT, bad, 0, win));
    REFUSED(MPI_Fetch_and_op(memory, into, MPI_INT, bad, 0, MPI_SUM, win));
    REFUSED(MPI_Get(memory, 1, MPI_INT, bad, 0, 1, MPI_INT, win));
    REFUSED(MPI_Get_accumulate(memory, 1, MPI_INT, into, 1, MPI_INT, bad, 0, 1, MPI_INT, MPI_SUM, win));
    REFUSED(MPI_Graph_neighbors(graph, bad, 1, ints));
    REFUSED(MPI_Graph_neighbors_count(graph, bad, ints));
    REFUSED(MPI_Ibsend(memory, 1, MPI_INT, bad, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Improbe(bad, 0, MPI_COMM_WORLD, ints, &message_out, &status_out));
    REFUSED(MPI_Intercomm_create(MPI_COMM_WORLD, bad, MPI_COMM_WORLD, 0, 0, &comm_out));
    REFUSED(MPI_Intercomm_create(MPI_COMM_WORLD, 0, MPI_COMM_WORLD, bad, 0, &comm_out));
    REFUSED(MPI_Intercomm_create_from_groups(group, bad, group, 0, text, MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                             &comm_out));
    REFUSED(MPI_Intercomm_create_from_groups(group, 0, group, bad, text, MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                             &comm_out));
    REFUSED(MPI_Iprobe(bad, 0, MPI_COMM_WORLD, ints, &status_out));
    REFUSED(MPI_Irecv(memory, 1, MPI_INT, bad, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Irsend(memory, 1, MPI_INT, bad, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Isend(memory, 1, MPI_INT, bad, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Isendrecv(memory, 1, MPI_INT, bad, 0, into, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Isendrecv(memory, 1, MPI_INT, 0, 0, into, 1, MPI_INT, bad, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Isendrecv_replace(memory, 1, MPI_INT, bad, 0, 0, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Isendrecv_replace(memory, 1, MPI_INT, 0, 0, bad, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Issend(memory, 1, MPI_INT, bad, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Mprobe(bad, 0, MPI_COMM_WORLD, &message_out, &status_out));
    REFUSED(MPI_Precv_init(memory, 1, 1, MPI_INT, bad, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Probe(bad, 0, MPI_COMM_WORLD, &status_out));
    REFUSED(MPI_Psend_init(memory, 1, 1, MPI_INT, bad, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Put(memory, 1, MPI_INT, bad, 0, 1, MPI_INT, win));
    REFUSED(MPI_Raccumulate(memory, 1, MPI_INT, bad, 0, 1, MPI_INT, MPI_SUM, win, &request_out));
    REFUSED(MPI_Recv(memory, 1, MPI_INT, bad, 0, MPI_COMM_WORLD, &status_out));
    REFUSED(MPI_Recv_init(memory, 1, MPI_INT, bad, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Rget(memory, 1, MPI_INT, bad, 0, 1, MPI_INT, win, &request_out));
    REFUSED(MPI_Rget_accumulate(memory, 1, MPI_INT, into, 1, MPI_INT, bad, 0, 1, MPI_INT, MPI_SUM, win,
                                &request_out));
    REFUSED(MPI_Rput(memory, 1, MPI_INT, bad, 0, 1, MPI_INT, win, &request_out));
    REFUSED(MPI_Rsend(memory, 1, MPI_INT, bad, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Rsend_init(memory, 1, MPI_INT, bad, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Send(memory, 1, MPI_INT, bad, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Send_init(memory, 1, MPI_INT, bad, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Sendrecv(memory, 1, MPI_INT, bad, 0, into, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &status_out));
    REFUSED(MPI_Sendrecv(memory, 1, MPI_INT, 0, 0, into, 1, MPI_INT, bad, 0, MPI_COMM_WORLD, &status_out));
    REFUSED(MPI_Sendrecv_replace(memory, 1, MPI_INT, bad, 0, 0, 0, MPI_COMM_WORLD, &status_out));
    REFUSED(MPI_Sendrecv_replace(memory, 1, MPI_INT, 0, 0, bad, 0, MPI_COMM_WORLD, &status_out));
    REFUSED(MPI_Ssend(memory, 1, MPI_INT, bad, 0, MPI_COMM_WORLD));
    REFUSED(MPI_Ssend_init(memory, 1, MPI_INT, bad, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Win_flush(bad, win));
    REFUSED(MPI_Win_flush_local(bad, win));
    REFUSED(MPI_Win_lock(MPI_LOCK_SHARED, bad, 0, win));
    REFUSED(MPI_Win_shared_query(win, bad, aints, ints, memory));
    REFUSED(MPI_Win_unlock(bad, win));
}

#undef REFUSED
#define REFUSED(call) CHECK_CLASS(call, MPI_ERR_ROOT)

static void roots(int bad)
{
    REFUSED(MPI_Bcast(memory, 1, MPI_INT, bad, MPI_COMM_WORLD));
    REFUSED(MPI_Bcast_init(memory, 1, MPI_INT, bad, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Comm_accept(text, MPI_INFO_NULL, bad, MPI_COMM_WORLD, &comm_out));
    REFUSED(MPI_Comm_connect(text, MPI_INFO_NULL, bad, MPI_COMM_WORLD, &comm_out));
    REFUSED(MPI_Comm_spawn(text, MPI_ARGV_NULL, 0, MPI_INFO_NULL, bad, MPI_COMM_WORLD, &comm_out, ints));
    REFUSED(MPI_Comm_spawn_multiple(1, MPI_ARGV_NULL, 0, ints, &info_out, bad, MPI_COMM_WORLD, &comm_out, ints));
    REFUSED(MPI_Gather(memory, 1, MPI_INT, into, 1, MPI_INT, bad, MPI_COMM_WORLD));
    REFUSED(MPI_Gather_init(memory, 1, MPI_INT, into, 1, MPI_INT, bad, MPI_COMM_WORLD, MPI_INFO_NULL,
                            &request_out));
    REFUSED(MPI_Gatherv(memory, 1, MPI_INT, into, ints, ints, MPI_INT, bad, MPI_COMM_WORLD));
    REFUSED(MPI_Gatherv_init(memory, 1, MPI_INT, into, ints, ints, MPI_INT, bad, MPI_COMM_WORLD, MPI_INFO_NULL,
                             &request_out));
    REFUSED(MPI_Ibcast(memory, 1, MPI_INT, bad, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Igather(memory, 1, MPI_INT, into, 1, MPI_INT, bad, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Igatherv(memory, 1, MPI_INT, into, ints, ints, MPI_INT, bad, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Ireduce(memory, into, 1, MPI_INT, MPI_SUM, bad, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Iscatter(memory, 1, MPI_INT, into, 1, MPI_INT, bad, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Iscatterv(memory, ints, ints, MPI_INT, into, 1, MPI_INT, bad, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Reduce(memory, into, 1, MPI_INT, MPI_SUM, bad, MPI_COMM_WORLD));
    REFUSED(MPI_Reduce_init(memory, into, 1, MPI_INT, MPI_SUM, bad, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Scatter(memory, 1, MPI_INT, into, 1, MPI_INT, bad, MPI_COMM_WORLD));
    REFUSED(MPI_Scatter_init(memory, 1, MPI_INT, into, 1, MPI_INT, bad, MPI_COMM_WORLD, MPI_INFO_NULL,
                             &request_out));
    REFUSED(MPI_Scatterv(memory, ints, ints, MPI_INT, into, 1, MPI_INT, bad, MPI_COMM_WORLD));
    REFUSED(MPI_Scatterv_init(memory, ints, ints, MPI_INT, into, 1, MPI_INT, bad, MPI_COMM_WORLD, MPI_INFO_NULL,
                              &request_out));
}

#undef REFUSED
#define REFUSED(call) CHECK_CLASS(call, MPI_ERR_TAG)

static void tags(int bad)
{
    REFUSED(MPI_Bsend(memory, 1, MPI_INT, 0, bad, MPI_COMM_WORLD));
    REFUSED(MPI_Bsend_init(memory, 1, MPI_INT, 0, bad, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Comm_create_group(MPI_COMM_WORLD, group, bad, &comm_out));
    REFUSED(MPI_Ibsend(memory, 1, MPI_INT, 0, bad, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Improbe(0, bad, MPI_COMM_WORLD, ints, &message_out, &status_out));
    REFUSED(MPI_Intercomm_create(MPI_COMM_WORLD, 0, MPI_COMM_WORLD, 0, bad, &comm_out));
    REFUSED(MPI_Iprobe(0, bad, MPI_COMM_WORLD, ints, &status_out));
    REFUSED(MPI_Irecv(memory, 1, MPI_INT, 0, bad, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Irsend(memory, 1, MPI_INT, 0, bad, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Isend(memory, 1, MPI_INT, 0, bad, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Isendrecv(memory, 1, MPI_INT, 0, bad, into, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Isendrecv(memory, 1, MPI_INT, 0, 0, into, 1, MPI_INT, 0, bad, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Isendrecv_replace(memory, 1, MPI_INT, 0, bad, 0, 0, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Isendrecv_replace(memory, 1, MPI_INT, 0, 0, 0, bad, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Issend(memory, 1, MPI_INT, 0, bad, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Mprobe(0, bad, MPI_COMM_WORLD, &message_out, &status_out));
    REFUSED(MPI_Precv_init(memory, 1, 1, MPI_INT, 0, bad, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Probe(0, bad, MPI_COMM_WORLD, &status_out));
    REFUSED(MPI_Psend_init(memory, 1, 1, MPI_INT, 0, bad, MPI_COMM_WORLD, MPI_INFO_NULL, &request_out));
    REFUSED(MPI_Recv(memory, 1, MPI_INT, 0, bad, MPI_COMM_WORLD, &status_out));
    REFUSED(MPI_Recv_init(memory, 1, MPI_INT, 0, bad, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Rsend(memory, 1, MPI_INT, 0, bad, MPI_COMM_WORLD));
    REFUSED(MPI_Rsend_init(memory, 1, MPI_INT, 0, bad, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Send(memory, 1, MPI_INT, 0, bad, MPI_COMM_WORLD));
    REFUSED(MPI_Send_init(memory, 1, MPI_INT, 0, bad, MPI_COMM_WORLD, &request_out));
    REFUSED(MPI_Sendrecv(memory, 1, MPI_INT, 0, bad, into, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &status_out));
    REFUSED(MPI_Sendrecv(memory, 1, MPI_INT, 0, 0, into, 1, MPI_INT, 0, bad, MPI_COMM_WORLD, &status_out));
    REFUSED(MPI_Sendrecv_replace(memory, 1, MPI_INT, 0, bad, 0, 0, MPI_COMM_WORLD, &status_out));
    REFUSED(MPI_Sendrecv_replace(memory, 1, MPI_INT, 0, 0, 0, bad, MPI_COMM_WORLD, &status_out));
    REFUSED(MPI_Ssend(memory, 1, MPI_INT, 0, bad, MPI_COMM_WORLD));
    REFUSED(MPI_Ssend_init(memory, 1, MPI_INT, 0, bad, MPI_COMM_WORLD, &request_out));
}

int main(int argc, char **argv)
{
    void *detached;
    int length, none = 0;
    check_start(&argc, &argv);
    open_all("errors_ranks");
    strcpy(text, "name");
    OK(MPI_Buffer_attach(attached, sizeof attached));
    OK(MPI_Graph_create(MPI_COMM_WORLD, 1, &none, &none, 0, &graph));
    OK(MPI_Comm_group(MPI_COMM_WORLD, &group));
    ranks(size);
    ranks(-77);
    roots(size);
    roots(-77);
    tags(-77);
    tags(-2147483647);
    OK(MPI_Buffer_detach(&detached, &length));
    OK(MPI_Group_free(&group));
    if (graph != MPI_COMM_NULL)
        OK(MPI_Comm_free(&graph));
    close_all();
    return check_end();
}
