/* ranks: 1 2 4; launcher: mpiexec hydra; mpich: skip it never allows it */
/* Who may reach a rank's private memory: nobody until it is offered to others, then the descendants of the launcher, and
 * nobody after MPI_Finalize. */
#include "check.h"

#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int calls;
static unsigned long last;

/* In place of libc's: what the library asks for, where the kernel has Yama or not. */
int prctl(int option, ...)
{
    va_list list;
    unsigned long arguments[4];
    va_start(list, option);
    for (int i = 0; i < 4; i++)
        arguments[i] = va_arg(list, unsigned long);
    va_end(list);
    if (option == PR_SET_PTRACER) {
        calls++;
        last = arguments[0];
    }
    return (int)syscall(SYS_prctl, option, arguments[0], arguments[1], arguments[2], arguments[3]);
}

int main(int argc, char **argv)
{
    enum { MANY = 8 << 20 };
    char *out = calloc(MANY, 1), *in = calloc(MANY, 1);
    MPI_Win win;
    int local = 0, *shared, sum;
    /* The test runs without a wrapper. */
    unsigned long launcher = (unsigned long)getppid();
    check_start(&argc, &argv);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    int alone = size == 1;

    OK(MPI_Win_allocate(sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &win));
    OK(MPI_Win_fence(0, win));
    OK(MPI_Put(&local, 1, MPI_INT, next, 0, 1, MPI_INT, win));
    OK(MPI_Win_fence(0, win));
    OK(MPI_Win_free(&win));
    OK(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_free(&win));
    OK(MPI_Alloc_mem(sizeof(int), MPI_INFO_NULL, &shared));
    OK(MPI_Win_create(shared, sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_free(&win));
    OK(MPI_Free_mem(shared));
    OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    OK(MPI_Sendrecv(out, 100, MPI_CHAR, next, 0, in, 100, MPI_CHAR, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_EQ(calls, 0);

    if (rank % 2 == 0) {
        OK(MPI_Win_create(&local, sizeof local, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
        CHECK_EQ(calls, !alone);
    } else {
        OK(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
        CHECK_EQ(calls, 0);
    }
    OK(MPI_Win_free(&win));
    OK(MPI_Sendrecv(out, MANY, MPI_CHAR, next, 0, in, MANY, MPI_CHAR, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_free(&win));
    CHECK_EQ(calls, !alone);
    CHECK_EQ(last, alone ? 0 : launcher);

    OK(MPI_Finalize());
    CHECK_EQ(calls, 2 * !alone);
    CHECK_EQ(last, 0);
    free(out);
    free(in);
    return 0;
}
