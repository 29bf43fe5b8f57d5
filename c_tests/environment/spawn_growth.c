/* ranks: 1; env: RMASHM_CHECK=off; mpich: skip it has no segment */
/* Processes come, are disconnected and go: what the job has of memory does not grow by them. */
#include "segment.h"

#include <signal.h>

enum { PID = 3 };

/* After so many all places of the job have been used. */
enum { FIRST = 160, MORE = 240 };

static void spawn(const char *program, int times)
{
    MPI_Comm inter;
    for (int i = 0; i < times; i++) {
        OK(MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter, MPI_ERRCODES_IGNORE));
        int pid;
        OK(MPI_Recv(&pid, 1, MPI_INT, 0, PID, inter, MPI_STATUS_IGNORE));
        OK(MPI_Comm_disconnect(&inter));
        /* Where the cores are busy it may end much later, and what several at a time want is kept for the next ones. */
        while (kill(pid, 0) == 0)
            usleep(100);
    }
}

int main(int argc, char **argv)
{
    MPI_Comm parent;
    check_start(&argc, &argv);
    OK(MPI_Comm_get_parent(&parent));
    if (parent != MPI_COMM_NULL) {
        int pid = getpid();
        OK(MPI_Send(&pid, 1, MPI_INT, 0, PID, parent));
        OK(MPI_Comm_disconnect(&parent));
        return check_end();
    }
    spawn(argv[0], FIRST);
    long long before = segment_bytes();
    spawn(argv[0], MORE);
    long long grown = segment_bytes() - before;
    /* A page for every eighth of them: the launcher may not have cleared up after the last ones. */
    if (grown > MORE * 4096 / 8)
        check_failed(__FILE__, __LINE__, "%d processes have come and gone, and left %lld bytes", MORE, grown);
    return check_end();
}
