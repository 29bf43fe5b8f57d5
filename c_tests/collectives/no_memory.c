/* ranks: 3 4; mpich: skip it ends the process */
/* A rank that has no memory for its part of a collective operation gets an error, and leaves nobody waiting. */
#include "check.h"
#include <sys/resource.h>

enum { LACKS = 1, COUNT = 12 << 20 };

/* No more memory than there is. */
static void limit(void)
{
    struct rlimit space = {1 << 20, 1 << 20};
    CHECK_EQ(setrlimit(RLIMIT_AS, &space), 0);
}

int main(int argc, char **argv)
{
    int code, class, sum = 0;
    MPI_Request request;
    check_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    int *given = calloc(COUNT, sizeof(int)), *got = calloc(COUNT, sizeof(int));
    CHECK(given != NULL && got != NULL);
    barrier();
    if (rank == LACKS)
        limit();
    code = MPI_Ireduce(given, got, COUNT, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD, &request);
    if (code == MPI_SUCCESS)
        code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    OK(MPI_Error_class(code, &class));
    if (rank == LACKS)
        CHECK_EQ(class, MPI_ERR_NO_MEM);
    if (rank == 0)
        CHECK(class != MPI_SUCCESS);
    /* And goes on. */
    OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_EQ(sum, size * (size - 1) / 2);
    free(given);
    free(got);
    return check_end();
}
