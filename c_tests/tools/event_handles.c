/* ranks: 1 2; mpich: skip the events are rmashm's own */
/* Handles of events (MPI 4.1 section 15.3.8): events that are lost, functions that free their handle, what is told of all events and
 * sources, wrong arguments, and what the last use of the interface ends. (That events happen and are told: events.c.) */
#include "events.h"

/* Counts. */
static void made(MPI_T_event_instance instance, MPI_T_event_registration handle, MPI_T_cb_safety safety, void *data)
{
    (void)instance, (void)handle, (void)safety;
    ++*(int *)data;
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

static struct life brief;

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

/* What is told of losses is told once, and frees the handle. */
static void free_at_loss(MPI_Count number, MPI_T_event_registration handle, int source, MPI_T_cb_safety safety, void *data)
{
    int window;
    (void)source, (void)safety;
    CHECK(number > 0 && data == &brief);
    brief.nested++;
    CHECK_EQ(MPI_T_event_handle_free(handle, &brief, ended), MPI_SUCCESS);
    CHECK_EQ(brief.frees, 0);
    CHECK_EQ(MPI_T_event_read(NULL, 0, &window), MPI_T_ERR_INVALID_HANDLE);
    brief.nested--;
}

static void make_many_once(MPI_T_event_instance instance, MPI_T_event_registration handle, MPI_T_cb_safety safety, void *data)
{
    (void)instance, (void)handle, (void)safety, (void)data;
    int most = brief.events++ == 0 ? 300 : 0;
    for (int i = 0; i < most; i++) {
        char byte;
        MPI_Win win;
        OK(MPI_Win_create(&byte, 1, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win));
        OK(MPI_Win_free(&win));
    }
}

static void lost_and_freed(void)
{
    char byte;
    MPI_Win win;
    int number;
    MPI_T_event_registration handle = hear("rmashm_window_made", NULL, MPI_T_CB_REQUIRE_NONE, make_many_once, &brief);
    CHECK_EQ(MPI_T_event_set_dropped_handler(handle, free_at_loss), MPI_SUCCESS);
    OK(MPI_Win_create(&byte, 1, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win));
    OK(MPI_Win_free(&win));
    for (int i = 0; i < 3; i++)
        OK(MPI_Comm_size(MPI_COMM_WORLD, &number));
    CHECK_EQ(brief.frees, 1);
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
    int told = 0, made_index = index_of("rmashm_window_made"), lock_index = index_of("rmashm_lock_contended"), elements = -1;
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
    CHECK_EQ(told, 0);
}

int main(int argc, char **argv)
{
    int provided;
    CHECK_EQ(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), MPI_SUCCESS);
    check_start(&argc, &argv);
    losses();
    lost_and_freed();
    lives(MPI_T_CB_REQUIRE_NONE);
    lives(MPI_T_CB_REQUIRE_MPI_RESTRICTED);
    descriptions();
    errors();
    return check_end();
}
