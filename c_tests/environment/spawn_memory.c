/* ranks: 1; env: RMASHM_CHECK=off; mpich: skip it takes long to start so many */
/* Processes that were started later have memory of the job for what others send them. When they have ended it can be had for something else:
 * here more of them come and go than would fit, all together, beside a window. */
#include "check.h"

enum { AT_ONCE = 60, ROUNDS = 14, LEAST = 9 };

/* GiB that the machine can give now. */
static long available(void)
{
    char line[200];
    long kilobytes = 0;
    FILE *file = fopen("/proc/meminfo", "r");
    CHECK(file != NULL);
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %ld kB", &kilobytes) == 1)
            break;
    fclose(file);
    return kilobytes >> 20;
}

int main(int argc, char **argv)
{
    MPI_Comm parent, inter;
    MPI_Win win;
    void *base;
    check_start(&argc, &argv);
    OK(MPI_Comm_get_parent(&parent));
    if (parent != MPI_COMM_NULL) {
        OK(MPI_Barrier(parent));
        OK(MPI_Comm_disconnect(&parent));
        return check_end();
    }
    for (int round = 0; round < ROUNDS; round++) {
        OK(MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, AT_ONCE, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter, MPI_ERRCODES_IGNORE));
        OK(MPI_Barrier(inter));
        OK(MPI_Comm_disconnect(&inter));
    }
    /* Each has some 18 MB, all together 15 GB, of which a seventh is in use; the rest may be had by others meanwhile. Where there is less, it
     * was not there for the last ones. */
    if (available() >= LEAST) {
        OK(MPI_Win_allocate((MPI_Aint)(available() - 5) << 30, 1, MPI_INFO_NULL, MPI_COMM_SELF, &base, &win));
        OK(MPI_Win_free(&win));
    }
    return check_end();
}
