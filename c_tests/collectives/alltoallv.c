/* ranks: 1 2 4 8 */
/* Alltoall, Alltoallv, Alltoallw: in place, blocks of every length, a datatype for each partner, blocking or not. */
#include "check.h"

enum { LONG = 5000 };
static int out[8 * LONG], in[8 * LONG];

static int want(int from, int to, int i)
{
    return from * 1000000 + to * 100000 + i;
}

/* How many go from one to the other: the same both ways, as in-place exchanges ask for. */
static int length(int a, int b)
{
    return (a + b) % 3 == 0 ? 0 : (a + b) % 3 == 1 ? 7 + a + b : LONG - a - b;
}

static void finish(int later, MPI_Request *request)
{
    if (later)
        OK(MPI_Wait(request, MPI_STATUS_IGNORE));
}

int main(int argc, char **argv)
{
    MPI_Request request;
    int counts[8], displs[8], bytes[8], ones[8];
    MPI_Datatype types[8], ints[8];
    check_start(&argc, &argv);
    for (int way = 0; way < 4; way++) {
        int in_place = way & 1, later = way & 2;
        int *from = in_place ? in : out;
        void *send = in_place ? MPI_IN_PLACE : (void *)out;
        for (int n = 1; n <= LONG; n *= 10) {
            memset(in, 0xff, sizeof in);
            for (int r = 0; r < size; r++)
                for (int i = 0; i < n; i++)
                    from[r * n + i] = want(rank, r, i);
            if (later)
                OK(MPI_Ialltoall(send, n, MPI_INT, in, n, MPI_INT, MPI_COMM_WORLD, &request));
            else
                OK(MPI_Alltoall(send, n, MPI_INT, in, n, MPI_INT, MPI_COMM_WORLD));
            finish(later, &request);
            for (int r = 0; r < size; r++)
                for (int i = 0; i < n; i++)
                    CHECK_EQ(in[r * n + i], want(r, rank, i));
        }
        for (int w = 0; w < 2; w++) {
            memset(in, 0xff, sizeof in);
            for (int r = 0; r < size; r++) {
                counts[r] = length(rank, r);
                displs[r] = r * LONG;
                bytes[r] = displs[r] * (int)sizeof(int);
                ones[r] = 1;
                ints[r] = MPI_INT;
                OK(MPI_Type_contiguous(counts[r], MPI_INT, &types[r]));
                OK(MPI_Type_commit(&types[r]));
                for (int i = 0; i < counts[r]; i++)
                    from[displs[r] + i] = want(rank, r, i);
            }
            /* (MPICH takes the wrong one of several types in place.) */
            int *n = in_place ? counts : ones;
            MPI_Datatype *received = in_place ? ints : types;
            if (!w && later)
                OK(MPI_Ialltoallv(send, counts, displs, MPI_INT, in, counts, displs, MPI_INT,
                                  MPI_COMM_WORLD, &request));
            else if (!w)
                OK(MPI_Alltoallv(send, counts, displs, MPI_INT, in, counts, displs, MPI_INT,
                                 MPI_COMM_WORLD));
            else if (later)
                OK(MPI_Ialltoallw(send, counts, bytes, ints, in, n, bytes, received, MPI_COMM_WORLD,
                                  &request));
            else
                OK(MPI_Alltoallw(send, counts, bytes, ints, in, n, bytes, received, MPI_COMM_WORLD));
            finish(later, &request);
            for (int r = 0; r < size; r++) {
                for (int i = 0; i < LONG; i++)
                    CHECK_EQ(in[displs[r] + i], i < counts[r] ? want(r, rank, i) : -1);
                OK(MPI_Type_free(&types[r]));
            }
        }
    }
    return check_end();
}
