/* ranks: 1 2 4 8; mpich: skip it answers for windows of MPI_Win_allocate_shared only */
/* MPI_Win_shared_query on every flavour but dynamic: real pointers wherever load and store reach, size 0 where not, and for
 * MPI_PROC_NULL the lowest rank with memory; units of each rank's own, also such as an int does not hold (MPI 4.1 section
 * 12.2.3). */
#include "check.h"

#define BYTES 64

/* Who has how much. */
static MPI_Aint part(int pattern, int r)
{
    return pattern == 0 ? BYTES : pattern == 1 ? (r % 2 ? BYTES : 0) : pattern == 2 ? 8 * r + 1 : 0;
}

/* What this rank sees of all ranks. `reached(r)`: whether load and store reach the memory of r. */
static void query(MPI_Win win, int pattern, const unsigned char *base, const char *reached)
{
    MPI_Aint bytes, large;
    int unit, lowest = -1;
    MPI_Aint large_unit;
    unsigned char *at, *same;
    for (MPI_Aint i = 0; i < part(pattern, rank); i++)
        ((unsigned char *)base)[i] = (unsigned char)(17 * rank + i);
    barrier();
    for (int r = 0; r < size; r++) {
        at = NULL;
        OK(MPI_Win_shared_query(win, r, &bytes, &unit, &at));
        OK(MPI_Win_shared_query_c(win, r, &large, &large_unit, &same));
        CHECK(at != NULL);
        CHECK(at == same && bytes == large && unit == large_unit);
        CHECK_EQ(unit, r + 1);
        CHECK_EQ(bytes, reached[r] ? part(pattern, r) : 0);
        for (MPI_Aint i = 0; i < bytes; i++)
            CHECK_EQ(at[i], (unsigned char)(17 * r + i));
        if (r == rank && bytes)
            CHECK(at == base);
        if (bytes && lowest < 0)
            lowest = r;
    }
    OK(MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes, &unit, &at));
    CHECK(at != NULL);
    if (lowest >= 0) {
        OK(MPI_Win_shared_query(win, lowest, &large, &unit, &same));
        CHECK(at == same && bytes == large);
    } else
        CHECK_EQ(bytes, 0);
    barrier();
    /* A store here is a load there, without a call in between but what orders them. */
    OK(MPI_Win_lock_all(0, win));
    int next = (rank + 1) % size;
    OK(MPI_Win_shared_query(win, next, &bytes, &unit, &at));
    if (bytes)
        at[bytes - 1] = (unsigned char)(200 + next);
    OK(MPI_Win_sync(win));
    barrier();
    OK(MPI_Win_sync(win));
    if (reached[rank] == 2 && part(pattern, rank))
        CHECK_EQ(base[part(pattern, rank) - 1], 200 + rank);
    OK(MPI_Win_unlock_all(win));
    barrier();
}

int main(int argc, char **argv)
{
    MPI_Win win;
    static unsigned char own[BYTES];
    unsigned char *base, *memory;
    char reached[8];
    check_start(&argc, &argv);
    MPI_Info info;
    OK(MPI_Info_create(&info));
    OK(MPI_Alloc_mem(BYTES, MPI_INFO_NULL, &memory));
    for (int pattern = 0; pattern < 4; pattern++) {
        MPI_Aint bytes = part(pattern, rank);
        memset(reached, 2, sizeof reached);
        OK(MPI_Win_allocate(bytes, rank + 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
        query(win, pattern, base, reached);
        OK(MPI_Win_free(&win));
        OK(MPI_Win_allocate_shared(bytes, rank + 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
        query(win, pattern, base, reached);
        OK(MPI_Win_free(&win));
        OK(MPI_Win_create(memory, bytes, rank + 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
        query(win, pattern, memory, reached);
        OK(MPI_Win_free(&win));
        /* The program's own memory on even ranks: only they themselves reach it, or all if it is adopted. */
        base = rank % 2 ? memory : own;
        for (int adopted = 0; adopted < 2; adopted++) {
            for (int r = 0; r < size; r++)
                reached[r] = (char)(r % 2 || adopted ? 2 : r == rank);
            OK(MPI_Info_set(info, "rmashm_adopt", adopted ? "true" : "false"));
            OK(MPI_Win_create(base, bytes, rank + 1, info, MPI_COMM_WORLD, &win));
            query(win, pattern, base, reached);
            OK(MPI_Win_free(&win));
        }
    }
    MPI_Aint at, unit;
    int small;
    OK(MPI_Win_allocate_c(8, (MPI_Aint)1 << 40, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    OK(MPI_Win_shared_query_c(win, rank, &at, &unit, &base));
    CHECK(unit == (MPI_Aint)1 << 40 && at == 8);
    CHECK_CLASS(MPI_Win_shared_query(win, rank, &at, &small, &base), MPI_ERR_VALUE_TOO_LARGE);
    OK(MPI_Win_free(&win));
    OK(MPI_Free_mem(memory));
    OK(MPI_Info_free(&info));
    return check_end();
}
