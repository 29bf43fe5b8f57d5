/* Error handlers of windows: set, got, called, inherited (MPI 4.1 section 9.3.2). */
#include "check.h"

static int calls;
static MPI_Win called_on = MPI_WIN_NULL;
static int called_with;

static void handler(MPI_Win *win, int *code, ...)
{
    calls++;
    called_on = *win;
    called_with = *code;
}

int main(int argc, char **argv)
{
    MPI_Win win, other;
    int base = 0, class, code;
    MPI_Errhandler mine, is;
    check_start(&argc, &argv);
    OK(MPI_Win_create(&base, sizeof base, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_create(&base, sizeof base, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &other));

    /* A window begins with MPI_ERRORS_ARE_FATAL, whatever its communicator has. */
    OK(MPI_Win_get_errhandler(win, &is));
    CHECK(is == MPI_ERRORS_ARE_FATAL);
    OK(MPI_Errhandler_free(&is));
    CHECK(is == MPI_ERRHANDLER_NULL);

    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    OK(MPI_Win_get_errhandler(win, &is));
    CHECK(is == MPI_ERRORS_RETURN);
    OK(MPI_Errhandler_free(&is));
    code = MPI_Win_unlock(0, win);
    CHECK_CLASS(code, MPI_ERR_RMA_SYNC);

    OK(MPI_Win_create_errhandler(handler, &mine));
    OK(MPI_Win_set_errhandler(win, mine));
    OK(MPI_Win_get_errhandler(win, &is));
    CHECK(is == mine);
    OK(MPI_Errhandler_free(&is));
    OK(MPI_Errhandler_free(&mine)); /* the window still has it */
    code = MPI_Win_lock(-7, 0, 0, win);
    CHECK_EQ(calls, 1);
    CHECK(called_on == win);
    OK(MPI_Error_class(called_with, &class));
#ifdef RMASHM /* MPICH says MPI_ERR_ARG, and returns success */
    CHECK_EQ(called_with, code);
    CHECK_EQ(class, MPI_ERR_LOCKTYPE);
#else
    CHECK(class != MPI_SUCCESS);
    (void)code;
#endif

    OK(MPI_Win_call_errhandler(win, MPI_ERR_OTHER));
    CHECK_EQ(calls, 2);
    CHECK_EQ(called_with, MPI_ERR_OTHER);

    /* The other window has still its own. */
    OK(MPI_Win_get_errhandler(other, &is));
    CHECK(is == MPI_ERRORS_ARE_FATAL);
    OK(MPI_Win_free(&other));
    OK(MPI_Win_free(&win));

    /* A wrong window handle goes to the handler of MPI_COMM_WORLD (or, as MPI 4.1 says, of MPI_COMM_SELF). */
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    CHECK_CLASS(MPI_Win_unlock(0, MPI_WIN_NULL), MPI_ERR_WIN);
    CHECK_CLASS(MPI_Win_fence(0, MPI_WIN_NULL), MPI_ERR_WIN);
    CHECK_EQ(calls, 2);
    return check_end();
}
