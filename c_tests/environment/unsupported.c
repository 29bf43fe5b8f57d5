/* ranks: 1 2; mpich: skip it offers these */
/* What is not offered says so, after its arguments were checked. */
#include "check.h"

int main(int argc, char **argv)
{
    MPI_Comm comm = MPI_COMM_SELF;
    char port[MPI_MAX_PORT_NAME] = "port";
    check_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Comm_get_parent(&comm));
    CHECK(comm == MPI_COMM_NULL);
    CHECK_CLASS(MPI_Comm_get_parent(NULL), MPI_ERR_ARG);

    int errcodes[2], most[1] = {1};
    char *commands[1] = {argv[0]};
    MPI_Info infos[1] = {MPI_INFO_NULL};
    CHECK_CLASS(MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &comm, errcodes),
                MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK_CLASS(MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, size, MPI_COMM_WORLD, &comm, errcodes),
                MPI_ERR_ROOT);
    CHECK_CLASS(MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_NULL, &comm, errcodes),
                MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_spawn(NULL, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm, errcodes), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_spawn_multiple(1, commands, MPI_ARGVS_NULL, most, infos, 0, MPI_COMM_WORLD, &comm,
                                        MPI_ERRCODES_IGNORE),
                MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK_CLASS(MPI_Comm_spawn_multiple(-1, commands, MPI_ARGVS_NULL, most, infos, 0, MPI_COMM_SELF, &comm,
                                        MPI_ERRCODES_IGNORE),
                MPI_ERR_ARG);
    CHECK_CLASS(MPI_Open_port(MPI_INFO_NULL, port), MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK_CLASS(MPI_Open_port(MPI_INFO_NULL, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Close_port(port), MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK_CLASS(MPI_Close_port(NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &comm), MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK_CLASS(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &comm), MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK_CLASS(MPI_Comm_connect(port, MPI_INFO_NULL, -1, MPI_COMM_WORLD, &comm), MPI_ERR_ROOT);
    CHECK_CLASS(MPI_Comm_join(0, &comm), MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK_CLASS(MPI_Comm_join(-1, &comm), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Publish_name("name", MPI_INFO_NULL, port), MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK_CLASS(MPI_Publish_name(NULL, MPI_INFO_NULL, port), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Unpublish_name("name", MPI_INFO_NULL, port), MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK_CLASS(MPI_Lookup_name("name", MPI_INFO_NULL, port), MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK(comm == MPI_COMM_NULL);
    return check_end();
}
