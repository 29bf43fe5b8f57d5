/* ranks: 1 2 3; mpich: skip it cancels and frees what may only be completed */
/* Requests that may only be completed: of collective operations on their way (MPI 4.1 section 6.12). And those that nobody
 * cancels: of RMA (12.3.6), of collective operations that are over, of partitioned communication, of several messages. They
 * refuse, and end as if nobody had tried. */
#define _DEFAULT_SOURCE
#include "check.h"
#include <sys/mman.h>

enum { LONG = 20000, MOST = 3 };

static int next, previous;
static int send[MOST * LONG], receive[MOST * LONG];

static void refuses(MPI_Request *request, const char *text)
{
    MPI_Request before = *request;
    CHECK_SENTENCE(MPI_Cancel(request), MPI_ERR_REQUEST, text);
    CHECK_SENTENCE(MPI_Request_free(request), MPI_ERR_REQUEST, text);
    CHECK(*request == before);
}

static void completes(MPI_Request *request)
{
    MPI_Status status;
    int flag = -1;
    OK(MPI_Wait(request, &status));
    OK(MPI_Test_cancelled(&status, &flag));
    CHECK_EQ(flag, 0);
}

/* Rank 0 begins when the others were refused: theirs are on their way till then. */
static void before_beginning(void)
{
    if (rank == 0)
        for (int from = 1; from < size; from++)
            OK(MPI_Recv(NULL, 0, MPI_INT, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void when_refused(void)
{
    if (rank != 0)
        OK(MPI_Send(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD));
}

static void nonblocking(void)
{
    MPI_Request requests[4];
    MPI_Comm dup;
    int sum = -1, one = rank + 1;
    memset(receive, 0, sizeof receive);
    fill((unsigned char *)send, sizeof send, 5);
    before_beginning();
    OK(MPI_Ibarrier(MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]));
    OK(MPI_Ibcast(rank == 0 ? send : receive, LONG, MPI_INT, 0, MPI_COMM_WORLD, &requests[2]));
    OK(MPI_Comm_idup(MPI_COMM_WORLD, &dup, &requests[3]));
    for (int i = 0; i < 4; i++)
        if (rank == 0)
            CHECK_SENTENCE(MPI_Cancel(&requests[i]), MPI_ERR_REQUEST, "collective");
        else
            refuses(&requests[i], "collective");
    when_refused();
    for (int i = 0; i < 4; i++)
        completes(&requests[i]);
    CHECK_EQ(sum, size * (size + 1) / 2);
    if (rank != 0)
        CHECK_BYTES(receive, send, LONG * sizeof(int));
    OK(MPI_Barrier(dup));
    OK(MPI_Comm_free(&dup));
}

static void persistent(void)
{
    MPI_Request requests[2];
    OK(MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]));
    OK(MPI_Alltoall_init_c(send, LONG, MPI_INT, receive, LONG, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]));
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 2; i++)
            CHECK_SENTENCE(MPI_Cancel(&requests[i]), MPI_ERR_REQUEST, "persistent collective");
        for (int i = 0; i < size * LONG; i++)
            send[i] = rank * 1000000 + i + round;
        memset(receive, 0xff, sizeof receive);
        before_beginning();
        OK(MPI_Startall(2, requests));
        for (int i = 0; i < 2; i++)
            CHECK_SENTENCE(MPI_Cancel(&requests[i]), MPI_ERR_REQUEST, "persistent collective");
        when_refused();
        for (int i = 0; i < 2; i++)
            completes(&requests[i]);
        for (int from = 0; from < size; from++)
            for (int i = 0; i < LONG; i++)
                CHECK_EQ(receive[from * LONG + i], from * 1000000 + rank * LONG + i + round);
    }
    for (int i = 0; i < 2; i++)
        OK(MPI_Request_free(&requests[i]));
}

static void partitioned(void)
{
    MPI_Request requests[2];
    OK(MPI_Psend_init(send, 4, LONG / 4, MPI_INT, next, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]));
    OK(MPI_Precv_init(receive, 2, LONG / 2, MPI_INT, previous, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]));
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < LONG; i++)
            send[i] = rank + 10 * i + round;
        memset(receive, 0, sizeof receive);
        OK(MPI_Startall(2, requests));
        OK(MPI_Pready(2, requests[0]));
        for (int i = 0; i < 2; i++)
            CHECK_SENTENCE(MPI_Cancel(&requests[i]), MPI_ERR_REQUEST, "partitioned");
        OK(MPI_Pready_range(0, 1, requests[0]));
        OK(MPI_Pready(3, requests[0]));
        OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        for (int i = 0; i < LONG; i++)
            CHECK_EQ(receive[i], previous + 10 * i + round);
    }
    for (int i = 0; i < 2; i++) {
        CHECK_SENTENCE(MPI_Cancel(&requests[i]), MPI_ERR_REQUEST, "partitioned");
        OK(MPI_Request_free(&requests[i]));
    }
}

static void rma(void)
{
    enum { OPERATIONS = 4 };
    MPI_Request requests[OPERATIONS];
    int put = 100 + rank, got = -1, add = 5, old = -1, *memory;
    MPI_Win win;
    OK(MPI_Win_allocate(3 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    memory[0] = memory[1] = 0;
    memory[2] = 7;
    barrier();
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, win));
    OK(MPI_Rput(&put, 1, MPI_INT, next, 0, 1, MPI_INT, win, &requests[0]));
    OK(MPI_Rget(&got, 1, MPI_INT, next, 2, 1, MPI_INT, win, &requests[1]));
    OK(MPI_Raccumulate(&add, 1, MPI_INT, next, 1, 1, MPI_INT, MPI_SUM, win, &requests[2]));
    OK(MPI_Rget_accumulate(&add, 1, MPI_INT, &old, 1, MPI_INT, next, 1, 1, MPI_INT, MPI_SUM, win, &requests[3]));
    for (int i = 0; i < OPERATIONS; i++) {
        CHECK_SENTENCE(MPI_Cancel(&requests[i]), MPI_ERR_REQUEST, "RMA");
        completes(&requests[i]);
        CHECK(requests[i] == MPI_REQUEST_NULL);
    }
    OK(MPI_Win_unlock(next, win));
    CHECK_EQ(got, 7);
    CHECK_EQ(old, 5);
    barrier();
    OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
    CHECK_EQ(memory[0], 100 + previous);
    CHECK_EQ(memory[1], 10);
    OK(MPI_Win_unlock(rank, win));
    OK(MPI_Win_free(&win));
}

/* What is not one message is not cancelled either, but may be freed. Operations on files are over already. */
static void several_messages(void)
{
    MPI_Request requests[3];
    MPI_File file;
    char name[64];
    int out = rank, in = -1, late = 40 + rank;
    OK(MPI_Isendrecv(&out, 1, MPI_INT, next, 5, &in, 1, MPI_INT, previous, 6, MPI_COMM_WORLD, &requests[0]));
    snprintf(name, sizeof name, "errors_cancel.%d.%d.tmp", size, rank);
    OK(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file));
    OK(MPI_File_iwrite(file, send, LONG, MPI_INT, &requests[1]));
    OK(MPI_Isend(receive, LONG, MPI_INT, next, 7, MPI_COMM_WORLD, &requests[2]));
    CHECK_SENTENCE(MPI_Cancel(&requests[0]), MPI_ERR_REQUEST, "MPI_Isendrecv");
    OK(MPI_Cancel(&requests[1]));
    OK(MPI_Cancel(&requests[2]));
    OK(MPI_Send(&late, 1, MPI_INT, next, 6, MPI_COMM_WORLD));
    for (int i = 0; i < 2; i++)
        completes(&requests[i]);
    OK(MPI_Request_free(&requests[2]));
    CHECK_EQ(in, 40 + previous);
    OK(MPI_Recv(&in, 1, MPI_INT, previous, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_EQ(in, previous);
    OK(MPI_File_close(&file));
}

/* A send that is complete at once may be cancelled, in vain, and freed. */
static void messages(void)
{
    MPI_Request request;
    int got = -1;
    for (int freed = 0; freed < 2; freed++) {
        OK(MPI_Isend(&rank, 1, MPI_INT, next, 4, MPI_COMM_WORLD, &request));
        OK(MPI_Cancel(&request));
        if (freed)
            OK(MPI_Request_free(&request));
        else
            completes(&request);
        CHECK(request == MPI_REQUEST_NULL);
        OK(MPI_Recv(&got, 1, MPI_INT, previous, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_EQ(got, previous);
    }
}

/* A matched probe has taken a message of which there cannot be a copy: it stays as it is, and ends when it is received. */
static void no_memory_for_a_copy(void)
{
    enum { ROOM = 100000 };
    const MPI_Count length = (MPI_Count)1 << 40;
    MPI_Request request;
    MPI_Message message;
    MPI_Status status;
    MPI_Count found;
    if (size < 2)
        return;
    if (rank == 0) {
        int *huge = mmap(NULL, (size_t)length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        CHECK(huge != MAP_FAILED);
        fill(huge, ROOM, 9);
        OK(MPI_Isend_c(huge, length, MPI_BYTE, 1, 8, MPI_COMM_WORLD, &request));
        OK(MPI_Recv(NULL, 0, MPI_BYTE, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_SENTENCE(MPI_Cancel(&request), MPI_ERR_NO_MEM, "bytes");
        OK(MPI_Send(NULL, 0, MPI_BYTE, 1, 9, MPI_COMM_WORLD));
        completes(&request);
        CHECK_EQ(munmap(huge, (size_t)length), 0);
    } else if (rank == 1) {
        OK(MPI_Mprobe(0, 8, MPI_COMM_WORLD, &message, &status));
        OK(MPI_Get_count_c(&status, MPI_BYTE, &found));
        CHECK_EQ(found, length);
        OK(MPI_Send(NULL, 0, MPI_BYTE, 0, 9, MPI_COMM_WORLD));
        OK(MPI_Recv(NULL, 0, MPI_BYTE, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_CLASS(MPI_Mrecv(receive, ROOM, MPI_BYTE, &message, &status), MPI_ERR_TRUNCATE);
        fill(send, ROOM, 9);
        CHECK_BYTES(receive, send, ROOM);
    }
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    next = (rank + 1) % size;
    previous = (rank + size - 1) % size;
    nonblocking();
    persistent();
    partitioned();
    rma();
    several_messages();
    no_memory_for_a_copy();
    messages();
    return check_end();
}
