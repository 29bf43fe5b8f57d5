/* ranks: 1 2 3 5 8 17 */
/* Gather, scatter, allgather, all to all and reduce_scatter of blocks of different lengths, many one after another: none, little
 * that goes by notes, in pieces, and much that goes by messages, also mixed in one operation; every root, in place, on two
 * communicators in turn, with processes that come late. */
#include "check.h"
#include <string.h>
#include <unistd.h>

enum { MOST = 70000, RANKS = 17 };

static const int lengths[] = {0, 1, 8, 100, 511, 4096, 8100, 8192, 8193, 16384, 40000, MOST};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static unsigned char *here, *there;
static int counts[RANKS], displs[RANKS], incounts[RANKS], indispls[RANKS];
static MPI_Comm comms[2];
static unsigned step;

/* Byte i of what `from` gives `to`. */
static unsigned char byte(int from, int to, int i)
{
    return (unsigned char)(step * 31 + from * 17 + to * 5 + i * 7 + i / 251);
}

static MPI_Comm next(void)
{
    if (++step % 61 == (unsigned)rank)
        usleep(2000);
    return comms[step % 2];
}

static void write_block(unsigned char *block, int from, int to, int length)
{
    for (int i = 0; i < length; i++)
        block[i] = byte(from, to, i);
}

static void check_block(const unsigned char *block, int from, int to, int length)
{
    for (int i = 0; i < length; i++)
        CHECK_EQ(block[i], byte(from, to, i));
}

/* The length of the block of process r: all alike, or of different ones that begin at `l`. */
static int length_of(int l, int r, int alike)
{
    return lengths[alike ? l : (l + r * 5) % LENGTHS];
}

static void lay_out(int l, int alike)
{
    for (int r = 0, at = 0; r < size; r++) {
        counts[r] = length_of(l, r, alike);
        displs[r] = at;
        at += counts[r] + 3;
    }
}

static void check_all(int to)
{
    for (int r = 0; r < size; r++) {
        check_block(there + displs[r], r, to, counts[r]);
        for (int i = 0; i < 3; i++)
            CHECK_EQ(there[displs[r] + counts[r] + i], 0xee);
    }
}

static void gather(int l, int root, int alike)
{
    MPI_Comm comm = next();
    int in_place = rank == root && step % 3 == 0, n;
    lay_out(l, alike);
    n = counts[rank];
    write_block(here, rank, root, n);
    memset(there, 0xee, (size_t)size * (MOST + 3));
    if (in_place)
        write_block(there + displs[rank], rank, root, n);
    OK(MPI_Gatherv(in_place ? MPI_IN_PLACE : (void *)here, n, MPI_BYTE, there, counts, displs, MPI_BYTE, root, comm));
    if (rank == root)
        check_all(root);
    if (alike) {
        write_block(here, rank, root, n);
        OK(MPI_Gather(here, n, MPI_BYTE, there, n, MPI_BYTE, root, comm));
        for (int r = 0; rank == root && r < size; r++)
            check_block(there + (size_t)r * n, r, root, n);
    }
}

static void scatter(int l, int root, int alike)
{
    MPI_Comm comm = next();
    int in_place = rank == root && step % 3 == 0, n;
    lay_out(l, alike);
    n = counts[rank];
    for (int r = 0; r < size; r++)
        write_block(there + displs[r], root, r, counts[r]);
    memset(here, 0xee, MOST + 1);
    OK(MPI_Scatterv(there, counts, displs, MPI_BYTE, in_place ? MPI_IN_PLACE : (void *)here, n, MPI_BYTE, root, comm));
    if (!in_place)
        check_block(here, root, rank, n);
    CHECK_EQ(here[n], 0xee);
    if (alike) {
        for (int r = 0; r < size; r++)
            write_block(there + (size_t)r * n, root, r, n);
        OK(MPI_Scatter(there, n, MPI_BYTE, here, n, MPI_BYTE, root, comm));
        check_block(here, root, rank, n);
    }
}

static void allgather(int l, int alike)
{
    MPI_Comm comm = next();
    int in_place = step % 3 == 0;
    lay_out(l, alike);
    write_block(here, rank, 0, counts[rank]);
    memset(there, 0xee, (size_t)size * (MOST + 3));
    if (in_place)
        write_block(there + displs[rank], rank, 0, counts[rank]);
    OK(MPI_Allgatherv(in_place ? MPI_IN_PLACE : (void *)here, counts[rank], MPI_BYTE, there, counts, displs, MPI_BYTE,
                      comm));
    check_all(0);
}

/* Blocks of different lengths; in place they are the same both ways. */
static void alltoall(int l, int in_place)
{
    MPI_Comm comm = next();
    for (int r = 0, at = 0, inat = 0; r < size; r++) {
        counts[r] = in_place ? length_of(l, rank + r, 0) : length_of(l, 2 * rank + r, 0);
        incounts[r] = in_place ? counts[r] : length_of(l, 2 * r + rank, 0);
        displs[r] = at;
        indispls[r] = inat;
        at += counts[r];
        inat += incounts[r] + 3;
    }
    memset(there, 0xee, (size_t)size * (MOST + 3));
    for (int r = 0; r < size; r++)
        write_block(in_place ? there + indispls[r] : here + displs[r], rank, r, counts[r]);
    OK(MPI_Alltoallv(in_place ? MPI_IN_PLACE : (void *)here, counts, displs, MPI_BYTE, there, incounts, indispls, MPI_BYTE,
                     comm));
    for (int r = 0; r < size; r++) {
        check_block(there + indispls[r], r, rank, incounts[r]);
        CHECK_EQ(there[indispls[r] + incounts[r]], 0xee);
    }
}

/* `n` elements in all, the last process gets most. */
static void reduce_scatter(int n)
{
    MPI_Comm comm = next();
    int *in = (int *)here, *out = (int *)there, first = 0, in_place = step % 2;
    for (int r = 0, left = n; r < size; r++) {
        counts[r] = r + 1 == size ? left : left / 3;
        left -= counts[r];
        first += r < rank ? counts[r] : 0;
    }
    for (int i = 0; i < n; i++)
        (in_place ? out : in)[i] = rank * 1000 + i;
    OK(MPI_Reduce_scatter(in_place ? MPI_IN_PLACE : (void *)in, out, counts, MPI_INT, MPI_SUM, comm));
    for (int i = 0; i < counts[rank]; i++)
        CHECK_EQ(out[i], size * (size - 1) / 2 * 1000 + size * (first + i));
    n /= size;
    for (int i = 0; i < n * size; i++)
        in[i] = rank * 1000 + i;
    OK(MPI_Reduce_scatter_block(in, out, n, MPI_INT, MPI_SUM, comm));
    for (int i = 0; i < n; i++)
        CHECK_EQ(out[i], size * (size - 1) / 2 * 1000 + size * (rank * n + i));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    here = malloc((size_t)size * (MOST + 3));
    there = malloc((size_t)size * (MOST + 3));
    comms[0] = MPI_COMM_WORLD;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]));
    for (int l = 0; l < LENGTHS; l++) {
        for (int alike = 0; alike < 2; alike++) {
            for (int root = 0; root < size; root += 1 + size / 4) {
                gather(l, root, alike);
                scatter(l, root, alike);
            }
            allgather(l, alike);
            alltoall(l, alike);
        }
        reduce_scatter(lengths[l] / 4);
    }
    /* One process gives all the time, and is far ahead. */
    for (int i = 0; i < 300; i++) {
        scatter(i % 5, 0, 1);
        gather(i % 7, size - 1, 0);
    }
    OK(MPI_Comm_free(&comms[1]));
    free(here);
    free(there);
    return check_end();
}
