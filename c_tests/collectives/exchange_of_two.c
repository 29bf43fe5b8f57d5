/* ranks: 2 3 */
/* Long blocks that processes exchange, from memory of the program's own: allgather and alltoall, again and again, so that each way there is has its
 * turn; that a process may write to its buffers as soon as its call has returned; memory without a single run; and a kernel that forbids
 * to read the other process. */
#define _GNU_SOURCE
#include "check.h"
#include <errno.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { MOST = 300000, SIZES = 6, ROUNDS = 60 };
static const int counts[SIZES] = {2049, 4096, 5001, 16384, 40000, MOST};
static int *from, *to;
static int forbidden, round_of_all;

/* The library calls this one, and not that of the system's library. */
ssize_t process_vm_readv(pid_t pid, const struct iovec *here, unsigned long count, const struct iovec *there,
                         unsigned long there_count, unsigned long flags)
{
    if (forbidden) {
        errno = EPERM;
        return -1;
    }
    return syscall(SYS_process_vm_readv, pid, here, count, there, there_count, flags);
}

/* Element `i` of what `giver` gives to `taker`. */
static int value(int giver, int taker, int i)
{
    return round_of_all * 7919 + giver * 104729 + taker * 1299709 + i;
}

static void prepare(int *blocks, int n, int of_each)
{
    round_of_all++;
    for (int r = 0; r < (of_each ? size : 1); r++)
        for (int i = 0; i < n; i++)
            blocks[r * n + i] = value(rank, of_each ? r : 0, i);
    for (int i = 0; i < size * n; i++)
        if (blocks != to)
            to[i] = -1;
    if (round_of_all % 5 == 0 && round_of_all % size == rank)
        usleep(20 * (round_of_all % 3));
}

/* What came; and whatever others still read would be wrong now. */
static void verify(int *given, int n, int of_each)
{
    for (int i = 0; given != to && i < (of_each ? size : 1) * n; i++)
        given[i] = -2;
    for (int r = 0; r < size; r++)
        for (int i = 0; i < n; i++)
            CHECK_EQ(to[r * n + i], value(r, of_each ? rank : 0, i));
}

static void allgather(int n)
{
    prepare(from, n, 0);
    OK(MPI_Allgather(from, n, MPI_INT, to, n, MPI_INT, MPI_COMM_WORLD));
    verify(from, n, 0);
}

static void alltoall(int n)
{
    prepare(from, n, 1);
    OK(MPI_Alltoall(from, n, MPI_INT, to, n, MPI_INT, MPI_COMM_WORLD));
    verify(from, n, 1);
}

static void in_place(int n)
{
    prepare(to, n, 1);
    OK(MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, to, n, MPI_INT, MPI_COMM_WORLD));
    verify(to, n, 1);

    round_of_all++;
    for (int i = 0; i < n; i++)
        to[rank * n + i] = value(rank, 0, i);
    OK(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, to, n, MPI_INT, MPI_COMM_WORLD));
    verify(to, n, 0);
}

/* Every other int, here or there: what has gaps is given otherwise, and taken as ever. */
static void with_gaps(int n, int giver_has, int taker_has)
{
    MPI_Datatype gaps;
    int *wide = malloc(2 * (size_t)n * sizeof *wide), *blocks = malloc(2 * (size_t)n * size * sizeof *blocks);
    CHECK(wide && blocks);
    OK(MPI_Type_vector(n, 1, 2, MPI_INT, &gaps));
    OK(MPI_Type_commit(&gaps));
    MPI_Datatype resized;
    OK(MPI_Type_create_resized(gaps, 0, 2 * (MPI_Aint)n * (MPI_Aint)sizeof(int), &resized));
    OK(MPI_Type_commit(&resized));
    prepare(from, n, 0);
    for (int i = 0; i < n; i++)
        wide[2 * i] = from[i];
    memset(blocks, 0xff, 2 * (size_t)n * size * sizeof *blocks);
    OK(MPI_Allgather(giver_has ? wide : from, giver_has ? 1 : n, giver_has ? resized : MPI_INT,
                     taker_has ? blocks : to, taker_has ? 1 : n, taker_has ? resized : MPI_INT, MPI_COMM_WORLD));
    for (int i = 0; taker_has && i < size * n; i++) {
        to[i] = blocks[2 * i];
        CHECK_EQ(blocks[2 * i + 1], -1);
    }
    verify(from, n, 0);
    OK(MPI_Type_free(&gaps));
    OK(MPI_Type_free(&resized));
    free(wide);
    free(blocks);
}

/* One that has its block in allocated memory, where others can load it from, and one that has not. */
static void in_other_memory(int n)
{
    int *own = from, *allocated;
    OK(MPI_Alloc_mem(n * (MPI_Aint)sizeof(int), MPI_INFO_NULL, &allocated));
    for (int mover = 0; mover < size; mover++) {
        if (rank == mover)
            from = allocated;
        allgather(n);
        from = own;
    }
    OK(MPI_Free_mem(allocated));
}

static void all(int n)
{
    allgather(n);
    alltoall(n);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    from = malloc((size_t)size * MOST * sizeof *from);
    to = malloc((size_t)size * MOST * sizeof *to);
    CHECK(from && to);
    for (int s = 0; s < SIZES; s++) {
        int n = counts[s];
        for (int r = 0; r < (n < 40000 ? ROUNDS : ROUNDS / 6); r++)
            all(n);
        in_place(n);
        for (int both = 0; both < 4; both++)
            for (int r = 0; r < 4; r++)
                with_gaps(n, both & 1, both >> 1);
        /* At one process alone. */
        for (int r = 0; r < 4; r++)
            with_gaps(n, rank == r % size, rank == (r + 1) % size);
        in_other_memory(n);
    }
    for (int who = 0; who < 3; who++) {
        forbidden = who == 2 || rank == who;
        for (int s = 0; s < SIZES; s++)
            for (int r = 0; r < 10; r++)
                all(counts[s]);
    }
    forbidden = 0;
    all(MOST);
    free(from);
    free(to);
    return check_end();
}
