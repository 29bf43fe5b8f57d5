// Requests of one-sided operations that nobody completes: MPI 4.1 §12.3.5, §11.2.2.
//
// ranks: 2
// wrong overwritten: request lost
// wrong forgotten: request lost
// wrong after_flush: request lost
// wrong of_accumulate: request lost
// wrong last_of_many: request lost
// wrong over_and_over: request lost
// wrong many_not_flushed: data race
// wrong changed_not_flushed: data race
// wrong changed_among_others: data race
// wrong column_changed: data race
// right waited
// right tested
// right many
// right fetched_then_put
// right changed_between
// right same_not_flushed
// right same_among_others
// right column_same
// right waited_after_unlock
// right freed_window_first
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { TIMES = 300 };
static int is(const char *name, char **argv) { return !strcmp(name, argv[1]); }

int main(int argc, char **argv) {
    int rank, flag = 0;
    long *mine, in[4] = {0}, out[4] = {1, 2, 3, 4};
    MPI_Win win;
    MPI_Request request = MPI_REQUEST_NULL, all[3];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(4 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
    for (int n = 0; n < 4; n++) mine[n] = n + 1;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    int to = 1 - rank;
    if (is("overwritten", argv)) {
        MPI_Rput(out, 1, MPI_LONG, to, 0, 1, MPI_LONG, win, &request); // !overwritten
        MPI_Rput(out + 1, 1, MPI_LONG, to, 1, 1, MPI_LONG, win, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (is("forgotten", argv)) {
        MPI_Rget(in, 2, MPI_LONG, to, 0, 2, MPI_LONG, win, &request); // !forgotten
    } else if (is("after_flush", argv)) {
        // A flush completes the operation, and not its request.
        MPI_Rput(out, 1, MPI_LONG, to, 0, 1, MPI_LONG, win, &request); // !after_flush
        MPI_Win_flush(to, win);
    } else if (is("of_accumulate", argv)) {
        MPI_Raccumulate(out, 1, MPI_LONG, to, 0, 1, MPI_LONG, MPI_SUM, win, &request); // !of_accumulate
        MPI_Rget_accumulate(out, 1, MPI_LONG, in, 1, MPI_LONG, to, 1, 1, MPI_LONG, MPI_SUM, win, &all[0]); // !of_accumulate
    } else if (is("waited", argv)) {
        for (int n = 0; n < 200; n++) {
            MPI_Rput(out, 1, MPI_LONG, to, 0, 1, MPI_LONG, win, &all[0]);
            MPI_Raccumulate(out, 1, MPI_LONG, to, 1, 1, MPI_LONG, MPI_SUM, win, &all[1]);
            MPI_Rget(in, 1, MPI_LONG, to, 2, 1, MPI_LONG, win, &all[2]);
            MPI_Waitall(3, all, MPI_STATUSES_IGNORE);
            MPI_Win_flush_all(win);
        }
    } else if (is("last_of_many", argv)) {
        for (int n = 0; n < TIMES; n++) {
            if (n > 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Rput(out, 1, MPI_LONG, to, 0, 1, MPI_LONG, win, &request); // !last_of_many
        }
    } else if (is("over_and_over", argv)) {
        for (int n = 0; n < TIMES; n++) MPI_Rput(out, 1, MPI_LONG, to, 0, 1, MPI_LONG, win, &request); // !over_and_over
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (is("many_not_flushed", argv) || is("fetched_then_put", argv)) {
        // What MPI_Rput changes is not complete there, what MPI_Rget fetches is complete.
        int puts = is("many_not_flushed", argv);
        for (int n = 0; n < TIMES && rank == 0; n++) {
            if (puts) MPI_Rput(out, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win, &request); // !many_not_flushed
            else MPI_Rget(in, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        if (rank == 0) MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
        if (rank == 1) {
            MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Put(out, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win); // !many_not_flushed
        }
    } else if (is("many", argv)) {
        mine[to] = 0;
        MPI_Barrier(MPI_COMM_WORLD);
        for (int n = 1; n <= TIMES; n++) {
            MPI_Status status = {.MPI_SOURCE = 77, .MPI_TAG = 77};
            MPI_Request copy;
            out[0] = n;
            MPI_Rput(out, 1, MPI_LONG, to, rank, 1, MPI_LONG, win, &request);
            copy = request;
            MPI_Wait(&copy, &status);
            if (copy != MPI_REQUEST_NULL || status.MPI_SOURCE == 77) exit(3);
            MPI_Win_flush(to, win);
            for (int k = 0; k < 3; k++) {
                MPI_Rget(in, 1, MPI_LONG, to, rank, 1, MPI_LONG, win, &request);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
                if (in[0] != n) exit(4);
            }
            for (int k = 0; k < 3; k++) {
                MPI_Raccumulate(out + 1, 1, MPI_LONG, to, 2 + rank, 1, MPI_LONG, MPI_SUM, win, &request);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
            }
        }
        MPI_Win_flush(to, win);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Get(in, 1, MPI_LONG, rank, 2 + to, 1, MPI_LONG, win);
        MPI_Win_flush(rank, win);
        if (in[0] - 3 - to != 3 * TIMES * 2) exit(5);
    } else if (is("changed_between", argv)) {
        // MPI_Wait gives the buffer back; MPI_Win_flush lets the next one come behind.
        for (int n = 0; n < TIMES; n++) {
            out[0] = n;
            MPI_Rput(out, 1, MPI_LONG, to, 0, 1, MPI_LONG, win, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            out[0] = -n;
            MPI_Win_flush(to, win);
        }
    } else if (is("changed_not_flushed", argv) || is("same_not_flushed", argv)) {
        // MPI_Wait gives the buffer back, and orders nothing at the target: either value may be there in the end.
        for (int n = 0; n < TIMES; n++) {
            if (is("changed_not_flushed", argv)) out[0] = n / (TIMES / 2);
            MPI_Rput(out, 1, MPI_LONG, to, 0, 1, MPI_LONG, win, &request); // !changed_not_flushed
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    } else if (is("changed_among_others", argv) || is("same_among_others", argv)) {
        for (int n = 0; n < 6; n++) {
            if (is("changed_among_others", argv)) out[1] = n / 5;
            MPI_Rput(out, 1, MPI_LONG, to, 0, 1, MPI_LONG, win, &all[0]);
            MPI_Rput(out + 1, 1, MPI_LONG, to, 2, 1, MPI_LONG, win, &all[1]); // !changed_among_others
            MPI_Waitall(2, all, MPI_STATUSES_IGNORE);
        }
    } else if (is("column_changed", argv) || is("column_same", argv)) {
        MPI_Datatype column;
        MPI_Type_vector(2, 1, 2, MPI_LONG, &column);
        MPI_Type_commit(&column);
        for (int n = 0; n < 3; n++) {
            // What lies in its gaps is not put.
            out[is("column_changed", argv) ? 2 : 1] = n;
            MPI_Rput(out, 1, column, to, 0, 1, column, win, &request); // !column_changed
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        MPI_Type_free(&column);
    } else if (is("tested", argv)) {
        MPI_Rget(in, 1, MPI_LONG, to, 0, 1, MPI_LONG, win, &request);
        while (!flag) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    } else {
        MPI_Rput(out, 1, MPI_LONG, to, 0, 1, MPI_LONG, win, &request);
    }
    MPI_Win_unlock_all(win);
    if (is("waited_after_unlock", argv)) MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_free(&win);
    if (is("freed_window_first", argv)) MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
