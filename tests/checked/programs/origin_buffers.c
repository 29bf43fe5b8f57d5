// Buffers of one-sided operations that are used again before these are complete at the origin; wrong assertions.
//
// ranks: 2
// wrong get_then_put: buffer race
// wrong put_then_get: buffer race
// wrong get_twice: buffer race
// wrong fetch_result: buffer race
// wrong get_then_send: buffer race
// wrong put_then_receive: buffer race
// right get_flush_put
// right get_flush_local_put
// right put_twice
// right same_get_twice
// right get_apart
// right request_waited
// right get_flush_send
// right put_then_send
#include <mpi.h>
#include <string.h>

static const MPI_Comm comm = MPI_COMM_WORLD;
static int is(const char *name, char **argv) { return !strcmp(name, argv[1]); }

int main(int argc, char **argv) {
    int rank;
    long *mine, buffer[4] = {0}, one = 1;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    MPI_Win_allocate(10 * sizeof(long), sizeof(long), MPI_INFO_NULL, comm, &mine, &win);
    memset(mine, 0, 10 * sizeof(long));
    MPI_Barrier(comm);
    MPI_Win_lock_all(0, win);
    if (rank == 1) {
        if (is("put_then_receive", argv)) MPI_Send(&one, 1, MPI_LONG, 0, 0, comm);
        else if (strstr(argv[1], "send")) MPI_Recv(&one, 1, MPI_LONG, 0, 0, comm, MPI_STATUS_IGNORE);
    } else if (is("get_then_put", argv)) {
        MPI_Get(buffer, 2, MPI_LONG, 1, 0, 2, MPI_LONG, win); // !get_then_put
        MPI_Put(buffer + 1, 1, MPI_LONG, 1, 5, 1, MPI_LONG, win); // !get_then_put
    } else if (is("put_then_get", argv)) {
        MPI_Put(buffer, 4, MPI_LONG, 1, 0, 4, MPI_LONG, win); // !put_then_get
        MPI_Get(buffer + 2, 1, MPI_LONG, 1, 6, 1, MPI_LONG, win); // !put_then_get
    } else if (is("get_twice", argv)) {
        MPI_Get(buffer, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win); // !get_twice
        MPI_Get(buffer, 1, MPI_LONG, 1, 1, 1, MPI_LONG, win); // !get_twice
    } else if (is("fetch_result", argv)) {
        MPI_Fetch_and_op(&one, buffer, MPI_LONG, 1, 0, MPI_SUM, win); // !fetch_result
        MPI_Accumulate(buffer, 1, MPI_LONG, 1, 1, 1, MPI_LONG, MPI_SUM, win); // !fetch_result
    } else if (is("get_then_send", argv)) {
        MPI_Get(buffer, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win); // !get_then_send
        MPI_Send(buffer, 1, MPI_LONG, 1, 0, comm); // !get_then_send
    } else if (is("put_then_receive", argv)) {
        MPI_Put(buffer, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win); // !put_then_receive
        MPI_Recv(buffer, 1, MPI_LONG, 1, 0, comm, MPI_STATUS_IGNORE); // !put_then_receive
    } else if (is("get_flush_put", argv) || is("get_flush_local_put", argv)) {
        for (int n = 0; n < 10; n++) {
            MPI_Get(buffer, 2, MPI_LONG, 1, 0, 2, MPI_LONG, win);
            if (is("get_flush_put", argv)) MPI_Win_flush(1, win);
            else MPI_Win_flush_local_all(win);
            MPI_Put(buffer, 1, MPI_LONG, 1, 5, 1, MPI_LONG, win);
            MPI_Win_flush(1, win);
        }
    } else if (is("put_twice", argv)) {
        for (int n = 0; n < 5; n++) MPI_Put(buffer, 1, MPI_LONG, 1, n, 1, MPI_LONG, win);
    } else if (is("same_get_twice", argv)) {
        for (int n = 0; n < 5; n++) MPI_Get(buffer, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win);
    } else if (is("get_apart", argv)) {
        for (int n = 0; n < 4; n++) MPI_Get(buffer + n, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win);
    } else if (is("request_waited", argv)) {
        MPI_Request request;
        MPI_Rget(buffer, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Put(buffer, 1, MPI_LONG, 1, 5, 1, MPI_LONG, win);
    } else if (is("get_flush_send", argv)) {
        MPI_Get(buffer, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win);
        MPI_Win_flush_local(1, win);
        MPI_Send(buffer, 1, MPI_LONG, 1, 0, comm);
    } else if (is("put_then_send", argv)) {
        MPI_Put(buffer, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win);
        MPI_Send(buffer, 1, MPI_LONG, 1, 0, comm);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
