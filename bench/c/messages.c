/* Messages, and how soon a put is seen by a target that polls its memory. */
#include "bench.h"
#include <stdatomic.h>

static char *buffer;

/* Half a round trip. */
static void ping_pong(long bytes)
{
    struct timing t = timing(TOGETHER);
    while (timing_next(&t))
        for (long i = 0; i < t.rounds; i++) {
            /* Half of the rounds: the time of a round is that of one way. */
            if (i % 2)
                continue;
            if (rank == 0) {
                MPI_Send(buffer, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
                MPI_Recv(buffer, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            } else if (rank == 1) {
                MPI_Recv(buffer, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Send(buffer, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
            }
        }
    timing_end(&t, "message", bytes);
}

/* Each puts a number into the other's memory when it has seen its own change. */
static void put_seen(void)
{
    struct window w = window_open(SHARED, 64);
    _Atomic long *mine = (_Atomic long *)w.mine;
    int other = !rank;
    long turn = 0;
    MPI_Win_lock_all(0, w.win);
    struct timing t = timing(TOGETHER);
    while (timing_next(&t))
        for (long i = 0; i < t.rounds; i++) {
            turn++;
            if ((turn + rank) % 2) {
                MPI_Put(&turn, 1, MPI_LONG, other, 0, 1, MPI_LONG, w.win);
                MPI_Win_flush(other, w.win);
            } else {
                while (atomic_load_explicit(mine, memory_order_acquire) != turn)
                    ;
            }
        }
    timing_end(&t, "put_seen", 8);
    MPI_Win_unlock_all(w.win);
    window_close(&w);
}

void family_messages(void)
{
    buffer = calloc(4 << 20, 1);
    for (int i = 0; i < SIZES; i++)
        ping_pong(sizes[i]);
    free(buffer);
    if (size == 2)
        put_seen();
    double x = 1, y;
    TIMED(TOGETHER, "allreduce", 8, MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    check(y == size, "allreduce");
}
