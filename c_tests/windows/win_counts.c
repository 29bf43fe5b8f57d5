/* ranks: 1 2 4; mpich: skip it has no large counts for windows in 4.0 */
/* The functions of windows with large counts: windows whose unit of displacement is above 2 GiB, and requests of operations. */
#include "check.h"

#define GIB ((MPI_Aint)1 << 30)

enum { COUNT = 500 };

static int next, previous;

/* One element at each of displacements 0 and 1, `unit` bytes apart. */
static void two_places(MPI_Win win, char *base, MPI_Aint unit)
{
    int64_t marks[2] = { 10 * rank + 1, 10 * rank + 2 }, back = 0, mine;
    OK(MPI_Win_fence(0, win));
    OK(MPI_Put_c(&marks[0], 1, MPI_INT64_T, next, 0, 1, MPI_INT64_T, win));
    OK(MPI_Put_c(&marks[1], 1, MPI_INT64_T, next, 1, 1, MPI_INT64_T, win));
    OK(MPI_Win_fence(0, win));
    for (int i = 0; i < 2; i++) {
        memcpy(&mine, base + i * unit, sizeof mine);
        CHECK_EQ(mine, 10 * previous + 1 + i);
    }
    OK(MPI_Get_c(&back, 1, MPI_INT64_T, next, 1, 1, MPI_INT64_T, win));
    OK(MPI_Win_fence(0, win));
    CHECK_EQ(back, marks[1]);
    CHECK_CLASS(MPI_Put_c(marks, 2, MPI_INT64_T, next, 1, 2, MPI_INT64_T, win), MPI_ERR_RMA_RANGE);
    CHECK_CLASS(MPI_Get_c(marks, 1, MPI_INT64_T, next, 2, 1, MPI_INT64_T, win), MPI_ERR_RMA_RANGE);
    OK(MPI_Win_fence(0, win));
}

static void units(void)
{
    MPI_Aint unit = 2 * GIB + 8, bytes = unit + 8, segment, other;
    char *base, *found;
    MPI_Win win;
    OK(MPI_Win_allocate_c(bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    two_places(win, base, unit);
    OK(MPI_Win_free(&win));

    OK(MPI_Win_allocate_shared_c(bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    two_places(win, base, unit);
    OK(MPI_Win_shared_query_c(win, next, &segment, &other, &found));
    CHECK_EQ(segment, bytes);
    CHECK_EQ(other, unit);
    CHECK_EQ(*(int64_t *)(found + unit), 10 * rank + 2);
    barrier();
    OK(MPI_Win_free(&win));

    OK(MPI_Alloc_mem(bytes, MPI_INFO_NULL, &base));
    OK(MPI_Win_create_c(base, bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    two_places(win, base, unit);
    OK(MPI_Win_free(&win));
    OK(MPI_Free_mem(base));
}

/* Pairs with a gap at the origin, none at the target. */
static void requests(void)
{
    static int memory[2 * COUNT], values[3 * COUNT], back[2 * COUNT], old[2 * COUNT];
    MPI_Datatype gaps, pairs;
    MPI_Request request;
    MPI_Win win;
    OK(MPI_Type_vector(1, 2, 3, MPI_INT, &pairs));
    OK(MPI_Type_create_resized(pairs, 0, 3 * sizeof(int), &gaps));
    OK(MPI_Type_free(&pairs));
    OK(MPI_Type_commit(&gaps));
    for (int i = 0; i < 3 * COUNT; i++)
        values[i] = i % 3 == 2 ? -1 : 1000 * rank + i / 3 * 2 + i % 3;
    OK(MPI_Win_create_c(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_lock_all(0, win));
    OK(MPI_Rput_c(values, COUNT, gaps, next, 0, 2 * COUNT, MPI_INT, win, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Win_flush(next, win));
    OK(MPI_Rget_c(back, 2 * COUNT, MPI_INT, next, 0, 2 * COUNT, MPI_INT, win, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (int i = 0; i < 2 * COUNT; i++)
        CHECK_EQ(back[i], 1000 * rank + i);
    OK(MPI_Raccumulate_c(values, COUNT, gaps, next, 0, 2 * COUNT, MPI_INT, MPI_SUM, win, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Rget_accumulate_c(values, COUNT, gaps, old, 2 * COUNT, MPI_INT, next, 0, 2 * COUNT, MPI_INT, MPI_SUM, win,
                             &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (int i = 0; i < 2 * COUNT; i++)
        CHECK_EQ(old[i], 2 * (1000 * rank + i));
    OK(MPI_Win_unlock_all(win));
    barrier();
    for (int i = 0; i < 2 * COUNT; i++)
        CHECK_EQ(memory[i], 3 * (1000 * previous + i));
    OK(MPI_Win_free(&win));
    OK(MPI_Type_free(&gaps));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    next = (rank + 1) % size;
    previous = (rank + size - 1) % size;
    units();
    requests();
    return check_end();
}
