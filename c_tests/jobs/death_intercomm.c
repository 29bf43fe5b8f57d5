/* ranks: 4 8; expect-exit: 137; expect-stderr: was killed by signal 9; mpich: skip a death ends the job */
/* An intercommunicator one of whose processes is killed: what needs it ends with an error on both sides; making
 * communicators with it fails, and without it goes on. */
#include "death.h"

/* Those of `all` from `first` on, without the victim or with it. */
static MPI_Group part(int first, int last, int with_victim)
{
    MPI_Group group, some;
    int ranks[64], n = 0;
    OK(MPI_Comm_group(all, &group));
    for (int i = first; i <= last; i++)
        if (i != VICTIM || with_victim)
            ranks[n++] = i;
    OK(MPI_Group_incl(group, n, ranks, &some));
    OK(MPI_Group_free(&group));
    return some;
}

int main(int argc, char **argv)
{
    MPI_Comm local, comm, other, made;
    MPI_Request request;
    int number = 0, sum, remote, flag, code;
    death_start(&argc, &argv);
    /* Ranks 0 and 1 of `all` on one side. */
    int side = rank > VICTIM;
    OK(MPI_Comm_split(all, side, rank, &local));
    OK(MPI_Intercomm_create(local, 0, all, side ? 0 : 2, 3, &comm));
    OK(MPI_Comm_dup(comm, &other));
    OK(MPI_Comm_remote_size(comm, &remote));
    together();
    if (rank == VICTIM)
        die();
    await_death();

    CHECK_CLASS(MPI_Barrier(comm), MPIX_ERR_PROC_FAILED);
    CHECK_CLASS(MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, comm), MPIX_ERR_PROC_FAILED);
    CHECK_CLASS(MPI_Comm_dup(comm, &made), MPIX_ERR_PROC_FAILED);
    CHECK_CLASS(MPI_Intercomm_merge(comm, side, &made), MPIX_ERR_PROC_FAILED);
    if (side) {
        CHECK_CLASS(MPI_Recv(&number, 1, MPI_INT, VICTIM, 0, comm, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
        CHECK_CLASS(MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
        CHECK_CLASS(MPI_Ssend(&number, 1, MPI_INT, VICTIM, 0, comm), MPIX_ERR_PROC_FAILED);
    }
    /* A broadcast of the living to the living side: what it needs has come, or it fails; it never hangs. */
    code = MPI_Ibcast(&number, 1, MPI_INT, side ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, other, &request);
    if (code == MPI_SUCCESS)
        code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS)
        CHECK_CLASS(code, MPIX_ERR_PROC_FAILED);
    code = MPI_Comm_idup(other, &made, &request);
    if (code == MPI_SUCCESS)
        code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK_CLASS(code, MPIX_ERR_PROC_FAILED);

    /* Messages between the living of both sides go on. */
    if (rank == 0)
        for (int i = 0; i < remote; i++)
            OK(MPI_Send(&i, 1, MPI_INT, i, 9, comm));
    if (side) {
        OK(MPI_Recv(&number, 1, MPI_INT, 0, 9, comm, MPI_STATUS_IGNORE));
        CHECK_EQ(number, rank - 2);
    }

    /* With the dead and without. */
    MPI_Group everybody = part(0, size - 1, 1), living = part(0, size - 1, 0);
    MPI_Group one = part(0, 0, 0), others = part(2, size - 1, 0);
    CHECK_CLASS(MPI_Comm_create_group(all, everybody, 1, &made), MPIX_ERR_PROC_FAILED);
    OK(MPI_Comm_create_group(all, living, 2, &made));
    OK(MPI_Comm_free(&made));
    OK(MPI_Intercomm_create_from_groups(side ? others : one, 0, side ? one : others, 0, "the living", MPI_INFO_NULL,
                                        MPI_ERRORS_RETURN, &made));
    OK(MPI_Comm_test_inter(made, &flag));
    CHECK(flag);
    number = 1;
    OK(MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, made));
    CHECK_EQ(sum, side ? 1 : size - 2);
    OK(MPI_Comm_free(&made));
    OK(MPI_Group_free(&everybody));
    OK(MPI_Group_free(&living));
    OK(MPI_Group_free(&one));
    OK(MPI_Group_free(&others));
    return check_end();
}
