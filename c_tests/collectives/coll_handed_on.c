/* ranks: 17 32 */
/* Allgather and alltoall among many processes, blocking, nonblocking and persistent, of few bytes and of many, in place and
 * not, with gaps, and blocks of different lengths: where data goes from each to each by way of others. */
#include "check.h"

static const int counts[] = {0, 1, 3, 64, 65, 700};
enum { COUNTS = sizeof counts / sizeof *counts, GAP = -9 };
enum form { BLOCKING, NONBLOCKING, PERSISTENT, FORMS };

static int value(int from, int to, int i)
{
    return from * 100003 + to * 1009 + i * 7;
}

static void complete(enum form form, MPI_Request *request)
{
    if (form == BLOCKING)
        return;
    if (form == PERSISTENT)
        OK(MPI_Start(request));
    OK(MPI_Wait(request, MPI_STATUS_IGNORE));
    if (form == PERSISTENT)
        OK(MPI_Request_free(request));
}

/* `n` ints, each with a gap behind it. */
static MPI_Datatype with_gaps(void)
{
    MPI_Datatype type;
    OK(MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &type));
    OK(MPI_Type_commit(&type));
    return type;
}

static void alltoall(enum form form, int n, int in_place, int gaps)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Datatype type = gaps ? with_gaps() : MPI_INT;
    int step = gaps ? 2 : 1, all = n * size * step;
    int *in = malloc((size_t)(all + 1) * sizeof *in), *out = malloc((size_t)(all + 1) * sizeof *out);
    void *from = in_place ? MPI_IN_PLACE : in;
    CHECK(in != NULL && out != NULL);
    for (int i = 0; i <= all; i++)
        in[i] = out[i] = GAP;
    for (int r = 0; r < size; r++)
        for (int i = 0; i < n; i++)
            in[(r * n + i) * step] = value(rank, r, i);
    if (in_place)
        memcpy(out, in, (size_t)all * sizeof *out);
    if (form == BLOCKING)
        OK(MPI_Alltoall(from, n, type, out, n, type, comm));
    else if (form == NONBLOCKING)
        OK(MPI_Ialltoall(from, n, type, out, n, type, comm, &request));
    else
        OK(MPI_Alltoall_init(from, n, type, out, n, type, comm, MPI_INFO_NULL, &request));
    complete(form, &request);
    for (int r = 0; r < size; r++)
        for (int i = 0; i < n; i++) {
            CHECK_EQ(out[(r * n + i) * step], value(r, rank, i));
            CHECK_EQ(in[(r * n + i) * step], value(rank, r, i));
            if (gaps)
                CHECK_EQ(out[(r * n + i) * step + 1], GAP);
        }
    CHECK_EQ(out[all], GAP);
    if (gaps)
        OK(MPI_Type_free(&type));
    free(in);
    free(out);
}

static void allgather(enum form form, int n, int in_place)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Request request = MPI_REQUEST_NULL;
    int *mine = malloc((size_t)(n + 1) * sizeof *mine), *all = malloc((size_t)(n * size + 1) * sizeof *all);
    void *from = in_place ? MPI_IN_PLACE : mine;
    CHECK(mine != NULL && all != NULL);
    all[n * size] = GAP;
    for (int i = 0; i < n; i++)
        mine[i] = all[rank * n + i] = value(rank, 0, i);
    if (form == BLOCKING)
        OK(MPI_Allgather(from, n, MPI_INT, all, n, MPI_INT, comm));
    else if (form == NONBLOCKING)
        OK(MPI_Iallgather(from, n, MPI_INT, all, n, MPI_INT, comm, &request));
    else
        OK(MPI_Allgather_init(from, n, MPI_INT, all, n, MPI_INT, comm, MPI_INFO_NULL, &request));
    complete(form, &request);
    for (int r = 0; r < size; r++)
        for (int i = 0; i < n; i++)
            CHECK_EQ(all[r * n + i], value(r, 0, i));
    CHECK_EQ(all[n * size], GAP);
    free(mine);
    free(all);
}

/* Process r gives n + r % 3 ints; those of different processes lie in reverse order. */
static void allgatherv(enum form form, int n)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Request request = MPI_REQUEST_NULL;
    int lengths[64] = { 0 }, places[64] = { 0 }, total = 0, own = n + rank % 3;
    for (int r = size; r-- > 0; total += lengths[r]) {
        lengths[r] = n + r % 3;
        places[r] = total;
    }
    int *mine = malloc((size_t)(own + 1) * sizeof *mine), *all = malloc((size_t)(total + 1) * sizeof *all);
    CHECK(size <= 64 && mine != NULL && all != NULL);
    all[total] = GAP;
    for (int i = 0; i < own; i++)
        mine[i] = value(rank, 1, i);
    if (form == BLOCKING)
        OK(MPI_Allgatherv(mine, own, MPI_INT, all, lengths, places, MPI_INT, comm));
    else if (form == NONBLOCKING)
        OK(MPI_Iallgatherv(mine, own, MPI_INT, all, lengths, places, MPI_INT, comm, &request));
    else
        OK(MPI_Allgatherv_init(mine, own, MPI_INT, all, lengths, places, MPI_INT, comm, MPI_INFO_NULL, &request));
    complete(form, &request);
    for (int r = 0; r < size; r++)
        for (int i = 0; i < lengths[r]; i++)
            CHECK_EQ(all[places[r] + i], value(r, 1, i));
    CHECK_EQ(all[total], GAP);
    free(mine);
    free(all);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    for (int form = 0; form < FORMS; form++)
        for (int k = 0; k < COUNTS; k++) {
            alltoall(form, counts[k], 0, 0);
            alltoall(form, counts[k], 1, 1);
            allgather(form, counts[k], k % 2);
            allgatherv(form, counts[k]);
        }
    return check_end();
}
