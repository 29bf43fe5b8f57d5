// Requests of one-sided operations that nobody completes: MPI 4.1 §12.3.5, §11.2.2.
//
// ranks: 2
// wrong overwritten: request lost
// wrong forgotten: request lost
// wrong after_flush: request lost
// wrong of_accumulate: request lost
// right waited
// right tested
// right waited_after_unlock
// right freed_window_first
#include <mpi.h>
#include <string.h>

static int is(const char *name, char **argv) { return !strcmp(name, argv[1]); }

int main(int argc, char **argv) {
    int rank, flag = 0;
    long *mine, in[4] = {0}, out[4] = {1, 2, 3, 4};
    MPI_Win win;
    MPI_Request request = MPI_REQUEST_NULL, all[3];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(4 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
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
