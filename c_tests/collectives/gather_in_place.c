/* ranks: 2 3 8; wrong: in the last part counts differ, for the error that is to be told */
/* Gather and Gatherv into allocated memory and into any other, also where the kernel forbids to write there: long blocks, long and short ones
 * together, none at all, blocks with gaps at the root or at one that gives, and counts that differ. */
#define _GNU_SOURCE
#include "check.h"
#include <errno.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { MOST = 300000, SPACE = 5 };
static int *one, *all, counts[8], displs[8];
static int forbidden;

/* The library calls this one, and not that of the system's library. */
ssize_t process_vm_writev(pid_t pid, const struct iovec *here, unsigned long count, const struct iovec *there,
                          unsigned long there_count, unsigned long flags)
{
    if (forbidden) {
        errno = EPERM;
        return -1;
    }
    return syscall(SYS_process_vm_writev, pid, here, count, there, there_count, flags);
}

static int want(int from, int i)
{
    return from * 1000000 + i;
}

/* Blocks of counts[i] at displs[i], every `stride`th element, and nothing else was touched. */
static void check_all(int stride)
{
    int at = 0;
    for (int r = 0; r < size; r++) {
        for (; at < displs[r]; at++)
            CHECK_EQ(all[at], -1);
        for (int i = 0; i < counts[r] * stride; i++, at++)
            CHECK_EQ(all[at], i % stride ? -1 : want(r, i / stride));
    }
    for (; at < 8 * MOST; at++)
        CHECK_EQ(all[at], -1);
}

/* Process r gives counts[r]. */
static void prepare(int stride)
{
    int at = 0;
    for (int r = 0; r < size; r++) {
        displs[r] = at;
        at += counts[r] * stride + SPACE;
    }
    memset(all, 0xff, 8 * MOST * sizeof(int));
    for (int i = 0; i < counts[rank]; i++)
        one[i] = want(rank, i);
}

static void gather(int root, int in_place, MPI_Datatype at_root, int stride)
{
    void *from = one;
    prepare(stride);
    if (in_place && rank == root) {
        memcpy(all + displs[rank], one, counts[rank] * sizeof(int));
        from = MPI_IN_PLACE;
    }
    for (int r = 0; r < size; r++)
        displs[r] /= stride;
    OK(MPI_Gatherv(from, counts[rank], MPI_INT, all, counts, displs, at_root, root, MPI_COMM_WORLD));
    for (int r = 0; r < size; r++)
        displs[r] *= stride;
    if (rank == root)
        check_all(stride);
}

/* Every other int of a process's: its block is no run of bytes. */
static void gather_gaps(int root, int n)
{
    MPI_Datatype gaps;
    int *wide = malloc(2 * (size_t)n * sizeof *wide);
    CHECK(wide != NULL);
    OK(MPI_Type_vector(n, 1, 2, MPI_INT, &gaps));
    OK(MPI_Type_commit(&gaps));
    for (int r = 0; r < size; r++)
        counts[r] = n;
    prepare(1);
    for (int i = 0; i < n; i++)
        wide[2 * i] = one[i];
    OK(MPI_Gatherv(wide, 1, gaps, all, counts, displs, MPI_INT, root, MPI_COMM_WORLD));
    if (rank == root)
        check_all(1);
    OK(MPI_Type_free(&gaps));
    free(wide);
}

/* One process gives more, or less, than the root takes: it is told, and the others' blocks come. */
static void differ(int from, int root, int given, int taken)
{
    for (int r = 0; r < size; r++)
        counts[r] = 6000;
    counts[from] = rank == from ? given : taken;
    prepare(1);
    int code = MPI_Gatherv(one, counts[rank], MPI_INT, all, counts, displs, MPI_INT, root, MPI_COMM_WORLD);
    if (rank == root) {
        CHECK_CLASS(code, given > taken ? MPI_ERR_TRUNCATE : MPI_ERR_COUNT);
        for (int r = 0; r < size; r++)
            for (int i = 0; r != from && i < counts[r]; i++)
                CHECK_EQ(all[displs[r] + i], want(r, i));
        CHECK_EQ(all[displs[from] + taken], -1);
    } else {
        OK(code);
    }
    barrier();
}

static void gathers(MPI_Datatype apart)
{
    for (int root = 0; root < size; root += size - 1) {
        for (int in_place = 0; in_place < 2; in_place++) {
            for (int n = 2000; n < MOST; n = n * 5 + 1) {
                for (int r = 0; r < size; r++)
                    counts[r] = n;
                gather(root, in_place, MPI_INT, 1);
                for (int r = 0; r < size; r++)
                    counts[r] = (r + n) % 3 == 0 ? n : (r + n) % 3 == 1 ? n / 7 : 0;
                gather(root, in_place, MPI_INT, 1);
            }
        }
        for (int r = 0; r < size; r++)
            counts[r] = 5000 + r;
        gather(root, 0, apart, SPACE);
        gather_gaps(root, 4000);
        gather_gaps(root, 200000);
    }
}

int main(int argc, char **argv)
{
    MPI_Datatype apart;
    check_start(&argc, &argv);
    OK(MPI_Type_create_resized(MPI_INT, 0, SPACE * sizeof(int), &apart));
    OK(MPI_Type_commit(&apart));
    one = malloc(MOST * sizeof(int));
    all = malloc(8 * MOST * sizeof(int));
    CHECK(one && all);
    gathers(apart);
    /* For every other one. */
    forbidden = rank % 2;
    gathers(apart);
    forbidden = 0;
    free(one);
    free(all);
    OK(MPI_Alloc_mem(MOST * sizeof(int), MPI_INFO_NULL, &one));
    OK(MPI_Alloc_mem(8 * MOST * sizeof(int), MPI_INFO_NULL, &all));
    gathers(apart);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
#ifdef RMASHM
    differ(size - 1, 0, 5000, 5005);
    differ(size - 1, 0, 5005, 5000);
    differ(size - 1, 0, 10, 5000);
    differ(0, size - 1, 50000, 20);
#endif
    OK(MPI_Type_free(&apart));
    OK(MPI_Free_mem(one));
    OK(MPI_Free_mem(all));
    return check_end();
}
