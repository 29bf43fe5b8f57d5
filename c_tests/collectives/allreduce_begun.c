/* ranks: 2 3 8 16 20 */
/* MPI_Iallreduce and MPI_Allreduce_init of little and of much that lies in memory which all see meanwhile: in one round and several, with a rest, in
 * place, several at a time on one communicator and on two, begun in one order and waited for in another, by ranks that come late. */
#include "begun.h"

enum { AT_ONCE = 6, TIMES = 6, LONGEST = 70000 };

static const int counts[] = {1, 4095, 4096, 4097, 16384, 16385, 33000, LONGEST};
enum { COUNTS = sizeof counts / sizeof *counts };

static MPI_Comm other;
static long *given[AT_ONCE], *got[AT_ONCE];

static void give(long *where, int which, int turn, int count)
{
    for (int i = 0; i < count; i++)
        where[i] = value(rank, which, turn, i);
    where[count] = -5;
}

static void expect(const long *where, int which, int turn, int count, MPI_Op op)
{
    for (int i = 0; i < count; i++) {
        long sum = 0;
        for (int r = 0; r < size; r++)
            sum += value(r, which, turn, i);
        CHECK_EQ(where[i], op == MPI_SUM ? sum : value(size - 1, which, turn, i));
    }
    CHECK_EQ(where[count], -5);
}

/* Several are under way, each with its own length. */
static void at_once(void)
{
    for (int turn = 0; turn < TIMES; turn++) {
        MPI_Request requests[AT_ONCE];
        sleep_a_little(turn);
        for (int k = 0; k < AT_ONCE; k++) {
            int count = counts[(turn + k) % COUNTS];
            MPI_Comm comm = k % 2 ? other : MPI_COMM_WORLD;
            MPI_Op op = k % 3 ? MPI_SUM : MPI_MAX;
            give(given[k], k, turn, count);
            give(got[k], k, turn, count);
            OK(MPI_Iallreduce(k == 4 ? MPI_IN_PLACE : (void *)given[k], got[k], count, MPI_LONG, op, comm, requests + k));
        }
        for (int k = 0; k < AT_ONCE; k++) {
            int which = (k * 5 + turn + rank) % AT_ONCE;
            OK(MPI_Wait(requests + which, MPI_STATUS_IGNORE));
        }
        for (int k = 0; k < AT_ONCE; k++) {
            int count = counts[(turn + k) % COUNTS];
            expect(got[k], k, turn, count, k % 3 ? MPI_SUM : MPI_MAX);
            if (k != 4)
                for (int i = 0; i < count; i++)
                    CHECK_EQ(given[k][i], value(rank, k, turn, i));
        }
    }
}

static void persistent(int count)
{
    MPI_Request requests[2];
    for (int k = 0; k < 2; k++)
        OK(MPI_Allreduce_init(k ? MPI_IN_PLACE : (void *)given[k], got[k], count, MPI_LONG, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, requests + k));
    for (int turn = 0; turn < 5; turn++) {
        sleep_a_little(turn);
        for (int k = 0; k < 2; k++) {
            give(given[k], k, turn, count);
            give(got[k], k, turn, count);
        }
        OK(MPI_Startall(2, requests));
        OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        expect(got[0], 0, turn, count, MPI_SUM);
        expect(got[1], 1, turn, count, MPI_SUM);
    }
    for (int k = 0; k < 2; k++)
        OK(MPI_Request_free(requests + k));
}

/* The order of ranks is the same for all, and elements are of other sizes. */
static void other_elements(int count)
{
    MPI_Request requests[3];
    double *parts = malloc(2 * count * sizeof *parts), *sums = parts + count;
    double *all = malloc((size_t)size * count * sizeof *all);
    struct pair { double value; int index; } *least = malloc(2 * count * sizeof *least), *found = least + count;
    unsigned char *bits = malloc(16 * count), *both = bits + 8 * count;
    CHECK(parts != NULL && all != NULL && least != NULL && bits != NULL);
    for (int i = 0; i < count; i++) {
        parts[i] = 1.0 / (1 + rank * 3 + i % 1000);
        least[i] = (struct pair){(rank + i) % size, rank};
    }
    for (int i = 0; i < 8 * count; i++)
        bits[i] = (unsigned char)(0xff - (1 << (rank + i) % 8));
    OK(MPI_Iallreduce(parts, sums, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, requests));
    OK(MPI_Iallreduce(least, found, count, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD, requests + 1));
    OK(MPI_Iallreduce(bits, both, 8 * count, MPI_BYTE, MPI_BAND, MPI_COMM_WORLD, requests + 2));
    OK(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE));
    OK(MPI_Allgather(sums, count, MPI_DOUBLE, all, count, MPI_DOUBLE, MPI_COMM_WORLD));
    for (int r = 0; r < size; r++)
        CHECK(memcmp(all + (size_t)r * count, sums, count * sizeof *sums) == 0);
    for (int i = 0; i < count; i++) {
        CHECK(found[i].value == 0 && found[i].index == (size - i % size) % size);
        double about = 0;
        for (int r = 0; r < size; r++)
            about += 1.0 / (1 + r * 3 + i % 1000);
        CHECK(about - sums[i] < 1e-12 && sums[i] - about < 1e-12);
    }
    for (int i = 0; i < 8 * count; i++) {
        unsigned wanted = 0xff;
        for (int r = 0; r < size; r++)
            wanted &= 0xff - (1 << (r + i) % 8);
        CHECK_EQ(both[i], (unsigned char)wanted);
    }
    free(parts);
    free(all);
    free(least);
    free(bits);
}

/* Elements of more than goes at a time; other libraries refuse predefined operations on them. */
#ifdef RMASHM
static void large_elements(int count)
{
    enum { ELEMENT = 25000 };
    MPI_Datatype large;
    MPI_Request request;
    CHECK(count * ELEMENT + 1 <= (LONGEST + 1) * 2);
    OK(MPI_Type_contiguous(ELEMENT, MPI_LONG, &large));
    OK(MPI_Type_commit(&large));
    give(given[0], 0, count, count * ELEMENT);
    give(got[0], 0, count, count * ELEMENT);
    OK(MPI_Iallreduce(given[0], got[0], count, large, MPI_SUM, MPI_COMM_WORLD, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    expect(got[0], 0, count, count * ELEMENT, MPI_SUM);
    OK(MPI_Type_free(&large));
}
#endif

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &other));
    for (int k = 0; k < AT_ONCE; k++) {
        given[k] = malloc((LONGEST + 1) * 2 * sizeof(long));
        got[k] = malloc((LONGEST + 1) * 2 * sizeof(long));
        CHECK(given[k] != NULL && got[k] != NULL);
    }
    at_once();
    for (int i = 0; i < COUNTS; i += 3)
        persistent(counts[i]);
    other_elements(4096);
    other_elements(20001);
#ifdef RMASHM
    large_elements(1);
    large_elements(5);
#endif
    OK(MPI_Comm_free(&other));
    for (int k = 0; k < AT_ONCE; k++) {
        free(given[k]);
        free(got[k]);
    }
    return check_end();
}
