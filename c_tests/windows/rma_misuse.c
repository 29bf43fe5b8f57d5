/* ranks: 1 2 4; mpich: skip it checks fewer arguments and has other classes for them */
/* Every operation with every wrong argument, and every synchronisation call in every epoch that it does not fit: each has
 * its class, calls the window's error handler once, and changes nothing (MPI 4.1 sections 12.3, 12.5, 12.6). */
#include "flavours.h"

enum operation { PUT, GET, ACC, GACC, FOP, CAS, RPUT, RGET, RACC, RGACC, PUT_C, GET_C, ACC_C, GACC_C, RPUT_C, RGET_C, RACC_C, RGACC_C, OPERATIONS };

static const char *const names[OPERATIONS] = {
    "Put", "Get", "Accumulate", "Get_accumulate", "Fetch_and_op", "Compare_and_swap", "Rput", "Rget", "Raccumulate",
    "Rget_accumulate", "Put_c", "Get_c", "Accumulate_c", "Get_accumulate_c", "Rput_c", "Rget_c", "Raccumulate_c",
    "Rget_accumulate_c"};

static int has_request(enum operation o) { return (o >= RPUT && o <= RGACC) || o >= RPUT_C; }
static int has_op(enum operation o)
{
    return o == ACC || o == GACC || o == FOP || o == RACC || o == RGACC || o == ACC_C || o == GACC_C || o == RACC_C || o == RGACC_C;
}
static int has_result(enum operation o)
{
    return o == GACC || o == FOP || o == CAS || o == RGACC || o == GACC_C || o == RGACC_C;
}
static int is_get(enum operation o) { return o == GET || o == RGET || o == GET_C || o == RGET_C; }
static int has_counts(enum operation o) { return o != FOP && o != CAS; }
static int has_large_counts(enum operation o) { return o >= PUT_C; }

struct arguments {
    void *origin, *result;
    MPI_Count count, far;
    MPI_Datatype type, far_type;
    int target;
    MPI_Aint disp;
    MPI_Op op;
    MPI_Win win;
    MPI_Request *request;
};

static int64_t origin[4], result[4];
static MPI_Request request;

static int call(enum operation o, struct arguments a)
{
    int n = (int)a.count, m = (int)a.far;
    switch (o) {
#define NEAR(n) a.origin, n, a.type
#define RESULT(n) a.result, n, a.type
#define FAR(m) a.target, a.disp, m, a.far_type
    case PUT: return MPI_Put(NEAR(n), FAR(m), a.win);
    case GET: return MPI_Get(NEAR(n), FAR(m), a.win);
    case ACC: return MPI_Accumulate(NEAR(n), FAR(m), a.op, a.win);
    case GACC: return MPI_Get_accumulate(NEAR(n), RESULT(n), FAR(m), a.op, a.win);
    case FOP: return MPI_Fetch_and_op(a.origin, a.result, a.type, a.target, a.disp, a.op, a.win);
    case CAS: return MPI_Compare_and_swap(a.origin, a.origin, a.result, a.type, a.target, a.disp, a.win);
    case RPUT: return MPI_Rput(NEAR(n), FAR(m), a.win, a.request);
    case RGET: return MPI_Rget(NEAR(n), FAR(m), a.win, a.request);
    case RACC: return MPI_Raccumulate(NEAR(n), FAR(m), a.op, a.win, a.request);
    case RGACC: return MPI_Rget_accumulate(NEAR(n), RESULT(n), FAR(m), a.op, a.win, a.request);
    case PUT_C: return MPI_Put_c(NEAR(a.count), FAR(a.far), a.win);
    case GET_C: return MPI_Get_c(NEAR(a.count), FAR(a.far), a.win);
    case ACC_C: return MPI_Accumulate_c(NEAR(a.count), FAR(a.far), a.op, a.win);
    case GACC_C: return MPI_Get_accumulate_c(NEAR(a.count), RESULT(a.count), FAR(a.far), a.op, a.win);
    case RPUT_C: return MPI_Rput_c(NEAR(a.count), FAR(a.far), a.win, a.request);
    case RGET_C: return MPI_Rget_c(NEAR(a.count), FAR(a.far), a.win, a.request);
    case RACC_C: return MPI_Raccumulate_c(NEAR(a.count), FAR(a.far), a.op, a.win, a.request);
    default: return MPI_Rget_accumulate_c(NEAR(a.count), RESULT(a.count), FAR(a.far), a.op, a.win, a.request);
    }
}

/* The window's error handler. */
static int handled, handled_code;
static MPI_Win handled_win;

static void handler(MPI_Win *win, int *code, ...)
{
    handled++;
    handled_code = *code;
    handled_win = *win;
}

/* The call fails with this class, through the handler of `win`. */
static void fails(const char *what, const char *why, MPI_Win win, int code, int class)
{
    int is = -1;
    MPI_Error_class(code, &is);
    if (is != class) {
        char text[MPI_MAX_ERROR_STRING];
        int length;
        MPI_Error_string(code, text, &length);
        check_failed(__FILE__, __LINE__, "%s, %s: class %d, not %d: %s", what, why, is, class, text);
    }
    if (handled != 1 || handled_code != code || handled_win != win)
        check_failed(__FILE__, __LINE__, "%s, %s: the handler was called %d times, with window %x", what, why, handled, (unsigned)(intptr_t)handled_win);
    handled = 0;
}

static struct arguments good(const struct area *area, int target)
{
    struct arguments a = {origin, result, 2, 2, MPI_INT64_T, MPI_INT64_T, target, AT(area, target, 0), MPI_SUM, area->win, &request};
    return a;
}

static void nothing_changed(struct area *area)
{
    for (int i = 0; i < 4; i++) {
        CHECK_EQ(origin[i], 10 + i);
        CHECK_EQ(result[i], 20 + i);
        CHECK_EQ(((int64_t *)(void *)area->base)[i], 30 + i);
    }
    CHECK(request == MPI_REQUEST_NULL);
}

/* Inside an epoch on `target`. */
static void wrong_arguments(struct area *area, int target, MPI_Datatype uncommitted, MPI_Datatype mixed)
{
    for (int i = 0; i < OPERATIONS; i++) {
        enum operation o = (enum operation)i;
        struct arguments a;
#define WRONG(change, class)                                                          \
    do {                                                                              \
        a = good(area, target);                                                       \
        change;                                                                       \
        fails(names[o], #change, area->win, call(o, a), class);                       \
    } while (0)
        WRONG(a.target = size, MPI_ERR_RANK);
        WRONG(a.target = -7, MPI_ERR_RANK);
        WRONG(a.type = MPI_DATATYPE_NULL, MPI_ERR_TYPE);
        WRONG(a.origin = NULL, MPI_ERR_BUFFER);
        if (has_counts(o)) {
            WRONG(a.count = -1, MPI_ERR_COUNT);
            WRONG(a.far = -1, MPI_ERR_COUNT);
            WRONG(a.far_type = MPI_DATATYPE_NULL, MPI_ERR_TYPE);
            WRONG(a.type = uncommitted, MPI_ERR_TYPE);
            WRONG(a.far_type = uncommitted, MPI_ERR_TYPE);
            /* More is given than there is room for; what is exchanged is the same on both sides. */
            if (!is_get(o))
                WRONG(a.far = 1, MPI_ERR_TYPE);
            if (is_get(o) || has_result(o))
                WRONG(a.far = 3, MPI_ERR_TYPE);
            WRONG((a.count = a.far = 9), MPI_ERR_RMA_RANGE);
        }
        if (has_large_counts(o)) {
            WRONG((a.count = a.far = (MPI_Count)1 << 33), MPI_ERR_RMA_RANGE);
            WRONG((a.count = a.far = INT64_MAX / 2), MPI_ERR_COUNT);
        }
        if (has_result(o))
            WRONG(a.result = NULL, MPI_ERR_BUFFER);
        if (has_request(o))
            WRONG(a.request = NULL, MPI_ERR_ARG);
        if (has_op(o)) {
            WRONG(a.op = MPI_OP_NULL, MPI_ERR_OP);
            WRONG((a.type = a.far_type = MPI_DOUBLE, a.op = MPI_BXOR), MPI_ERR_OP);
            WRONG(a.op = MPI_MINLOC, MPI_ERR_OP);
            if (has_counts(o))
                WRONG((a.type = mixed, a.count = 1), MPI_ERR_TYPE);
        }
        if (o == CAS) {
            WRONG(a.type = MPI_DOUBLE, MPI_ERR_TYPE);
            WRONG(a.type = mixed, MPI_ERR_TYPE);
        }
        if (area->flavour == DYNAMIC) {
            WRONG(a.disp += 64, MPI_ERR_RMA_RANGE);
            WRONG(a.disp -= 1, MPI_ERR_RMA_RANGE);
            WRONG(a.disp = 0, MPI_ERR_RMA_RANGE);
            WRONG(a.disp = -1, MPI_ERR_RMA_RANGE);
            WRONG(a.disp = PTRDIFF_MAX, MPI_ERR_RMA_RANGE);
        } else {
            WRONG(a.disp = -1, MPI_ERR_DISP);
            WRONG(a.disp = PTRDIFF_MIN, MPI_ERR_DISP);
            WRONG(a.disp = 57, MPI_ERR_RMA_RANGE);
            WRONG(a.disp = 64, MPI_ERR_RMA_RANGE);
            WRONG(a.disp = PTRDIFF_MAX, MPI_ERR_RMA_RANGE);
        }
        nothing_changed(area);
    }
}

/* Outside any epoch on `target`. */
static void no_epoch(struct area *area, int target, const char *why)
{
    for (int o = 0; o < OPERATIONS; o++)
        fails(names[o], why, area->win, call((enum operation)o, good(area, target)), MPI_ERR_RMA_SYNC);
    nothing_changed(area);
}

enum state { NONE, LOCKED, LOCKED_ALL, FENCED, IDLE, POSTED, STARTED, STATES };
static const char *const states[STATES] = {"no epoch", "lock", "lock_all", "fence and an operation", "fence", "post", "post and start"};

static MPI_Group self;

static void enter(enum state state, MPI_Win win)
{
    int64_t same;
    switch (state) {
    case NONE: break;
    case LOCKED: OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win)); break;
    case LOCKED_ALL: OK(MPI_Win_lock_all(0, win)); break;
    case FENCED:
        OK(MPI_Win_fence(0, win));
        OK(MPI_Get(&same, 0, MPI_INT64_T, rank, 0, 0, MPI_INT64_T, win));
        break;
    case IDLE: OK(MPI_Win_fence(0, win)); break;
    case STARTED:
    case POSTED:
        OK(MPI_Win_post(self, 0, win));
        if (state == STARTED)
            OK(MPI_Win_start(self, 0, win));
        break;
    default: break;
    }
}

static void leave(enum state state, MPI_Win win)
{
    switch (state) {
    case LOCKED: OK(MPI_Win_unlock(rank, win)); break;
    case LOCKED_ALL: OK(MPI_Win_unlock_all(win)); break;
    case FENCED:
    case IDLE: OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win)); break;
    case POSTED: OK(MPI_Win_start(self, 0, win)); /* fall through */
    case STARTED:
        OK(MPI_Win_complete(win));
        OK(MPI_Win_wait(win));
        break;
    default: break;
    }
}

/* For each call the states in which it is an error of class MPI_ERR_RMA_SYNC: '!'. '+': it works and changes nothing.
 * ' ': it works, and is left out. In the order of `states`. */
static void wrong_states(MPI_Win win)
{
    MPI_Win handle;
    int over, zero = 0;
    for (int s = 0; s < STATES; s++) {
        enter((enum state)s, win);
#define CALL(marks, call)                                                             \
    if ((marks)[s] == '!')                                                            \
        fails(#call, states[s], win, call, MPI_ERR_RMA_SYNC);                         \
    else if ((marks)[s] == '+')                                                       \
        OK(call);
        /*    NLAFIPS */
        CALL(" !!! !!", MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win))
        CALL(" !!! !!", MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win))
        CALL(" !!! !!", MPI_Win_lock(MPI_LOCK_SHARED, rank, MPI_MODE_NOCHECK, win))
        CALL(" !!! !!", MPI_Win_lock_all(0, win))
        CALL(" !!! !!", MPI_Win_lock_all(MPI_MODE_NOCHECK, win))
        CALL("! !!!!!", MPI_Win_unlock(rank, win))
        CALL("!! !!!!", MPI_Win_unlock_all(win))
        CALL("!++!!!!", MPI_Win_flush(rank, win))
        CALL("!++!!!!", MPI_Win_flush_local(rank, win))
        CALL("!++!!!!", MPI_Win_flush_all(win))
        CALL("!++!!!!", MPI_Win_flush_local_all(win))
        CALL(" !!  !!", MPI_Win_fence(0, win))
        CALL(" !!  !!", MPI_Win_fence(MPI_MODE_NOPRECEDE, win))
        CALL(" !!!  !", MPI_Win_start(self, 0, win))
        CALL(" !!!  !", MPI_Win_start(self, MPI_MODE_NOCHECK, win))
        CALL("!!!!!! ", MPI_Win_complete(win))
        CALL(" !!! !!", MPI_Win_post(self, 0, win))
        CALL("!!!!!  ", MPI_Win_wait(win))
        CALL("!!!!!  ", MPI_Win_test(win, &over))
        CALL(" !!! !!", (handle = win, MPI_Win_free(&handle)))
        CALL("!+++ !+", MPI_Get(&zero, 0, MPI_INT, rank, 0, 0, MPI_INT, win))
        request = MPI_REQUEST_NULL;
        CALL("!+++ !+", MPI_Rget(&zero, 0, MPI_INT, rank, 0, 0, MPI_INT, win, &request))
        CALL("+++++++", MPI_Win_sync(win))
        CALL("+++++++", MPI_Win_flush(MPI_PROC_NULL, win))
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        leave((enum state)s, win);
    }
}

/* Wrong whatever the state. */
static void wrong_synchronisation(struct area *area)
{
    MPI_Win win = area->win;
    MPI_Group none = MPI_GROUP_NULL;
    for (int s = 0; s < 2; s++) {
        const char *why = states[s];
        enter((enum state)s, win);
#define SYNC(call, class) fails(#call, why, win, call, class);
        SYNC(MPI_Win_lock(0, rank, 0, win), MPI_ERR_LOCKTYPE)
        SYNC(MPI_Win_lock(-3, rank, 0, win), MPI_ERR_LOCKTYPE)
        SYNC(MPI_Win_lock(MPI_LOCK_SHARED, size, 0, win), MPI_ERR_RANK)
        SYNC(MPI_Win_lock(MPI_LOCK_SHARED, rank, MPI_MODE_NOPUT, win), MPI_ERR_ASSERT)
        SYNC(MPI_Win_lock_all(MPI_MODE_NOSTORE, win), MPI_ERR_ASSERT)
        SYNC(MPI_Win_unlock(size, win), MPI_ERR_RANK)
        SYNC(MPI_Win_flush(-4, win), MPI_ERR_RANK)
        SYNC(MPI_Win_flush_local(size, win), MPI_ERR_RANK)
        SYNC(MPI_Win_fence(MPI_MODE_NOCHECK, win), MPI_ERR_ASSERT)
        SYNC(MPI_Win_post(self, MPI_MODE_NOPRECEDE, win), MPI_ERR_ASSERT)
        SYNC(MPI_Win_start(self, MPI_MODE_NOPUT, win), MPI_ERR_ASSERT)
        SYNC(MPI_Win_post(none, 0, win), MPI_ERR_GROUP)
        SYNC(MPI_Win_start(none, 0, win), MPI_ERR_GROUP)
        leave((enum state)s, win);
    }
    int flag;
    void *at;
    MPI_Aint bytes;
    (void)flag;
    if (area->flavour == DYNAMIC) {
        char memory[8];
        const char *why = "dynamic";
        SYNC(MPI_Win_attach(win, memory, -1), MPI_ERR_SIZE)
        SYNC(MPI_Win_attach(win, NULL, 8), MPI_ERR_BASE)
        SYNC(MPI_Win_attach(win, area->base + 8, 100), MPI_ERR_RMA_ATTACH)
        SYNC(MPI_Win_attach(win, area->base, 1), MPI_ERR_RMA_ATTACH)
        SYNC(MPI_Win_attach(win, area->base - 8, 9), MPI_ERR_RMA_ATTACH)
        SYNC(MPI_Win_detach(win, memory), MPI_ERR_BASE)
        SYNC(MPI_Win_detach(win, area->base + 1), MPI_ERR_BASE)
        SYNC(MPI_Win_shared_query(win, rank, &bytes, &flag, &at), MPI_ERR_RMA_FLAVOR)
    } else {
        const char *why = "not dynamic";
        char memory[8];
        SYNC(MPI_Win_attach(win, memory, 8), MPI_ERR_RMA_FLAVOR)
        SYNC(MPI_Win_detach(win, memory), MPI_ERR_RMA_FLAVOR)
        SYNC(MPI_Win_shared_query(win, size, &bytes, &flag, &at), MPI_ERR_RANK)
        SYNC(MPI_Win_shared_query(win, rank, NULL, &flag, &at), MPI_ERR_ARG)
    }
}

/* A target that is exposed cannot be locked; a rank outside the group of start, or not locked, cannot be reached. */
static void of_others(struct area *area)
{
    int next = (rank + 1) % size, far = (rank + 2) % size;
    MPI_Group world, neighbour, previous;
    int before = (rank + size - 1) % size;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_incl(world, 1, &next, &neighbour));
    OK(MPI_Group_incl(world, 1, &before, &previous));
    OK(MPI_Win_post(previous, 0, area->win));
    barrier();
    fails("MPI_Win_lock", "exposed", area->win, MPI_Win_lock(MPI_LOCK_SHARED, next, 0, area->win), MPI_ERR_RMA_SYNC);
    OK(MPI_Win_start(neighbour, 0, area->win));
    if (far != next)
        no_epoch(area, far, "not in the group of start");
    OK(MPI_Win_complete(area->win));
    OK(MPI_Win_wait(area->win));
    barrier();
    OK(MPI_Win_lock(MPI_LOCK_SHARED, next, 0, area->win));
    if (far != next)
        no_epoch(area, far, "another target is locked");
    if (far != next)
        fails("MPI_Win_unlock", "another", area->win, MPI_Win_unlock(far, area->win), MPI_ERR_RMA_SYNC);
    OK(MPI_Win_unlock(next, area->win));
    barrier();
    OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, area->win));
    barrier();
    if (size > 1)
        OK(MPI_Win_lock(MPI_LOCK_SHARED, next, 0, area->win)); /* several targets at once are fine */
    if (size > 1)
        OK(MPI_Win_unlock(next, area->win));
    OK(MPI_Win_unlock(rank, area->win));
    OK(MPI_Group_free(&world));
    OK(MPI_Group_free(&neighbour));
    OK(MPI_Group_free(&previous));
}

/* A group with a process that is not in the window. */
static void wrong_groups(void)
{
    MPI_Win win;
    MPI_Group world;
    MPI_Errhandler errhandler;
    char *base;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_SELF, &base, &win));
    OK(MPI_Win_create_errhandler(handler, &errhandler));
    OK(MPI_Win_set_errhandler(win, errhandler));
    if (size > 1) {
        fails("MPI_Win_post", "strangers", win, MPI_Win_post(world, 0, win), MPI_ERR_GROUP);
        fails("MPI_Win_start", "strangers", win, MPI_Win_start(world, 0, win), MPI_ERR_GROUP);
        fails("MPI_Win_complete", "strangers", win, MPI_Win_complete(win), MPI_ERR_RMA_SYNC);
        fails("MPI_Win_wait", "strangers", win, MPI_Win_wait(win), MPI_ERR_RMA_SYNC);
    }
    OK(MPI_Errhandler_free(&errhandler));
    OK(MPI_Group_free(&world));
    OK(MPI_Win_free(&win));
}

/* Rank 0 is exposed, and locks another rank's part: what else it may not do. */
static void exposed_and_locking(struct area *area)
{
    MPI_Win win = area->win;
    barrier();
    if (rank == 0 && size > 1) {
        const char *why = "exposed, and a lock of another";
        OK(MPI_Win_post(self, 0, win));
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win));
        fails("MPI_Win_lock of its own", why, win, MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win), MPI_ERR_RMA_SYNC);
        fails("MPI_Win_lock of the same", why, win, MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win), MPI_ERR_RMA_SYNC);
        fails("MPI_Win_lock_all", why, win, MPI_Win_lock_all(0, win), MPI_ERR_RMA_SYNC);
        fails("MPI_Win_post", why, win, MPI_Win_post(self, 0, win), MPI_ERR_RMA_SYNC);
        fails("MPI_Win_start", why, win, MPI_Win_start(self, 0, win), MPI_ERR_RMA_SYNC);
        fails("MPI_Win_fence", why, win, MPI_Win_fence(0, win), MPI_ERR_RMA_SYNC);
        OK(MPI_Win_unlock(1, win));
        fails("MPI_Win_lock_all", "exposed", win, MPI_Win_lock_all(MPI_MODE_NOCHECK, win), MPI_ERR_RMA_SYNC);
        OK(MPI_Win_start(self, 0, win));
        fails("MPI_Win_lock", "exposed and started", win, MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win), MPI_ERR_RMA_SYNC);
        OK(MPI_Win_complete(win));
        OK(MPI_Win_wait(win));
        for (int nocheck = 0; nocheck < 2; nocheck++) {
            OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, nocheck ? MPI_MODE_NOCHECK : 0, win));
            OK(MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win));
            fails("MPI_Win_post", "its own part is locked", win, MPI_Win_post(self, 0, win), MPI_ERR_RMA_SYNC);
            OK(MPI_Win_unlock(1, win));
            OK(MPI_Win_unlock(0, win));
        }
    }
    barrier();
}

static void run(struct area *area)
{
    const int lengths[2] = {1, 1};
    const MPI_Aint places[2] = {0, 8};
    const MPI_Datatype parts[2] = {MPI_INT64_T, MPI_DOUBLE};
    MPI_Datatype uncommitted, mixed;
    MPI_Errhandler errhandler;
    int target = (rank + 1) % size;
    OK(MPI_Type_contiguous(1, MPI_INT64_T, &uncommitted));
    OK(MPI_Type_create_struct(2, lengths, places, parts, &mixed));
    OK(MPI_Type_commit(&mixed));
    for (int i = 0; i < 4; i++) {
        origin[i] = 10 + i;
        result[i] = 20 + i;
        ((int64_t *)(void *)area->base)[i] = 30 + i;
    }
    request = MPI_REQUEST_NULL;
    OK(MPI_Win_create_errhandler(handler, &errhandler));
    OK(MPI_Win_set_errhandler(area->win, errhandler));
    OK(MPI_Errhandler_free(&errhandler));
    barrier();
    no_epoch(area, target, "no epoch");
    OK(MPI_Win_lock_all(0, area->win));
    wrong_arguments(area, target, uncommitted, mixed);
    wrong_arguments(area, rank, uncommitted, mixed);
    OK(MPI_Win_unlock_all(area->win));
    no_epoch(area, target, "after unlock_all");
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, area->win));
    wrong_arguments(area, target, uncommitted, mixed);
    OK(MPI_Win_unlock(target, area->win));
    no_epoch(area, target, "after unlock");
    barrier();
    wrong_states(area->win);
    wrong_synchronisation(area);
    of_others(area);
    exposed_and_locking(area);
    nothing_changed(area);
    CHECK_EQ(handled, 0);
    OK(MPI_Type_free(&uncommitted));
    OK(MPI_Type_free(&mixed));
}

int main(int argc, char **argv)
{
    MPI_Group world;
    check_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_incl(world, 1, &rank, &self));
    OK(MPI_Group_free(&world));
    on_each_flavour(64, run);
    wrong_groups();
    OK(MPI_Group_free(&self));
    return check_end();
}
