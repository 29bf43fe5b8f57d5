/* What the info key maxprocs of the environment is before MPI_Init, while MPI is initialized, and after MPI_Finalize: a line.
 * "before": only the first. "starts COMMAND": has the shell run COMMAND while MPI is initialized, and prints nothing else. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *get(MPI_Info info)
{
    static char values[8][16];
    static int next;
    char *value = values[next++];
    int flag, room = sizeof values[0];
    MPI_Info_get_string(info, "maxprocs", &room, value, &flag);
    return flag ? value : "none";
}

static const char *now(int argc, char **argv)
{
    MPI_Info info;
    MPI_Info_create_env(argc, argv, &info);
    const char *value = get(info);
    MPI_Info_free(&info);
    return value;
}

int main(int argc, char **argv)
{
    int code = 0;
    const char *before = now(argc, argv);
    if (argc > 1 && strcmp(argv[1], "before") == 0) {
        printf("%s\n", before);
        return 0;
    }
    MPI_Init(&argc, &argv);
    if (argc > 2 && strcmp(argv[1], "starts") == 0) {
        code = system(argv[2]);
        MPI_Finalize();
        return code != 0;
    }
    const char *constant = get(MPI_INFO_ENV), *during = now(argc, argv);
    MPI_Finalize();
    const char *after = now(argc, argv);
    printf("%s %s %s %s %s\n", argc > 1 ? argv[1] : "", before, constant, during, after);
    return 0;
}
