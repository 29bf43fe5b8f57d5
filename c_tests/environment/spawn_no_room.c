/* ranks: 1; env: RMASHM_CHECK=off; mpich: skip it has other bounds */
/* More processes are asked for than there is room for, while those that are there wait for the one that asks: it is refused, after a while in
 * which some could have ended, and goes on. So it is with a request that is too long. No deadlock is seen in that. */
#include "check.h"

enum { LONG = 70 << 20, MOST = 1 << 20 };

int main(int argc, char **argv)
{
    MPI_Comm parent, inter, more;
    MPI_Info info;
    int number = 0, count, sum = 0;
    check_start(&argc, &argv);
    OK(MPI_Comm_get_parent(&parent));
    if (parent != MPI_COMM_NULL) {
        OK(MPI_Recv(&number, 1, MPI_INT, 0, 1, parent, MPI_STATUS_IGNORE));
        OK(MPI_Send(&rank, 1, MPI_INT, 0, 2, parent));
        OK(MPI_Comm_disconnect(&parent));
        return check_end();
    }
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    char *words[] = {malloc(LONG + 1), NULL};
    CHECK(words[0] != NULL);
    memset(words[0], 'a', LONG);
    words[0][LONG] = 0;
    CHECK_SENTENCE(MPI_Comm_spawn(argv[0], words, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter, MPI_ERRCODES_IGNORE),
                   MPI_ERR_SPAWN, "bytes");
    free(words[0]);

    /* As many as there is room for. */
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "soft", "1:1048576"));
    OK(MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, MOST, info, 0, MPI_COMM_SELF, &inter, MPI_ERRCODES_IGNORE));
    OK(MPI_Comm_remote_size(inter, &count));
    CHECK_CLASS(MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &more, MPI_ERRCODES_IGNORE),
                MPI_ERR_SPAWN);
    for (int to = 0; to < count; to++)
        OK(MPI_Send(&number, 1, MPI_INT, to, 1, inter));
    for (int from = 0; from < count; from++) {
        OK(MPI_Recv(&number, 1, MPI_INT, from, 2, inter, MPI_STATUS_IGNORE));
        sum += number;
    }
    CHECK_EQ(sum, count * (count - 1) / 2);
    OK(MPI_Comm_disconnect(&inter));
    OK(MPI_Info_free(&info));
    return check_end();
}
