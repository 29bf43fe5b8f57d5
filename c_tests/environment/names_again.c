/* ranks: 3; env: RMASHM_CHECK=off; mpich: skip it has no names without a server */
/* Names are published and taken back over and over, while others look for them: who finds one finds the port that it was published with
 * (MPI 4.1 section 11.9.4). */
#include "check.h"

enum { ROUNDS = 20000, NAMES = 4, LONG = 150 };

static char names[NAMES][20], ports[NAMES][LONG + 1];

static void look(void)
{
    char port[MPI_MAX_PORT_NAME];
    for (int i = 0; i < NAMES; i++) {
        int code = MPI_Lookup_name(names[i], MPI_INFO_NULL, port);
        if (code == MPI_SUCCESS)
            CHECK(strcmp(port, ports[i]) == 0);
        else
            CHECK_CLASS(code, MPI_ERR_NAME);
    }
}

int main(int argc, char **argv)
{
    int flag = 0;
    MPI_Request over;
    check_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    /* Names and ports of the same length, and of others: what was one name's is another's. */
    for (int i = 0; i < NAMES; i++) {
        snprintf(names[i], sizeof names[i], "service %c%s", 'a' + i, i == 3 ? ", longer" : "");
        memset(ports[i], 'A' + i, LONG - (i == 2 ? 30 : 0));
    }
    if (rank == 0) {
        uint64_t state = 3;
        for (int round = 0; round < ROUNDS; round++) {
            int i = (int)(draw(&state) % NAMES);
            OK(MPI_Publish_name(names[i], MPI_INFO_NULL, ports[i]));
            CHECK_CLASS(MPI_Publish_name(names[i], MPI_INFO_NULL, ports[i]), MPI_ERR_SERVICE);
            OK(MPI_Unpublish_name(names[i], MPI_INFO_NULL, ports[i]));
        }
        OK(MPI_Ibarrier(MPI_COMM_WORLD, &over));
        OK(MPI_Wait(&over, MPI_STATUS_IGNORE));
    } else {
        OK(MPI_Ibarrier(MPI_COMM_WORLD, &over));
        while (!flag) {
            look();
            OK(MPI_Test(&over, &flag, MPI_STATUS_IGNORE));
        }
        look();
    }
    return check_end();
}
