/* ranks: 2 3 5; mpich: skip it finds errors another way, and has no names without a server */
/* Ports, published names and sockets: groups of the job meet at a port, one after the other, and several at once; ports that are closed
 * and used again, wrong ones, nobody who accepts, and names that are there already. */
#include "check.h"
#include <sys/socket.h>
#include <unistd.h>

/* Of a port's name: interfaces differ in MPI_MAX_PORT_NAME, and this is the least. */
enum { LENGTH = 256 };

/* Both groups tell each other their sizes. */
static void use(MPI_Comm inter, int local, int remote)
{
    int mine, theirs, number = local, sum = 0;
    OK(MPI_Comm_size(inter, &mine));
    OK(MPI_Comm_remote_size(inter, &theirs));
    CHECK(mine == local && theirs == remote);
    OK(MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, inter));
    CHECK_EQ(sum, remote * remote);
}

/* Rank 0 is met by all others together, round after round; every other round they accept. */
static void groups(void)
{
    MPI_Comm part, inter;
    MPI_Info info, told;
    char port[MPI_MAX_PORT_NAME], value[64];
    int flag, place;
    OK(MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &part));
    OK(MPI_Comm_rank(part, &place));
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "mpi_assert_memory_alloc_kinds", "mpi:alloc_mem"));
    for (int round = 0; round < 20; round++) {
        int opener = round % 2;
        if (rank == opener)
            OK(MPI_Open_port(MPI_INFO_NULL, port));
        OK(MPI_Bcast(port, LENGTH, MPI_CHAR, opener, MPI_COMM_WORLD));
        if ((rank == 0) == (opener == 0))
            OK(MPI_Comm_accept(port, info, 0, part, &inter));
        else
            OK(MPI_Comm_connect(port, info, 0, part, &inter));
        /* The root's promise is the root's. */
        OK(MPI_Comm_get_info(inter, &told));
        OK(MPI_Info_get(told, "mpi_assert_memory_alloc_kinds", sizeof value - 1, value, &flag));
        CHECK_EQ(flag, place == 0);
        CHECK(!flag || strcmp(value, "mpi:alloc_mem") == 0);
        OK(MPI_Info_free(&told));
        use(inter, rank == 0 ? 1 : size - 1, rank == 0 ? size - 1 : 1);
        OK(MPI_Comm_disconnect(&inter));
        if (rank == opener)
            OK(MPI_Close_port(port));
    }
    OK(MPI_Info_free(&info));
    OK(MPI_Comm_free(&part));
}

/* All others want to connect at the same time, by a published name. */
static void one_by_one(void)
{
    MPI_Comm inter;
    char port[MPI_MAX_PORT_NAME] = "";
    int number, sum = 0;
    if (rank == 0) {
        OK(MPI_Open_port(MPI_INFO_NULL, port));
        OK(MPI_Publish_name("a service", MPI_INFO_NULL, port));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank > 0) {
        OK(MPI_Lookup_name("a service", MPI_INFO_NULL, port));
        OK(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter));
        OK(MPI_Send(&rank, 1, MPI_INT, 0, 3, inter));
        OK(MPI_Comm_disconnect(&inter));
    }
    for (int i = 1; rank == 0 && i < size; i++) {
        OK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter));
        OK(MPI_Recv(&number, 1, MPI_INT, 0, 3, inter, MPI_STATUS_IGNORE));
        sum += number;
        OK(MPI_Comm_disconnect(&inter));
    }
    if (rank == 0) {
        CHECK_EQ(sum, size * (size - 1) / 2);
        CHECK_CLASS(MPI_Publish_name("a service", MPI_INFO_NULL, port), MPI_ERR_SERVICE);
    } else {
        CHECK_CLASS(MPI_Unpublish_name("a service", MPI_INFO_NULL, port), MPI_ERR_SERVICE);
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0) {
        CHECK_CLASS(MPI_Unpublish_name("a service", MPI_INFO_NULL, "another port"), MPI_ERR_SERVICE);
        OK(MPI_Unpublish_name("a service", MPI_INFO_NULL, port));
        CHECK_CLASS(MPI_Unpublish_name("a service", MPI_INFO_NULL, port), MPI_ERR_SERVICE);
        OK(MPI_Close_port(port));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_CLASS(MPI_Lookup_name("a service", MPI_INFO_NULL, port), MPI_ERR_NAME);
}

static void wrong(void)
{
    MPI_Comm inter = MPI_COMM_SELF;
    MPI_Info info;
    char port[MPI_MAX_PORT_NAME] = "", other[MPI_MAX_PORT_NAME] = "";
    const char *names[] = {"", "port", "rmashm:0:0:0", "rmashm:1:2:3:4", "rmashm:zz:40:1", "tag#0$description#a"};
    for (int i = 0; i < 6; i++) {
        CHECK_CLASS(MPI_Comm_connect(names[i], MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter), MPI_ERR_PORT);
        CHECK_CLASS(MPI_Comm_accept(names[i], MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter), MPI_ERR_PORT);
        CHECK_CLASS(MPI_Close_port(names[i]), MPI_ERR_PORT);
    }
    CHECK_CLASS(MPI_Comm_connect("port", MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter), MPI_ERR_PORT);
    CHECK_CLASS(MPI_Comm_connect("port", MPI_INFO_NULL, -1, MPI_COMM_WORLD, &inter), MPI_ERR_ROOT);
    CHECK_CLASS(MPI_Comm_connect("port", MPI_INFO_NULL, 0, MPI_COMM_NULL, &inter), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_connect(NULL, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Open_port(MPI_INFO_NULL, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Close_port(NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Publish_name(NULL, MPI_INFO_NULL, port), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Lookup_name("no such service", MPI_INFO_NULL, port), MPI_ERR_NAME);

    OK(MPI_Open_port(MPI_INFO_NULL, port));
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "timeout", "soon"));
    CHECK_CLASS(MPI_Comm_connect(port, info, 0, MPI_COMM_SELF, &inter), MPI_ERR_INFO_VALUE);
    OK(MPI_Info_set(info, "timeout", "0.05"));
    CHECK_SENTENCE(MPI_Comm_connect(port, info, 0, MPI_COMM_SELF, &inter), MPI_ERR_PORT, "accepted");
    OK(MPI_Info_free(&info));
    OK(MPI_Close_port(port));
    /* Its place is used again, its name not. */
    OK(MPI_Open_port(MPI_INFO_NULL, other));
    CHECK(strcmp(port, other) != 0);
    CHECK_CLASS(MPI_Close_port(port), MPI_ERR_PORT);
    CHECK_CLASS(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter), MPI_ERR_PORT);
    OK(MPI_Close_port(other));
    CHECK_CLASS(MPI_Comm_join(-1, &inter), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_join(0, NULL), MPI_ERR_ARG);
}

/* A port that is closed while somebody waits to be accepted. */
static void closed(void)
{
    MPI_Comm inter;
    char port[MPI_MAX_PORT_NAME];
    if (rank == 0)
        OK(MPI_Open_port(MPI_INFO_NULL, port));
    OK(MPI_Bcast(port, LENGTH, MPI_CHAR, 0, MPI_COMM_WORLD));
    if (rank == 0) {
        usleep(50000);
        OK(MPI_Close_port(port));
    } else {
        CHECK_CLASS(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter), MPI_ERR_PORT);
    }
}

/* Both ends of a socket pair are in one process: there is no such intercommunicator. What is no socket, and one that says something
 * else, is told. */
static void sockets(void)
{
    MPI_Comm inter;
    int ends[2], pipes[2];
    CHECK_EQ(pipe(pipes), 0);
    CHECK_CLASS(MPI_Comm_join(pipes[0], &inter), MPI_ERR_ARG);
    CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    char words[64] = "this is not what is said here, and it is long enough for it";
    CHECK_EQ(write(ends[1], words, sizeof words), (ssize_t)sizeof words);
    CHECK_SENTENCE(MPI_Comm_join(ends[0], &inter), MPI_ERR_OTHER, "MPI_Comm_join");
    close(ends[0]);
    CHECK_CLASS(MPI_Comm_join(ends[1], &inter), MPI_ERR_OTHER);
    close(ends[1]);
    close(pipes[0]);
    close(pipes[1]);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    groups();
    one_by_one();
    wrong();
    closed();
    sockets();
    groups();
    return check_end();
}
