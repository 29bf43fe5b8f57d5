/* ranks: 1 */
/* The tool information interface with this interface's numbers, datatypes and null handles; and its data representations. */
#include "check.h"

static int conversion(void *user, MPI_Datatype type, int count, void *file, MPI_Offset at, void *state)
{
    (void)user, (void)type, (void)count, (void)file, (void)at, (void)state;
    return MPI_SUCCESS;
}
static int extent(MPI_Datatype type, MPI_Aint *bytes, void *state)
{
    (void)state;
    return MPI_Type_get_extent(type, bytes, bytes);
}

int main(int argc, char **argv)
{
    char name[256], text[1024];
    int provided, count, name_length, text_length, verbosity, bind, scope, class, readonly, continuous, atomic, number;
    MPI_Datatype type;
    MPI_T_enum values;
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle;
    MPI_T_cvar_handle control;
    MPI_Comm comm;

    OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    CHECK(provided >= MPI_THREAD_SINGLE && provided <= MPI_THREAD_MULTIPLE);
    OK(MPI_Init(&argc, &argv));

    OK(MPI_T_cvar_get_num(&count));
    for (int i = 0; i < count; i++) {
        name_length = text_length = sizeof name;
        type = NULL;
        OK(MPI_T_cvar_get_info(i, name, &name_length, &verbosity, &type, &values, text, &text_length, &bind, &scope));
        CHECK(verbosity >= MPI_T_VERBOSITY_USER_BASIC && verbosity <= MPI_T_VERBOSITY_MPIDEV_ALL);
        CHECK(type == MPI_INT || type == MPI_CHAR || type == MPI_UNSIGNED || type == MPI_UNSIGNED_LONG ||
              type == MPI_UNSIGNED_LONG_LONG || type == MPI_COUNT || type == MPI_DOUBLE);
        CHECK(values == MPI_T_ENUM_NULL);
        CHECK(bind >= MPI_T_BIND_NO_OBJECT && bind <= MPI_T_BIND_MPI_INFO);
        CHECK(scope >= MPI_T_SCOPE_CONSTANT && scope <= MPI_T_SCOPE_ALL_EQ);
        OK(MPI_T_cvar_get_index(name, &number));
        CHECK_EQ(number, i);
        comm = MPI_COMM_WORLD;
        OK(MPI_T_cvar_handle_alloc(i, bind == MPI_T_BIND_NO_OBJECT ? NULL : &comm, &control, &number));
        CHECK(control != MPI_T_CVAR_HANDLE_NULL);
        if (type == MPI_INT)
            OK(MPI_T_cvar_read(control, &number));
        OK(MPI_T_cvar_handle_free(&control));
        CHECK(control == MPI_T_CVAR_HANDLE_NULL);
    }
    CHECK_EQ(MPI_T_cvar_get_info(count, name, NULL, &verbosity, &type, &values, text, NULL, &bind, &scope),
             MPI_T_ERR_INVALID_INDEX);

    OK(MPI_T_pvar_get_num(&count));
    CHECK(count > 0);
    OK(MPI_T_pvar_session_create(&session));
    CHECK(session != MPI_T_PVAR_SESSION_NULL);
    for (int i = 0; i < count; i++) {
        name_length = text_length = sizeof name;
        OK(MPI_T_pvar_get_info(i, name, &name_length, &verbosity, &class, &type, &values, text, &text_length, &bind,
                               &readonly, &continuous, &atomic));
        CHECK(verbosity >= MPI_T_VERBOSITY_USER_BASIC && verbosity <= MPI_T_VERBOSITY_MPIDEV_ALL);
        CHECK(class >= MPI_T_PVAR_CLASS_STATE && class <= MPI_T_PVAR_CLASS_GENERIC);
        CHECK(bind >= MPI_T_BIND_NO_OBJECT && bind <= MPI_T_BIND_MPI_INFO);
        CHECK(type == MPI_UNSIGNED_LONG_LONG || type == MPI_UNSIGNED_LONG || type == MPI_UNSIGNED || type == MPI_DOUBLE ||
              type == MPI_INT);
        OK(MPI_T_pvar_get_index(name, class, &number));
        CHECK_EQ(number, i);
        if (bind == MPI_T_BIND_NO_OBJECT) {
            unsigned long long value;
            OK(MPI_T_pvar_handle_alloc(session, i, NULL, &handle, &number));
            CHECK(handle != MPI_T_PVAR_HANDLE_NULL && handle != MPI_T_PVAR_ALL_HANDLES);
            OK(MPI_T_pvar_read(session, handle, &value));
        }
    }
    CHECK_EQ(MPI_T_pvar_get_index("no such variable", MPI_T_PVAR_CLASS_COUNTER, &number), MPI_T_ERR_INVALID_NAME);
    OK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES));
    OK(MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES));
    CHECK_EQ(MPI_T_pvar_start(session, MPI_T_PVAR_HANDLE_NULL), MPI_T_ERR_INVALID_HANDLE);
    OK(MPI_T_pvar_session_free(&session));
    CHECK(session == MPI_T_PVAR_SESSION_NULL);
    CHECK_EQ(MPI_T_pvar_session_free(&session), MPI_T_ERR_INVALID_SESSION);

    OK(MPI_Register_datarep("mine", conversion, MPI_CONVERSION_FN_NULL, extent, &count));
    CHECK_EQ(MPI_Register_datarep("mine", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, extent, NULL),
             MPI_ERR_DUP_DATAREP);
    OK(MPI_Finalize());
    OK(MPI_T_finalize());
    CHECK_EQ(MPI_T_cvar_get_num(&count), MPI_T_ERR_NOT_INITIALIZED);
    return 0;
}
