// Loads and stores of the program's own in buffers of operations that are not complete.
//
// sanitized
// ranks: 2
// wrong isend_store: data race
// wrong irecv_load: data race
// wrong irecv_store: data race
// wrong ibcast_load: data race
// wrong persistent_store: data race
// wrong isend_other: data race
// wrong get_load: data race
// wrong put_store: data race
// wrong fetch_load: data race
// wrong rget_load: data race
// wrong rput_store: data race
// wrong rget_accumulate_load: data race
// right isend
// right persistent
// right ibcast
// right get
// right put
// right requests
// right requests_flushed
// right many
#include <mpi.h>
#include <string.h>

static const MPI_Comm comm = MPI_COMM_WORLD;
static volatile long sum;

int main(int argc, char **argv) {
    int rank, flag;
    long *mine, a[8] = {0}, b[8] = {0}, some[64] = {0};
    MPI_Win win;
    MPI_Request requests[64];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    MPI_Win_allocate(8 * sizeof(long), sizeof(long), MPI_INFO_NULL, comm, &mine, &win);
    memset(mine, 0, 8 * sizeof(long));
    int other = 1 - rank;
    char **name = argv;
#define is(text) !strcmp(text, name[1])
    MPI_Win_lock_all(0, win);
    MPI_Barrier(comm);
    if (is("isend_store")) {
        MPI_Isend(a, 8, MPI_LONG, other, 0, comm, requests); // !isend_store
        sum += a[1];
        a[2] = 0; // !isend_store
        MPI_Recv(b, 8, MPI_LONG, other, 0, comm, MPI_STATUS_IGNORE);
        MPI_Wait(requests, MPI_STATUS_IGNORE);
    } else if (is("isend_other")) {
        MPI_Isend(a, 8, MPI_LONG, other, 0, comm, requests); // !isend_other
        MPI_Isend(b, 8, MPI_LONG, other, 0, comm, requests + 1);
        MPI_Recv(some, 8, MPI_LONG, other, 0, comm, MPI_STATUS_IGNORE);
        MPI_Recv(some, 8, MPI_LONG, other, 0, comm, MPI_STATUS_IGNORE);
        MPI_Wait(requests + 1, MPI_STATUS_IGNORE);
        b[2] = 0;
        a[2] = 0; // !isend_other
        MPI_Wait(requests, MPI_STATUS_IGNORE);
    } else if (is("irecv_load") || is("irecv_store")) {
        MPI_Irecv(a, 8, MPI_LONG, other, 0, comm, requests); // !irecv_load !irecv_store
        if (is("irecv_load")) sum += a[7]; // !irecv_load
        else a[7] = 1; // !irecv_store
        MPI_Send(b, 8, MPI_LONG, other, 0, comm);
        MPI_Wait(requests, MPI_STATUS_IGNORE);
    } else if (is("ibcast_load")) {
        MPI_Ibcast(a, 8, MPI_LONG, 0, comm, requests); // !ibcast_load
        if (rank == 1) sum += a[5]; // !ibcast_load
        MPI_Wait(requests, MPI_STATUS_IGNORE);
    } else if (is("persistent_store")) {
        MPI_Send_init(a, 8, MPI_LONG, other, 0, comm, requests);
        a[0] = 3;
        MPI_Start(requests); // !persistent_store
        a[0] = 3; // !persistent_store
        MPI_Recv(b, 8, MPI_LONG, other, 0, comm, MPI_STATUS_IGNORE);
        MPI_Wait(requests, MPI_STATUS_IGNORE);
        MPI_Request_free(requests);
    } else if (is("get_load")) {
        MPI_Get(a, 8, MPI_LONG, other, 0, 8, MPI_LONG, win); // !get_load
        sum += a[1]; // !get_load
        MPI_Win_flush(other, win);
    } else if (is("put_store")) {
        if (rank == 0) {
            MPI_Put(a, 8, MPI_LONG, other, 0, 8, MPI_LONG, win); // !put_store
            a[1] = 1; // !put_store
            MPI_Win_flush_local(other, win);
        }
    } else if (is("fetch_load")) {
        MPI_Fetch_and_op(b, a, MPI_LONG, 0, 0, MPI_SUM, win); // !fetch_load
        sum += a[0]; // !fetch_load
        MPI_Win_flush_all(win);
    } else if (is("rget_load")) {
        MPI_Rget(a, 8, MPI_LONG, other, 0, 8, MPI_LONG, win, requests); // !rget_load
        sum += a[1]; // !rget_load
        MPI_Wait(requests, MPI_STATUS_IGNORE);
    } else if (is("rput_store")) {
        if (rank == 0) {
            MPI_Rput(a, 8, MPI_LONG, other, 0, 8, MPI_LONG, win, requests); // !rput_store
            a[1] = 0; // !rput_store
            MPI_Wait(requests, MPI_STATUS_IGNORE);
        }
    } else if (is("rget_accumulate_load")) {
        MPI_Rget_accumulate(b, 8, MPI_LONG, a, 8, MPI_LONG, 0, 0, 8, MPI_LONG, MPI_SUM, win, requests); // !rget_accumulate_load
        sum += a[0]; // !rget_accumulate_load
        MPI_Wait(requests, MPI_STATUS_IGNORE);
    } else if (is("requests")) {
        for (int n = 0; n < 20 && rank == 0; n++) {
            MPI_Rget(a, 8, MPI_LONG, other, 0, 8, MPI_LONG, win, requests);
            sum += b[n % 8];
            MPI_Wait(requests, MPI_STATUS_IGNORE);
            a[n % 8]++;
            MPI_Rput(a, 8, MPI_LONG, other, 0, 8, MPI_LONG, win, requests);
            sum += a[n % 8];
            MPI_Wait(requests, MPI_STATUS_IGNORE);
            a[n % 8]++;
            MPI_Win_flush(other, win);
        }
    } else if (is("requests_flushed")) {
        for (int n = 0; n < 20 && rank == 0; n++) {
            MPI_Rget(a, 8, MPI_LONG, other, 0, 8, MPI_LONG, win, requests);
            MPI_Win_flush_local(other, win);
            a[n % 8]++;
            MPI_Wait(requests, MPI_STATUS_IGNORE);
        }
    } else if (is("isend")) {
        for (int n = 0; n < 20; n++) {
            MPI_Irecv(b, 8, MPI_LONG, other, 0, comm, requests);
            MPI_Isend(a, 8, MPI_LONG, other, 0, comm, requests + 1);
            sum += a[n % 8];
            if (n % 2 == 0) {
                MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
            } else {
                do MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
                while (!flag);
            }
            a[n % 8] = b[3] + n;
        }
    } else if (is("persistent")) {
        MPI_Send_init(a, 8, MPI_LONG, other, 0, comm, requests);
        MPI_Recv_init(b, 8, MPI_LONG, other, 0, comm, requests + 1);
        for (int n = 0; n < 20; n++) {
            a[n % 8] = b[3] + n;
            MPI_Startall(2, requests);
            MPI_Wait(requests + n % 2, MPI_STATUS_IGNORE);
            MPI_Wait(requests + 1 - n % 2, MPI_STATUS_IGNORE);
        }
        MPI_Request_free(requests);
        MPI_Request_free(requests + 1);
    } else if (is("ibcast")) {
        for (int n = 0; n < 20; n++) {
            if (rank == n % 2) a[n % 8] = n;
            MPI_Ibcast(a, 8, MPI_LONG, n % 2, comm, requests);
            MPI_Wait(requests, MPI_STATUS_IGNORE);
            sum += a[n % 8];
            MPI_Allreduce(MPI_IN_PLACE, a, 8, MPI_LONG, MPI_MAX, comm);
        }
    } else if (is("get")) {
        for (int n = 0; n < 20; n++) {
            MPI_Get(a, 8, MPI_LONG, other, 0, 8, MPI_LONG, win);
            if (n % 2 == 0) MPI_Win_flush(other, win);
            else MPI_Win_flush_local_all(win);
            a[n % 8]++;
        }
    } else if (is("put")) {
        for (int n = 0; n < 20; n++) {
            MPI_Put(a, 8, MPI_LONG, other, 0, 8, MPI_LONG, win);
            sum += a[3];
            MPI_Win_flush_local(other, win);
            a[n % 8]++;
            MPI_Win_flush(other, win);
        }
    } else if (is("many")) {
        for (int n = 0; n < 3; n++) {
            for (int k = 0; k < 32; k++) MPI_Irecv(some + k, 1, MPI_LONG, other, k, comm, requests + k);
            for (int k = 0; k < 32; k++) MPI_Isend(some + 32 + k, 1, MPI_LONG, other, k, comm, requests + 32 + k);
            for (int k = 0; k < 64; k++) {
                int done;
                MPI_Waitany(64, requests, &done, MPI_STATUS_IGNORE);
                some[done]++;
            }
        }
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
