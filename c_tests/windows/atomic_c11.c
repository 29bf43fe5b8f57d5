/* ranks: 2 4 8; mpich: skip the standard promises nothing of MPI's updates against the program's own */
/* What rmashm promises beyond the standard: a single-element update of an aligned type of 1, 2, 4 or 8 bytes in shared
 * memory is atomic against the program's own C11 atomics on the same address; also under locks, and while others update
 * arrays next to it. */
#include "check.h"

#include <stdatomic.h>

#define ROUNDS 3000
#define NEIGHBOURS 40 /* elements beside the one that all count in */

struct area {
    MPI_Win win;
    unsigned char *memory; /* rank 0's */
};

/* Works on one word, by the program's own instructions. */
#define OWN(NAME, T)                                                                  \
    static void own_##NAME(unsigned char *word)                                       \
    {                                                                                 \
        atomic_fetch_add((_Atomic T *)word, 1);                                       \
    }                                                                                 \
    static void compared_##NAME(unsigned char *word)                                  \
    {                                                                                 \
        T seen = atomic_load((_Atomic T *)word);                                      \
        while (!atomic_compare_exchange_weak((_Atomic T *)word, &seen, (T)(seen + 1))) \
            ;                                                                         \
    }                                                                                 \
    static int64_t read_##NAME(const unsigned char *word)                             \
    {                                                                                 \
        return (int64_t) * (const T *)word;                                           \
    }                                                                                 \
    static int64_t as_##NAME(int64_t n)                                               \
    {                                                                                 \
        return (int64_t)(T)n;                                                         \
    }                                                                                 \
    static void write_##NAME(unsigned char *word, int64_t n)                          \
    {                                                                                 \
        T value = (T)n;                                                               \
        memcpy(word, &value, sizeof value);                                           \
    }

OWN(i8, int8_t)
OWN(u8, uint8_t)
OWN(i16, int16_t)
OWN(u16, uint16_t)
OWN(i32, int32_t)
OWN(u32, uint32_t)
OWN(i64, int64_t)
OWN(u64, uint64_t)

struct word {
    MPI_Datatype type;
    int bytes;
    void (*own)(unsigned char *word);      /* adds 1 */
    void (*compared)(unsigned char *word); /* the same by compare and exchange */
    int64_t (*read)(const unsigned char *word);
    int64_t (*as)(int64_t n); /* the number as one of this type */
    void (*write)(unsigned char *word, int64_t n);
};

#define WORD(NAME, TYPE, BYTES) { TYPE, BYTES, own_##NAME, compared_##NAME, read_##NAME, as_##NAME, write_##NAME }

/* Adds 1 by MPI, in one of its ways. */
static void by_mpi(struct area *area, const struct word *word, MPI_Aint at, int way)
{
    unsigned char one[8], got[8], compare[8], next[8];
    MPI_Datatype type = word->type, derived;
    MPI_Win win = area->win;
    word->write(one, 1);
    switch (way) {
    case 0:
        OK(MPI_Fetch_and_op(one, got, type, 0, at, MPI_SUM, win));
        break;
    case 1:
        OK(MPI_Accumulate(one, 1, type, 0, at, 1, type, MPI_SUM, win));
        break;
    case 2:
        OK(MPI_Get_accumulate(one, 1, type, got, 1, type, 0, at, 1, type, MPI_SUM, win));
        break;
    case 3: /* one element of a datatype of the program's own */
        OK(MPI_Type_vector(1, 1, 7, type, &derived));
        OK(MPI_Type_commit(&derived));
        OK(MPI_Accumulate(one, 1, type, 0, at, 1, derived, MPI_SUM, win));
        OK(MPI_Type_free(&derived));
        break;
    default:
        OK(MPI_Fetch_and_op(NULL, got, type, 0, at, MPI_NO_OP, win));
        do {
            OK(MPI_Win_flush(0, win));
            memcpy(compare, got, 8);
            word->write(next, word->read(compare) + 1);
            OK(MPI_Compare_and_swap(next, compare, got, type, 0, at, win));
        } while (memcmp(compare, got, (size_t)word->bytes) != 0);
    }
    OK(MPI_Win_flush(0, win));
}

static void count(struct area *area, const struct word *word)
{
    unsigned char ones[NEIGHBOURS * 8];
    int at = 64, bytes = word->bytes;
    for (int i = 0; i < NEIGHBOURS; i++)
        word->write(ones + i * bytes, 1);
    if (rank == 0)
        memset(area->memory, 0, 1024);
    barrier();
    OK(MPI_Win_lock_all(0, area->win));
    for (int round = 0; round < ROUNDS; round++) {
        if ((rank + round / 16) % 2) {
            (round % 2 ? word->own : word->compared)(area->memory + at);
            continue;
        }
        by_mpi(area, word, at, round % 5);
        if (round % 100 < 4) /* arrays on both sides, in the same cache lines */
            for (int side = -NEIGHBOURS; side <= 1; side += NEIGHBOURS + 1) {
                int first = at + side * bytes < 0 ? 0 : at + side * bytes;
                int n = side < 0 ? (at - first) / bytes : NEIGHBOURS;
                OK(MPI_Accumulate(ones, n, word->type, 0, first, n, word->type, MPI_SUM, area->win));
            }
    }
    OK(MPI_Win_unlock_all(area->win));
    barrier();
    CHECK_EQ(word->read(area->memory + at), word->as((int64_t)size * ROUNDS));
    barrier();
}

/* The last rank counts under an exclusive lock of its own, where arrays need no care; the others without any. */
static void count_beside_lock(struct area *area, const struct word *word)
{
    int at = 64;
    if (rank == 0)
        memset(area->memory, 0, 1024);
    barrier();
    for (int round = 0; round < ROUNDS; round++)
        if (rank == size - 1) {
            OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, area->win));
            by_mpi(area, word, at, round % 5);
            OK(MPI_Win_unlock(0, area->win));
        } else {
            word->own(area->memory + at);
        }
    barrier();
    CHECK_EQ(word->read(area->memory + at), word->as((int64_t)size * ROUNDS));
    barrier();
}

/* A floating point sum, to which the program adds by exchanging the bits. */
static void sum(struct area *area)
{
    _Atomic uint64_t *word = (_Atomic uint64_t *)(area->memory + 64);
    double one = 1, is, got;
    if (rank == 0)
        memset(area->memory, 0, 1024);
    barrier();
    OK(MPI_Win_lock_all(0, area->win));
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t seen = atomic_load(word), next;
        if ((rank + round) % 2) {
            if (round % 4 < 2)
                OK(MPI_Accumulate(&one, 1, MPI_DOUBLE, 0, 64, 1, MPI_DOUBLE, MPI_SUM, area->win));
            else
                OK(MPI_Fetch_and_op(&one, &got, MPI_DOUBLE, 0, 64, MPI_SUM, area->win));
            OK(MPI_Win_flush(0, area->win));
            continue;
        }
        do {
            memcpy(&is, &seen, 8);
            is += 1;
            memcpy(&next, &is, 8);
        } while (!atomic_compare_exchange_weak(word, &seen, next));
    }
    OK(MPI_Win_unlock_all(area->win));
    barrier();
    memcpy(&is, area->memory + 64, 8);
    CHECK(is == (double)size * ROUNDS);
    barrier();
}

int main(int argc, char **argv)
{
    struct area area;
    MPI_Aint bytes;
    int unit;
    void *mine;
    check_start(&argc, &argv);
    const struct word words[] = {
        WORD(i8, MPI_INT8_T, 1),   WORD(u8, MPI_UINT8_T, 1),   WORD(i16, MPI_INT16_T, 2), WORD(u16, MPI_UINT16_T, 2),
        WORD(i32, MPI_INT32_T, 4), WORD(u32, MPI_UINT32_T, 4), WORD(i64, MPI_INT64_T, 8), WORD(u64, MPI_UINT64_T, 8),
    };
    OK(MPI_Win_allocate_shared(rank == 0 ? 1024 : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &area.win));
    OK(MPI_Win_shared_query(area.win, 0, &bytes, &unit, &area.memory));
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        count(&area, &words[i]);
        count_beside_lock(&area, &words[i]);
    }
    sum(&area);
    OK(MPI_Win_free(&area.win));
    return check_end();
}
