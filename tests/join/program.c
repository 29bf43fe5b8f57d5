/* One of two groups of processes that two mpiexecs have started: "serve NAME WAY" or "call NAME WAY", which meet at a port, or "alone WAY". What
 * follows is the way: "part": they disconnect. "idle": they wait until there is a file "go". "kill", "abort", "deadlock": the callers, or those
 * that are alone, do so (these when there is a file "end"), and the others wait for them. "hang": all wait for each other in vain. "spawn": the callers start one more.
 * A NAME that is a port's is connected to, which those that serve write to the file "port". "lookup NAME", "connect PORT": prints why that cannot be.
 * "late": those that serve accept when there is a file "end". "shut": they are killed then, and the callers are told.
 * What has been done so far is told by files. */
#include "check.h"
#include <signal.h>
#include <unistd.h>

enum { MANY = 1 << 18 };

static void tell(const char *who, const char *what)
{
    char name[200];
    FILE *file;
    snprintf(name, sizeof name, "%s.%s.%d", who, what, rank);
    file = fopen(name, "w");
    CHECK(file != NULL);
    fclose(file);
}

/* Together, also after what has become of the others. */
static void idle(const char *who)
{
    int sum = 0, one = 1;
    tell(who, "idles");
    while (access("go", F_OK) != 0)
        usleep(2000);
    OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_EQ(sum, size);
    if (rank == 0)
        printf("%s: done\n", who);
}

/* Messages in a ring, a sum, and a window. */
static void work(MPI_Comm inter, int high)
{
    static char from[MANY], to[MANY];
    MPI_Comm all;
    MPI_Win win;
    int place, count, one = 1, sum = 0;
    long *base, value;
    OK(MPI_Intercomm_merge(inter, high, &all));
    OK(MPI_Comm_rank(all, &place));
    OK(MPI_Comm_size(all, &count));
    OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all));
    CHECK_EQ(sum, count);
    int next = (place + 1) % count, last = (place + count - 1) % count;
    for (int bytes = 1; bytes <= MANY; bytes *= 64) {
        memset(from, place + bytes, sizeof from);
        OK(MPI_Sendrecv(from, bytes, MPI_BYTE, next, 5, to, bytes, MPI_BYTE, last, 5, all, MPI_STATUS_IGNORE));
        for (int at = 0; at < bytes; at++)
            CHECK_EQ(to[at], (char)(last + bytes));
    }
    OK(MPI_Win_allocate(sizeof *base, sizeof *base, MPI_INFO_NULL, all, &base, &win));
    *base = -1;
    OK(MPI_Win_fence(0, win));
    value = place;
    OK(MPI_Put(&value, 1, MPI_LONG, next, 0, 1, MPI_LONG, win));
    OK(MPI_Win_fence(0, win));
    CHECK_EQ(*base, last);
    OK(MPI_Barrier(all));
    value = 1;
    OK(MPI_Win_lock_all(0, win));
    OK(MPI_Accumulate(&value, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_SUM, win));
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Barrier(all));
    if (place == 0)
        CHECK_EQ(*base, last + count);
    OK(MPI_Win_free(&win));
    OK(MPI_Comm_free(&all));
}

static void await_end(void)
{
    while (access("end", F_OK) != 0)
        usleep(2000);
}

static MPI_Comm meet(int serves, const char *service, const char *way)
{
    char port[MPI_MAX_PORT_NAME] = "";
    int is_shut = strcmp(way, "shut") == 0;
    MPI_Comm inter = MPI_COMM_NULL;
    if (rank == 0 && serves) {
        OK(MPI_Open_port(MPI_INFO_NULL, port));
        OK(MPI_Publish_name(service, MPI_INFO_NULL, port));
        FILE *file = fopen("port.new", "w");
        CHECK(file != NULL);
        fputs(port, file);
        fclose(file);
        CHECK_EQ(rename("port.new", "port"), 0);
    }
    if (strncmp(service, "rmashm:", 7) == 0)
        snprintf(port, sizeof port, "%s", service);
    else if (rank == 0 && !serves)
        while (MPI_Lookup_name(service, MPI_INFO_NULL, port) != MPI_SUCCESS)
            usleep(5000);
    if (serves && (is_shut || strcmp(way, "late") == 0))
        await_end();
    if (serves && is_shut)
        raise(SIGKILL);
    tell(serves ? "serve" : "call", serves ? "serves" : "calls");
    if (serves)
        OK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter));
    else if (is_shut)
        CHECK_SENTENCE(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter), MPI_ERR_PORT, "not open");
    else
        OK(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter));
    if (rank == 0 && serves) {
        OK(MPI_Unpublish_name(service, MPI_INFO_NULL, port));
        OK(MPI_Close_port(port));
    }
    return inter;
}

static void end_as(const char *way)
{
    int number;
    if (strcmp(way, "kill") == 0 && rank == size - 1)
        raise(SIGKILL);
    if (strcmp(way, "abort") == 0 && rank == size - 1)
        MPI_Abort(MPI_COMM_WORLD, 44);
    if (strcmp(way, "deadlock") == 0)
        MPI_Recv(&number, 1, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    MPI_Comm parent, inter, child;
    int number;
    check_start(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    if (strcmp(argv[argc - 1], "shut") == 0)
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    OK(MPI_Comm_get_parent(&parent));
    if (parent != MPI_COMM_NULL) {
        puts("child: done");
        OK(MPI_Comm_disconnect(&parent));
        return check_end();
    }
    const char *who = argv[1], *way = argv[argc - 1];
    int looks_up = strcmp(who, "lookup") == 0;
    if (looks_up || strcmp(who, "connect") == 0) {
        /* Once, to say why there is none. */
        char port[MPI_MAX_PORT_NAME], text[MPI_MAX_ERROR_STRING];
        int code, length, class;
        if (looks_up)
            code = MPI_Lookup_name(argv[2], MPI_INFO_NULL, port);
        else
            code = MPI_Comm_connect(argv[2], MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
        OK(MPI_Error_class(code, &class));
        CHECK_EQ(class, looks_up ? MPI_ERR_NAME : MPI_ERR_PORT);
        OK(MPI_Error_string(code, text, &length));
        puts(text);
        return check_end();
    }
    if (strcmp(who, "alone") == 0) {
        tell(who, "is there");
        if (strcmp(way, "idle") == 0) {
            idle(who);
        } else {
            await_end();
            end_as(way);
        }
        return check_end();
    }
    int serves = strcmp(who, "serve") == 0;
    inter = meet(serves, argv[argc - 2], way);
    if (inter == MPI_COMM_NULL)
        return check_end();
    work(inter, !serves);
    if (strcmp(way, "late") == 0)
        way = "part";
    if (strcmp(way, "spawn") == 0) {
        if (!serves) {
            OK(MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &child, MPI_ERRCODES_IGNORE));
            OK(MPI_Comm_disconnect(&child));
        }
        way = "part";
    }
    if (strcmp(way, "part") == 0 || strcmp(way, "idle") == 0) {
        OK(MPI_Comm_disconnect(&inter));
        if (strcmp(way, "idle") == 0)
            idle(who);
        else if (rank == 0)
            printf("%s: done\n", who);
        return check_end();
    }
    tell(who, "is connected");
    if (strcmp(way, "hang") == 0)
        MPI_Recv(&number, 1, MPI_INT, 0, 1, inter, MPI_STATUS_IGNORE);
    if (strcmp(way, "wait") == 0) {
        while (access("go", F_OK) != 0)
            usleep(2000);
    }
    if (!serves)
        end_as(way);
    MPI_Recv(&number, 1, MPI_INT, size - 1, 1, inter, MPI_STATUS_IGNORE);
    return check_end();
}
