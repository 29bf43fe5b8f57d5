/* ranks: 1 2 */
/* The program's own functions get, and calls give back, the handles and numbers that the program has names for, whatever the
 * library has inside: operations, attributes, error handlers, generalized requests, contents of datatypes, error codes. */
#include "check.h"

static int calls;

static void add(void *in, void *inout, int *length, MPI_Datatype *type)
{
    CHECK(*type == MPI_INT);
    for (int i = 0; i < *length; i++)
        ((int *)inout)[i] += ((int *)in)[i];
    calls++;
}

static void operations(void)
{
    MPI_Op op;
    int one[2] = {1, 2}, sum[2] = {0, 0};
    OK(MPI_Op_create(add, 1, &op));
    OK(MPI_Reduce_local(one, sum, 2, MPI_INT, op));
    CHECK(sum[0] == 1 && sum[1] == 2);
    OK(MPI_Allreduce(one, sum, 2, MPI_INT, op, MPI_COMM_WORLD));
    CHECK(sum[0] == size && sum[1] == 2 * size);
    CHECK(calls > 0);
    OK(MPI_Op_free(&op));
}

static MPI_Comm copied_of = MPI_COMM_NULL, deleted_of = MPI_COMM_NULL;
static MPI_Datatype type_copied_of = MPI_DATATYPE_NULL, type_deleted_of = MPI_DATATYPE_NULL;

static int copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    (void)key, (void)extra;
    copied_of = comm;
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

static int delete(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)key, (void)value, (void)extra;
    deleted_of = comm;
    return MPI_SUCCESS;
}

static int type_copy(MPI_Datatype type, int key, void *extra, void *in, void *out, int *flag)
{
    (void)key, (void)extra;
    type_copied_of = type;
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

static int type_delete(MPI_Datatype type, int key, void *value, void *extra)
{
    (void)key, (void)value, (void)extra;
    type_deleted_of = type;
    return MPI_SUCCESS;
}

static void attributes(void)
{
    MPI_Comm dup, gone;
    MPI_Datatype type, type_gone;
    int key, dup_key, flag = 0, *value = NULL, number = 5;
    OK(MPI_Comm_create_keyval(copy, delete, &key, NULL));
    OK(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &dup_key, NULL));
    OK(MPI_Comm_set_attr(MPI_COMM_WORLD, key, &number));
    OK(MPI_Comm_set_attr(MPI_COMM_WORLD, dup_key, &number));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    CHECK(copied_of == MPI_COMM_WORLD);
    OK(MPI_Comm_get_attr(dup, dup_key, &value, &flag));
    CHECK(flag && value == &number);
    gone = dup;
    OK(MPI_Comm_free(&dup));
    CHECK(deleted_of == gone);
    OK(MPI_Comm_delete_attr(MPI_COMM_WORLD, key));
    CHECK(deleted_of == MPI_COMM_WORLD);
    OK(MPI_Comm_delete_attr(MPI_COMM_WORLD, dup_key));
    OK(MPI_Comm_free_keyval(&key));
    OK(MPI_Comm_free_keyval(&dup_key));
    CHECK(key == MPI_KEYVAL_INVALID && dup_key == MPI_KEYVAL_INVALID);

    OK(MPI_Type_create_keyval(type_copy, type_delete, &key, NULL));
    OK(MPI_Type_set_attr(MPI_DOUBLE, key, &number));
    OK(MPI_Type_dup(MPI_DOUBLE, &type));
    CHECK(type_copied_of == MPI_DOUBLE);
    type_gone = type;
    OK(MPI_Type_free(&type));
    CHECK(type_deleted_of == type_gone);
    OK(MPI_Type_delete_attr(MPI_DOUBLE, key));
    CHECK(type_deleted_of == MPI_DOUBLE);
    OK(MPI_Type_free_keyval(&key));

    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag));
    CHECK(flag && *value >= 32767);
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &value, &flag));
    CHECK(flag && *value >= MPI_ERR_LASTCODE);
}

static MPI_Comm failed_comm = MPI_COMM_NULL;
static MPI_Win failed_win = MPI_WIN_NULL;
static MPI_File failed_file = MPI_FILE_NULL;
static int failed_class;

static int class_of(int code)
{
    int class = -1;
    MPI_Error_class(code, &class);
    return class;
}

static void of_comm(MPI_Comm *comm, int *code, ...)
{
    failed_comm = *comm;
    failed_class = class_of(*code);
}

static void of_win(MPI_Win *win, int *code, ...)
{
    failed_win = *win;
    failed_class = class_of(*code);
}

static void of_file(MPI_File *file, int *code, ...)
{
    failed_file = *file;
    failed_class = class_of(*code);
}

static void error_handlers(void)
{
    MPI_Errhandler comm_handler, win_handler, file_handler, told;
    MPI_Comm dup;
    MPI_Win win;
    MPI_File file;
    char name[64];
    int byte = 0;
    OK(MPI_Comm_create_errhandler(of_comm, &comm_handler));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, comm_handler));
    MPI_Send(&byte, 1, MPI_INT, size, 0, MPI_COMM_WORLD);
    CHECK(failed_comm == MPI_COMM_WORLD && failed_class == MPI_ERR_RANK);
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    MPI_Send(&byte, -1, MPI_INT, 0, 0, dup);
    CHECK(failed_comm == dup && failed_class == MPI_ERR_COUNT);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &told));
    CHECK(told == MPI_ERRORS_RETURN);
    OK(MPI_Comm_get_errhandler(dup, &told));
    CHECK(told == comm_handler);
    OK(MPI_Errhandler_free(&told));

    OK(MPI_Win_create(&byte, sizeof byte, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_create_errhandler(of_win, &win_handler));
    OK(MPI_Win_set_errhandler(win, win_handler));
    MPI_Win_unlock(0, win);
    CHECK(failed_win == win && failed_class == MPI_ERR_RMA_SYNC);
    OK(MPI_Win_free(&win));

    snprintf(name, sizeof name, "callbacks.%d.tmp", size);
    OK(MPI_File_open(dup, name, MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file));
    OK(MPI_File_create_errhandler(of_file, &file_handler));
    OK(MPI_File_set_errhandler(file, file_handler));
    MPI_File_read_at(file, 0, &byte, 1, MPI_INT, MPI_STATUS_IGNORE);
    CHECK(failed_file == file && failed_class == MPI_ERR_ACCESS);
    OK(MPI_File_close(&file));

    OK(MPI_Errhandler_free(&comm_handler));
    OK(MPI_Errhandler_free(&win_handler));
    OK(MPI_Errhandler_free(&file_handler));
    OK(MPI_Comm_free(&dup));
}

static int query(void *extra, MPI_Status *status)
{
    OK(MPI_Status_set_elements(status, MPI_DOUBLE, 3));
    OK(MPI_Status_set_cancelled(status, 0));
    status->MPI_SOURCE = 7;
    status->MPI_TAG = *(int *)extra;
    return MPI_SUCCESS;
}

static int release(void *extra)
{
    (void)extra;
    return MPI_SUCCESS;
}

static int cancel(void *extra, int complete)
{
    (void)extra, (void)complete;
    return MPI_SUCCESS;
}

static void requests(void)
{
    MPI_Request request;
    MPI_Status status;
    int tag = 11, count = -1, flag = 1;
    OK(MPI_Grequest_start(query, release, cancel, &tag, &request));
    OK(MPI_Grequest_complete(request));
    OK(MPI_Wait(&request, &status));
    OK(MPI_Get_elements(&status, MPI_DOUBLE, &count));
    OK(MPI_Test_cancelled(&status, &flag));
    CHECK(request == MPI_REQUEST_NULL && count == 3 && !flag && status.MPI_SOURCE == 7 && status.MPI_TAG == 11);

    OK(MPI_Recv(NULL, 0, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
    OK(MPI_Wait(&request, &status));
    CHECK(status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG);
}

static void contents(void)
{
    MPI_Datatype vector, resized, got[2];
    MPI_Aint aints[2];
    int ints[3], n_ints, n_aints, n_types, combiner;
    OK(MPI_Type_vector(2, 3, 4, MPI_SHORT, &vector));
    OK(MPI_Type_create_resized(vector, 0, 64, &resized));
    OK(MPI_Type_get_envelope(vector, &n_ints, &n_aints, &n_types, &combiner));
    CHECK(combiner == MPI_COMBINER_VECTOR && n_ints == 3 && n_types == 1);
    OK(MPI_Type_get_contents(vector, 3, 0, 1, ints, aints, got));
    CHECK(got[0] == MPI_SHORT && ints[0] == 2 && ints[1] == 3 && ints[2] == 4);
    OK(MPI_Type_get_envelope(resized, &n_ints, &n_aints, &n_types, &combiner));
    CHECK(combiner == MPI_COMBINER_RESIZED && n_aints == 2 && n_types == 1);
    OK(MPI_Type_get_contents(resized, 0, 2, 1, ints, aints, got));
    CHECK(aints[1] == 64);
    OK(MPI_Type_get_envelope(got[0], &n_ints, &n_aints, &n_types, &combiner));
    CHECK(combiner == MPI_COMBINER_VECTOR);
    OK(MPI_Type_free(&got[0]));
    OK(MPI_Type_get_envelope(MPI_INT, &n_ints, &n_aints, &n_types, &combiner));
    CHECK(combiner == MPI_COMBINER_NAMED);
    OK(MPI_Type_free(&resized));
    OK(MPI_Type_free(&vector));
}

static void error_codes(void)
{
    int class, code, told, length;
    char text[MPI_MAX_ERROR_STRING];
    OK(MPI_Add_error_class(&class));
    OK(MPI_Add_error_code(class, &code));
    CHECK(class > MPI_ERR_LASTCODE && code > class);
    OK(MPI_Add_error_string(code, "of the program"));
    OK(MPI_Error_class(code, &told));
    CHECK_EQ(told, class);
    OK(MPI_Error_string(code, text, &length));
    CHECK(strcmp(text, "of the program") == 0);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    operations();
    attributes();
    error_handlers();
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    requests();
    contents();
    error_codes();
    return check_end();
}
