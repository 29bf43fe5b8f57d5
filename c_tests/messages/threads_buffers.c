/* ranks: 2 */
/* MPI_THREAD_MULTIPLE: one thread sends from a buffer that another attaches and detaches over and over (MPI 4.1 section 3.6). A send either
 * finds the buffer, and its message arrives as it was sent, or it does not, which it is told; a detach waits for those it has found. */
#include "check.h"

#include <pthread.h>
#include <stdatomic.h>

enum { LENGTH = 50000, MESSAGES = 6000 };

static char buffer[4 * (4 * LENGTH + MPI_BSEND_OVERHEAD)];
static atomic_int over;

static void *attach_and_detach(void *argument)
{
    while (!over) {
        void *address = NULL;
        int length = 0;
        OK(MPI_Buffer_attach(buffer, sizeof buffer));
        OK(MPI_Buffer_detach(&address, &length));
        CHECK(address == buffer);
        CHECK_EQ(length, sizeof buffer);
    }
    return argument;
}

static void count_up(int *data, int number)
{
    for (int i = 0; i < LENGTH; i++)
        data[i] = number * 31 + i;
}

int main(int argc, char **argv)
{
    static int data[LENGTH], wanted[LENGTH];
    check_start_threads(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    if (rank == 0) {
        pthread_t thread;
        CHECK_EQ(pthread_create(&thread, NULL, attach_and_detach, NULL), 0);
        for (int number = 0; number < MESSAGES;) {
            count_up(data, number);
            int code = MPI_Bsend(data, LENGTH, MPI_INT, 1, 1, MPI_COMM_WORLD);
            if (code == MPI_SUCCESS)
                number++;
            else
                CHECK_CLASS(code, MPI_ERR_BUFFER);
        }
        over = 1;
        CHECK_EQ(pthread_join(thread, NULL), 0);
        /* The buffer that was there is there no more, and another one can be attached. */
        CHECK_CLASS(MPI_Bsend(data, LENGTH, MPI_INT, 1, 1, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    } else {
        for (int number = 0; number < MESSAGES; number++) {
            memset(data, 0, sizeof data);
            OK(MPI_Recv(data, LENGTH, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            count_up(wanted, number);
            CHECK_BYTES(data, wanted, sizeof data);
        }
    }
    return check_end();
}
