/* ranks: 1 2; env: RMASHM_THREAD_LEVEL=multiple; mpich: skip it has no such variable */
/* A program that asks for no threads gets what mpiexec -thread-level says, and may then call from several. */
#include "check.h"

#include <pthread.h>

enum { ROUNDS = 20000 };

static void *serve(void *unused)
{
    int value = 0;
    (void)unused;
    for (int i = 0; i < ROUNDS; i++) {
        OK(MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_EQ(value, i);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t server;
    int level = -1, is_main = 0;
    check_start(&argc, &argv);
    OK(MPI_Query_thread(&level));
    CHECK_EQ(level, MPI_THREAD_MULTIPLE);
    OK(MPI_Is_thread_main(&is_main));
    CHECK(is_main);
    CHECK_EQ(pthread_create(&server, NULL, serve, NULL), 0);
    for (int i = 0; i < ROUNDS; i++)
        OK(MPI_Send(&i, 1, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD));
    CHECK_EQ(pthread_join(server, NULL), 0);
    return check_end();
}
