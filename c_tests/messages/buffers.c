/* ranks: 1 2 4; mpich: skip buffers of communicators and sessions are of MPI 4.1 */
/* Buffers of buffered sends: of the process, of a communicator, of a session; automatic ones; flushes; errors. */
#include "check.h"

#define N 100

static int right, left;

/* Sends as many messages as the buffer holds; then it is full until they are received, and empty after a flush. */
static void fill_up(MPI_Comm comm, int room)
{
    int data[N], into[N];
    for (int i = 0; i < N; i++)
        data[i] = rank * 1000 + i;
    for (int n = 0; n < room; n++)
        OK(MPI_Bsend(data, N, MPI_INT, right, n, comm));
    for (int n = 0; n < room; n++) {
        OK(MPI_Recv(into, N, MPI_INT, left, n, comm, MPI_STATUS_IGNORE));
        for (int i = 0; i < N; i++)
            CHECK_EQ(into[i], left * 1000 + i);
    }
}

static void of_process(void)
{
    static char buffer[10 * (N * sizeof(int) + MPI_BSEND_OVERHEAD)];
    void *address = NULL;
    int len = -1;
    MPI_Request request;
    OK(MPI_Buffer_attach(buffer, sizeof buffer));
    CHECK_CLASS(MPI_Buffer_attach(buffer, sizeof buffer), MPI_ERR_BUFFER);
    fill_up(MPI_COMM_WORLD, 10);
    OK(MPI_Buffer_flush());
    OK(MPI_Buffer_iflush(&request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Buffer_detach(&address, &len));
    CHECK(address == buffer);
    CHECK_EQ(len, (int)sizeof buffer);
    CHECK_CLASS(MPI_Bsend(buffer, 1, MPI_CHAR, right, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
}

static void of_communicator(void)
{
    static char own[2 * (N * sizeof(int) + MPI_BSEND_OVERHEAD)];
    MPI_Comm comm;
    void *address = NULL;
    MPI_Count len = -1;
    int data[N] = {0};
    MPI_Request request;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_attach_buffer(comm, own, sizeof own));
    CHECK_CLASS(MPI_Comm_attach_buffer_c(comm, own, sizeof own), MPI_ERR_BUFFER);
    fill_up(comm, 2);
    OK(MPI_Comm_flush_buffer(comm));
    /* It is this communicator's alone. */
    CHECK_CLASS(MPI_Bsend(data, N, MPI_INT, right, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Bsend(own, sizeof own, MPI_CHAR, right, 0, comm), MPI_ERR_BUFFER);
    OK(MPI_Comm_iflush_buffer(comm, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Comm_detach_buffer_c(comm, &address, &len));
    CHECK(address == own);
    CHECK_EQ(len, sizeof own);

    /* Automatic buffering holds all there is. */
    OK(MPI_Comm_attach_buffer(comm, MPI_BUFFER_AUTOMATIC, 0));
    fill_up(comm, 3000);
    OK(MPI_Comm_detach_buffer_c(comm, &address, &len));
    CHECK(address == MPI_BUFFER_AUTOMATIC);
    OK(MPI_Comm_free(&comm));
}

/* What is received late is waited for by the flush. */
static void late(void)
{
    static char large[1 << 20], into[1 << 20];
    MPI_Request request;
    int flag;
    OK(MPI_Comm_attach_buffer(MPI_COMM_WORLD, MPI_BUFFER_AUTOMATIC, 0));
    fill(large, sizeof large, rank);
    OK(MPI_Bsend(large, sizeof large, MPI_CHAR, right, 0, MPI_COMM_WORLD));
    memset(large, 0, sizeof large);
    OK(MPI_Comm_iflush_buffer(MPI_COMM_WORLD, &request));
    OK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
    CHECK_EQ(flag, 0);
    barrier();
    OK(MPI_Recv(into, sizeof into, MPI_CHAR, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    fill(large, sizeof large, left);
    CHECK_BYTES(into, large, sizeof large);
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    void *address;
    int len;
    OK(MPI_Comm_detach_buffer(MPI_COMM_WORLD, &address, &len));
}

/* The same by large counts: a buffer of one's own and an automatic one; what is received late is waited for. */
static void of_session_counts(MPI_Session session, MPI_Comm comm)
{
    enum { LONG = 200000 };
    static char own[2 * (LONG + MPI_BSEND_OVERHEAD)], data[LONG], into[LONG];
    MPI_Request request;
    MPI_Count bytes = -1;
    void *address = NULL;
    int flag;
    for (int automatic = 0; automatic < 2; automatic++) {
        if (automatic)
            OK(MPI_Session_attach_buffer_c(session, MPI_BUFFER_AUTOMATIC, 0));
        else
            OK(MPI_Session_attach_buffer_c(session, own, sizeof own));
        CHECK_CLASS(MPI_Session_attach_buffer_c(session, own, sizeof own), MPI_ERR_BUFFER);
        fill(data, LONG, mix((uint64_t)rank, (uint64_t)automatic));
        OK(MPI_Bsend_c(data, LONG, MPI_BYTE, right, 0, comm));
        OK(MPI_Bsend_c(data, LONG / 2, MPI_BYTE, right, 1, comm));
        if (!automatic)
            CHECK_CLASS(MPI_Bsend_c(data, LONG, MPI_BYTE, right, 2, comm), MPI_ERR_BUFFER);
        memset(data, 0, sizeof data);
        OK(MPI_Session_iflush_buffer(session, &request));
        OK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
        CHECK_EQ(flag, 0);
        barrier();
        fill(data, LONG, mix((uint64_t)left, (uint64_t)automatic));
        OK(MPI_Recv(into, LONG, MPI_BYTE, left, 1, comm, MPI_STATUS_IGNORE));
        CHECK_BYTES(into, data, LONG / 2);
        OK(MPI_Recv(into, LONG, MPI_BYTE, left, 0, comm, MPI_STATUS_IGNORE));
        CHECK_BYTES(into, data, LONG);
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        OK(MPI_Session_flush_buffer(session));
        OK(MPI_Session_detach_buffer_c(session, &address, &bytes));
        CHECK(address == (automatic ? MPI_BUFFER_AUTOMATIC : (void *)own));
        if (!automatic)
            CHECK_EQ(bytes, sizeof own);
        OK(MPI_Session_detach_buffer_c(session, &address, &bytes));
        CHECK(address == NULL && bytes == 0);
    }
}

static void of_session(void)
{
    static char own[2 * (N * sizeof(int) + MPI_BSEND_OVERHEAD)], process[MPI_BSEND_OVERHEAD + 8];
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Request request;
    void *address = NULL;
    int len = -1;
    OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
    OK(MPI_Group_from_session_pset(session, "mpi://WORLD", &group));
    OK(MPI_Comm_create_from_group(group, "buffers", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    OK(MPI_Group_free(&group));
    OK(MPI_Session_attach_buffer(session, own, sizeof own));
    OK(MPI_Buffer_attach(process, sizeof process));
    fill_up(comm, 2);
    OK(MPI_Session_flush_buffer(session));
    OK(MPI_Session_iflush_buffer(session, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Buffer_detach(&address, &len));
    OK(MPI_Session_detach_buffer(session, &address, &len));
    CHECK(address == own);
    CHECK_EQ(len, (int)sizeof own);
    OK(MPI_Session_detach_buffer(session, &address, &len));
    CHECK(address == NULL && len == 0);
    of_session_counts(session, comm);
    CHECK_CLASS(MPI_Session_attach_buffer_c(session, NULL, 8), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Session_attach_buffer_c(session, own, -8), MPI_ERR_ARG);
    OK(MPI_Comm_free(&comm));
    OK(MPI_Session_finalize(&session));
    CHECK_CLASS(MPI_Session_flush_buffer(session), MPI_ERR_SESSION);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    of_process();
    of_communicator();
    late();
    of_session();
    CHECK_CLASS(MPI_Comm_flush_buffer(MPI_COMM_NULL), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_attach_buffer(MPI_COMM_WORLD, NULL, 5), MPI_ERR_BUFFER);
    return check_end();
}
