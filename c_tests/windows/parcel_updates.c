/* ranks: 2 3 4; name: create; args: 0; env: RMASHM_ADOPT=false */
/* ranks: 2 3; name: dynamic; args: 1; env: RMASHM_ADOPT=false */
/* ranks: 2 3; name: threads; args: 0 3; env: RMASHM_ADOPT=false */
/* ranks: 2 3; name: dynamic_threads; args: 1 3; env: RMASHM_ADOPT=false */
/* ranks: 2 3; name: moving; args: 0 2; env: RMASHM_ADOPT=auto */
/* The accumulate family on private memory of rank 0 while it waits in MPI, updates it too, and does both by turns: no update is
 * lost, what is fetched was there, and nothing else is written. All update the same elements, in several shapes and by several
 * calls, the target by a thread of its own if there are threads; besides, each origin has elements of its own, of every type, on
 * which every operation is held against a plain model. */
#include "carried.h"
#include "reduce_model.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum { SUMS = 3000, LARGE = 20000, MAXIMA = 64, ODD = 40, SWAPS = 8 };
enum { COUNT = 9, EXTENT_MOST = 32, THREADS = 3, ROUNDS = 60, DONE = 7, TICK = 8 };
enum phase { WAITS, UPDATES, ALTERNATES, PHASES };

/* What lies at rank 0, before the elements of each origin. */
struct shared {
    int64_t sums[SUMS];
    double large[LARGE];
    struct pair_double maxima[MAXIMA];
    /* From its second byte on. */
    unsigned char odd[ODD * 4 + 8];
    int32_t swaps[SWAPS];
};

/* What a thread has given, in all. */
struct given {
    int64_t sums[SUMS];
    double large[LARGE];
    struct pair_double maxima[MAXIMA];
    int32_t odd[ODD];
    int32_t swaps[SWAPS];
    /* What it has seen of some of them: they grow only. */
    int64_t seen[SUMS];
    double seen_large[LARGE];
};

static MPI_Win win;
static MPI_Aint first;
static struct shared *memory;
static int threads = 1;
static enum phase phase;
static atomic_int stop;
static struct given *given;
/* The first of the sums, when all have given all. */
static int64_t first_sum;

static struct type types[TYPE_COUNT_MAX];
static int type_count;

#define PLACE(member) (first + (MPI_Aint)offsetof(struct shared, member))

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + now.tv_nsec * 1e-9;
}

/* Some of the sums, in one of several shapes: which ones goes to `which`. */
static int shape(uint64_t *seed, MPI_Datatype *type, int *which)
{
    int kind = (int)(draw(seed) % 3), step = 1 + (int)(draw(seed) % 3), begin = (int)(draw(seed) % 100);
    int n = 1 + (int)(draw(seed) % (draw(seed) % 2 ? 12 : (SUMS - begin) / step));
    for (int i = 0; i < n; i++)
        which[i] = begin + i * step;
    if (kind == 2 && n > 1) {
        /* Irregular, and not in order. */
        n = n > 1200 ? 1200 : n;
        for (int i = 0, at = 0; i < n; i++, at += 1 + (int)(draw(seed) % 2))
            which[n - 1 - i] = at;
        OK(MPI_Type_create_indexed_block(n, 1, which, MPI_INT64_T, type));
    } else {
        MPI_Datatype plain;
        MPI_Aint at = begin * (MPI_Aint)sizeof(int64_t);
        OK(MPI_Type_vector(n, 1, step, MPI_INT64_T, &plain));
        OK(MPI_Type_create_hindexed_block(1, 1, &at, plain, type));
        OK(MPI_Type_free(&plain));
    }
    OK(MPI_Type_commit(type));
    return n;
}

static void update_sums(uint64_t *seed, struct given *mine)
{
    static __thread int64_t values[SUMS], before[SUMS];
    static __thread int which[SUMS];
    MPI_Datatype type;
    int n = shape(seed, &type, which), fetches = (int)(draw(seed) % 3);
    for (int i = 0; i < n; i++)
        values[i] = (int64_t)(draw(seed) % 1000);
    if (fetches == 0)
        OK(MPI_Accumulate(values, n, MPI_INT64_T, 0, PLACE(sums), 1, type, MPI_SUM, win));
    else
        OK(MPI_Get_accumulate(values, n, MPI_INT64_T, before, n, MPI_INT64_T, 0, PLACE(sums), 1, type,
                              fetches == 1 ? MPI_SUM : MPI_NO_OP, win));
    OK(MPI_Win_flush(0, win));
    for (int i = 0; i < n; i++) {
        if (fetches != 0) {
            CHECK(before[i] >= mine->seen[which[i]]);
            mine->seen[which[i]] = before[i];
        }
        if (fetches != 2)
            mine->sums[which[i]] += values[i];
    }
    OK(MPI_Type_free(&type));
}

static void update_one(uint64_t *seed, struct given *mine)
{
    int i = (int)(draw(seed) % SWAPS);
    int64_t value = (int64_t)(draw(seed) % 1000), before;
    OK(MPI_Fetch_and_op(&value, &before, MPI_INT64_T, 0, PLACE(sums) + i * (MPI_Aint)sizeof value, MPI_SUM, win));
    OK(MPI_Win_flush(0, win));
    CHECK(before >= mine->seen[i]);
    mine->seen[i] = before + value;
    mine->sums[i] += value;
    /* Counts by comparing and swapping. */
    int32_t old = 0, new, was;
    for (;;) {
        new = old + 1;
        OK(MPI_Compare_and_swap(&new, &old, &was, MPI_INT32_T, 0, PLACE(swaps) + i * (MPI_Aint)sizeof was, win));
        OK(MPI_Win_flush(0, win));
        if (was == old)
            break;
        CHECK(was > old || old == 0);
        old = was;
    }
    mine->swaps[i]++;
}

static void update_large(uint64_t *seed, struct given *mine)
{
    static __thread double values[LARGE], before[LARGE];
    int begin = (int)(draw(seed) % 1000), n = 1 + (int)(draw(seed) % (LARGE - begin)), fetches = (int)(draw(seed) % 2);
    MPI_Aint at = PLACE(large) + begin * (MPI_Aint)sizeof(double);
    for (int i = 0; i < n; i++)
        values[i] = (double)(draw(seed) % 1000);
    if (fetches)
        OK(MPI_Get_accumulate(values, n, MPI_DOUBLE, before, n, MPI_DOUBLE, 0, at, n, MPI_DOUBLE, MPI_SUM, win));
    else
        OK(MPI_Accumulate(values, n, MPI_DOUBLE, 0, at, n, MPI_DOUBLE, MPI_SUM, win));
    OK(MPI_Win_flush(0, win));
    for (int i = 0; i < n; i++) {
        if (fetches) {
            CHECK(before[i] >= mine->seen_large[begin + i]);
            mine->seen_large[begin + i] = before[i] + values[i];
        }
        mine->large[begin + i] += values[i];
    }
}

static void update_others(uint64_t *seed, struct given *mine)
{
    struct pair_double pairs[MAXIMA];
    int32_t ones[ODD];
    memset(pairs, 0, sizeof pairs);
    for (int i = 0; i < MAXIMA; i++) {
        pairs[i].value = (double)(draw(seed) % 100000);
        pairs[i].index = (int)(draw(seed) % 100);
        model(MPI_MAXLOC, PAIR_DOUBLE, sizeof *pairs, &mine->maxima[i], &pairs[i]);
    }
    OK(MPI_Accumulate(pairs, MAXIMA, MPI_DOUBLE_INT, 0, PLACE(maxima), MAXIMA, MPI_DOUBLE_INT, MPI_MAXLOC, win));
    int n = 1 + (int)(draw(seed) % ODD);
    for (int i = 0; i < n; i++) {
        ones[i] = i;
        mine->odd[i] += i;
    }
    OK(MPI_Accumulate(ones, n, MPI_INT32_T, 0, PLACE(odd) + 1, n, MPI_INT32_T, MPI_SUM, win));
    OK(MPI_Win_flush(0, win));
}

static void update(uint64_t *seed, struct given *mine)
{
    switch (draw(seed) % 5) {
    case 0: update_large(seed, mine); break;
    case 1: update_others(seed, mine); break;
    case 2: update_one(seed, mine); break;
    default: update_sums(seed, mine); break;
    }
}

/* Each operation on each type that it is defined for, on an origin's own elements, every second of twice as many. */
static void operate(uint64_t *seed)
{
    static unsigned char values[COUNT * EXTENT_MOST], wanted[2 * COUNT * EXTENT_MOST], got[2 * COUNT * EXTENT_MOST];
    MPI_Aint at = first + (MPI_Aint)sizeof(struct shared) + (rank - 1) * (MPI_Aint)sizeof wanted;
    for (int t = 0; t < type_count; t++) {
        MPI_Datatype type = types[t].type, every_second;
        enum kind kind = types[t].kind;
        size_t extent = types[t].extent;
        OK(MPI_Type_vector(COUNT, 1, 2, type, &every_second));
        OK(MPI_Type_commit(&every_second));
        for (int o = 0; o < OP_COUNT; o++) {
            int gaps = (int)(draw(seed) % 2), step = gaps ? 2 : 1, fetches = (int)(draw(seed) % 2);
            MPI_Datatype far = gaps ? every_second : type;
            int count = gaps ? 1 : COUNT;
            if (!is_allowed(all_ops[o].op, kind))
                continue;
            for (int i = 0; i < 2 * COUNT; i++)
                set_element(kind, extent, wanted + (size_t)i * extent, draw(seed));
            OK(MPI_Accumulate(wanted, 2 * COUNT, type, 0, at, 2 * COUNT, type, MPI_REPLACE, win));
            for (int i = 0; i < COUNT; i++)
                set_element(kind, extent, values + (size_t)i * extent, draw(seed));
            if (fetches || all_ops[o].op == MPI_NO_OP) {
                memset(got, 0, sizeof got);
                OK(MPI_Get_accumulate(values, COUNT, type, got, COUNT, type, 0, at, count, far, all_ops[o].op, win));
                OK(MPI_Win_flush(0, win));
                for (int i = 0; i < COUNT; i++)
                    if (!same_element(kind, got + (size_t)i * extent, wanted + (size_t)(i * step) * extent, extent))
                        check_failed(__FILE__, __LINE__, "%s of %s: what was there, %d", all_ops[o].name, types[t].name, i);
            } else
                OK(MPI_Accumulate(values, COUNT, type, 0, at, count, far, all_ops[o].op, win));
            for (int i = 0; i < COUNT; i++)
                model(all_ops[o].op, kind, extent, wanted + (size_t)(i * step) * extent, values + (size_t)i * extent);
            memset(got, 0, sizeof got);
            OK(MPI_Get_accumulate(NULL, 0, type, got, 2 * COUNT, type, 0, at, 2 * COUNT, type, MPI_NO_OP, win));
            OK(MPI_Win_flush(0, win));
            for (int i = 0; i < 2 * COUNT; i++)
                if (!same_element(kind, got + (size_t)i * extent, wanted + (size_t)i * extent, extent))
                    check_failed(__FILE__, __LINE__, "%s of %s: element %d is wrong", all_ops[o].name, types[t].name, i);
        }
        OK(MPI_Type_free(&every_second));
    }
}

static uint64_t seed_of(int thread)
{
    return mix((uint64_t)(rank * THREADS + thread + 1), (uint64_t)phase + 17) | 1;
}

/* One thread of an origin. */
static void *origin(void *number)
{
    int me = (int)(intptr_t)number;
    uint64_t seed = seed_of(me);
    if (me == 0)
        operate(&seed);
    for (int round = 0; round < ROUNDS; round++) {
        update(&seed, &given[me]);
        if (phase == ALTERNATES && me == 0)
            OK(MPI_Send(NULL, 0, MPI_BYTE, 0, round == ROUNDS - 1 ? DONE : TICK, MPI_COMM_WORLD));
    }
    return NULL;
}

/* A thread of the target's own. */
static void *updater(void *nothing)
{
    uint64_t seed = seed_of(1);
    (void)nothing;
    while (!atomic_load(&stop))
        update(&seed, &given[1]);
    return NULL;
}

static void update_for(double time, uint64_t *seed)
{
    double end = seconds() + time;
    while (seconds() < end)
        update(seed, &given[0]);
}

static void target(void)
{
    pthread_t thread;
    uint64_t seed = seed_of(0);
    atomic_store(&stop, 0);
    if (threads > 1)
        CHECK(pthread_create(&thread, NULL, updater, NULL) == 0);
    if (phase == UPDATES)
        update_for(0.1, &seed);
    for (int left = phase == ALTERNATES ? size - 1 : 0; left > 0;) {
        MPI_Status status;
        OK(MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
        left -= status.MPI_TAG == DONE;
        update_for(0.0002, &seed);
    }
    barrier();
    atomic_store(&stop, 1);
    if (threads > 1)
        CHECK(pthread_join(thread, NULL) == 0);
}

/* Rank 0 holds its memory against what all have given. */
static void check_all(void)
{
    static struct given sum, from;
    for (int origin = 0; rank == 0 && origin < size; origin++)
        for (int thread = 0; thread < threads; thread++) {
            if (origin == 0)
                from = given[thread];
            else
                OK(MPI_Recv(&from, sizeof from, MPI_BYTE, origin, thread, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            for (int i = 0; i < SUMS; i++)
                sum.sums[i] += from.sums[i];
            for (int i = 0; i < LARGE; i++)
                sum.large[i] += from.large[i];
            for (int i = 0; i < MAXIMA; i++)
                model(MPI_MAXLOC, PAIR_DOUBLE, sizeof *sum.maxima, &sum.maxima[i], &from.maxima[i]);
            for (int i = 0; i < ODD; i++)
                sum.odd[i] += from.odd[i];
            for (int i = 0; i < SWAPS; i++)
                sum.swaps[i] += from.swaps[i];
        }
    for (int thread = 0; rank > 0 && thread < threads; thread++)
        OK(MPI_Send(&given[thread], sizeof *given, MPI_BYTE, 0, thread, MPI_COMM_WORLD));
    if (rank > 0)
        return;
    first_sum = sum.sums[0];
    for (int i = 0; i < SUMS; i++)
        CHECK_EQ(memory->sums[i], sum.sums[i]);
    for (int i = 0; i < LARGE; i++)
        CHECK_EQ((long)memory->large[i], (long)sum.large[i]);
    for (int i = 0; i < MAXIMA; i++)
        CHECK(memory->maxima[i].value == sum.maxima[i].value && memory->maxima[i].index == sum.maxima[i].index);
    CHECK_BYTES(memory->odd + 1, sum.odd, sizeof sum.odd);
    CHECK(memory->odd[0] == 0 && memory->odd[1 + sizeof sum.odd] == 0);
    CHECK_BYTES(memory->swaps, sum.swaps, sizeof sum.swaps);
}

#ifdef RMASHM
/* An update that is carried out where rank 0 waits. */
static void ask(void)
{
    int64_t zero = 0, before;
    OK(MPI_Fetch_and_op(&zero, &before, MPI_INT64_T, 0, PLACE(sums), MPI_SUM, win));
    OK(MPI_Win_flush(0, win));
}
#endif

int main(int argc, char **argv)
{
    int dynamic = argc > 1 && atoi(argv[1]);
    threads = start_with_threads(&argc, &argv);
    ask_for_little();
    type_count = all_types(types);
    size_t bytes = sizeof *memory + (size_t)size * 2 * COUNT * EXTENT_MOST;
    memory = calloc(1, bytes);
    given = calloc((size_t)THREADS, sizeof *given);
    first = window_over(memory, bytes, dynamic, &win);
#ifdef RMASHM
    if (strcmp(getenv("RMASHM_ADOPT"), "false") == 0)
        until_carried(ask);
#endif
    for (phase = WAITS; phase < PHASES; phase++) {
        barrier();
        if (rank == 0) {
            target();
            continue;
        }
        in_threads(threads, origin);
        barrier();
    }
    OK(MPI_Win_sync(win));
    check_all();
    OK(MPI_Win_unlock_all(win));
    /* One origin after the other has the memory to itself. */
    for (int round = 0; rank > 0 && round < 50; round++) {
        int64_t one = 1, before;
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
        OK(MPI_Get_accumulate(NULL, 0, MPI_INT64_T, &before, 1, MPI_INT64_T, 0, PLACE(sums), 1, MPI_INT64_T, MPI_NO_OP, win));
        OK(MPI_Win_flush(0, win));
        int64_t next = before + 1, was;
        OK(MPI_Accumulate(&one, 1, MPI_INT64_T, 0, PLACE(sums), 1, MPI_INT64_T, MPI_SUM, win));
        OK(MPI_Win_flush(0, win));
        OK(MPI_Compare_and_swap(&before, &next, &was, MPI_INT64_T, 0, PLACE(sums), win));
        OK(MPI_Win_flush(0, win));
        CHECK_EQ(was, next);
        OK(MPI_Accumulate(&one, 1, MPI_INT64_T, 0, PLACE(sums), 1, MPI_INT64_T, MPI_SUM, win));
        OK(MPI_Win_unlock(0, win));
    }
    barrier();
    OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
    if (rank == 0)
        CHECK_EQ(memory->sums[0], first_sum + 50 * (size - 1));
    OK(MPI_Win_unlock(rank, win));
    if (dynamic)
        OK(MPI_Win_detach(win, memory));
    OK(MPI_Win_free(&win));
    free(memory), free(given);
    return check_end();
}
