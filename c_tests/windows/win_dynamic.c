/* Dynamic windows: attach and detach any memory at any time, reach it by its address, several pieces at once, and
 * MPI_BOTTOM with absolute types (MPI 4.1 section 12.2.4). */
#include "check.h"

static MPI_Aint address(const void *memory)
{
    MPI_Aint at;
    OK(MPI_Get_address(memory, &at));
    return at;
}

static void tell(MPI_Aint mine, MPI_Aint *all)
{
    OK(MPI_Allgather(&mine, 1, MPI_AINT, all, 1, MPI_AINT, MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
    MPI_Win win;
    MPI_Aint at[8], stack_at[8], shared_at[8];
    int stack_memory[16], *heap, *shared, value, got, found, *model, *flavour, *unit;
    void *is_base = &win;
    MPI_Aint *bytes;
    check_start(&argc, &argv);
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;

    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_get_attr(win, MPI_WIN_BASE, &is_base, &found));
    CHECK(found && is_base == MPI_BOTTOM);
    OK(MPI_Win_get_attr(win, MPI_WIN_SIZE, &bytes, &found));
    CHECK(found && *bytes == 0);
    OK(MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &unit, &found));
    CHECK(found && *unit == 1);
    OK(MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &flavour, &found));
    CHECK(found && *flavour == MPI_WIN_FLAVOR_DYNAMIC);
    OK(MPI_Win_get_attr(win, MPI_WIN_MODEL, &model, &found));
    CHECK(found && *model == MPI_WIN_UNIFIED);

    heap = malloc(16 * sizeof(int));
    OK(MPI_Alloc_mem(16 * sizeof(int), MPI_INFO_NULL, &shared));
    OK(MPI_Win_attach(win, heap, 16 * sizeof(int)));
    OK(MPI_Win_attach(win, stack_memory, sizeof stack_memory));
    OK(MPI_Win_attach(win, shared, 16 * sizeof(int)));
    tell(address(heap), at);
    tell(address(stack_memory), stack_at);
    tell(address(shared), shared_at);
    for (int i = 0; i < 16; i++)
        heap[i] = stack_memory[i] = shared[i] = -1;

    /* All three pieces in one epoch. */
    OK(MPI_Win_fence(0, win));
    value = 100 + rank;
    OK(MPI_Put(&value, 1, MPI_INT, next, at[next] + 4, 1, MPI_INT, win));
    OK(MPI_Put(&value, 1, MPI_INT, next, stack_at[next] + 8, 1, MPI_INT, win));
    OK(MPI_Put(&value, 1, MPI_INT, next, MPI_Aint_add(shared_at[next], 60), 1, MPI_INT, win));
    OK(MPI_Win_fence(0, win));
    for (int i = 0; i < 16; i++) {
        CHECK_EQ(heap[i], i == 1 ? 100 + previous : -1);
        CHECK_EQ(stack_memory[i], i == 2 ? 100 + previous : -1);
        CHECK_EQ(shared[i], i == 15 ? 100 + previous : -1);
    }
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));

    /* Locks, atomics and gets. */
    heap[0] = stack_memory[0] = shared[0] = 0;
    barrier();
    int one = 1, before;
    OK(MPI_Win_lock_all(0, win));
    for (int target = 0; target < size; target++) {
        OK(MPI_Fetch_and_op(&one, &got, MPI_INT, target, at[target], MPI_SUM, win));
        OK(MPI_Accumulate(&one, 1, MPI_INT, target, stack_at[target], 1, MPI_INT, MPI_SUM, win));
        OK(MPI_Get_accumulate(&one, 1, MPI_INT, &before, 1, MPI_INT, target, shared_at[target], 1, MPI_INT, MPI_SUM, win));
        OK(MPI_Win_flush(target, win));
    }
    barrier();
    OK(MPI_Get(&got, 1, MPI_INT, next, at[next], 1, MPI_INT, win));
    OK(MPI_Win_flush(next, win));
    CHECK_EQ(got, size);
    OK(MPI_Get(&got, 1, MPI_INT, next, stack_at[next], 1, MPI_INT, win));
    OK(MPI_Win_flush(next, win));
    CHECK_EQ(got, size);
    OK(MPI_Get(&got, 1, MPI_INT, next, shared_at[next], 1, MPI_INT, win));
    OK(MPI_Win_unlock_all(win));
    CHECK_EQ(got, size);
    barrier();

    /* What is detached cannot be reached any more, what is still attached can; attach again elsewhere. */
    OK(MPI_Win_detach(win, heap));
    int *again = malloc(1 << 20);
    OK(MPI_Win_attach(win, again, 1 << 20));
    again[1000] = rank;
    tell(address(again), at);
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    OK(MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win));
    OK(MPI_Get(&got, 1, MPI_INT, next, at[next] + 4000, 1, MPI_INT, win));
    OK(MPI_Win_flush(next, win));
    CHECK_EQ(got, next);
#ifdef RMASHM
    CHECK_CLASS(MPI_Get(&got, 1, MPI_INT, next, 64, 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
    CHECK_CLASS(MPI_Get(&got, 1, MPI_INT, next, at[next] + (1 << 20) - 2, 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
#endif
    OK(MPI_Win_unlock(next, win));
    barrier();
    OK(MPI_Win_detach(win, again));
    OK(MPI_Win_detach(win, stack_memory));
    OK(MPI_Win_detach(win, shared));
    OK(MPI_Win_free(&win));
    OK(MPI_Free_mem(shared));
    free(heap);
    free(again);
    return check_end();
}
