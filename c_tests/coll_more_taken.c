/* ranks: 1 2 5 17; mpich: skip it copies what was not given, and hangs */
/* Gathers, scatters and allgathers with room for more than is given: what is given is taken, and the rest of the room stays as
 * it was. More than there is room for is an error for the process that it comes to, and for no other. */
#include "inter.h"

enum { MOST_RANKS = 17, FEW = 16, KEPT = -9 };
enum form { BLOCKING, NONBLOCKING, PERSISTENT, FORMS };

/* Blocks of `n` ints, of which `room` fit; the last two go in rounds, or straight from memory to memory. */
static const struct { int n, room; } sizes[] = {{0, 1}, {1, 2}, {3, 40}, {20, 21}, {700, 2000}, {10000, 40000}};
enum { SIZES = sizeof sizes / sizeof *sizes };

static int counts[MOST_RANKS], displs[MOST_RANKS], rooms[MOST_RANKS], places[MOST_RANKS];
static int *given, *taken;

static int value(int from, int to, int i)
{
    return from * 1000003 + to * 10007 + i * 7;
}

/* The call of a form. */
#define ALL_FORMS(form, name, ...)                                                                      \
    do {                                                                                                \
        MPI_Request request = MPI_REQUEST_NULL;                                                         \
        if (form == BLOCKING)                                                                           \
            OK(MPI_##name(__VA_ARGS__));                                                                \
        else if (form == NONBLOCKING)                                                                   \
            OK(MPI_I##name(__VA_ARGS__, &request));                                                     \
        else                                                                                            \
            OK(MPI_##name##_init(__VA_ARGS__, MPI_INFO_NULL, &request));                                \
        complete(form, &request);                                                                       \
    } while (0)
#define MPI_IGather MPI_Igather
#define MPI_IGatherv MPI_Igatherv
#define MPI_IScatter MPI_Iscatter
#define MPI_IScatterv MPI_Iscatterv
#define MPI_IAllgather MPI_Iallgather
#define MPI_IAllgatherv MPI_Iallgatherv

static void complete(enum form form, MPI_Request *request)
{
    for (int round = 0; form == PERSISTENT && round < 2; round++) {
        OK(MPI_Start(request));
        OK(MPI_Wait(request, MPI_STATUS_IGNORE));
    }
    if (form == PERSISTENT)
        OK(MPI_Request_free(request));
    OK(MPI_Wait(request, MPI_STATUS_IGNORE));
}

/* `blocks` blocks of `n` ints are given, and there is room for as many of `room`, each int with a gap if `step` is 2. */
static void prepare(int blocks, int n, int room, int step)
{
    given = malloc(((size_t)blocks * n + 1) * sizeof *given);
    taken = malloc(((size_t)blocks * room * step + 1) * sizeof *taken);
    CHECK(given != NULL && taken != NULL);
    for (int r = 0; r < blocks; r++)
        for (int i = 0; i < n; i++)
            given[r * n + i] = value(rank, r, i);
    for (int i = 0; i <= blocks * room * step; i++)
        taken[i] = KEPT;
    for (int r = 0; r < blocks; r++) {
        counts[r] = n;
        displs[r] = r * n;
        rooms[r] = room;
        places[r] = r * room;
    }
}

/* Block `block` of the room has what `from` gave to `to`, and nothing else. */
static void has(int block, int from, int to, int n, int room, int step)
{
    int *at = taken + (size_t)block * room * step;
    for (int i = 0; i < room * step; i++)
        CHECK_EQ(at[i], i % step == 0 && i / step < n ? value(from, to, i / step) : KEPT);
}

static void forget(int blocks, int room, int step)
{
    CHECK_EQ(taken[(size_t)blocks * room * step], KEPT);
    free(given);
    free(taken);
}

static void handed_on(MPI_Comm comm, int n, int room, MPI_Datatype type, int step)
{
    char lengths[100];
    prepare(size, n, room, step);
    snprintf(lengths, sizeof lengths, "gives %zu bytes where %zu are taken", n * sizeof(int), room * sizeof(int));
    CHECK_SENTENCE(MPI_Allgatherv(given, n, MPI_INT, taken, rooms, places, type, comm), MPI_ERR_COUNT, lengths);
    forget(size, room, step);
}

static void in_one_group(MPI_Comm comm, enum form form, int n, int room, MPI_Datatype type, int step)
{
    int root = size - 1;
    for (int v = 0; v < 2; v++) {
        prepare(size, n, room, step);
        if (v)
            ALL_FORMS(form, Gatherv, given, n, MPI_INT, taken, rooms, places, type, root, comm);
        else
            ALL_FORMS(form, Gather, given, n, MPI_INT, taken, room, type, root, comm);
        for (int r = 0; rank == root && r < size; r++)
            has(r, r, 0, n, room, step);
        forget(size, room, step);

        prepare(size, n, room, step);
        if (v)
            ALL_FORMS(form, Scatterv, given, counts, displs, MPI_INT, taken, room, type, root, comm);
        else
            ALL_FORMS(form, Scatter, given, n, MPI_INT, taken, room, type, root, comm);
        has(0, root, rank, n, room, step);
        forget(size, room, step);

        if (size > FEW && (v || form != BLOCKING)) {
            handed_on(comm, n, room, type, step);
            continue;
        }
        prepare(size, n, room, step);
        if (v)
            ALL_FORMS(form, Allgatherv, given, n, MPI_INT, taken, rooms, places, type, comm);
        else
            ALL_FORMS(form, Allgather, given, n, MPI_INT, taken, room, type, comm);
        for (int r = 0; r < size; r++)
            has(r, r, 0, n, room, step);
        forget(size, room, step);
    }
}

/* Between groups: each takes from the other; the root is the first process of the first group. */
static void between_groups(const struct inter *x, enum form form, int n, int room)
{
    int root = x->side ? 0 : x->rank ? MPI_PROC_NULL : MPI_ROOT;
    prepare(size, n, room, 1);
    ALL_FORMS(form, Allgather, given, n, MPI_INT, taken, room, MPI_INT, x->comm);
    for (int r = 0; r < x->remote; r++)
        has(r, inter_remote(x, r), 0, n, room, 1);
    forget(size, room, 1);

    prepare(size, n, room, 1);
    ALL_FORMS(form, Gather, given, n, MPI_INT, taken, room, MPI_INT, root, x->comm);
    for (int r = 0; root == MPI_ROOT && r < x->remote; r++)
        has(r, inter_remote(x, r), 0, n, room, 1);
    forget(size, room, 1);

    prepare(size, n, room, 1);
    ALL_FORMS(form, Scatter, given, n, MPI_INT, taken, room, MPI_INT, root, x->comm);
    if (x->side)
        has(0, 0, x->rank, n, room, 1);
    forget(size, room, 1);
}

/* One process has too little room: it gets an error, the others what they are given. */
static void too_little_room(MPI_Comm comm)
{
    for (int tight = 0; tight < size; tight++) {
        int room = rank == tight ? 1 : 2;
        prepare(size, 2, 2, 1);
        if (rank == tight) {
            CHECK_CLASS(MPI_Scatter(given, 2, MPI_INT, taken, room, MPI_INT, 0, comm), MPI_ERR_TRUNCATE);
        } else {
            OK(MPI_Scatter(given, 2, MPI_INT, taken, room, MPI_INT, 0, comm));
            has(0, 0, rank, 2, 2, 1);
        }
        CHECK_EQ(taken[2], KEPT);
        forget(size, 2, 1);

        prepare(size, 2, 2, 1);
        for (int r = 0; r < size; r++)
            rooms[r] = rank == 0 && r == tight ? 1 : 2;
        if (rank == 0) {
            CHECK_CLASS(MPI_Gatherv(given, 2, MPI_INT, taken, rooms, places, MPI_INT, 0, comm), MPI_ERR_TRUNCATE);
            for (int r = 0; r < size; r++)
                if (r != tight)
                    has(r, r, 0, 2, 2, 1);
            CHECK_EQ(taken[2 * tight + 1], KEPT);
        } else {
            OK(MPI_Gatherv(given, 2, MPI_INT, taken, rooms, places, MPI_INT, 0, comm));
        }
        forget(size, 2, 1);
    }
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    MPI_Datatype gaps;
    check_start(&argc, &argv);
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    OK(MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &gaps));
    OK(MPI_Type_commit(&gaps));
    for (int form = 0; form < FORMS; form++)
        for (int i = 0; i < SIZES; i++) {
            in_one_group(comm, (enum form)form, sizes[i].n, sizes[i].room, MPI_INT, 1);
            in_one_group(comm, (enum form)form, sizes[i].n, sizes[i].room, gaps, 2);
        }
    too_little_room(comm);
    if (size > 1) {
        struct inter x = inter_make(size / 2);
        for (int form = 0; form < FORMS; form++)
            for (int i = 0; i < SIZES; i++)
                between_groups(&x, (enum form)form, sizes[i].n, sizes[i].room);
        inter_free(&x);
    }
    OK(MPI_Type_free(&gaps));
    OK(MPI_Comm_free(&comm));
    return check_end();
}
