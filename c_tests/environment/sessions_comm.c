/* ranks: 1 2 4; launcher: mpiexec hydra; mpich: skip 4.0 does not know memory allocation kinds */
/* Communicators made from sessions, without MPI_Init (MPI 4.1 sections 7.4.2, 11.3): messages, collectives, windows and
 * files of them; processes that come late or not at all; the session's memory allocation kinds go with what is made. */
#include "check.h"
#include <time.h>
#include <unistd.h>

static const char *KINDS = "mpi_memory_alloc_kinds";
static const char *WANTED = "mpi:alloc_mem:win_allocate";

static void nap(long milliseconds)
{
    struct timespec time = {0, milliseconds * 1000000};
    nanosleep(&time, NULL);
}

static MPI_Session open_session(void)
{
    MPI_Session session;
    MPI_Info info;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, KINDS, WANTED));
    OK(MPI_Info_set(info, "thread_level", "MPI_THREAD_SINGLE"));
    OK(MPI_Session_init(info, MPI_ERRORS_RETURN, &session));
    OK(MPI_Info_free(&info));
    return session;
}

static void check_kinds(MPI_Info info)
{
    char value[MPI_MAX_INFO_VAL] = "";
    int length = sizeof value, found = 0;
    OK(MPI_Info_get_string(info, KINDS, &length, value, &found));
    CHECK(found && strncmp(value, WANTED, strlen(WANTED)) == 0);
    OK(MPI_Info_free(&info));
}

static MPI_Comm make(MPI_Group group, const char *tag)
{
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Info info;
    OK(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    CHECK(comm != MPI_COMM_NULL);
    OK(MPI_Comm_get_info(comm, &info));
    check_kinds(info);
    return comm;
}

static void use(MPI_Comm comm)
{
    int me = -1, all = -1, sum = -1, got = -1;
    OK(MPI_Comm_rank(comm, &me));
    OK(MPI_Comm_size(comm, &all));
    OK(MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK_EQ(sum, all * (all - 1) / 2);
    OK(MPI_Sendrecv(&me, 1, MPI_INT, (me + 1) % all, 5, &got, 1, MPI_INT, (me + all - 1) % all, 5, comm,
                    MPI_STATUS_IGNORE));
    CHECK_EQ(got, (me + all - 1) % all);

    MPI_Win win;
    MPI_Info info;
    int *base;
    OK(MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &base, &win));
    OK(MPI_Win_get_info(win, &info));
    check_kinds(info);
    *base = -1;
    OK(MPI_Win_fence(0, win));
    OK(MPI_Put(&me, 1, MPI_INT, (me + 1) % all, 0, 1, MPI_INT, win));
    OK(MPI_Win_fence(0, win));
    CHECK_EQ(*base, (me + all - 1) % all);
    OK(MPI_Win_free(&win));

    MPI_File file;
    /* Of this communicator alone: other jobs of this test run beside this one. */
    char name[64];
    int process = (int)getpid();
    OK(MPI_Bcast(&process, 1, MPI_INT, 0, comm));
    snprintf(name, sizeof name, "sessions_comm.%d.%d.tmp", process, all);
    OK(MPI_File_open(comm, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file));
    OK(MPI_File_get_info(file, &info));
    check_kinds(info);
    OK(MPI_File_write_at(file, (MPI_Offset)(me * sizeof me), &me, 1, MPI_INT, MPI_STATUS_IGNORE));
    OK(MPI_File_close(&file));

    MPI_Comm copy;
    OK(MPI_Comm_split(comm, 0, -me, &copy));
    OK(MPI_Comm_get_info(copy, &info));
    check_kinds(info);
    OK(MPI_Comm_free(&copy));
}

int main(int argc, char **argv)
{
    MPI_Session session;
    MPI_Group world, part, self;
    int initialized = -1;
    for (int round = 0; round < 3; round++) {
        session = open_session();
        OK(MPI_Group_from_session_pset(session, "mpi://WORLD", &world));
        OK(MPI_Group_rank(world, &rank));
        OK(MPI_Group_size(world, &size));

        /* All but the first: it may not have come yet, or have left already. */
        if (size > 1) {
            int first = 0;
            OK(MPI_Group_excl(world, 1, &first, &part));
            if (rank > 0) {
                MPI_Comm comm = make(part, "all but the first");
                use(comm);
                OK(MPI_Comm_free(&comm));
            } else {
                nap(50);
            }
            OK(MPI_Group_free(&part));
        }
        if (rank == round % size)
            nap(30);
        MPI_Comm comm = make(world, "all");
        use(comm);
        OK(MPI_Comm_free(&comm));

        OK(MPI_Group_from_session_pset(session, "mpi://SELF", &self));
        comm = make(self, "self");
        use(comm);
        OK(MPI_Comm_free(&comm));
        OK(MPI_Group_free(&self));
        OK(MPI_Group_free(&world));
        OK(MPI_Session_finalize(&session));
        OK(MPI_Initialized(&initialized));
        CHECK_EQ(initialized, 0);
    }

    /* Beside the world model, and longer than it. */
    session = open_session();
    OK(MPI_Group_from_session_pset(session, "mpi://WORLD", &world));
    MPI_Comm before = make(world, "before");
    check_start(&argc, &argv);
    MPI_Comm during = make(world, "during");
    use(before);
    use(during);
    barrier();
    OK(MPI_Finalize());
    use(during);
    OK(MPI_Comm_free(&during));
    MPI_Comm after = make(world, "after");
    use(after);
    use(before);
    OK(MPI_Comm_free(&after));
    OK(MPI_Comm_free(&before));
    OK(MPI_Group_free(&world));
    OK(MPI_Session_finalize(&session));
    return 0;
}
