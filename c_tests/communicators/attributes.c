/* ranks: 1 2 4 8 */
/* Attributes of communicators: callbacks, copies, refusals, predefined ones, and those of MPI_COMM_SELF at the end. */
#include "check.h"

static int copies, deletes, refuse;
static char order[64];

static int copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)key;
    copies++;
    CHECK(extra == (void *)&order);
    if (refuse)
        return MPI_ERR_OTHER;
    *(void **)out = (char *)in + 1;
    *flag = 1;
    return MPI_SUCCESS;
}

static int delete(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value;
    CHECK(extra == (void *)&order);
    deletes++;
    return refuse ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int note(MPI_Comm comm, int key, void *value, void *extra)
{
    int flag = -1;
    (void)key, (void)extra;
    CHECK(comm == MPI_COMM_SELF);
    /* MPI still works. */
    CHECK(MPI_Finalized(&flag) == MPI_SUCCESS && !flag);
    CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &flag) == MPI_SUCCESS && flag == rank);
    order[strlen(order)] = *(char *)value;
    return MPI_SUCCESS;
}

static char values[] = "abcdefgh";

static void *get(MPI_Comm comm, int key)
{
    void *value = NULL;
    int flag = -1;
    OK(MPI_Comm_get_attr(comm, key, &value, &flag));
    return flag ? value : NULL;
}

static void set_get_delete(void)
{
    int key = MPI_KEYVAL_INVALID, second = MPI_KEYVAL_INVALID, old;
    MPI_Comm comm, dup;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_create_keyval(copy, delete, &key, &order));
    OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &second, NULL));
    CHECK(key != second && key != MPI_KEYVAL_INVALID);
    CHECK(get(comm, key) == NULL);
    OK(MPI_Comm_set_attr(comm, key, &values[0]));
    OK(MPI_Comm_set_attr(comm, second, &values[5]));
    CHECK(get(comm, key) == &values[0] && get(comm, second) == &values[5]);
    CHECK(get(MPI_COMM_WORLD, key) == NULL);
    OK(MPI_Comm_set_attr(comm, key, &values[1]));
    CHECK(deletes == 1 && get(comm, key) == &values[1]);

    OK(MPI_Comm_dup(comm, &dup));
    CHECK(copies == 1 && get(dup, key) == &values[2] && get(dup, second) == NULL);
    CHECK(get(comm, key) == &values[1]);
    OK(MPI_Comm_free(&dup));
    CHECK_EQ(deletes, 2);
    /* A split has no attributes. */
    OK(MPI_Comm_split(comm, 0, 0, &dup));
    CHECK(copies == 1 && get(dup, key) == NULL);
    OK(MPI_Comm_free(&dup));

    /* A key freed early still finds what is there. */
    old = key;
    OK(MPI_Comm_free_keyval(&key));
    CHECK(key == MPI_KEYVAL_INVALID);
    CHECK(get(comm, old) == &values[1]);
    OK(MPI_Comm_delete_attr(comm, old));
    CHECK_EQ(deletes, 3);
    OK(MPI_Comm_free_keyval(&second));
    OK(MPI_Comm_free(&comm));
    CHECK_EQ(deletes, 3);

    OK(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL));
    OK(MPI_Comm_set_attr(MPI_COMM_SELF, key, &values[3]));
    OK(MPI_Comm_dup(MPI_COMM_SELF, &dup));
    CHECK(get(dup, key) == &values[3]);
    OK(MPI_Comm_free(&dup));
    OK(MPI_Comm_delete_attr(MPI_COMM_SELF, key));
    OK(MPI_Comm_free_keyval(&key));
}

/* Callbacks that return an error: the call fails and changes nothing. */
static void refusals(void)
{
    int key;
    MPI_Comm comm, dup = MPI_COMM_NULL;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    OK(MPI_Comm_create_keyval(copy, delete, &key, &order));
    OK(MPI_Comm_set_attr(comm, key, &values[0]));
    refuse = 1;
    CHECK(MPI_Comm_dup(comm, &dup) != MPI_SUCCESS);
    CHECK(dup == MPI_COMM_NULL);
    CHECK(MPI_Comm_delete_attr(comm, key) != MPI_SUCCESS);
    CHECK(MPI_Comm_set_attr(comm, key, &values[1]) != MPI_SUCCESS);
    CHECK(get(comm, key) == &values[0]);
    dup = comm;
    CHECK(MPI_Comm_free(&dup) != MPI_SUCCESS);
    CHECK(dup == comm);
    refuse = 0;
#ifdef RMASHM
    /* One process refuses: nobody gets a duplicate. */
    refuse = rank == 0;
    dup = MPI_COMM_NULL;
    CHECK(MPI_Comm_dup(comm, &dup) != MPI_SUCCESS);
    CHECK(dup == MPI_COMM_NULL);
    refuse = 0;
#endif
    OK(MPI_Comm_free(&comm));
    OK(MPI_Comm_free_keyval(&key));
}

static void predefined(void)
{
    int *value = get(MPI_COMM_WORLD, MPI_TAG_UB);
    CHECK(value && *value >= 32767);
    value = get(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL);
    CHECK(value && (*value == 0 || *value == 1));
    value = get(MPI_COMM_WORLD, MPI_LASTUSEDCODE);
    CHECK(value && *value >= MPI_ERR_LASTCODE);
    value = get(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE);
    CHECK(value == NULL || *value >= size);
    value = get(MPI_COMM_WORLD, MPI_IO);
    CHECK(value != NULL);
    value = get(MPI_COMM_WORLD, MPI_HOST);
    CHECK(value && *value == MPI_PROC_NULL);
    value = get(MPI_COMM_WORLD, MPI_APPNUM);
    CHECK(value == NULL || *value >= 0);
}

static void deprecated(void)
{
#ifdef RMASHM
    int key, flag = -1;
    void *value = NULL;
    OK(MPI_Keyval_create(MPI_DUP_FN, MPI_NULL_DELETE_FN, &key, NULL));
    OK(MPI_Attr_put(MPI_COMM_SELF, key, &values[2]));
    OK(MPI_Attr_get(MPI_COMM_SELF, key, &value, &flag));
    CHECK(flag && value == &values[2]);
    OK(MPI_Attr_delete(MPI_COMM_SELF, key));
    OK(MPI_Keyval_free(&key));
    CHECK(key == MPI_KEYVAL_INVALID);
#endif
}

static void errors(void)
{
    int key, of_win, invalid = MPI_KEYVAL_INVALID, flag = -1;
    void *value;
    OK(MPI_Comm_create_keyval(copy, delete, &key, &order));
    OK(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &of_win, NULL));
    CHECK_CLASS(MPI_Comm_set_attr(MPI_COMM_NULL, key, NULL), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_get_attr(MPI_COMM_NULL, key, &value, &flag), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_delete_attr(MPI_COMM_NULL, key), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_set_attr(MPI_COMM_SELF, MPI_KEYVAL_INVALID, NULL), MPI_ERR_KEYVAL);
    CHECK_CLASS(MPI_Comm_get_attr(MPI_COMM_SELF, MPI_KEYVAL_INVALID, &value, &flag), MPI_ERR_KEYVAL);
    CHECK_CLASS(MPI_Comm_free_keyval(&invalid), MPI_ERR_KEYVAL);
#ifdef RMASHM
    int freed = key, tag = MPI_TAG_UB;
    CHECK_CLASS(MPI_Comm_set_attr(MPI_COMM_SELF, of_win, NULL), MPI_ERR_KEYVAL);
    CHECK_CLASS(MPI_Comm_free_keyval(&of_win), MPI_ERR_KEYVAL);
    CHECK_CLASS(MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_TAG_UB, NULL), MPI_ERR_KEYVAL);
    CHECK_CLASS(MPI_Comm_delete_attr(MPI_COMM_WORLD, MPI_TAG_UB), MPI_ERR_KEYVAL);
    CHECK_CLASS(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WIN_BASE, &value, &flag), MPI_ERR_KEYVAL);
    CHECK_CLASS(MPI_Comm_free_keyval(&tag), MPI_ERR_KEYVAL);
    CHECK_CLASS(MPI_Comm_delete_attr(MPI_COMM_SELF, key), MPI_ERR_KEYVAL);
    CHECK_CLASS(MPI_Comm_get_attr(MPI_COMM_SELF, key, NULL, &flag), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_get_attr(MPI_COMM_SELF, key, &value, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_create_keyval(copy, delete, NULL, NULL), MPI_ERR_ARG);
    OK(MPI_Comm_free_keyval(&key));
    CHECK_CLASS(MPI_Comm_free_keyval(&freed), MPI_ERR_KEYVAL);
    CHECK_CLASS(MPI_Comm_set_attr(MPI_COMM_SELF, freed, NULL), MPI_ERR_KEYVAL);
#else
    OK(MPI_Comm_free_keyval(&key));
#endif
    OK(MPI_Win_free_keyval(&of_win));
}

int main(int argc, char **argv)
{
    int key[3], i;
    check_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    set_get_delete();
    refusals();
    predefined();
    deprecated();
    errors();
    /* Those of MPI_COMM_SELF go in MPI_Finalize, the last set first, even when their keys are freed. */
    for (i = 0; i < 3; i++) {
        OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, note, &key[i], NULL));
        OK(MPI_Comm_set_attr(MPI_COMM_SELF, key[i], &values[i]));
        OK(MPI_Comm_free_keyval(&key[i]));
    }
    CHECK(MPI_Finalize() == MPI_SUCCESS);
    CHECK(strcmp(order, "cba") == 0);
    return 0;
}
