/* ranks: 2 4 */
/* Accumulates of one origin to one location happen in the order of the calls, as the info key accumulate_ordering says:
 * reads and writes of every kind by default, and with each subset of them what it promises. Single elements, arrays and
 * strided types are mixed, on each flavour (MPI 4.1 section 12.7.2). */
#include "flavours.h"

#define COUNT 30
#define STEPS 40

/* A kind of element: how a number is written as one, and read. */
struct kind {
    MPI_Datatype type;
    int extent;
    void (*write)(unsigned char *, int);
    int (*read)(const unsigned char *);
};

#define NUMBER(NAME, T)                                                               \
    static void write_##NAME(unsigned char *element, int n)                           \
    {                                                                                 \
        T v = (T)n;                                                                   \
        memset(element, 0, sizeof v);                                                 \
        memcpy(element, &v, sizeof v);                                                \
    }                                                                                 \
    static int read_##NAME(const unsigned char *element)                              \
    {                                                                                 \
        T v;                                                                          \
        memcpy(&v, element, sizeof v);                                                \
        return (int)v;                                                                \
    }

NUMBER(byte, uint8_t)
NUMBER(i64, int64_t)
NUMBER(f32, float)
NUMBER(f80, long double)

struct pair {
    double value;
    int index;
};

static void write_pair(unsigned char *element, int n)
{
    struct pair p;
    memset(&p, 0, sizeof p);
    p.value = n;
    p.index = n;
    memcpy(element, &p, sizeof p);
}

static int read_pair(const unsigned char *element)
{
    struct pair p;
    memcpy(&p, element, sizeof p);
    CHECK_EQ((int)p.value, p.index);
    return p.index;
}

static struct kind kinds[5];
static const char *ordering; /* the key's value; NULL: not given */

static int promised(const char *what)
{
    return ordering == NULL || strstr(ordering, what) != NULL;
}

/* Writes `n` into elements `first` to `first + count - 1` of `target`, in one of three ways. */
static void write_all(struct area *area, const struct kind *k, int target, int first, int count, int n, int way)
{
    static unsigned char from[STEPS][COUNT * 16];
    unsigned char *given = from[n % STEPS];
    MPI_Aint at = AT(area, target, first * k->extent);
    MPI_Datatype strided;
    for (int i = 0; i < COUNT; i++)
        k->write(given + i * k->extent, n);
    if (way == 0) {
        OK(MPI_Accumulate(given, count, k->type, target, at, count, k->type, MPI_REPLACE, area->win));
    } else if (way == 1) {
        for (int i = 0; i < count; i++)
            OK(MPI_Accumulate(given, 1, k->type, target, at + i * k->extent, 1, k->type, MPI_REPLACE, area->win));
    } else {
        OK(MPI_Type_vector(count / 2, 1, 2, k->type, &strided));
        OK(MPI_Type_commit(&strided));
        for (int odd = 0; odd < 2; odd++)
            OK(MPI_Accumulate(given, count / 2, k->type, target, at + odd * k->extent, 1, strided, MPI_REPLACE, area->win));
        OK(MPI_Type_free(&strided));
    }
}

static void read_all(struct area *area, const struct kind *k, int target, unsigned char *to, int way)
{
    MPI_Aint at = AT(area, target, 0);
    if (way == 0)
        OK(MPI_Get_accumulate(NULL, 0, k->type, to, COUNT, k->type, target, at, COUNT, k->type, MPI_NO_OP, area->win));
    for (int i = 0; way && i < COUNT; i++)
        OK(MPI_Fetch_and_op(NULL, to + i * k->extent, k->type, target, at + i * k->extent, MPI_NO_OP, area->win));
}

/* One writer: each read finds the write before it (raw) and none behind it (war); the last write stays (waw). */
static void alone(struct area *area, const struct kind *k)
{
    static unsigned char got[STEPS][COUNT * 16];
    int target = (rank + 1) % size;
    OK(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, area->win));
    write_all(area, k, target, 0, COUNT, 0, 0);
    OK(MPI_Win_flush(target, area->win));
    for (int n = 1; n < STEPS; n++) {
        write_all(area, k, target, 0, COUNT, n, n % 3);
        read_all(area, k, target, got[n], n / 3 % 2);
    }
    OK(MPI_Win_unlock(target, area->win));
    for (int n = 1; n < STEPS; n++)
        for (int i = 0; i < COUNT; i++) {
            int is = k->read(got[n] + i * k->extent);
            if (promised("raw"))
                CHECK(is >= n);
            if (promised("war"))
                CHECK(is <= n);
        }
    barrier();
    OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, area->win));
    for (int i = 0; promised("waw") && i < COUNT; i++)
        CHECK_EQ(k->read(area->base + i * k->extent), STEPS - 1);
    OK(MPI_Win_unlock(rank, area->win));
    barrier();
}

/* Rank 0 writes rising numbers to the last rank (waw); the others read them, and never see an older one again (rar). */
static void watched(struct area *area, const struct kind *k)
{
    static unsigned char got[STEPS][COUNT * 16];
    int target = size - 1;
    if (rank == target)
        memset(area->base, 0, area->bytes);
    barrier();
    OK(MPI_Win_lock_all(0, area->win));
    for (int n = 1; n < STEPS; n++)
        if (rank == 0)
            write_all(area, k, target, 0, COUNT, n, n % 3);
        else
            read_all(area, k, target, got[n], n / 3 % 2);
    OK(MPI_Win_unlock_all(area->win));
    for (int n = 2; promised("rar") && promised("waw") && rank && n < STEPS; n++)
        for (int i = 0; i < COUNT; i++)
            CHECK(k->read(got[n] + i * k->extent) >= k->read(got[n - 1] + i * k->extent));
    barrier();
}

/* Additions beside replacements, on overlapping arrays: each origin works on a part of its own. */
static void sums(struct area *area)
{
    int64_t ones[COUNT], value;
    int target = (rank + 1) % size;
    for (int i = 0; i < COUNT; i++)
        ones[i] = 1;
    OK(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, area->win));
    for (int n = 1; n < STEPS; n++) {
        write_all(area, &kinds[1], target, 0, COUNT, n, n % 3);
        OK(MPI_Accumulate(ones, COUNT - 5, MPI_INT64_T, target, AT(area, target, 0), COUNT - 5, MPI_INT64_T, MPI_SUM,
                          area->win));
        for (int i = 5; i < 8; i++)
            OK(MPI_Accumulate(ones, 1, MPI_INT64_T, target, AT(area, target, 8 * i), 1, MPI_INT64_T, MPI_SUM, area->win));
    }
    OK(MPI_Win_unlock(target, area->win));
    barrier();
    OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, area->win));
    for (int i = 0; promised("waw") && i < COUNT; i++) {
        memcpy(&value, area->base + 8 * i, 8);
        CHECK_EQ(value, STEPS - 1 + (i < COUNT - 5) + (i >= 5 && i < 8));
    }
    OK(MPI_Win_unlock(rank, area->win));
    barrier();
}

static void run(struct area *area)
{
    if (ordering != NULL) {
        MPI_Info info;
        OK(MPI_Info_create(&info));
        OK(MPI_Info_set(info, "accumulate_ordering", ordering));
        OK(MPI_Win_set_info(area->win, info));
        OK(MPI_Info_free(&info));
    }
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        alone(area, &kinds[k]);
        watched(area, &kinds[k]);
    }
    sums(area);
}

int main(int argc, char **argv)
{
    static const char *const orderings[] = { NULL, "rar,raw,war,waw", "waw", "raw,waw", "rar,waw", "war", "none" };
    check_start(&argc, &argv);
    kinds[0] = (struct kind){ MPI_UINT8_T, 1, write_byte, read_byte };
    kinds[1] = (struct kind){ MPI_INT64_T, 8, write_i64, read_i64 };
    kinds[2] = (struct kind){ MPI_FLOAT, 4, write_f32, read_f32 };
    kinds[3] = (struct kind){ MPI_LONG_DOUBLE, sizeof(long double), write_f80, read_f80 };
    kinds[4] = (struct kind){ MPI_DOUBLE_INT, sizeof(struct pair), write_pair, read_pair };
    for (size_t i = 0; i < sizeof orderings / sizeof *orderings; i++) {
        ordering = orderings[i];
        on_each_flavour(COUNT * 16, run);
    }
    return check_end();
}
