/* Every size, one after the other: collectives, messages, puts and gets. No size may take longer than the next larger one, and
 * none stand out: the runner looks for steps. Bytes are what a process gives to one other. */
#include "bench.h"

/* The largest message, and the largest part of a collective with a part for each. */
enum { LEAST = 4, MOST = 4 << 20, PART = 1 << 20 };

static char *give, *take;

/* A collective of `bytes`; its root, if it has one, is `root`. */
typedef void collective(int bytes, int root);

static void do_bcast(int bytes, int root)
{
    MPI_Bcast(take, bytes, MPI_BYTE, root, MPI_COMM_WORLD);
}

static void do_reduce(int bytes, int root)
{
    MPI_Reduce(give, take, bytes / 4, MPI_FLOAT, MPI_SUM, root, MPI_COMM_WORLD);
}

static void do_allreduce(int bytes, int root)
{
    (void)root;
    MPI_Allreduce(give, take, bytes / 4, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

static void do_scan(int bytes, int root)
{
    (void)root;
    MPI_Scan(give, take, bytes / 4, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

static void do_exscan(int bytes, int root)
{
    (void)root;
    MPI_Exscan(give, take, bytes / 4, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

static void do_reduce_scatter_block(int bytes, int root)
{
    (void)root;
    MPI_Reduce_scatter_block(give, take, bytes / 4, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

static void do_gather(int bytes, int root)
{
    MPI_Gather(give, bytes, MPI_BYTE, take, bytes, MPI_BYTE, root, MPI_COMM_WORLD);
}

static void do_scatter(int bytes, int root)
{
    MPI_Scatter(give, bytes, MPI_BYTE, take, bytes, MPI_BYTE, root, MPI_COMM_WORLD);
}

static void do_allgather(int bytes, int root)
{
    (void)root;
    MPI_Allgather(give, bytes, MPI_BYTE, take, bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static void do_alltoall(int bytes, int root)
{
    (void)root;
    MPI_Alltoall(give, bytes, MPI_BYTE, take, bytes, MPI_BYTE, MPI_COMM_WORLD);
}

/* Each sends to the next and receives from the one before. */
static void do_ring(int bytes, int root)
{
    (void)root;
    MPI_Sendrecv(give, bytes, MPI_BYTE, (rank + 1) % size, 0, take, bytes, MPI_BYTE, (rank + size - 1) % size, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* There, and back in the next round; the others wait in no call. */
static void do_message(int bytes, int round)
{
    if (rank < 2 && rank == round % 2)
        MPI_Send(give, bytes, MPI_BYTE, !rank, 0, MPI_COMM_WORLD);
    else if (rank < 2)
        MPI_Recv(take, bytes, MPI_BYTE, !rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static const struct {
    const char *name;
    collective *call;
    int most;
} all[] = {
    {"message", do_message, MOST},
    {"sendrecv_ring", do_ring, MOST},
    {"bcast", do_bcast, MOST},
    {"reduce", do_reduce, MOST},
    {"allreduce", do_allreduce, MOST},
    {"scan", do_scan, MOST},
    {"exscan", do_exscan, MOST},
    {"reduce_scatter_block", do_reduce_scatter_block, PART},
    {"gather", do_gather, PART},
    {"scatter", do_scatter, PART},
    {"allgather", do_allgather, PART},
    {"alltoall", do_alltoall, PART},
};

/* The root goes round, and nothing is between the calls. */
static void collectives(void)
{
    long room = MOST > (long)PART * size ? MOST : (long)PART * size;
    give = calloc(room, 1);
    take = calloc(room, 1);
    check(give && take, "memory");
    for (size_t c = 0; c < sizeof all / sizeof *all; c++)
        for (int bytes = LEAST; bytes <= all[c].most; bytes *= 2) {
            int turn = 0;
            TIMED(TOGETHER, all[c].name, bytes, all[c].call(bytes, turn), turn = (turn + 1) % size);
        }
    free(give);
    free(take);
}

static void windows(void)
{
    char name[64];
    char *mine = calloc(MOST, 1);
    check(mine != NULL, "memory");
    for (int flavour = 0; flavour < FLAVOURS; flavour++) {
        struct window w = window_open(flavour, MOST);
        int target = 1;
        MPI_Win_lock_all(0, w.win);
        for (int get = 0; get < 2; get++) {
            snprintf(name, sizeof name, "%s_%s", get ? "get" : "put", flavour_name[flavour]);
            for (int bytes = LEAST; bytes <= MOST; bytes *= 2) {
                if (get)
                    TIMED(ALONE, name, bytes, MPI_Get(mine, bytes, MPI_BYTE, target, w.begin[target], bytes, MPI_BYTE, w.win);
                          MPI_Win_flush(target, w.win));
                else
                    TIMED(ALONE, name, bytes, MPI_Put(mine, bytes, MPI_BYTE, target, w.begin[target], bytes, MPI_BYTE, w.win);
                          MPI_Win_flush(target, w.win));
            }
        }
        MPI_Win_unlock_all(w.win);
        window_close(&w);
    }
    free(mine);
}

void family_sizes(void)
{
    collectives();
    windows();
}
