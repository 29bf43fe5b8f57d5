/* ranks: 1; env: RMASHM_CHECK=off; mpich: skip it has no segment */
/* Processes end that have not given their memory back: it is there for others when nobody has to do with them any more, also while
 * their places are nobody's. */
#include "segment.h"

enum { TIMES = 12, BYTES = 4 << 20 };

int main(int argc, char **argv)
{
    MPI_Comm parent, inter;
    check_start(&argc, &argv);
    OK(MPI_Comm_get_parent(&parent));
    if (parent != MPI_COMM_NULL) {
        char *memory;
        OK(MPI_Alloc_mem(BYTES, MPI_INFO_NULL, &memory));
        memset(memory, 1, BYTES);
        OK(MPI_Barrier(parent));
        OK(MPI_Comm_disconnect(&parent));
        return check_end();
    }
    long long before = segment_bytes();
    for (int i = 0; i < TIMES; i++) {
        OK(MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter, MPI_ERRCODES_IGNORE));
        OK(MPI_Barrier(inter));
        OK(MPI_Comm_disconnect(&inter));
    }
    long long grown = segment_bytes() - before;
    /* Of the last ones some have not ended yet. */
    if (grown > TIMES / 2 * (long long)BYTES)
        check_failed(__FILE__, __LINE__, "%d processes have come and gone, and left %lld bytes", TIMES, grown);
    return check_end();
}
