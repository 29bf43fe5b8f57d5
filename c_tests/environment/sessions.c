/* ranks: 1 3; launcher: mpiexec hydra; mpich: skip 4.0 gives no group for an unknown set, and does not restart after MPI_Finalize */
/* ranks: 1; launcher: alone; mpich: skip 4.0 gives no group for an unknown set, and does not restart after MPI_Finalize */
/* Sessions (MPI 4.1 section 11.3): opened before, beside and after the world model, again and again; their process sets,
 * info and error handlers. */
#include "check.h"

static int calls = 0;
static int last_class = MPI_SUCCESS;
static MPI_Session last_session = MPI_SESSION_NULL;

static void remember(MPI_Session *session, int *code, ...)
{
    calls++;
    last_session = *session;
    MPI_Error_class(*code, &last_class);
}

static MPI_Session open_session(const char *key, const char *value)
{
    MPI_Info info;
    MPI_Session session = MPI_SESSION_NULL;
    OK(MPI_Info_create(&info));
    if (key)
        OK(MPI_Info_set(info, key, value));
    OK(MPI_Session_init(info, MPI_ERRORS_RETURN, &session));
    OK(MPI_Info_free(&info));
    CHECK(session != MPI_SESSION_NULL);
    return session;
}

static void check_info(MPI_Session session, const char *key, const char *wanted)
{
    MPI_Info info;
    char value[MPI_MAX_INFO_VAL] = "";
    int length = sizeof value, found = 0;
    OK(MPI_Session_get_info(session, &info));
    OK(MPI_Info_get_string(info, key, &length, value, &found));
    CHECK(found);
    CHECK(strcmp(value, wanted) == 0);
    OK(MPI_Info_free(&info));
}

static void check_group(MPI_Session session, const char *pset, int wanted_size)
{
    MPI_Group group;
    MPI_Info info;
    char value[32];
    int length = sizeof value, found = 0, group_size = -1, group_rank = -1;
    OK(MPI_Group_from_session_pset(session, pset, &group));
    OK(MPI_Group_size(group, &group_size));
    OK(MPI_Group_rank(group, &group_rank));
    CHECK(group_rank >= 0 && group_rank < group_size);
    CHECK(wanted_size == 0 || wanted_size == group_size);
    OK(MPI_Session_get_pset_info(session, pset, &info));
    OK(MPI_Info_get_string(info, "mpi_size", &length, value, &found));
    CHECK(found);
    CHECK_EQ(atoi(value), group_size);
    OK(MPI_Info_free(&info));
    OK(MPI_Group_free(&group));
}

static void check_psets(MPI_Session session)
{
    char name[MPI_MAX_PSET_NAME_LEN];
    int number = 0, world = 0, self = 0, length;
    OK(MPI_Session_get_num_psets(session, MPI_INFO_NULL, &number));
    CHECK(number >= 2);
    for (int n = 0; n < number; n++) {
        length = 0;
        OK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, n, &length, NULL));
        CHECK(length > 1 && length <= MPI_MAX_PSET_NAME_LEN);
        int needed = length;
        memset(name, 'x', sizeof name);
        OK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, n, &length, name));
        CHECK_EQ(length, needed);
        CHECK_EQ(strlen(name), needed - 1);
        CHECK_EQ(name[needed], 'x');
        world += strcmp(name, "mpi://WORLD") == 0;
        self += strcmp(name, "mpi://SELF") == 0;

        char cut[8] = "yyyyyyy";
        length = 5;
        OK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, n, &length, cut));
        CHECK_EQ(length, needed);
        CHECK_BYTES(cut, "mpi:\0yy", 7);
    }
    CHECK_EQ(world, 1);
    CHECK_EQ(self, 1);
    length = 0;
    CHECK_CLASS(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, number, &length, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, -1, &length, NULL), MPI_ERR_ARG);
    length = -1;
    CHECK_CLASS(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &length, name), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Session_get_num_psets(session, MPI_INFO_NULL, NULL), MPI_ERR_ARG);

    check_group(session, "mpi://SELF", 1);
    check_group(session, "mpi://WORLD", size > 0 ? size : 0);
    MPI_Group group = MPI_GROUP_EMPTY;
    CHECK_CLASS(MPI_Group_from_session_pset(session, "mpi://nobody", &group), MPI_ERR_ARG);
    CHECK(group == MPI_GROUP_NULL);
    MPI_Info info;
    CHECK_CLASS(MPI_Session_get_pset_info(session, "mpi://nobody", &info), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Session_get_pset_info(session, NULL, &info), MPI_ERR_ARG);
}

static void check_handlers(MPI_Session session)
{
    MPI_Errhandler handler, now;
    MPI_Group group;
    OK(MPI_Session_create_errhandler(remember, &handler));
    OK(MPI_Session_set_errhandler(session, handler));
    OK(MPI_Session_get_errhandler(session, &now));
    CHECK(now == handler);
    OK(MPI_Errhandler_free(&now));
    OK(MPI_Errhandler_free(&handler));
    calls = 0;
    CHECK_CLASS(MPI_Group_from_session_pset(session, NULL, &group), MPI_ERR_ARG);
    CHECK_EQ(calls, 1);
    CHECK_EQ(last_class, MPI_ERR_ARG);
    CHECK(last_session == session);
    OK(MPI_Session_call_errhandler(session, MPI_ERR_IO));
    CHECK_EQ(calls, 2);
    CHECK_EQ(last_class, MPI_ERR_IO);
    OK(MPI_Session_set_errhandler(session, MPI_ERRORS_RETURN));
    CHECK_CLASS(MPI_Session_set_errhandler(session, MPI_ERRHANDLER_NULL), MPI_ERR_ERRHANDLER);
}

/* Errors of MPI_Session_init go to the handler that it is given. */
static void check_refused(void)
{
    MPI_Session session = MPI_SESSION_NULL;
    MPI_Errhandler handler;
    MPI_Info info;
    CHECK_CLASS(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, NULL), MPI_ERR_ARG);
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "thread_level", "many"));
    CHECK_CLASS(MPI_Session_init(info, MPI_ERRORS_RETURN, &session), MPI_ERR_INFO_VALUE);
    OK(MPI_Info_set(info, "thread_level", "MPI_THREAD_SERIALIZED"));
    OK(MPI_Info_set(info, "mpi_memory_alloc_kinds", "system,,mpi"));
    OK(MPI_Session_create_errhandler(remember, &handler));
    calls = 0;
    CHECK_CLASS(MPI_Session_init(info, handler, &session), MPI_ERR_INFO_VALUE);
    CHECK_EQ(calls, 1);
    CHECK_EQ(last_class, MPI_ERR_INFO_VALUE);
    CHECK(last_session == MPI_SESSION_NULL && session == MPI_SESSION_NULL);
    OK(MPI_Errhandler_free(&handler));
    OK(MPI_Info_free(&info));
}

/* What may be called at any time. */
static void check_any_time(void)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int major = 0, minor = 0, length = 0, class;
    OK(MPI_Get_version(&major, &minor));
    CHECK(major == MPI_VERSION);
    OK(MPI_Get_library_version(text, &length));
    CHECK_EQ(strlen(text), length);
    OK(MPI_Error_class(MPI_ERR_RANK, &class));
    CHECK_EQ(class, MPI_ERR_RANK);
    OK(MPI_Error_string(MPI_ERR_RANK, text, &length));
    MPI_Info info;
    OK(MPI_Info_create_env(0, NULL, &info));
    OK(MPI_Info_free(&info));
}

static void check_state(int wanted_initialized, int wanted_finalized)
{
    int initialized = -1, finalized = -1;
    OK(MPI_Initialized(&initialized));
    OK(MPI_Finalized(&finalized));
    CHECK_EQ(initialized, wanted_initialized);
    CHECK_EQ(finalized, wanted_finalized);
}

static void check_session(const char *level)
{
    MPI_Session session = open_session("thread_level", level);
    check_info(session, "thread_level", level);
    check_psets(session);
    check_handlers(session);
    MPI_Session copy = session;
    OK(MPI_Session_finalize(&session));
    CHECK(session == MPI_SESSION_NULL);
    MPI_Session kept = open_session(NULL, NULL);
    OK(MPI_Session_finalize(&kept));
    CHECK(copy != MPI_SESSION_NULL);
}

int main(int argc, char **argv)
{
    check_any_time();
    check_state(0, 0);
    check_refused();
    for (int n = 0; n < 5; n++)
        check_session("MPI_THREAD_SINGLE");
    check_state(0, 0);
    check_any_time();

    /* Two at the same time, and the world model between them. */
    MPI_Session outer = open_session("thread_level", "MPI_THREAD_FUNNELED");
    MPI_Session inner = open_session("thread_level", "MPI_THREAD_MULTIPLE");
    CHECK(outer != inner);
    check_info(outer, "thread_level", "MPI_THREAD_FUNNELED");
    check_info(inner, "thread_level", "MPI_THREAD_MULTIPLE");
    check_state(0, 0);
    check_start(&argc, &argv);
    check_state(1, 0);
    int level = -1;
    OK(MPI_Query_thread(&level));
    CHECK_EQ(level, MPI_THREAD_SINGLE);
    check_psets(outer);

    /* The group of mpi://WORLD is MPI_COMM_WORLD's. */
    MPI_Group world, all;
    int same = MPI_UNEQUAL;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_from_session_pset(inner, "mpi://WORLD", &all));
    OK(MPI_Group_compare(world, all, &same));
    CHECK_EQ(same, MPI_IDENT);
    OK(MPI_Group_free(&world));
    OK(MPI_Group_free(&all));

    OK(MPI_Session_finalize(&inner));
    barrier();
    int mine = rank, sum = -1;
    OK(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_EQ(sum, size * (size - 1) / 2);

    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    MPI_Session null = MPI_SESSION_NULL;
    int number;
    CHECK_CLASS(MPI_Session_finalize(&null), MPI_ERR_SESSION);
    CHECK_CLASS(MPI_Session_finalize(NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Session_get_num_psets(null, MPI_INFO_NULL, &number), MPI_ERR_SESSION);

    OK(MPI_Finalize());
    check_state(1, 1);
    check_psets(outer);
    check_handlers(outer);
    OK(MPI_Session_finalize(&outer));
    for (int n = 0; n < 5; n++)
        check_session("MPI_THREAD_SERIALIZED");
    check_state(1, 1);
    check_any_time();
    return 0;
}
