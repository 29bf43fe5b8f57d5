/* ranks: 1 2 3; mpich: skip its mpiexec gives errors another way */
/* ranks: 1 2 3; launcher: hydra preload; mpich: skip its mpiexec gives errors another way */
/* ranks: 1; launcher: alone; mpich: skip its mpiexec gives errors another way */
/* Processes that are started later: arguments, numbers, error codes of each, the two groups' intercommunicator and what is made of it,
 * windows among old and new ones, several programs, hints, one generation after the other, and what is wrong. The new ones run this
 * program, with words that say what they are to be. */
#include "check.h"
#include <unistd.h>

enum { MANY = 1 << 18 };

static char *program;

/* All of both groups: messages in a ring, short and long, a sum, windows of shared and of own memory. */
static void work(MPI_Comm inter, int high)
{
    MPI_Comm all;
    MPI_Win win;
    int place, count, one = 1, sum = 0;
    long *base, value;
    static char from[MANY], to[MANY];
    OK(MPI_Intercomm_merge(inter, high, &all));
    OK(MPI_Comm_rank(all, &place));
    OK(MPI_Comm_size(all, &count));
    OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all));
    CHECK_EQ(sum, count);
    int next = (place + 1) % count, last = (place + count - 1) % count;
    for (int bytes = 1; bytes <= MANY; bytes *= 64) {
        memset(from, place + bytes, sizeof from);
        OK(MPI_Sendrecv(from, bytes, MPI_BYTE, next, 5, to, bytes, MPI_BYTE, last, 5, all, MPI_STATUS_IGNORE));
        CHECK_EQ(to[bytes - 1], (char)(last + bytes));
    }
    OK(MPI_Win_allocate(count * (MPI_Aint)sizeof *base, sizeof *base, MPI_INFO_NULL, all, &base, &win));
    OK(MPI_Win_fence(0, win));
    value = place + 1;
    for (int target = 0; target < count; target++)
        OK(MPI_Put(&value, 1, MPI_LONG, target, place, 1, MPI_LONG, win));
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    for (int origin = 0; origin < count; origin++)
        CHECK_EQ(base[origin], origin + 1L);
    OK(MPI_Barrier(all));
    for (int round = 0; round < 100; round++) {
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
        OK(MPI_Accumulate(&value, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_SUM, win));
        OK(MPI_Win_unlock(0, win));
    }
    OK(MPI_Barrier(all));
    if (place == 0)
        CHECK_EQ(base[0], 1 + 100L * (count + 1) * count / 2);
    OK(MPI_Win_free(&win));
    OK(MPI_Win_create(from, sizeof from, 1, MPI_INFO_NULL, all, &win));
    OK(MPI_Win_fence(0, win));
    OK(MPI_Put(&value, 1, MPI_LONG, next, 0, 1, MPI_LONG, win));
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    memcpy(&value, from, sizeof value);
    CHECK_EQ(value, last + 1L);
    OK(MPI_Win_free(&win));
    OK(MPI_Comm_free(&all));
}

/* "work", "number" and the number of its program, "folder" and where it should be, "more" and how many generations follow. */
static void child(MPI_Comm parent, int argc, char **argv)
{
    char name[MPI_MAX_OBJECT_NAME], folder[4096];
    int length, *appnum, found, flag;
    OK(MPI_Comm_get_name(parent, name, &length));
    CHECK(strcmp(name, "MPI_COMM_PARENT") == 0);
    OK(MPI_Comm_test_inter(parent, &flag));
    CHECK(flag);
    CHECK(argc >= 2);
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &appnum, &found));
    if (strcmp(argv[1], "work") == 0) {
        CHECK_EQ(argc, 4);
        CHECK(strcmp(argv[2], "two words") == 0 && strcmp(argv[3], "") == 0);
        work(parent, 1);
    } else if (strcmp(argv[1], "number") == 0) {
        CHECK(found && *appnum == atoi(argv[2]));
        char most[16];
        OK(MPI_Info_get(MPI_INFO_ENV, "maxprocs", sizeof most - 1, most, &flag));
        CHECK(flag && atoi(most) == (*appnum == 1 ? 2 : 1));
        int told[2] = {*appnum, rank};
        OK(MPI_Send(told, 2, MPI_INT, 0, 9, parent));
    } else if (strcmp(argv[1], "folder") == 0) {
        CHECK(getcwd(folder, sizeof folder) != NULL);
        CHECK(strcmp(folder, argv[2]) == 0);
        /* Errors are returned, as the hint says. */
        CHECK_CLASS(MPI_Send(&rank, 1, MPI_INT, size, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
        OK(MPI_Send(&rank, 1, MPI_INT, 0, 9, parent));
    } else if (strcmp(argv[1], "more") == 0 && atoi(argv[2]) > 0) {
        char less[16];
        char *words[] = {"more", less, NULL};
        MPI_Comm next;
        snprintf(less, sizeof less, "%d", atoi(argv[2]) - 1);
        OK(MPI_Comm_spawn(program, words, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &next, MPI_ERRCODES_IGNORE));
        OK(MPI_Recv(&length, 1, MPI_INT, 0, 9, next, MPI_STATUS_IGNORE));
        length++;
        OK(MPI_Comm_disconnect(&next));
        OK(MPI_Send(&length, 1, MPI_INT, 0, 9, parent));
    } else if (strcmp(argv[1], "more") == 0) {
        length = 1;
        OK(MPI_Send(&length, 1, MPI_INT, 0, 9, parent));
    } else {
        CHECK(!"it knows its words");
    }
    OK(MPI_Comm_disconnect(&parent));
    OK(MPI_Comm_get_parent(&parent));
    CHECK(parent == MPI_COMM_NULL);
}

/* What only the root gives counts only there. */
static void start_some(void)
{
    MPI_Comm inter;
    int codes[3] = {7, 7, 7}, remote, root = size - 1;
    char *words[] = {"work", "two words", "", NULL};
    OK(MPI_Comm_spawn(rank == root ? program : NULL, rank == root ? words : NULL, rank == root ? 3 : -1, MPI_INFO_NULL, root,
                      MPI_COMM_WORLD, &inter, codes));
    for (int i = 0; i < 3; i++)
        CHECK_EQ(codes[i], MPI_SUCCESS);
    OK(MPI_Comm_remote_size(inter, &remote));
    CHECK_EQ(remote, 3);
    work(inter, 0);
    OK(MPI_Comm_disconnect(&inter));
    CHECK(inter == MPI_COMM_NULL);
}

/* Each process for itself, all at the same time. */
static void start_own(void)
{
    MPI_Comm inter;
    int number;
    char *words[] = {"more", "0", NULL};
    OK(MPI_Comm_spawn(program, words, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter, MPI_ERRCODES_IGNORE));
    OK(MPI_Recv(&number, 1, MPI_INT, 0, 9, inter, MPI_STATUS_IGNORE));
    CHECK_EQ(number, 1);
    OK(MPI_Comm_disconnect(&inter));
}

static void start_several(void)
{
    MPI_Comm inter;
    char *commands[] = {program, program, program};
    char *first[] = {"number", "0", NULL}, *second[] = {"number", "1", NULL}, *third[] = {"number", "2", NULL};
    char **words[] = {first, second, third};
    int most[] = {1, 2, 1}, codes[4] = {7, 7, 7, 7};
    MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL, MPI_INFO_NULL};
    OK(MPI_Comm_spawn_multiple(3, commands, words, most, infos, 0, MPI_COMM_WORLD, &inter, codes));
    for (int i = 0; i < 4; i++)
        CHECK_EQ(codes[i], MPI_SUCCESS);
    for (int i = 0; rank == 0 && i < 4; i++) {
        int told[2];
        OK(MPI_Recv(told, 2, MPI_INT, i, 9, inter, MPI_STATUS_IGNORE));
        CHECK_EQ(told[0], i == 0 ? 0 : i == 3 ? 2 : 1);
        CHECK_EQ(told[1], i);
    }
    OK(MPI_Comm_disconnect(&inter));
}

/* What the root has promised of an intercommunicator, it is told (MPI 4.1 section 12.4.3). */
static void promises(void)
{
    MPI_Comm inter;
    MPI_Info info, told;
    char value[64] = "";
    int number, flag;
    char *words[] = {"folder", "/", NULL};
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "wdir", "/"));
    OK(MPI_Info_set(info, "mpi_initial_errhandler", "mpi_errors_return"));
    OK(MPI_Info_set(info, "mpi_assert_memory_alloc_kinds", "system"));
    OK(MPI_Comm_spawn(program, words, 1, info, size - 1, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE));
    OK(MPI_Comm_get_info(inter, &told));
    OK(MPI_Info_get(told, "mpi_assert_memory_alloc_kinds", sizeof value - 1, value, &flag));
    CHECK_EQ(flag, rank == size - 1);
    CHECK(!flag || strcmp(value, "system") == 0);
    OK(MPI_Info_free(&told));
    OK(MPI_Info_free(&info));
    if (rank == 0)
        OK(MPI_Recv(&number, 1, MPI_INT, 0, 9, inter, MPI_STATUS_IGNORE));
    OK(MPI_Comm_disconnect(&inter));
}

static void with_hints(void)
{
    MPI_Comm inter;
    MPI_Info info;
    int number, remote;
    char *words[] = {"folder", "/proc", NULL};
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "wdir", "/proc"));
    OK(MPI_Info_set(info, "host", "localhost"));
    OK(MPI_Info_set(info, "soft", "1:3:2,9"));
    OK(MPI_Info_set(info, "mpi_initial_errhandler", "mpi_errors_return"));
    /* Two are not allowed: the most that are is one. */
    int codes[100000], started = 0;
    OK(MPI_Comm_spawn(program, words, 2, info, 0, MPI_COMM_SELF, &inter, codes));
    OK(MPI_Comm_remote_size(inter, &remote));
    CHECK_EQ(remote, 1);
    CHECK(codes[0] == MPI_SUCCESS && codes[1] == MPI_ERR_SPAWN);
    OK(MPI_Recv(&number, 1, MPI_INT, 0, 9, inter, MPI_STATUS_IGNORE));
    OK(MPI_Comm_disconnect(&inter));
    OK(MPI_Info_set(info, "soft", "2:0:-1"));
    OK(MPI_Comm_spawn(program, words, 2, info, 0, MPI_COMM_SELF, &inter, MPI_ERRCODES_IGNORE));
    OK(MPI_Comm_remote_size(inter, &remote));
    CHECK_EQ(remote, 2);
    for (int i = 0; i < remote; i++)
        OK(MPI_Recv(&number, 1, MPI_INT, i, 9, inter, MPI_STATUS_IGNORE));
    OK(MPI_Comm_disconnect(&inter));
    /* As many as there is room for, where fewer will do. */
    words[1] = "/";
    OK(MPI_Info_set(info, "wdir", "/"));
    OK(MPI_Info_set(info, "soft", "3"));
    OK(MPI_Comm_spawn(program, words, 100000, info, 0, MPI_COMM_SELF, &inter, codes));
    for (int i = 0; i < 100000; i++)
        started += codes[i] == MPI_SUCCESS;
    OK(MPI_Comm_remote_size(inter, &remote));
    CHECK(remote == 3 && started == 3);
    for (int i = 0; i < remote; i++)
        OK(MPI_Recv(&number, 1, MPI_INT, i, 9, inter, MPI_STATUS_IGNORE));
    OK(MPI_Comm_disconnect(&inter));
    OK(MPI_Info_free(&info));
}

/* More processes, one after the other, than there are places at a time; each world starts the next. */
static void generations(void)
{
    MPI_Comm inter;
    int number, rounds = size == 1 ? 150 : 3;
    for (int i = 0; i < rounds; i++) {
        char *words[] = {"more", i == 1 ? "4" : "0", NULL};
        OK(MPI_Comm_spawn(program, words, 2 - i % 2, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter, MPI_ERRCODES_IGNORE));
        for (int from = 0; from < 2 - i % 2; from++) {
            OK(MPI_Recv(&number, 1, MPI_INT, from, 9, inter, MPI_STATUS_IGNORE));
            CHECK_EQ(number, i == 1 ? 5 : 1);
        }
        OK(MPI_Comm_disconnect(&inter));
    }
}

/* What is wrong is told on all processes, and all can go on. */
static void wrong(void)
{
    MPI_Comm inter = MPI_COMM_SELF, self = MPI_COMM_SELF, world = MPI_COMM_WORLD;
    MPI_Info info;
    int codes[2] = {7, 7}, most[1] = {1}, none = 0;
    char *commands[1] = {program};
    MPI_Info infos[1] = {MPI_INFO_NULL};
    const char *programs[] = {"/nowhere/program", "no-such-program", "/etc/passwd", "/bin/true"};
    for (int i = 0; i < 4; i++) {
        codes[0] = codes[1] = 7;
        CHECK_CLASS(MPI_Comm_spawn(programs[i], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, world, &inter, codes), MPI_ERR_SPAWN);
        CHECK(inter == MPI_COMM_NULL && codes[0] == MPI_ERR_SPAWN && codes[1] == MPI_ERR_SPAWN);
    }
    CHECK_CLASS(MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, MPI_INFO_NULL, size, world, &inter, codes), MPI_ERR_ROOT);
    CHECK_CLASS(MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, MPI_INFO_NULL, -1, world, &inter, codes), MPI_ERR_ROOT);
    CHECK_CLASS(MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_NULL, &inter, codes), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, self, NULL, codes), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_spawn(NULL, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, world, &inter, codes), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_spawn("", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, self, &inter, codes), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_spawn(program, MPI_ARGV_NULL, -1, MPI_INFO_NULL, 0, world, &inter, codes), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_spawn(program, MPI_ARGV_NULL, 0, MPI_INFO_NULL, 0, self, &inter, codes), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_spawn_multiple(-1, commands, MPI_ARGVS_NULL, most, infos, 0, self, &inter, MPI_ERRCODES_IGNORE),
                MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_spawn_multiple(1, commands, MPI_ARGVS_NULL, &none, infos, 0, self, &inter, MPI_ERRCODES_IGNORE),
                MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_spawn_multiple(1, NULL, MPI_ARGVS_NULL, most, infos, 0, world, &inter, MPI_ERRCODES_IGNORE),
                MPI_ERR_ARG);
    CHECK_SENTENCE(MPI_Comm_spawn(program, MPI_ARGV_NULL, 100000, MPI_INFO_NULL, 0, world, &inter, MPI_ERRCODES_IGNORE),
                   MPI_ERR_SPAWN, "100000");
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "host", "another-machine"));
    CHECK_SENTENCE(MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, info, 0, world, &inter, codes), MPI_ERR_SPAWN, "another-machine");
    OK(MPI_Info_set(info, "host", "localhost"));
    OK(MPI_Info_set(info, "soft", "one"));
    CHECK_SENTENCE(MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, info, 0, world, &inter, codes), MPI_ERR_INFO_VALUE, "soft");
    OK(MPI_Info_set(info, "soft", "2:9"));
    CHECK_SENTENCE(MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, info, 0, world, &inter, codes), MPI_ERR_SPAWN, "soft is \"2:9\"");
    OK(MPI_Info_delete(info, "soft"));
    OK(MPI_Info_set(info, "mpi_assert_memory_alloc_kinds", "mpi::"));
    CHECK_CLASS(MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, info, 0, world, &inter, codes), MPI_ERR_INFO_VALUE);
    OK(MPI_Info_delete(info, "mpi_assert_memory_alloc_kinds"));
    OK(MPI_Info_set(info, "wdir", "/nowhere"));
    CHECK_SENTENCE(MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, info, 0, world, &inter, codes), MPI_ERR_SPAWN, "/nowhere");
    OK(MPI_Info_delete(info, "wdir"));
    OK(MPI_Info_set(info, "mpi_initial_errhandler", "none"));
    CHECK_CLASS(MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, info, 0, world, &inter, codes), MPI_ERR_INFO_VALUE);
    OK(MPI_Info_delete(info, "mpi_initial_errhandler"));
    OK(MPI_Info_set(info, "path", "/proc:/sys"));
    CHECK_SENTENCE(MPI_Comm_spawn("no-such-program", MPI_ARGV_NULL, 1, info, 0, world, &inter, codes), MPI_ERR_SPAWN,
                   "neither in /proc:/sys nor in PATH");
    OK(MPI_Info_free(&info));
    CHECK_CLASS(MPI_Comm_get_parent(NULL), MPI_ERR_ARG);
}

int main(int argc, char **argv)
{
    MPI_Comm parent;
    check_start(&argc, &argv);
    program = argv[0];
    OK(MPI_Comm_get_parent(&parent));
    if (parent != MPI_COMM_NULL) {
        child(parent, argc, argv);
        return check_end();
    }
    start_own();
    start_some();
    start_several();
    with_hints();
    promises();
    generations();
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    wrong();
    start_some();
    return check_end();
}
