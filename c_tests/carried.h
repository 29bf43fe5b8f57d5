/* What a target carries out itself for others, in memory that is not shared. */
#ifndef CARRIED_H
#define CARRIED_H

#include "check.h"

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
