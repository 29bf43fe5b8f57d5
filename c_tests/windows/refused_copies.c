/* ranks: 2 4; mpich: skip it does not recover when the kernel refuses */
/* Large messages where the kernel refuses cross-process copies (as in a container without CAP_SYS_PTRACE). */
#include "refuse_calls.h"

enum { MOST = 3000000 };

int main(int argc, char **argv)
{
    refuse_copies();
    check_start(&argc, &argv);
    char *out = malloc(MOST), *in = malloc(MOST), *want = malloc(MOST);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int n = 1; n <= MOST; n *= 3) {
        for (int round = 0; round < 3; round++) {
            MPI_Request requests[2];
            fill(out, n, rank * 100 + round);
            fill(want, n, before * 100 + round);
            memset(in, 0, n);
            OK(MPI_Isend(out, n, MPI_CHAR, next, round, MPI_COMM_WORLD, &requests[0]));
            OK(MPI_Irecv(in, n, MPI_CHAR, before, round, MPI_COMM_WORLD, &requests[1]));
            OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
            CHECK_BYTES(in, want, n);
        }
        fill(out, n, 7);
        memcpy(in, out, n);
        if (rank > 0)
            memset(in, 0, n);
        OK(MPI_Bcast(in, n, MPI_CHAR, 0, MPI_COMM_WORLD));
        CHECK_BYTES(in, out, n);
    }
    free(out);
    free(in);
    free(want);
    return check_end();
}
