/* ranks: 3 4; name: owner; args: 1; expect-exit: 137; expect-stderr: was killed by signal 9; mpich: skip a death ends the job; wrong: all put to the same memory, over and over, until one dies */
/* ranks: 3 4; name: visitor; args: 2; expect-exit: 137; expect-stderr: was killed by signal 9; mpich: skip a death ends the job; wrong: the same */
/* A process is killed while its memory moves, or while it copies to memory that is to move: the others are not kept waiting, what
 * had moved is readable, and the memory of the living still comes and goes. */
#include "death.h"

enum { BYTES = 6 << 20 };

static MPI_Win window_of(MPI_Comm comm, void *base, const char *wish)
{
    MPI_Win win;
    MPI_Info info;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "rmashm_adopt", wish));
    OK(MPI_Win_create(base, BYTES, 1, info, comm, &win));
    OK(MPI_Info_free(&info));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    return win;
}

/* By the kernel, and so also in the middle of a move, where no handler runs. */
static void die_soon(void)
{
    timer_t timer;
    struct sigevent kill = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
    struct itimerspec soon = {{0, 0}, {0, 200000000 + (int)(mix((uint64_t)getpid(), 1) % 100000000)}};
    CHECK(timer_create(CLOCK_MONOTONIC, &kill, &timer) == 0);
    CHECK(timer_settime(timer, 0, &soon, NULL) == 0);
}

int main(int argc, char **argv)
{
    int of_owner = argc > 1 && atoi(argv[1]) == 1;
    death_start(&argc, &argv);
    char *memory = malloc(BYTES), *moved = malloc(BYTES), *data = malloc(BYTES);
    memset(memory, 1, BYTES);
    memset(moved, 77, BYTES);
    memset(data, 2, BYTES);
    MPI_Win stays = window_of(all, memory, "false"), shared = window_of(all, moved, "true");
    OK(MPI_Win_lock_all(0, stays));
    OK(MPI_Win_lock_all(0, shared));
    together();
    if (rank == VICTIM && of_owner) {
        /* What lies there comes and goes all the time. */
        die_soon();
        for (;;) {
            MPI_Win win = window_of(MPI_COMM_SELF, memory, "true");
            OK(MPI_Win_free(&win));
        }
    }
    if (rank == VICTIM) {
        die_soon();
        for (;;)
            OK(MPI_Put(data, BYTES, MPI_BYTE, 0, 0, BYTES, MPI_BYTE, stays));
    }
    if (of_owner) {
        int code = MPI_SUCCESS;
        for (int i = 0; code == MPI_SUCCESS; i++)
            code = MPI_Put(data, i % 2 ? 1000 : BYTES, MPI_BYTE, VICTIM, 0, i % 2 ? 1000 : BYTES, MPI_BYTE, stays);
        CHECK_CLASS(code, MPIX_ERR_PROC_FAILED);
    }
    await_death();
    for (int turn = 0; turn < 3; turn++) {
        MPI_Win win = window_of(MPI_COMM_SELF, memory, "true");
        MPI_Info info;
        char value[MPI_MAX_INFO_VAL];
        int length = sizeof value, flag;
        OK(MPI_Win_get_info(win, &info));
        OK(MPI_Info_get_string(info, "rmashm_adopt", &length, value, &flag));
        CHECK(flag && strcmp(value, "true") == 0);
        OK(MPI_Info_free(&info));
        memory[BYTES - 1] = (char)turn;
        OK(MPI_Win_free(&win));
        CHECK_EQ(memory[BYTES - 1], turn);
    }
    char got[1000] = {0};
    OK(MPI_Get(got, 1000, MPI_BYTE, VICTIM, 5000, 1000, MPI_BYTE, shared));
    for (int i = 0; i < 1000; i++)
        CHECK_EQ(got[i], 77);
    OK(MPI_Win_unlock_all(stays));
    OK(MPI_Win_unlock_all(shared));
    FAILS(MPI_Win_free(&stays), "MPI_Win_free");
    return check_end();
}
