/* ranks: 2 3; mpich: skip it is about what rmashm does with the program's memory */
/* Programs with a team of threads: their windows move when that pays, whatever threads do on the pages, and nobody who sleeps
 * there sleeps for ever. Where a thread sleeps for what other processes may do, or a file is open for direct input, the window
 * stays where it is for as long. */
#define _GNU_SOURCE
#include "adopt.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>

enum { MANY = 4000, MOST = 400000 };

/* Two pages. The window is the words; what threads wait for lies on its second page. */
struct board {
    int64_t words[600];
    pthread_mutex_t mutex;
    pthread_cond_t turn;
    volatile int go, arrived;
    volatile long count;
};

static struct board *board;
static atomic_int stop;

static void make_board(int shared)
{
    pthread_mutexattr_t mutex;
    pthread_condattr_t turn;
    board = aligned_alloc(A_PAGE, 2 * A_PAGE);
    memset(board, 0, sizeof *board);
    CHECK(pthread_mutexattr_init(&mutex) == 0 && pthread_condattr_init(&turn) == 0);
    CHECK(pthread_mutexattr_setpshared(&mutex, shared) == 0 && pthread_condattr_setpshared(&turn, shared) == 0);
    CHECK(pthread_mutex_init(&board->mutex, &mutex) == 0 && pthread_cond_init(&board->turn, &turn) == 0);
}

static void *sleeper(void *unused)
{
    CHECK(pthread_mutex_lock(&board->mutex) == 0);
    board->arrived = (int)syscall(SYS_gettid);
    while (!board->go)
        CHECK(pthread_cond_wait(&board->turn, &board->mutex) == 0);
    CHECK(pthread_mutex_unlock(&board->mutex) == 0);
    return unused;
}

static void *runner(void *unused)
{
    while (!atomic_load(&stop))
        board->count++;
    return unused;
}

/* Until the sleeper is in a futex. */
static void await_sleep(void)
{
    char name[64], call[16] = "";
    while (!board->arrived)
        usleep(100);
    sprintf(name, "/proc/self/task/%d/syscall", board->arrived);
    while (atoi(call) != SYS_futex) {
        usleep(1000);
        FILE *file = fopen(name, "r");
        CHECK(file && fgets(call, sizeof call, file));
        fclose(file);
    }
}

static void let_go(void)
{
    CHECK(pthread_mutex_lock(&board->mutex) == 0);
    board->go = 1;
    CHECK(pthread_cond_broadcast(&board->turn) == 0);
    CHECK(pthread_mutex_unlock(&board->mutex) == 0);
}

/* The others update the first words of rank 0: until it has moved, or so often. Gives whether it has. */
static int update(MPI_Win win, int most)
{
    int moved = 0;
    int64_t one = 1, before;
    if (rank > 0) {
        OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
        for (int i = 0; i < most && !moved; i++) {
            OK(MPI_Fetch_and_op(&one, &before, MPI_INT64_T, 0, 0, MPI_SUM, win));
            OK(MPI_Win_flush(0, win));
            moved = i % 16 == 0 && loads_of(win, 0) != NULL;
            board->words[1]++;
        }
        OK(MPI_Win_unlock(0, win));
    }
    OK(MPI_Allreduce(MPI_IN_PLACE, &moved, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
    return moved;
}

/* What was added is there, before and after the window's end. */
static void end(MPI_Win win)
{
    int64_t sum = rank ? board->words[1] : 0;
    OK(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD));
    if (rank == 0)
        CHECK_EQ(board->words[0], sum);
    OK(MPI_Win_free(&win));
    if (rank == 0)
        CHECK_EQ(board->words[0], sum);
    free(board);
}

/* Threads run and sleep on the page, in locks of this process alone. */
static void runs_and_sleeps(int may)
{
    pthread_t threads[3];
    make_board(PTHREAD_PROCESS_PRIVATE);
    atomic_store(&stop, 0);
    for (int i = 0; i < 3; i++)
        CHECK(pthread_create(&threads[i], NULL, i ? sleeper : runner, NULL) == 0);
    MPI_Win win = window_of(MPI_COMM_WORLD, board, sizeof board->words, "auto");
    CHECK_EQ(update(win, MOST), may);
    let_go();
    atomic_store(&stop, 1);
    for (int i = 0; i < 3; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    end(win);
}

/* A thread sleeps on the page for what another process may do. */
static void sleeps_for_others(int may)
{
    pthread_t thread;
    make_board(PTHREAD_PROCESS_SHARED);
    CHECK(pthread_create(&thread, NULL, sleeper, NULL) == 0);
    await_sleep();
    MPI_Win win = window_of(MPI_COMM_WORLD, board, sizeof board->words, "auto");
    CHECK_EQ(update(win, MANY), 0);
    let_go();
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK_EQ(update(win, MOST), may);
    /* It falls asleep on the shared page, and wakes up after that has gone back. */
    board->go = board->arrived = 0;
    CHECK(pthread_create(&thread, NULL, sleeper, NULL) == 0);
    await_sleep();
    struct board *mine = board;
    board = memcpy(malloc(sizeof *board), board, sizeof *board);
    end(win);
    board = mine;
    let_go();
    CHECK(pthread_join(thread, NULL) == 0);
    free(board);
}

/* A file is open whose pages come to the program without the kernel's copy. */
static void reads_directly(int may)
{
    char name[] = "adopt_team.XXXXXX";
    int file = mkstemp(name);
    int direct = open(name, O_RDONLY | O_DIRECT);
    int can = direct >= 0;
    pthread_t thread;
    CHECK(file >= 0 && unlink(name) == 0);
    OK(MPI_Allreduce(MPI_IN_PLACE, &can, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
    make_board(PTHREAD_PROCESS_PRIVATE);
    CHECK(pthread_create(&thread, NULL, sleeper, NULL) == 0);
    MPI_Win win = window_of(MPI_COMM_WORLD, board, sizeof board->words, "auto");
    if (can)
        CHECK_EQ(update(win, MANY), 0);
    if (direct >= 0)
        close(direct);
    CHECK_EQ(update(win, MOST), may);
    let_go();
    CHECK(pthread_join(thread, NULL) == 0);
    end(win);
    close(file);
}

int main(int argc, char **argv)
{
    check_start_threads(&argc, &argv);
    /* Threads that run are kept off by what the kernel gives to root alone; without it no more is asked than that all is right. */
    int may = geteuid() == 0;
    if (!may)
        return check_end();
    for (int turn = 0; turn < 4; turn++) {
        runs_and_sleeps(may);
        sleeps_for_others(may);
        reads_directly(may);
    }
    return check_end();
}
