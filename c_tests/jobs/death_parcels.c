/* ranks: 3 4; name: target; args: 1; env: RMASHM_ADOPT=false; expect-exit: 137; expect-stderr: was killed by signal 9; mpich: skip a death ends the job; wrong: all put to the same memory, over and over, until one dies */
/* ranks: 3 4; name: origin; args: 2; env: RMASHM_ADOPT=false; expect-exit: 137; expect-stderr: was killed by signal 9; mpich: skip a death ends the job; wrong: the same */
/* A process is killed while it carries out what others put to its private memory, or while another does that for it: the others
 * are not kept waiting, an element is the old or the new one, and memory that is the program's again is not written. */
#include "death.h"

enum { ELEMENTS = 4000 };

static long memory[2 * ELEMENTS];
static MPI_Datatype every_second;

static int put(long value, int target, MPI_Win win)
{
    static long values[ELEMENTS];
    for (int i = 0; i < ELEMENTS; i++)
        values[i] = value;
    return MPI_Put(values, ELEMENTS, MPI_LONG, target, 0, 1, every_second, win);
}

int main(int argc, char **argv)
{
    MPI_Win win;
    int of_target = argc > 1 && atoi(argv[1]) == 1, none;
    death_start(&argc, &argv);
    OK(MPI_Type_vector(ELEMENTS, 1, 2, MPI_LONG, &every_second));
    OK(MPI_Type_commit(&every_second));
    OK(MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, all, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    OK(MPI_Win_lock_all(0, win));
    together();
    if (rank == VICTIM) {
        die_in(200000 + (long)(mix((uint64_t)getpid(), 1) % 100000));
        /* As a target it waits for what never comes. */
        if (of_target)
            MPI_Recv(&none, 1, MPI_INT, 0, 1, all, MPI_STATUS_IGNORE);
        for (long value = 1;; value++)
            OK(put(value, 0, win));
    }
    if (of_target) {
        int code = MPI_SUCCESS;
        for (long value = 1; code == MPI_SUCCESS; value++)
            code = put(value, VICTIM, win);
        CHECK_CLASS(code, MPIX_ERR_PROC_FAILED);
    }
    await_death();
    if (rank == 0 && !of_target) {
        /* Waits again, by which nothing is written any more. */
        long before[2 * ELEMENTS];
        memcpy(before, memory, sizeof before);
        for (int i = 0; i < 2 * ELEMENTS; i++)
            CHECK(i % 2 == 0 || memory[i] == 0);
        OK(MPI_Recv(&none, 1, MPI_INT, 2, 2, all, MPI_STATUS_IGNORE));
        CHECK_BYTES(memory, before, sizeof before);
        OK(MPI_Send(&none, 1, MPI_INT, 2, 3, all));
        OK(MPI_Recv(&none, 1, MPI_INT, 2, 4, all, MPI_STATUS_IGNORE));
        for (int i = 0; i < 2 * ELEMENTS; i++)
            CHECK_EQ(memory[i], i % 2 ? 0 : -1);
    }
    if (rank == 2 && !of_target) {
        sleep_ms(20);
        OK(MPI_Send(&none, 1, MPI_INT, 0, 2, all));
        OK(MPI_Recv(&none, 1, MPI_INT, 0, 3, all, MPI_STATUS_IGNORE));
        OK(put(-1, 0, win));
        OK(MPI_Win_flush(0, win));
        OK(MPI_Send(&none, 1, MPI_INT, 0, 4, all));
    }
    OK(MPI_Win_unlock_all(win));
    FAILS(MPI_Win_free(&win), "MPI_Win_free");
    OK(MPI_Type_free(&every_second));
    return check_end();
}
