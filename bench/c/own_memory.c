/* Windows over the program's own memory, next to those that allocate theirs: each case on MPI_Win_allocate, MPI_Win_create of
 * malloc, MPI_Win_create_dynamic with malloc attached, and MPI_Win_create of malloc that may not become shared (rmashm_adopt).
 * The target waits in MPI. What is measured comes after some thousand
 * operations, for a library may reach memory in another way once it has been used; what those cost is the case `first`. */
#include "bench.h"

static const struct kind {
    const char *name;
    enum flavour flavour;
} kinds[] = {{"allocate", ALLOCATED}, {"create", CREATED_MALLOC}, {"dynamic", DYNAMIC_MALLOC}, {"refused", REFUSED_MALLOC}};

static const struct kind *kind;
static struct window w;
static int target;

/* The name of a case on the kind of window at hand. */
static const char *on(const char *operation)
{
    static char text[64];
    snprintf(text, sizeof text, "%s_%s", operation, kind->name);
    return text;
}

/* Where the target's memory is, `bytes` from its beginning. */
static MPI_Aint at(MPI_Aint bytes)
{
    return w.begin[target] + bytes;
}

static void open_and_lock(MPI_Aint bytes)
{
    w = window_open(kind->flavour, bytes);
    MPI_Win_lock_all(0, w.win);
}

static void unlock_and_close(void)
{
    MPI_Win_unlock_all(w.win);
    window_close(&w);
}

static int ascending(const void *a, const void *b)
{
    double d = *(const double *)a - *(const double *)b;
    return (d > 0) - (d < 0);
}

/* How long the first puts on a window take together: the median of some windows, none on memory that another one had. */
static void first(void)
{
    enum { WINDOWS = 5, COUNTS = 4, WORDS = 8192, PUTS = 10000 };
    double took[COUNTS][WINDOWS];
    struct window all[WINDOWS];
    for (int window = 0; window < WINDOWS; window++) {
        open_and_lock(WORDS * sizeof(long));
        if (rank == 0) {
            double begin = MPI_Wtime();
            for (long i = 0, next = 10, which = 0; i < PUTS; i++) {
                long value = i + 1;
                MPI_Put(&value, 1, MPI_LONG, target, at(i % WORDS * sizeof(long)), 1, MPI_LONG, w.win);
                MPI_Win_flush(target, w.win);
                if (i + 1 == next) {
                    took[which++][window] = MPI_Wtime() - begin;
                    next *= 10;
                }
            }
        }
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_sync(w.win);
        for (long i = 0; rank == target && i < WORDS; i++)
            check(((long *)w.mine)[i] == (i + WORDS < PUTS ? i + WORDS : i) + 1, "first puts");
        MPI_Win_unlock_all(w.win);
        all[window] = w;
    }
    for (int window = 0; window < WINDOWS; window++)
        window_close(&all[window]);
    for (long which = 0, puts = 10; rank == 0 && which < COUNTS; which++, puts *= 10) {
        qsort(took[which], WINDOWS, sizeof(double), ascending);
        result(on("first"), puts, "us", took[which][WINDOWS / 2] * 1e6);
    }
}

/* What is put, so that no byte is as the one before. */
static char byte(long i)
{
    return (char)(i * 7 + i / 251 + 1);
}

static int as_put(const char *memory, long bytes)
{
    for (long i = 0; i < bytes; i++)
        if (memory[i] != byte(i))
            return 0;
    return 1;
}

static void put_get(void)
{
    char *local = malloc(sizes[SIZES - 1]);
    open_and_lock(sizes[SIZES - 1]);
    for (int s = 0; s < SIZES; s++) {
        long bytes = sizes[s];
        for (long i = 0; i < bytes; i++)
            local[i] = byte(i);
        if (rank == target)
            memset(w.mine, 0, bytes);
        MPI_Win_sync(w.win);
        TIMED_WARM(ALONE, on("put"), bytes, MPI_Put(local, bytes, MPI_CHAR, target, at(0), bytes, MPI_CHAR, w.win);
                   MPI_Win_flush(target, w.win));
        MPI_Win_sync(w.win);
        check(rank != target || as_put(w.mine, bytes), on("put"));
        memset(local, 0, bytes);
        TIMED_WARM(ALONE, on("get"), bytes, MPI_Get(local, bytes, MPI_CHAR, target, at(0), bytes, MPI_CHAR, w.win);
                   MPI_Win_flush(target, w.win));
        check(rank != 0 || as_put(local, bytes), on("get"));
    }
    unlock_and_close();
    free(local);
}

/* Puts of 8 bytes with one flush for a thousand. */
static void rate(void)
{
    enum { WORDS = 1000 };
    long values[WORDS], done = 0;
    for (int i = 0; i < WORDS; i++)
        values[i] = i + 1;
    open_and_lock(sizeof values);
    struct timing t = timing_warm(ALONE);
    while (timing_next(&t)) {
        for (long i = 0; i < t.rounds; i++) {
            long k = done++ % WORDS;
            MPI_Put(&values[k], 1, MPI_LONG, target, at(k * sizeof(long)), 1, MPI_LONG, w.win);
            if (k == WORDS - 1)
                MPI_Win_flush(target, w.win);
        }
        MPI_Win_flush(target, w.win);
    }
    MPI_Bcast(&done, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    MPI_Win_sync(w.win);
    /* In a short time not all of them were put. */
    for (long k = 0; rank == target && k < WORDS; k++)
        check(((long *)w.mine)[k] == (k < done ? values[k] : 0), on("put_rate"));
    timing_end(&t, on("put_rate"), 8);
    unlock_and_close();
}

static void atomics(void)
{
    long one = 1, before = -1, calls = 0, next;
    open_and_lock(64);
    TIMED_WARM(ALONE, on("fetch_and_op"), 8, MPI_Fetch_and_op(&one, &before, MPI_LONG, target, at(0), MPI_SUM, w.win);
               MPI_Win_flush(target, w.win); calls++);
    check(rank != 0 || before == calls - 1, on("fetch_and_op"));
    calls = 0;
    TIMED_WARM(ALONE, on("compare_and_swap"), 8, next = calls + 1;
               MPI_Compare_and_swap(&next, &calls, &before, MPI_LONG, target, at(8), w.win);
               MPI_Win_flush(target, w.win); calls++);
    check(rank != 0 || before == calls - 1, on("compare_and_swap"));
    unlock_and_close();
}

/* Adds element `i` of `ones`, which is i % 5 + 1, so that each element tells how often it was added to. */
static void accumulate(long n)
{
    double *ones = malloc(n * sizeof(double)), *before = malloc(n * sizeof(double)), calls = 0;
    for (long i = 0; i < n; i++)
        ones[i] = i % 5 + 1;
    open_and_lock(n * sizeof(double));
    TIMED_WARM(ALONE, on("accumulate"), n,
               MPI_Accumulate(ones, n, MPI_DOUBLE, target, at(0), n, MPI_DOUBLE, MPI_SUM, w.win);
               MPI_Win_flush(target, w.win); calls++);
    TIMED_WARM(ALONE, on("get_accumulate"), n,
               MPI_Get_accumulate(ones, n, MPI_DOUBLE, before, n, MPI_DOUBLE, target, at(0), n, MPI_DOUBLE, MPI_SUM, w.win);
               MPI_Win_flush(target, w.win); calls++);
    for (long i = 0; rank == 0 && i < n; i++)
        check(before[i] == ones[i] * (calls - 1), on("get_accumulate"));
    MPI_Bcast(&calls, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Win_sync(w.win);
    for (long i = 0; rank == target && i < n; i++)
        check(((double *)w.mine)[i] == ones[i] * calls, on("accumulate"));
    unlock_and_close();
    free(ones);
    free(before);
}

/* Contiguous memory to and from every second element. */
static void vectors(void)
{
    enum { N = 1024, STRIDE = 2 };
    double local[N];
    MPI_Datatype vector;
    MPI_Type_vector(N, 1, STRIDE, MPI_DOUBLE, &vector);
    MPI_Type_commit(&vector);
    for (int i = 0; i < N; i++)
        local[i] = i + 1;
    open_and_lock(N * STRIDE * sizeof(double));
    double *there = (double *)w.mine;
    TIMED_WARM(ALONE, on("put_to_vector"), N, MPI_Put(local, N, MPI_DOUBLE, target, at(0), 1, vector, w.win);
               MPI_Win_flush(target, w.win));
    MPI_Win_sync(w.win);
    for (int i = 0; rank == target && i < N; i++)
        check(there[i * STRIDE] == i + 1 && there[i * STRIDE + 1] == 0, on("put_to_vector"));
    memset(local, 0, sizeof local);
    TIMED_WARM(ALONE, on("get_from_vector"), N, MPI_Get(local, N, MPI_DOUBLE, target, at(0), 1, vector, w.win);
               MPI_Win_flush(target, w.win));
    for (int i = 0; rank == 0 && i < N; i++)
        check(local[i] == i + 1, on("get_from_vector"));
    unlock_and_close();
    MPI_Type_free(&vector);
}

/* One put in each kind of epoch. */
static void epochs(void)
{
    long value = 0;
    w = window_open(kind->flavour, 64);
    volatile long *mine = (volatile long *)w.mine;
    TIMED_WARM(ALONE, on("lock_put_unlock"), 8, value++; MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, w.win);
               MPI_Put(&value, 1, MPI_LONG, target, at(0), 1, MPI_LONG, w.win); MPI_Win_unlock(target, w.win));
    long last = value, there = -1;
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, target, 0, w.win);
        MPI_Get(&there, 1, MPI_LONG, target, at(0), 1, MPI_LONG, w.win);
        MPI_Win_unlock(target, w.win);
        check(there == last, on("lock_put_unlock"));
    }
    MPI_Barrier(MPI_COMM_WORLD);

    value = 0;
    MPI_Win_fence(MPI_MODE_NOPRECEDE, w.win);
    TIMED_WARM(TOGETHER, on("fence_put"), 8, value++;
               if (rank == 0) MPI_Put(&value, 1, MPI_LONG, target, at(0), 1, MPI_LONG, w.win); MPI_Win_fence(0, w.win));
    MPI_Win_fence(MPI_MODE_NOSUCCEED, w.win);
    check(rank != target || *mine == value, on("fence_put"));

    MPI_Group world, other;
    int peer = rank == 0 ? target : 0;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &peer, &other);
    value = 0;
    TIMED_WARM(
        TOGETHER, on("pscw_put"), 8, value++; if (rank == 0) {
            MPI_Win_start(other, 0, w.win);
            MPI_Put(&value, 1, MPI_LONG, target, at(0), 1, MPI_LONG, w.win);
            MPI_Win_complete(w.win);
        } else {
            MPI_Win_post(other, 0, w.win);
            MPI_Win_wait(w.win);
        });
    check(rank != target || *mine == value, on("pscw_put"));
    MPI_Group_free(&world);
    MPI_Group_free(&other);
    window_close(&w);
}

/* The memory of a window that is made and freed again and again, if it is the program's, and what is put into it. */
static struct life {
    char *mine, *local;
    MPI_Aint bytes, begins[2];
    const char *name;
    int put;
} life;

/* A window, perhaps with a put of everything, and its end. */
static void live(int verify)
{
    MPI_Win win;
    int dynamic = kind->flavour == DYNAMIC_MALLOC;
    if (kind->flavour == ALLOCATED)
        MPI_Win_allocate(life.bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &life.mine, &win);
    else if (!dynamic)
        win = window_over(life.mine, life.bytes, kind->flavour);
    else {
        MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
        MPI_Win_attach(win, life.mine, life.bytes);
        /* Nobody puts before it is attached, nor when it is detached. */
        if (life.put)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    if (life.put && rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
        MPI_Put(life.local, life.bytes, MPI_CHAR, target, life.begins[target], life.bytes, MPI_CHAR, win);
        MPI_Win_flush(target, win);
        MPI_Win_unlock(target, win);
    }
    if (life.put && (dynamic || verify))
        MPI_Barrier(MPI_COMM_WORLD);
    if (life.put && verify && rank == target) {
        MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
        check(as_put(life.mine, life.bytes), on(life.name));
        MPI_Win_unlock(target, win);
    }
    if (dynamic)
        MPI_Win_detach(win, life.mine);
    MPI_Win_free(&win);
}

static void lives(const char *name, MPI_Aint bytes, int put)
{
    MPI_Aint begin = 0;
    char *mine = malloc(bytes);
    life = (struct life){.mine = mine, .local = malloc(bytes), .bytes = bytes, .name = name, .put = put};
    memset(mine, 0, bytes);
    for (long i = 0; i < bytes; i++)
        life.local[i] = byte(i);
    if (kind->flavour == DYNAMIC_MALLOC)
        MPI_Get_address(mine, &begin);
    MPI_Allgather(&begin, 1, MPI_AINT, life.begins, 1, MPI_AINT, MPI_COMM_WORLD);
    live(1);
    TIMED_WARM(TOGETHER, on(name), bytes, live(0));
    free(life.local);
    free(mine);
}

static long before, one = 1;

static void word(void)
{
    MPI_Fetch_and_op(&one, &before, MPI_LONG, target, at(0), MPI_SUM, w.win);
    MPI_Win_flush(target, w.win);
}

static void locked(void)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, w.win);
    MPI_Get(&before, 1, MPI_LONG, target, at(0), 1, MPI_LONG, w.win);
    MPI_Win_flush(target, w.win);
    before++;
    MPI_Put(&before, 1, MPI_LONG, target, at(0), 1, MPI_LONG, w.win);
    MPI_Win_unlock(target, w.win);
}

/* All ranks count in one word: first for half of the time, then what counts. */
static void contended(const char *name, void (*body)(void))
{
    long served = 0, all = 0, sum = 0;
    double seconds = budget * 4, begin, took = 0;
    w = window_open(kind->flavour, 64);
    if (body == word)
        MPI_Win_lock_all(0, w.win);
    for (int part = 0; part < 2; part++) {
        MPI_Barrier(MPI_COMM_WORLD);
        all += served;
        served = 0;
        begin = MPI_Wtime();
        do {
            /* Reading the clock costs as much as an operation. */
            for (int i = 0; i < 10; i++)
                body();
            served += 10;
            took = MPI_Wtime() - begin;
        } while (took < seconds);
        seconds *= 2;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    all += served;
    double mine = served / took, together;
    MPI_Allreduce(&mine, &together, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&all, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (body == word)
        MPI_Win_unlock_all(w.win);
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, w.win);
    check(rank != target || *(volatile long *)w.mine == sum, on(name));
    MPI_Win_unlock(target, w.win);
    result(on(name), size, "M/s", together / 1e6);
    window_close(&w);
}

static void one_kind(void)
{
    if (size == 2) {
        target = 1;
        first();
        put_get();
        rate();
        atomics();
        for (long n = 1; n <= 65536; n *= 16)
            accumulate(n);
        vectors();
        epochs();
        lives("create_free", 4096, 0);
        lives("create_put_free", 4096, 1);
        lives("create_put_free", 64 << 20, 1);
    }
    target = 0;
    contended("contended_fetch_and_op", word);
    contended("contended_increment", locked);
}

void family_own_memory(void)
{
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        kind = &kinds[k];
        one_kind();
    }
}
