/* ranks: 3 4 9; expect-exit: 137; expect-stderr: was killed by signal 9; mpich: skip a death ends the job */
/* A process is killed in a collective operation that it has begun. Another one finds that what the dead offered is not there, and tells
 * the others by sending them nothing: for those, too, it is the death. */
#include "death.h"

enum { EACH = 1 << 16 };

static int given[EACH];

int main(int argc, char **argv)
{
    int *parts, none, code;
    MPI_Request request;
    death_start(&argc, &argv);
    parts = calloc((size_t)size * EACH, sizeof *parts);
    CHECK(parts != NULL);
    together();
    if (rank == VICTIM) {
        OK(MPI_Iallgather(given, EACH, MPI_INT, parts, EACH, MPI_INT, all, &request));
        die();
    }
    await_death();
    /* Rank 0 begins when all others have: it finds what they say of it before it finds it itself. */
    for (int i = 2; rank == 0 && i < size; i++)
        OK(MPI_Recv(&none, 1, MPI_INT, i, 11, all, MPI_STATUS_IGNORE));
    code = MPI_Iallgather(given, EACH, MPI_INT, parts, EACH, MPI_INT, all, &request);
    if (rank > 1)
        OK(MPI_Send(&rank, 1, MPI_INT, 0, 11, all));
    if (code == MPI_SUCCESS)
        code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK_CLASS(code, MPIX_ERR_PROC_FAILED);
    free(parts);
    return check_end();
}
