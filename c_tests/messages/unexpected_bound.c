/* ranks: 3; mpich: skip it keeps all that comes, without a bound */
/* What a process holds of messages that it does not receive yet is bounded by the memory there is, here by a limit of the
 * process's own: then their senders wait. A receive is met all the same, however many messages are in front of its own; other
 * senders go on; and when the messages were received, short ones need no receive again. */
#include "check.h"
#include <sys/resource.h>

enum { LENGTH = 8000, N = 10000, FEW = 5, DATA = 1, LAST = 2, NEVER = 3 };

static unsigned char *out, *in, *wanted;
static volatile int *done; /* in rank 0's memory: what each rank has sent */

/* From now on this process may have 64 MiB more than it has. */
static void limit_memory(void)
{
    unsigned long fields[6] = { 0 };
    FILE *statm = fopen("/proc/self/statm", "r");
    CHECK(statm);
    for (int i = 0; i < 6; i++)
        CHECK_EQ(fscanf(statm, "%lu", &fields[i]), 1);
    fclose(statm);
    struct rlimit limit;
    CHECK_EQ(getrlimit(RLIMIT_DATA, &limit), 0);
    limit.rlim_cur = fields[5] * 4096 + (64 << 20);
    CHECK_EQ(setrlimit(RLIMIT_DATA, &limit), 0);
}

/* Lets messages come that are not received, until no more come for long. */
static int let_come(int from)
{
    int before = -1, flag;
    for (int quiet = 0; quiet < 2000 && done[from] < N; quiet++) {
        OK(MPI_Iprobe(from, NEVER, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
        CHECK(!flag);
        if (done[from] != before)
            quiet = 0;
        before = done[from];
    }
    return done[from];
}

static void stamp(unsigned char *message, int i)
{
    memcpy(message, &i, sizeof i);
}

static void receive(int from, int i)
{
    OK(MPI_Recv(in, LENGTH, MPI_BYTE, from, DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    stamp(wanted, i);
    CHECK_BYTES(in, wanted, LENGTH);
}

static void start(void)
{
    barrier();
    done[rank] = 0;
    barrier();
}

/* Rank 1 sends more than rank 0 has room for; rank 2 gets a few messages through meanwhile. */
static void blocking(void)
{
    start();
    if (rank == 1) {
        for (int i = 0; i < N; i++, done[1]++) {
            stamp(out, i);
            OK(MPI_Send(out, LENGTH, MPI_BYTE, 0, DATA, MPI_COMM_WORLD));
        }
    } else if (rank == 2) {
        OK(MPI_Recv(in, 0, MPI_BYTE, 0, LAST, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        for (int i = 0; i < FEW; i++, done[2]++) {
            stamp(out, i);
            OK(MPI_Send(out, LENGTH, MPI_BYTE, 0, DATA, MPI_COMM_WORLD));
        }
    } else {
        int flag;
        CHECK(let_come(1) < N);
        OK(MPI_Send(in, 0, MPI_BYTE, 2, LAST, MPI_COMM_WORLD));
        while (done[2] < FEW)
            OK(MPI_Iprobe(2, NEVER, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
        for (int i = 0; i < N; i++)
            receive(1, i);
        for (int i = 0; i < FEW; i++)
            receive(2, i);
    }
    /* Nothing is held any more: a short message needs no receive. */
    start();
    if (rank == 1) {
        OK(MPI_Send(out, 8, MPI_BYTE, 0, LAST, MPI_COMM_WORLD));
        done[1]++;
    } else if (rank == 0) {
        int flag;
        while (done[1] == 0)
            OK(MPI_Iprobe(1, NEVER, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
        OK(MPI_Recv(in, 8, MPI_BYTE, 1, LAST, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
}

/* The last message is received first: it is behind all the others, whose sends need not be complete for that. */
static void nonblocking(int from)
{
    static MPI_Request requests[N];
    start();
    if (rank == from) {
        unsigned char *messages = malloc((size_t)N * LENGTH);
        CHECK(messages);
        for (int i = 0; i < N; i++) {
            unsigned char *message = messages + (size_t)i * LENGTH;
            memcpy(message, out, LENGTH);
            stamp(message, i);
            OK(MPI_Isend(message, LENGTH, MPI_BYTE, 0, DATA, MPI_COMM_WORLD, &requests[i]));
        }
        OK(MPI_Send(out, 8, MPI_BYTE, 0, LAST, MPI_COMM_WORLD));
        OK(MPI_Waitall(N, requests, MPI_STATUSES_IGNORE));
        free(messages);
    } else if (rank == 0) {
        OK(MPI_Recv(in, 8, MPI_BYTE, from, LAST, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        for (int i = 0; i < N; i++)
            receive(from, i);
    }
}

/* To itself, always the same. */
static void to_itself(void)
{
    static MPI_Request requests[N];
    if (rank != 0)
        return;
    stamp(out, 0);
    for (int i = 0; i < N; i++)
        OK(MPI_Isend(out, LENGTH, MPI_BYTE, 0, DATA, MPI_COMM_WORLD, &requests[i]));
    for (int i = 0; i < N; i++)
        receive(0, 0);
    OK(MPI_Waitall(N, requests, MPI_STATUSES_IGNORE));
}

/* A root that runs ahead of rank 0, among the two of them. */
static void broadcasts(MPI_Comm pair)
{
    start();
    if (rank == 0)
        CHECK(let_come(1) < N);
    for (int i = 0; i < N && rank < 2; i++, done[rank]++) {
        unsigned char *buffer = rank == 1 ? out : in;
        if (rank == 1)
            stamp(out, i);
        OK(MPI_Bcast(buffer, LENGTH, MPI_BYTE, 1, pair));
        if (rank == 0) {
            stamp(wanted, i);
            CHECK_BYTES(in, wanted, LENGTH);
        }
    }
}

int main(int argc, char **argv)
{
    MPI_Win win;
    MPI_Aint length;
    MPI_Comm pair;
    int unit;
    void *shared;
    check_start(&argc, &argv);
    OK(MPI_Win_allocate_shared(rank == 0 ? 3 * sizeof(int) : 0, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &win));
    OK(MPI_Win_shared_query(win, 0, &length, &unit, &shared));
    done = shared;
    OK(MPI_Comm_split(MPI_COMM_WORLD, rank < 2, rank, &pair));
    out = malloc(LENGTH);
    in = malloc(LENGTH);
    wanted = malloc(LENGTH);
    fill(out, LENGTH, 5);
    fill(wanted, LENGTH, 5);

    if (rank == 0)
        limit_memory();
    blocking();
    nonblocking(1);
    to_itself();
    broadcasts(pair);

    free(out);
    free(in);
    free(wanted);
    OK(MPI_Comm_free(&pair));
    OK(MPI_Win_free(&win));
    return check_end();
}
