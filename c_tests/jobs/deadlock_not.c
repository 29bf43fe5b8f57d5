/* ranks: 3 8 64; name: receive; args: receive */
/* ranks: 3 8; name: barrier; args: barrier */
/* ranks: 3 8; name: lock; args: lock */
/* ranks: 3 8; name: lock_all; args: lock_all */
/* ranks: 3 8; name: start; args: start */
/* ranks: 3 8; name: wait; args: wait */
/* ranks: 3 8; name: requests; args: requests */
/* ranks: 3 8; name: relay; args: relay */
/* ranks: 3; name: compute; args: receive compute */
/* ranks: 3; name: child; args: receive child */
/* ranks: 3; name: file; args: receive file */
/* ranks: 3; name: stopped; args: receive stopped */
/* ranks: 3; name: traced; args: receive traced */
/* ranks: 3; name: thread; args: thread */
/* ranks: 3; name: handler; args: handler */
/* ranks: 3; name: generalized; args: generalized */

/* Jobs that look like a deadlock for some seconds, and are none: what ends the waits comes late, from a rank that sleeps,
 * computes, waits for a child or a file, is stopped or under a debugger; from another thread; from a signal's handler. Nothing may
 * be said, and the job goes on. */

#define _GNU_SOURCE
#include "check.h"
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 3 };

static int value;
static MPI_Request request;

static void receive(int from, int tag)
{
    MPI_Recv(&value, 1, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_EQ(value, tag);
}

static void send(int to, int tag)
{
    MPI_Send(&tag, 1, MPI_INT, to, tag, MPI_COMM_WORLD);
}

static void compute(void)
{
    volatile unsigned long turns = 0;
    double end = MPI_Wtime() + SECONDS;
    while (MPI_Wtime() < end)
        turns++;
}

/* Writes more than there is time for. */
static void write_file(void)
{
    static char bytes[1 << 20];
    double end = MPI_Wtime() + SECONDS;
    FILE *file = tmpfile();
    CHECK(file != NULL);
    while (MPI_Wtime() < end) {
        rewind(file);
        for (int i = 0; i < 16; i++)
            CHECK_EQ(fwrite(bytes, 1, sizeof bytes, file), sizeof bytes);
        fflush(file);
        fsync(fileno(file));
    }
    fclose(file);
}

/* A child stops this process for a while, by a signal or as a debugger does. */
static void be_stopped(int traced)
{
    int pipes[2], status;
    char byte = 0;
    pid_t child, parent = getpid();

    CHECK_EQ(pipe(pipes), 0);
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    child = fork();
    if (child == 0) {
        if (traced) {
            if (ptrace(PTRACE_SEIZE, parent, 0, 0) != 0 || ptrace(PTRACE_INTERRUPT, parent, 0, 0) != 0)
                _exit(1);
            waitpid(parent, &status, __WALL);
        } else {
            kill(parent, SIGSTOP);
        }
        sleep(SECONDS);
        if (traced)
            ptrace(PTRACE_DETACH, parent, 0, 0);
        else
            kill(parent, SIGCONT);
        _exit(write(pipes[1], &byte, 1) != 1);
    }
    CHECK_EQ(read(pipes[0], &byte, 1), 1);
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(status, 0);
    close(pipes[0]);
    close(pipes[1]);
}

static void take_long(const char *how)
{
    if (strcmp(how, "compute") == 0)
        compute();
    else if (strcmp(how, "child") == 0)
        CHECK_EQ(system("sleep 3"), 0);
    else if (strcmp(how, "file") == 0)
        write_file();
    else if (strcmp(how, "stopped") == 0 || strcmp(how, "traced") == 0)
        be_stopped(how[0] == 't');
    else
        sleep(SECONDS);
}

/* Rank 0 waits for 1, which waits for 2, which comes late; the others wait for rank 0. */
static void chain(const char *how)
{
    if (rank == 2) {
        take_long(how);
        send(1, 5);
    } else if (rank == 1) {
        receive(2, 5);
        send(0, 6);
    } else if (rank == 0) {
        receive(1, 6);
        for (int other = 3; other < size; other++)
            send(other, 7);
    } else {
        receive(0, 7);
    }
}

/* All but two are in the barrier: rank 1 waits for a message of rank 2, which comes late. */
static void one_late(void)
{
    if (rank == 2) {
        sleep(SECONDS);
        send(1, 5);
    }
    if (rank == 1)
        receive(2, 5);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Rank 2 has a lock for long, for which the others wait, two of them with a lock of their own. */
static void locks(MPI_Win win, int all)
{
    if (rank == 2)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, win);
    if (rank < 2 && !all)
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 2) {
        sleep(SECONDS);
        MPI_Win_unlock(2, win);
    } else if (all) {
        MPI_Win_lock_all(0, win);
        MPI_Win_unlock_all(win);
    } else {
        MPI_Win_lock(rank % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 2, 0, win);
        MPI_Win_unlock(2, win);
    }
    if (rank < 2 && !all)
        MPI_Win_unlock(0, win);
}

/* Ranks 0 and 1 expose their memory to rank 2, or want to access that of rank 2, which comes late. */
static void epochs(MPI_Win win, int start)
{
    MPI_Group world, group;
    int two[2] = {0, 1}, late[1] = {2};

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, rank == 2 ? 2 : 1, rank == 2 ? two : late, &group);
    if (rank == 2) {
        sleep(SECONDS);
        if (start) {
            MPI_Win_post(group, 0, win);
            MPI_Win_wait(win);
        } else {
            MPI_Win_start(group, 0, win);
            MPI_Win_complete(win);
        }
    } else if (rank < 2 && start) {
        MPI_Win_start(group, 0, win);
        MPI_Win_complete(win);
    } else if (rank < 2) {
        MPI_Win_post(group, 0, win);
        MPI_Win_wait(win);
    }
    MPI_Group_free(&group);
    MPI_Group_free(&world);
}

/* Rank 0 waits for any of two, of which one waits for it. */
static void requests(void)
{
    MPI_Request both[2];
    int values[2], index;

    if (rank == 0) {
        MPI_Irecv(&values[0], 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &both[0]);
        MPI_Irecv(&values[1], 1, MPI_INT, 2, 6, MPI_COMM_WORLD, &both[1]);
        MPI_Waitany(2, both, &index, MPI_STATUS_IGNORE);
        CHECK_EQ(index, 1);
        send(1, 7);
        MPI_Wait(&both[0], MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        receive(0, 7);
        send(0, 5);
    } else if (rank == 2) {
        sleep(SECONDS);
        send(0, 6);
        sleep(SECONDS);
        send(0, 8);
    }
}

/* Ranks 0 and 1 wait for each other. But rank 1 has begun what rank 2 ends, and passes on what comes of it while it waits. */
static void relay(void)
{
    int values[1000] = {0};

    if (rank == 2)
        sleep(SECONDS);
    MPI_Iallreduce(MPI_IN_PLACE, values, 1000, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    if (rank == 1)
        receive(0, 5);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 0)
        send(1, 5);
}

static void *send_late(void *to)
{
    sleep(SECONDS);
    send(*(int *)to, 7);
    return NULL;
}

static void thread(void)
{
    pthread_t late;
    int to = rank ^ 1;

    if (rank > 1)
        return;
    pthread_create(&late, NULL, send_late, &to);
    receive(to, 7);
    pthread_join(late, NULL);
}

static int query(void *extra, MPI_Status *status)
{
    (void)extra;
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
}

static int nothing(void *extra)
{
    (void)extra;
    return MPI_SUCCESS;
}

static int nothing_of(void *extra, int complete)
{
    (void)extra;
    (void)complete;
    return MPI_SUCCESS;
}

static void complete(int signal)
{
    (void)signal;
    MPI_Grequest_complete(request);
}

static void *complete_late(void *unused)
{
    sleep(SECONDS);
    complete(0);
    return unused;
}

/* All ranks wait for rank 0, which waits for a request that a thread of its own ends, or a signal. */
static void generalized(int by_thread)
{
    pthread_t late;
    MPI_Request same;

    if (rank == 0) {
        MPI_Grequest_start(query, nothing, nothing_of, NULL, &request);
        same = request;
        if (by_thread)
            pthread_create(&late, NULL, complete_late, NULL);
        else
            alarm(SECONDS);
        MPI_Wait(&same, MPI_STATUS_IGNORE);
        if (by_thread)
            pthread_join(late, NULL);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int *memory, provided;
    const char *way;
    MPI_Win win;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate(sizeof value, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    way = argv[1];
    if (strcmp(way, "receive") == 0)
        chain(argc > 2 ? argv[2] : "sleep");
    else if (strcmp(way, "barrier") == 0)
        one_late();
    else if (strcmp(way, "lock") == 0 || strcmp(way, "lock_all") == 0)
        locks(win, way[4] != '\0');
    else if (strcmp(way, "start") == 0 || strcmp(way, "wait") == 0)
        epochs(win, way[0] == 's');
    else if (strcmp(way, "requests") == 0)
        requests();
    else if (strcmp(way, "relay") == 0)
        relay();
    else if (strcmp(way, "thread") == 0)
        thread();
    else if (strcmp(way, "handler") == 0) {
        signal(SIGALRM, complete);
        generalized(0);
    } else if (strcmp(way, "generalized") == 0)
        generalized(1);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
