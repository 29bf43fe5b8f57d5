// Calls before MPI is initialized, and after it was finalized.
//
// ranks: 1 2
// wrong early_type: forbidden call
// wrong early_group: forbidden call
// wrong early_address: forbidden call
// wrong late_type: forbidden call
// wrong late_group: forbidden call
// wrong late_wait: forbidden call
// wrong late_memory: forbidden call
// wrong late_free: forbidden call
// noted late_free
// wrong late_reduce: forbidden call
// wrong late_exit: forbidden call
// wrong after_session: forbidden call
// wrong between: forbidden call
// right any_time
// right in_session
// right session_before
// right session_over
// right exit
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static char **arguments;
static int is(const char *name) { return !strcmp(name, arguments[1]); }

static void exits(void) {
    int flag, size;
    MPI_Finalized(&flag);
    if (is("late_exit")) MPI_Type_size(MPI_INT, &size); // !late_exit
}

// All that may be called at any time.
static void any_time(void) {
    int flag, code, length, version;
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    MPI_Info info, copy;
    MPI_Errhandler handler = MPI_ERRORS_RETURN;
    MPI_Initialized(&flag), MPI_Finalized(&flag);
    MPI_Get_version(&version, &flag), MPI_Get_library_version(text, &length);
    MPI_Info_create(&info), MPI_Info_set(info, "key", "value"), MPI_Info_dup(info, &copy);
    MPI_Info_free(&info), MPI_Info_free(&copy);
    MPI_Error_string(MPI_ERR_TYPE, text, &length), MPI_Error_class(MPI_ERR_TYPE, &code);
    handler = MPI_Errhandler_f2c(MPI_Errhandler_c2f(handler));
    MPI_T_init_thread(MPI_THREAD_SINGLE, &flag), MPI_T_finalize();
    MPI_Wtime(), MPI_Wtick();
}

int main(int argc, char **argv) {
    arguments = argv;
    int size, type_size, numbers[4] = {0};
    MPI_Group world, both, of_session;
    MPI_Datatype pair;
    MPI_Session session;
    MPI_Aint address;
    void *memory;
    MPI_Request request = MPI_REQUEST_NULL;
    atexit(exits);
    if (is("any_time")) any_time();
    if (is("early_type")) MPI_Type_size(MPI_INT, &type_size); // !early_type
    if (is("early_group")) MPI_Group_size(MPI_GROUP_EMPTY, &size); // !early_group
    if (is("early_address")) MPI_Get_address(numbers, &address); // !early_address
    if (is("in_session") || is("after_session")) MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    if (is("in_session")) MPI_Type_size(MPI_INT, &type_size);
    if (is("session_before") || is("between")) {
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
        MPI_Session_finalize(&session);
        if (is("between")) MPI_Type_size(MPI_INT, &type_size); // !between
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Alloc_mem(64, MPI_INFO_NULL, &memory);
    MPI_Group_free(&world);
    if (!is("late_free")) MPI_Type_free(&pair);
    MPI_Free_mem(memory);
    MPI_Finalize();
    if (is("any_time")) any_time();
    if (is("session_over")) {
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
        MPI_Type_size(MPI_INT, &type_size);
        MPI_Session_finalize(&session);
    }
    if (is("late_type")) MPI_Type_size(MPI_INT, &type_size); // !late_type
    if (is("late_group")) MPI_Group_union(MPI_GROUP_EMPTY, MPI_GROUP_EMPTY, &both); // !late_group
    if (is("late_wait")) MPI_Wait(&request, MPI_STATUS_IGNORE); // !late_wait
    if (is("late_memory")) MPI_Get_address(numbers, &address); // !late_memory
    if (is("late_free")) MPI_Type_free(&pair); // !late_free
    if (is("late_reduce")) MPI_Reduce_local(numbers, numbers + 2, 2, MPI_INT, MPI_SUM); // !late_reduce
    if (is("in_session") || is("after_session")) {
        MPI_Group_from_session_pset(session, "mpi://SELF", &of_session);
        MPI_Group_size(of_session, &size);
        MPI_Group_free(&of_session);
        MPI_Session_finalize(&session);
        if (is("after_session")) MPI_Type_size(MPI_INT, &type_size); // !after_session
    }
    return 0;
}
