/* Starts processes, which are this program too, and says what came of it.
 * "closed": when all descriptors are closed but the standard ones. "few": when there can be no more than those. "processes N": as a user
 * of its own, who may have so many. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    MPI_Comm parent, inter;
    int code, class, length, sum = 0, one = 1, *universe, found;
    char text[MPI_MAX_ERROR_STRING];
    int limited = argc > 2 && strcmp(argv[1], "processes") == 0;
    /* Of root the limit does not hold. Nobody else is this one: what another run has left ends a little later, and would count. */
    unsigned user = 100000 + getpid();
    if (limited && (setgid(user) != 0 || setuid(user) != 0))
        return 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        MPI_Reduce(&one, NULL, 1, MPI_INT, MPI_SUM, 0, parent);
        MPI_Comm_disconnect(&parent);
        MPI_Finalize();
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "closed") == 0)
        for (int number = 3; number < 1024; number++)
            close(number);
    struct rlimit few = {3, 1024};
    if (argc > 1 && strcmp(argv[1], "few") == 0)
        setrlimit(RLIMIT_NOFILE, &few);
    struct rlimit processes = {limited ? strtoul(argv[2], NULL, 10) : 0, 1024};
    if (limited)
        setrlimit(RLIMIT_NPROC, &processes);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &universe, &found);
    code = MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter, MPI_ERRCODES_IGNORE);
    if (code == MPI_SUCCESS) {
        MPI_Reduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_ROOT, inter);
        MPI_Comm_disconnect(&inter);
        printf("%d started, %s\n", sum, found && *universe > 1 ? "as more can be" : "though none can be");
    } else {
        MPI_Error_class(code, &class);
        MPI_Error_string(code, text, &length);
        printf("%s of %d: %s\n", class == MPI_ERR_SPAWN ? "MPI_ERR_SPAWN" : "another error", found ? *universe : -1, text);
    }
    MPI_Finalize();
    return 0;
}
