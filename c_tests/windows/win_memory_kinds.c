/* mpich: skip 4.0 does not know memory allocation kinds */
/* Memory allocation kinds of windows (MPI 4.1 section 12.4.3): the world's, unless the program restricts itself; an
 * assertion comes back as it was given, or is ignored as a whole; a malformed one is an error on all ranks. */
#include "check.h"

static const char *value(MPI_Info info, const char *key)
{
    static char text[MPI_MAX_INFO_VAL + 1];
    int length = sizeof text, found = 0;
    text[0] = 0;
    OK(MPI_Info_get_string(info, key, &length, text, &found));
    return found ? text : "(not set)";
}

static int make(const char *asserted, MPI_Win *win)
{
    MPI_Info info;
    int *base;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "mpi_assert_memory_alloc_kinds", asserted));
    int code = MPI_Win_allocate(64, 1, info, MPI_COMM_WORLD, &base, win);
    OK(MPI_Info_free(&info));
    return code;
}

/* Makes a window with the assertion and compares what it says of itself. */
static void expect(const char *asserted, const char *kinds, const char *assertion)
{
    MPI_Win win;
    MPI_Info info;
    OK(make(asserted, &win));
    OK(MPI_Win_get_info(win, &info));
    CHECK(strcmp(value(info, "mpi_memory_alloc_kinds"), kinds) == 0);
    CHECK(strcmp(value(info, "mpi_assert_memory_alloc_kinds"), assertion) == 0);
    OK(MPI_Info_free(&info));
    OK(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    char world[MPI_MAX_INFO_VAL + 1];
    strcpy(world, value(MPI_INFO_ENV, "mpi_memory_alloc_kinds"));
    CHECK(strstr(world, "system") != NULL);
    CHECK(strstr(world, "mpi") != NULL);

    expect("mpi:win_allocate,system", "mpi:win_allocate,system", "mpi:win_allocate,system");
    expect("system,gpu:device", world, "(not set)");
    expect("mpi:no_such_restrictor", world, "(not set)");

    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    MPI_Win win = MPI_WIN_NULL;
    CHECK_CLASS(make("system,,mpi", &win), MPI_ERR_INFO_VALUE);
    CHECK_CLASS(make(rank == size - 1 ? "mpi:" : "mpi", &win), MPI_ERR_INFO_VALUE);
    CHECK(win == MPI_WIN_NULL);
    return check_end();
}
