/* ranks: 2 4 8 */
/* Concurrent accumulates of one basic type on the same elements lose nothing: single and bulk, accumulate,
 * get_accumulate, fetch_and_op and compare_and_swap mixed, aligned or not, on each flavour (MPI 4.1 section 12.7.1). */
#include "flavours.h"

#define COUNT 3000
#define ROUNDS 24

/* Rank `r` adds this to element `i` in all its rounds. */
static int64_t added_in_round(int r, int round, int i)
{
    switch ((r + round) % 5) {
    case 0: return 1;                                      /* bulk, all elements */
    case 1: return i >= 10 && i < 80;                      /* a short vector */
    case 2: return i < 8;                                  /* single ones, by fetch_and_op */
    case 3: return i < 8;                                  /* single ones, by accumulate */
    default: return i < 1000;                              /* bulk with the old values */
    }
}

#define MIX(NAME, T, TYPE)                                                                                       \
    static void NAME(struct area *area, size_t shift)                                                            \
    {                                                                                                            \
        T *ones = malloc(COUNT * sizeof(T)), *old = malloc(COUNT * sizeof(T)), one = 1, got;                     \
        for (int i = 0; i < COUNT; i++)                                                                          \
            ones[i] = 1;                                                                                         \
        memset(area->base, 0, area->bytes);                                                                      \
        barrier();                                                                                               \
        OK(MPI_Win_lock_all(0, area->win));                                                                      \
        for (int round = 0; round < ROUNDS; round++)                                                             \
            for (int target = 0; target < size; target += size - 1) {                                            \
                MPI_Aint at = AT(area, target, shift);                                                           \
                MPI_Win win = area->win;                                                                         \
                const MPI_Aint width = sizeof(T);                                                                \
                switch ((rank + round) % 5) {                                                                    \
                case 0:                                                                                          \
                    OK(MPI_Accumulate(ones, COUNT, TYPE, target, at, COUNT, TYPE, MPI_SUM, win));                \
                    break;                                                                                       \
                case 1:                                                                                          \
                    OK(MPI_Accumulate(ones, 70, TYPE, target, at + 10 * width, 70, TYPE, MPI_SUM, win));         \
                    break;                                                                                       \
                case 2:                                                                                          \
                    for (int i = 0; i < 8; i++) {                                                                \
                        OK(MPI_Fetch_and_op(&one, &got, TYPE, target, at + i * width, MPI_SUM, win));            \
                        OK(MPI_Win_flush_local(target, win));                                                    \
                    }                                                                                            \
                    break;                                                                                       \
                case 3:                                                                                          \
                    for (int i = 0; i < 8; i++)                                                                  \
                        OK(MPI_Accumulate(&one, 1, TYPE, target, at + i * width, 1, TYPE, MPI_SUM, win));        \
                    break;                                                                                       \
                default:                                                                                         \
                    OK(MPI_Get_accumulate(ones, 1000, TYPE, old, 1000, TYPE, target, at, 1000, TYPE, MPI_SUM,    \
                                          win));                                                                 \
                }                                                                                                \
                OK(MPI_Win_flush(target, win));                                                                  \
            }                                                                                                    \
        OK(MPI_Win_unlock_all(area->win));                                                                       \
        barrier();                                                                                               \
        OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, area->win));                                                   \
        for (int i = 0; (rank == 0 || rank == size - 1) && i < COUNT; i++) {                                     \
            int64_t wanted = 0;                                                                                  \
            T is;                                                                                                \
            for (int r = 0; r < size; r++)                                                                       \
                for (int round = 0; round < ROUNDS; round++)                                                     \
                    wanted += added_in_round(r, round, i);                                                       \
            memcpy(&is, area->base + shift + (size_t)i * sizeof(T), sizeof is);                                  \
            if (is != (T)wanted)                                                                                 \
                check_failed(__FILE__, __LINE__, "%s, flavour %d, shift %zu: element %d lost %lld", #TYPE,       \
                             (int)area->flavour, shift, i, (long long)wanted - (long long)is);                   \
        }                                                                                                        \
        OK(MPI_Win_unlock(rank, area->win));                                                                     \
        barrier();                                                                                               \
        free(ones);                                                                                              \
        free(old);                                                                                               \
    }

MIX(mix_int64, int64_t, MPI_INT64_T)
MIX(mix_int32, int32_t, MPI_INT32_T)
MIX(mix_uint16, uint16_t, MPI_UINT16_T)
MIX(mix_uint8, uint8_t, MPI_UINT8_T)
MIX(mix_double, double, MPI_DOUBLE)
MIX(mix_float, float, MPI_FLOAT)
MIX(mix_long_double, long double, MPI_LONG_DOUBLE)

/* Counting by compare_and_swap beside fetch_and_op and bulk accumulate. */
static void with_compare_and_swap(struct area *area)
{
    int64_t ones[64];
    for (int i = 0; i < 64; i++)
        ones[i] = 1;
    memset(area->base, 0, 64 * 8);
    barrier();
    OK(MPI_Win_lock_all(0, area->win));
    for (int round = 0; round < 60; round++) {
        int64_t seen = 0, compare, swap;
        if ((rank + round) % 2) {
            OK(MPI_Accumulate(ones, 64, MPI_INT64_T, 0, AT(area, 0, 0), 64, MPI_INT64_T, MPI_SUM, area->win));
            OK(MPI_Win_flush(0, area->win));
            continue;
        }
        for (int i = 0; i < 64; i += 63)
            do {
                compare = seen;
                swap = seen + 1;
                OK(MPI_Compare_and_swap(&swap, &compare, &seen, MPI_INT64_T, 0, AT(area, 0, 8 * i), area->win));
                OK(MPI_Win_flush(0, area->win));
            } while (seen != compare);
    }
    OK(MPI_Win_unlock_all(area->win));
    barrier();
    OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, area->win));
    for (int i = 0; rank == 0 && i < 64; i++) {
        int64_t is;
        memcpy(&is, area->base + 8 * i, 8);
        CHECK_EQ(is, i % 63 == 0 ? 60 * size : 30 * size);
    }
    OK(MPI_Win_unlock(rank, area->win));
    barrier();
}

static void run(struct area *area)
{
    mix_int64(area, 0);
    mix_int32(area, 0);
    mix_uint16(area, 0);
    mix_uint8(area, 0);
    mix_double(area, 0);
    mix_float(area, 0);
    mix_long_double(area, 0);
#ifdef RMASHM /* the standard promises nothing for unaligned elements; rmashm does */
    mix_int64(area, 1);
    mix_int32(area, 2);
    mix_double(area, 4);
    mix_int64(area, 60); /* over the border of cache lines */
#endif
    with_compare_and_swap(area);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    on_each_flavour(COUNT * 16 + 64, run);
    return check_end();
}
