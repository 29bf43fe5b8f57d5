/* ranks: 2; name: return; env: RMASHM_INITIAL_ERRHANDLER=mpi_errors_return; args: return; mpich: skip it has no such option; wrong: it calls before MPI is initialized, to see what handler there is */
/* ranks: 2; name: abort; env: RMASHM_INITIAL_ERRHANDLER=mpi_errors_abort; args: abort; expect-exit: nonzero; expect-stderr: MPI_ERRORS_ABORT; mpich: skip it has no such option */
/* ranks: 2; name: fatal; env: RMASHM_INITIAL_ERRHANDLER=mpi_errors_are_fatal; args: fatal; expect-exit: nonzero; expect-stderr: MPI_ERRORS_ARE_FATAL; mpich: skip it has no such option */

/* The initial error handler that the launcher was asked for (MPI 4.1 §9.3, §11.8.4): of the predefined communicators, of what
 * is made from them, and of calls while MPI is not initialized. */

#include "check.h"

static int class_of(int code)
{
    int class = -1;

    MPI_Error_class(code, &class);
    return class;
}

static void has(MPI_Comm comm, MPI_Errhandler wanted)
{
    MPI_Errhandler handler;

    CHECK(MPI_Comm_get_errhandler(comm, &handler) == MPI_SUCCESS);
    CHECK(handler == wanted);
}

int main(int argc, char **argv)
{
    const char *what = argv[argc - 1];
    char name[MPI_MAX_INFO_VAL + 1], expected[64];
    int returns = strcmp(what, "return") == 0, flag = 0, seen;
    MPI_Errhandler wanted = returns ? MPI_ERRORS_RETURN
                            : strcmp(what, "abort") == 0 ? MPI_ERRORS_ABORT
                                                         : MPI_ERRORS_ARE_FATAL;
    MPI_Comm dup;
    MPI_Win win;
    void *memory;

    if (returns)
        CHECK(class_of(MPI_Comm_rank(MPI_COMM_WORLD, &seen)) == MPI_ERR_OTHER);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    has(MPI_COMM_WORLD, wanted);
    has(MPI_COMM_SELF, wanted);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    has(dup, wanted);
    MPI_Comm_free(&dup);
    snprintf(expected, sizeof expected, "mpi_errors_%s", strcmp(what, "fatal") == 0 ? "are_fatal" : what);
    MPI_Info_get(MPI_INFO_ENV, "mpi_initial_errhandler", MPI_MAX_INFO_VAL, name, &flag);
    CHECK(flag && strcmp(name, expected) == 0);
    MPI_Barrier(MPI_COMM_WORLD);

    seen = MPI_Send(&seen, 1, MPI_INT, size, 0, MPI_COMM_WORLD);
    CHECK(class_of(seen) == MPI_ERR_RANK);
    seen = MPI_Type_commit(NULL);
    CHECK(class_of(seen) == MPI_ERR_ARG);
    /* Windows begin with the fatal handler, whatever the others have. */
    MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_get_errhandler(win, &wanted);
    CHECK(wanted == MPI_ERRORS_ARE_FATAL);
    MPI_Win_free(&win);
    MPI_Finalize();
    CHECK(class_of(MPI_Comm_rank(MPI_COMM_WORLD, &seen)) == MPI_ERR_OTHER);
    return 0;
}
