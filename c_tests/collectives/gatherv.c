/* ranks: 1 2 4 8 */
/* Gather(v), Scatter(v), Allgather(v): all roots, in place, with gaps between the blocks, blocking or not. */
#include "check.h"

enum { MOST = 8 * 6000 };
static int one[MOST], all[2 * MOST], counts[8], displs[8];

static int want(int from, int i)
{
    return from * 100000 + i;
}

static void finish(int later, MPI_Request *request)
{
    if (later)
        OK(MPI_Wait(request, MPI_STATUS_IGNORE));
}

/* Blocks of counts[i] at displs[i], and nothing else was touched. */
static void check_all(void)
{
    int at = 0;
    for (int r = 0; r < size; r++) {
        for (; at < displs[r]; at++)
            CHECK_EQ(all[at], -1);
        for (int i = 0; i < counts[r]; i++, at++)
            CHECK_EQ(all[at], want(r, i));
    }
    for (; at < 2 * MOST; at++)
        CHECK_EQ(all[at], -1);
}

static void plan(int n, int equal)
{
    int at = 0;
    for (int r = 0; r < size; r++) {
        counts[r] = equal ? n : n * (r + 1) / size;
        displs[r] = at;
        at += counts[r] + (equal ? 0 : 3);
    }
    memset(all, 0xff, sizeof all);
    memset(one, 0xff, sizeof one);
}

int main(int argc, char **argv)
{
    MPI_Request request;
    check_start(&argc, &argv);
    for (int n = 0; n <= 6000; n = n ? n * 75 : 1) {
        for (int way = 0; way < 4; way++) {
            int in_place = way & 1, later = way & 2;
            for (int root = 0; root < size; root++) {
                for (int equal = 0; equal < 2; equal++) {
                    int here = in_place && rank == root;
                    plan(n, equal);
                    for (int i = 0; i < counts[rank]; i++)
                        *(here ? &all[displs[rank] + i] : &one[i]) = want(rank, i);
                    void *from = here ? MPI_IN_PLACE : (void *)one;
                    if (equal && later)
                        OK(MPI_Igather(from, n, MPI_INT, all, n, MPI_INT, root, MPI_COMM_WORLD, &request));
                    else if (equal)
                        OK(MPI_Gather(from, n, MPI_INT, all, n, MPI_INT, root, MPI_COMM_WORLD));
                    else if (later)
                        OK(MPI_Igatherv(from, counts[rank], MPI_INT, all, counts, displs, MPI_INT, root,
                                        MPI_COMM_WORLD, &request));
                    else
                        OK(MPI_Gatherv(from, counts[rank], MPI_INT, all, counts, displs, MPI_INT, root,
                                       MPI_COMM_WORLD));
                    finish(later, &request);
                    if (rank == root)
                        check_all();

                    /* And back. */
                    memset(one, 0xff, sizeof one);
                    void *to = here ? MPI_IN_PLACE : (void *)one;
                    if (equal && later)
                        OK(MPI_Iscatter(all, n, MPI_INT, to, n, MPI_INT, root, MPI_COMM_WORLD, &request));
                    else if (equal)
                        OK(MPI_Scatter(all, n, MPI_INT, to, n, MPI_INT, root, MPI_COMM_WORLD));
                    else if (later)
                        OK(MPI_Iscatterv(all, counts, displs, MPI_INT, to, counts[rank], MPI_INT, root,
                                         MPI_COMM_WORLD, &request));
                    else
                        OK(MPI_Scatterv(all, counts, displs, MPI_INT, to, counts[rank], MPI_INT, root,
                                        MPI_COMM_WORLD));
                    finish(later, &request);
                    for (int i = 0; i < MOST; i++)
                        CHECK_EQ(one[i], !here && i < counts[rank] ? want(rank, i) : -1);
                }
            }
            for (int equal = 0; equal < 2; equal++) {
                plan(n, equal);
                for (int i = 0; i < counts[rank]; i++)
                    *(in_place ? &all[displs[rank] + i] : &one[i]) = want(rank, i);
                void *from = in_place ? MPI_IN_PLACE : (void *)one;
                if (equal && later)
                    OK(MPI_Iallgather(from, n, MPI_INT, all, n, MPI_INT, MPI_COMM_WORLD, &request));
                else if (equal)
                    OK(MPI_Allgather(from, n, MPI_INT, all, n, MPI_INT, MPI_COMM_WORLD));
                else if (later)
                    OK(MPI_Iallgatherv(from, counts[rank], MPI_INT, all, counts, displs, MPI_INT,
                                       MPI_COMM_WORLD, &request));
                else
                    OK(MPI_Allgatherv(from, counts[rank], MPI_INT, all, counts, displs, MPI_INT,
                                      MPI_COMM_WORLD));
                finish(later, &request);
                check_all();
            }
        }
    }
    return check_end();
}
