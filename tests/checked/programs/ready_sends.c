// Ready sends, whose receives are posted or not.
//
// wrong too_early: ready send without receive
// wrong nonblocking: ready send without receive
// wrong persistent: ready send without receive
// wrong large: ready send without receive
// wrong of_another_tag: ready send without receive
// wrong to_itself: ready send without receive
// right posted
// right posted_and_told
// right posted_nonblocking
// right posted_persistent
// right posted_large
// right posted_for_any
// right posted_to_itself
// right probed_standard
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    const char *variant = argv[1];
    MPI_Init(&argc, &argv);
    int rank, tag = 3, is_large = strstr(variant, "large") != NULL, is_posted = !strncmp(variant, "posted", 6);
    int self = strstr(variant, "to_itself") != NULL, count = is_large ? 1 << 18 : 4, to = self ? 0 : 1, go = 0, back = 0;
    int *out = calloc(count, sizeof *out), *in = calloc(count, sizeof *in);
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Request send = MPI_REQUEST_NULL, receive = MPI_REQUEST_NULL, other = MPI_REQUEST_NULL;
    MPI_Comm_rank(comm, &rank);
    if (rank == to && is_posted) {
        int from = strstr(variant, "any") ? MPI_ANY_SOURCE : 0;
        if (strstr(variant, "persistent")) {
            MPI_Recv_init(in, count, MPI_INT, from, tag, comm, &receive);
            MPI_Start(&receive);
        } else {
            MPI_Irecv(in, count, MPI_INT, from, strstr(variant, "any") ? MPI_ANY_TAG : tag, comm, &receive);
        }
    }
    if (rank == to && strstr(variant, "another")) MPI_Irecv(&back, 1, MPI_INT, 0, tag + 1, comm, &other);
    if (strstr(variant, "told")) {
        if (rank == 1) MPI_Send(&go, 1, MPI_INT, 0, 9, comm);
        if (rank == 0) MPI_Recv(&go, 1, MPI_INT, 1, 9, comm, MPI_STATUS_IGNORE);
    } else {
        MPI_Barrier(comm);
    }
    if (rank == 0) {
        if (strstr(variant, "nonblocking") || is_large || self) {
            MPI_Irsend(out, count, MPI_INT, to, tag, comm, &send); // !nonblocking !large !to_itself
        } else if (strstr(variant, "persistent")) {
            MPI_Rsend_init(out, count, MPI_INT, to, tag, comm, &send);
            MPI_Start(&send); // !persistent
        } else if (strstr(variant, "standard")) {
            MPI_Send(out, count, MPI_INT, to, tag, comm);
        } else {
            MPI_Rsend(out, count, MPI_INT, to, tag, comm); // !too_early !of_another_tag
        }
    }
    if (!is_posted) {
        MPI_Barrier(comm);
        if (rank == to && strstr(variant, "probed")) MPI_Probe(0, tag, comm, MPI_STATUS_IGNORE);
        if (rank == to) MPI_Irecv(in, count, MPI_INT, 0, tag, comm, &receive);
    }
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    if (strstr(variant, "another")) {
        if (rank == 0) MPI_Send(&go, 1, MPI_INT, 1, tag + 1, comm);
        MPI_Wait(&other, MPI_STATUS_IGNORE);
    }
    if (strstr(variant, "persistent")) {
        if (rank == to && receive != MPI_REQUEST_NULL && is_posted) MPI_Request_free(&receive);
        if (rank == 0) MPI_Request_free(&send);
    }
    free(out), free(in);
    MPI_Finalize();
    return 0;
}
