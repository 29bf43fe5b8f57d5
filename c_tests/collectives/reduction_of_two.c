/* ranks: 2; mpich: skip it finds less of this out; wrong: the counts of collective calls differ, on purpose */
/* Allreduce of much by two, again and again, so that both ways of it are tried: in halves, and all by each. In place too, of memory from everywhere, beside
 * reductions that are not for all, and after counts that differ. */
#include "check.h"

enum { MOST = 5 << 20, TURNS = 60 };

static char *memories[3];

static long element(int of, long i, int turn)
{
    return (of + 1) * 1000003L + i % 4099 * 17 + turn;
}

static void allreduce(long *in, long *out, long n, int turn)
{
    int in_place = turn % 3 == 2;
    long *mine = in_place ? out : in;
    for (long i = 0; i < n; i++)
        mine[i] = element(rank, i, turn);
    out[n] = -turn;
    OK(MPI_Allreduce(in_place ? MPI_IN_PLACE : in, out, n, MPI_LONG, turn % 2 ? MPI_SUM : MPI_BXOR, MPI_COMM_WORLD));
    for (long i = 0; i < n; i++) {
        long a = element(0, i, turn), b = element(1, i, turn);
        CHECK_EQ(out[i], turn % 2 ? a + b : (a ^ b));
    }
    CHECK_EQ(out[n], -turn);
}

/* All of it for rank `whose`. */
static void for_one(long *in, long *out, long n, int whose)
{
    int counts[2] = {0, 0};
    counts[whose] = n;
    for (long i = 0; i < n; i++)
        in[i] = element(rank, i, whose);
    out[0] = -1;
    OK(MPI_Reduce_scatter(in, out, counts, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
    CHECK_EQ(out[0], rank == whose ? element(0, 0, whose) + element(1, 0, whose) : -1);
    if (rank == whose)
        CHECK_EQ(out[n - 1], element(0, n - 1, whose) + element(1, n - 1, whose));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    static const long sizes[] = {9 << 10, 16 << 10, 63 << 10, 64 << 10, 200000, 1 << 20, 4 << 20, MOST};
    for (int i = 0; i < 2; i++)
        memories[i] = malloc(MOST + sizeof(long));
    OK(MPI_Alloc_mem(MOST + sizeof(long), MPI_INFO_NULL, &memories[2]));
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        long n = sizes[s] / sizeof(long);
        for (int turn = 0; turn < (sizes[s] > 1 << 20 ? TURNS / 4 : TURNS); turn++) {
            /* Of one process, or of both, what is given is in shared memory now and then. */
            int from = turn % 5 == 4 ? 2 : (turn % 7 == 6) * 2 * rank;
            allreduce((long *)memories[from], (long *)memories[1], n, turn);
            if (turn % 8 == 7)
                for_one((long *)memories[0], (long *)memories[1], n, turn / 8 % 2);
        }
    }
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    long *in = (long *)memories[0], *out = (long *)memories[1];
    for (int turn = 0; turn < 20; turn++) {
        int class, code = MPI_Allreduce(in, out, (turn % 2 ? 2048 : 65536) + 8 * rank, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        OK(MPI_Error_class(code, &class));
        CHECK_EQ(class, rank ? MPI_ERR_COUNT : MPI_ERR_TRUNCATE);
        allreduce(in, out, 2048, turn);
        allreduce(in, out, 65536, turn);
    }
    free(memories[0]);
    free(memories[1]);
    OK(MPI_Free_mem(memories[2]));
    return check_end();
}
