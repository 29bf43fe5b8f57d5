/* ranks: 2 4; mpich: skip the events are rmashm's own */
/* ranks: 2; name: deadlock; args: deadlock; expect-exit: 55; expect-stderr: told of a deadlock of 2 ranks, of which this one waits for rank 1; expect-stderr: deadlock: all ranks wait in MPI; mpich: skip it hangs */
/* Events of the tool information interface (MPI 4.1 section 15.3.8): each kind happens and is told, to handles of its object
 * alone; what functions of each safety level may do, and when they are called; events that are lost. */
#include "check.h"

#include <sched.h>
#include <sys/mman.h>
#include <time.h>

/* What a function has been told. */
struct told {
    int times, ints[3], safety, source, barred;
    unsigned long long longs[3];
    MPI_Count last;
};

/* Memory that all ranks store to and load from, whatever they wait for: rank by rank a word. */
static volatile int *flags;

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

/* Takes what is told of events whose elements are `pattern`: i for an int, l for an unsigned long long. The copy of all elements is the
 * same as each read alone, at the displacements that are said. */
static void take(MPI_T_event_instance instance, MPI_T_cb_safety safety, const char *event, const char *pattern,
                 struct told *told)
{
    char all[64];
    MPI_Datatype types[3];
    MPI_Aint places[3];
    int number = 3;
    MPI_Count now;
    told->times++;
    told->safety = (int)safety;
    CHECK_EQ(MPI_T_event_get_source(instance, &told->source), MPI_SUCCESS);
    CHECK_EQ(MPI_T_event_copy(instance, all), MPI_SUCCESS);
    CHECK_EQ(MPI_T_event_get_info(index_of(event), NULL, NULL, NULL, types, places, &number, NULL, NULL, NULL, NULL, NULL),
             MPI_SUCCESS);
    CHECK_EQ(number, (int)strlen(pattern));
    for (int i = 0; i < number; i++) {
        if (pattern[i] == 'i') {
            CHECK(types[i] == MPI_INT);
            CHECK_EQ(MPI_T_event_read(instance, i, &told->ints[i]), MPI_SUCCESS);
            CHECK(memcmp(all + places[i], &told->ints[i], sizeof told->ints[i]) == 0);
        } else {
            CHECK(types[i] == MPI_UNSIGNED_LONG_LONG);
            CHECK_EQ(MPI_T_event_read(instance, i, &told->longs[i]), MPI_SUCCESS);
            CHECK(memcmp(all + places[i], &told->longs[i], sizeof told->longs[i]) == 0);
        }
    }
    CHECK_EQ(MPI_T_event_read(instance, number, all), MPI_T_ERR_INVALID_INDEX);
    CHECK_EQ(MPI_T_event_read(instance, -1, all), MPI_T_ERR_INVALID_INDEX);
    CHECK_EQ(MPI_T_event_read(instance, 0, NULL), MPI_T_ERR_INVALID);
    CHECK_EQ(MPI_T_event_copy(instance, NULL), MPI_T_ERR_INVALID);
    MPI_Count before = told->last;
    CHECK_EQ(MPI_T_event_get_timestamp(instance, &told->last), MPI_SUCCESS);
    CHECK(told->last >= before);
    CHECK_EQ(MPI_T_source_get_timestamp(told->source, &now), MPI_SUCCESS);
    CHECK(told->last <= now);
    /* In the middle of a call MPI may not be called; at its end it may. */
    int of_world = -1;
    told->barred = MPI_Comm_size(MPI_COMM_WORLD, &of_world);
    CHECK_EQ(told->barred, safety == MPI_T_CB_REQUIRE_NONE ? MPI_SUCCESS : MPI_T_ERR_NOT_ACCESSIBLE);
}

#define TAKES(name, event, pattern)                                                                                            \
    static void name(MPI_T_event_instance instance, MPI_T_event_registration handle, MPI_T_cb_safety safety, void *data)      \
    {                                                                                                                          \
        (void)handle;                                                                                                          \
        take(instance, safety, event, pattern, data);                                                                          \
        flags[rank]++;                                                                                                         \
    }

TAKES(contended, "rmashm_lock_contended", "ii")
TAKES(unexpected, "rmashm_message_unexpected", "iil")
TAKES(long_wait, "rmashm_long_wait", "il")
TAKES(made, "rmashm_window_made", "ili")
TAKES(freed, "rmashm_window_freed", "i")
TAKES(adopted, "rmashm_memory_adopted", "ll")
TAKES(refused, "rmashm_memory_refused", "lli")

static void await(int whom, int flag)
{
    while (flags[whom] < flag)
        sched_yield();
}

/* All have come this far, and their words are 0 again. */
static void anew(void)
{
    OK(MPI_Barrier(MPI_COMM_WORLD));
    flags[rank] = 0;
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* The number that Fortran has for a window. */
static int number_of(MPI_Win win)
{
#ifdef MPI_ABI_VERSION
    return MPI_Win_toint(win);
#else
    return MPI_Win_c2f(win);
#endif
}

static void windows(MPI_T_cb_safety safety)
{
    struct told told = {0}, ended = {0};
    MPI_T_event_registration handle = hear("rmashm_window_made", NULL, safety, made, &told);
    MPI_T_event_registration other = hear("rmashm_window_freed", NULL, safety, freed, &ended);
    int *base;
    MPI_Win win;
    OK(MPI_Win_allocate(24, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    CHECK_EQ(told.times, 1);
    CHECK_EQ(told.safety, safety == MPI_T_CB_REQUIRE_NONE ? (int)safety : (int)MPI_T_CB_REQUIRE_MPI_RESTRICTED);
    CHECK_EQ(told.ints[0], number_of(win));
    CHECK_EQ(told.longs[1], 24);
    CHECK_EQ(told.ints[2], size);
    CHECK_EQ(ended.times, 0);
    int number = number_of(win);
    OK(MPI_Win_free(&win));
    CHECK_EQ(ended.times, 1);
    CHECK_EQ(ended.ints[0], number);
    CHECK_EQ(ended.source, told.source);
    CHECK(ended.last >= told.last);
    end(handle);
    OK(MPI_Win_allocate(24, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    OK(MPI_Win_free(&win));
    CHECK_EQ(told.times, 1);
    CHECK_EQ(ended.times, 2);
    end(other);
}

/* A source keeps the order of time: what could be told at once waits for what cannot, until the end of the call. */
static void held_up(MPI_T_event_registration first)
{
    struct told none = {0}, told = {0};
    int *base;
    MPI_Win win;
    CHECK_EQ(MPI_T_event_register_callback(first, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, &none, made), MPI_SUCCESS);
    MPI_T_event_registration other = hear("rmashm_window_made", NULL, MPI_T_CB_REQUIRE_MPI_RESTRICTED, made, &told);
    OK(MPI_Win_allocate(24, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    CHECK_EQ(none.times, 1);
    CHECK_EQ(told.times, 1);
    CHECK_EQ(told.safety, MPI_T_CB_REQUIRE_NONE);
    CHECK_EQ(told.last, none.last);
    OK(MPI_Win_free(&win));
    end(other);
}

/* Rank 0 has locked its part until rank 1 was told that it has to wait. */
static void contend(MPI_Win win, int times)
{
    if (rank == 0)
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0) {
        await(1, times);
        OK(MPI_Win_unlock(0, win));
    } else if (rank == 1) {
        OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
        OK(MPI_Win_unlock(0, win));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void locks(void)
{
    struct told told = {0}, of_other = {0}, both = {0};
    int *base;
    MPI_Win win, other;
    OK(MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    OK(MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &other));
    MPI_T_event_registration first = hear("rmashm_lock_contended", &win, MPI_T_CB_REQUIRE_MPI_RESTRICTED, contended, &told);
    MPI_T_event_registration second = hear("rmashm_lock_contended", &other, MPI_T_CB_REQUIRE_THREAD_SAFE, contended, &of_other);
    contend(win, 1);
    CHECK_EQ(told.times, rank == 1);
    CHECK_EQ(of_other.times, 0);
    if (rank == 1) {
        CHECK_EQ(told.ints[0], 0);
        CHECK_EQ(told.ints[1], 0);
        CHECK_EQ(told.safety, MPI_T_CB_REQUIRE_MPI_RESTRICTED);
    }
    contend(other, 2);
    CHECK_EQ(told.times, rank == 1);
    CHECK_EQ(of_other.times, rank == 1);
    /* Of several functions that of the lowest level that may be. */
    CHECK_EQ(MPI_T_event_register_callback(first, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, &both, contended), MPI_SUCCESS);
    contend(win, 3);
    CHECK_EQ(told.times, 2 * (rank == 1));
    CHECK_EQ(both.times, 0);
    end(first);
    end(second);
    OK(MPI_Win_free(&win));
    OK(MPI_Win_free(&other));
    anew();
}

static void messages(void)
{
    struct told told = {0};
    MPI_Comm comm;
    MPI_Status status;
    int value[3] = {1, 2, 3};
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    MPI_T_event_registration handle =
        hear("rmashm_message_unexpected", &comm, MPI_T_CB_REQUIRE_MPI_RESTRICTED, unexpected, &told);
    /* A probe finds no message that has met a receive. */
    if (rank == 1) {
        OK(MPI_Send(value, 1, MPI_INT, 0, 4, MPI_COMM_WORLD));
        OK(MPI_Send(value, 3, MPI_INT, 0, 5, comm));
    } else if (rank == 0) {
        OK(MPI_Probe(1, 4, MPI_COMM_WORLD, &status));
        OK(MPI_Probe(1, 5, comm, &status));
        CHECK_EQ(told.times, 1);
        CHECK_EQ(told.ints[0], 1);
        CHECK_EQ(told.ints[1], 5);
        CHECK_EQ(told.longs[2], 3 * sizeof(int));
        OK(MPI_Recv(value, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, &status));
        OK(MPI_Recv(value, 3, MPI_INT, 1, 5, comm, &status));
        CHECK_EQ(told.times, 1);
    }
    /* Neither is one for which a receive waits, nor one of a collective operation. */
    anew();
    MPI_Request request;
    if (rank == 0)
        OK(MPI_Irecv(value, 3, MPI_INT, 1, 6, comm, &request));
    OK(MPI_Barrier(comm));
    if (rank == 1)
        OK(MPI_Send(value, 3, MPI_INT, 0, 6, comm));
    if (rank == 0)
        OK(MPI_Wait(&request, &status));
    OK(MPI_Allreduce(MPI_IN_PLACE, value, 3, MPI_INT, MPI_SUM, comm));
    CHECK_EQ(told.times, rank == 0);
    end(handle);
    OK(MPI_Comm_free(&comm));
    anew();
}

static void set_long(unsigned long long nanoseconds)
{
    int index, count;
    MPI_T_cvar_handle handle;
    CHECK_EQ(MPI_T_cvar_get_index("rmashm_long_wait_ns", &index), MPI_SUCCESS);
    CHECK_EQ(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count), MPI_SUCCESS);
    CHECK_EQ(MPI_T_cvar_write(handle, &nanoseconds), MPI_SUCCESS);
    CHECK_EQ(MPI_T_cvar_handle_free(&handle), MPI_SUCCESS);
}

/* Rank 1 sends only when rank 0 has been told that it waits for long. */
static void waits(void)
{
    struct told told = {0}, late = {0};
    int value = 0;
    set_long(20 * 1000 * 1000);
    MPI_T_event_registration handle = hear("rmashm_long_wait", NULL, MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE, long_wait, &told);
    if (rank == 0) {
        OK(MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_EQ(told.times, 1);
        CHECK_EQ(told.ints[0], 1);
        CHECK(told.longs[1] >= 20 * 1000 * 1000);
        CHECK_EQ(told.safety, MPI_T_CB_REQUIRE_MPI_RESTRICTED);
        /* Others may have come to the barrier first. */
        end(handle);
    } else if (rank == 1) {
        await(0, 1);
        OK(MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD));
    }
    if (rank != 0)
        end(handle);
    anew();
    /* A function that may not be called in the wait is called after it. */
    MPI_T_event_registration again = hear("rmashm_long_wait", NULL, MPI_T_CB_REQUIRE_NONE, long_wait, &late);
    if (rank == 0) {
        MPI_Count before, now;
        CHECK_EQ(MPI_T_source_get_timestamp(1, &before), MPI_SUCCESS);
        OK(MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_EQ(MPI_T_source_get_timestamp(1, &now), MPI_SUCCESS);
        CHECK_EQ(late.times, 1);
        CHECK_EQ(late.safety, MPI_T_CB_REQUIRE_NONE);
        /* It happened while it waited. */
        CHECK(late.last > before && late.last < now);
    } else if (rank == 1) {
        struct timespec pause = {0, 60 * 1000 * 1000};
        nanosleep(&pause, NULL);
        OK(MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD));
    }
    end(again);
    anew();
}

static void memory(void)
{
    struct told told = {0}, not = {0};
    size_t bytes = 16 * 4096;
    MPI_T_event_registration handle = hear("rmashm_memory_adopted", NULL, MPI_T_CB_REQUIRE_MPI_RESTRICTED, adopted, &told);
    MPI_T_event_registration other = hear("rmashm_memory_refused", NULL, MPI_T_CB_REQUIRE_MPI_RESTRICTED, refused, &not);
    MPI_Info info;
    MPI_Win win;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "rmashm_adopt", "true"));
    for (int shared = 0; shared < 2; shared++) {
        int flags = MAP_ANONYMOUS | (shared ? MAP_SHARED : MAP_PRIVATE);
        char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
        CHECK(at != MAP_FAILED);
        memset(at, 1, bytes);
        OK(MPI_Win_create(at, (MPI_Aint)bytes, 1, info, MPI_COMM_WORLD, &win));
        CHECK_EQ(told.times, 1);
        CHECK_EQ(not.times, shared);
        struct told *last = shared ? &not : &told;
        CHECK_EQ(last->longs[0], (unsigned long long)(uintptr_t)at);
        CHECK_EQ(last->longs[1], bytes);
        OK(MPI_Win_free(&win));
        munmap(at, bytes);
    }
    CHECK_EQ(not.ints[2], 2);
    OK(MPI_Info_free(&info));
    end(handle);
    end(other);
    anew();
}

/* A function that makes more windows than there is room for what is told of them. */
static int greedy, lost, lost_calls;

static void make_many(MPI_T_event_instance instance, MPI_T_event_registration handle, MPI_T_cb_safety safety, void *data)
{
    (void)instance, (void)handle;
    CHECK_EQ(safety, MPI_T_CB_REQUIRE_NONE);
    CHECK_EQ(*(int *)data, 77);
    greedy++;
    for (int i = 0; greedy == 1 && i < 300; i++) {
        char byte;
        MPI_Win win;
        OK(MPI_Win_create(&byte, 1, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win));
        OK(MPI_Win_free(&win));
    }
}

static void dropped(MPI_Count count, MPI_T_event_registration handle, int source, MPI_T_cb_safety safety, void *data)
{
    (void)handle;
    CHECK_EQ(safety, MPI_T_CB_REQUIRE_NONE);
    CHECK_EQ(*(int *)data, 77);
    CHECK_EQ(source, 0);
    lost += (int)count;
    lost_calls++;
}

static void losses(void)
{
    int data = 77;
    char byte;
    MPI_Win win;
    MPI_T_event_registration handle = hear("rmashm_window_made", NULL, MPI_T_CB_REQUIRE_NONE, make_many, &data);
    CHECK_EQ(MPI_T_event_set_dropped_handler(handle, dropped), MPI_SUCCESS);
    OK(MPI_Win_create(&byte, 1, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win));
    OK(MPI_Win_free(&win));
    /* One has made 300 more: all are told, or counted. */
    int number;
    for (int i = 0; i < 3; i++)
        OK(MPI_Comm_size(MPI_COMM_WORLD, &number));
    CHECK_EQ(lost_calls, 1);
    CHECK(lost > 0);
    CHECK_EQ(greedy + lost, 301);
    end(handle);
}

/* A function that frees its handle, and makes another one. */
struct life {
    int events, frees, nested;
    MPI_T_event_registration next;
};

static void ended(MPI_T_event_registration handle, MPI_T_cb_safety safety, void *data)
{
    struct life *life = data;
    (void)handle, (void)safety;
    /* The function that freed it has returned. */
    CHECK_EQ(life->nested, 0);
    life->frees++;
}

static void count(MPI_T_event_instance instance, MPI_T_event_registration handle, MPI_T_cb_safety safety, void *data)
{
    (void)instance, (void)handle, (void)safety;
    ((struct life *)data)->events++;
}

static void frees(MPI_T_event_instance instance, MPI_T_event_registration handle, MPI_T_cb_safety safety, void *data)
{
    struct life *life = data;
    int window;
    life->nested++;
    life->events++;
    CHECK_EQ(MPI_T_event_handle_free(handle, life, ended), MPI_SUCCESS);
    CHECK_EQ(life->frees, 0);
    CHECK_EQ(MPI_T_event_handle_free(handle, life, ended), MPI_T_ERR_INVALID_HANDLE);
    CHECK_EQ(MPI_T_event_read(instance, 0, &window), MPI_SUCCESS);
    life->next = hear("rmashm_window_made", NULL, safety, count, life);
    life->nested--;
}

static void lives(MPI_T_cb_safety safety)
{
    struct life life = {0};
    char byte;
    MPI_Win win;
    hear("rmashm_window_made", NULL, safety, frees, &life);
    for (int i = 1; i <= 3; i++) {
        OK(MPI_Win_create(&byte, 1, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win));
        CHECK_EQ(life.events, i);
        CHECK_EQ(life.frees, 1);
        OK(MPI_Win_free(&win));
    }
    /* Without its function it tells no more; freed outside of a function, the end is told at once. */
    CHECK_EQ(MPI_T_event_register_callback(life.next, safety, MPI_INFO_NULL, NULL, NULL), MPI_SUCCESS);
    OK(MPI_Win_create(&byte, 1, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win));
    OK(MPI_Win_free(&win));
    CHECK_EQ(life.events, 3);
    CHECK_EQ(MPI_T_event_handle_free(life.next, &life, ended), MPI_SUCCESS);
    CHECK_EQ(life.frees, 2);
}

/* What is told of all events, sources and their enumerations. */
static void descriptions(void)
{
    int number = -1, sources = -1, found = 0, categories = 0;
    CHECK_EQ(MPI_T_event_get_num(&number), MPI_SUCCESS);
    CHECK_EQ(number, 8);
    CHECK_EQ(MPI_T_source_get_num(&sources), MPI_SUCCESS);
    CHECK_EQ(sources, 2);
    for (int i = 0; i < number; i++) {
        char name[64], text[256], element[64];
        int name_length = sizeof name, text_length = sizeof text, verbosity = 0, elements = 1, bind = -1, items = 0, value = -1;
        MPI_T_enum names;
        MPI_Info info;
        MPI_Datatype types[2] = {MPI_DATATYPE_NULL, MPI_DATATYPE_NULL};
        CHECK_EQ(MPI_T_event_get_info(i, name, &name_length, &verbosity, types, NULL, &elements, &names, &info, text,
                                      &text_length, &bind), MPI_SUCCESS);
        CHECK_EQ(name_length, (int)strlen(name) + 1);
        CHECK_EQ(index_of(name), i);
        CHECK(elements >= 1 && types[0] != MPI_DATATYPE_NULL && types[1] == MPI_DATATYPE_NULL);
        OK(MPI_Info_free(&info));
        name_length = sizeof name;
        CHECK_EQ(MPI_T_enum_get_info(names, &items, name, &name_length), MPI_SUCCESS);
        CHECK_EQ(items, elements);
        for (int k = 0; k < items; k++) {
            int length = sizeof element;
            CHECK_EQ(MPI_T_enum_get_item(names, k, &value, element, &length), MPI_SUCCESS);
            CHECK_EQ(value, k);
            CHECK(length > 1);
        }
        CHECK_EQ(MPI_T_enum_get_item(names, items, &value, NULL, NULL), MPI_T_ERR_INVALID_ITEM);
    }
    for (int i = 0; i < sources; i++) {
        char name[64];
        int length = sizeof name;
        MPI_T_source_order order;
        MPI_Count ticks = 0, most = 0, now = 0, later = 0;
        CHECK_EQ(MPI_T_source_get_info(i, name, &length, NULL, NULL, &order, &ticks, &most, NULL), MPI_SUCCESS);
        CHECK_EQ(order, MPI_T_SOURCE_ORDERED);
        CHECK_EQ(ticks, 1000000000);
        CHECK_EQ(MPI_T_source_get_timestamp(i, &now), MPI_SUCCESS);
        CHECK_EQ(MPI_T_source_get_timestamp(i, &later), MPI_SUCCESS);
        CHECK(0 < now && now <= later && later <= most);
    }
    CHECK_EQ(MPI_T_category_get_num(&categories), MPI_SUCCESS);
    for (int i = 0; i < categories; i++) {
        int own = 0, indices[8];
        CHECK_EQ(MPI_T_category_get_num_events(i, &own), MPI_SUCCESS);
        CHECK_EQ(MPI_T_category_get_events(i, 8, indices), MPI_SUCCESS);
        for (int k = 1; k < own; k++)
            CHECK(indices[k] > indices[k - 1]);
        found += own;
    }
    CHECK_EQ(found, number);
}

static void errors(void)
{
    struct told told = {0};
    int made_index = index_of("rmashm_window_made"), lock_index = index_of("rmashm_lock_contended"), elements = -1;
    MPI_T_event_registration handle;
    MPI_Win none = MPI_WIN_NULL, win;
    MPI_Comm no_comm = MPI_COMM_NULL;
    MPI_Info info;
    char byte;
    CHECK_EQ(MPI_T_event_handle_alloc(8, NULL, MPI_INFO_NULL, &handle), MPI_T_ERR_INVALID_INDEX);
    CHECK_EQ(MPI_T_event_handle_alloc(made_index, NULL, MPI_INFO_NULL, NULL), MPI_T_ERR_INVALID);
    CHECK_EQ(MPI_T_event_handle_alloc(made_index, NULL, MPI_INFO_NULL, &handle), MPI_SUCCESS);
    CHECK_EQ(MPI_T_event_handle_alloc(lock_index, NULL, MPI_INFO_NULL, &handle), MPI_T_ERR_INVALID);
    CHECK_EQ(MPI_T_event_handle_alloc(lock_index, &none, MPI_INFO_NULL, &handle), MPI_T_ERR_INVALID_HANDLE);
    CHECK_EQ(MPI_T_event_handle_alloc(index_of("rmashm_message_unexpected"), &no_comm, MPI_INFO_NULL, &handle),
             MPI_T_ERR_INVALID_HANDLE);
    CHECK_EQ(MPI_T_event_register_callback(handle, (MPI_T_cb_safety)12345, MPI_INFO_NULL, &told, made), MPI_T_ERR_INVALID);
    CHECK_EQ(MPI_T_event_callback_get_info(handle, MPI_T_CB_REQUIRE_NONE, &info), MPI_T_ERR_INVALID_HANDLE);
    CHECK_EQ(MPI_T_event_callback_set_info(handle, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL), MPI_T_ERR_INVALID_HANDLE);
    CHECK_EQ(MPI_T_event_register_callback(handle, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, &told, made), MPI_SUCCESS);
    CHECK_EQ(MPI_T_event_callback_get_info(handle, MPI_T_CB_REQUIRE_MPI_RESTRICTED, &info), MPI_T_ERR_INVALID_HANDLE);
    CHECK_EQ(MPI_T_event_callback_get_info(handle, MPI_T_CB_REQUIRE_NONE, NULL), MPI_T_ERR_INVALID);
    CHECK_EQ(MPI_T_event_callback_get_info(handle, MPI_T_CB_REQUIRE_NONE, &info), MPI_SUCCESS);
    CHECK_EQ(MPI_T_event_callback_set_info(handle, MPI_T_CB_REQUIRE_NONE, info), MPI_SUCCESS);
    CHECK_EQ(MPI_T_event_handle_set_info(handle, info), MPI_SUCCESS);
    OK(MPI_Info_free(&info));
    CHECK_EQ(MPI_T_event_handle_get_info(handle, &info), MPI_SUCCESS);
    OK(MPI_Info_get_nkeys(info, &elements));
    CHECK_EQ(elements, 0);
    OK(MPI_Info_free(&info));
    CHECK_EQ(MPI_T_event_get_info(made_index, NULL, NULL, NULL, NULL, NULL, &elements, NULL, NULL, NULL, NULL, NULL),
             MPI_SUCCESS);
    CHECK_EQ(elements, 3);
    elements = -1;
    MPI_Datatype type;
    CHECK_EQ(MPI_T_event_get_info(made_index, NULL, NULL, NULL, &type, NULL, &elements, NULL, NULL, NULL, NULL, NULL),
             MPI_T_ERR_INVALID);
    end(handle);
    CHECK_EQ(MPI_T_event_handle_free(handle, NULL, NULL), MPI_T_ERR_INVALID_HANDLE);
    CHECK_EQ(MPI_T_event_set_dropped_handler(handle, dropped), MPI_T_ERR_INVALID_HANDLE);
    /* The last use of the interface ends what is left. */
    hear("rmashm_window_made", NULL, MPI_T_CB_REQUIRE_NONE, made, &told);
    CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
    OK(MPI_Win_create(&byte, 1, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win));
    OK(MPI_Win_free(&win));
    CHECK_EQ(told.times, 0);
}

static void suspect(MPI_T_event_instance instance, MPI_T_event_registration handle, MPI_T_cb_safety safety, void *data)
{
    int ranks, whom;
    (void)handle, (void)safety, (void)data;
    CHECK_EQ(MPI_T_event_read(instance, 0, &ranks), MPI_SUCCESS);
    CHECK_EQ(MPI_T_event_read(instance, 1, &whom), MPI_SUCCESS);
    fprintf(stderr, "told of a deadlock of %d ranks, of which this one waits for rank %d\n", ranks, whom);
}

int main(int argc, char **argv)
{
    int provided;
    CHECK_EQ(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), MPI_SUCCESS);
    /* A handle may be older than MPI. */
    struct told early = {0};
    MPI_T_event_registration first = handle_of("rmashm_window_made", NULL);
    check_start(&argc, &argv);
    if (argc > 1) {
        int value;
        hear("rmashm_deadlock_suspected", NULL, MPI_T_CB_REQUIRE_MPI_RESTRICTED, suspect, NULL);
        MPI_Recv(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return 1;
    }
    int *base, unit;
    MPI_Aint bytes;
    MPI_Win flags_win;
    OK(MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &flags_win));
    OK(MPI_Win_shared_query(flags_win, 0, &bytes, &unit, &base));
    flags = base;
    CHECK_EQ(MPI_T_event_register_callback(first, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, &early, made), MPI_SUCCESS);
    anew();
    windows(MPI_T_CB_REQUIRE_NONE);
    CHECK_EQ(early.times, 2);
    CHECK_EQ(MPI_T_event_register_callback(first, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, NULL, NULL), MPI_SUCCESS);
    windows(MPI_T_CB_REQUIRE_MPI_RESTRICTED);
    windows(MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE);
    CHECK_EQ(early.times, 2);
    held_up(first);
    end(first);
    anew();
    locks();
    messages();
    waits();
    memory();
    losses();
    lives(MPI_T_CB_REQUIRE_NONE);
    lives(MPI_T_CB_REQUIRE_MPI_RESTRICTED);
    descriptions();
    errors();
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_free(&flags_win));
    return check_end();
}
