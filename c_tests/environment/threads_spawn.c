/* ranks: 2; args: 40; env: RMASHM_CHECK=off; mpich: skip its launcher starts no processes for several threads */
/* MPI_THREAD_MULTIPLE: threads of several processes start processes at the same time, some of which cannot be started, over and over: each
 * gets its own, which know whose they are (MPI 4.1 sections 11.6, 11.8.2). */
#include "check.h"

#include <pthread.h>
#include <unistd.h>

enum { THREADS = 3 };

static char *program;
static int rounds;

static void child(MPI_Comm parent, const char *wanted)
{
    int number = -1, others;
    OK(MPI_Comm_remote_size(parent, &others));
    CHECK_EQ(others, 1);
    OK(MPI_Recv(&number, 1, MPI_INT, 0, 1, parent, MPI_STATUS_IGNORE));
    CHECK_EQ(number, atoi(wanted));
    OK(MPI_Send(&number, 1, MPI_INT, 0, 2, parent));
    OK(MPI_Comm_disconnect(&parent));
}

static void *work(void *argument)
{
    int thread = (int)(intptr_t)argument;
    MPI_Comm own, inter;
    OK(MPI_Comm_dup(MPI_COMM_SELF, &own));
    for (int round = 0; round < rounds; round++) {
        int number = 1000 * rank + 100 * thread + round, count = 1 + (thread + round) % 2, codes[2] = {-1, -1}, there;
        char text[20];
        char *words[] = {"child", text, NULL};
        snprintf(text, sizeof text, "%d", number);
        if (round % 3 == 2) {
            CHECK_CLASS(MPI_Comm_spawn("/no/such/program", words, count, MPI_INFO_NULL, 0, own, &inter, codes), MPI_ERR_SPAWN);
            continue;
        }
        OK(MPI_Comm_spawn(program, words, count, MPI_INFO_NULL, 0, own, &inter, codes));
        for (int i = 0; i < count; i++)
            CHECK_EQ(codes[i], MPI_SUCCESS);
        OK(MPI_Comm_remote_size(inter, &there));
        CHECK_EQ(there, count);
        for (int i = 0; i < count; i++)
            OK(MPI_Send(&number, 1, MPI_INT, i, 1, inter));
        for (int i = 0; i < count; i++) {
            int back = -1;
            OK(MPI_Recv(&back, 1, MPI_INT, i, 2, inter, MPI_STATUS_IGNORE));
            CHECK_EQ(back, number);
        }
        OK(MPI_Comm_disconnect(&inter));
    }
    OK(MPI_Comm_free(&own));
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    MPI_Comm parent;
    check_start_threads(&argc, &argv);
    program = argv[0];
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Comm_get_parent(&parent));
    if (parent != MPI_COMM_NULL) {
        child(parent, argv[2]);
        return check_end();
    }
    rounds = atoi(argv[1]);
    for (intptr_t t = 0; t < THREADS; t++)
        CHECK_EQ(pthread_create(&threads[t], NULL, work, (void *)t), 0);
    for (int t = 0; t < THREADS; t++)
        CHECK_EQ(pthread_join(threads[t], NULL), 0);
    return check_end();
}
