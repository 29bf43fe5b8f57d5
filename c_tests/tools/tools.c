/* ranks: 1 2 4; mpich: skip the variables are rmashm's own; wrong: puts lie one over the other: only their bytes are counted */
/* The tool information interface (MPI 4.1 section 15.3): variables and categories are enumerated, read and set; counters count
 * while they are started; every documented error class. It works before MPI_Init and after MPI_Finalize. */
#include "check.h"

#define IS(call, class) CHECK_EQ(call, class)

static unsigned long long read_control(const char *name)
{
    int index = -1, count = 0;
    unsigned long long value = 0;
    MPI_T_cvar_handle handle;
    IS(MPI_T_cvar_get_index(name, &index), MPI_SUCCESS);
    IS(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count), MPI_SUCCESS);
    CHECK_EQ(count, 1);
    IS(MPI_T_cvar_read(handle, &value), MPI_SUCCESS);
    IS(MPI_T_cvar_handle_free(&handle), MPI_SUCCESS);
    CHECK(handle == MPI_T_CVAR_HANDLE_NULL);
    return value;
}

static int set_control(const char *name, unsigned long long value)
{
    int index = -1, count = 0;
    MPI_T_cvar_handle handle;
    IS(MPI_T_cvar_get_index(name, &index), MPI_SUCCESS);
    IS(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count), MPI_SUCCESS);
    int code = MPI_T_cvar_write(handle, &value);
    IS(MPI_T_cvar_handle_free(&handle), MPI_SUCCESS);
    return code;
}

static void check_controls(void)
{
    int number = 0, index = -1;
    IS(MPI_T_cvar_get_num(&number), MPI_SUCCESS);
    CHECK(number > 0);
    for (int i = 0; i < number; i++) {
        char name[128], text[512], cut[5];
        int name_length = 0, text_length = sizeof text, cut_length = sizeof cut;
        int verbosity = 0, bind = -1, scope = 0;
        MPI_Datatype type = MPI_DATATYPE_NULL;
        MPI_T_enum values;
        IS(MPI_T_cvar_get_info(i, NULL, &name_length, NULL, NULL, NULL, NULL, NULL, NULL, NULL), MPI_SUCCESS);
        CHECK(name_length > 1 && name_length < (int)sizeof name);
        int needed = name_length;
        name_length = sizeof name;
        IS(MPI_T_cvar_get_info(i, name, &name_length, &verbosity, &type, &values, text, &text_length, &bind, &scope),
           MPI_SUCCESS);
        CHECK_EQ(name_length, needed);
        CHECK_EQ(strlen(name), needed - 1);
        CHECK(strlen(text) > 10 && (int)strlen(text) == text_length - 1);
        CHECK(type == MPI_UNSIGNED_LONG_LONG && values == MPI_T_ENUM_NULL && bind == MPI_T_BIND_NO_OBJECT);
        CHECK(verbosity >= MPI_T_VERBOSITY_USER_BASIC && verbosity <= MPI_T_VERBOSITY_MPIDEV_ALL);
        CHECK(scope == MPI_T_SCOPE_LOCAL || scope == MPI_T_SCOPE_READONLY);
        IS(MPI_T_cvar_get_info(i, cut, &cut_length, NULL, NULL, NULL, NULL, NULL, NULL, NULL), MPI_SUCCESS);
        CHECK_EQ(cut_length, needed);
        CHECK(strlen(cut) == 4 && strncmp(cut, name, 4) == 0);
        IS(MPI_T_cvar_get_index(name, &index), MPI_SUCCESS);
        CHECK_EQ(index, i);
        unsigned long long value = read_control(name);
        if (scope == MPI_T_SCOPE_READONLY)
            IS(set_control(name, value), MPI_T_ERR_CVAR_SET_NEVER);
        else
            IS(set_control(name, value), MPI_SUCCESS);
        CHECK_EQ(read_control(name), value);
    }
    IS(MPI_T_cvar_get_info(number, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), MPI_T_ERR_INVALID_INDEX);
    IS(MPI_T_cvar_get_info(-1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), MPI_T_ERR_INVALID_INDEX);
    IS(MPI_T_cvar_get_index("nothing", &index), MPI_T_ERR_INVALID_NAME);
    IS(MPI_T_cvar_get_num(NULL), MPI_T_ERR_INVALID);
    unsigned long long value;
    IS(MPI_T_cvar_read(MPI_T_CVAR_HANDLE_NULL, &value), MPI_T_ERR_INVALID_HANDLE);
    MPI_T_cvar_handle none = MPI_T_CVAR_HANDLE_NULL;
    IS(MPI_T_cvar_handle_free(&none), MPI_T_ERR_INVALID_HANDLE);
    IS(MPI_T_cvar_handle_alloc(number, NULL, &none, NULL), MPI_T_ERR_INVALID_INDEX);
    unsigned long long spin = read_control("rmashm_spin_ns");
    IS(set_control("rmashm_spin_ns", 12345), MPI_SUCCESS);
    CHECK_EQ(read_control("rmashm_spin_ns"), 12345);
    IS(set_control("rmashm_spin_ns", spin), MPI_SUCCESS);
}

static void check_categories(void)
{
    int number = 0, cvars = 0, pvars = 0, stamp = -1, index = -1, events = -1;
    int seen_cvars = 0, seen_pvars = 0;
    IS(MPI_T_category_get_num(&number), MPI_SUCCESS);
    for (int i = 0; i < number; i++) {
        char name[64], text[256];
        int name_length = sizeof name, text_length = sizeof text, own_cvars = -1, own_pvars = -1, own = -1;
        int indices[64];
        IS(MPI_T_category_get_info(i, name, &name_length, text, &text_length, &own_cvars, &own_pvars, &own), MPI_SUCCESS);
        CHECK_EQ(own, 0);
        IS(MPI_T_category_get_cvars(i, 64, indices), MPI_SUCCESS);
        for (int k = 1; k < own_cvars; k++)
            CHECK(indices[k] > indices[k - 1]);
        IS(MPI_T_category_get_pvars(i, 64, indices), MPI_SUCCESS);
        IS(MPI_T_category_get_categories(i, 64, indices), MPI_SUCCESS);
        IS(MPI_T_category_get_events(i, 64, indices), MPI_SUCCESS);
        IS(MPI_T_category_get_num_events(i, &events), MPI_SUCCESS);
        CHECK(events >= 0);
        seen_cvars += own_cvars;
        seen_pvars += own_pvars;
        IS(MPI_T_category_get_index(name, &index), MPI_SUCCESS);
        CHECK_EQ(index, i);
    }
    IS(MPI_T_cvar_get_num(&cvars), MPI_SUCCESS);
    IS(MPI_T_pvar_get_num(&pvars), MPI_SUCCESS);
    CHECK_EQ(seen_cvars, cvars);
    CHECK_EQ(seen_pvars, pvars);
    IS(MPI_T_category_changed(&stamp), MPI_SUCCESS);
    IS(MPI_T_category_get_index("nothing", &index), MPI_T_ERR_INVALID_NAME);
    IS(MPI_T_category_get_cvars(number, 0, NULL), MPI_T_ERR_INVALID_INDEX);
}

static void check_events(void)
{
    int number = -1;
    MPI_Count stamp;
    IS(MPI_T_event_get_num(&number), MPI_SUCCESS);
    CHECK(number > 0);
    IS(MPI_T_source_get_num(&number), MPI_SUCCESS);
    CHECK(number > 0);
    IS(MPI_T_source_get_timestamp(number, &stamp), MPI_T_ERR_INVALID_INDEX);
    IS(MPI_T_event_get_index("nothing", &number), MPI_T_ERR_INVALID_NAME);
    IS(MPI_T_event_handle_alloc(-1, NULL, MPI_INFO_NULL, NULL), MPI_T_ERR_INVALID_INDEX);
    IS(MPI_T_event_handle_free(NULL, NULL, NULL), MPI_T_ERR_INVALID_HANDLE);
    IS(MPI_T_event_read(NULL, 0, &number), MPI_T_ERR_INVALID_HANDLE);
    IS(MPI_T_enum_get_info(MPI_T_ENUM_NULL, &number, NULL, NULL), MPI_T_ERR_INVALID_HANDLE);
    IS(MPI_T_enum_get_item(MPI_T_ENUM_NULL, 0, &number, NULL, NULL), MPI_T_ERR_INVALID_HANDLE);
}

static MPI_T_pvar_session session;

static MPI_T_pvar_handle variable(const char *name, int class)
{
    int index = -1, count = 0;
    MPI_T_pvar_handle handle;
    IS(MPI_T_pvar_get_index(name, class, &index), MPI_SUCCESS);
    IS(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count), MPI_SUCCESS);
    CHECK_EQ(count, 1);
    return handle;
}

static unsigned long long read_variable(MPI_T_pvar_handle handle)
{
    unsigned long long value = 0;
    IS(MPI_T_pvar_read(session, handle, &value), MPI_SUCCESS);
    return value;
}

/* Accumulates of all kinds, by the fast path and by others, in an epoch of lock_all. */
static void check_accumulates(int target, MPI_Win win)
{
    MPI_T_pvar_handle times = variable("rmashm_accumulates", MPI_T_PVAR_CLASS_COUNTER);
    MPI_T_pvar_handle bytes = variable("rmashm_bytes_accumulated", MPI_T_PVAR_CLASS_COUNTER);
    long long one = 1, before, many[6] = {0};
    IS(MPI_T_pvar_start(session, times), MPI_SUCCESS);
    IS(MPI_T_pvar_start(session, bytes), MPI_SUCCESS);
    OK(MPI_Accumulate(&one, 1, MPI_LONG_LONG, target, 0, 1, MPI_LONG_LONG, MPI_SUM, win));
    OK(MPI_Fetch_and_op(&one, &before, MPI_LONG_LONG, target, 8, MPI_SUM, win));
    OK(MPI_Compare_and_swap(&one, &one, &before, MPI_LONG_LONG, target, 16, win));
    OK(MPI_Accumulate(many, 6, MPI_LONG_LONG, target, 0, 6, MPI_LONG_LONG, MPI_SUM, win));
    OK(MPI_Get_accumulate(NULL, 0, MPI_INT, many, 6, MPI_LONG_LONG, target, 0, 6, MPI_LONG_LONG, MPI_NO_OP, win));
    OK(MPI_Accumulate(many, 0, MPI_LONG_LONG, target, 0, 0, MPI_LONG_LONG, MPI_SUM, win));
    OK(MPI_Accumulate(many, 6, MPI_LONG_LONG, MPI_PROC_NULL, 0, 6, MPI_LONG_LONG, MPI_SUM, win));
    CHECK_EQ(read_variable(times), 5);
    CHECK_EQ(read_variable(bytes), 2 * 48);
    IS(MPI_T_pvar_handle_free(session, &times), MPI_SUCCESS);
    IS(MPI_T_pvar_handle_free(session, &bytes), MPI_SUCCESS);
}

/* Messages, through the rings and announced, and collective operations. */
static void check_messages(int rank, int size)
{
    static char data[1 << 20], got[1 << 20];
    MPI_T_pvar_handle sent = variable("rmashm_messages_sent", MPI_T_PVAR_CLASS_COUNTER);
    MPI_T_pvar_handle bytes = variable("rmashm_bytes_sent", MPI_T_PVAR_CLASS_COUNTER);
    MPI_T_pvar_handle calls = variable("rmashm_collectives", MPI_T_PVAR_CLASS_COUNTER);
    int to = (rank + 1) % size, from = (rank + size - 1) % size, lengths[] = {0, 8, 5000, sizeof data};
    IS(MPI_T_pvar_start(session, sent), MPI_SUCCESS);
    IS(MPI_T_pvar_start(session, bytes), MPI_SUCCESS);
    for (int i = 0; i < 4; i++) {
        MPI_Request request;
        OK(MPI_Irecv(got, lengths[i], MPI_BYTE, from, i, MPI_COMM_WORLD, &request));
        OK(MPI_Send(data, lengths[i], MPI_BYTE, to, i, MPI_COMM_WORLD));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    CHECK_EQ(read_variable(sent), 4);
    CHECK_EQ(read_variable(bytes), 5008 + (1 << 20));
    IS(MPI_T_pvar_start(session, calls), MPI_SUCCESS);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Bcast(data, 100, MPI_BYTE, 0, MPI_COMM_WORLD));
    OK(MPI_Allreduce(MPI_IN_PLACE, data, 1000, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_EQ(read_variable(calls), 3);
    IS(MPI_T_pvar_handle_free(session, &sent), MPI_SUCCESS);
    IS(MPI_T_pvar_handle_free(session, &bytes), MPI_SUCCESS);
    IS(MPI_T_pvar_handle_free(session, &calls), MPI_SUCCESS);
}

static void check_performance(void)
{
    int number = 0, index = -1;
    unsigned long long value = 7;
    char name[64], bytes[100] = "some bytes";
    MPI_T_pvar_handle written, level, none = MPI_T_PVAR_HANDLE_NULL;
    MPI_File file;
    IS(MPI_T_pvar_get_num(&number), MPI_SUCCESS);
    for (int i = 0; i < number; i++) {
        int length = sizeof name, class = 0, readonly = -1, continuous = -1, atomic = -1;
        MPI_Datatype type;
        IS(MPI_T_pvar_get_info(i, name, &length, NULL, &class, &type, NULL, NULL, NULL, NULL, &readonly, &continuous,
                               &atomic),
           MPI_SUCCESS);
        CHECK(class == MPI_T_PVAR_CLASS_COUNTER || class == MPI_T_PVAR_CLASS_LEVEL);
        CHECK_EQ(readonly, class == MPI_T_PVAR_CLASS_LEVEL);
        CHECK_EQ(continuous, readonly);
        IS(MPI_T_pvar_get_index(name, class, &index), MPI_SUCCESS);
        CHECK_EQ(index, i);
        IS(MPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_TIMER, &index), MPI_T_ERR_INVALID_NAME);
    }
    IS(MPI_T_pvar_session_create(&session), MPI_SUCCESS);
    written = variable("rmashm_file_bytes_written", MPI_T_PVAR_CLASS_COUNTER);
    level = variable("rmashm_memory_in_use", MPI_T_PVAR_CLASS_LEVEL);

    snprintf(name, sizeof name, "tools.%d.tmp", size);
    OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                     &file));
    OK(MPI_File_write_at(file, 0, bytes, 50, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_EQ(read_variable(written), 0);
    IS(MPI_T_pvar_start(session, written), MPI_SUCCESS);
    OK(MPI_File_write_at(file, 0, bytes, 100, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_EQ(read_variable(written), 100);
    IS(MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
    OK(MPI_File_write_at(file, 0, bytes, 20, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_EQ(read_variable(written), 100);
    IS(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
    OK(MPI_File_write_at(file, 0, bytes, 3, MPI_BYTE, MPI_STATUS_IGNORE));
    IS(MPI_T_pvar_readreset(session, written, &value), MPI_SUCCESS);
    CHECK_EQ(value, 103);
    CHECK_EQ(read_variable(written), 0);
    value = 1000;
    IS(MPI_T_pvar_write(session, written, &value), MPI_SUCCESS);
    OK(MPI_File_write_at(file, 0, bytes, 4, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_EQ(read_variable(written), 1004);
    IS(MPI_T_pvar_reset(session, written), MPI_SUCCESS);
    CHECK_EQ(read_variable(written), 0);
    OK(MPI_File_close(&file));

    /* What others have used is given back with the next allocation after they are done with it. */
    void *memory;
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Alloc_mem(8, MPI_INFO_NULL, &memory));
    OK(MPI_Free_mem(memory));
    unsigned long long before = read_variable(level);
    OK(MPI_Alloc_mem(1 << 20, MPI_INFO_NULL, &memory));
    CHECK_EQ(read_variable(level), before + (1 << 20));
    OK(MPI_Free_mem(memory));
    CHECK_EQ(read_variable(level), before);
    IS(MPI_T_pvar_start(session, level), MPI_T_ERR_PVAR_NO_STARTSTOP);
    IS(MPI_T_pvar_stop(session, level), MPI_T_ERR_PVAR_NO_STARTSTOP);
    IS(MPI_T_pvar_write(session, level, &value), MPI_T_ERR_PVAR_NO_WRITE);
    IS(MPI_T_pvar_reset(session, level), MPI_T_ERR_PVAR_NO_WRITE);
    IS(MPI_T_pvar_readreset(session, level, &value), MPI_T_ERR_PVAR_NO_ATOMIC);

    /* What is put and got, by the fast path, by others and through the kernel, into one's own window and that of a neighbour. */
    MPI_T_pvar_handle put = variable("rmashm_bytes_put", MPI_T_PVAR_CLASS_COUNTER);
    MPI_T_pvar_handle got = variable("rmashm_bytes_got", MPI_T_PVAR_CLASS_COUNTER);
    MPI_Datatype stripes;
    char place[100];
    OK(MPI_Type_vector(5, 2, 4, MPI_BYTE, &stripes));
    OK(MPI_Type_commit(&stripes));
    for (int own = 0; own < 2; own++) {
        MPI_Win win;
        MPI_Request request;
        int target = (rank + 1) % size;
        char *shared;
        if (own)
            OK(MPI_Win_create(place, sizeof place, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
        else
            OK(MPI_Win_allocate(sizeof place, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &win));
        OK(MPI_Win_lock_all(0, win));
        IS(MPI_T_pvar_start(session, put), MPI_SUCCESS);
        IS(MPI_T_pvar_start(session, got), MPI_SUCCESS);
        IS(MPI_T_pvar_reset(session, put), MPI_SUCCESS);
        IS(MPI_T_pvar_reset(session, got), MPI_SUCCESS);
        OK(MPI_Put(bytes, 8, MPI_BYTE, target, 0, 8, MPI_BYTE, win));
        OK(MPI_Put(bytes, 1, stripes, target, 0, 10, MPI_BYTE, win));
        OK(MPI_Put(bytes, 0, MPI_BYTE, target, 0, 0, MPI_BYTE, win));
        OK(MPI_Put(bytes, 8, MPI_BYTE, MPI_PROC_NULL, 0, 8, MPI_BYTE, win));
        OK(MPI_Rput(bytes, 30, MPI_BYTE, target, 0, 30, MPI_BYTE, win, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        OK(MPI_Get(bytes, 50, MPI_BYTE, target, 0, 50, MPI_BYTE, win));
        CHECK_EQ(read_variable(put), 48);
        CHECK_EQ(read_variable(got), 50);
        check_accumulates(target, win);
        IS(MPI_T_pvar_stop(session, put), MPI_SUCCESS);
        IS(MPI_T_pvar_stop(session, got), MPI_SUCCESS);
        OK(MPI_Win_unlock_all(win));
        OK(MPI_Win_free(&win));
    }
    OK(MPI_Type_free(&stripes));

    check_messages(rank, size);

    /* A wait that takes long sleeps. */
    if (size > 1) {
        MPI_T_pvar_handle waits = variable("rmashm_waits", MPI_T_PVAR_CLASS_COUNTER);
        IS(MPI_T_pvar_start(session, waits), MPI_SUCCESS);
        int token = 0;
        if (rank == 0)
            for (int i = 1; i < size; i++) {
                OK(MPI_Recv(&token, 1, MPI_INT, i, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
                OK(MPI_Send(&token, 1, MPI_INT, i, 1, MPI_COMM_WORLD));
            }
        else {
            OK(MPI_Send(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD));
            OK(MPI_Recv(&token, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        }
        CHECK(read_variable(waits) < 1000000);
        IS(MPI_T_pvar_handle_free(session, &waits), MPI_SUCCESS);
    }

    MPI_T_pvar_handle stale = written;
    MPI_T_pvar_session closed = session;
    IS(MPI_T_pvar_handle_free(session, &written), MPI_SUCCESS);
    CHECK(written == MPI_T_PVAR_HANDLE_NULL);
    IS(MPI_T_pvar_read(session, stale, &value), MPI_T_ERR_INVALID_HANDLE);
    IS(MPI_T_pvar_read(session, none, &value), MPI_T_ERR_INVALID_HANDLE);
    IS(MPI_T_pvar_handle_alloc(session, number, NULL, &none, NULL), MPI_T_ERR_INVALID_INDEX);
    IS(MPI_T_pvar_session_free(&session), MPI_SUCCESS);
    CHECK(session == MPI_T_PVAR_SESSION_NULL);
    IS(MPI_T_pvar_read(closed, level, &value), MPI_T_ERR_INVALID_SESSION);
    IS(MPI_T_pvar_session_free(&closed), MPI_T_ERR_INVALID_SESSION);
}

int main(int argc, char **argv)
{
    int number, provided = -1, length = 0;
    char text[MPI_MAX_ERROR_STRING];
    IS(MPI_T_cvar_get_num(&number), MPI_T_ERR_NOT_INITIALIZED);
    IS(MPI_T_finalize(), MPI_T_ERR_NOT_INITIALIZED);
    IS(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), MPI_SUCCESS);
    CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
    check_controls();
    check_categories();
    check_events();
    CHECK_EQ(read_control("rmashm_segment_size"), 0);
    check_start(&argc, &argv);
    CHECK(read_control("rmashm_segment_size") > 0);
    CHECK(read_control("rmashm_eager_limit") > 0);
    IS(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided), MPI_SUCCESS);
    check_controls();
    check_performance();
    OK(MPI_Error_string(MPI_T_ERR_INVALID_INDEX, text, &length));
    CHECK(length > 0);
    IS(MPI_T_finalize(), MPI_SUCCESS);
    OK(MPI_Finalize());
    check_controls();
    check_categories();
    IS(MPI_T_finalize(), MPI_SUCCESS);
    IS(MPI_T_pvar_get_num(&number), MPI_T_ERR_NOT_INITIALIZED);
    return 0;
}
