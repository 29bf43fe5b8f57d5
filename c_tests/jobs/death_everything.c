/* ranks: 2 4; args: 20 */
/* A program that does everything, over and over, as often as its first argument says. Here it comes to its end; tests/dying.rs kills
 * its processes. With the second argument "fatal" objects keep the error handlers they begin with. */
#include "death.h"

enum { LARGE = 40000 };

static int fatal, large[2][LARGE];

/* What must succeed unless somebody has died. */
#define DO(call)                                                                      \
    do {                                                                              \
        int code_ = call;                                                             \
        if (code_ != MPI_SUCCESS) {                                                   \
            CHECK_CLASS(code_, MPIX_ERR_PROC_FAILED);                                 \
            return 0;                                                                 \
        }                                                                             \
    } while (0)

struct pair {
    double value;
    int index;
};

static int on_window(MPI_Win win, MPI_Group before, MPI_Group after)
{
    int next = (rank + 1) % size, value = rank, got = -1, code;
    long long one = 1, old;
    struct pair pairs[50] = {{1, 2}};
    if (!fatal)
        DO(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    DO(MPI_Win_fence(0, win));
    DO(MPI_Put(&value, 1, MPI_INT, next, 0, 1, MPI_INT, win));
    DO(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    DO(MPI_Win_post(before, 0, win));
    DO(MPI_Win_start(after, 0, win));
    DO(MPI_Put(&value, 1, MPI_INT, next, 1, 1, MPI_INT, win));
    DO(MPI_Win_complete(win));
    DO(MPI_Win_wait(win));
    DO(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < 20; i++) {
        DO(MPI_Win_lock(i % 4 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, i % size, 0, win));
        code = MPI_Get(&got, 1, MPI_INT, i % size, 0, 1, MPI_INT, win);
        if (code == MPI_SUCCESS)
            code = MPI_Accumulate(pairs, 50, MPI_DOUBLE_INT, i % size, 8, 50, MPI_DOUBLE_INT, MPI_MINLOC, win);
        DO(MPI_Win_unlock(i % size, win));
        DO(code);
    }
    DO(MPI_Win_lock_all(0, win));
    for (int to = 0; to < size; to++) {
        DO(MPI_Fetch_and_op(&one, &old, MPI_LONG_LONG, to, 2, MPI_SUM, win));
        DO(MPI_Accumulate(pairs, 1, MPI_DOUBLE_INT, to, 8, 1, MPI_DOUBLE_INT, MPI_MINLOC, win));
        DO(MPI_Win_flush(to, win));
    }
    DO(MPI_Win_unlock_all(win));
    DO(MPI_Win_free(&win));
    return 1;
}

static int everything(int round, MPI_Group before, MPI_Group after, void *memory)
{
    int next = (rank + 1) % size, last = (rank + size - 1) % size, got, sum;
    void *base;
    MPI_Win win;
    MPI_Comm copy;
    MPI_Request requests[2];
    switch (round % 3) {
    case 0:
        DO(MPI_Win_allocate(4096, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
        break;
    case 1:
        DO(MPI_Win_allocate_shared(4096, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
        break;
    default:
        DO(MPI_Win_create(memory, 4096, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    }
    if (!on_window(win, before, after))
        return 0;
    for (int i = 0; i < 10; i++)
        DO(MPI_Sendrecv(&rank, 1, MPI_INT, next, i, &got, 1, MPI_INT, i % 2 ? MPI_ANY_SOURCE : last, i,
                        MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    DO(MPI_Irecv(large[0], LARGE, MPI_INT, last, 100, MPI_COMM_WORLD, &requests[0]));
    DO(MPI_Isend(large[1], LARGE, MPI_INT, next, 100, MPI_COMM_WORLD, &requests[1]));
    if (MPI_Waitall(2, requests, MPI_STATUSES_IGNORE) != MPI_SUCCESS)
        return 0;
    DO(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_EQ(sum, size * (size - 1) / 2);
    DO(MPI_Bcast(large[0], LARGE, MPI_INT, round % size, MPI_COMM_WORLD));
    DO(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
    DO(MPI_Barrier(copy));
    DO(MPI_Comm_free(&copy));
    return 1;
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? atol(argv[1]) : 20;
    MPI_Group world, before, after;
    int last, next;
    void *memory = calloc(1, 4096);
    check_start(&argc, &argv);
    fatal = argc > 2 && strcmp(argv[2], "fatal") == 0;
    if (!fatal)
        OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    next = (rank + 1) % size;
    last = (rank + size - 1) % size;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_incl(world, 1, &last, &before));
    OK(MPI_Group_incl(world, 1, &next, &after));
    for (long round = 0; round < rounds; round++)
        if (!everything((int)round, before, after, memory))
            break;
    OK(MPI_Group_free(&world));
    OK(MPI_Group_free(&before));
    OK(MPI_Group_free(&after));
    return check_end();
}
