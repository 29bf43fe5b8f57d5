/* ranks: 1 2 */
/* MPI_THREAD_MULTIPLE: threads set, delete and copy the same attribute of one communicator, and of one datatype, at the same time (MPI 4.1
 * sections 7.7, 11.6). Each value is deleted once, and none is copied after it was. */
#include "check.h"

#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 4, ROUNDS = 3000 };

struct value {
    atomic_int deleted;
};

static struct value values[THREADS][ROUNDS], copied = {0};
static MPI_Comm comm;
static MPI_Datatype type;
static int comm_key, type_key;

static int delete(void *value)
{
    int before = atomic_fetch_add(&((struct value *)value)->deleted, 1);
    CHECK(value == &copied || before == 0);
    return MPI_SUCCESS;
}

/* Threads that do the same at the same time find each other there. */
static void linger(void)
{
    for (volatile int i = 0; i < 200; i++)
        ;
}

static int comm_deleted(MPI_Comm object, int key, void *value, void *extra)
{
    (void)object, (void)key, (void)extra;
    linger();
    return delete(value);
}

static int type_deleted(MPI_Datatype object, int key, void *value, void *extra)
{
    (void)object, (void)key, (void)extra;
    linger();
    return delete(value);
}

static int type_copied(MPI_Datatype object, int key, void *extra, void *value, void *copy, int *flag)
{
    (void)object, (void)key, (void)extra;
    linger();
    CHECK(value == &copied || atomic_load(&((struct value *)value)->deleted) == 0);
    *(void **)copy = &copied;
    *flag = 1;
    return MPI_SUCCESS;
}

static void set_or_delete(int thread, int round)
{
    if (round % 4 == 3) {
        int code = MPI_Comm_delete_attr(comm, comm_key);
        if (code != MPI_SUCCESS)
            CHECK_CLASS(code, MPI_ERR_KEYVAL);
        code = MPI_Type_delete_attr(type, type_key);
        if (code != MPI_SUCCESS)
            CHECK_CLASS(code, MPI_ERR_KEYVAL);
    } else if (round % 2) {
        OK(MPI_Comm_set_attr(comm, comm_key, &values[thread][round]));
    } else {
        OK(MPI_Type_set_attr(type, type_key, &values[thread][round]));
    }
}

static void *work(void *argument)
{
    int thread = (int)(intptr_t)argument;
    for (int round = 0; round < ROUNDS; round++) {
        if (thread < THREADS - 1) {
            set_or_delete(thread, round);
        } else {
            MPI_Datatype copy;
            OK(MPI_Type_dup(type, &copy));
            OK(MPI_Type_free(&copy));
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    check_start_threads(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Comm_dup(MPI_COMM_SELF, &comm));
    OK(MPI_Type_dup(MPI_INT, &type));
    OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, comm_deleted, &comm_key, NULL));
    OK(MPI_Type_create_keyval(type_copied, type_deleted, &type_key, NULL));
    for (intptr_t t = 0; t < THREADS; t++)
        CHECK_EQ(pthread_create(&threads[t], NULL, work, (void *)t), 0);
    for (int t = 0; t < THREADS; t++)
        CHECK_EQ(pthread_join(threads[t], NULL), 0);
    OK(MPI_Comm_free(&comm));
    OK(MPI_Type_free(&type));
    for (int t = 0; t < THREADS - 1; t++)
        for (int round = 0; round < ROUNDS; round++)
            CHECK_EQ(atomic_load(&values[t][round].deleted), round % 4 != 3);
    OK(MPI_Comm_free_keyval(&comm_key));
    OK(MPI_Type_free_keyval(&type_key));
    return check_end();
}
