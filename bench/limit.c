/* What the machine can do without an MPI: processes made by fork that share a mapping, and plain loads and stores.
 *
 * limit <family> <processes> [<seconds>]: prints the same lines as the benchmark. What has no limit of its own is left
 * out. */
#define _GNU_SOURCE
#include <immintrin.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { AREA = 8 << 20, MOST = 64 };
struct line {
    _Alignas(64) atomic_long v;
};
/* In the shared mapping. */
static struct shared {
    struct line arrived, turn, word, lock, rounds, flag[2];
    long served[MOST];
    double worst[MOST];
    _Alignas(64) char area[AREA];
} *s;
static int rank, size;
static double budget = 0.05;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void result(const char *name, long x, const char *unit, double value)
{
    if (rank == 0) {
        printf("result %s %ld %s %.6g\n", name, x, unit, value);
        fflush(stdout);
    }
}

/* All have come; who waits gives its core away after a moment. */
static void barrier(void)
{
    long turn = atomic_load_explicit(&s->turn.v, memory_order_acquire);
    if (atomic_fetch_add(&s->arrived.v, 1) == size - 1) {
        atomic_store_explicit(&s->arrived.v, 0, memory_order_relaxed);
        atomic_store_explicit(&s->turn.v, turn + 1, memory_order_release);
        return;
    }
    for (int spins = 0; atomic_load_explicit(&s->turn.v, memory_order_acquire) == turn; spins++)
        if (size > 2 || spins > 2000)
            sched_yield();
        else
            _mm_pause();
}

static int ascending(const void *a, const void *b)
{
    double d = *(const double *)a - *(const double *)b;
    return (d > 0) - (d < 0);
}

/* As in the benchmark: five batches, each a fifth of the budget; the median. */
#define BATCHES(name, x, decide, ...)                                               \
    do {                                                                            \
        double took[5];                                                             \
        long rounds = 1;                                                            \
        for (int b = -1; b < 5;) {                                                  \
            double begin = now();                                                   \
            for (long i = 0; i < rounds; i++) {                                     \
                __VA_ARGS__;                                                        \
            }                                                                       \
            double t = now() - begin;                                               \
            decide(t);                                                              \
            if (b >= 0)                                                             \
                took[b++] = t / rounds;                                             \
            else if (t < budget / 10)                                               \
                rounds *= t < budget / 1000 ? 10 : 2;                               \
            else                                                                    \
                b = 0;                                                              \
        }                                                                           \
        qsort(took, 5, sizeof *took, ascending);                                    \
        result(name, x, "ns", took[2] * 1e9);                                       \
    } while (0)
#define MINE(t) ((void)(t))
/* Everybody goes by the time of process 0. */
#define OURS(t)                                                                     \
    do {                                                                            \
        barrier();                                                                  \
        if (rank == 0)                                                              \
            atomic_store(&s->rounds.v, (long)((t) * 1e9));                          \
        barrier();                                                                  \
        t = atomic_load(&s->rounds.v) * 1e-9;                                       \
    } while (0)
#define FENCE() atomic_thread_fence(memory_order_seq_cst)
#define HIDE(p) __asm__ volatile("" : "+r"(p)::"memory")

static void latency(void)
{
    static const long sizes[] = {8, 64, 512, 4096, 32768, 262144, 4 << 20};
    static char local[4 << 20];
    memset(local, 'p', sizeof local);
    memset(s->area, 0, sizeof local);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        long n = sizes[k];
        char *from = local, *to = s->area;
        if (n == 8)
            BATCHES("put", n, MINE, *(volatile long *)to = i; FENCE());
        else
            BATCHES("put", n, MINE, HIDE(to); memcpy(to, from, n); FENCE());
        if (n == 8)
            BATCHES("get", n, MINE, *(volatile long *)from = *(volatile long *)to; FENCE());
        else
            BATCHES("get", n, MINE, HIDE(to); memcpy(from, to, n); FENCE());
    }
    /* Memory of another process that nothing maps. */
    int pipe_[2];
    char *there = malloc(4 << 20);
    memset(there, 0, 4 << 20);
    if (pipe(pipe_) != 0)
        return;
    pid_t child = fork();
    if (child == 0) {
        char x;
        close(pipe_[1]);
        _exit(read(pipe_[0], &x, 1) < 0);
    }
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        struct iovec near = {local, sizes[k]}, far = {there, sizes[k]};
        BATCHES("put_create_malloc", sizes[k], MINE, if (process_vm_writev(child, &near, 1, &far, 1, 0) < 0) exit(1));
        BATCHES("get_create_malloc", sizes[k], MINE, if (process_vm_readv(child, &near, 1, &far, 1, 0) < 0) exit(1));
    }
    close(pipe_[1]);
    waitpid(child, NULL, 0);
}

static void rate(void)
{
    volatile long *to = (volatile long *)s->area;
    BATCHES("put", 8, MINE, to[i % 1000] = i);
    BATCHES("flush", 0, MINE, FENCE());
    BATCHES("sync", 0, MINE, FENCE());
}

__attribute__((noinline)) static void strided(double *to, long to_stride, const double *from, long from_stride)
{
    for (long i = 0; i < 1024; i++)
        to[i * to_stride] = from[i * from_stride];
}
__attribute__((noinline)) static void scatter(double *to, const int *at, const double *from)
{
    for (long i = 0; i < 1024; i++)
        to[at[i]] = from[i];
}
__attribute__((noinline)) static void gather(double *to, const int *at, const double *from)
{
    for (long i = 0; i < 1024; i++)
        to[i] = from[at[i]];
}

static void types(void)
{
    static double local[8192];
    double *there = (double *)s->area;
    int at[1024];
    for (int i = 0; i < 1024; i++)
        at[i] = i * 8 + i % 2;
    BATCHES("put_to_vector", 1024, MINE, strided(there, 8, local, 1); FENCE());
    BATCHES("put_to_indexed", 1024, MINE, scatter(there, at, local); FENCE());
    BATCHES("put_vector_to_vector", 1024, MINE, strided(there, 8, local, 8); FENCE());
    BATCHES("get_from_vector", 1024, MINE, strided(local, 1, there, 8); FENCE());
    BATCHES("get_from_indexed", 1024, MINE, gather(local, at, there); FENCE());
    BATCHES("get_vector_to_vector", 1024, MINE, strided(local, 8, there, 8); FENCE());
}

__attribute__((noinline)) static void sum_double(double *to, const double *from, long n)
{
    for (long i = 0; i < n; i++)
        to[i] += from[i];
}
__attribute__((noinline)) static void sum_long(long *to, const long *from, long n)
{
    for (long i = 0; i < n; i++)
        to[i] += from[i];
}

static void accumulate(void)
{
    static double d[65536], d2[65536];
    static long l[65536], l2[65536];
    for (long n = 1; n <= 65536; n *= n == 4096 ? 16 : 8) {
        BATCHES("accumulate_double", n, MINE, sum_double((double *)s->area, d, n); FENCE());
        BATCHES("accumulate_int64", n, MINE, sum_long((long *)s->area, l, n); FENCE());
        BATCHES("get_accumulate_double", n, MINE, memcpy(d2, s->area, n * 8); sum_double((double *)s->area, d, n); FENCE());
        BATCHES("get_accumulate_int64", n, MINE, memcpy(l2, s->area, n * 8); sum_long((long *)s->area, l, n); FENCE());
    }
}

static void atomics(void)
{
    long expected = 0;
    atomic_store(&s->word.v, 0);
    BATCHES("fetch_and_op", 8, MINE, atomic_fetch_add(&s->word.v, 1));
    atomic_store(&s->word.v, 0);
    BATCHES("compare_and_swap", 8, MINE, expected = atomic_load_explicit(&s->word.v, memory_order_relaxed);
            atomic_compare_exchange_strong(&s->word.v, &expected, expected + 1));
}

static void take(void)
{
    int spins = 0;
    while (atomic_exchange_explicit(&s->lock.v, 1, memory_order_acquire)) {
        if (++spins > 100)
            sched_yield();
        else
            _mm_pause();
    }
}

static void locks(void)
{
    long free_;
    BATCHES("lock_exclusive", 0, MINE, free_ = 0; atomic_compare_exchange_strong(&s->lock.v, &free_, 1);
            atomic_store_explicit(&s->lock.v, 0, memory_order_release));
    BATCHES("lock_shared", 0, MINE, free_ = 0; atomic_compare_exchange_strong(&s->lock.v, &free_, 1);
            atomic_store_explicit(&s->lock.v, 0, memory_order_release));
    BATCHES("lock_put_unlock", 8, MINE, free_ = 0; atomic_compare_exchange_strong(&s->lock.v, &free_, 1);
            *(volatile long *)s->area = i; atomic_store_explicit(&s->lock.v, 0, memory_order_release));
}

static void all(const char *name, int lock)
{
    char text[64];
    double seconds = budget * 8, begin, last, t;
    long served = 0, sum = 0, least = -1, most = 0;
    double worst = 0;
    barrier();
    begin = last = now();
    do {
        for (int i = 0; i < 10; i++)
            if (lock) {
                take();
                atomic_store_explicit(&s->lock.v, 0, memory_order_release);
            } else {
                atomic_fetch_add(&s->word.v, 1);
            }
        served += 10;
        t = now();
        worst = t - last > worst ? t - last : worst;
        last = t;
    } while (t - begin < seconds);
    s->served[rank] = served;
    s->worst[rank] = worst;
    barrier();
    for (int i = 0; i < size; i++) {
        sum += s->served[i];
        least = least < 0 || s->served[i] < least ? s->served[i] : least;
        most = s->served[i] > most ? s->served[i] : most;
        worst = s->worst[i] > worst ? s->worst[i] : worst;
    }
    snprintf(text, sizeof text, "%s_throughput", name);
    result(text, size, "M/s", sum / seconds / 1e6);
    snprintf(text, sizeof text, "%s_most_to_least", name);
    result(text, size, "x", (double)most / least);
    snprintf(text, sizeof text, "%s_longest", name);
    result(text, size, "ms", worst * 1e3);
    barrier();
}

static void contended(void)
{
    all("fetch_and_op", 0);
    all("exclusive", 1);
    all("shared", 1);
}

static void epochs(void)
{
    BATCHES("barrier", size, OURS, barrier());
    BATCHES("fence", size, OURS, barrier());
}

static void windows(void)
{
    BATCHES("shared", 4096, OURS, barrier(); barrier(); barrier());
}

static void messages(void)
{
    /* A cache line one way. */
    long turn = 0;
    if (size < 2)
        return;
    BATCHES("put_seen", 8, OURS, turn++; if (rank < 2) {
        if ((turn + rank) % 2)
            atomic_store_explicit(&s->flag[!rank].v, turn, memory_order_release);
        else
            while (atomic_load_explicit(&s->flag[rank].v, memory_order_acquire) != turn)
                ;
    });
}

/* The first touch of each page, by one process: what the kernel's page faults cost for private and for shared memory. */
static double touch(char *memory, long bytes)
{
    double begin = now();
    for (long i = 0; i < bytes; i += 4096)
        memory[i] = 1;
    return bytes / (now() - begin) / 1e9;
}

static void bandwidth(void)
{
    enum { BYTES = 96 << 20 };
    char *private_ = malloc(BYTES);
    char *window = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (private_ == NULL || window == MAP_FAILED)
        exit(1);
    result("touch_private", 0, "GB/s", touch(private_, BYTES));
    result("touch_window", 0, "GB/s", touch(window, BYTES));
}

/* What a job cannot do without: processes that execute a program, map memory, meet and end. */
static void nothing(const char *self)
{
    char count[16];
    snprintf(count, sizeof count, "%d", size);
    for (int i = 0; i < size; i++)
        if (fork() == 0) {
            char id[16];
            snprintf(id, sizeof id, "%d", i);
            execl(self, self, "member", count, id, (char *)NULL);
            _exit(127);
        }
    while (wait(NULL) > 0)
        ;
}

static void member(void)
{
    barrier();
    barrier();
}

static const struct {
    const char *name;
    void (*run)(void);
} families[] = {
    {"latency", latency}, {"rate", rate},           {"types", types},   {"accumulate", accumulate},
    {"atomics", atomics}, {"locks", locks},         {"epochs", epochs}, {"contended", contended},
    {"windows", windows}, {"messages", messages},   {"bandwidth", bandwidth},
};

int main(int argc, char **argv)
{
    enum { FILE_ = 200 };
    if (argc < 3)
        return 2;
    size = atoi(argv[2]);
    if (size < 1 || size > MOST)
        return 2;
    if (strcmp(argv[1], "member") == 0) {
        s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED, FILE_, 0);
        if (s == MAP_FAILED)
            return 1;
        member();
        return 0;
    }
    int file = memfd_create("limit", 0);
    if (file < 0 || ftruncate(file, sizeof *s) != 0 || dup2(file, FILE_) < 0)
        return 1;
    if (strcmp(argv[1], "nothing") == 0) {
        nothing(argv[0]);
        return 0;
    }
    s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (s == MAP_FAILED)
        return 1;
    if (argc > 3)
        budget = atof(argv[3]);
    for (rank = size - 1; rank > 0; rank--)
        if (fork() == 0)
            break;
    /* What one process does alone is not disturbed by the others. */
    int alone = strcmp(argv[1], "contended") && strcmp(argv[1], "epochs") && strcmp(argv[1], "windows") &&
                strcmp(argv[1], "messages");
    if (!alone || rank == 0)
        for (size_t i = 0; i < sizeof families / sizeof *families; i++)
            if (strcmp(argv[1], families[i].name) == 0)
                families[i].run();
    if (rank == 0)
        while (wait(NULL) > 0)
            ;
    return 0;
}
