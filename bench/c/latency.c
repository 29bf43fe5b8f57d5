/* Put and get with a flush, and with a request that is waited for, by size, on every flavour. The data goes to the last rank, which waits in a barrier. */
#include "bench.h"

static void one(enum flavour flavour, long bytes)
{
    struct window w = window_open(flavour, bytes);
    int target = size - 1;
    MPI_Aint at = w.begin[target];
    char *local = malloc(bytes);
    char name[64];
    MPI_Win_lock_all(0, w.win);

    memset(local, 'p', bytes);
    snprintf(name, sizeof name, "put_%s", flavour_name[flavour]);
    TIMED(ALONE, name, bytes, MPI_Put(local, bytes, MPI_CHAR, target, at, bytes, MPI_CHAR, w.win);
          MPI_Win_flush(target, w.win));
    MPI_Win_sync(w.win);
    check(rank != target || (w.mine[0] == 'p' && w.mine[bytes - 1] == 'p'), "put");

    memset(local, 0, bytes);
    snprintf(name, sizeof name, "get_%s", flavour_name[flavour]);
    TIMED(ALONE, name, bytes, MPI_Get(local, bytes, MPI_CHAR, target, at, bytes, MPI_CHAR, w.win);
          MPI_Win_flush(target, w.win));
    check(rank != 0 || (local[0] == 'p' && local[bytes - 1] == 'p'), "get");

    if (bytes == sizes[0]) {
        MPI_Request request;
        memset(local, 'r', bytes);
        snprintf(name, sizeof name, "rput_%s", flavour_name[flavour]);
        TIMED(ALONE, name, bytes, MPI_Rput(local, bytes, MPI_CHAR, target, at, bytes, MPI_CHAR, w.win, &request);
              MPI_Wait(&request, MPI_STATUS_IGNORE));
        MPI_Win_flush_all(w.win);
        memset(local, 0, bytes);
        snprintf(name, sizeof name, "rget_%s", flavour_name[flavour]);
        TIMED(ALONE, name, bytes, MPI_Rget(local, bytes, MPI_CHAR, target, at, bytes, MPI_CHAR, w.win, &request);
              MPI_Wait(&request, MPI_STATUS_IGNORE));
        check(rank != 0 || (local[0] == 'r' && local[bytes - 1] == 'r'), "rget");
    }

    MPI_Win_unlock_all(w.win);
    window_close(&w);
    free(local);
}

void family_latency(void)
{
    for (int flavour = 0; flavour < FLAVOURS; flavour++)
        for (int i = 0; i < SIZES; i++)
            one(flavour, sizes[i]);
}
