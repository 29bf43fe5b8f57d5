/* ranks: 1; mpich: skip the variables are rmashm's own */
/* The tool information interface refuses: everything while it is not initialized, indices, handles, sessions and names that are
 * none, and null pointers (MPI 4.1 section 15.3.10). */
#include "check.h"

static int number, other, third, places[8];
static char text[64];
static unsigned long long value;
static MPI_Datatype type;
static MPI_T_enum kind;
static MPI_T_cvar_handle control;
static MPI_T_pvar_handle performance;
static MPI_T_pvar_session session, good;
static MPI_T_event_registration registration;
static MPI_T_event_instance instance;
static MPI_T_source_order order;
static MPI_Count ticks, most;
static MPI_Info info;

static void event(MPI_T_event_instance i, MPI_T_event_registration r, MPI_T_cb_safety safety, void *data)
{
    (void)i, (void)r, (void)safety, (void)data;
}

static void dropped(MPI_Count count, MPI_T_event_registration r, int source, MPI_T_cb_safety safety, void *data)
{
    (void)count, (void)r, (void)source, (void)safety, (void)data;
}

/* What takes an index. */
static void indices(int bad, int class)
{
    CHECK_EQ(MPI_T_cvar_get_info(bad, text, &number, &other, &type, &kind, NULL, NULL, &third, &third), class);
    CHECK_EQ(MPI_T_cvar_handle_alloc(bad, NULL, &control, &number), class);
    CHECK_EQ(MPI_T_pvar_get_info(bad, text, &number, &other, &third, &type, &kind, NULL, NULL, &third, &third, &third,
                                 &third), class);
    CHECK_EQ(MPI_T_pvar_handle_alloc(good, bad, NULL, &performance, &number), class);
    CHECK_EQ(MPI_T_category_get_info(bad, text, &number, NULL, NULL, &other, &other, &other), class);
    CHECK_EQ(MPI_T_category_get_cvars(bad, 8, places), class);
    CHECK_EQ(MPI_T_category_get_pvars(bad, 8, places), class);
    CHECK_EQ(MPI_T_category_get_events(bad, 8, places), class);
    CHECK_EQ(MPI_T_category_get_categories(bad, 8, places), class);
    CHECK_EQ(MPI_T_category_get_num_events(bad, &number), class);
    CHECK_EQ(MPI_T_event_get_info(bad, text, &number, &other, NULL, NULL, &third, &kind, NULL, NULL, NULL, &third),
             class);
    CHECK_EQ(MPI_T_event_handle_alloc(bad, NULL, MPI_INFO_NULL, &registration), class);
    CHECK_EQ(MPI_T_source_get_info(bad, text, &number, NULL, NULL, &order, &ticks, &most, NULL), class);
    CHECK_EQ(MPI_T_source_get_timestamp(bad, &ticks), class);
}

/* What takes a handle. */
static void handles(int class)
{
    CHECK_EQ(MPI_T_cvar_read(control, &value), class);
    CHECK_EQ(MPI_T_cvar_write(control, &value), class);
    CHECK_EQ(MPI_T_cvar_handle_free(&control), class);
    CHECK_EQ(MPI_T_pvar_start(good, performance), class);
    CHECK_EQ(MPI_T_pvar_stop(good, performance), class);
    CHECK_EQ(MPI_T_pvar_read(good, performance, &value), class);
    CHECK_EQ(MPI_T_pvar_write(good, performance, &value), class);
    CHECK_EQ(MPI_T_pvar_reset(good, performance), class);
    CHECK_EQ(MPI_T_pvar_readreset(good, performance, &value), class);
    CHECK_EQ(MPI_T_pvar_handle_free(good, &performance), class);
    CHECK_EQ(MPI_T_enum_get_info(kind, &number, text, &other), class);
    CHECK_EQ(MPI_T_event_handle_get_info(registration, &info), class);
    CHECK_EQ(MPI_T_event_handle_set_info(registration, MPI_INFO_NULL), class);
    CHECK_EQ(MPI_T_event_handle_free(registration, NULL, NULL), class);
    CHECK_EQ(MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, NULL, event), class);
    CHECK_EQ(MPI_T_event_callback_get_info(registration, MPI_T_CB_REQUIRE_NONE, &info), class);
    CHECK_EQ(MPI_T_event_callback_set_info(registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL), class);
    CHECK_EQ(MPI_T_event_set_dropped_handler(registration, dropped), class);
    CHECK_EQ(MPI_T_event_read(instance, 0, &value), class);
    CHECK_EQ(MPI_T_event_copy(instance, &value), class);
    CHECK_EQ(MPI_T_event_get_source(instance, &number), class);
    CHECK_EQ(MPI_T_event_get_timestamp(instance, &ticks), class);
}

static void sessions(int class)
{
    CHECK_EQ(MPI_T_pvar_handle_alloc(session, 0, NULL, &performance, &number), class);
    CHECK_EQ(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES), class);
    CHECK_EQ(MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES), class);
    CHECK_EQ(MPI_T_pvar_reset(session, MPI_T_PVAR_ALL_HANDLES), class);
    CHECK_EQ(MPI_T_pvar_session_free(&session), class);
}

static void names(int class)
{
    CHECK_EQ(MPI_T_cvar_get_index("nothing of the kind", &number), class);
    CHECK_EQ(MPI_T_pvar_get_index("nothing of the kind", MPI_T_PVAR_CLASS_COUNTER, &number), class);
    CHECK_EQ(MPI_T_category_get_index("nothing of the kind", &number), class);
    CHECK_EQ(MPI_T_event_get_index("nothing of the kind", &number), class);
}

static void counts(int class)
{
    CHECK_EQ(MPI_T_cvar_get_num(class == MPI_T_ERR_INVALID ? NULL : &number), class);
    CHECK_EQ(MPI_T_pvar_get_num(class == MPI_T_ERR_INVALID ? NULL : &number), class);
    CHECK_EQ(MPI_T_category_get_num(class == MPI_T_ERR_INVALID ? NULL : &number), class);
    CHECK_EQ(MPI_T_category_changed(class == MPI_T_ERR_INVALID ? NULL : &number), class);
    CHECK_EQ(MPI_T_event_get_num(class == MPI_T_ERR_INVALID ? NULL : &number), class);
    CHECK_EQ(MPI_T_source_get_num(class == MPI_T_ERR_INVALID ? NULL : &number), class);
    CHECK_EQ(MPI_T_pvar_session_create(class == MPI_T_ERR_INVALID ? NULL : &session), class);
}

static void null_pointers(void)
{
    MPI_T_cvar_handle handle;
    CHECK_EQ(MPI_T_cvar_get_index(NULL, &number), MPI_T_ERR_INVALID);
    CHECK_EQ(MPI_T_pvar_get_index(NULL, MPI_T_PVAR_CLASS_COUNTER, &number), MPI_T_ERR_INVALID);
    CHECK_EQ(MPI_T_category_get_index(NULL, &number), MPI_T_ERR_INVALID);
    CHECK_EQ(MPI_T_cvar_handle_alloc(0, NULL, NULL, &number), MPI_T_ERR_INVALID);
    CHECK_EQ(MPI_T_cvar_handle_free(NULL), MPI_T_ERR_INVALID);
    CHECK_EQ(MPI_T_pvar_handle_alloc(good, 0, NULL, NULL, &number), MPI_T_ERR_INVALID);
    CHECK_EQ(MPI_T_pvar_handle_free(good, NULL), MPI_T_ERR_INVALID);
    CHECK_EQ(MPI_T_pvar_session_free(NULL), MPI_T_ERR_INVALID);
    CHECK_EQ(MPI_T_init_thread(MPI_THREAD_SINGLE, NULL), MPI_T_ERR_INVALID);
    CHECK_EQ(MPI_T_cvar_handle_alloc(0, NULL, &handle, &number), MPI_SUCCESS);
    CHECK_EQ(MPI_T_cvar_read(handle, NULL), MPI_T_ERR_INVALID);
    CHECK_EQ(MPI_T_cvar_handle_free(&handle), MPI_SUCCESS);
}

static void forget(void)
{
    control = MPI_T_CVAR_HANDLE_NULL;
    performance = MPI_T_PVAR_HANDLE_NULL;
    session = MPI_T_PVAR_SESSION_NULL;
}

int main(void)
{
    static const int not_yet = MPI_T_ERR_NOT_INITIALIZED;
    int provided, controls = -1;
    for (int round = 0; round < 2; round++) {
        forget();
        indices(0, not_yet);
        handles(not_yet);
        sessions(not_yet);
        names(not_yet);
        counts(not_yet);
        CHECK_EQ(MPI_T_finalize(), not_yet);

        CHECK_EQ(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), MPI_SUCCESS);
        CHECK_EQ(MPI_T_pvar_session_create(&good), MPI_SUCCESS);
        CHECK_EQ(MPI_T_cvar_get_num(&controls), MPI_SUCCESS);
        CHECK(controls > 0);
        indices(-1, MPI_T_ERR_INVALID_INDEX);
        indices(10000, MPI_T_ERR_INVALID_INDEX);
        forget();
        handles(MPI_T_ERR_INVALID_HANDLE);
        sessions(MPI_T_ERR_INVALID_SESSION);
        names(MPI_T_ERR_INVALID_NAME);
        counts(MPI_T_ERR_INVALID);
        null_pointers();
        CHECK_EQ(MPI_T_pvar_session_free(&good), MPI_SUCCESS);
        CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
    }
    return 0;
}
