// Processes that exit without another call: what was noted of their last operations is told.
//
// ranks: 2
// wrong put_and_exit: data race
// wrong put_and_return: data race
// fails put_and_exit
// fails put_and_return
// wrong child_calls_and_parent_races: data race
// right child_exits
// right child_calls
// right finalized_at_exit
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMES = 10 };
static int rank;
static MPI_Win win;
static long from[TIMES];

static int is(const char *name, char **argv) { return !strcmp(name, argv[1]); }

/// A child of a fork calls MPI: what was noted before that is the parent's.
static void call_in_child(void) {
    int is_there, status;
    pid_t child = fork();
    if (child == 0) {
        MPI_Initialized(&is_there);
        MPI_Type_size(MPI_INT, &is_there);
        _exit(0);
    }
    if (waitpid(child, &status, 0) != child || status != 0) MPI_Abort(MPI_COMM_WORLD, 1);
}

static void end(void) {
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
}

int main(int argc, char **argv) {
    long *mine, none;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(TIMES * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
    MPI_Win_lock_all(0, win);
    if (is("put_and_exit", argv) || is("put_and_return", argv)) {
        if (rank == 1) MPI_Put(from, 1, MPI_LONG, 1, 3, 1, MPI_LONG, win); // !put_and_exit !put_and_return
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) {
            for (int n = 0; n < TIMES; n++)
                MPI_Put(from + n, 1, MPI_LONG, 1, n, 1, MPI_LONG, win); // !put_and_exit !put_and_return
            if (is("put_and_exit", argv)) exit(0);
            return 0;
        }
        MPI_Recv(&none, 1, MPI_LONG, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (is("child_calls", argv) || is("child_calls_and_parent_races", argv)) {
        // By notes of both kinds, one after the other.
        const int races = is("child_calls_and_parent_races", argv);
        if (rank == 0) {
            for (int n = 0; n < TIMES / 2; n++)
                MPI_Put(from + n, 1, MPI_LONG, 1, n, 1, MPI_LONG, win); // !child_calls_and_parent_races
            call_in_child();
            if (!races) MPI_Win_flush(1, win);
            for (int n = TIMES / 2; n < TIMES; n++) MPI_Accumulate(from + n, 1, MPI_LONG, 1, n, 1, MPI_LONG, MPI_SUM, win);
            call_in_child();
            if (!races) MPI_Win_flush(1, win);
            MPI_Send(NULL, 0, MPI_LONG, 1, 0, MPI_COMM_WORLD);
        } else {
            MPI_Recv(NULL, 0, MPI_LONG, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (int n = 0; n < TIMES; n++)
                MPI_Put(from + n, 1, MPI_LONG, 1, n, 1, MPI_LONG, win); // !child_calls_and_parent_races
        }
    } else if (is("child_exits", argv)) {
        // What the child has of its parent is a copy, of which nothing is told.
        if (rank == 0) {
            for (int n = 0; n < TIMES; n++) MPI_Put(from + n, 1, MPI_LONG, 1, n, 1, MPI_LONG, win);
            pid_t child = fork();
            if (child == 0) exit(0);
            int status;
            if (waitpid(child, &status, 0) != child || status != 0) MPI_Abort(MPI_COMM_WORLD, 1);
            MPI_Win_flush(1, win);
            MPI_Send(NULL, 0, MPI_LONG, 1, 0, MPI_COMM_WORLD);
        } else {
            MPI_Recv(NULL, 0, MPI_LONG, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (int n = 0; n < TIMES; n++) MPI_Put(from + n, 1, MPI_LONG, 1, n, 1, MPI_LONG, win);
        }
    } else {
        // The program's own handler comes first.
        if (rank == 0)
            for (int n = 0; n < TIMES; n++) MPI_Put(from + n, 1, MPI_LONG, 1, n, 1, MPI_LONG, win);
        atexit(end);
        exit(0);
    }
    end();
    return 0;
}
