/* ranks: 1 2 */
/* The program's own functions receive this interface's values: handles that are the program's, codes, statuses, keys. */
#include "check.h"

static MPI_Datatype made_type;
static MPI_Comm made_comm;
static MPI_Win made_win;
static int calls, key;
static int extra;

/* Reductions get the datatype that the call was given, predefined or made. */
static MPI_Datatype wanted_type;
static void add(void *in, void *inout, int *count, MPI_Datatype *datatype)
{
    CHECK(*datatype == wanted_type);
    calls++;
    int ints, bytes;
    MPI_Type_size(*datatype, &bytes);
    ints = *count * bytes / (int)sizeof(int);
    for (int i = 0; i < ints; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static void operations(void)
{
    MPI_Op op;
    int in[4] = { 1, 2, 3, 4 }, out[4] = { 10, 20, 30, 40 };
    OK(MPI_Op_create(add, 1, &op));
    wanted_type = MPI_INT;
    OK(MPI_Reduce_local(in, out, 4, MPI_INT, op));
    wanted_type = made_type;
    OK(MPI_Reduce_local(in, out, 2, made_type, op));
    for (int i = 0; i < 4; i++)
        CHECK_EQ(out[i], 12 * (i + 1));
    OK(MPI_Allreduce(in, out, 2, made_type, op, MPI_COMM_WORLD));
    CHECK_EQ(out[3], 4 * size);
    OK(MPI_Op_free(&op));
    CHECK(op == MPI_OP_NULL);
    CHECK(calls >= 2);
}

/* Error handlers get a pointer to the handle and to the code; a code is a class here. */
static MPI_Comm seen_comm;
static MPI_Win seen_win;
static MPI_File seen_file;
static int seen_code;
static void comm_error(MPI_Comm *comm, int *code, ...)
{
    seen_comm = *comm;
    seen_code = *code;
}
static void win_error(MPI_Win *win, int *code, ...)
{
    seen_win = *win;
    seen_code = *code;
}
static void file_error(MPI_File *file, int *code, ...)
{
    seen_file = *file;
    seen_code = *code;
}

static void errors(void)
{
    MPI_Errhandler of_comm, of_win, of_file, got;
    int word = 0, class, length;
    char text[MPI_MAX_ERROR_STRING];
    OK(MPI_Comm_create_errhandler(comm_error, &of_comm));
    OK(MPI_Win_create_errhandler(win_error, &of_win));
    OK(MPI_File_create_errhandler(file_error, &of_file));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, of_comm));
    OK(MPI_Comm_set_errhandler(made_comm, of_comm));
    CHECK_EQ(MPI_Send(&word, 1, MPI_INT, size, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
    CHECK(seen_comm == MPI_COMM_WORLD);
    CHECK_EQ(seen_code, MPI_ERR_RANK);
    CHECK_EQ(MPI_Send(&word, 1, MPI_INT, 0, -5, made_comm), MPI_ERR_TAG);
    CHECK(seen_comm == made_comm);
    CHECK_EQ(MPI_Send(&word, -1, MPI_INT, 0, 0, made_comm), MPI_ERR_COUNT);
    CHECK_EQ(MPI_Send(&word, 1, MPI_DATATYPE_NULL, 0, 0, made_comm), MPI_ERR_TYPE);
    CHECK_EQ(MPI_Bcast(&word, 1, MPI_INT, -7, made_comm), MPI_ERR_ROOT);
    OK(MPI_Error_class(seen_code, &class));
    CHECK_EQ(class, MPI_ERR_ROOT);
    OK(MPI_Error_string(MPI_ERR_RMA_RANGE, text, &length));
    CHECK_EQ((int)strlen(text), length);
    CHECK(length > 0 && length < MPI_MAX_ERROR_STRING);
    OK(MPI_Comm_get_errhandler(made_comm, &got));
    CHECK(got == of_comm);
    OK(MPI_Errhandler_free(&got));
    CHECK(got == MPI_ERRHANDLER_NULL);

    OK(MPI_Win_set_errhandler(made_win, of_win));
    CHECK_EQ(MPI_Win_unlock(0, made_win), MPI_ERR_RMA_SYNC);
    CHECK(seen_win == made_win);
    CHECK_EQ(seen_code, MPI_ERR_RMA_SYNC);

    OK(MPI_File_set_errhandler(MPI_FILE_NULL, of_file));
    MPI_File file;
    CHECK_EQ(MPI_File_open(MPI_COMM_SELF, "/no/such/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file), MPI_ERR_NO_SUCH_FILE);
    CHECK(seen_file == MPI_FILE_NULL);
    CHECK_EQ(seen_code, MPI_ERR_NO_SUCH_FILE);
    OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));

    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
    OK(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &got));
    CHECK(got == MPI_ERRORS_ARE_FATAL);
    OK(MPI_Errhandler_free(&of_comm));
    OK(MPI_Errhandler_free(&of_win));
    OK(MPI_Errhandler_free(&of_file));
}

/* Classes and codes of the program's own come after those of the library. */
static void classes(void)
{
    int class, code, of_code, *last, flag, length;
    char text[MPI_MAX_ERROR_STRING];
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag));
    CHECK(flag);
    CHECK_EQ(*last, MPI_ERR_LASTCODE);
    OK(MPI_Add_error_class(&class));
    CHECK(class > MPI_ERR_LASTCODE);
    OK(MPI_Add_error_code(class, &code));
    CHECK(code > class);
    OK(MPI_Add_error_string(code, "my own"));
    OK(MPI_Error_class(code, &of_code));
    CHECK_EQ(of_code, class);
    OK(MPI_Error_string(code, text, &length));
    CHECK(!strcmp(text, "my own"));
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag));
    CHECK_EQ(*last, code);
    OK(MPI_Error_class(MPI_SUCCESS, &of_code));
    CHECK_EQ(of_code, MPI_SUCCESS);
}

/* Attributes: copied and deleted by functions that get the object's handle, the key, and the pointers. */
static int copy_comm(MPI_Comm comm, int keyval, void *state, void *in, void *out, int *flag)
{
    CHECK(comm == MPI_COMM_WORLD);
    CHECK_EQ(keyval, key);
    CHECK(state == &extra);
    *(void **)out = (char *)in + 1;
    *flag = 1;
    calls++;
    return MPI_SUCCESS;
}
static MPI_Comm deleted_comm;
static int delete_comm(MPI_Comm comm, int keyval, void *value, void *state)
{
    CHECK(comm == deleted_comm);
    CHECK_EQ(keyval, key);
    CHECK(state == &extra && value != NULL);
    calls++;
    return MPI_SUCCESS;
}
static int copy_type(MPI_Datatype type, int keyval, void *state, void *in, void *out, int *flag)
{
    CHECK(type == MPI_INT && keyval == key && state == &extra);
    *(void **)out = in;
    *flag = 1;
    calls++;
    return MPI_SUCCESS;
}
static MPI_Datatype deleted_type;
static int delete_code;
static int delete_type(MPI_Datatype type, int keyval, void *value, void *state)
{
    CHECK(type == deleted_type && keyval == key && state == &extra && value == &calls);
    calls++;
    return delete_code;
}
static int delete_win(MPI_Win win, int keyval, void *value, void *state)
{
    CHECK(win == made_win && keyval == key && state == &extra && value == &calls);
    calls++;
    return MPI_SUCCESS;
}

static void attributes(void)
{
    MPI_Comm twin;
    MPI_Datatype type;
    char *value;
    int flag, *number;
    calls = 0;
    OK(MPI_Comm_create_keyval(copy_comm, delete_comm, &key, &extra));
    OK(MPI_Comm_set_attr(MPI_COMM_WORLD, key, &calls));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &twin));
    CHECK_EQ(calls, 1);
    OK(MPI_Comm_get_attr(twin, key, &value, &flag));
    CHECK(flag && value == (char *)&calls + 1);
    deleted_comm = twin;
    OK(MPI_Comm_free(&twin));
    CHECK_EQ(calls, 2);
    CHECK(twin == MPI_COMM_NULL);
    deleted_comm = MPI_COMM_WORLD;
    OK(MPI_Comm_delete_attr(MPI_COMM_WORLD, key));
    OK(MPI_Comm_free_keyval(&key));
    CHECK_EQ(key, MPI_KEYVAL_INVALID);

    OK(MPI_Type_create_keyval(copy_type, delete_type, &key, &extra));
    OK(MPI_Type_set_attr(MPI_INT, key, &calls));
    OK(MPI_Type_dup(MPI_INT, &type));
    OK(MPI_Type_get_attr(type, key, &value, &flag));
    CHECK(flag && value == (char *)&calls);
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    deleted_type = type;
    delete_code = 77;
    CHECK_EQ(MPI_Type_delete_attr(type, key), 77);
    delete_code = MPI_SUCCESS;
    OK(MPI_Type_free(&type));
    deleted_type = MPI_INT;
    OK(MPI_Type_delete_attr(MPI_INT, key));
    OK(MPI_Type_free_keyval(&key));

    OK(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, delete_win, &key, &extra));
    OK(MPI_Win_set_attr(made_win, key, &calls));
    OK(MPI_Win_delete_attr(made_win, key));
    OK(MPI_Win_free_keyval(&key));

    /* The functions of MPI's own. */
    int null_key, dup_key;
    OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &null_key, NULL));
    OK(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &dup_key, NULL));
    OK(MPI_Comm_set_attr(MPI_COMM_WORLD, null_key, &calls));
    OK(MPI_Comm_set_attr(MPI_COMM_WORLD, dup_key, &calls));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &twin));
    OK(MPI_Comm_get_attr(twin, null_key, &value, &flag));
    CHECK(!flag);
    OK(MPI_Comm_get_attr(twin, dup_key, &value, &flag));
    CHECK(flag && value == (char *)&calls);
    OK(MPI_Comm_free(&twin));
    OK(MPI_Comm_delete_attr(MPI_COMM_WORLD, null_key));
    OK(MPI_Comm_delete_attr(MPI_COMM_WORLD, dup_key));
    OK(MPI_Comm_free_keyval(&null_key));
    OK(MPI_Comm_free_keyval(&dup_key));
    value = NULL;
    flag = 7;
    CHECK_EQ(MPI_COMM_DUP_FN(MPI_COMM_WORLD, 1, NULL, &calls, &value, &flag), MPI_SUCCESS);
    CHECK(flag == 1 && value == (char *)&calls);
    CHECK_EQ(MPI_TYPE_NULL_COPY_FN(MPI_INT, 1, NULL, &calls, &value, &flag), MPI_SUCCESS);
    CHECK_EQ(flag, 0);
    CHECK_EQ(MPI_WIN_NULL_DELETE_FN(MPI_WIN_NULL, 1, NULL, NULL), MPI_SUCCESS);
    CHECK_EQ(MPI_TYPE_DUP_FN(MPI_INT, 1, NULL, &extra, &value, &flag), MPI_SUCCESS);
    CHECK(flag == 1 && value == (char *)&extra);

    /* Predefined attributes. */
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &number, &flag));
    CHECK(flag && *number >= 32767);
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_HOST, &number, &flag));
    CHECK(flag && *number == MPI_PROC_NULL);
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_IO, &number, &flag));
    CHECK(flag && *number == MPI_ANY_SOURCE);
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &number, &flag));
    CHECK(flag && *number == 1);
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &number, &flag));
    CHECK(flag && *number >= size);
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, 12, &number, &flag));
    CHECK(!flag);
    OK(MPI_Win_get_attr(made_win, MPI_WIN_MODEL, &number, &flag));
    CHECK(flag && *number == MPI_WIN_UNIFIED);
    OK(MPI_Win_get_attr(made_win, MPI_WIN_CREATE_FLAVOR, &number, &flag));
    CHECK(flag && *number == MPI_WIN_FLAVOR_ALLOCATE);
    OK(MPI_Win_get_attr(made_win, MPI_WIN_DISP_UNIT, &number, &flag));
    CHECK(flag && *number == 4);
    MPI_Aint *bytes;
    OK(MPI_Win_get_attr(made_win, MPI_WIN_SIZE, &bytes, &flag));
    CHECK(flag && *bytes == 64);
}

/* Generalized requests fill this interface's status. */
static int query(void *state, MPI_Status *status)
{
    CHECK(state == &extra);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    OK(MPI_Status_set_elements(status, MPI_DOUBLE, 3));
    OK(MPI_Status_set_cancelled(status, 0));
    return MPI_SUCCESS;
}
static int release(void *state)
{
    CHECK(state == &extra);
    calls++;
    return MPI_SUCCESS;
}
static int cancel(void *state, int complete)
{
    CHECK(state == &extra);
    CHECK_EQ(complete, 0);
    calls++;
    return MPI_SUCCESS;
}

static void requests(void)
{
    MPI_Request request;
    MPI_Status status, statuses[2];
    int count, flag;
    calls = 0;
    OK(MPI_Grequest_start(query, release, cancel, &extra, &request));
    OK(MPI_Cancel(&request));
    OK(MPI_Grequest_complete(request));
    memset(&status, 0x55, sizeof status);
    OK(MPI_Wait(&request, &status));
    CHECK(request == MPI_REQUEST_NULL);
    CHECK_EQ(calls, 2);
    CHECK_EQ(status.MPI_SOURCE, MPI_UNDEFINED);
    OK(MPI_Get_count(&status, MPI_DOUBLE, &count));
    CHECK_EQ(count, 3);

    /* Statuses of messages, of nothing and of nobody. */
    int word = rank, got[2] = { -1, -1 };
    MPI_Request pair[2];
    int peer = (rank + 1) % size, from = (rank + size - 1) % size;
    OK(MPI_Irecv(got, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &pair[0]));
    OK(MPI_Isend(&word, 1, MPI_INT, peer, 9, MPI_COMM_WORLD, &pair[1]));
    memset(statuses, 0x55, sizeof statuses);
    OK(MPI_Waitall(2, pair, statuses));
    CHECK(pair[0] == MPI_REQUEST_NULL && pair[1] == MPI_REQUEST_NULL);
    CHECK_EQ(statuses[0].MPI_SOURCE, from);
    CHECK_EQ(statuses[0].MPI_TAG, 9);
    OK(MPI_Get_count(&statuses[0], MPI_INT, &count));
    CHECK_EQ(count, 1);
    CHECK_EQ(statuses[0]._cancelled, 0);
    CHECK_EQ(statuses[0]._ucount, 4);
    OK(MPI_Test_cancelled(&statuses[0], &flag));
    CHECK(!flag);
    OK(MPI_Recv(got, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &status));
    CHECK_EQ(status.MPI_SOURCE, MPI_PROC_NULL);
    CHECK_EQ(status.MPI_TAG, MPI_ANY_TAG);
    OK(MPI_Wait(&request, &status));
    CHECK_EQ(status.MPI_SOURCE, MPI_ANY_SOURCE);
    CHECK_EQ(status.MPI_TAG, MPI_ANY_TAG);
    CHECK_EQ(status.MPI_ERROR, MPI_SUCCESS);
    OK(MPI_Irecv(got, 1, MPI_INT, rank, 5, MPI_COMM_WORLD, &request));
    OK(MPI_Cancel(&request));
    OK(MPI_Wait(&request, &status));
    OK(MPI_Test_cancelled(&status, &flag));
    CHECK(flag && status._cancelled);

    /* Null addresses are statuses that nobody asks for. */
    OK(MPI_Sendrecv(&word, 1, MPI_INT, peer, 1, got, 1, MPI_INT, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_EQ(got[0], from);

    /* Matched messages. */
    MPI_Message message;
    OK(MPI_Isend(&word, 1, MPI_INT, peer, 2, MPI_COMM_WORLD, &request));
    OK(MPI_Mprobe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &message, &status));
    CHECK(message != MPI_MESSAGE_NULL && message != MPI_MESSAGE_NO_PROC);
    OK(MPI_Mrecv(got, 1, MPI_INT, &message, MPI_STATUS_IGNORE));
    CHECK(message == MPI_MESSAGE_NULL);
    OK(MPI_Mprobe(MPI_PROC_NULL, 2, MPI_COMM_WORLD, &message, &status));
    CHECK(message == MPI_MESSAGE_NO_PROC);
    OK(MPI_Mrecv(got, 0, MPI_INT, &message, &status));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

/* Handles come back as those that were given. */
static void handles(void)
{
    MPI_Group group, other;
    MPI_Datatype types[2], inside[2];
    int integers[3], lengths[2] = { 1, 2 }, count_i, count_a, count_d, combiner;
    MPI_Aint addresses[3], displs[2] = { 0, 8 };
    types[0] = MPI_INT;
    types[1] = MPI_DOUBLE;
    OK(MPI_Type_create_struct(2, lengths, displs, types, &types[0]));
    OK(MPI_Type_get_envelope(types[0], &count_i, &count_a, &count_d, &combiner));
    CHECK_EQ(combiner, MPI_COMBINER_STRUCT);
    CHECK_EQ(count_d, 2);
    OK(MPI_Type_get_contents(types[0], 3, 2, 2, integers, addresses, inside));
    CHECK(inside[0] == MPI_INT && inside[1] == MPI_DOUBLE);
    OK(MPI_Type_free(&types[0]));
    CHECK(types[0] == MPI_DATATYPE_NULL);
    OK(MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &types[0]));
    CHECK(types[0] == MPI_REAL8);
    OK(MPI_Comm_group(MPI_COMM_WORLD, &group));
    OK(MPI_Group_difference(group, group, &other));
    CHECK(other == MPI_GROUP_EMPTY);
    OK(MPI_Group_free(&group));
    CHECK(group == MPI_GROUP_NULL);
    CHECK(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_WORLD)) == MPI_COMM_WORLD);
    CHECK(MPI_Comm_f2c(MPI_Comm_c2f(made_comm)) == made_comm);
    CHECK(MPI_Type_f2c(MPI_Type_c2f(MPI_2DOUBLE_PRECISION)) == MPI_2DOUBLE_PRECISION);
    CHECK(MPI_Op_f2c(MPI_Op_c2f(MPI_MAXLOC)) == MPI_MAXLOC);
    CHECK(MPI_File_f2c(MPI_File_c2f(MPI_FILE_NULL)) == MPI_FILE_NULL);
}

int main(int argc, char **argv)
{
    int *memory;
    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &made_comm));
    OK(MPI_Type_contiguous(2, MPI_INT, &made_type));
    OK(MPI_Type_commit(&made_type));
    OK(MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &made_win));
    operations();
    errors();
    classes();
    attributes();
    requests();
    handles();
    OK(MPI_Type_free(&made_type));
    OK(MPI_Win_free(&made_win));
    CHECK(made_win == MPI_WIN_NULL);
    OK(MPI_Comm_free(&made_comm));
    OK(MPI_Finalize());
    return 0;
}
