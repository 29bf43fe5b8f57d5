/* Handles of events, for the tests of them. */
#include "check.h"

static int index_of(const char *name)
{
    int index = -1;
    CHECK_EQ(MPI_T_event_get_index(name, &index), MPI_SUCCESS);
    return index;
}

static MPI_T_event_registration handle_of(const char *name, void *object)
{
    MPI_T_event_registration handle;
    CHECK_EQ(MPI_T_event_handle_alloc(index_of(name), object, MPI_INFO_NULL, &handle), MPI_SUCCESS);
    return handle;
}

static MPI_T_event_registration hear(const char *name, void *object, MPI_T_cb_safety safety,
                                     MPI_T_event_cb_function *function, void *data)
{
    MPI_T_event_registration handle = handle_of(name, object);
    CHECK_EQ(MPI_T_event_register_callback(handle, safety, MPI_INFO_NULL, data, function), MPI_SUCCESS);
    return handle;
}

static void end(MPI_T_event_registration handle)
{
    CHECK_EQ(MPI_T_event_handle_free(handle, NULL, NULL), MPI_SUCCESS);
}
