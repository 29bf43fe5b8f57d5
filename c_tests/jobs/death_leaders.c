/* ranks: 4 6; abi: mpich; expect-exit: 137; expect-stderr: was killed by signal 9; mpich: skip a death ends the job, and names beyond MPI */
/* A process is killed, and a communicator revoked, while the one that acts for it waits for another group: at a port that nobody comes to, and for the
 * other leader of MPI_Intercomm_create, who comes later. All fail, and the next call of the same leaders with the same tag finds nothing of that left. */
#include "death.h"

enum { TAG = 5, PORT_LENGTH = 256 };

static MPI_Comm local;
static int here, are_many, other;
static char port[MPI_MAX_PORT_NAME];

/* The other leader may come. */
static void call_other(void)
{
    if (are_many && here == 0)
        OK(MPI_Send(NULL, 0, MPI_INT, other, 1, all));
}

static void await_call(void)
{
    if (here == 0)
        OK(MPI_Recv(NULL, 0, MPI_INT, other, 1, all, MPI_STATUS_IGNORE));
}

static void both_can(void)
{
    MPI_Comm inter;
    int sum = 0, one = 1, remote;
    OK(MPI_Intercomm_create(local, 0, all, other, TAG, &inter));
    OK(MPI_Comm_remote_size(inter, &remote));
    OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, inter));
    CHECK_EQ(sum, remote);
    OK(MPI_Comm_free(&inter));
}

/* The last process of the local group revokes it when the others wait. */
static void revoked(MPI_Comm comm, int is_accept, MPI_Comm *inter)
{
    int size_here;
    OK(MPI_Comm_size(comm, &size_here));
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    if (here == size_here - 1) {
        sleep_ms(200);
        OK(MPIX_Comm_revoke(comm));
    } else if (is_accept)
        CHECK_CLASS(MPI_Comm_accept(port, MPI_INFO_NULL, 0, comm, inter), MPIX_ERR_REVOKED);
    else
        CHECK_CLASS(MPI_Intercomm_create(comm, 0, all, other, TAG, inter), MPIX_ERR_REVOKED);
}

int main(int argc, char **argv)
{
    MPI_Comm inter, left, dup;
    death_start(&argc, &argv);
    are_many = rank < 3;
    other = are_many ? 3 : 0;
    OK(MPI_Comm_split(all, are_many, rank, &local));
    OK(MPI_Comm_set_errhandler(local, MPI_ERRORS_RETURN));
    OK(MPI_Comm_rank(local, &here));
    if (rank == 0)
        OK(MPI_Open_port(MPI_INFO_NULL, port));
    OK(MPI_Bcast(port, PORT_LENGTH, MPI_CHAR, 0, all));
    OK(MPI_Comm_dup(local, &dup));
    together();

    /* Each of the two meets one death alone, so the other one is tried by what is revoked. */
    int is_accept = size == 4;
    if (are_many) {
        if (rank == VICTIM)
            die_in(300000);
        if (is_accept)
            CHECK_CLASS(MPI_Comm_accept(port, MPI_INFO_NULL, 0, local, &inter), MPIX_ERR_PROC_FAILED);
        else
            CHECK_CLASS(MPI_Intercomm_create(local, 0, all, other, TAG, &inter), MPIX_ERR_PROC_FAILED);
        OK(MPIX_Comm_shrink(local, &left));
        OK(MPI_Comm_free(&local));
        local = left;
        OK(MPI_Comm_rank(local, &here));
    }
    call_other();
    if (!are_many) {
        await_call();
        if (!is_accept)
            CHECK_CLASS(MPI_Intercomm_create(local, 0, all, other, TAG, &inter), MPIX_ERR_PROC_FAILED);
    }
    both_can();

    OK(MPI_Comm_free(&dup));
    OK(MPI_Comm_dup(local, &dup));
    if (are_many)
        revoked(dup, is_accept, &inter);
    call_other();
    if (!are_many) {
        await_call();
        if (!is_accept)
            CHECK_CLASS(MPI_Intercomm_create(local, 0, all, other, TAG, &inter), MPI_ERR_OTHER);
    }
    both_can();
    OK(MPI_Comm_free(&dup));
    OK(MPI_Comm_free(&local));
    if (rank == 0)
        OK(MPI_Close_port(port));
    return check_end();
}
