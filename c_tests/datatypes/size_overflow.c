/* ranks: 1 2 4; mpich: skip it promises memory that is not there */
/* Windows that cannot be: sizes no machine has, sums that overflow, negative ones, on one rank or on all. All ranks are
 * told, nothing hangs, and the next window works. */
#include "check.h"

#define PEBIBYTE ((MPI_Aint)1 << 50)

/* Asks for a window of a bad size on one rank or on all, and expects the same class on all ranks: `wanted`, or
 * `or_this` where it is a matter of what is looked at first. Kind 0 is MPI_Win_allocate, 1 is a shared window, 2 a
 * shared window that need not be contiguous. */
static void refused(MPI_Aint bytes, int on_all, int kind, int wanted, int or_this)
{
    MPI_Win win = MPI_WIN_NULL;
    char *base = NULL;
    MPI_Aint mine = on_all || rank == size - 1 ? bytes : 100;
    MPI_Info info;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "alloc_shared_noncontig", kind == 2 ? "true" : "false"));
    int code = kind ? MPI_Win_allocate_shared(mine, 1, info, MPI_COMM_WORLD, &base, &win)
                       : MPI_Win_allocate(mine, 1, info, MPI_COMM_WORLD, &base, &win);
    OK(MPI_Info_free(&info));
    int class = MPI_SUCCESS, lowest, highest;
    OK(MPI_Error_class(code, &class));
    /* Not the number, which may be another one where others are compiled with another header. */
    int other = class == or_this;
    OK(MPI_Allreduce(&other, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
    OK(MPI_Allreduce(&other, &highest, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
    CHECK_CLASS(code, class == or_this ? or_this : wanted);
    CHECK_EQ(lowest, other);
    CHECK_EQ(highest, other);
    CHECK(win == MPI_WIN_NULL);
}

static void works(void)
{
    MPI_Win win;
    int *base, value = rank, next = (rank + 1) % size;
    OK(MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    OK(MPI_Win_fence(0, win));
    OK(MPI_Put(&value, 1, MPI_INT, next, 0, 1, MPI_INT, win));
    OK(MPI_Win_fence(0, win));
    CHECK_EQ(*base, (rank + size - 1) % size);
    OK(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)); /* for MPI_Alloc_mem */
    for (int kind = 0; kind < 3; kind++)
        for (int on_all = 0; on_all < 2; on_all++) {
            refused(PEBIBYTE, on_all, kind, MPI_ERR_NO_MEM, MPI_ERR_NO_MEM);
            works();
            refused(PTRDIFF_MAX - 5, on_all, kind, MPI_ERR_NO_MEM, MPI_ERR_SIZE);
            works();
            refused(PTRDIFF_MAX / 2, on_all, kind, MPI_ERR_NO_MEM, MPI_ERR_SIZE);
            refused(-1, on_all, kind, MPI_ERR_SIZE, MPI_ERR_SIZE);
            refused(PTRDIFF_MIN, on_all, kind, MPI_ERR_SIZE, MPI_ERR_SIZE);
            works();
        }
    void *memory = NULL;
    CHECK_CLASS(MPI_Alloc_mem(PEBIBYTE, MPI_INFO_NULL, &memory), MPI_ERR_NO_MEM);
    CHECK_CLASS(MPI_Alloc_mem(PTRDIFF_MAX, MPI_INFO_NULL, &memory), MPI_ERR_NO_MEM);
    CHECK_SENTENCE(MPI_Alloc_mem(-1, MPI_INFO_NULL, &memory), MPI_ERR_SIZE, "-1");
    works();
    return check_end();
}
