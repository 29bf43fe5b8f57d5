/* name: never; ranks: 3 4; args: never; mpich: skip it waits for ever */
/* name: late; ranks: 3; args: late; mpich: skip it waits for ever */
/* name: after; ranks: 3; args: after; launcher: mpiexec hydra; mpich: skip it waits for ever */
/* name: between; ranks: 3 4; args: between; launcher: mpiexec hydra; mpich: skip it waits for ever; wrong: what comes before the first has left is never received */
/* A process that ends without ever opening a session, or after its last one: who waits for it gets an error, and the others
 * go on. */
#include "check.h"
#include <unistd.h>

static MPI_Session session;
static MPI_Group world, others;

static void begin(void)
{
    int first = 0;
    OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
    OK(MPI_Group_from_session_pset(session, "mpi://WORLD", &world));
    OK(MPI_Group_rank(world, &rank));
    OK(MPI_Group_size(world, &size));
    OK(MPI_Group_excl(world, 1, &first, &others));
}

static void end(void)
{
    OK(MPI_Group_free(&world));
    OK(MPI_Group_free(&others));
    OK(MPI_Session_finalize(&session));
}

static void works(MPI_Comm comm)
{
    int one = 1, sum = -1;
    OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK_EQ(sum, size - 1);
}

/* Communicators with the process that is not there, as their first and as their last one, and without it. */
static void without_it(void)
{
    static int order[16];
    MPI_Group reversed;
    MPI_Comm comm;
    for (int i = 0; i < size; i++)
        order[i] = size - 1 - i;
    OK(MPI_Group_incl(world, size, order, &reversed));
    CHECK_SENTENCE(MPI_Comm_create_from_group(world, "all", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm),
                   MPIX_ERR_PROC_FAILED, "has ended");
    CHECK_SENTENCE(MPI_Comm_create_from_group(reversed, "all", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm),
                   MPIX_ERR_PROC_FAILED, "has ended");
    for (int i = 0; i < 3; i++) {
        OK(MPI_Comm_create_from_group(others, "others", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
        works(comm);
        OK(MPI_Comm_free(&comm));
    }
    OK(MPI_Group_free(&reversed));
}

/* It goes when it was in a communicator, and has sent something. */
static void between(void)
{
    MPI_Comm all, rest;
    MPI_Request request;
    int got = -1, flag = 0, code;
    OK(MPI_Comm_create_from_group(world, "all", MPI_INFO_NULL, MPI_ERRORS_RETURN, &all));
    if (rank == 0) {
        got = 77;
        OK(MPI_Send(&got, 1, MPI_INT, 1, 1, all));
        OK(MPI_Comm_disconnect(&all));
        return;
    }
    OK(MPI_Comm_create_from_group(others, "rest", MPI_INFO_NULL, MPI_ERRORS_RETURN, &rest));
    works(rest);
    if (rank == 1) {
        CHECK_SENTENCE(MPI_Recv(&got, 1, MPI_INT, 0, 2, all, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED, "has ended");
        OK(MPI_Recv(&got, 1, MPI_INT, 0, 1, all, MPI_STATUS_IGNORE));
        CHECK_EQ(got, 77);
    }
    CHECK_CLASS(MPI_Ssend(&got, 1, MPI_INT, 0, 3, all), MPIX_ERR_PROC_FAILED);
    CHECK_CLASS(MPI_Probe(0, 4, all, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
    OK(MPI_Irecv(&got, 1, MPI_INT, 0, 5, all, &request));
    while ((code = MPI_Test(&request, &flag, MPI_STATUS_IGNORE)) == MPI_SUCCESS)
        CHECK(!flag);
    CHECK_CLASS(code, MPIX_ERR_PROC_FAILED);
    /* More than its ring takes, that nobody waits for here: neither the buffer nor the session does. */
    static char buffer[1 << 20], data[20000];
    void *detached;
    int length;
    OK(MPI_Buffer_attach(buffer, sizeof buffer));
    for (int i = 0; i < 200; i++)
        OK(MPI_Bsend(data, 4000, MPI_BYTE, 0, 6, all));
    for (int i = 0; i < 2000; i++) {
        OK(MPI_Isend(data, sizeof data, MPI_BYTE, 0, 7, all, &request));
        OK(MPI_Request_free(&request));
    }
    OK(MPI_Buffer_detach(&detached, &length));
    works(rest);
    OK(MPI_Comm_free(&rest));
    OK(MPI_Comm_free(&all));
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    const char *number = getenv("PMI_RANK");
    int first;
    CHECK(number != NULL);
    first = strcmp(number, "0") == 0;
    if (first && strcmp(how, "never") == 0)
        return 0;
    if (first && strcmp(how, "late") == 0) {
        usleep(300000);
        return 0;
    }
    begin();
    if (strcmp(how, "between") == 0)
        between();
    else if (!first)
        without_it();
    end();
    return 0;
}
