/* Accumulate and get_accumulate with MPI_SUM, by the number of elements. */
#include "bench.h"

static void of(MPI_Datatype type, const char *name, long n)
{
    struct window w = window_open(SHARED, n * 8);
    int target = size - 1;
    double *d = (double *)w.mine;
    long *l = (long *)w.mine;
    void *ones = malloc(n * 8), *before = malloc(n * 8);
    char text[64];
    for (long i = 0; i < n; i++)
        if (type == MPI_DOUBLE)
            ((double *)ones)[i] = 1;
        else
            ((long *)ones)[i] = 1;
    MPI_Win_lock_all(0, w.win);
    snprintf(text, sizeof text, "accumulate_%s", name);
    TIMED(ALONE, text, n, MPI_Accumulate(ones, n, type, target, 0, n, type, MPI_SUM, w.win);
          MPI_Win_flush(target, w.win));
    MPI_Win_sync(w.win);
    if (rank == target)
        check(type == MPI_DOUBLE ? d[0] > 0 && d[0] == d[n - 1] : l[0] > 0 && l[0] == l[n - 1], text);
    MPI_Barrier(MPI_COMM_WORLD);
    snprintf(text, sizeof text, "get_accumulate_%s", name);
    TIMED(ALONE, text, n,
          MPI_Get_accumulate(ones, n, type, before, n, type, target, 0, n, type, MPI_SUM, w.win);
          MPI_Win_flush(target, w.win));
    if (rank == 0)
        check(memcmp(before, (char *)before + (n - 1) * 8, 8) == 0, text);
    MPI_Win_unlock_all(w.win);
    window_close(&w);
    free(ones);
    free(before);
}

void family_accumulate(void)
{
    for (long n = 1; n <= 65536; n *= n == 4096 ? 16 : 8) {
        of(MPI_DOUBLE, "double", n);
        of(MPI_LONG, "int64", n);
    }
}
