/* ranks: 1; mpich: skip it has other limits */
/* More objects of a kind than there are handles for: MPI_ERR_NO_MEM, nothing is lost, and after one was freed there is room
 * for one. */
#include "check.h"

enum { HANDLES = 1 << 20 };

static void infos(void)
{
    MPI_Info *all = malloc((HANDLES + 1) * sizeof *all), more = MPI_INFO_NULL;
    char value[16];
    int code = MPI_SUCCESS, n = 0, length, flag;
    CHECK(all);
    while (n <= HANDLES && (code = MPI_Info_create(&all[n])) == MPI_SUCCESS)
        n++;
    CHECK_SENTENCE(code, MPI_ERR_NO_MEM, "exhausted");
    CHECK(n > HANDLES / 2);
    OK(MPI_Info_set(all[n - 1], "key", "last"));
    CHECK_CLASS(MPI_Info_dup(all[0], &more), MPI_ERR_NO_MEM);
    OK(MPI_Info_free(&all[n / 2]));
    OK(MPI_Info_dup(all[n - 1], &all[n / 2]));
    CHECK_CLASS(MPI_Info_create(&more), MPI_ERR_NO_MEM);
    length = sizeof value;
    OK(MPI_Info_get_string(all[n / 2], "key", &length, value, &flag));
    CHECK(flag && strcmp(value, "last") == 0);
    while (n > 0)
        OK(MPI_Info_free(&all[--n]));
    free(all);
}

/* A receive that finds no handle is not posted: it meets no message. A send is not announced: nothing meets it. */
static void requests(void)
{
    MPI_Request *all = malloc((HANDLES + 1) * sizeof *all), more = MPI_REQUEST_NULL;
    static int got[2] = { -1, -1 };
    int code = MPI_SUCCESS, n = 0, sent = 7;
    CHECK(all);
    while (n <= HANDLES && (code = MPI_Irecv(&got[0], 1, MPI_INT, 0, 1, MPI_COMM_SELF, &all[n])) == MPI_SUCCESS)
        n++;
    CHECK_SENTENCE(code, MPI_ERR_NO_MEM, "exhausted");
    CHECK(n > HANDLES / 2);
    CHECK_CLASS(MPI_Irecv(&got[1], 1, MPI_INT, 0, 2, MPI_COMM_SELF, &more), MPI_ERR_NO_MEM);
    CHECK_CLASS(MPI_Recv_init(&got[1], 1, MPI_INT, 0, 2, MPI_COMM_SELF, &more), MPI_ERR_NO_MEM);
    CHECK_CLASS(MPI_Issend(&sent, 1, MPI_INT, 0, 2, MPI_COMM_SELF, &more), MPI_ERR_NO_MEM);
    CHECK(more == MPI_REQUEST_NULL);
    OK(MPI_Cancel(&all[n - 1]));
    OK(MPI_Wait(&all[n - 1], MPI_STATUS_IGNORE));
    OK(MPI_Irecv(&got[1], 1, MPI_INT, 0, 2, MPI_COMM_SELF, &all[n - 1]));
    OK(MPI_Send(&sent, 1, MPI_INT, 0, 2, MPI_COMM_SELF));
    OK(MPI_Wait(&all[n - 1], MPI_STATUS_IGNORE));
    CHECK_EQ(got[1], 7);
    CHECK_EQ(got[0], -1);
    for (int i = 0; i < n - 1; i++)
        OK(MPI_Cancel(&all[i]));
    OK(MPI_Waitall(n - 1, all, MPI_STATUSES_IGNORE));
    free(all);
}

/* A message that a matched probe finds no handle for stays where it was. */
static void messages(void)
{
    MPI_Message *all = malloc((HANDLES + 1) * sizeof *all), more = MPI_MESSAGE_NULL;
    int code = MPI_SUCCESS, n = 0, flag = 0, got = -1;
    CHECK(all);
    do {
        OK(MPI_Send(&n, 1, MPI_INT, 0, 3, MPI_COMM_SELF));
        code = MPI_Improbe(0, 3, MPI_COMM_SELF, &flag, &all[n], MPI_STATUS_IGNORE);
    } while (code == MPI_SUCCESS && flag && n++ < HANDLES);
    CHECK_SENTENCE(code, MPI_ERR_NO_MEM, "exhausted");
    CHECK(n > HANDLES / 2);
    CHECK_CLASS(MPI_Mprobe(0, 3, MPI_COMM_SELF, &more, MPI_STATUS_IGNORE), MPI_ERR_NO_MEM);
    OK(MPI_Mrecv(&got, 1, MPI_INT, &all[0], MPI_STATUS_IGNORE));
    CHECK_EQ(got, 0);
    OK(MPI_Mprobe(0, 3, MPI_COMM_SELF, &all[0], MPI_STATUS_IGNORE));
    OK(MPI_Mrecv(&got, 1, MPI_INT, &all[0], MPI_STATUS_IGNORE));
    CHECK_EQ(got, n);
    for (int i = 1; i < n; i++) {
        OK(MPI_Mrecv(&got, 1, MPI_INT, &all[i], MPI_STATUS_IGNORE));
        CHECK_EQ(got, i);
    }
    free(all);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    infos();
    messages();
    requests();
    return check_end();
}
