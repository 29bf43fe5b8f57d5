// What is sent has other types than its receive.
//
// wrong float_as_int: type mismatch
// wrong unexpected: type mismatch
// wrong long_message: type mismatch
// wrong synchronous: type mismatch
// wrong nonblocking: type mismatch
// wrong any_source: type mismatch
// wrong persistent: type mismatch
// wrong matched_probe: type mismatch
// wrong sendrecv: type mismatch
// wrong replace: type mismatch
// wrong buffered: type mismatch
// wrong derived: type mismatch
// wrong order_in_struct: type mismatch
// wrong first_of_longer: type mismatch
// wrong bytes: type mismatch
// wrong to_itself: type mismatch
// right same
// right described_otherwise
// right shorter
// right packed
// right pairs
// right languages
// right everything
// right no_elements
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static const char *variant;
static int is(const char *name) { return !strcmp(variant, name); }

static MPI_Datatype structure(MPI_Datatype first, MPI_Datatype second) {
    MPI_Datatype types[2] = {first, second}, made;
    int lengths[2] = {1, 1};
    MPI_Aint places[2] = {0, 8};
    MPI_Type_create_struct(2, lengths, places, types, &made);
    MPI_Type_commit(&made);
    return made;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    variant = argv[1];
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Status *none = MPI_STATUS_IGNORE;
    static int data[1 << 16];
    static double reals[1 << 12];
    const int other = 1 - rank;
    if (is("float_as_int")) {
        if (rank == 0) MPI_Send(data, 4, MPI_FLOAT, 1, 7, comm);
        else MPI_Recv(data, 4, MPI_INT, 0, 7, comm, none); // !float_as_int
    } else if (is("unexpected")) {
        if (rank == 0) MPI_Send(data, 4, MPI_FLOAT, 1, 7, comm);
        MPI_Barrier(comm);
        if (rank == 1) MPI_Recv(data, 4, MPI_INT, 0, 7, comm, none); // !unexpected
    } else if (is("long_message")) {
        if (rank == 0) MPI_Send(data, 1 << 16, MPI_FLOAT, 1, 7, comm);
        else MPI_Recv(data, 1 << 16, MPI_INT, 0, 7, comm, none); // !long_message
    } else if (is("synchronous")) {
        if (rank == 0) MPI_Ssend(data, 4, MPI_UNSIGNED, 1, 7, comm);
        else MPI_Recv(data, 4, MPI_INT, 0, 7, comm, none); // !synchronous
    } else if (is("nonblocking")) {
        MPI_Request request;
        if (rank == 1) MPI_Irecv(data, 4, MPI_INT, 0, 7, comm, &request); // !nonblocking
        MPI_Barrier(comm);
        if (rank == 0) MPI_Isend(data, 4, MPI_FLOAT, 1, 7, comm, &request);
        MPI_Wait(&request, none);
    } else if (is("any_source")) {
        if (rank == 0) MPI_Send(data, 2, MPI_FLOAT, 1, 7, comm);
        else MPI_Recv(data, 4, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, none); // !any_source
    } else if (is("persistent")) {
        MPI_Request request;
        if (rank == 0) MPI_Send_init(data, 4, MPI_FLOAT, 1, 7, comm, &request);
        else MPI_Recv_init(data, 4, MPI_INT, 0, 7, comm, &request);
        if (rank == 1) MPI_Start(&request); // !persistent
        MPI_Barrier(comm);
        if (rank == 0) MPI_Start(&request);
        MPI_Wait(&request, none);
        MPI_Request_free(&request);
    } else if (is("matched_probe")) {
        MPI_Message message;
        if (rank == 0) {
            MPI_Send(data, 4, MPI_FLOAT, 1, 7, comm);
        } else {
            MPI_Mprobe(0, 7, comm, &message, none);
            MPI_Mrecv(data, 4, MPI_INT, &message, none); // !matched_probe
        }
    } else if (is("sendrecv")) {
        MPI_Sendrecv(data, 4, MPI_FLOAT, other, 7, data + 8, 4, MPI_INT, other, 7, comm, none); // !sendrecv
    } else if (is("replace")) {
        MPI_Sendrecv_replace(data, 4, rank ? MPI_INT : MPI_FLOAT, other, 7, other, 7, comm, none); // !replace
    } else if (is("buffered")) {
        void *buffer = malloc(1000 + MPI_BSEND_OVERHEAD);
        int length;
        if (rank == 0) {
            MPI_Buffer_attach(buffer, 1000 + MPI_BSEND_OVERHEAD);
            MPI_Bsend(data, 4, MPI_FLOAT, 1, 7, comm);
            MPI_Buffer_detach(&buffer, &length);
        } else {
            MPI_Recv(data, 4, MPI_INT, 0, 7, comm, none); // !buffered
        }
        free(buffer);
    } else if (is("derived")) {
        MPI_Datatype column;
        MPI_Type_vector(4, 1, 2, rank ? MPI_INT : MPI_FLOAT, &column);
        MPI_Type_commit(&column);
        if (rank == 0) MPI_Send(data, 3, column, 1, 7, comm);
        else MPI_Recv(data, 3, column, 0, 7, comm, none); // !derived
        MPI_Type_free(&column);
    } else if (is("order_in_struct")) {
        MPI_Datatype type = rank ? structure(MPI_INT, MPI_DOUBLE) : structure(MPI_DOUBLE, MPI_INT);
        if (rank == 0) MPI_Send(reals, 3, type, 1, 7, comm);
        else MPI_Recv(reals, 3, type, 0, 7, comm, none); // !order_in_struct
        MPI_Type_free(&type);
    } else if (is("first_of_longer")) {
        MPI_Datatype type = structure(MPI_INT, MPI_DOUBLE);
        if (rank == 0) MPI_Send(data, 2, MPI_INT, 1, 7, comm);
        else MPI_Recv(reals, 3, type, 0, 7, comm, none); // !first_of_longer
        MPI_Type_free(&type);
    } else if (is("bytes")) {
        if (rank == 0) MPI_Send(data, 16, MPI_BYTE, 1, 7, comm);
        else MPI_Recv(data, 4, MPI_INT, 0, 7, comm, none); // !bytes
    } else if (is("to_itself")) {
        MPI_Request request;
        MPI_Irecv(data, 4, MPI_INT, 0, 7, MPI_COMM_SELF, &request); // !to_itself
        MPI_Send(data + 8, 4, MPI_FLOAT, 0, 7, MPI_COMM_SELF);
        MPI_Wait(&request, none);
    } else if (is("same")) {
        if (rank == 0) MPI_Send(data, 1 << 16, MPI_INT, 1, 7, comm);
        else MPI_Recv(data, 1 << 16, MPI_INT, 0, 7, comm, none);
    } else if (is("described_otherwise")) {
        MPI_Datatype four, type = structure(MPI_INT, MPI_DOUBLE), twice;
        MPI_Type_vector(2, 2, 5, MPI_INT, &four);
        MPI_Type_commit(&four);
        MPI_Type_contiguous(2, type, &twice);
        MPI_Type_commit(&twice);
        for (int i = 0; i < 3; i++) {
            if (rank == 0) {
                MPI_Send(data, 3, four, 1, 7, comm);
                MPI_Send(reals, 2, twice, 1, 8, comm);
            } else {
                MPI_Recv(data, 12, MPI_INT, 0, 7, comm, none);
                MPI_Recv(reals, 4, type, 0, 8, comm, none);
            }
        }
        MPI_Type_free(&four);
        MPI_Type_free(&type);
        MPI_Type_free(&twice);
    } else if (is("shorter")) {
        MPI_Datatype type = structure(MPI_INT, MPI_DOUBLE);
        if (rank == 0) {
            MPI_Send(data, 3, MPI_INT, 1, 7, comm);
            MPI_Send(reals, 2, type, 1, 7, comm);
            MPI_Send(data, 1, MPI_INT, 1, 7, comm);
        } else {
            MPI_Recv(data, 100, MPI_INT, 0, 7, comm, none);
            MPI_Recv(reals, 100, type, 0, 7, comm, none);
            MPI_Recv(reals, 100, type, 0, 7, comm, none);
        }
        MPI_Type_free(&type);
    } else if (is("packed")) {
        int at = 0;
        if (rank == 0) {
            MPI_Pack(data, 4, MPI_INT, reals, sizeof reals, &at, comm);
            MPI_Send(reals, at, MPI_PACKED, 1, 7, comm);
            MPI_Send(data, 4, MPI_INT, 1, 7, comm);
        } else {
            MPI_Recv(data, 4, MPI_INT, 0, 7, comm, none);
            MPI_Recv(reals, 100, MPI_PACKED, 0, 7, comm, none);
        }
    } else if (is("pairs")) {
        if (rank == 0) MPI_Send(data, 3, MPI_2INT, 1, 7, comm);
        else MPI_Recv(data, 6, MPI_INT, 0, 7, comm, none);
    } else if (is("languages")) {
        if (rank == 0) MPI_Send(data, 3, MPI_INTEGER, 1, 7, comm);
        else MPI_Recv(data, 3, MPI_INT32_T, 0, 7, comm, none);
    } else if (is("everything")) {
        MPI_Request requests[2];
        for (int i = 0; i < 5000; i++) {
            MPI_Irecv(data, 10, MPI_INT, MPI_ANY_SOURCE, i, comm, &requests[0]);
            MPI_Isend(data + 100, i % 11, MPI_INT, other, i, comm, &requests[1]);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        }
    } else if (is("no_elements")) {
        if (rank == 0) MPI_Send(NULL, 0, MPI_FLOAT, 1, 7, comm);
        else MPI_Recv(data, 4, MPI_INT, 0, 7, comm, none);
    }
    MPI_Finalize();
    return 0;
}
