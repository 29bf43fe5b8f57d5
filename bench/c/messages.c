/* Messages between two ranks by size, and how soon a put is seen by a target that polls its memory. */
#include "bench.h"
#include <stdatomic.h>

enum {
    MOST = 4 << 20,
    /* Messages of a stream that are under way at the same time, and the bytes that they all may be. */
    MANY = 64,
    ROOM = 16 << 20,
    /* From this size on a stream is told in bytes, below in messages. */
    LONG = 1024
};

static char *give, *take;

/* What rank `from` sends; no neighbours are alike. */
static char byte(int from, long i)
{
    return (char)(i * 7 + i / 251 + from + 1);
}

static void prepare(long bytes, long room)
{
    for (long i = 0; i < bytes; i++)
        give[i] = byte(rank, i);
    memset(take, 0, room);
}

/* Whether memory has a message of `from`, `count` times. */
static int came(const char *memory, int from, long bytes, long count)
{
    for (long i = 0; i < bytes * count; i++)
        if (memory[i] != byte(from, i % bytes))
            return 0;
    return 1;
}

/* Half a round trip, of data that goes back from where it came to. */
static void ping_pong(long bytes)
{
    prepare(bytes, bytes);
    char *both = rank == 0 ? give : take;
    struct timing t = timing(TOGETHER);
    while (timing_next(&t))
        for (long i = 0; i < t.rounds; i++) {
            /* Half of the rounds: the time of a round is that of one way. */
            if (i % 2)
                continue;
            if (rank == 0) {
                MPI_Send(both, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
                MPI_Recv(both, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            } else {
                MPI_Recv(both, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Send(both, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
            }
        }
    check(came(both, 0, bytes, 1), "message");
    timing_end(&t, "message", bytes);
}

/* Many at a time in one direction, and an empty message back when they have come. */
static void stream(long bytes)
{
    MPI_Request requests[MANY];
    int count = bytes * MANY <= ROOM ? MANY : ROOM / bytes;
    prepare(bytes, bytes * count);
    struct timing t = timing(TOGETHER);
    while (timing_next(&t))
        for (long i = 0; i < t.rounds; i++) {
            for (int k = 0; k < count; k++)
                if (rank == 0)
                    MPI_Isend(give, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &requests[k]);
                else
                    MPI_Irecv(take + k * bytes, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &requests[k]);
            MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
            if (rank == 0)
                MPI_Recv(NULL, 0, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            else
                MPI_Send(NULL, 0, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
        }
    check(rank == 0 || came(take, 0, bytes, count), "stream");
    double each = timing_median(&t) / count;
    if (bytes < LONG)
        result("message_rate", bytes, "M/s", 1e-6 / each);
    else
        result("stream", bytes, "GB/s", 1e-9 * bytes / each);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Both give and take at the same time. */
static void exchange(long bytes)
{
    prepare(bytes, bytes);
    struct timing t = timing(TOGETHER);
    while (timing_next(&t))
        for (long i = 0; i < t.rounds; i++)
            MPI_Sendrecv(give, bytes, MPI_CHAR, !rank, 0, take, bytes, MPI_CHAR, !rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(came(take, !rank, bytes, 1), "sendrecv");
    timing_end(&t, "sendrecv", bytes);
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
    check(size == 2, "the number of ranks");
    give = calloc(MOST, 1);
    take = calloc(ROOM, 1);
    check(give && take, "memory");
    ping_pong(0);
    for (long bytes = 8; bytes <= MOST; bytes *= 2)
        ping_pong(bytes);
    stream(0);
    for (long bytes = 4; bytes <= MOST; bytes *= 4)
        stream(bytes);
    exchange(0);
    for (long bytes = 4; bytes <= MOST; bytes *= 4)
        exchange(bytes);
    free(give);
    free(take);
    put_seen();
    double x = 1, y;
    TIMED(TOGETHER, "allreduce", 8, MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    check(y == size, "allreduce");
}
