/* ranks: 1 2 4 8; mpich: skip it returns success after a handler of the program's own */
/* Error handlers: predefined, of the user's functions, shared, inherited, freed while in use, failing themselves, left by
 * longjmp. */
#include "check.h"
#include <setjmp.h>

static int calls, last_class;
static MPI_Comm last_comm;

static void on_comm(MPI_Comm *comm, int *code, ...)
{
    calls++;
    last_comm = *comm;
    MPI_Error_class(*code, &last_class);
}

static void on_file(MPI_File *file, int *code, ...)
{
    (void)file;
    calls += 100;
    MPI_Error_class(*code, &last_class);
}

static void on_win(MPI_Win *win, int *code, ...)
{
    (void)win, (void)code;
    calls += 10000;
}

/* Makes an error on comm, and tells its code. */
static int fail(MPI_Comm comm)
{
    int length = -1;
    return MPI_Comm_get_name(comm, NULL, &length);
}

static void predefined(void)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    OK(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler));
    CHECK(handler == MPI_ERRORS_ARE_FATAL);
    OK(MPI_Errhandler_free(&handler));
    CHECK(handler == MPI_ERRHANDLER_NULL);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
#ifdef RMASHM
    /* Programs of MPI 3.1 and older set this one alone, and mean errors that concern no object too. */
    int number;
    CHECK_CLASS(MPI_Group_size(MPI_GROUP_NULL, &number), MPI_ERR_GROUP);
#endif
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler));
    CHECK(handler == MPI_ERRORS_RETURN);
    CHECK_CLASS(fail(MPI_COMM_WORLD), MPI_ERR_ARG);
}

static void of_the_user(void)
{
    MPI_Errhandler handler, got;
    MPI_Comm dup, of_dup;
    int code;
    OK(MPI_Comm_create_errhandler(on_comm, &handler));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    OK(MPI_Comm_set_errhandler(dup, handler));
    OK(MPI_Comm_get_errhandler(dup, &got));
    CHECK(got == handler);
    OK(MPI_Errhandler_free(&got));
    /* The communicator keeps it. */
    got = handler;
    OK(MPI_Errhandler_free(&handler));
    CHECK(handler == MPI_ERRHANDLER_NULL);
    code = fail(dup);
    CHECK(calls == 1 && last_comm == dup && last_class == MPI_ERR_ARG);
    CHECK_CLASS(code, MPI_ERR_ARG);
    /* A duplicate has it too. */
    OK(MPI_Comm_dup(dup, &of_dup));
    OK(MPI_Comm_free(&dup));
    CHECK_CLASS(fail(of_dup), MPI_ERR_ARG);
    CHECK(calls == 2 && last_comm == of_dup);
    OK(MPI_Comm_call_errhandler(of_dup, MPI_ERR_TRUNCATE));
    CHECK(calls == 3 && last_class == MPI_ERR_TRUNCATE);
    /* Another one in its place: the first is not called any more. */
    OK(MPI_Comm_get_errhandler(of_dup, &handler));
    CHECK(handler == got);
    OK(MPI_Comm_set_errhandler(of_dup, MPI_ERRORS_RETURN));
    CHECK_CLASS(fail(of_dup), MPI_ERR_ARG);
    OK(MPI_Comm_call_errhandler(of_dup, MPI_ERR_TRUNCATE));
    CHECK_EQ(calls, 3);
    OK(MPI_Comm_set_errhandler(of_dup, handler));
    OK(MPI_Errhandler_free(&handler));
    OK(MPI_Comm_free(&of_dup));
}

static int inner_fails;

static void on_comm_failing(MPI_Comm *comm, int *code, ...)
{
    calls++;
    for (int i = 0; i < 3; i++) {
        int inner = fail(*comm), class = -1;
        MPI_Error_class(inner, &class);
        inner_fails += class == MPI_ERR_ARG;
    }
    MPI_Comm_call_errhandler(*comm, MPI_ERR_TRUNCATE);
    MPI_Error_class(*code, &last_class);
}

/* Every call of a handler fails, again and again: it comes to an end, each call has its error, and the next is as the first. */
static void failing_itself(void)
{
    MPI_Errhandler handler;
    MPI_Comm dup;
    int before = 0;
    OK(MPI_Comm_create_errhandler(on_comm_failing, &handler));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    OK(MPI_Comm_set_errhandler(dup, handler));
    for (int i = 0; i < 3; i++) {
        calls = inner_fails = 0;
        CHECK_CLASS(fail(dup), MPI_ERR_ARG);
        CHECK_EQ(last_class, MPI_ERR_ARG);
        CHECK_EQ(inner_fails, 3 * calls);
        CHECK(calls > 1 && (i == 0 || calls == before));
        before = calls;
    }
    OK(MPI_Errhandler_free(&handler));
    OK(MPI_Comm_free(&dup));
}

static jmp_buf out;

static void on_comm_leaving(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    calls++;
    longjmp(out, 1);
}

/* From deeper and deeper on the stack, and from less deep again. */
static void fail_deep(MPI_Comm comm, int depth)
{
    volatile char room[64];
    room[0] = (char)depth;
    if (depth > 0)
        fail_deep(comm, depth - room[0] / depth);
    else
        fail(comm);
}

/* A handler that never returns is called for every error all the same. */
static void left_by_a_jump(void)
{
    MPI_Errhandler handler;
    MPI_Comm dup;
    volatile int i;
    OK(MPI_Comm_create_errhandler(on_comm_leaving, &handler));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    OK(MPI_Comm_set_errhandler(dup, handler));
    calls = 0;
    for (i = 0; i < 100; i++)
        if (setjmp(out) == 0) {
            fail_deep(dup, i % 5);
            CHECK(0);
        }
    CHECK_EQ(calls, 100);
    OK(MPI_Errhandler_free(&handler));
    OK(MPI_Comm_free(&dup));
}

static void of_files(void)
{
    MPI_Errhandler handler, got;
    calls = 0;
    OK(MPI_File_get_errhandler(MPI_FILE_NULL, &got));
    CHECK(got == MPI_ERRORS_RETURN);
    OK(MPI_File_create_errhandler(on_file, &handler));
    OK(MPI_File_set_errhandler(MPI_FILE_NULL, handler));
    OK(MPI_Errhandler_free(&handler));
    OK(MPI_File_call_errhandler(MPI_FILE_NULL, MPI_ERR_IO));
    CHECK(calls == 100 && last_class == MPI_ERR_IO);
    OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
}

/* Errors that concern no object go to MPI_COMM_SELF's handler. */
static void without_object(void)
{
#ifdef RMASHM
    MPI_Errhandler handler;
    int number;
    calls = 0;
    OK(MPI_Comm_create_errhandler(on_comm, &handler));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, handler));
    CHECK_CLASS(MPI_Group_size(MPI_GROUP_NULL, &number), MPI_ERR_GROUP);
    CHECK(calls == 1 && last_comm == MPI_COMM_SELF);
    CHECK_CLASS(MPI_Comm_size(MPI_COMM_NULL, &number), MPI_ERR_COMM);
    CHECK_EQ(calls, 2);
    /* That of the object through a pointer. */
    MPI_Comm world = MPI_COMM_WORLD;
    CHECK_CLASS(MPI_Comm_free(&world), MPI_ERR_COMM);
    CHECK_EQ(calls, 2);
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Errhandler_free(&handler));
#endif
}

static void sentences(void)
{
    char text[MPI_MAX_ERROR_STRING];
    int length = -1, class = -1;
    OK(MPI_Error_string(MPI_ERR_RANK, text, &length));
    CHECK(length > 0 && length == (int)strlen(text));
    OK(MPI_Error_class(fail(MPI_COMM_WORLD), &class));
    CHECK_EQ(class, MPI_ERR_ARG);
    CHECK_SENTENCE(fail(MPI_COMM_WORLD), MPI_ERR_ARG, "comm_name is a null pointer");
}

static void errors(void)
{
    MPI_Errhandler handler, of_win, null = MPI_ERRHANDLER_NULL;
    OK(MPI_Comm_create_errhandler(on_comm, &handler));
    OK(MPI_Win_create_errhandler(on_win, &of_win));
    CHECK_CLASS(MPI_Comm_set_errhandler(MPI_COMM_NULL, handler), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_get_errhandler(MPI_COMM_NULL, &handler), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_call_errhandler(MPI_COMM_NULL, MPI_ERR_ARG), MPI_ERR_COMM);
#ifdef RMASHM
    MPI_Errhandler freed = handler;
    CHECK_CLASS(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRHANDLER_NULL), MPI_ERR_ERRHANDLER);
    CHECK_SENTENCE(MPI_Comm_set_errhandler(MPI_COMM_WORLD, of_win), MPI_ERR_ERRHANDLER, "Win");
    CHECK_CLASS(MPI_Comm_set_errhandler(MPI_COMM_WORLD, (MPI_Errhandler)MPI_COMM_WORLD), MPI_ERR_ERRHANDLER);
    CHECK_CLASS(MPI_Errhandler_free(&null), MPI_ERR_ERRHANDLER);
    CHECK_CLASS(MPI_Errhandler_free(NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_create_errhandler(NULL, &handler), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_create_errhandler(on_comm, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_get_errhandler(MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
    OK(MPI_Errhandler_free(&handler));
    CHECK_CLASS(MPI_Comm_set_errhandler(MPI_COMM_WORLD, freed), MPI_ERR_ERRHANDLER);
    CHECK_CLASS(MPI_Errhandler_free(&freed), MPI_ERR_ERRHANDLER);
#else
    (void)null;
    OK(MPI_Errhandler_free(&handler));
#endif
    OK(MPI_Errhandler_free(&of_win));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    predefined();
    of_the_user();
    failing_itself();
    left_by_a_jump();
    of_files();
    without_object();
    sentences();
    errors();
    return check_end();
}
