/* ranks: 3 4; expect-exit: 137; expect-stderr: was killed by signal 9; mpich: skip a death ends the job; wrong: results go to one variable, without flushes between */
/* The owner of a dynamic window's memory is killed while it attaches and detaches without a pause: who looks its memory up
 * is not kept waiting, reaches what lies in the job's segment, and gets an error for what lay in the owner's own, which stays that. */
#include "death.h"

static MPI_Win win;

static MPI_Aint address(const void *memory)
{
    MPI_Aint at;
    OK(MPI_Get_address(memory, &at));
    return at;
}

int main(int argc, char **argv)
{
    static char churn[1 << 16];
    int *shared, private = 77, got;
    MPI_Aint at[2];
    death_start(&argc, &argv);
    MPI_Info info;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "rmashm_adopt", "false"));
    OK(MPI_Win_create_dynamic(info, all, &win));
    OK(MPI_Info_free(&info));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    OK(MPI_Alloc_mem(sizeof *shared, MPI_INFO_NULL, &shared));
    *shared = 55;
    at[0] = address(shared);
    at[1] = address(&private);
    OK(MPI_Bcast(at, 2, MPI_AINT, VICTIM, all));
    if (rank == VICTIM) {
        OK(MPI_Win_attach(win, shared, sizeof *shared));
        OK(MPI_Win_attach(win, &private, sizeof private));
    }
    together();
    if (rank == VICTIM) {
        die_in(1000000);
        for (;;) {
            for (size_t i = 0; i < 200; i++)
                OK(MPI_Win_attach(win, churn + 64 * i, 64));
            for (size_t i = 0; i < 200; i++)
                OK(MPI_Win_detach(win, churn + 64 * i));
        }
    }
    OK(MPI_Win_lock_all(0, win));
    int code = MPI_SUCCESS;
    for (long i = 0; code == MPI_SUCCESS; i++) {
        OK(MPI_Get(&got, 1, MPI_INT, VICTIM, at[0], 1, MPI_INT, win));
        CHECK_EQ(got, 55);
        code = MPI_Get(&got, 1, MPI_INT, VICTIM, at[1], 1, MPI_INT, win);
        CHECK(code != MPI_SUCCESS || got == 77);
    }
    CHECK_CLASS(code, MPIX_ERR_PROC_FAILED);
    await_death();
    for (int i = 0; i < 1000; i++) {
        OK(MPI_Get(&got, 1, MPI_INT, VICTIM, at[0], 1, MPI_INT, win));
        CHECK_EQ(got, 55);
        CHECK_CLASS(MPI_Get(&got, 1, MPI_INT, VICTIM, at[0] + 1000000, 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
    }
    OK(MPI_Win_unlock_all(win));
    FAILS(MPI_Win_free(&win), "MPI_Win_free");
    return check_end();
}
