/* What a target carries out itself for others, in memory that is not shared. */
#ifndef CARRIED_H
#define CARRIED_H

#include "check.h"

#include <pthread.h>

/* Starts with so many threads that call MPI, if an argument says how many: else with one. Gives that. */
MAYBE_UNUSED static int start_with_threads(int *argc, char ***argv)
{
    if (*argc <= 2) {
        check_start(argc, argv);
        return 1;
    }
    int threads = atoi((*argv)[2]);
    check_start_threads(argc, argv);
    return threads;
}

/* A window over `bytes` of `memory`, dynamic or not, all ranks of which are locked. Gives where rank 0's begins in it. */
MAYBE_UNUSED static MPI_Aint window_over(void *memory, size_t bytes, int dynamic, MPI_Win *win)
{
    MPI_Aint first = 0;
    if (dynamic) {
        OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, win));
        OK(MPI_Win_attach(*win, memory, (MPI_Aint)bytes));
        OK(MPI_Get_address(memory, &first));
    } else
        OK(MPI_Win_create(memory, (MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, win));
    OK(MPI_Bcast(&first, 1, MPI_AINT, 0, MPI_COMM_WORLD));
    OK(MPI_Win_lock_all(0, *win));
    return first;
}

/* Runs `each`, with its number, in so many threads, of which this is the first. */
MAYBE_UNUSED static void in_threads(int threads, void *(*each)(void *))
{
    pthread_t all[8];
    CHECK(threads <= 8);
    for (intptr_t i = 1; i < threads; i++)
        CHECK(pthread_create(&all[i], NULL, each, (void *)i) == 0);
    each((void *)0);
    for (int i = 1; i < threads; i++)
        CHECK(pthread_join(all[i], NULL) == 0);
}

#ifdef RMASHM
/* What this process has moved for others since it first asked, in bytes. */
MAYBE_UNUSED static unsigned long carried(void)
{
    static MPI_T_pvar_session session = MPI_T_PVAR_SESSION_NULL;
    static MPI_T_pvar_handle handle;
    int level, index, count;
    unsigned long bytes = 0;
    if (session == MPI_T_PVAR_SESSION_NULL) {
        OK(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &level));
        OK(MPI_T_pvar_get_index("rmashm_bytes_carried", MPI_T_PVAR_CLASS_COUNTER, &index));
        OK(MPI_T_pvar_session_create(&session));
        OK(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count));
        OK(MPI_T_pvar_start(session, handle));
    }
    OK(MPI_T_pvar_read(session, handle, &bytes));
    return bytes;
}

/* Rank 1 asks rank 0, which waits, until that has carried something out. */
MAYBE_UNUSED static void until_carried(void (*ask)(void))
{
    enum { TURN = 8 };
    int more = 1;
    carried();
    while (rank < 2 && more) {
        if (rank == 1) {
            ask();
            OK(MPI_Send(NULL, 0, MPI_BYTE, 0, TURN, MPI_COMM_WORLD));
            OK(MPI_Recv(&more, 1, MPI_INT, 0, TURN, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        } else {
            OK(MPI_Recv(NULL, 0, MPI_BYTE, 1, TURN, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            more = carried() == 0;
            OK(MPI_Send(&more, 1, MPI_INT, 1, TURN, MPI_COMM_WORLD));
        }
    }
}

/* Lets the others be asked for little also where ranks share cores. */
MAYBE_UNUSED static void ask_for_little(void)
{
    MPI_T_cvar_handle handle;
    int level, index, count;
    unsigned long spin = 20000;
    OK(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &level));
    OK(MPI_T_cvar_get_index("rmashm_spin_ns", &index));
    OK(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count));
    OK(MPI_T_cvar_write(handle, &spin));
    OK(MPI_T_cvar_handle_free(&handle));
    OK(MPI_T_finalize());
}
#else
MAYBE_UNUSED static void ask_for_little(void) {}
#endif

#endif
