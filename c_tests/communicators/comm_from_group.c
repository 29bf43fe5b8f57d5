/* ranks: 1 2 4 8 */
/* MPI_Comm_create_from_group, and the tags of MPI_Comm_create_group; threads that make communicators at the same time. */
#include "check.h"
#include <pthread.h>

static MPI_Group part(int first, int last, int stride)
{
    MPI_Group world, group;
    int range[1][3] = {{first, last, stride}};
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_range_incl(world, 1, range, &group));
    OK(MPI_Group_free(&world));
    return group;
}

/* comm has the processes of group, in its order, and works. */
static void is_of(MPI_Comm comm, MPI_Group group)
{
    MPI_Group members;
    int result = -1, n, one = 1, sum;
    OK(MPI_Comm_group(comm, &members));
    OK(MPI_Group_compare(members, group, &result));
    CHECK_EQ(result, MPI_IDENT);
    OK(MPI_Group_size(group, &n));
    OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK_EQ(sum, n);
    OK(MPI_Group_free(&members));
}

static void groups(void)
{
    MPI_Comm comm, other;
    MPI_Info info, used;
    MPI_Errhandler handler;
    char text[32];
    int flag;
    MPI_Group all = part(size - 1, 0, -1), mine = part(rank % 2, size - 1, 2);
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "mpi_assert_no_any_source", "true"));
    OK(MPI_Comm_create_from_group(all, "all", info, MPI_ERRORS_RETURN, &comm));
    OK(MPI_Info_free(&info));
    is_of(comm, all);
    OK(MPI_Comm_get_errhandler(comm, &handler));
    CHECK(handler == MPI_ERRORS_RETURN);
    OK(MPI_Comm_get_info(comm, &used));
    OK(MPI_Info_get(used, "mpi_assert_no_any_source", 31, text, &flag));
    CHECK(flag && strcmp(text, "true") == 0);
    OK(MPI_Info_free(&used));
    /* Odd and even ones at the same time, with the same tag. */
    OK(MPI_Comm_create_from_group(mine, "all", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &other));
    is_of(other, mine);
    OK(MPI_Comm_free(&other));
    OK(MPI_Comm_free(&comm));
    /* The same again and again. */
    for (int i = 0; i < 20; i++) {
        OK(MPI_Comm_create_from_group(all, "again", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
        is_of(comm, all);
        OK(MPI_Comm_free(&comm));
    }
    OK(MPI_Comm_create_from_group(MPI_GROUP_EMPTY, "x", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    CHECK(comm == MPI_COMM_NULL);
    OK(MPI_Group_free(&all));
    OK(MPI_Group_free(&mine));
}

/* Pairs along a chain, each with the leader that is busy with the pair before: more than any fixed number of places. */
static void chain(void)
{
    MPI_Comm comm;
    for (int round = 0; round < 10; round++)
        for (int turn = 0; turn < 2; turn++) {
            int first = rank - 1 + turn;
            if (first < 0 || first + 1 >= size)
                continue;
            MPI_Group pair = part(first, first + 1, 1);
            OK(MPI_Comm_create_group(MPI_COMM_WORLD, pair, round % 2, &comm));
            is_of(comm, pair);
            OK(MPI_Comm_free(&comm));
            OK(MPI_Group_free(&pair));
        }
}

static int calls, last_class;

static void handle(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    calls++;
    MPI_Error_class(*code, &last_class);
}

static void errors(void)
{
#ifdef RMASHM
    MPI_Comm comm;
    MPI_Errhandler handler;
    char tag[MPI_MAX_STRINGTAG_LEN + 1];
    memset(tag, 'x', sizeof tag);
    tag[MPI_MAX_STRINGTAG_LEN] = 0;
    OK(MPI_Comm_create_errhandler(handle, &handler));
    MPI_Group me = part(rank, rank, 1);
    CHECK_CLASS(MPI_Comm_create_from_group(MPI_GROUP_NULL, "x", MPI_INFO_NULL, handler, &comm), MPI_ERR_GROUP);
    CHECK_EQ(calls, 1);
    CHECK_EQ(last_class, MPI_ERR_GROUP);
    CHECK_CLASS(MPI_Comm_create_from_group(me, NULL, MPI_INFO_NULL, handler, &comm), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_create_from_group(me, tag, MPI_INFO_NULL, handler, &comm), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_create_from_group(me, "x", MPI_INFO_NULL, handler, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_create_from_group(me, "x", (MPI_Info)0x12345, handler, &comm), MPI_ERR_INFO);
    CHECK_EQ(calls, 5);
    tag[MPI_MAX_STRINGTAG_LEN - 1] = 0;
    OK(MPI_Comm_create_from_group(me, tag, MPI_INFO_NULL, handler, &comm));
    is_of(comm, me);
    OK(MPI_Comm_free(&comm));
    if (size > 1) {
        MPI_Group other = part((rank + 1) % size, (rank + 1) % size, 1);
        CHECK_CLASS(MPI_Comm_create_from_group(other, "x", MPI_INFO_NULL, handler, &comm), MPI_ERR_GROUP);
        OK(MPI_Group_free(&other));
    }
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    CHECK_CLASS(MPI_Comm_create_from_group(me, "x", MPI_INFO_NULL, MPI_ERRHANDLER_NULL, &comm), MPI_ERR_ERRHANDLER);
    OK(MPI_Group_free(&me));
    OK(MPI_Errhandler_free(&handler));
#else
    (void)handle;
    (void)calls;
    (void)last_class;
#endif
}

/* What a process may give wrongly, and the others are to hear of. */
enum { NO_INFO, BAD_KINDS, NO_HANDLER, NO_PLACE, WRONGS };

static const int WRONG_CLASS[] = { MPI_ERR_INFO, MPI_ERR_INFO_VALUE, MPI_ERR_ERRHANDLER, MPI_ERR_ARG };

/* One process gives something wrong: it gets the error of that, all others MPI_ERR_OTHER, and nobody waits. */
static void one_is_wrong(void)
{
#ifdef RMASHM
    MPI_Group all = part(0, size - 1, 1), halves[2], local;
    MPI_Info malformed;
    int half = size / 2, side = rank >= half;
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Info_create(&malformed));
    OK(MPI_Info_set(malformed, "mpi_assert_memory_alloc_kinds", "mpi,,"));
    halves[0] = half > 0 ? part(0, half - 1, 1) : MPI_GROUP_EMPTY;
    halves[1] = part(half, size - 1, 1);
    local = halves[side];
    for (int wrong = 0; wrong < WRONGS; wrong++)
        for (int who = 0; who < size; who += size > 2 ? size / 2 - 1 : 1) {
            MPI_Comm comm, *place = &comm;
            MPI_Info info = MPI_INFO_NULL;
            MPI_Errhandler handler = MPI_ERRORS_RETURN;
            int class = rank == who ? WRONG_CLASS[wrong] : MPI_ERR_OTHER;
            if (rank == who) {
                info = wrong == NO_INFO ? (MPI_Info)0x12345 : wrong == BAD_KINDS ? malformed : info;
                handler = wrong == NO_HANDLER ? MPI_ERRHANDLER_NULL : handler;
                place = wrong == NO_PLACE ? NULL : place;
            }
            CHECK_CLASS(MPI_Comm_create_from_group(all, "one", info, handler, place), class);
            if (half > 0)
                CHECK_CLASS(MPI_Intercomm_create_from_groups(local, 0, halves[!side], 0, "two", info, handler, place),
                            class);
            if (wrong == NO_PLACE)
                CHECK_CLASS(MPI_Comm_create_group(MPI_COMM_WORLD, all, 3, place), class);
            OK(MPI_Comm_create_from_group(all, "one", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
            is_of(comm, all);
            OK(MPI_Comm_free(&comm));
        }
    /* A leader that knows no other group tells its own at least. */
    if (half > 0 && side == 0) {
        MPI_Comm comm;
        CHECK_CLASS(MPI_Intercomm_create_from_groups(local, 0, rank ? halves[1] : MPI_GROUP_NULL, 0, "three",
                                                     MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm),
                    rank ? MPI_ERR_OTHER : MPI_ERR_GROUP);
    }
    OK(MPI_Info_free(&malformed));
    OK(MPI_Group_free(&all));
    OK(MPI_Group_free(&halves[0]));
    OK(MPI_Group_free(&halves[1]));
#endif
}

enum { THREADS = 4, ROUNDS = 15 };

/* Each thread with tags of its own, in an order of its own. */
static void *make(void *argument)
{
    int thread = (int)(intptr_t)argument;
    char tag[32];
    MPI_Comm comm;
    MPI_Group all = part(0, size - 1, 1), reverse = part(size - 1, 0, -1);
    for (int i = 0; i < ROUNDS; i++) {
        OK(MPI_Comm_create_group(MPI_COMM_WORLD, thread % 2 ? all : reverse, thread, &comm));
        is_of(comm, thread % 2 ? all : reverse);
        OK(MPI_Comm_free(&comm));
        snprintf(tag, sizeof tag, "thread %d", thread);
        OK(MPI_Comm_create_from_group(all, tag, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm));
        is_of(comm, all);
        OK(MPI_Comm_free(&comm));
    }
    OK(MPI_Group_free(&all));
    OK(MPI_Group_free(&reverse));
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    check_start_threads(&argc, &argv);
    groups();
    chain();
    errors();
    one_is_wrong();
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, make, (void *)(intptr_t)i), 0);
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
    return check_end();
}
