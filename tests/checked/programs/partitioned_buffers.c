// Buffers of partitioned operations: a partition is in use from MPI_Pready on, or until MPI_Parrived has said that it is there
// (MPI 4.1 §4.2).
//
// ranks: 2
// wrong changed: buffer changed
// wrong received_into: buffer in use
// wrong sent_before_it_came: buffer in use
// wrong received_twice: buffer in use
// right before_ready
// right parts_in_turn
// right arrived
// right rounds
// right nobody
#include <mpi.h>
#include <string.h>

static const MPI_Comm comm = MPI_COMM_WORLD;
static char *variant;
static int is(const char *name) { return !strcmp(name, variant); }

int main(int argc, char **argv) {
    int rank, flag = 0, data[4][100], own = 0, other = 0, more[100];
    MPI_Request request, aside;
    MPI_Init(&argc, &argv);
    variant = argv[1];
    memset(data, 0, sizeof data);
    MPI_Comm_rank(comm, &rank);
    int to = is("nobody") ? MPI_PROC_NULL : 1 - rank;
    if (rank == 0)
        MPI_Psend_init(data, 4, 100, MPI_INT, to, 0, comm, MPI_INFO_NULL, &request);
    else
        MPI_Precv_init(data, 4, 100, MPI_INT, to, 0, comm, MPI_INFO_NULL, &request);
    for (int round = 0; round < (is("rounds") ? 20 : 1); round++) {
        MPI_Start(&request);
        if (rank == 0) {
            // What is not ready is the program's.
            if (is("before_ready"))
                MPI_Sendrecv(&own, 1, MPI_INT, 0, 1, data[3], 1, MPI_INT, 0, 1, comm, MPI_STATUS_IGNORE);
            for (int i = 0; i < 3; i++) {
                data[i][0] = round;
                MPI_Pready(i, request);
                if (is("parts_in_turn")) data[i + 1][5] = i;
            }
            if (is("changed")) data[1][7] = 1;
            if (is("received_into")) {
                MPI_Irecv(data[2] + 1, 1, MPI_INT, 0, 2, comm, &aside); // !received_into
                MPI_Send(&own, 1, MPI_INT, 0, 2, comm);
                MPI_Wait(&aside, MPI_STATUS_IGNORE);
            }
            data[3][0] = 5;
            MPI_Pready_range(3, 3, request);
        } else {
            if (is("sent_before_it_came"))
                MPI_Sendrecv(data[1], 1, MPI_INT, 1, 3, &other, 1, MPI_INT, 1, 3, comm, MPI_STATUS_IGNORE); // !sent_before_it_came
            if (is("received_twice"))
                MPI_Sendrecv(&own, 1, MPI_INT, 1, 3, data[2], 1, MPI_INT, 1, 3, comm, MPI_STATUS_IGNORE); // !received_twice
            if (is("arrived") || is("rounds")) {
                while (!flag) MPI_Parrived(request, 2, &flag);
                flag = 0;
                MPI_Sendrecv(data[2], 100, MPI_INT, 1, 3, more, 100, MPI_INT, 1, 3, comm, MPI_STATUS_IGNORE);
            }
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE); // !changed
        data[1][3] = 9;
    }
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
