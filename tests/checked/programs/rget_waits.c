// What MPI_Rget fetches is complete when its request is: of others' operations the program is to be told before that, MPI 4.1 §12.3.5.
//
// ranks: 3
// wrong one_not_waited: data race
// wrong last_not_waited: data race
// wrong last_of_row_not_waited: data race
// wrong one_of_two_not_waited: data race
// wrong column_not_waited: data race
// wrong sharing_not_waited: data race
// wrong own_not_waited: data race
// right one
// right all
// right row
// right row_but_last_not_waited
// right two
// right column
// right sharing
// right own
// right tested
// right at_once
// right flushed_not_waited
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { TIMES = 101 };
static int is(const char *name, char **argv) { return !strcmp(name, argv[1]); }
static int has(const char *word, char **argv) { return strstr(argv[1], word) != NULL; }

// What rank 0 fetches from rank 2, rank 1 changes when it has heard from rank 0.
static void fetch(MPI_Win win, char **argv) {
    long in[2 * TIMES];
    int done, times = has("one", argv) && !has("two", argv) ? 1 : TIMES;
    MPI_Request request = MPI_REQUEST_NULL, all[TIMES];
    MPI_Datatype column;
    MPI_Type_vector(2, 1, 2, MPI_LONG, &column);
    MPI_Type_commit(&column);
    for (int n = 0; n < times; n++) {
        int at = has("row", argv) ? n : 0;
        if (has("two", argv)) {
            MPI_Rget(in, 1, MPI_LONG, 2, 1, 1, MPI_LONG, win, &all[0]);
            MPI_Rget(in + 1, 1, MPI_LONG, 2, 0, 1, MPI_LONG, win, &request); // !one_of_two_not_waited
            MPI_Wait(&all[0], MPI_STATUS_IGNORE);
        } else if (has("column", argv)) {
            MPI_Rget(in, 1, column, 2, at, 1, column, win, &request); // !column_not_waited
        } else {
            MPI_Rget(in + n, 1, MPI_LONG, 2, at, 1, MPI_LONG, win, &request); // !one_not_waited !last_not_waited !last_of_row_not_waited !sharing_not_waited
        }
        if (is("at_once", argv)) {
            all[n] = request;
        } else if (is("tested", argv)) {
            for (done = 0; !done;) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        } else if (n < times - 1 || !has("not_waited", argv)) {
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    }
    if (is("at_once", argv)) {
        MPI_Waitall(TIMES, all, MPI_STATUSES_IGNORE);
        request = MPI_REQUEST_NULL;
    }
    if (is("flushed_not_waited", argv)) MPI_Win_flush(2, win);
    MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Type_free(&column);
}

static void fetch_and_put(MPI_Win win, char **argv) {
    long in, out = 1;
    MPI_Request request;
    for (int n = 0; n < TIMES; n++) {
        MPI_Rget(&in, 1, MPI_LONG, 2, 0, 1, MPI_LONG, win, &request); // !own_not_waited
        if (n < TIMES - 1 || is("own", argv)) MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Put(&out, 1, MPI_LONG, 2, 0, 1, MPI_LONG, win); // !own_not_waited
    if (!is("own", argv)) MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    int rank;
    long *mine, out = 1;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (has("sharing", argv))
        MPI_Win_allocate_shared(2 * TIMES * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
    else
        MPI_Win_allocate(2 * TIMES * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
    MPI_Win_lock_all(0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (has("own", argv)) {
        if (rank == 0) fetch_and_put(win, argv);
    } else if (rank == 0) {
        fetch(win, argv);
    } else if (rank == 1) {
        int at = is("row_but_last_not_waited", argv) ? TIMES - 2 : has("row", argv) ? TIMES - 1 : 0;
        MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Put(&out, 1, MPI_LONG, 2, at, 1, MPI_LONG, win); // !one_not_waited !last_not_waited !last_of_row_not_waited !one_of_two_not_waited !column_not_waited !sharing_not_waited
        MPI_Win_flush(2, win);
        MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
