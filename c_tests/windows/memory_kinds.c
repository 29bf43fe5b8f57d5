/* ranks: 1 2 4; mpich: skip 4.0 does not know memory allocation kinds */
/* name: launched; ranks: 2; env: RMASHM_MEMORY_ALLOC_KINDS=mpi:alloc_mem,gpu:device,system PMI_mpi_memory_alloc_kinds=mpi:win_allocate; args: mpi:alloc_mem; mpich: skip 4.0 does not know them */
/* name: hydra; ranks: 2; env: PMI_mpi_memory_alloc_kinds=mpi:win_allocate:win_allocate_shared; args: mpi:win_allocate:win_allocate_shared; mpich: skip 4.0 does not know them */
/* name: malformed; ranks: 1; env: RMASHM_MEMORY_ALLOC_KINDS=system,; expect-exit: nonzero; expect-stderr: RMASHM_MEMORY_ALLOC_KINDS; mpich: skip 4.0 does not know them */
/* Memory allocation kinds (MPI 4.1 section 12.4.3): what the launcher or a session asks for and what is told of it, by
 * communicators, windows and files; assertions, which count as a whole and belong to the object they were made for. */
#include "check.h"
#include <unistd.h>

static const char *SUPPORTED = "mpi_memory_alloc_kinds";
static const char *ASSERTED = "mpi_assert_memory_alloc_kinds";

static const char *value(MPI_Info info, const char *key)
{
    static char text[MPI_MAX_INFO_VAL];
    int length = sizeof text, found = 0;
    text[0] = 0;
    OK(MPI_Info_get_string(info, key, &length, text, &found));
    return found ? text : "(not set)";
}

static void expect(MPI_Info info, const char *key, const char *wanted)
{
    if (strcmp(value(info, key), wanted) != 0)
        check_failed(__FILE__, __LINE__, "%s is \"%s\", not \"%s\"", key, value(info, key), wanted);
}

/* Whether a list has the element. */
static int has(const char *list, const char *element)
{
    size_t length = strlen(element);
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, element, length) == 0 && (at[length] == ',' || at[length] == 0))
            return 1;
    return 0;
}

static MPI_Info with(const char *key, const char *text)
{
    MPI_Info info;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, key, text));
    return info;
}

static void expect_comm(MPI_Comm comm, const char *kinds, const char *assertion)
{
    MPI_Info info;
    OK(MPI_Comm_get_info(comm, &info));
    expect(info, SUPPORTED, kinds);
    expect(info, ASSERTED, assertion);
    OK(MPI_Info_free(&info));
}

static void check_sessions(const char *world)
{
    MPI_Session session;
    MPI_Info used, info;
    OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
    OK(MPI_Session_get_info(session, &used));
    expect(used, SUPPORTED, world);
    OK(MPI_Info_free(&used));
    OK(MPI_Session_finalize(&session));

    /* The session's own request wins over the launcher's. */
    info = with(SUPPORTED, "mpi:win_allocate_shared:alloc_mem,rocm,system:none");
    OK(MPI_Session_init(info, MPI_ERRORS_RETURN, &session));
    OK(MPI_Info_free(&info));
    OK(MPI_Session_get_info(session, &used));
    char kinds[MPI_MAX_INFO_VAL];
    strcpy(kinds, value(used, SUPPORTED));
    CHECK(has(kinds, "mpi:win_allocate_shared:alloc_mem"));
    CHECK(!strstr(kinds, "rocm") && !strstr(kinds, "system:none"));
    CHECK(!has(kinds, "mpi:alloc_mem"));
    OK(MPI_Info_free(&used));
    OK(MPI_Session_finalize(&session));

    /* Whatever groups are made of a session's, what is made of them is the session's. */
    info = with(SUPPORTED, "mpi:alloc_mem");
    OK(MPI_Session_init(info, MPI_ERRORS_RETURN, &session));
    OK(MPI_Info_free(&info));
    OK(MPI_Session_get_info(session, &used));
    strcpy(kinds, value(used, SUPPORTED));
    OK(MPI_Info_free(&used));
    CHECK(strcmp(kinds, world) != 0 || strstr(world, "mpi:alloc_mem"));
    MPI_Group all, made[6];
    int self[1] = {0}, range[1][3] = {{size - 1, 0, -1}};
    OK(MPI_Group_from_session_pset(session, "mpi://WORLD", &all));
    OK(MPI_Group_union(MPI_GROUP_EMPTY, all, &made[0]));
    OK(MPI_Group_union(all, MPI_GROUP_EMPTY, &made[1]));
    OK(MPI_Group_difference(all, MPI_GROUP_EMPTY, &made[2]));
    OK(MPI_Group_intersection(all, all, &made[3]));
    OK(MPI_Group_range_incl(all, 1, range, &made[4]));
    OK(MPI_Group_excl(all, 0, self, &made[5]));
    for (int i = 0; i < 6; i++) {
        MPI_Comm comm;
        OK(MPI_Comm_create_from_group(made[i], "made", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
        expect_comm(comm, kinds, "(not set)");
        OK(MPI_Comm_free(&comm));
        OK(MPI_Group_free(&made[i]));
    }
    OK(MPI_Group_free(&all));
    OK(MPI_Session_finalize(&session));

    info = with(SUPPORTED, "system mpi");
    CHECK_CLASS(MPI_Session_init(info, MPI_ERRORS_RETURN, &session), MPI_ERR_INFO_VALUE);
    OK(MPI_Info_free(&info));
}

static void check_comms(const char *world)
{
    MPI_Comm narrow, copy;
    MPI_Info info;
    expect_comm(MPI_COMM_WORLD, world, "(not set)");
    expect_comm(MPI_COMM_SELF, world, "(not set)");

    info = with(ASSERTED, "mpi:alloc_mem,mpi:win_allocate,system");
    OK(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &narrow));
    OK(MPI_Info_free(&info));
    expect_comm(narrow, "mpi:alloc_mem,mpi:win_allocate,system", "mpi:alloc_mem,mpi:win_allocate,system");
    OK(MPI_Comm_dup(narrow, &copy));
    expect_comm(copy, world, "(not set)");
    OK(MPI_Comm_free(&copy));
    OK(MPI_Comm_split(narrow, rank % 2, 0, &copy));
    expect_comm(copy, world, "(not set)");
    OK(MPI_Comm_free(&copy));

    /* One kind that is not supported: the whole assertion is ignored. */
    info = with(ASSERTED, "system,gpu");
    OK(MPI_Comm_dup_with_info(narrow, info, &copy));
    OK(MPI_Info_free(&info));
    expect_comm(copy, world, "(not set)");
    OK(MPI_Comm_free(&copy));
    OK(MPI_Comm_free(&narrow));

    info = with(ASSERTED, "system:");
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    CHECK_CLASS(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &copy), MPI_ERR_INFO_VALUE);
    OK(MPI_Info_free(&info));
}

static void check_windows(const char *world)
{
    MPI_Win win;
    MPI_Info info, used;
    void *base;
    for (int asserted = 0; asserted < 2; asserted++) {
        info = with(asserted ? ASSERTED : "no_locks", asserted ? "mpi" : "true");
        OK(MPI_Win_allocate(8, 1, info, MPI_COMM_WORLD, &base, &win));
        OK(MPI_Win_get_info(win, &used));
        expect(used, SUPPORTED, asserted ? "mpi" : world);
        expect(used, ASSERTED, asserted ? "mpi" : "(not set)");
        OK(MPI_Info_free(&used));
        OK(MPI_Info_free(&info));
        OK(MPI_Win_free(&win));
    }
}

static void check_files(const char *world)
{
    char name[64];
    MPI_File file;
    MPI_Info info, used;
    /* Of this job alone: others of this test run beside it. */
    int process = (int)getpid();
    OK(MPI_Bcast(&process, 1, MPI_INT, 0, MPI_COMM_WORLD));
    snprintf(name, sizeof name, "memory_kinds.%d.tmp", process);
    for (int asserted = 0; asserted < 2; asserted++) {
        info = with(asserted ? ASSERTED : "some_hint", asserted ? "system" : "gpu");
        OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                         info, &file));
        OK(MPI_File_get_info(file, &used));
        expect(used, SUPPORTED, asserted ? "system" : world);
        expect(used, ASSERTED, asserted ? "system" : "(not set)");
        OK(MPI_Info_free(&used));
        OK(MPI_Info_free(&info));
        OK(MPI_File_close(&file));
    }
}

int main(int argc, char **argv)
{
    char world[MPI_MAX_INFO_VAL];
    check_start(&argc, &argv);
    strcpy(world, value(MPI_INFO_ENV, SUPPORTED));
    CHECK(has(world, "system") && has(world, "mpi"));
    CHECK(!strstr(world, "gpu"));
    if (argc > 1)
        CHECK(has(world, argv[1]));
    check_sessions(world);
    check_comms(world);
    check_windows(world);
    check_files(world);
    return check_end();
}
