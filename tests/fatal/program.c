/* Does the wrong thing that its argument names. Exits with 0 if nobody minds. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
    const char *wrong = argc > 1 ? argv[1] : "";
    int number = 0, rank = 0;
    if (strcmp(wrong, "early") == 0)
        MPI_Comm_size(MPI_COMM_WORLD, &number);
    if (strcmp(wrong, "finalize-only") == 0)
        MPI_Finalize();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(wrong, "twice") == 0)
        MPI_Init(&argc, &argv);
    if (strcmp(wrong, "fatal") == 0 && rank == 0)
        MPI_Comm_set_name(MPI_COMM_WORLD, NULL);
    if (strcmp(wrong, "no-object") == 0 && rank == 0)
        MPI_Group_size(MPI_GROUP_NULL, &number);
    if (strcmp(wrong, "errors-abort") == 0 && rank == 0) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ABORT);
        MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_TRUNCATE);
    }
    if (strcmp(wrong, "abort") == 0 && rank == 0)
        MPI_Abort(MPI_COMM_WORLD, 7);
    if (strcmp(wrong, "abort-zero") == 0 && rank == 0)
        MPI_Abort(MPI_COMM_SELF, 256);
    MPI_Finalize();
    if (strcmp(wrong, "late") == 0)
        MPI_Comm_size(MPI_COMM_WORLD, &number);
    if (strcmp(wrong, "again") == 0)
        MPI_Init(&argc, &argv);
    return 0;
}
