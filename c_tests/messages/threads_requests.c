/* ranks: 1 2; env: MALLOC_PERTURB_=170 */
/* Requests that one thread brings to completion and another waits for and frees at once, before the first is back from its
 * call. */
#include "check.h"
#include <pthread.h>
#include <sched.h>

enum { ROUNDS = 3000, PARTITIONS = 2 };

static MPI_Request request;
/* The round that the helper may complete; odd ones are generalized requests, even ones partitioned. */
static int round_to_complete, round_completed;

static int query(void *extra, MPI_Status *status)
{
    (void)extra;
    OK(MPI_Status_set_elements(status, MPI_INT, 0));
    OK(MPI_Status_set_cancelled(status, 0));
    return MPI_SUCCESS;
}

static int let_go(void *extra)
{
    ++*(int *)extra;
    return MPI_SUCCESS;
}

static int cancel(void *extra, int complete)
{
    (void)extra;
    (void)complete;
    return MPI_SUCCESS;
}

static void await(int *word, int value)
{
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) < value)
        sched_yield();
}

static void *help(void *none)
{
    for (int i = 1; i <= ROUNDS; i++) {
        await(&round_to_complete, i);
        if (i % 2 == 1)
            OK(MPI_Grequest_complete(request));
        else
            for (int part = 0; part < PARTITIONS; part++)
                OK(MPI_Pready(part, request));
        __atomic_store_n(&round_completed, i, __ATOMIC_RELEASE);
    }
    return none;
}

int main(int argc, char **argv)
{
    pthread_t helper;
    int freed = 0, out[PARTITIONS], in[PARTITIONS];
    MPI_Request receive, mine;

    check_start_threads(&argc, &argv);
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    CHECK_EQ(pthread_create(&helper, NULL, help, NULL), 0);
    for (int i = 1; i <= ROUNDS; i++) {
        if (i % 2 == 1) {
            OK(MPI_Grequest_start(query, let_go, cancel, &freed, &request));
        } else {
            for (int part = 0; part < PARTITIONS; part++) {
                out[part] = (int)mix(rank, PARTITIONS * i + part);
                in[part] = 0;
            }
            OK(MPI_Psend_init(out, PARTITIONS, 1, MPI_INT, right, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
            OK(MPI_Precv_init(in, PARTITIONS, 1, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &receive));
            OK(MPI_Start(&request));
            OK(MPI_Start(&receive));
        }
        mine = request;
        __atomic_store_n(&round_to_complete, i, __ATOMIC_RELEASE);
        OK(MPI_Wait(&mine, MPI_STATUS_IGNORE));
        if (i % 2 == 0) {
            OK(MPI_Request_free(&mine));
            OK(MPI_Wait(&receive, MPI_STATUS_IGNORE));
            OK(MPI_Request_free(&receive));
            for (int part = 0; part < PARTITIONS; part++)
                CHECK_EQ(in[part], (int)mix(left, PARTITIONS * i + part));
        }
        CHECK_EQ(freed, (i + 1) / 2);
        await(&round_completed, i);
    }
    CHECK_EQ(pthread_join(helper, NULL), 0);
    return check_end();
}
