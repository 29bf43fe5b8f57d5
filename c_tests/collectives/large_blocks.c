/* ranks: 2 3 */
/* Blocks that fill the last cache when all move them, at addresses of any alignment: each process gives itself one, too, and nothing beside them is written. */
#include "check.h"

enum { LEN = (4 << 20) + 12, SHIFT = 5, EDGE = 64 };

static unsigned char *given, *got;

static unsigned char value(int from, int to, size_t i)
{
    return (unsigned char)(from * 31 + to * 7 + i * 13 + i / 4096);
}

/* `blocks` of them are given, those to each or all alike. */
static void prepare(int blocks, int are_alike)
{
    for (int to = 0; to < blocks; to++)
        for (size_t i = 0; i < LEN; i++)
            given[SHIFT + (size_t)to * LEN + i] = value(rank, are_alike ? 0 : to, i);
    memset(got, 0xee, (size_t)size * LEN + EDGE);
}

static void expect(int first, int blocks, int are_alike)
{
    size_t end = EDGE / 2 + (size_t)blocks * LEN;
    for (int k = 0; k < blocks; k++) {
        int wrong = 0;
        for (size_t i = 0; i < LEN; i++)
            wrong += got[EDGE / 2 + (size_t)k * LEN + i] != value(first + k, are_alike ? 0 : rank, i);
        CHECK_EQ(wrong, 0);
    }
    for (size_t i = 0; i < EDGE / 2; i++)
        CHECK(got[i] == 0xee && got[end + i] == 0xee);
}

static void each(int nonblocking)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Request request = MPI_REQUEST_NULL;
    unsigned char *from = given + SHIFT, *to = got + EDGE / 2;
    for (int root = 0; root < size; root++) {
        prepare(1, 1);
        if (nonblocking)
            OK(MPI_Igather(from, LEN, MPI_BYTE, to, LEN, MPI_BYTE, root, comm, &request));
        else
            OK(MPI_Gather(from, LEN, MPI_BYTE, to, LEN, MPI_BYTE, root, comm));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        expect(0, rank == root ? size : 0, 1);

        prepare(size, 0);
        if (nonblocking)
            OK(MPI_Iscatter(from, LEN, MPI_BYTE, to, LEN, MPI_BYTE, root, comm, &request));
        else
            OK(MPI_Scatter(from, LEN, MPI_BYTE, to, LEN, MPI_BYTE, root, comm));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        expect(root, 1, 0);
    }
    prepare(1, 1);
    if (nonblocking)
        OK(MPI_Iallgather(from, LEN, MPI_BYTE, to, LEN, MPI_BYTE, comm, &request));
    else
        OK(MPI_Allgather(from, LEN, MPI_BYTE, to, LEN, MPI_BYTE, comm));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    expect(0, size, 1);

    prepare(size, 0);
    if (nonblocking)
        OK(MPI_Ialltoall(from, LEN, MPI_BYTE, to, LEN, MPI_BYTE, comm, &request));
    else
        OK(MPI_Alltoall(from, LEN, MPI_BYTE, to, LEN, MPI_BYTE, comm));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    expect(0, size, 0);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    given = malloc((size_t)size * LEN + SHIFT);
    got = malloc((size_t)size * LEN + EDGE);
    CHECK(given != NULL && got != NULL);
    for (int turn = 0; turn < 4; turn++)
        each(turn % 2);
    free(given);
    free(got);
    return check_end();
}
