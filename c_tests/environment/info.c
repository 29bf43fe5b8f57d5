/* ranks: 1 2 4 8 */
/* Info objects: setting, getting, order, copies, MPI_INFO_ENV, and what is refused. */
#include "check.h"

static void get_is(MPI_Info info, const char *key, const char *wanted)
{
    char value[MPI_MAX_INFO_VAL + 1];
    int flag = -1, length = -1;
    memset(value, '#', sizeof value);
    OK(MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &flag));
    CHECK_EQ(flag, wanted != NULL);
    if (wanted)
        CHECK(strcmp(value, wanted) == 0);
    else
        CHECK(value[0] == '#');
    OK(MPI_Info_get_valuelen(info, key, &length, &flag));
    CHECK_EQ(flag, wanted != NULL);
    if (wanted)
        CHECK_EQ(length, strlen(wanted));
#if MPI_VERSION >= 4
    int room = sizeof value;
    memset(value, '#', sizeof value);
    OK(MPI_Info_get_string(info, key, &room, value, &flag));
    CHECK_EQ(flag, wanted != NULL);
    if (wanted)
        CHECK(room == (int)strlen(wanted) + 1 && strcmp(value, wanted) == 0);
    else
        CHECK(room == (int)sizeof value && value[0] == '#');
#endif
}

static void keys(void)
{
    MPI_Info info, dup;
    char key[MPI_MAX_INFO_KEY + 1];
    int n = -1, i;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_get_nkeys(info, &n));
    CHECK_EQ(n, 0);
    get_is(info, "missing", NULL);
    OK(MPI_Info_set(info, "one", "1"));
    OK(MPI_Info_set(info, "two", "a value with blanks"));
    OK(MPI_Info_set(info, "three", "3"));
    OK(MPI_Info_set(info, "One", "another key"));
    OK(MPI_Info_set(info, "one", "changed"));
    OK(MPI_Info_get_nkeys(info, &n));
    CHECK_EQ(n, 4);
    get_is(info, "one", "changed");
    get_is(info, "One", "another key");
    get_is(info, "two", "a value with blanks");
    OK(MPI_Info_dup(info, &dup));
    OK(MPI_Info_delete(info, "two"));
    get_is(info, "two", NULL);
    get_is(dup, "two", "a value with blanks");
    OK(MPI_Info_get_nkeys(info, &n));
    CHECK_EQ(n, 3);
    /* Every key once, the same order in the copy. */
    OK(MPI_Info_set(dup, "two", "x"));
    OK(MPI_Info_delete(dup, "two"));
    for (i = 0; i < n; i++) {
        char same[MPI_MAX_INFO_KEY + 1];
        OK(MPI_Info_get_nthkey(info, i, key));
        OK(MPI_Info_get_nthkey(dup, i, same));
        CHECK(strcmp(key, same) == 0);
        CHECK(strcmp(key, "one") == 0 || strcmp(key, "three") == 0 || strcmp(key, "One") == 0);
    }
    OK(MPI_Info_free(&info));
    CHECK(info == MPI_INFO_NULL);
    get_is(dup, "three", "3");
    OK(MPI_Info_free(&dup));
}

static void lengths(void)
{
    MPI_Info info;
    char key[MPI_MAX_INFO_KEY + 2], value[MPI_MAX_INFO_VAL + 2], short_value[8];
    int flag = -1;
    OK(MPI_Info_create(&info));
    memset(key, 'k', sizeof key);
    memset(value, 'v', sizeof value);
    key[MPI_MAX_INFO_KEY - 1] = 0;
    value[MPI_MAX_INFO_VAL - 1] = 0;
    OK(MPI_Info_set(info, key, value));
    get_is(info, key, value);
    OK(MPI_Info_delete(info, key));
    /* Cut to the room there is. */
    OK(MPI_Info_set(info, "key", "0123456789"));
#ifdef RMASHM /* MPICH 4.0 refuses it, against MPI 4.1 §10 */
    memset(short_value, '#', sizeof short_value);
    OK(MPI_Info_get(info, "key", 4, short_value, &flag));
    CHECK(flag && memcmp(short_value, "0123\0###", 8) == 0);
#endif
#if MPI_VERSION >= 4
    int room = 4;
    memset(short_value, '#', sizeof short_value);
    OK(MPI_Info_get_string(info, "key", &room, short_value, &flag));
    CHECK(flag && room == 11 && memcmp(short_value, "012\0####", 8) == 0);
    room = 0; /* nothing is written */
    OK(MPI_Info_get_string(info, "key", &room, short_value, &flag));
    CHECK(flag && room == 11 && short_value[3] == 0);
#endif
    OK(MPI_Info_free(&info));
}

#ifdef RMASHM
/* How many processes run this one's program: a command line may have several. */
static int of_the_program(void)
{
    int *given, mine, count = 0, flag = 0;
    int all[64];
    CHECK(size <= 64);
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &given, &flag));
    mine = flag ? *given : 0;
    OK(MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD));
    for (int i = 0; i < size; i++)
        count += all[i] == mine;
    return count;
}
#endif

static void environment(int argc, char **argv)
{
    char value[MPI_MAX_INFO_VAL + 1];
    int flag = -1, n = -1;
    MPI_Info info;
    OK(MPI_Info_dup(MPI_INFO_ENV, &info));
    OK(MPI_Info_free(&info));
    OK(MPI_Info_get_nkeys(MPI_INFO_ENV, &n));
#ifdef RMASHM
    get_is(MPI_INFO_ENV, "command", argv[0]);
    snprintf(value, sizeof value, "%d", of_the_program());
    get_is(MPI_INFO_ENV, "maxprocs", value);
    OK(MPI_Info_get(MPI_INFO_ENV, "wdir", MPI_MAX_INFO_VAL, value, &flag));
    CHECK(flag && value[0] == '/');
    OK(MPI_Info_get(MPI_INFO_ENV, "host", MPI_MAX_INFO_VAL, value, &flag));
    CHECK(flag && value[0] != 0);
    OK(MPI_Info_create_env(argc, argv, &info));
    get_is(info, "command", argv[0]);
    OK(MPI_Info_set(info, "command", "may be changed"));
    OK(MPI_Info_free(&info));
    CHECK_CLASS(MPI_Info_set(MPI_INFO_ENV, "key", "value"), MPI_ERR_INFO);
    info = MPI_INFO_ENV;
    CHECK_CLASS(MPI_Info_free(&info), MPI_ERR_INFO);
#else
    (void)argc, (void)argv, (void)value, (void)flag;
#endif
}

static void errors(void)
{
    MPI_Info info, null = MPI_INFO_NULL;
    char key[MPI_MAX_INFO_KEY + 2], value[MPI_MAX_INFO_VAL + 2];
    int number = -1, flag = -1;
    OK(MPI_Info_create(&info));
    CHECK_CLASS(MPI_Info_delete(info, "key"), MPI_ERR_INFO_NOKEY);
    CHECK_CLASS(MPI_Info_get_nthkey(info, 0, key), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Info_get_nthkey(info, -1, key), MPI_ERR_ARG);
    memset(key, 'k', sizeof key);
    memset(value, 'v', sizeof value);
    key[sizeof key - 1] = value[sizeof value - 1] = 0;
    CHECK_CLASS(MPI_Info_set(info, key, "value"), MPI_ERR_INFO_KEY);
    CHECK_CLASS(MPI_Info_set(info, "key", value), MPI_ERR_INFO_VALUE);
#ifdef RMASHM
    MPI_Info freed = info;
    CHECK_CLASS(MPI_Info_set(MPI_INFO_NULL, "key", "value"), MPI_ERR_INFO);
    CHECK_CLASS(MPI_Info_get(MPI_INFO_NULL, "key", 4, value, &flag), MPI_ERR_INFO);
    CHECK_CLASS(MPI_Info_get_nkeys(MPI_INFO_NULL, &number), MPI_ERR_INFO);
    CHECK_CLASS(MPI_Info_delete(MPI_INFO_NULL, "key"), MPI_ERR_INFO);
    CHECK_CLASS(MPI_Info_dup(MPI_INFO_NULL, &null), MPI_ERR_INFO);
    CHECK_CLASS(MPI_Info_free(&null), MPI_ERR_INFO);
    CHECK_SENTENCE(MPI_Info_set(info, "", "value"), MPI_ERR_INFO_KEY, "key is empty");
    CHECK_CLASS(MPI_Info_set(info, NULL, "value"), MPI_ERR_INFO_KEY);
    CHECK_CLASS(MPI_Info_set(info, "key", NULL), MPI_ERR_INFO_VALUE);
    CHECK_CLASS(MPI_Info_get(info, NULL, 4, value, &flag), MPI_ERR_INFO_KEY);
    CHECK_CLASS(MPI_Info_get(info, "key", -1, value, &flag), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Info_get(info, "key", 4, NULL, &flag), MPI_ERR_INFO_VALUE);
    CHECK_CLASS(MPI_Info_get(info, "key", 4, value, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Info_get_string(info, "key", NULL, value, &flag), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Info_get_valuelen(info, "key", NULL, &flag), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Info_get_nkeys(info, NULL), MPI_ERR_ARG);
    CHECK_SENTENCE(MPI_Info_get_nthkey(info, 7, key), MPI_ERR_ARG, "n is 7");
    CHECK_CLASS(MPI_Info_create(NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Info_free(NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Info_set((MPI_Info)MPI_COMM_WORLD, "key", "value"), MPI_ERR_INFO);
    OK(MPI_Info_free(&info));
    CHECK_CLASS(MPI_Info_set(freed, "key", "value"), MPI_ERR_INFO);
    CHECK_CLASS(MPI_Info_free(&freed), MPI_ERR_INFO);
#else
    (void)null, (void)number, (void)flag;
    OK(MPI_Info_free(&info));
#endif
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    keys();
    lengths();
    environment(argc, argv);
    errors();
    return check_end();
}
