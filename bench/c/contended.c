/* All ranks want the same word or lock for a fixed time: the throughput of all, how evenly they are served, and the longest
 * that one waited. */
#include "bench.h"

enum { ARRAY = 64 };

static struct window w;
static long before, one = 1, ones[ARRAY];

static void word(void)
{
    MPI_Fetch_and_op(&one, &before, MPI_LONG, 0, 0, MPI_SUM, w.win);
    MPI_Win_flush(0, w.win);
}

static void accumulate(void)
{
    MPI_Accumulate(&one, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_SUM, w.win);
    MPI_Win_flush(0, w.win);
}

static void array(void)
{
    MPI_Accumulate(ones, ARRAY, MPI_LONG, 0, 0, ARRAY, MPI_LONG, MPI_SUM, w.win);
    MPI_Win_flush(0, w.win);
}

static void exclusive(void)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w.win);
    MPI_Win_unlock(0, w.win);
}

static void shared(void)
{
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w.win);
    MPI_Win_unlock(0, w.win);
}

/* With `counts` each call adds one to the first word, or to all. */
static void all(const char *name, void (*body)(void), int counts)
{
    char text[64];
    double seconds = budget * 8, worst = 0, longest;
    long served = 0, sum, least, most;
    w = window_open(SHARED, sizeof ones);
    if (counts)
        MPI_Win_lock_all(0, w.win);
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime(), last = begin, now;
    do {
        /* Reading the clock costs as much as an operation: ten at a time. */
        for (int i = 0; i < 10; i++)
            body();
        served += 10;
        now = MPI_Wtime();
        if (now - last > worst)
            worst = now - last;
        last = now;
    } while (now - begin < seconds);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Allreduce(&served, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&served, &least, 1, MPI_LONG, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&served, &most, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&worst, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    snprintf(text, sizeof text, "%s_throughput", name);
    result(text, size, "M/s", sum / seconds / 1e6);
    snprintf(text, sizeof text, "%s_most_to_least", name);
    result(text, size, "x", (double)most / least);
    snprintf(text, sizeof text, "%s_longest", name);
    result(text, size, "ms", longest * 1e3);
    if (counts) {
        const long *words = (const long *)w.mine;
        MPI_Win_sync(w.win);
        check(rank != 0 || (words[0] == sum && (body != array || words[ARRAY - 1] == sum)), name);
        MPI_Win_unlock_all(w.win);
    }
    window_close(&w);
}

void family_contended(void)
{
    for (int i = 0; i < ARRAY; i++)
        ones[i] = 1;
    all("fetch_and_op", word, 1);
    all("accumulate", accumulate, 1);
    all("accumulate_array", array, 1);
    all("exclusive", exclusive, 0);
    all("shared", shared, 0);
}
