/* ranks: 2 4; mpich: skip the events are rmashm's own */
/* ranks: 2; name: deadlock; args: deadlock; expect-exit: 55; expect-stderr: told of a deadlock of 2 ranks, of which this one waits for rank 1; expect-stderr: deadlock: all ranks wait in MPI; mpich: skip it hangs */
/* Events of the tool information interface (MPI 4.1 section 15.3.8): each kind happens and is told, to handles of its object
 * alone; what functions of each safety level may do, and when they are called. (What handles are: event_handles.c.) */
#include "events.h"

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
    CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_free(&flags_win));
    return check_end();
}
