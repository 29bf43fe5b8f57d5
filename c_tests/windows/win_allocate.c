/* Windows that allocate their memory (MPI 4.1 section 12.2.2): any sizes, units per rank, memory of its own. */
#include "check.h"

static void run(MPI_Aint (*bytes_of)(int))
{
    MPI_Win win;
    unsigned char *base = NULL;
    MPI_Aint bytes = bytes_of(rank);
    int unit = rank % 3 + 1, target = (rank + 1) % size;
    int target_unit = target % 3 + 1;
    MPI_Aint room = bytes_of(target);

    OK(MPI_Win_allocate(bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    if (bytes > 0) {
        CHECK(base != NULL);
#ifdef RMASHM /* MPICH packs the ranks' parts */
        CHECK_EQ((uintptr_t)base % 16, 0);
#endif
        memset(base, 0xee, (size_t)bytes);
    }
    OK(MPI_Win_fence(0, win));
    /* Fill the neighbour's memory from its second unit on. */
    MPI_Aint length = room > target_unit ? room - target_unit : 0;
    unsigned char *data = malloc((size_t)length + 1);
    fill(data, (size_t)length, (uint64_t)target);
    OK(MPI_Put(data, (int)length, MPI_BYTE, target, 1, (int)length, MPI_BYTE, win));
    OK(MPI_Win_fence(0, win));
    if (bytes > unit) {
        unsigned char *wanted = malloc((size_t)bytes);
        fill(wanted, (size_t)(bytes - unit), (uint64_t)rank);
        for (int i = 0; i < unit; i++)
            CHECK_EQ(base[i], 0xee);
        CHECK_BYTES(base + unit, wanted, (size_t)(bytes - unit));
        free(wanted);
    }
    free(data);
    OK(MPI_Win_free(&win));
    CHECK(win == MPI_WIN_NULL);
}

static MPI_Aint equal(int r) { (void)r; return 4096; }
static MPI_Aint odd(int r) { return 17 + 13 * r; }
static MPI_Aint none_on_even(int r) { return r % 2 ? 300 : 0; }
static MPI_Aint none(int r) { (void)r; return 0; }
static MPI_Aint large_on_last(int r) { return r == size - 1 ? 5 << 20 : 1; }

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    run(equal);
    run(odd);
    run(none_on_even);
    run(none);
    run(large_on_last);
    return check_end();
}
