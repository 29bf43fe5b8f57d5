// Buffers of one-sided operations with requests until the program has waited for these, and buffers of pending messages in one-sided operations.
//
// ranks: 2
// wrong get_put: buffer in use
// wrong get_send: buffer in use
// wrong get_reduce: buffer in use
// wrong get_get: buffer in use
// wrong put_receive: buffer in use
// wrong put_fetch: buffer in use
// wrong put_get: buffer in use
// wrong add_get: buffer in use
// wrong exchange_send: buffer in use
// wrong exchange_add: buffer in use
// wrong loop_put: buffer in use
// wrong loop_get: buffer in use
// wrong loop_add: buffer in use
// wrong loop_send: buffer in use
// wrong elsewhere_put: buffer in use
// wrong elsewhere_add: buffer in use
// wrong several_send: buffer in use
// wrong vector_put: buffer in use
// wrong changed: buffer changed
// wrong changed_in_loop: buffer changed
// wrong changed_flushed: buffer changed
// wrong changed_unlocked: buffer changed
// wrong changed_flushed_local: buffer changed
// wrong receive_put: buffer in use
// wrong receive_get: buffer in use
// wrong receive_add: buffer in use
// wrong receive_fetch: buffer in use
// wrong receive_loop: buffer in use
// wrong send_get: buffer in use
// wrong send_swap: buffer in use
// right waited
// right waited_for_all
// right tested
// right flushed
// right flushed_in_loop
// right flushed_all
// right unlocked
// right put_twice
// right put_send
// right put_put
// right vector_gap
// right apart
// right send_put
// right receive_beside
#include <mpi.h>
#include <string.h>

enum { SOME = 40, ALL = 512 };
static int rank;
static MPI_Win win;
static const MPI_Comm comm = MPI_COMM_WORLD;
static long buffer[ALL], other[ALL], one = 1, zero;
static MPI_Request request;
static char **arguments;

static int is(const char *name) { return !strcmp(name, arguments[1]); }
static int begins(const char *name) { return !strncmp(name, arguments[1], strlen(name)); }
static void await(void) { MPI_Wait(&request, MPI_STATUS_IGNORE); }
static void flush(void) { MPI_Win_flush(1, win); }

static void get_into(long *to, int n) { MPI_Rget(to, 1, MPI_LONG, 1, n, 1, MPI_LONG, win, &request); }
static void put_from(const long *from, int n) { MPI_Rput(from, 1, MPI_LONG, 1, n, 1, MPI_LONG, win, &request); }
static void add_from(const long *from, int n) { MPI_Raccumulate(from, 1, MPI_LONG, 1, n, 1, MPI_LONG, MPI_SUM, win, &request); }
static void exchange(const long *from, long *to, int n) {
    MPI_Rget_accumulate(from, 1, MPI_LONG, to, 1, MPI_LONG, 1, n, 1, MPI_LONG, MPI_SUM, win, &request);
}
static void put(const long *from, int n) {
    MPI_Put(from, 1, MPI_LONG, 1, n, 1, MPI_LONG, win); // !get_put !loop_put !elsewhere_put !vector_put !receive_put !receive_loop
}
static void get(long *to, int n) {
    MPI_Get(to, 1, MPI_LONG, 1, n, 1, MPI_LONG, win); // !put_get !add_get !loop_get !receive_get !send_get
}
static void add(const long *from, int n) {
    MPI_Accumulate(from, 1, MPI_LONG, 1, n, 1, MPI_LONG, MPI_SUM, win); // !exchange_add !loop_add !elsewhere_add !receive_add
}
static void send(const long *from) {
    MPI_Request waiting;
    MPI_Irecv(other, 1, MPI_LONG, 0, 5, MPI_COMM_SELF, &waiting);
    MPI_Send(from, 1, MPI_LONG, 0, 5, MPI_COMM_SELF); // !get_send !exchange_send !loop_send !several_send
    MPI_Wait(&waiting, MPI_STATUS_IGNORE);
}

// Of rank 0, alone on rank 1's part.
static void requests(void) {
    MPI_Request waiting, all[SOME];
    if (is("get_put")) get_into(buffer, 1), put(buffer, 2), await(), flush();
    else if (is("get_send")) get_into(buffer, 1), send(buffer), await();
    else if (is("get_reduce")) {
        get_into(buffer, 1);
        MPI_Allreduce(buffer, other, 1, MPI_LONG, MPI_SUM, MPI_COMM_SELF); // !get_reduce
        await();
    } else if (is("get_get")) {
        get_into(buffer, 1);
        waiting = request;
        MPI_Rget(buffer, 1, MPI_LONG, 1, 2, 1, MPI_LONG, win, &request); // !get_get
        await(), MPI_Wait(&waiting, MPI_STATUS_IGNORE);
    } else if (is("put_receive")) {
        MPI_Isend(&zero, 1, MPI_LONG, 0, 5, MPI_COMM_SELF, &waiting);
        put_from(buffer, 1);
        MPI_Recv(buffer, 1, MPI_LONG, 0, 5, MPI_COMM_SELF, MPI_STATUS_IGNORE); // !put_receive
        MPI_Wait(&waiting, MPI_STATUS_IGNORE);
        await();
    } else if (is("put_fetch")) {
        put_from(buffer, 1);
        MPI_Fetch_and_op(&one, buffer, MPI_LONG, 1, 2, MPI_SUM, win); // !put_fetch
        await(), flush();
    } else if (is("put_get")) put_from(buffer, 1), get(buffer, 2), await(), flush();
    else if (is("add_get")) add_from(buffer, 1), get(buffer, 2), await(), flush();
    else if (is("exchange_send")) exchange(&one, buffer, 1), send(buffer), await();
    else if (is("exchange_add")) exchange(&one, buffer, 1), add(buffer, 2), await(), flush();
    else if (begins("loop_") || is("waited")) {
        for (int n = 0; n < SOME; n++) {
            int early = begins("loop_") && n == SOME - 1;
            if (is("loop_get") || is("loop_add")) put_from(buffer, 1);
            else get_into(buffer, 1);
            if (is("loop_add")) await(), get_into(buffer, 4);
            if (!early) await();
            if (is("loop_get")) get(buffer, 2);
            else if (is("loop_add")) add(buffer, 3);
            else if (is("loop_send")) send(buffer);
            else put(buffer, 2);
            if (early) await();
            flush();
        }
    } else if (begins("elsewhere_")) {
        for (int n = 0; n < SOME; n++) {
            get_into(buffer + n, n);
            if (n < SOME - 1) await();
            if (is("elsewhere_put")) put(buffer + n, 100 + n);
            else add(buffer + n, 100 + n * 7 % SOME);
            if (n == SOME - 1) await();
        }
        flush();
    } else if (is("several_send") || is("waited_for_all")) {
        for (int n = 0; n < SOME; n++) get_into(buffer + n, n), all[n] = request;
        if (is("several_send")) send(buffer + SOME / 2);
        MPI_Waitall(SOME, all, MPI_STATUSES_IGNORE);
        if (!is("several_send")) for (int n = 0; n < SOME; n++) put(buffer + n, 100 + n);
        flush();
    } else if (begins("vector_")) {
        MPI_Datatype vector;
        MPI_Type_vector(5, 2, 4, MPI_LONG, &vector);
        MPI_Type_commit(&vector);
        MPI_Rget(buffer, 1, vector, 1, 0, 10, MPI_LONG, win, &request);
        put(buffer + (is("vector_put") ? 13 : 14), 50);
        await(), flush();
        MPI_Type_free(&vector);
    } else if (is("tested")) {
        for (int n = 0; n < SOME; n++) {
            int done = 0;
            get_into(buffer, n);
            while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
            put(buffer, 100 + n);
            flush();
        }
    } else if (is("flushed") || is("flushed_in_loop") || is("flushed_all")) {
        for (int n = 0; n < (is("flushed") ? 1 : SOME); n++) {
            put_from(buffer, n);
            if (is("flushed_all")) MPI_Win_flush_local_all(win);
            else MPI_Win_flush_local(1, win);
            buffer[0]++;
            get(buffer, 100 + n);
            await(), flush();
            get_into(buffer, n), flush();
            put(buffer, 200 + n);
            await(), flush();
        }
    } else if (is("put_twice")) {
        put_from(buffer, 1);
        waiting = request;
        put_from(buffer, 2);
        await(), MPI_Wait(&waiting, MPI_STATUS_IGNORE);
    } else if (is("put_send")) {
        put_from(buffer, 1), send(buffer), await();
    } else if (is("put_put")) put_from(buffer, 1), put(buffer, 2), add(buffer, 3), await(), flush();
    else if (is("apart")) {
        for (int n = 0; n < SOME; n++) get_into(buffer + 1, 1), put(buffer, 2), put(buffer + 2, 3), get(buffer + 4, 4), await(), flush();
    } else if (is("changed")) {
        put_from(buffer, 1);
        buffer[0] = 7;
        MPI_Wait(&request, MPI_STATUS_IGNORE); // !changed
    } else if (is("changed_flushed") || is("changed_flushed_local")) {
        MPI_Rput(buffer, 3, MPI_LONG, 1, 1, 3, MPI_LONG, win, &request); // !changed_flushed !changed_flushed_local
        buffer[2] = 7;
        if (is("changed_flushed")) MPI_Win_flush_all(win);
        else MPI_Win_flush_local(1, win);
        await();
    } else if (is("changed_in_loop")) {
        for (int n = 0; n < SOME; n++) {
            MPI_Raccumulate(buffer, 3, MPI_LONG, 1, 3 * n, 3, MPI_LONG, MPI_SUM, win, &request);
            buffer[0] = n;
            MPI_Wait(&request, MPI_STATUS_IGNORE); // !changed_in_loop
        }
    } else MPI_Abort(comm, 9);
}

// Of rank 0: the message comes, or goes, when it is waited for.
static void messages(void) {
    MPI_Request waiting;
    if (begins("receive_")) MPI_Irecv(buffer, 1, MPI_LONG, 0, 5, MPI_COMM_SELF, &waiting);
    else MPI_Isend(buffer, 1, MPI_LONG, 0, 5, MPI_COMM_SELF, &waiting);
    if (is("receive_put")) put(buffer, 1);
    else if (is("receive_get")) get(buffer, 1);
    else if (is("receive_add")) add(buffer, 1);
    else if (is("receive_fetch")) MPI_Fetch_and_op(buffer, other, MPI_LONG, 1, 1, MPI_SUM, win); // !receive_fetch
    else if (is("receive_loop")) for (int n = SOME; n >= 0; n--) put(buffer + n, n), flush();
    else if (is("send_get")) get(buffer, 1);
    else if (is("send_swap")) MPI_Compare_and_swap(&one, &zero, buffer, MPI_LONG, 1, 1, win); // !send_swap
    else if (is("send_put")) put(buffer, 1), add(buffer, 2), put_from(buffer, 3), await();
    else if (is("receive_beside")) {
        for (int n = 1; n < SOME; n++) put(buffer + n, n), get(buffer + 100 + n, 100 + n), add(buffer + n, 200 + n);
        flush();
    } else MPI_Abort(comm, 9);
    flush();
    if (begins("receive_")) MPI_Send(&one, 1, MPI_LONG, 0, 5, MPI_COMM_SELF);
    else MPI_Recv(other, 1, MPI_LONG, 0, 5, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Wait(&waiting, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    arguments = argv;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    long *mine;
    MPI_Win_allocate(ALL * sizeof(long), sizeof(long), MPI_INFO_NULL, comm, &mine, &win);
    memset(mine, 0, ALL * sizeof(long));
    MPI_Barrier(comm);
    if (is("changed_unlocked")) {
        if (rank == 0) {
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
            MPI_Raccumulate(buffer, 1, MPI_LONG, 1, 1, 1, MPI_LONG, MPI_SUM, win, &request); // !changed_unlocked
            buffer[0] = 7;
            MPI_Win_unlock(1, win);
            await();
        }
    } else if (is("unlocked")) {
        for (int n = 0; n < SOME && rank == 0; n++) {
            MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
            get_into(buffer, 1);
            MPI_Win_unlock(1, win);
            MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
            put(buffer, 2);
            MPI_Win_unlock(1, win);
            await();
        }
    } else {
        MPI_Win_lock_all(0, win);
        if (rank == 0) {
            if (begins("receive_") || begins("send_")) messages();
            else requests();
        }
        MPI_Win_unlock_all(win);
    }
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
