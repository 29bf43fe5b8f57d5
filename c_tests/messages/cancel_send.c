/* ranks: 2 3 4; mpich: skip it cancels no sends, and waits for them for ever */
/* Sends that are cancelled: each is either cancelled or received, whatever its mode and length and whenever its receiver
 * comes; a wait for it needs no other process. */
#include "check.h"

enum { LENGTHS = 5, LONGEST = 300000, DATA = 1, WORD = 2 };

static const int lengths[LENGTHS] = { 0, 100, 40000, 70000, LONGEST };
static unsigned char out[LONGEST], in[LONGEST], wanted[LONGEST];

enum mode { STANDARD, SYNCHRONOUS, BUFFERED, READY, MODES };

static void start(enum mode mode, int persistent, int length, int to, int tag, MPI_Request *request)
{
    typedef int (*starter)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
    static const starter once[MODES] = { MPI_Isend, MPI_Issend, MPI_Ibsend, MPI_Irsend };
    static const starter again[MODES] = { MPI_Send_init, MPI_Ssend_init, MPI_Bsend_init, MPI_Rsend_init };
    OK((persistent ? again : once)[mode](out, length, MPI_BYTE, to, tag, MPI_COMM_WORLD, request));
    if (persistent)
        OK(MPI_Start(request));
}

/* Cancels, waits, and tells whether it was in time. */
static int cancelled(MPI_Request *request, int persistent)
{
    MPI_Status status;
    int flag = -1;
    OK(MPI_Cancel(request));
    OK(MPI_Wait(request, &status));
    OK(MPI_Test_cancelled(&status, &flag));
    CHECK(flag == 0 || flag == 1);
    CHECK((*request != MPI_REQUEST_NULL) == persistent);
    return flag;
}

static void receive(int length, int from, int tag, uint64_t seed)
{
    MPI_Status status;
    int count;
    memset(in, 0, sizeof in);
    OK(MPI_Recv(in, LONGEST, MPI_BYTE, from, tag, MPI_COMM_WORLD, &status));
    OK(MPI_Get_count(&status, MPI_BYTE, &count));
    CHECK_EQ(count, length);
    fill(wanted, (size_t)length, seed);
    CHECK_BYTES(in, wanted, (size_t)length);
}

/* No receive is there before the sender has waited. (That rules out ready sends.) A persistent one is cancelled twice. */
static void nobody_receives(int from, int to, enum mode mode, int persistent)
{
    for (int i = 0; i < LENGTHS; i++) {
        uint64_t seed = mix(mode, (uint64_t)i);
        int coming = 0;
        if (rank == from) {
            MPI_Request request;
            fill(out, (size_t)lengths[i], seed);
            start(mode, persistent, lengths[i], to, DATA, &request);
            coming += !cancelled(&request, persistent);
            if (persistent) {
                OK(MPI_Start(&request));
                coming += !cancelled(&request, persistent);
                OK(MPI_Request_free(&request));
            }
            if (mode == SYNCHRONOUS || (mode == STANDARD && lengths[i] > 65536))
                CHECK_EQ(coming, 0);
            if (coming == 0)
                memset(out, 0xee, sizeof out);
            OK(MPI_Send(&coming, 1, MPI_INT, to, WORD, MPI_COMM_WORLD));
            fill(out, 50, seed + 1);
            OK(MPI_Send(out, 50, MPI_BYTE, to, DATA, MPI_COMM_WORLD));
        }
        if (rank == to) {
            OK(MPI_Recv(&coming, 1, MPI_INT, from, WORD, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            for (; coming > 0; coming--)
                receive(lengths[i], from, DATA, seed);
            receive(50, MPI_ANY_SOURCE, DATA, seed + 1);
        }
    }
}

/* The receive is over before the send is cancelled. */
static void somebody_has_received(int from, int to, enum mode mode, int persistent)
{
    for (int i = 0; i < LENGTHS; i++) {
        if (rank == from) {
            MPI_Request request;
            fill(out, (size_t)lengths[i], 5);
            OK(MPI_Recv(NULL, 0, MPI_BYTE, to, WORD, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            start(mode, persistent, lengths[i], to, DATA, &request);
            OK(MPI_Recv(NULL, 0, MPI_BYTE, to, WORD, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            CHECK_EQ(cancelled(&request, persistent), 0);
            if (persistent)
                OK(MPI_Request_free(&request));
        } else if (rank == to) {
            MPI_Request request;
            OK(MPI_Irecv(in, LONGEST, MPI_BYTE, from, DATA, MPI_COMM_WORLD, &request));
            OK(MPI_Send(NULL, 0, MPI_BYTE, from, WORD, MPI_COMM_WORLD));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            fill(wanted, (size_t)lengths[i], 5);
            CHECK_BYTES(in, wanted, (size_t)lengths[i]);
            OK(MPI_Send(NULL, 0, MPI_BYTE, from, WORD, MPI_COMM_WORLD));
        }
    }
}

/* A matched probe has the message, and its process waits for a word of the sender's before it receives it: the sender's wait
 * ends without that, and the message is what it was when it was cancelled. */
static void a_probe_has_taken_it(int from, int to, enum mode mode, int persistent)
{
    for (int i = 0; i < LENGTHS; i++) {
        uint64_t seed = mix(mode, (uint64_t)(i + 50));
        MPI_Request request;
        MPI_Message message;
        MPI_Status status;
        int count;
        if (rank == from) {
            fill(out, (size_t)lengths[i], seed);
            start(mode, persistent, lengths[i], to, DATA, &request);
        }
        if (rank == to) {
            OK(MPI_Mprobe(from, DATA, MPI_COMM_WORLD, &message, &status));
            OK(MPI_Get_count(&status, MPI_BYTE, &count));
            CHECK_EQ(count, lengths[i]);
            if (from != to)
                OK(MPI_Send(NULL, 0, MPI_BYTE, from, WORD, MPI_COMM_WORLD));
        }
        if (rank == from) {
            if (from != to)
                OK(MPI_Recv(NULL, 0, MPI_BYTE, to, WORD, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            CHECK_EQ(cancelled(&request, persistent), 0);
            memset(out, 0xee, sizeof out);
            if (from != to)
                OK(MPI_Send(NULL, 0, MPI_BYTE, to, WORD, MPI_COMM_WORLD));
            if (persistent) {
                /* Its next round is another message. */
                OK(MPI_Start(&request));
                OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
                OK(MPI_Request_free(&request));
            }
        }
        if (rank == to) {
            if (from != to)
                OK(MPI_Recv(NULL, 0, MPI_BYTE, from, WORD, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            memset(in, 0, sizeof in);
            OK(MPI_Mrecv(in, LONGEST, MPI_BYTE, &message, &status));
            OK(MPI_Get_count(&status, MPI_BYTE, &count));
            CHECK_EQ(count, lengths[i]);
            fill(wanted, (size_t)lengths[i], seed);
            CHECK_BYTES(in, wanted, (size_t)lengths[i]);
            if (persistent) {
                memset(in, 0, sizeof in);
                OK(MPI_Recv(in, LONGEST, MPI_BYTE, from, DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
                memset(wanted, 0xee, sizeof wanted);
                CHECK_BYTES(in, wanted, (size_t)lengths[i]);
            }
        }
    }
}

/* The same with a datatype with gaps, with memory of MPI's, and with a receive that is too short. */
static void a_probe_has_taken_other_memory(int from, int to)
{
    enum { PAIRS = 5000 };
    int *memory;
    MPI_Datatype pairs;
    OK(MPI_Alloc_mem(2 * PAIRS * sizeof(int), MPI_INFO_NULL, &memory));
    OK(MPI_Type_vector(PAIRS, 1, 2, MPI_INT, &pairs));
    OK(MPI_Type_commit(&pairs));
    for (int way = 0; way < 3; way++) {
        MPI_Request request;
        MPI_Message message;
        MPI_Status status;
        int gaps = way == 0, room = way == 2 ? 77 : PAIRS;
        if (rank == from) {
            for (int i = 0; i < 2 * PAIRS; i++)
                memory[i] = 3 * i + way;
            OK(MPI_Issend(memory, gaps ? 1 : PAIRS, gaps ? pairs : MPI_INT, to, DATA, MPI_COMM_WORLD, &request));
            OK(MPI_Recv(NULL, 0, MPI_BYTE, to, WORD, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            CHECK_EQ(cancelled(&request, 0), 0);
            memset(memory, 0xee, 2 * PAIRS * sizeof(int));
            OK(MPI_Send(NULL, 0, MPI_BYTE, to, WORD, MPI_COMM_WORLD));
        } else if (rank == to) {
            OK(MPI_Mprobe(from, DATA, MPI_COMM_WORLD, &message, &status));
            OK(MPI_Send(NULL, 0, MPI_BYTE, from, WORD, MPI_COMM_WORLD));
            OK(MPI_Recv(NULL, 0, MPI_BYTE, from, WORD, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            memset(memory, 0, 2 * PAIRS * sizeof(int));
            CHECK_CLASS(MPI_Mrecv(memory, room, MPI_INT, &message, &status), way == 2 ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
            for (int i = 0; i < PAIRS; i++)
                CHECK_EQ(memory[i], i < room ? 3 * (gaps ? 2 * i : i) + way : 0);
        }
    }
    OK(MPI_Type_free(&pairs));
    OK(MPI_Free_mem(memory));
}

/* One process cancels what it sends to the others, while they receive, probe and take. What is not cancelled arrives, in
 * order and in whole; the last message to each tells what that is. */
enum { ROUNDS = 120 };

static void send_and_cancel(uint64_t *state, unsigned char *sent)
{
    for (int i = 0; i < ROUNDS; i++) {
        int to = (rank + 1 + (int)(draw(state) % (uint64_t)(size - 1))) % size;
        int length = lengths[1 + draw(state) % (LENGTHS - 1)];
        int wait = (int)(draw(state) % 3);
        MPI_Request request;
        int over = 0;
        fill(out, (size_t)length, mix((uint64_t)rank, (uint64_t)i));
        start(draw(state) % 2 ? STANDARD : SYNCHRONOUS, 0, length, to, i, &request);
        for (int turn = 0; turn < wait * 3 && !over; turn++)
            OK(MPI_Test(&request, &over, MPI_STATUS_IGNORE));
        sent[to * ROUNDS + i] = over || !cancelled(&request, 0) ? 1 : 0;
        if (!over)
            memset(out, 0xee, sizeof out);
    }
}

static int length_of(int from, int i, MPI_Status *status)
{
    int count;
    OK(MPI_Get_count(status, MPI_BYTE, &count));
    CHECK_EQ(status->MPI_SOURCE, from);
    CHECK_EQ(status->MPI_TAG, i);
    return count;
}

static void races(int from, uint64_t seed)
{
    static unsigned char sent[4 * ROUNDS], got[ROUNDS];
    uint64_t state = mix(seed, (uint64_t)rank) | 1;
    memset(sent, 0, sizeof sent);
    memset(got, 0, sizeof got);
    if (rank == from) {
        MPI_Request ends[4];
        send_and_cancel(&state, sent);
        for (int to = 0; to < size; to++) {
            ends[to] = MPI_REQUEST_NULL;
            if (to != from)
                OK(MPI_Issend(&sent[to * ROUNDS], ROUNDS, MPI_BYTE, to, ROUNDS, MPI_COMM_WORLD, &ends[to]));
        }
        OK(MPI_Waitall(size, ends, MPI_STATUSES_IGNORE));
        return;
    }
    for (int last = -1; last < ROUNDS;) {
        MPI_Status status;
        int tag, length, found;
        if (draw(&state) % 2) {
            OK(MPI_Recv(in, LONGEST, MPI_BYTE, from, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
        } else {
            MPI_Message message;
            int turns = (int)(draw(&state) % 4);
            /* What a probe finds may be cancelled yet, so nobody counts on receiving it. */
            OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, &status));
            OK(MPI_Mprobe(from, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status));
            for (; turns > 0; turns--)
                OK(MPI_Iprobe(0, DATA, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE));
            OK(MPI_Mrecv(in, LONGEST, MPI_BYTE, &message, &status));
        }
        tag = status.MPI_TAG;
        CHECK(tag > last);
        length = length_of(from, tag, &status);
        last = tag;
        if (tag == ROUNDS) {
            CHECK_EQ(length, ROUNDS);
            CHECK_BYTES(in, got, ROUNDS);
        } else {
            fill(wanted, (size_t)length, mix((uint64_t)from, (uint64_t)tag));
            CHECK_BYTES(in, wanted, (size_t)length);
            got[tag] = 1;
        }
    }
}

/* The same with receives that are posted before: one that meets a cancelled message waits on in its place. */
static void posted_receives(int from, int to)
{
    enum { POSTED = 40 };
    static unsigned char data[POSTED][100];
    MPI_Request requests[POSTED];
    if (rank == from) {
        for (int sent = 0, i = 0; sent < POSTED; i++) {
            MPI_Request request;
            int over = 0;
            fill(out, 100, (uint64_t)sent);
            start(SYNCHRONOUS, 0, 100, to, DATA, &request);
            if (i % 3 == 0) {
                OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
                over = 1;
            }
            sent += over || !cancelled(&request, 0);
        }
    } else if (rank == to) {
        for (int i = 0; i < POSTED; i++)
            OK(MPI_Irecv(data[i], 100, MPI_BYTE, i % 2 ? from : MPI_ANY_SOURCE, i % 3 ? DATA : MPI_ANY_TAG,
                         MPI_COMM_WORLD, &requests[i]));
        OK(MPI_Waitall(POSTED, requests, MPI_STATUSES_IGNORE));
        for (int i = 0; i < POSTED; i++) {
            fill(wanted, 100, (uint64_t)i);
            CHECK_BYTES(data[i], wanted, 100);
        }
    }
}

/* So many that they fill every ring, to another and to oneself; each other one is cancelled. */
static void many(int from, int to)
{
    enum { MANY = 3000 };
    static MPI_Request requests[MANY];
    static int numbers[MANY];
    MPI_Status status;
    int flag, gone;
    if (rank == from) {
        for (int i = 0; i < MANY; i++) {
            numbers[i] = i;
            OK(MPI_Issend(&numbers[i], 1, MPI_INT, to, DATA, MPI_COMM_WORLD, &requests[i]));
        }
        for (int i = 0; i < MANY; i += 2)
            CHECK_EQ(cancelled(&requests[i], 0), 1);
        OK(MPI_Iprobe(from, DATA, MPI_COMM_WORLD, &flag, &status));
        CHECK_EQ(flag, from == to);
        if (from != to)
            OK(MPI_Send(NULL, 0, MPI_BYTE, to, WORD, MPI_COMM_WORLD));
    }
    if (rank == to) {
        if (from != to)
            OK(MPI_Recv(NULL, 0, MPI_BYTE, from, WORD, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        for (int i = 1; i < MANY; i += 2) {
            int got = -1;
            OK(MPI_Recv(&got, 1, MPI_INT, from, DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            CHECK_EQ(got, i);
        }
    }
    if (rank == from) {
        OK(MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE));
        /* Cancelling what is over, and what was never there. */
        OK(MPI_Isend(&flag, 1, MPI_INT, MPI_PROC_NULL, DATA, MPI_COMM_WORLD, &requests[0]));
        gone = cancelled(&requests[0], 0);
        CHECK_EQ(gone, 0);
        CHECK_CLASS(MPI_Cancel(&requests[0]), MPI_ERR_REQUEST);
    }
    barrier();
}

/* Of what was cancelled nothing is left to find. */
static void a_flood_of_cancelled(int from, int to)
{
    if (rank == from)
        for (int i = 0; i < 20000; i++) {
            MPI_Request request;
            start(SYNCHRONOUS, 0, i % 50000, to, i % 7, &request);
            CHECK_EQ(cancelled(&request, 0), 1);
        }
    barrier();
    if (rank == to) {
        int flag;
        OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
        CHECK_EQ(flag, 0);
    }
    barrier();
}

int main(int argc, char **argv)
{
    static char buffer[4 * (LONGEST + MPI_BSEND_OVERHEAD)];
    void *detached;
    int length;
    check_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Buffer_attach(buffer, sizeof buffer));
    for (enum mode mode = STANDARD; mode < MODES; mode++)
        for (int persistent = 0; persistent < 2; persistent++) {
            if (mode != READY) {
                nobody_receives(0, size - 1, mode, persistent);
                nobody_receives(size - 1, size - 1, mode, persistent);
            }
            barrier();
            if (mode != READY) {
                a_probe_has_taken_it(0, size - 1, mode, persistent);
                if (!persistent)
                    a_probe_has_taken_it(size - 1, size - 1, mode, persistent);
                barrier();
            }
            somebody_has_received(size - 1, 0, mode, persistent);
        }
    for (int from = 0; from < size; from++) {
        for (uint64_t seed = 1; seed < 5; seed++)
            races(from, seed);
        posted_receives(from, (from + 1) % size);
        barrier();
    }
    a_probe_has_taken_other_memory(size - 1, 0);
    many(0, size - 1);
    many(0, 0);
    a_flood_of_cancelled(size - 1, 0);
    OK(MPI_Buffer_detach(&detached, &length));
    return check_end();
}
