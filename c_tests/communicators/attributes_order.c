/* ranks: 1 2 4 8 */
/* When callbacks of attributes are called, and with what, on communicators, datatypes and windows; those of MPI_COMM_SELF
 * at MPI_Finalize: the last set first, before anything else, so that they may use all of MPI; then those of MPI_COMM_WORLD, and
 * of predefined datatypes. */
#include "check.h"

enum { KEYS = 5 };

static char log_[200];
static int keys[KEYS], extras[KEYS];

/* What happens is written down: "+2" a copy, "-2" a deletion of attribute 2 (its extra state tells the number). */
static void note(char what, void *value, void *extra)
{
    char text[16];
    int number = *(int *)extra;
    CHECK_EQ((intptr_t)value, 100 + number);
    snprintf(text, sizeof text, "%c%d", what, number);
    CHECK(strlen(log_) + strlen(text) < sizeof log_);
    strcat(log_, text);
}

static int copied(void *extra, void *value, void *copy, int *flag)
{
    note('+', value, extra);
    /* Number 3 is not copied. */
    *flag = *(int *)extra != 3;
    *(void **)copy = value;
    return MPI_SUCCESS;
}

#define CALLBACKS(kind, type)                                                                          \
    static int kind##_copy(type object, int key, void *extra, void *value, void *copy, int *flag)      \
    {                                                                                                  \
        CHECK(object == kind##_old && key == keys[*(int *)extra]);                                     \
        return copied(extra, value, copy, flag);                                                       \
    }                                                                                                  \
    static int kind##_delete(type object, int key, void *value, void *extra)                           \
    {                                                                                                  \
        CHECK(object == kind##_new && key == keys[*(int *)extra]);                                     \
        note('-', value, extra);                                                                       \
        return MPI_SUCCESS;                                                                            \
    }

static MPI_Comm comm_old, comm_new;
static MPI_Datatype type_old, type_new;
static MPI_Win win_new, win_old;
CALLBACKS(comm, MPI_Comm)
CALLBACKS(type, MPI_Datatype)
CALLBACKS(win, MPI_Win)

static void *value_of(int number)
{
    return (void *)(intptr_t)(100 + number);
}

/* Each of these was noted, in whatever order. */
static void noted(const char *what, char sign)
{
    size_t n = strlen(what);
    CHECK_EQ(strlen(log_), 2 * n);
    for (size_t i = 0; i < n; i++) {
        char both[3] = {sign, what[i], 0};
        if (!strstr(log_, both))
            check_failed(__FILE__, __LINE__, "'%s' is not in '%s'", both, log_);
    }
    log_[0] = 0;
}

static void communicators(void)
{
    MPI_Comm dup;
    OK(MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &comm_old));
    for (int i = 0; i < KEYS; i++) {
        OK(MPI_Comm_create_keyval(comm_copy, comm_delete, &keys[i], &extras[i]));
        OK(MPI_Comm_set_attr(comm_old, keys[i], value_of(i)));
    }
    noted("", 0);
    OK(MPI_Comm_dup(comm_old, &dup));
    noted("01234", '+');
    comm_new = dup;
    OK(MPI_Comm_set_attr(dup, keys[1], value_of(1)));
    noted("1", '-');
    OK(MPI_Comm_delete_attr(dup, keys[4]));
    noted("4", '-');
    OK(MPI_Comm_free(&dup));
    noted("012", '-');
    comm_new = comm_old;
    OK(MPI_Comm_split(comm_old, 0, 0, &dup));
    OK(MPI_Comm_free(&dup));
    noted("", 0);
    OK(MPI_Comm_free(&comm_old));
    noted("01234", '-');
    for (int i = 0; i < KEYS; i++)
        OK(MPI_Comm_free_keyval(&keys[i]));
}

static void datatypes(void)
{
    OK(MPI_Type_contiguous(3, MPI_INT, &type_old));
    for (int i = 0; i < KEYS; i++) {
        OK(MPI_Type_create_keyval(type_copy, type_delete, &keys[i], &extras[i]));
        OK(MPI_Type_set_attr(type_old, keys[i], value_of(i)));
    }
    OK(MPI_Type_dup(type_old, &type_new));
    noted("01234", '+');
    OK(MPI_Type_delete_attr(type_new, keys[0]));
    noted("0", '-');
    OK(MPI_Type_free(&type_new));
    noted("124", '-');
    type_new = type_old;
    OK(MPI_Type_free(&type_old));
    noted("01234", '-');
    for (int i = 0; i < KEYS; i++)
        OK(MPI_Type_free_keyval(&keys[i]));
}

static void windows(void)
{
    MPI_Win win;
    void *base;
    OK(MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    win_new = win_old = win;
    for (int i = 0; i < KEYS; i++) {
        OK(MPI_Win_create_keyval(win_copy, win_delete, &keys[i], &extras[i]));
        OK(MPI_Win_set_attr(win, keys[i], value_of(i)));
    }
    OK(MPI_Win_set_attr(win, keys[2], value_of(2)));
    noted("2", '-');
    OK(MPI_Win_free(&win));
    noted("01234", '-');
    for (int i = 0; i < KEYS; i++)
        OK(MPI_Win_free_keyval(&keys[i]));
}

/* At the end MPI still works: messages, windows, communicators, with the others. Number 2 was set again: as if it had
 * been deleted and set (MPI 4.1 section 7.7.2), so that it was set last. MPICH leaves it in its place. */
static int last(MPI_Comm object, int key, void *value, void *extra)
{
#ifdef RMASHM
    static const int order[KEYS] = {2, 4, 3, 1, 0};
#else
    static const int order[KEYS] = {4, 3, 2, 1, 0};
#endif
    static int calls;
    int number = *(int *)extra, running = 0, over = 1, sum = -1;
    MPI_Comm dup;
    (void)key;
    if (!value)
        return MPI_SUCCESS; /* what was set before the second time */
    CHECK(object == MPI_COMM_SELF);
    CHECK_EQ((intptr_t)value, 100 + number);
    CHECK_EQ(number, order[calls]);
    calls++;
    OK(MPI_Initialized(&running));
    OK(MPI_Finalized(&over));
    CHECK(running && !over);
    OK(MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_EQ(sum, number * size);
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    OK(MPI_Comm_free(&dup));
    if (calls == KEYS)
        strcpy(log_, "all");
    return MPI_SUCCESS;
}

/* After all of MPI_COMM_SELF. */
static int last_of_world(MPI_Comm object, int key, void *value, void *extra)
{
    static int calls;
    int number = *(int *)extra, sum = -1;
    (void)key;
    CHECK(object == MPI_COMM_WORLD && strcmp(log_, "all") == 0);
    CHECK_EQ((intptr_t)value, 100 + number);
    CHECK_EQ(number, KEYS - 1 - calls);
    calls++;
    OK(MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_EQ(sum, number * size);
    if (calls == KEYS)
        strcpy(log_, "both");
    return MPI_SUCCESS;
}

static int last_of_types(MPI_Datatype object, int key, void *value, void *extra)
{
    static int calls;
    (void)key, (void)value, (void)extra;
    CHECK((object == MPI_INT || object == MPI_SHORT_INT || object == MPI_DOUBLE) && strcmp(log_, calls ? "one" : "both") == 0);
    strcpy(log_, calls++ ? "everything" : "one");
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    for (int i = 0; i < KEYS; i++)
        extras[i] = i;
    communicators();
    datatypes();
    windows();
    for (int i = 0; i < KEYS; i++) {
        OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, last, &keys[i], &extras[i]));
        OK(MPI_Comm_set_attr(MPI_COMM_SELF, keys[i], i == 2 ? NULL : value_of(i)));
    }
    OK(MPI_Comm_set_attr(MPI_COMM_SELF, keys[2], value_of(2)));
    for (int i = 0; i < KEYS; i++)
        OK(MPI_Comm_free_keyval(&keys[i]));
    for (int i = 0; i < KEYS; i++) {
        OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, last_of_world, &keys[i], &extras[i]));
        OK(MPI_Comm_set_attr(MPI_COMM_WORLD, keys[i], value_of(i)));
        OK(MPI_Comm_free_keyval(&keys[i]));
    }
    OK(MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, last_of_types, &keys[0], NULL));
    OK(MPI_Type_set_attr(MPI_INT, keys[0], NULL));
#ifdef RMASHM
    OK(MPI_Type_set_attr(MPI_SHORT_INT, keys[0], NULL)); /* MPICH 4.0 forgets those of pairs */
#else
    OK(MPI_Type_set_attr(MPI_DOUBLE, keys[0], NULL));
#endif
    OK(MPI_Finalize());
    /* printf, not CHECK: MPI is over. */
    if (strcmp(log_, "everything") != 0)
        printf("rank %d: not all callbacks were called\n", rank);
    return 0;
}
