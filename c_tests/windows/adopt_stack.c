/* ranks: 2 4; mpich: skip it is about what rmashm does with the program's memory */
/* Windows over arrays on stacks, in calls within calls: pages that the array fills are adopted, what lies on others stays private,
 * and all of it is one window: puts, gets and accumulates across the borders, before and after the move; forks, threads, and a
 * stack that grows afterwards. */
#define _GNU_SOURCE
#include "adopt.h"

#include <pthread.h>
#include <sys/wait.h>

/* Rounds: when a window moves is a matter of time, and of what else runs. */
enum { ROUNDS = 3000, TIMES = 60 };

static int has_moved(MPI_Win win)
{
    MPI_Info info;
    char value[MPI_MAX_INFO_VAL];
    int length = sizeof value, flag, moved;
    OK(MPI_Win_get_info(win, &info));
    OK(MPI_Info_get_string(info, "rmashm_adopt", &length, value, &flag));
    moved = flag && strcmp(value, "true") == 0;
    length = sizeof value;
    OK(MPI_Info_get_string(info, "rmashm_adopt_refused", &length, value, &flag));
    moved &= !flag;
    OK(MPI_Info_free(&info));
    return moved;
}

static int has_whole_page(const void *at, size_t bytes)
{
    uintptr_t first = ((uintptr_t)at + A_PAGE - 1) / A_PAGE, last = ((uintptr_t)at + bytes) / A_PAGE;
    return last > first;
}

/* A child has its own: what it writes is not seen here, and what is written here not there. */
static void fork_with(volatile int64_t *words, int n)
{
    int up[2], status;
    char byte = 0;
    CHECK(pipe(up) == 0);
    int64_t before = words[n / 2];
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        int right = read(up[0], &byte, 1) == 1 && words[n / 2] == before;
        for (int i = 0; i < n; i++)
            words[i] = -7;
        _exit(right && words[n - 1] == -7 ? 0 : 1);
    }
    words[n / 2] = before + 5;
    CHECK(write(up[1], &byte, 1) == 1);
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK_EQ(words[n / 2], before + 5);
    words[n / 2] = before;
    close(up[0]), close(up[1]);
}

/* All add to all words of rank 0's array, one by one, all at once, and by a type with gaps, until it has moved, and once more. */
static void add(MPI_Win win, int64_t *words, int n, int moves)
{
    int64_t *ones = malloc((size_t)n * 8), *got = malloc((size_t)n * 8), added = 0, all, one = 1, before;
    MPI_Datatype sparse;
    OK(MPI_Type_vector(n / 2, 1, 2, MPI_INT64_T, &sparse));
    OK(MPI_Type_commit(&sparse));
    for (int i = 0; i < n; i++)
        ones[i] = 1;
    OK(MPI_Win_lock_all(0, win));
    for (int round = 0, over = 0; over < 2; round++) {
        CHECK(round < ROUNDS);
        for (int i = 0; rank > 0 && i < TIMES / 4; i++) {
            OK(MPI_Accumulate(ones, n, MPI_INT64_T, 0, 0, n, MPI_INT64_T, MPI_SUM, win));
            OK(MPI_Accumulate(ones, n / 2, MPI_INT64_T, 0, 8, 1, sparse, MPI_SUM, win));
            OK(MPI_Get_accumulate(ones, n / 2, MPI_INT64_T, got, n / 2, MPI_INT64_T, 0, 0, 1, sparse, MPI_SUM, win));
            for (int word = 1; word < n; word += n / 7 + 2) {
                OK(MPI_Fetch_and_op(&one, &before, MPI_INT64_T, 0, word * 8, MPI_SUM, win));
                OK(MPI_Win_flush(0, win));
                CHECK(before > added);
            }
            added += 2;
        }
        OK(MPI_Win_flush_all(win));
        barrier();
        int moved = rank == 0 && has_moved(win);
        OK(MPI_Bcast(&moved, 1, MPI_INT, 0, MPI_COMM_WORLD));
        over += moved || !moves || round == ROUNDS - 2;
    }
    OK(MPI_Allreduce(&added, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD));
    if (rank == 0)
        CHECK_EQ(has_moved(win), moves);
    OK(MPI_Get(got, n, MPI_INT64_T, 0, 0, n, MPI_INT64_T, win));
    OK(MPI_Win_flush(0, win));
    OK(MPI_Win_unlock_all(win));
    barrier();
    /* Every word was added to twice, as the even and the odd ones were; those that were added to alone have more. */
    for (int i = 0; rank == 0 && i < n; i++) {
        int alone = i % (n / 7 + 2) == 1;
        int part = i / 2 < n / 2;
        CHECK_EQ(words[i], all / 2 * (1 + part + alone));
        CHECK_EQ(got[i], words[i]);
    }
    OK(MPI_Type_free(&sparse));
    barrier();
    free(ones);
    free(got);
}

static void window(int64_t *words, int n, const char *wish, int forks)
{
    memset(words, 0, (size_t)n * 8);
    int moves = strcmp(wish, "false") && has_whole_page(words, (size_t)n * 8);
    MPI_Win win = window_of(MPI_COMM_WORLD, words, (size_t)n * 8, wish);
    int next = (rank + 1) % size;
    int64_t value = 0;
    CHECK(loads_of(win, rank) == (unsigned char *)words && loads_of(win, next) == NULL);
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    OK(MPI_Win_fence(0, win));
    CHECK_CLASS(MPI_Get(&value, 1, MPI_INT64_T, next, n * 8 - 7, 1, MPI_INT64_T, win), MPI_ERR_RMA_RANGE);
    CHECK_CLASS(MPI_Get(&value, 1, MPI_INT64_T, next, -8, 1, MPI_INT64_T, win), MPI_ERR_DISP);
    CHECK_CLASS(MPI_Get(&value, 1, MPI_INT64_T, next, INTPTR_MAX, 1, MPI_INT64_T, win), MPI_ERR_RMA_RANGE);
    OK(MPI_Win_fence(0, win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_ARE_FATAL));
    /* Rank 0 knows where its pages are. */
    OK(MPI_Bcast(&moves, 1, MPI_INT, 0, MPI_COMM_WORLD));
    add(win, words, n, moves);
    if (forks)
        fork_with(words, n);
    exercise(win, (unsigned char *)words, (size_t)n * 8, -1);
    barrier();
    OK(MPI_Win_free(&win));
    if (forks)
        fork_with(words, n);
}

/* The same attached to a dynamic window, by addresses. */
static void attached(int64_t *words, int n)
{
    MPI_Win win;
    MPI_Info info;
    MPI_Aint at, there;
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    int64_t *out = malloc((size_t)n * 8);
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "rmashm_adopt", "true"));
    OK(MPI_Win_create_dynamic(info, MPI_COMM_WORLD, &win));
    OK(MPI_Info_free(&info));
    for (int turn = 0; turn < 3; turn++) {
        OK(MPI_Win_attach(win, words, n * 8));
        OK(MPI_Get_address(words, &at));
        OK(MPI_Sendrecv(&at, 1, MPI_AINT, before, 1, &there, 1, MPI_AINT, next, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        for (int i = 0; i < n; i++)
            out[i] = rank * 1000 + turn + i;
        OK(MPI_Win_fence(0, win));
        OK(MPI_Put(out, n, MPI_INT64_T, next, there, n, MPI_INT64_T, win));
        OK(MPI_Win_fence(0, win));
        for (int i = 0; i < n; i++)
            CHECK_EQ(words[i], before * 1000 + turn + i);
        barrier();
        OK(MPI_Win_detach(win, words));
    }
    OK(MPI_Win_free(&win));
    free(out);
}

static int64_t grow(int depth)
{
    volatile char room[50000];
    room[0] = room[49999] = (char)depth;
    return depth > 0 ? grow(depth - 1) + room[49999] : 0;
}

static void nested(int depth, const char *wish, int forks)
{
    int64_t words[7000], few[20];
    int n = depth == 0 ? 7000 : depth == 1 ? 1100 : 600;
    words[6999] = 99;
    window(words, n, wish, forks);
    MPI_Win win = window_of(MPI_COMM_WORLD, words, (size_t)n * 8, wish), small = window_of(MPI_COMM_WORLD, few, sizeof few, wish);
    if (depth < 2)
        nested(depth + 1, wish, forks);
    CHECK(n == 7000 || words[6999] == 99);
    exercise(win, (unsigned char *)words, (size_t)n * 8, -1);
    exercise(small, (unsigned char *)few, sizeof few, 0);
    OK(MPI_Win_free(&win));
    OK(MPI_Win_free(&small));
    attached(words, n);
    CHECK_EQ(grow(40), 820);
}

static void *thread(void *wish)
{
    nested(0, wish, 0);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t other;
    static char yes[] = "true", later[] = "auto";
    check_start_threads(&argc, &argv);
    nested(0, "true", 1);
    nested(1, "false", 1);
    nested(0, "auto", 1);
    for (char **wish = (char *[]){yes, later, NULL}; geteuid() == 0 && *wish; wish++) {
        CHECK(pthread_create(&other, NULL, thread, *wish) == 0);
        CHECK(pthread_join(other, NULL) == 0);
    }
    return check_end();
}
