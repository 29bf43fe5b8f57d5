/* ranks: 1 2 4 8 */
/* MPI_Init_thread, and what tells how MPI was initialized. */
#include "check.h"
#include <pthread.h>

static void *from_another_thread(void *flag)
{
    CHECK(MPI_Is_thread_main((int *) flag) == MPI_SUCCESS);
    return NULL;
}

int main(void)
{
    int flag = -1, provided = -1, rank = -1, size = -1;
    pthread_t thread;

    CHECK(MPI_Initialized(&flag) == MPI_SUCCESS && flag == 0);
    CHECK(MPI_Finalized(&flag) == MPI_SUCCESS && flag == 0);
    CHECK(MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided) == MPI_SUCCESS);
    CHECK(provided == MPI_THREAD_MULTIPLE);
    CHECK(MPI_Initialized(&flag) == MPI_SUCCESS && flag == 1);
    CHECK(MPI_Finalized(&flag) == MPI_SUCCESS && flag == 0);
    provided = -1;
    CHECK(MPI_Query_thread(&provided) == MPI_SUCCESS && provided == MPI_THREAD_MULTIPLE);
    CHECK(MPI_Is_thread_main(&flag) == MPI_SUCCESS && flag == 1);
    CHECK(pthread_create(&thread, NULL, from_another_thread, &flag) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(flag == 0);

    CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS);
    CHECK(MPI_Comm_size(MPI_COMM_WORLD, &size) == MPI_SUCCESS);
    CHECK(size >= 1 && rank >= 0 && rank < size);
    CHECK(MPI_Comm_rank(MPI_COMM_SELF, &rank) == MPI_SUCCESS && rank == 0);
    CHECK(MPI_Comm_size(MPI_COMM_SELF, &size) == MPI_SUCCESS && size == 1);

#ifdef RMASHM
    /* A second initialization is an error of the library, not of the program's logic alone. */
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    CHECK_CLASS(MPI_Init(NULL, NULL), MPI_ERR_OTHER);
    CHECK_CLASS(MPI_Init_thread(NULL, NULL, 17, &provided), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Query_thread(NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Is_thread_main(NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Initialized(NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Finalized(NULL), MPI_ERR_ARG);
#endif

    CHECK(MPI_Finalize() == MPI_SUCCESS);
    CHECK(MPI_Initialized(&flag) == MPI_SUCCESS && flag == 1);
    CHECK(MPI_Finalized(&flag) == MPI_SUCCESS && flag == 1);
    return 0;
}
