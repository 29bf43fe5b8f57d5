/* ranks: 2 3 4 8; mpich: skip it finds less of this out, and hangs on some; wrong: one process takes less than it is sent, on purpose */
/* One process has room for less than comes: it gets the error, also where little and much go by different ways, and the others get what they
 * are to get. All go on. */
#include "check.h"

enum { MOST = 60000 };

static int n, rank;
static char given[16 * MOST], taken[16 * MOST];

static int class_of(int error)
{
    int class;
    MPI_Error_class(error, &class);
    return class;
}

static void all_go_on(void)
{
    int one = 1, all;
    OK(MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_EQ(all, n);
}

static void broadcast(int len, int room, int who)
{
    memset(taken, rank == 0 ? 5 : 0, MOST);
    int error = MPI_Bcast(taken, rank == who ? room : len, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (rank == who)
        CHECK_EQ(class_of(error), MPI_ERR_TRUNCATE);
    else {
        CHECK_EQ(error, MPI_SUCCESS);
        for (int i = 0; i < len; i++)
            CHECK_EQ(taken[i], 5);
    }
    all_go_on();
}

/* The last process takes half of what the first one sends it. */
static void exchange(int len, int gathers)
{
    int counts[16], displacements[16], rooms[16], last = rank == n - 1;
    for (int i = 0; i < n; i++)
        counts[i] = rooms[i] = len, displacements[i] = i * len;
    if (last)
        rooms[0] = len / 2;
    memset(given, rank + 1, n * len);
    memset(taken, 0, n * len);
    int error = gathers
        ? MPI_Allgatherv(given, len, MPI_BYTE, taken, rooms, displacements, MPI_BYTE, MPI_COMM_WORLD)
        : MPI_Alltoallv(given, counts, displacements, MPI_BYTE, taken, rooms, displacements, MPI_BYTE, MPI_COMM_WORLD);
    if (last)
        CHECK_EQ(class_of(error), MPI_ERR_TRUNCATE);
    else {
        CHECK_EQ(error, MPI_SUCCESS);
        for (int i = 0; i < n; i++)
            for (int k = 0; k < len; k++)
                CHECK_EQ(taken[i * len + k], i + 1);
    }
    all_go_on();
}

/* Elements of the last process are fewer, and in fewer rounds: all hear of it. */
static void begun(int count)
{
    MPI_Request request;
    int *in = (int *)given, *out = (int *)taken, last = rank == n - 1;
    for (int i = 0; i < count; i++)
        in[i] = i, out[i] = -1;
    int code = MPI_Iallreduce(in, out, last ? count / 3 : count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    if (code == MPI_SUCCESS)
        code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    int class = class_of(code);
    CHECK(class == MPI_ERR_TRUNCATE || class == MPI_ERR_COUNT);
    for (int i = 0; i < count && n > 2; i++)
        CHECK_EQ(out[i], -1);
    all_go_on();
}

int main(int argc, char **argv)
{
    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &n));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    int lens[] = {100, 5000, 9000, 15000, 30000, MOST};
    for (int i = 0; i < 6; i++)
        for (int who = 1; who < n; who++) {
            broadcast(lens[i], lens[i] / 2, who);
            broadcast(lens[i], 10, who);
        }
    for (int times = 0; times < 5; times++) {
        begun(30000);
        begun(200000);
    }
    for (int times = 0; times < 20; times++)
        for (int i = 1; i < 6; i++) {
            exchange(lens[i], 0);
            exchange(lens[i], 1);
        }
    OK(MPI_Finalize());
    return 0;
}
