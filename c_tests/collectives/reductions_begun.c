/* ranks: 2 3 8 16 20 */
/* MPI_Ireduce, MPI_Ireduce_scatter, MPI_Ireduce_scatter_block and what begins them again, of little and of much: to every root, to parts of any length and of
 * none, in place, several at a time on one communicator, by ranks that come late. */
#include "begun.h"

enum { AT_ONCE = 6, TIMES = 7, LONGEST = 70000 };

static const int lengths[] = {1, 33, 4095, 4096, 16385, 33000, LONGEST};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

enum way { TO_ROOT, IN_PARTS, IN_BLOCKS, WAYS };

/* One reduction: what this rank gives and gets, and how it is shared out. */
struct reduction {
    enum way way;
    int root, total, in_place;
    int *parts;
    long *given, *got;
};

static struct reduction all[AT_ONCE];

/* Parts that differ, of which some are empty; the last one has the rest. */
static void share_out(struct reduction *one, int turn)
{
    int left = one->total;
    for (int r = 0; r < size; r++) {
        int part = one->way == IN_BLOCKS ? one->total / size : (r + turn) % 3 == 0 ? 0 : left / (1 + (r + turn) % 5);
        one->parts[r] = r == size - 1 && one->way == IN_PARTS ? left : part;
        left -= one->parts[r];
    }
}

static void prepare(int which, enum way way, int turn)
{
    struct reduction *one = all + which;
    one->way = way;
    one->root = (turn + which) % size;
    one->in_place = (turn + which) % 4 == 1;
    one->total = lengths[(turn + 2 * which) % LENGTHS];
    if (way == IN_BLOCKS)
        one->total += size - one->total % size;
    share_out(one, turn);
}

static void give(int which, int turn)
{
    struct reduction *one = all + which;
    for (int i = 0; i < one->total; i++) {
        one->given[i] = value(rank, which, turn, i);
        one->got[i] = one->in_place ? one->given[i] : -5;
    }
    one->got[one->total] = -5;
}

static void begin(int which, int is_persistent, MPI_Request *request)
{
    struct reduction *one = all + which;
    MPI_Comm comm = MPI_COMM_WORLD;
    int is_here = one->way != TO_ROOT || rank == one->root;
    const void *from = one->in_place && is_here ? MPI_IN_PLACE : (void *)one->given;
    long *to = is_here ? one->got : NULL;
    if (one->way == TO_ROOT && is_persistent)
        OK(MPI_Reduce_init(from, to, one->total, MPI_LONG, MPI_SUM, one->root, comm, MPI_INFO_NULL, request));
    else if (one->way == TO_ROOT)
        OK(MPI_Ireduce(from, to, one->total, MPI_LONG, MPI_SUM, one->root, comm, request));
    else if (one->way == IN_PARTS && is_persistent)
        OK(MPI_Reduce_scatter_init(from, to, one->parts, MPI_LONG, MPI_SUM, comm, MPI_INFO_NULL, request));
    else if (one->way == IN_PARTS)
        OK(MPI_Ireduce_scatter(from, to, one->parts, MPI_LONG, MPI_SUM, comm, request));
    else if (is_persistent)
        OK(MPI_Reduce_scatter_block_init(from, to, one->total / size, MPI_LONG, MPI_SUM, comm, MPI_INFO_NULL, request));
    else
        OK(MPI_Ireduce_scatter_block(from, to, one->total / size, MPI_LONG, MPI_SUM, comm, request));
}

/* What this rank gets is right, what it gives is as it was, and nothing behind is touched. */
static void expect(int which, int turn)
{
    struct reduction *one = all + which;
    int first = 0, count = rank == one->root ? one->total : 0;
    if (one->way != TO_ROOT) {
        count = one->parts[rank];
        for (int r = 0; r < rank; r++)
            first += one->parts[r];
    }
    for (int i = 0; i < count; i++) {
        long sum = 0;
        for (int r = 0; r < size; r++)
            sum += value(r, which, turn, first + i);
        CHECK_EQ(one->got[i], sum);
    }
    /* In place, the rest of what was given may be anything. */
    if (!one->in_place)
        CHECK_EQ(one->got[count], -5);
    CHECK_EQ(one->got[one->total], -5);
    for (int i = 0; i < one->total; i++)
        CHECK_EQ(one->given[i], value(rank, which, turn, i));
}

static void at_once(void)
{
    for (int turn = 0; turn < TIMES; turn++) {
        MPI_Request requests[AT_ONCE];
        sleep_a_little(turn);
        for (int which = 0; which < AT_ONCE; which++) {
            prepare(which, (enum way)((which + turn) % WAYS), turn);
            give(which, turn);
            begin(which, 0, requests + which);
        }
        for (int k = 0; k < AT_ONCE; k++)
            OK(MPI_Wait(requests + (k * 5 + turn + rank) % AT_ONCE, MPI_STATUS_IGNORE));
        for (int which = 0; which < AT_ONCE; which++)
            expect(which, turn);
    }
}

static void again(enum way way, int length)
{
    MPI_Request requests[2];
    for (int which = 0; which < 2; which++) {
        prepare(which, way, length);
        begin(which, 1, requests + which);
    }
    for (int turn = 0; turn < 4; turn++) {
        sleep_a_little(turn);
        give(0, turn);
        give(1, turn);
        OK(MPI_Startall(2, requests));
        OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        expect(0, turn);
        expect(1, turn);
    }
    for (int which = 0; which < 2; which++)
        OK(MPI_Request_free(requests + which));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    for (int which = 0; which < AT_ONCE; which++) {
        all[which].given = malloc((LONGEST + size + 1) * sizeof(long));
        all[which].got = malloc((LONGEST + size + 1) * sizeof(long));
        all[which].parts = malloc(size * sizeof(int));
        CHECK(all[which].given != NULL && all[which].got != NULL && all[which].parts != NULL);
    }
    at_once();
    for (int way = 0; way < WAYS; way++)
        for (int length = 2; length < 7; length++)
            again((enum way)way, length);
    for (int which = 0; which < AT_ONCE; which++) {
        free(all[which].given);
        free(all[which].got);
        free(all[which].parts);
    }
    return check_end();
}
