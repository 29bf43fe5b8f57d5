// Buffers that another operation has not given back: MPI 4.1 §3.7.2, §6.12.
//
// ranks: 2
// wrong written: buffer in use
// wrong received_twice: buffer in use
// wrong sent: buffer in use
// wrong collective: buffer in use
// wrong persistent: buffer in use
// wrong rows: buffer in use
// wrong given_back: buffer in use
// wrong packed: buffer in use
// wrong unpacked: buffer in use
// wrong not_there_yet: buffer in use
// wrong reduced: buffer in use
// right read_twice
// right packed_beside
// right in_an_operation
// right after_wait
// right columns
// right nobody
// right inactive
// right freed
// right told
// right given_back_late
#include <mpi.h>
#include <string.h>

static void sum(void *in, void *inout, int *len, MPI_Datatype *type) {
    MPI_Reduce_local(in, inout, *len, *type, MPI_SUM);
}

int main(int argc, char **argv) {
    const char *variant = argc > 1 ? argv[1] : "";
#define IS(name) (!strcmp(variant, #name))
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int rank, a[16] = {0}, b[8] = {1}, matrix[4][4] = {{0}};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    int other = 1 - rank;
    if (IS(written)) {
        MPI_Isend(a, 8, MPI_INT, other, 0, comm, requests); // !written
        MPI_Recv(a + 7, 8, MPI_INT, other, 0, comm, MPI_STATUS_IGNORE); // !written
    }
    if (IS(received_twice)) {
        MPI_Irecv(a, 4, MPI_INT, other, 0, comm, requests); // !received_twice
        MPI_Irecv(a + 3, 4, MPI_INT, other, 0, comm, requests + 1); // !received_twice
        MPI_Send(b, 4, MPI_INT, other, 0, comm);
        MPI_Send(b, 4, MPI_INT, other, 0, comm);
    }
    if (IS(sent)) {
        MPI_Irecv(a, 4, MPI_INT, other, 0, comm, requests); // !sent
        MPI_Send(a, 4, MPI_INT, other, 0, comm); // !sent
    }
    if (IS(collective)) {
        MPI_Iallreduce(a, b, 4, MPI_INT, MPI_SUM, comm, requests); // !collective
        MPI_Bcast(b + 2, 1, MPI_INT, 0, comm); // !collective
    }
    if (IS(persistent)) {
        MPI_Recv_init(a, 4, MPI_INT, other, 0, comm, requests);
        MPI_Send_init(a + 1, 2, MPI_INT, other, 0, comm, requests + 1);
        MPI_Startall(2, requests); // !persistent
        MPI_Send(b, 4, MPI_INT, other, 0, comm);
        MPI_Recv(b, 4, MPI_INT, other, 0, comm, MPI_STATUS_IGNORE);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        MPI_Request_free(requests), MPI_Request_free(requests + 1);
    }
    if (IS(rows)) {
        // A column, and a row that crosses it.
        MPI_Datatype column;
        MPI_Type_vector(4, 1, 4, MPI_INT, &column);
        MPI_Type_commit(&column);
        MPI_Irecv(&matrix[0][1], 1, column, other, 0, comm, requests); // !rows
        MPI_Irecv(matrix[2], 4, MPI_INT, other, 0, comm, requests + 1); // !rows
        MPI_Send(a, 4, MPI_INT, other, 0, comm);
        MPI_Send(a, 4, MPI_INT, other, 0, comm);
        MPI_Type_free(&column);
    }
    if (IS(given_back) || IS(given_back_late)) {
        int *given;
        MPI_Alloc_mem(64, MPI_INFO_NULL, &given);
        MPI_Irecv(given + 4, 4, MPI_INT, other, 0, comm, requests); // !given_back
        if (IS(given_back)) MPI_Free_mem(given); // !given_back
        MPI_Send(a, 4, MPI_INT, other, 0, comm);
        MPI_Wait(requests, MPI_STATUS_IGNORE);
        if (IS(given_back_late)) MPI_Free_mem(given);
    }
    char pack[64];
    int at = 0;
    if (IS(packed) || IS(packed_beside)) {
        MPI_Pack(b, 4, MPI_INT, pack, 64, &at, comm);
        MPI_Isend(pack, at, MPI_PACKED, other, 0, comm, requests); // !packed
        if (IS(packed)) at -= 4;
        MPI_Pack(b + 3, 1, MPI_INT, pack, 64, &at, comm); // !packed
        MPI_Recv(a, 4, MPI_INT, other, 0, comm, MPI_STATUS_IGNORE);
    }
    if (IS(unpacked)) {
        MPI_Pack(b, 4, MPI_INT, pack, 64, &at, comm);
        MPI_Irecv(a, 4, MPI_INT, other, 0, comm, requests); // !unpacked
        at = 0;
        MPI_Unpack(pack, 64, &at, a + 2, 4, MPI_INT, comm); // !unpacked
        MPI_Send(b, 4, MPI_INT, other, 0, comm);
    }
    if (IS(not_there_yet)) {
        memset(pack, 0, sizeof pack);
        MPI_Irecv(pack, 64, MPI_PACKED, other, 0, comm, requests); // !not_there_yet
        MPI_Send(b, 4, MPI_INT, other, 0, comm);
        MPI_Unpack(pack, 64, &at, a, 4, MPI_INT, comm); // !not_there_yet
    }
    if (IS(reduced)) {
        MPI_Irecv(a, 4, MPI_INT, other, 0, comm, requests); // !reduced
        MPI_Reduce_local(b, a, 4, MPI_INT, MPI_SUM); // !reduced
        MPI_Send(b, 4, MPI_INT, other, 0, comm);
    }
    if (IS(in_an_operation)) {
        MPI_Op op;
        MPI_Op_create(sum, 1, &op);
        MPI_Iallreduce(a, b, 8, MPI_INT, op, comm, requests);
        MPI_Wait(requests, MPI_STATUS_IGNORE);
        MPI_Iscan(MPI_IN_PLACE, b, 8, MPI_INT, op, comm, requests);
        MPI_Wait(requests, MPI_STATUS_IGNORE);
        MPI_Op_free(&op);
    }
    if (IS(read_twice)) {
        MPI_Isend(a, 8, MPI_INT, other, 0, comm, requests);
        MPI_Isend(a + 2, 3, MPI_INT, other, 1, comm, requests + 1);
        MPI_Send(a, 1, MPI_INT, MPI_PROC_NULL, 1, comm);
        MPI_Recv(b, 8, MPI_INT, other, 0, comm, MPI_STATUS_IGNORE);
        MPI_Recv(b, 8, MPI_INT, other, 1, comm, MPI_STATUS_IGNORE);
    }
    if (IS(after_wait)) {
        for (int i = 0; i < 3; i++) {
            MPI_Irecv(a, 8, MPI_INT, other, 0, comm, requests);
            MPI_Isend(b, 8, MPI_INT, other, 0, comm, requests + 1);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
            MPI_Bcast(a, 8, MPI_INT, 0, comm);
            b[i]++;
        }
    }
    if (IS(columns)) {
        // Both lie one in the other and have no byte in common.
        MPI_Datatype column;
        MPI_Type_vector(4, 1, 4, MPI_INT, &column);
        MPI_Type_commit(&column);
        MPI_Irecv(&matrix[0][1], 1, column, other, 0, comm, requests);
        MPI_Irecv(&matrix[0][3], 1, column, other, 1, comm, requests + 1);
        MPI_Send(&matrix[0][0], 1, column, other, 0, comm);
        MPI_Send(&matrix[0][2], 1, column, other, 1, comm);
        MPI_Type_free(&column);
    }
    if (IS(nobody)) {
        MPI_Irecv(a, 8, MPI_INT, MPI_PROC_NULL, 0, comm, requests);
        MPI_Irecv(a, 8, MPI_INT, MPI_PROC_NULL, 0, comm, requests + 1);
        a[3] = 5;
    }
    if (IS(inactive)) {
        MPI_Recv_init(a, 4, MPI_INT, other, 0, comm, requests);
        MPI_Send_init(a, 4, MPI_INT, other, 0, comm, requests + 1);
        for (int i = 0; i < 2; i++) {
            int k = (i + rank) % 2;
            MPI_Start(requests + k), MPI_Wait(requests + k, MPI_STATUS_IGNORE);
        }
        MPI_Request_free(requests), MPI_Request_free(requests + 1);
    }
    if (IS(freed)) {
        MPI_Isend(a, 8, MPI_INT, other, 0, comm, requests);
        MPI_Request_free(requests);
        MPI_Recv(b, 8, MPI_INT, other, 0, comm, MPI_STATUS_IGNORE);
        MPI_Barrier(comm);
        a[0]++;
    }
    if (IS(told)) {
        int flag = 0;
        MPI_Irecv(a, 8, MPI_INT, other, 0, comm, requests);
        MPI_Send(b, 8, MPI_INT, other, 0, comm);
        while (!flag) MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE);
        a[0]++;
        MPI_Allreduce(MPI_IN_PLACE, a, 8, MPI_INT, MPI_SUM, comm);
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return 0;
}
