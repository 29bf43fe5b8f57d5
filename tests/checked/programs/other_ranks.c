// Findings on communicators and windows that number their processes otherwise than the job: both numbers are told, and names as they can be shown.
//
// ranks: 3
// wrong put_put: data race
// told put_put: writes bytes 12 to 15 of the part of rank 0 of window "turned" (rank 2 of the job) by MPI_Put, which
// told put_put: rank 2 of the window (rank 0 of the job)
// wrong roots: collective mismatch
// fails roots
// told roots: 0 (rank 2 of the job)
// told roots: of the communicator (rank
// wrong order: collective mismatch
// told order: of the communicator (rank
// fails order
// wrong unnamed: type mismatch
// told unnamed: the message from rank 0 of its communicator (rank 2 of the job) with tag 7
// wrong named: type mismatch
// told named: the message from rank 0 of communicator "rows" (rank 2 of the job) with tag 7
// wrong odd: type mismatch
// told odd: the message from rank 0 of communicator "\u{1b}[2J\n\"x\"" (rank 2 of the job) with tag 7 is of 1 \u{1b}[2J (1 MPI_INT)
// wrong odd_window: data race
// told odd_window: window "\u{1b}[2J\nx"
#include <mpi.h>
#include <string.h>

static int is(const char *name, char **argv) { return !strcmp(name, argv[1]); }

int main(int argc, char **argv) {
    int rank, own, *mine, one = 1;
    float number;
    MPI_Comm comm;
    MPI_Win win;
    MPI_Datatype type;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
    MPI_Comm_rank(comm, &own);
    if (is("put_put", argv) || is("odd_window", argv)) {
        MPI_Win_allocate(64, sizeof(int), MPI_INFO_NULL, comm, &mine, &win);
        MPI_Win_set_name(win, is("odd_window", argv) ? "\033[2J\nx" : "turned");
        MPI_Win_lock_all(0, win);
        if (rank < 2) {
            MPI_Put(&one, 1, MPI_INT, 0, 3, 1, MPI_INT, win); // !put_put !odd_window
            MPI_Win_flush(0, win);
        }
        MPI_Win_unlock_all(win);
        MPI_Win_free(&win);
    } else if (is("roots", argv)) {
        MPI_Bcast(&one, 1, MPI_INT, own == 2 ? 2 : 0, comm); // !roots
        MPI_Abort(comm, 3);
    } else if (is("order", argv)) {
        if (own == 2) MPI_Barrier(comm);
        else MPI_Bcast(&one, 1, MPI_INT, 0, comm);
        MPI_Abort(comm, 3);
    } else {
        MPI_Type_contiguous(1, MPI_INT, &type);
        MPI_Type_commit(&type);
        if (is("named", argv)) MPI_Comm_set_name(comm, "rows");
        if (is("odd", argv)) {
            MPI_Comm_set_name(comm, "\033[2J\n\"x\"");
            MPI_Type_set_name(type, "\033[2J");
        }
        if (own == 0) MPI_Send(&one, 1, type, 1, 7, comm);
        if (own == 1) MPI_Recv(&number, 1, MPI_FLOAT, 0, 7, comm, MPI_STATUS_IGNORE); // !unnamed !named !odd
        MPI_Type_free(&type);
    }
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
