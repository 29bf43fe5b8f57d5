/* ranks: 2 4; mpich: skip it cancels no sends, and waits for them for ever */
/* A wait for a cancelled send is local (MPI 4.1 section 3.8.4), also when a receive has taken the message and the answer cannot
 * come through MPI: the receiver has sent so much that the way back is full, and does not call MPI again before the sender
 * has waited. */
#include "refuse_calls.h"
#include <sched.h>

enum { LONGEST = 1 << 20, FLOOD = 600, EACH = 1000, DATA = 1, OTHER = 2 };
enum { SENT = 1, TAKEN, WAITED };

static unsigned char *in, *wanted, flood[FLOOD][EACH];
static int *stage;

/* What the processes tell each other goes past MPI. */
static void tell(int what)
{
    __atomic_store_n(stage, what, __ATOMIC_RELEASE);
}

static void hear(int what)
{
    while (__atomic_load_n(stage, __ATOMIC_ACQUIRE) != what)
        sched_yield();
}

/* What is sent, its MPI_BYTEs, and whether the receive is over before the sender cancels. */
struct message {
    unsigned char *out;
    int length;
    MPI_Datatype type;
    int bytes;
    int synchronous, is_over;
};

static void cancel_what_was_taken(const struct message *message)
{
    MPI_Request request;
    MPI_Status status;
    int cancelled = -1;
    OK((message->synchronous ? MPI_Issend : MPI_Isend)(message->out, message->length, message->type, 1, DATA, MPI_COMM_WORLD,
                                                       &request));
    tell(SENT);
    hear(TAKEN);
    OK(MPI_Cancel(&request));
    OK(MPI_Wait(&request, &status));
    OK(MPI_Test_cancelled(&status, &cancelled));
    CHECK_EQ(cancelled, 0);
    memset(message->out, 0xee, LONGEST);
    tell(WAITED);
    for (int i = 0; i < FLOOD; i++) {
        unsigned char byte[EACH];
        OK(MPI_Recv(byte, EACH, MPI_BYTE, 1, OTHER, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_EQ(byte[EACH - 1], i % 251);
    }
}

static void take_and_be_silent(const struct message *message)
{
    MPI_Request others[FLOOD], request;
    MPI_Status status;
    int over = 0, count;
    memset(in, 0, LONGEST);
    hear(SENT);
    for (int i = 0; i < FLOOD; i++) {
        memset(flood[i], i % 251, EACH);
        OK(MPI_Isend(flood[i], EACH, MPI_BYTE, 0, OTHER, MPI_COMM_WORLD, &others[i]));
    }
    /* It could come to no end by itself only where the sender has to make a copy first. */
    OK(MPI_Irecv(in, LONGEST, MPI_BYTE, 0, DATA, MPI_COMM_WORLD, &request));
    for (int turn = 0; message->is_over ? !over : turn < 5; turn++)
        OK(MPI_Request_get_status(request, &over, &status));
    CHECK_EQ(over, message->is_over);
    tell(TAKEN);
    hear(WAITED);
    OK(MPI_Wait(&request, &status));
    OK(MPI_Get_count(&status, MPI_BYTE, &count));
    CHECK_EQ(count, message->bytes);
    CHECK_BYTES(in, wanted, (size_t)count);
    OK(MPI_Waitall(FLOOD, others, MPI_STATUSES_IGNORE));
}

static void try(struct message message)
{
    barrier();
    if (rank == 0)
        cancel_what_was_taken(&message);
    else if (rank == 1)
        take_and_be_silent(&message);
    barrier();
    tell(0);
    barrier();
}

int main(int argc, char **argv)
{
    MPI_Datatype pairs;
    MPI_Win win;
    unsigned char *private, *shared;
    check_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Win_allocate_shared(rank == 0 ? sizeof(int) : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &stage, &win));
    if (rank != 0) {
        MPI_Aint length;
        int unit;
        OK(MPI_Win_shared_query(win, 0, &length, &unit, &stage));
    }
    tell(0);
    OK(MPI_Type_vector(LONGEST / 16, 8, 16, MPI_BYTE, &pairs));
    OK(MPI_Type_commit(&pairs));
    OK(MPI_Alloc_mem(LONGEST, MPI_INFO_NULL, &shared));
    private = malloc(LONGEST);
    in = malloc(LONGEST);
    wanted = malloc(LONGEST);

    fill(wanted, LONGEST, 5);
    for (int synchronous = 0; synchronous < 2; synchronous++)
        for (int length = synchronous ? 0 : 1 << 16; length <= LONGEST; length += 1 << 18) {
            fill(private, LONGEST, 5);
            try((struct message){private, length, MPI_BYTE, length, synchronous, 1});
            fill(shared, LONGEST, 5);
            try((struct message){shared, length, MPI_BYTE, length, synchronous, 1});
        }
    fill(private, LONGEST, 5);
    for (int i = 0; i < LONGEST / 2; i++)
        wanted[i] = private[i / 8 * 16 + i % 8];
    try((struct message){private, 1, pairs, LONGEST / 2, 0, 1});

    /* The receiver may not read the sender's memory any more. The sender finds out by this, so there is one such message. */
    if (rank == 1)
        refuse_copies();
    fill(private, LONGEST, 5);
    fill(wanted, LONGEST, 5);
    try((struct message){private, LONGEST, MPI_BYTE, LONGEST, 0, 0});
    fill(private, LONGEST, 5);
    try((struct message){private, LONGEST, MPI_BYTE, LONGEST, 0, 1});

    free(private);
    free(in);
    free(wanted);
    OK(MPI_Free_mem(shared));
    OK(MPI_Type_free(&pairs));
    OK(MPI_Win_free(&win));
    return check_end();
}
