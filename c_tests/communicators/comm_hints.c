/* ranks: 1 3; mpich: skip 4.0 tells no defaults, and does not know all hints */
/* Hints of communicators: those that are known are told with their values, by every way of making a communicator; they are
 * not passed on, and what is not known is not told. */
#include "check.h"

enum { PROMISES = 5 };

static const char *const promises[PROMISES] = {
    "mpi_assert_no_any_tag",       "mpi_assert_no_any_source", "mpi_assert_exact_length",
    "mpi_assert_allow_overtaking", "mpi_assert_strict_persistent_collective_ordering",
};
static const char KINDS[] = "mpi_assert_memory_alloc_kinds", SUPPORTED[] = "mpi_memory_alloc_kinds";
static char world[MPI_MAX_INFO_VAL];

static const char *value(MPI_Info info, const char *key)
{
    static char text[MPI_MAX_INFO_VAL];
    int length = sizeof text, found = 0;
    text[0] = 0;
    OK(MPI_Info_get_string(info, key, &length, text, &found));
    return found ? text : "(not set)";
}

static void is(MPI_Info info, const char *key, const char *wanted)
{
    if (strcmp(value(info, key), wanted) != 0)
        check_failed(__FILE__, __LINE__, "%s is \"%s\", not \"%s\"", key, value(info, key), wanted);
}

/* Only promise number `promised` is true, the kinds are these, and there is nothing else. */
static void tells(MPI_Comm comm, int promised, const char *kinds)
{
    MPI_Info info;
    int keys;
    OK(MPI_Comm_get_info(comm, &info));
    for (int i = 0; i < PROMISES; i++)
        is(info, promises[i], i == promised ? "true" : "false");
    is(info, KINDS, kinds ? kinds : "(not set)");
    is(info, SUPPORTED, kinds ? kinds : world);
    OK(MPI_Info_get_nkeys(info, &keys));
    CHECK_EQ(keys, PROMISES + 1 + (kinds ? 1 : 0));
    OK(MPI_Info_free(&info));
}

/* Promise number `promised`, the kinds, and what nobody knows. */
static MPI_Info promise(int promised, const char *kinds)
{
    MPI_Info info;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, promises[promised], "true"));
    OK(MPI_Info_set(info, promises[(promised + 1) % PROMISES], "perhaps"));
    OK(MPI_Info_set(info, "colour", "red"));
    OK(MPI_Info_set(info, SUPPORTED, "gpu"));
    if (kinds)
        OK(MPI_Info_set(info, KINDS, kinds));
    return info;
}

/* It has the hints, and what is made of it has none. */
static void over(MPI_Comm comm, int promised, const char *kinds)
{
    MPI_Comm other;
    MPI_Request request;
    tells(comm, promised, kinds);
    OK(MPI_Comm_dup(comm, &other));
    tells(other, -1, NULL);
    OK(MPI_Comm_free(&other));
    OK(MPI_Comm_idup(comm, &other, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    tells(other, -1, NULL);
    OK(MPI_Comm_free(&other));
    OK(MPI_Comm_split(comm, 0, 0, &other));
    tells(other, -1, NULL);
    OK(MPI_Comm_free(&other));
    OK(MPI_Comm_free(&comm));
}

static MPI_Comm graph(int adjacent, MPI_Info info)
{
    int me = rank, degree = 1;
    MPI_Comm comm;
    if (adjacent)
        OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &me, MPI_UNWEIGHTED, 1, &me, MPI_UNWEIGHTED, info, 0,
                                          &comm));
    else
        OK(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &me, &degree, &me, MPI_UNWEIGHTED, info, 0, &comm));
    return comm;
}

static MPI_Comm between(MPI_Info info)
{
    MPI_Group all, mine, others;
    MPI_Comm comm;
    int last = size - 1, first = rank < last;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &all));
    OK(MPI_Group_incl(all, 1, &last, &mine));
    OK(MPI_Group_excl(all, 1, &last, &others));
    OK(MPI_Intercomm_create_from_groups(first ? others : mine, 0, first ? mine : others, 0, "hints", info,
                                        MPI_ERRORS_RETURN, &comm));
    OK(MPI_Group_free(&all));
    OK(MPI_Group_free(&mine));
    OK(MPI_Group_free(&others));
    return comm;
}

static void every_way(void)
{
    static const char kinds[] = "mpi:alloc_mem,system";
    MPI_Comm comm;
    MPI_Request request;
    MPI_Group group;
    for (int i = 0; i < PROMISES; i++) {
        const char *asserted = i % 2 ? kinds : NULL;
        MPI_Info info = promise(i, asserted);
        OK(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm));
        over(comm, i, asserted);
        OK(MPI_Comm_idup_with_info(MPI_COMM_WORLD, info, &comm, &request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        over(comm, i, asserted);
        OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, info, &comm));
        over(comm, i, asserted);
        OK(MPI_Comm_group(MPI_COMM_WORLD, &group));
        OK(MPI_Comm_create_from_group(group, "hints", info, MPI_ERRORS_RETURN, &comm));
        OK(MPI_Group_free(&group));
        over(comm, i, asserted);
        over(graph(0, info), i, asserted);
        over(graph(1, info), i, asserted);
        if (size > 1) {
            comm = between(info);
            tells(comm, i, asserted);
            OK(MPI_Comm_free(&comm));
        }
        OK(MPI_Info_free(&info));
    }
}

static void set_later(void)
{
    MPI_Comm comm;
    MPI_Info info = promise(2, "system");
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    tells(comm, -1, NULL);
    OK(MPI_Comm_set_info(comm, info));
    OK(MPI_Info_free(&info));
    tells(comm, 2, "system");
    /* What is not given stays; what is not understood is ignored, a list with an unknown kind as a whole. */
    info = promise(0, "system,gpu");
    OK(MPI_Info_set(info, promises[0], "no"));
    OK(MPI_Comm_set_info(comm, info));
    tells(comm, 2, "system");
    OK(MPI_Info_set(info, promises[2], "false"));
    OK(MPI_Info_set(info, KINDS, " mpi , system "));
    OK(MPI_Comm_set_info(comm, info));
    OK(MPI_Info_free(&info));
    tells(comm, -1, " mpi , system ");
    OK(MPI_Comm_free(&comm));
}

static void malformed(void)
{
    MPI_Comm comm;
    MPI_Request request;
    MPI_Info info = promise(0, "system,,mpi");
    int me = rank;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    CHECK_SENTENCE(MPI_Comm_set_info(comm, info), MPI_ERR_INFO_VALUE, "system,,mpi");
    tells(comm, -1, NULL);
    OK(MPI_Comm_free(&comm));
    CHECK_CLASS(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm), MPI_ERR_INFO_VALUE);
    CHECK_CLASS(MPI_Comm_idup_with_info(MPI_COMM_WORLD, info, &comm, &request), MPI_ERR_INFO_VALUE);
    CHECK_CLASS(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, info, &comm), MPI_ERR_INFO_VALUE);
    CHECK_CLASS(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &me, MPI_UNWEIGHTED, 1, &me, MPI_UNWEIGHTED, info, 0,
                                               &comm), MPI_ERR_INFO_VALUE);
    OK(MPI_Info_free(&info));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    strcpy(world, value(MPI_INFO_ENV, SUPPORTED));
    tells(MPI_COMM_WORLD, -1, NULL);
    tells(MPI_COMM_SELF, -1, NULL);
    every_way();
    set_later();
    malformed();
    return check_end();
}
