/* ranks: 1 2; mpich: skip it has no large counts for this in 4.0 */
/* Six GiB in one window, and a count that an int does not hold. Only what is used takes memory. */
#include "check.h"

#define GIB ((MPI_Aint)1 << 30)

/* Both ends of each part, and what lies across a 4 GiB border. */
static void ends(void)
{
    MPI_Aint part = 6 * GIB / size;
    char *base;
    MPI_Win win;
    OK(MPI_Win_allocate_shared(part, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    int target = (rank + 1) % size;
    MPI_Aint places[] = { 0, part / 2 - 4, part - 8 };
    OK(MPI_Win_fence(0, win));
    for (int i = 0; i < 3; i++) {
        int64_t mark = 1000 * rank + i;
        OK(MPI_Put(&mark, 1, MPI_INT64_T, target, places[i], 1, MPI_INT64_T, win));
    }
    OK(MPI_Win_fence(0, win));
    for (int i = 0; i < 3; i++) {
        int64_t mark, wanted = 1000 * ((rank + size - 1) % size) + i;
        memcpy(&mark, base + places[i], sizeof mark);
        CHECK_EQ(mark, wanted);
    }
    OK(MPI_Win_free(&win));
}

/* 2^31 + 8 bytes in one put, from and to sparse memory of which only the ends are compared. */
static void large_count(void)
{
    MPI_Count count = ((MPI_Count)1 << 31) + 8;
    char *base, *source;
    MPI_Win win;
    OK(MPI_Win_allocate(rank == 0 ? (MPI_Aint)count : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    if (rank == size - 1) {
        OK(MPI_Alloc_mem((MPI_Aint)count, MPI_INFO_NULL, &source));
        source[0] = 'a';
        source[(MPI_Count)1 << 31] = 'b';
        source[count - 1] = 'c';
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
        OK(MPI_Put_c(source, count, MPI_BYTE, 0, 0, count, MPI_BYTE, win));
        OK(MPI_Win_unlock(0, win));
        OK(MPI_Free_mem(source));
    }
    OK(MPI_Win_fence(0, win));
    if (rank == 0) {
        CHECK_EQ(base[0], 'a');
        CHECK_EQ(base[(MPI_Count)1 << 31], 'b');
        CHECK_EQ(base[count - 1], 'c');
    }
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    OK(MPI_Win_free(&win));
}

/* Datatypes with parts gigabytes apart and behind 2^31 elements, on both sides of every kind of operation. */
static void large_displacements(void)
{
    MPI_Datatype far, doubles;
    MPI_Aint part = 6 * GIB;
    const MPI_Count places[3] = {0, ((MPI_Count)1 << 31) * 2 - 4, (MPI_Count)part - 8};
    int64_t here[3] = {11, 22, 33}, back[3] = {0}, *at;
    char *base;
    MPI_Win win;
    MPI_Request request;
    OK(MPI_Type_create_hindexed_block_c(3, 1, places, MPI_INT64_T, &far));
    OK(MPI_Type_commit(&far));
    OK(MPI_Type_vector_c(2, 1, (MPI_Count)5 << 27, MPI_DOUBLE, &doubles));
    OK(MPI_Type_commit(&doubles));
    OK(MPI_Win_allocate_c(rank == 0 ? part : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    if (rank == size - 1) {
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
        OK(MPI_Put_c(here, 3, MPI_INT64_T, 0, 0, 1, far, win));
        OK(MPI_Win_flush(0, win));
        OK(MPI_Accumulate_c(here, 3, MPI_INT64_T, 0, 0, 1, far, MPI_SUM, win));
        OK(MPI_Win_flush(0, win));
        OK(MPI_Rget_c(back, 3, MPI_INT64_T, 0, 0, 1, far, win, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        for (int i = 0; i < 3; i++)
            CHECK_EQ(back[i], 2 * here[i]);
        OK(MPI_Get_accumulate_c(here, 3, MPI_INT64_T, back, 3, MPI_INT64_T, 0, 0, 1, far, MPI_REPLACE, win));
        OK(MPI_Win_flush(0, win));
        for (int i = 0; i < 3; i++)
            CHECK_EQ(back[i], 2 * here[i]);
        double two[2] = {0.5, 1.5}, got[2] = {0};
        OK(MPI_Put_c(two, 2, MPI_DOUBLE, 0, 16, 1, doubles, win));
        OK(MPI_Win_flush(0, win));
        OK(MPI_Get_c(got, 2, MPI_DOUBLE, 0, 16, 1, doubles, win));
        OK(MPI_Win_unlock(0, win));
        CHECK(got[0] == 0.5 && got[1] == 1.5);
    }
    barrier();
    if (rank == 0) {
        for (int i = 0; i < 3; i++) {
            at = (int64_t *)(void *)(base + places[i]);
            int64_t is;
            memcpy(&is, at, sizeof is);
            CHECK_EQ(is, here[i]);
        }
        CHECK(*(double *)(void *)(base + 16) == 0.5);
        CHECK(*(double *)(void *)(base + 16 + 8 * ((MPI_Count)5 << 27)) == 1.5);
    }
    OK(MPI_Win_free(&win));
    OK(MPI_Type_free(&far));
    OK(MPI_Type_free(&doubles));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    ends();
    large_displacements();
    large_count();
    return check_end();
}
