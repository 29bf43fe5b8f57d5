/* ranks: 2; mpich: skip a communicator that is not there yet has no error handler */
/* MPI_THREAD_MULTIPLE: while a communicator is duplicated by and by, another thread sets the error handler of the duplicate, of which it has
 * the handle already, at any moment: before it is there, when it comes, and after. */
#include "check.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { ROUNDS = 2000, SETS = 60 };

static MPI_Comm duplicate;
static atomic_int begun, done;

static void *set_handlers(void *argument)
{
    for (int round = 1; round <= ROUNDS; round++) {
        while (begun < round)
            sched_yield();
        for (int i = 0; i < SETS; i++)
            OK(MPI_Comm_set_errhandler(duplicate, MPI_ERRORS_RETURN));
        done = round;
    }
    return argument;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    check_start_threads(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    CHECK_EQ(pthread_create(&thread, NULL, set_handlers, NULL), 0);
    for (int round = 1; round <= ROUNDS; round++) {
        MPI_Request request;
        MPI_Errhandler handler;
        OK(MPI_Comm_idup(MPI_COMM_WORLD, &duplicate, &request));
        begun = round;
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        while (done < round)
            sched_yield();
        OK(MPI_Comm_get_errhandler(duplicate, &handler));
        CHECK(handler == MPI_ERRORS_RETURN);
        OK(MPI_Comm_free(&duplicate));
    }
    CHECK_EQ(pthread_join(thread, NULL), 0);
    return check_end();
}
