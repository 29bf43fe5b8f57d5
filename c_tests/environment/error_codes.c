/* ranks: 1 2; mpich: skip MPI_Remove_error_class and its kin are of MPI 4.1 */
/* Error classes and codes of the program's own, handlers that see them, and errors of requests. */
#include "check.h"

static MPI_Comm seen_comm;
static int seen, calls;

static void on_comm(MPI_Comm *comm, int *code, ...)
{
    seen_comm = *comm;
    seen = *code;
    calls++;
}

static void on_win(MPI_Win *win, int *code, ...)
{
    (void)win;
    seen = *code;
    calls++;
}

static int last_used(void)
{
    int *value, flag = 0;
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &value, &flag));
    CHECK(flag);
    return *value;
}

static void made(void)
{
    int class, code, other, is, length, before = last_used();
    char text[MPI_MAX_ERROR_STRING];
    CHECK(before >= MPI_ERR_LASTCODE);
    OK(MPI_Add_error_class(&class));
    CHECK(class > MPI_ERR_LASTCODE);
    CHECK_EQ(last_used(), class);
    OK(MPI_Add_error_code(class, &code));
    OK(MPI_Add_error_code(MPI_ERR_RANK, &other));
    CHECK(code > before && other > before && code != other);
    CHECK(last_used() >= other && last_used() >= code);
    OK(MPI_Error_class(code, &is));
    CHECK_EQ(is, class);
    OK(MPI_Error_class(class, &is));
    CHECK_EQ(is, class);
    OK(MPI_Error_class(other, &is));
    CHECK_EQ(is, MPI_ERR_RANK);
    OK(MPI_Error_string(code, text, &length));
    CHECK_EQ(length, 0);
    OK(MPI_Add_error_string(code, "too hot"));
    OK(MPI_Add_error_string(class, "temperature"));
    OK(MPI_Error_string(code, text, &length));
    CHECK(strcmp(text, "too hot") == 0 && length == 7);
    OK(MPI_Add_error_string(code, "too cold"));
    OK(MPI_Error_string(code, text, &length));
    CHECK(strcmp(text, "too cold") == 0);
    OK(MPI_Error_string(class, text, &length));
    CHECK(strcmp(text, "temperature") == 0);

    /* The handlers get them. */
    MPI_Errhandler handler, returns;
    MPI_Comm comm;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_create_errhandler(on_comm, &handler));
    OK(MPI_Comm_set_errhandler(comm, handler));
    OK(MPI_Comm_call_errhandler(comm, code));
    CHECK(seen == code && seen_comm == comm);
    OK(MPI_Errhandler_free(&handler));
    MPI_Win win;
    OK(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, comm, &win));
    OK(MPI_Win_create_errhandler(on_win, &handler));
    OK(MPI_Win_set_errhandler(win, handler));
    OK(MPI_Win_call_errhandler(win, class));
    CHECK_EQ(seen, class);
    OK(MPI_Errhandler_free(&handler));
    OK(MPI_Win_free(&win));
    OK(MPI_File_call_errhandler(MPI_FILE_NULL, code));
    OK(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &returns));
    CHECK(returns == MPI_ERRORS_RETURN);
    OK(MPI_Comm_call_errhandler(MPI_COMM_WORLD, code));

    CHECK_CLASS(MPI_Remove_error_class(class), MPI_ERR_OTHER);
    CHECK_CLASS(MPI_Remove_error_code(class), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Remove_error_class(code), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Remove_error_code(code), MPI_ERR_OTHER);
    OK(MPI_Remove_error_string(code));
    OK(MPI_Error_string(code, text, &length));
    CHECK_EQ(length, 0);
    CHECK_CLASS(MPI_Remove_error_string(code), MPI_ERR_ARG);
    OK(MPI_Remove_error_code(code));
    OK(MPI_Remove_error_code(other));
    CHECK_CLASS(MPI_Remove_error_class(class), MPI_ERR_OTHER);
    OK(MPI_Remove_error_string(class));
    OK(MPI_Remove_error_class(class));
    OK(MPI_Error_class(code, &is));
    CHECK_EQ(is, MPI_ERR_UNKNOWN);
    CHECK_CLASS(MPI_Add_error_code(class, &is), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Add_error_string(MPI_ERR_RANK, "mine"), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Add_error_string(class, "gone"), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Remove_error_class(MPI_ERR_RANK), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Remove_error_code(MPI_ERR_RANK), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Remove_error_string(MPI_ERR_RANK), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Add_error_class(NULL), MPI_ERR_ARG);
    OK(MPI_Comm_free(&comm));
}

/* Errors of requests go to the handler of their communicator. */
static void of_requests(void)
{
    MPI_Errhandler handler;
    MPI_Comm comm;
    MPI_Request request;
    int data[2] = {1, 2}, into;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_create_errhandler(on_comm, &handler));
    OK(MPI_Comm_set_errhandler(comm, handler));
    OK(MPI_Irecv(&into, 1, MPI_INT, rank, 0, comm, &request));
    OK(MPI_Send(data, 2, MPI_INT, rank, 0, comm));
    seen_comm = MPI_COMM_NULL;
    calls = 0;
    CHECK_CLASS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
    CHECK(seen_comm == comm && calls == 1);
    CHECK_CLASS(seen, MPI_ERR_TRUNCATE);
    OK(MPI_Bsend_init(data, 1, MPI_INT, rank, 0, comm, &request));
    CHECK_CLASS(MPI_Start(&request), MPI_ERR_BUFFER);
    CHECK(seen_comm == comm && calls == 2);
    OK(MPI_Request_free(&request));
    OK(MPI_Errhandler_free(&handler));
    OK(MPI_Comm_free(&comm));
}

/* Every class of the standard has a text, and is its own class. */
static void all_classes(void)
{
    static const int classes[] = {
        MPI_SUCCESS, MPI_ERR_BUFFER, MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_TAG, MPI_ERR_COMM, MPI_ERR_RANK,
        MPI_ERR_REQUEST, MPI_ERR_ROOT, MPI_ERR_GROUP, MPI_ERR_OP, MPI_ERR_TOPOLOGY, MPI_ERR_DIMS, MPI_ERR_ARG,
        MPI_ERR_UNKNOWN, MPI_ERR_TRUNCATE, MPI_ERR_OTHER, MPI_ERR_INTERN, MPI_ERR_PENDING, MPI_ERR_IN_STATUS,
        MPI_ERR_ACCESS, MPI_ERR_AMODE, MPI_ERR_ASSERT, MPI_ERR_BAD_FILE, MPI_ERR_BASE, MPI_ERR_CONVERSION,
        MPI_ERR_DISP, MPI_ERR_DUP_DATAREP, MPI_ERR_FILE_EXISTS, MPI_ERR_FILE_IN_USE, MPI_ERR_FILE, MPI_ERR_INFO_KEY,
        MPI_ERR_INFO_NOKEY, MPI_ERR_INFO_VALUE, MPI_ERR_INFO, MPI_ERR_IO, MPI_ERR_KEYVAL, MPI_ERR_LOCKTYPE,
        MPI_ERR_NAME, MPI_ERR_NO_MEM, MPI_ERR_NOT_SAME, MPI_ERR_NO_SPACE, MPI_ERR_NO_SUCH_FILE, MPI_ERR_PORT,
        MPI_ERR_PROC_ABORTED, MPI_ERR_QUOTA, MPI_ERR_READ_ONLY, MPI_ERR_RMA_ATTACH, MPI_ERR_RMA_CONFLICT,
        MPI_ERR_RMA_RANGE, MPI_ERR_RMA_SHARED, MPI_ERR_RMA_SYNC, MPI_ERR_RMA_FLAVOR, MPI_ERR_SERVICE,
        MPI_ERR_SESSION, MPI_ERR_SIZE, MPI_ERR_SPAWN, MPI_ERR_UNSUPPORTED_DATAREP, MPI_ERR_UNSUPPORTED_OPERATION,
        MPI_ERR_VALUE_TOO_LARGE, MPI_ERR_WIN, MPI_ERR_ERRHANDLER,
    };
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        char text[MPI_MAX_ERROR_STRING];
        int length = 0, class = -1;
        OK(MPI_Error_string(classes[i], text, &length));
        CHECK(length > 0 && (int)strlen(text) == length);
        OK(MPI_Error_class(classes[i], &class));
        CHECK_EQ(class, classes[i]);
    }
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Pcontrol(1));
    OK(MPI_Pcontrol(2, "ignored", 3));
    made();
    of_requests();
    all_classes();
    return check_end();
}
