/* ranks: 4; env: RMASHM_CHECK=off; mpich: skip it has other ports */
/* MPI_THREAD_MULTIPLE: threads of two processes, each for a group of its own, meet at one port at the same time; and ports are closed and
 * opened while others come to them by old names (MPI 4.1 sections 11.6, 11.9.2). Who has met has met one other group as a whole. */
#include "check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { ROUNDS = 150, LENGTH = 256, LEAST = 20 };

static char port[MPI_MAX_PORT_NAME];

/* Both groups know of each other how many they are, and which thread's. */
static void use(MPI_Comm inter, int local, int mark)
{
    int mine = -1, theirs = -1, here[3] = {local, mark, rank}, there[3] = {-1, -1, -1};
    OK(MPI_Comm_size(inter, &mine));
    OK(MPI_Comm_remote_size(inter, &theirs));
    CHECK_EQ(mine, local);
    int own;
    OK(MPI_Comm_rank(inter, &own));
    if (own == 0)
        OK(MPI_Sendrecv(here, 3, MPI_INT, 0, mark / 1000, there, 3, MPI_INT, 0, MPI_ANY_TAG, inter, MPI_STATUS_IGNORE));
    if (own == 0)
        CHECK_EQ(there[0], theirs);
}

struct part {
    MPI_Comm comm;
    int size, accepts, mark;
};

static void *meet(void *argument)
{
    struct part *part = argument;
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Comm inter;
        OK((part->accepts ? MPI_Comm_accept : MPI_Comm_connect)(port, MPI_INFO_NULL, 0, part->comm, &inter));
        use(inter, part->size, part->mark);
        OK(MPI_Comm_disconnect(&inter));
    }
    return NULL;
}

/* 0 and 1 accept, 2 and 3 connect: 0 and 2 have two threads, one for itself, and one for both. */
static void several_at_once(void)
{
    MPI_Comm pair;
    pthread_t thread;
    OK(MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pair));
    struct part both = {pair, 2, rank < 2, 0}, alone = {MPI_COMM_SELF, 1, rank < 2, 1};
    if (rank == 0)
        OK(MPI_Open_port(MPI_INFO_NULL, port));
    OK(MPI_Bcast(port, LENGTH, MPI_CHAR, 0, MPI_COMM_WORLD));
    if (rank % 2 == 0)
        CHECK_EQ(pthread_create(&thread, NULL, meet, &alone), 0);
    meet(&both);
    if (rank % 2 == 0)
        CHECK_EQ(pthread_join(thread, NULL), 0);
    barrier();
    if (rank == 0)
        OK(MPI_Close_port(port));
    OK(MPI_Comm_free(&pair));
}

static char names[2][LENGTH];
static atomic_int open_now; /* which of the names is that of the port that is open */
static atomic_int met, over;

static void *accept_some(void *argument)
{
    int *mark = argument;
    MPI_Comm own;
    OK(MPI_Comm_dup(MPI_COMM_SELF, &own));
    while (!over) {
        MPI_Comm inter;
        int code = MPI_Comm_accept(names[open_now], MPI_INFO_NULL, 0, own, &inter);
        if (code != MPI_SUCCESS) {
            CHECK_CLASS(code, MPI_ERR_PORT);
            continue;
        }
        use(inter, 1, *mark);
        OK(MPI_Comm_disconnect(&inter));
        met++;
    }
    OK(MPI_Comm_free(&own));
    return NULL;
}

/* Tells all callers the name, or that it is over. */
static void tell(const char *name)
{
    for (int to = 1; to < size; to++)
        OK(MPI_Send(name, LENGTH, MPI_CHAR, to, 5, MPI_COMM_WORLD));
}

/* Rank 0 closes its port and opens another while its thread accepts; the others connect by the last name that they have heard. */
static void closed_and_opened(void)
{
    if (rank == 0) {
        pthread_t threads[2];
        int marks[2] = {0, 1};
        char name[MPI_MAX_PORT_NAME] = "";
        OK(MPI_Open_port(MPI_INFO_NULL, name));
        memcpy(names[0], name, LENGTH);
        for (int t = 0; t < 2; t++)
            CHECK_EQ(pthread_create(&threads[t], NULL, accept_some, &marks[t]), 0);
        uint64_t state = 7;
        for (int round = 0; round < ROUNDS || met < LEAST; round++) {
            int now = open_now;
            tell(names[now]);
            /* In the middle of something, or after the others have had a core. */
            if (round % 2)
                usleep((unsigned)(draw(&state) % 2000));
            for (volatile int i = (int)(draw(&state) % 20000); i > 0; i--)
                ;
            OK(MPI_Close_port(names[now]));
            /* The same place, mostly. */
            OK(MPI_Open_port(MPI_INFO_NULL, name));
            memcpy(names[!now], name, LENGTH);
            open_now = !now;
            for (int from = 1; from < size; from++)
                OK(MPI_Recv(NULL, 0, MPI_INT, from, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        }
        over = 1;
        /* Those that accept yet are told. */
        OK(MPI_Close_port(names[open_now]));
        for (int t = 0; t < 2; t++)
            CHECK_EQ(pthread_join(threads[t], NULL), 0);
        tell("");
    } else {
        MPI_Info info;
        OK(MPI_Info_create(&info));
        OK(MPI_Info_set(info, "timeout", "0.002"));
        for (;;) {
            MPI_Comm inter;
            char name[LENGTH];
            OK(MPI_Recv(name, LENGTH, MPI_CHAR, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            if (!*name)
                break;
            int code = MPI_Comm_connect(name, info, 0, MPI_COMM_SELF, &inter);
            if (code == MPI_SUCCESS) {
                use(inter, 1, 0);
                OK(MPI_Comm_disconnect(&inter));
            } else {
                CHECK_CLASS(code, MPI_ERR_PORT);
            }
            OK(MPI_Send(NULL, 0, MPI_INT, 0, 6, MPI_COMM_WORLD));
        }
        OK(MPI_Info_free(&info));
    }
}

int main(int argc, char **argv)
{
    check_start_threads(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    several_at_once();
    closed_and_opened();
    return check_end();
}
