// Messages that nobody receives.
//
// wrong other_tag: message never received
// wrong one_too_many: message never received
// wrong of_a_freed_communicator: message never received
// wrong nonblocking: message never received
// wrong in_a_session: message never received
// right all_received_in_a_session
// right received_after_the_world
// right all_received
// right cancelled
// right probed
// right revoked
#include <mpi.h>
#include <string.h>

static MPI_Session session;

static MPI_Comm open_session(void) {
    MPI_Group group;
    MPI_Comm comm;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "messages_left", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    return comm;
}

static void in_session(int receives) {
    int rank, data[4] = {0};
    MPI_Comm comm = open_session();
    MPI_Comm_rank(comm, &rank);
    if (rank == 0) MPI_Send(data, 4, MPI_INT, 1, 3, comm); // !in_a_session
    if (rank == 1 && receives) MPI_Recv(data, 4, MPI_INT, 0, 3, comm, MPI_STATUS_IGNORE);
    MPI_Barrier(comm);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
}

int main(int argc, char **argv) {
    const char *variant = argv[1];
    if (strstr(variant, "in_a_session")) {
        in_session(!strncmp(variant, "all", 3));
        return 0;
    }
    MPI_Init(&argc, &argv);
    int rank, data[4] = {0};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm comm = MPI_COMM_WORLD;
    if (!strcmp(variant, "other_tag")) {
        if (rank == 0) MPI_Send(data, 4, MPI_INT, 1, 3, comm); // !other_tag
    } else if (!strcmp(variant, "one_too_many")) {
        for (int i = 0; i < 3; i++)
            if (rank == 0) MPI_Send(data, i, MPI_INT, 1, 3, comm); // !one_too_many
        for (int i = 0; i < 2; i++)
            if (rank == 1) MPI_Recv(data, 4, MPI_INT, 0, 3, comm, MPI_STATUS_IGNORE);
    } else if (!strcmp(variant, "of_a_freed_communicator")) {
        MPI_Comm_dup(comm, &comm);
        if (rank == 0) MPI_Send(data, 4, MPI_INT, 1, 3, comm); // !of_a_freed_communicator
        MPI_Comm_free(&comm);
    } else if (!strcmp(variant, "nonblocking")) {
        MPI_Request request;
        if (rank == 0) {
            MPI_Isend(data, 4, MPI_INT, 1, 3, comm, &request); // !nonblocking
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    } else if (!strcmp(variant, "revoked")) {
        MPI_Comm_dup(comm, &comm);
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        if (rank == 0) MPI_Send(data, 4, MPI_INT, 1, 3, comm);
        MPI_Barrier(MPI_COMM_WORLD);
        MPIX_Comm_revoke(comm);
        MPI_Comm_free(&comm);
    } else if (!strcmp(variant, "cancelled")) {
        MPI_Request request;
        if (rank == 0) {
            static int much[1 << 16];
            MPI_Isend(much, 1 << 16, MPI_INT, 1, 3, comm, &request);
            MPI_Cancel(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    } else if (!strcmp(variant, "received_after_the_world")) {
        comm = open_session();
        if (rank == 0) MPI_Send(data, 4, MPI_INT, 1, 3, comm);
        MPI_Finalize();
        if (rank == 1) MPI_Recv(data, 4, MPI_INT, 0, 3, comm, MPI_STATUS_IGNORE);
        MPI_Comm_free(&comm);
        MPI_Session_finalize(&session);
        return 0;
    } else {
        if (rank == 0) MPI_Send(data, 4, MPI_INT, 1, 3, comm);
        if (rank == 1 && !strcmp(variant, "probed")) MPI_Probe(0, 3, comm, MPI_STATUS_IGNORE);
        if (rank == 1) MPI_Recv(data, 4, MPI_INT, 0, 3, comm, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
