/* ranks: 2 4; mpich: skip the variables are rmashm's own */
/* Performance variables that belong to a window, and what is held of messages before their receives. */
#include "check.h"

#include <sched.h>

static MPI_T_pvar_session session;

static MPI_T_pvar_handle variable(const char *name, void *object)
{
    int index, count, bind;
    MPI_T_pvar_handle handle;
    CHECK_EQ(MPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_LEVEL, &index), MPI_SUCCESS);
    CHECK_EQ(MPI_T_pvar_get_info(index, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &bind, NULL, NULL, NULL), MPI_SUCCESS);
    CHECK_EQ(bind, object ? MPI_T_BIND_MPI_WIN : MPI_T_BIND_NO_OBJECT);
    if (object) {
        MPI_Win none = MPI_WIN_NULL;
        CHECK_EQ(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count), MPI_T_ERR_INVALID);
        CHECK_EQ(MPI_T_pvar_handle_alloc(session, index, &none, &handle, &count), MPI_T_ERR_INVALID_HANDLE);
    }
    CHECK_EQ(MPI_T_pvar_handle_alloc(session, index, object, &handle, &count), MPI_SUCCESS);
    CHECK_EQ(count, 1);
    return handle;
}

static unsigned long long value(MPI_T_pvar_handle handle)
{
    unsigned long long value = 0;
    CHECK_EQ(MPI_T_pvar_read(session, handle, &value), MPI_SUCCESS);
    return value;
}

int main(int argc, char **argv)
{
    int provided, *base, flag;
    MPI_Win win, other;
    check_start(&argc, &argv);
    CHECK_EQ(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), MPI_SUCCESS);
    CHECK_EQ(MPI_T_pvar_session_create(&session), MPI_SUCCESS);
    OK(MPI_Win_allocate(40 + rank, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    OK(MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &other));
    MPI_T_pvar_handle bytes = variable("rmashm_window_bytes", &win), locks = variable("rmashm_window_locks", &win),
                      locked = variable("rmashm_window_locked", &win), wanted = variable("rmashm_window_locks_wanted", &win),
                      of_other = variable("rmashm_window_locked", &other), held = variable("rmashm_unexpected_bytes", NULL);
    CHECK_EQ(value(bytes), 40 + rank);
    CHECK_EQ(value(locks), 0);
    CHECK_EQ(value(locked), 0);
    barrier();
    if (rank == 0) {
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
        OK(MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win));
        CHECK_EQ(value(locks), 2);
    }
    barrier();
    CHECK_EQ(value(locked), 2);
    CHECK_EQ(value(of_other), 0);
    CHECK_EQ(value(wanted), 0);
    barrier();
    if (rank == 0) {
        /* Who has waited for some time claims the lock. */
        while (value(wanted) == 0)
            sched_yield();
        CHECK_EQ(value(wanted), 1);
        OK(MPI_Win_unlock(0, win));
        OK(MPI_Win_unlock(1, win));
    } else if (rank == 1) {
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
        CHECK_EQ(value(locks), 1);
        OK(MPI_Win_unlock(0, win));
    }
    barrier();
    CHECK_EQ(value(locks), 0);
    CHECK_EQ(value(locked), 0);
    CHECK_EQ(value(wanted), 0);
    /* Messages without a receive. */
    unsigned long long before = value(held);
    barrier();
    char message[100] = {0};
    if (rank == 1)
        OK(MPI_Send(message, 100, MPI_CHAR, 0, 0, MPI_COMM_WORLD));
    if (rank == 0) {
        OK(MPI_Probe(1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK(value(held) >= before + 100);
        OK(MPI_Recv(message, 100, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_EQ(value(held), before);
    }
    OK(MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    OK(MPI_Win_free(&win));
    /* Of a window that is gone there is nothing. */
    CHECK_EQ(value(bytes), 0);
    CHECK_EQ(value(locked), 0);
    OK(MPI_Win_free(&other));
    CHECK_EQ(MPI_T_pvar_session_free(&session), MPI_SUCCESS);
    CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
    return check_end();
}
