// Many one-sided operations with requests at a time, over and over, with other calls between: their handles are used once more.
//
// ranks: 3
// wrong get_get: buffer in use
// wrong put_get: buffer in use
// wrong get_send: buffer in use
// wrong not_waited_first: data race
// wrong not_waited_middle: data race
// wrong not_waited_last: data race
// wrong exchange_not_waited: data race
// wrong puts_not_flushed: data race
// wrong put_changed: data race
// wrong puts_too_early: buffer changed
// told puts_too_early: MPI_Waitall at end
// wrong lost: request lost
// wrong waited_twice: note: error
// wrong twice_in_one: note: error
// wrong tested_twice: note: error
// right in_order
// right backwards
// right by_any
// right by_some
// right by_test
// right by_two
// right mixed
// right many
// right behind_calls
// right from_both
// right same_again
// right over_and_back
// right session_meanwhile
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { SOME = 20, ROUNDS = 12, MANY = 300, PART = 1024 };
static const MPI_Comm comm = MPI_COMM_WORLD;
static int rank;
static MPI_Win win;
static long *mine, in[PART], out[PART], zero[PART];
static char **arguments;

static int is(const char *name) { return !strcmp(name, arguments[1]); }
static int begins(const char *name) { return !strncmp(name, arguments[1], strlen(name)); }
static void check(int right) { if (!right) exit(3); }

static void get(long *to, int target, int n, MPI_Request *request) {
    MPI_Rget(to, 1, MPI_LONG, target, n, 1, MPI_LONG, win, request); // !get_get !put_get !not_waited_first !not_waited_middle !not_waited_last !lost
}
static void put(const long *from, int target, int n, MPI_Request *request) {
    MPI_Rput(from, 1, MPI_LONG, target, n, 1, MPI_LONG, win, request); // !puts_not_flushed !put_changed
}
static void add(const long *from, int target, int n, MPI_Request *request) {
    MPI_Raccumulate(from, 1, MPI_LONG, target, n, 1, MPI_LONG, MPI_SUM, win, request);
}
static void exchange(long *to, int target, int n, MPI_Request *request) {
    MPI_Rget_accumulate(zero, 1, MPI_LONG, to, 1, MPI_LONG, target, n, 1, MPI_LONG, MPI_SUM, win, request); // !exchange_not_waited
}

// Ends them all, as the variant says.
static void end(MPI_Request *all, int count) {
    int index[MANY], done = 0, some;
    if (is("backwards")) while (count-- > 0) MPI_Wait(&all[count], MPI_STATUS_IGNORE);
    else if (is("by_any")) {
        for (int n = 0; n < count; n++) MPI_Waitany(count, all, index, MPI_STATUS_IGNORE), check(index[0] != MPI_UNDEFINED);
        MPI_Waitany(count, all, index, MPI_STATUS_IGNORE);
        check(index[0] == MPI_UNDEFINED);
    } else if (is("by_some")) {
        for (int n = 0; n < count; n += some) MPI_Waitsome(count, all, &some, index, MPI_STATUSES_IGNORE), check(some > 0);
    } else if (is("by_test")) while (!done) MPI_Testall(count, all, &done, MPI_STATUSES_IGNORE);
    else if (is("by_two")) for (int n = 0; n < count; n += 2) MPI_Waitall(2, all + n, MPI_STATUSES_IGNORE);
    else {
        MPI_Status statuses[MANY];
        for (int n = 0; n < count; n++) statuses[n].MPI_SOURCE = 77, statuses[n].MPI_ERROR = 78;
        MPI_Waitall(count, all, statuses); // !puts_too_early
        for (int n = 0; n < count; n++) check(all[n] == MPI_REQUEST_NULL && statuses[n].MPI_SOURCE != 77);
    }
}

// Of rank 0: rank 2 has n at each place n, and no one changes that meanwhile.
static void fetch(int round) {
    MPI_Request all[MANY], one;
    int last = round == ROUNDS - 1, count = is("many") ? MANY : SOME;
    memset(in, 0, sizeof in);
    for (int n = 0; n < count; n++) {
        int at = is("backwards") ? count - n : n;
        if (is("exchange_not_waited")) exchange(in + n, 2, at, all + n);
        else get(in + (is("get_get") && last && n == 7 ? 3 : n), 2, at, all + n);
    }
    if (is("behind_calls")) MPI_Get_address(in, &(MPI_Aint){0}), MPI_Win_flush_local_all(win);
    if (is("get_send") && last) {
        MPI_Irecv(out, 1, MPI_LONG, 0, 5, MPI_COMM_SELF, &one);
        MPI_Send(in + 9, 1, MPI_LONG, 0, 5, MPI_COMM_SELF); // !get_send
        MPI_Wait(&one, MPI_STATUS_IGNORE);
    }
    one = MPI_REQUEST_NULL;
    int left = is("not_waited_first") ? 0 : is("not_waited_middle") || is("exchange_not_waited") ? SOME / 2 : is("not_waited_last") ? SOME - 1 : -1;
    if (last && left >= 0) one = all[left], all[left] = all[SOME - 1], end(all, SOME - 1);
    else if (last && is("lost")) end(all, SOME - 1);
    else if (last && (is("waited_twice") || is("twice_in_one") || is("tested_twice"))) {
        MPI_Request copies[] = {all[3], all[4], all[3]};
        int done;
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
        if (is("twice_in_one")) MPI_Waitall(3, copies, MPI_STATUSES_IGNORE); // !twice_in_one
        end(all, is("twice_in_one") ? 3 : SOME);
        if (is("twice_in_one")) end(all + 5, SOME - 5);
        if (is("waited_twice")) MPI_Wait(copies, MPI_STATUS_IGNORE); // !waited_twice
        if (is("tested_twice")) MPI_Test(copies, &done, MPI_STATUS_IGNORE); // !tested_twice
    } else end(all, count);
    for (int n = 0; n < count && !is("get_get"); n++) check(is("lost") || in[n] == (is("backwards") ? count - n : n));
    if (last && left >= 0) {
        MPI_Send(&left, 1, MPI_INT, 1, 1, comm);
        MPI_Recv(&left, 1, MPI_INT, 1, 1, comm, MPI_STATUS_IGNORE);
        MPI_Wait(&one, MPI_STATUS_IGNORE);
    }
}

// Of ranks 0 and, if both, 1: each in a part of rank 2's of its own.
static void change(int round) {
    MPI_Request all[MANY];
    int count = 0, base = PART / 2 + rank * 200;
    for (int n = 0; n < SOME; n++) {
        out[n] = round * 100 + n;
        if (is("mixed")) {
            put(out + n, 2, base + n, all + count++);
            add(zero + n, 2, base + 100 + n, all + count++);
            get(in + n, 2, n, all + count++);
        } else put(out + n, 2, base + n, all + count++);
    }
    if (is("puts_too_early") && round == 0) out[5]++;
    if (is("put_get") && round == ROUNDS - 1) get(out + 5, 2, 5, all + count++);
    end(all, count);
    if (is("put_changed") || is("same_again")) {
        if (is("put_changed") && round == ROUNDS - 1) out[4]++;
        for (int n = 0; n < SOME; n++) put(out + n, 2, base + n, all + n);
        end(all, SOME);
    }
    if (!is("puts_not_flushed") || round < ROUNDS - 1) MPI_Win_flush(2, win);
    if (round % 3 == 2) MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    if (is("puts_not_flushed")) return;
    for (int n = 0; n < SOME; n++) get(in + 100 + n, 2, base + n, all + n);
    end(all, SOME);
    for (int n = 0; n < SOME; n++) check(in[100 + n] == round * 100 + n + (is("put_changed") && round == ROUNDS - 1 && n == 4));
}

// Of another thread: from then on nobody knows which one calls for whom.
static void *open_session(void *nothing) {
    MPI_Info info;
    MPI_Session session;
    MPI_Info_create(&info);
    MPI_Info_set(info, "thread_level", "MPI_THREAD_MULTIPLE");
    MPI_Session_init(info, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Info_free(&info);
    MPI_Session_finalize(&session);
    return nothing;
}

static void open_session_elsewhere(void) {
    pthread_t thread;
    MPI_Request request;
    // The last one's handle is nobody's then, either.
    for (int n = 0; n < SOME; n++) put(out, 2, PART - 1, &request), MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_Win_flush(2, win);
    pthread_create(&thread, NULL, open_session, NULL);
    pthread_join(thread, NULL);
    fetch(0);
}

int main(int argc, char **argv) {
    int level;
    arguments = argv;
    MPI_Init_thread(&argc, &argv, is("session_meanwhile") ? MPI_THREAD_FUNNELED : MPI_THREAD_SINGLE, &level);
    MPI_Comm_rank(comm, &rank);
    MPI_Win_allocate(PART * sizeof(long), sizeof(long), MPI_INFO_NULL, comm, &mine, &win);
    for (int n = 0; n < PART; n++) mine[n] = n;
    MPI_Barrier(comm);
    MPI_Win_lock_all(0, win);
    int puts = begins("put") || is("mixed") || is("from_both") || is("same_again");
    for (int round = 0; round < ROUNDS; round++) {
        if (puts && (rank == 0 || (is("from_both") && rank == 1))) change(round);
        else if (!puts && rank == 0) fetch(round);
        if (round % 4 == 3 && round < ROUNDS - 1) MPI_Barrier(comm);
    }
    if (is("session_meanwhile") && rank == 0) open_session_elsewhere();
    if (is("over_and_back")) {
        // Each takes what the other one had, one after another.
        for (int turn = 0; turn < 6; turn++) {
            if (turn % 2 == rank) fetch(0);
            MPI_Barrier(comm);
        }
    }
    if (rank == 1 && (begins("not_waited_") || is("exchange_not_waited"))) {
        int left;
        MPI_Recv(&left, 1, MPI_INT, 0, 1, comm, MPI_STATUS_IGNORE);
        MPI_Put(out, 1, MPI_LONG, 2, left, 1, MPI_LONG, win); // !not_waited_first !not_waited_middle !not_waited_last !exchange_not_waited
        MPI_Win_flush(2, win);
        MPI_Send(&left, 1, MPI_INT, 0, 1, comm);
    }
    if (is("puts_not_flushed")) {
        if (rank == 0) MPI_Send(NULL, 0, MPI_INT, 1, 1, comm);
        if (rank == 1) {
            MPI_Recv(NULL, 0, MPI_INT, 0, 1, comm, MPI_STATUS_IGNORE);
            MPI_Put(out, 1, MPI_LONG, 2, PART / 2 + 3, 1, MPI_LONG, win); // !puts_not_flushed
        }
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
