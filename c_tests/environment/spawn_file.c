/* ranks: 2; mpich: skip what such a file has is each implementation's own affair */
/* ranks: 1; launcher: alone; mpich: skip what such a file has is each implementation's own affair */
/* The info key file: options of mpiexec for the processes that are started, before which other keys go; and files that are not there, or
 * have something wrong (MPI 4.1 section 11.8.4). */
#include "check.h"
#include <unistd.h>

static char file[64], *program;

static void put(const char *text)
{
    FILE *stream = fopen(file, "w");
    CHECK(stream != NULL && fputs(text, stream) >= 0 && fclose(stream) == 0);
}

/* Started: is in the folder, has the variable, and returns errors if it should. */
static void child(MPI_Comm parent, char **argv)
{
    char folder[256], *value = getenv("OF_THE_FILE");
    MPI_Errhandler handler;
    CHECK(getcwd(folder, sizeof folder) != NULL && strcmp(folder, argv[1]) == 0);
    CHECK(strcmp(value != NULL ? value : "none", argv[2]) == 0);
    OK(MPI_Comm_get_errhandler(parent, &handler));
    CHECK_EQ(handler == MPI_ERRORS_RETURN, strcmp(argv[3], "returns") == 0);
    OK(MPI_Send(&rank, 1, MPI_INT, 0, 1, parent));
    OK(MPI_Comm_disconnect(&parent));
}

static void spawn(MPI_Info info, const char *folder, const char *value, const char *errors)
{
    MPI_Comm inter;
    int number;
    char *words[] = {(char *)folder, (char *)value, (char *)errors, NULL};
    OK(MPI_Comm_spawn(program, words, 2, info, 0, MPI_COMM_SELF, &inter, MPI_ERRCODES_IGNORE));
    for (int from = 0; from < 2; from++)
        OK(MPI_Recv(&number, 1, MPI_INT, from, 1, inter, MPI_STATUS_IGNORE));
    OK(MPI_Comm_disconnect(&inter));
}

static void refused(MPI_Info info, const char *text, const char *sentence)
{
    MPI_Comm inter = MPI_COMM_SELF;
    put(text);
    CHECK_SENTENCE(MPI_Comm_spawn(program, MPI_ARGV_NULL, 2, info, 0, MPI_COMM_SELF, &inter, MPI_ERRCODES_IGNORE),
                   MPI_ERR_INFO_VALUE, sentence);
    CHECK(inter == MPI_COMM_NULL);
}

int main(int argc, char **argv)
{
    MPI_Comm parent, inter;
    MPI_Info info;
    char here[256];
    check_start(&argc, &argv);
    program = realpath(argv[0], NULL);
    OK(MPI_Comm_get_parent(&parent));
    if (parent != MPI_COMM_NULL) {
        child(parent, argv);
        free(program);
        return check_end();
    }
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    snprintf(file, sizeof file, "/tmp/rmashm-file-%d", (int)getpid());
    CHECK(getcwd(here, sizeof here) != NULL);
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "file", file));
    put("");
    spawn(info, here, "none", "ends");
    put("# how they run\n-wdir /proc -env OF_THE_FILE 'a b' \\\n  -initial-errhandler mpi_errors_return\n");
    spawn(info, "/proc", "a b", "returns");
    /* What a key of its own says goes before. */
    OK(MPI_Info_set(info, "wdir", "/"));
    OK(MPI_Info_set(info, "mpi_initial_errhandler", "mpi_errors_are_fatal"));
    spawn(info, "/", "a b", "ends");
    OK(MPI_Info_delete(info, "wdir"));
    /* Names are those of the folder in which the process is that asks. */
    CHECK_EQ(chdir("/tmp"), 0);
    OK(MPI_Info_set(info, "file", file + strlen("/tmp/")));
    put("-wdir ../proc\n");
    spawn(info, "/proc", "none", "ends");
    refused(info, "-env A 1\n-n 4\n", "line 2: -n is not for");
    refused(info, "./program\n", "line 1: './program' is no option");
    refused(info, "-such-is-none\n", "line 1: unknown option");
    refused(info, "-env A 'b\n", "quote");
    CHECK_EQ(unlink(file), 0);
    CHECK_SENTENCE(MPI_Comm_spawn(program, MPI_ARGV_NULL, 2, info, 0, MPI_COMM_SELF, &inter, MPI_ERRCODES_IGNORE),
                   MPI_ERR_INFO_VALUE, "is not there");
    OK(MPI_Info_set(info, "file", "/dev/zero"));
    CHECK_CLASS(MPI_Comm_spawn(program, MPI_ARGV_NULL, 2, info, 0, MPI_COMM_SELF, &inter, MPI_ERRCODES_IGNORE),
                MPI_ERR_INFO_VALUE);
    OK(MPI_Info_free(&info));
    free(program);
    return check_end();
}
