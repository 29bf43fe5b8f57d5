/* ranks: 2 3 8 16 */
/* Operations one behind the other in which some only give and are ahead of those that take: little and more in turn, roots that change or
 * stay, and members that come late. Nothing is written over that somebody is still to read. */
#include "check.h"
#include <time.h>

enum { OPERATIONS = 600, LONGEST = 40000, SEEDS = 3 };

static unsigned state;

/* The same in all processes. */
static unsigned next(unsigned below)
{
    state = state * 1103515245u + 12345u;
    return (state >> 8) % below;
}

static char byte(int operation, int from, int to, int i)
{
    return (char)(operation * 31 + from * 7 + to * 13 + i);
}

static void give(char *block, int len, int operation, int from, int to)
{
    for (int i = 0; i < len; i++)
        block[i] = byte(operation, from, to, i);
}

static void expect(const char *block, int len, int operation, int from, int to)
{
    for (int i = 0; i < len; i++)
        CHECK_EQ(block[i], byte(operation, from, to, i));
}

static void sleep_a_little(void)
{
    struct timespec time = {0, 200000};
    nanosleep(&time, NULL);
}

int main(int argc, char **argv)
{
    static const int lengths[] = {1, 8, 100, 112, 113, 1000, 4096, 8192, 8193, 16384, 20480, LONGEST};
    check_start(&argc, &argv);
    char *mine = malloc((size_t)size * LONGEST), *all = malloc((size_t)size * LONGEST);
    long number, sum;
    CHECK(mine != NULL && all != NULL);
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        MPI_Comm comm;
        int root = 0, len = 8, late = 0;
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
        state = seed;
        for (int k = 0; k < OPERATIONS; k++) {
            if (next(20) == 0)
                root = (int)next((unsigned)size);
            if (next(4) == 0)
                len = lengths[next(seed == 0 ? 4 : sizeof lengths / sizeof *lengths)];
            late = next(40) == 0 ? (int)next((unsigned)size) : -1;
            if (late == rank)
                sleep_a_little();
            switch (next(5)) {
            case 0:
                give(mine, len, k, root, 0);
                if (rank != root)
                    memset(mine, 99, (size_t)len);
                OK(MPI_Bcast(mine, len, MPI_CHAR, root, comm));
                expect(mine, len, k, root, 0);
                break;
            case 1:
                give(mine, len, k, rank, root);
                OK(MPI_Gather(mine, len, MPI_CHAR, all, len, MPI_CHAR, root, comm));
                for (int r = 0; rank == root && r < size; r++)
                    expect(all + r * len, len, k, r, root);
                break;
            case 2:
                for (int r = 0; r < size; r++)
                    give(all + r * len, len, k, root, r);
                OK(MPI_Scatter(all, len, MPI_CHAR, mine, len, MPI_CHAR, root, comm));
                expect(mine, len, k, root, rank);
                break;
            case 3:
                number = k + rank;
                OK(MPI_Reduce(&number, &sum, 1, MPI_LONG, MPI_SUM, root, comm));
                if (rank == root)
                    CHECK_EQ(sum, (long)k * size + size * (size - 1) / 2);
                break;
            default:
                if (next(8) > 0)
                    break;
                give(mine, len, k, rank, 0);
                OK(MPI_Allgather(mine, len, MPI_CHAR, all, len, MPI_CHAR, comm));
                for (int r = 0; r < size; r++)
                    expect(all + r * len, len, k, r, 0);
            }
        }
        OK(MPI_Comm_free(&comm));
    }
    free(mine);
    free(all);
    return check_end();
}
