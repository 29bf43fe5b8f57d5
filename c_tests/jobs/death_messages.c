/* ranks: 3 4 8; expect-exit: 137; expect-stderr: was killed by signal 9; mpich: skip a death ends the job */
/* Messages and collective operations with a process that is killed: everything that needs it ends with an error, what it
 * has sent arrives, and the others go on talking. */
#include "death.h"

enum { SMALL = 500, LARGE = 1 << 20 };

static int large[LARGE];

/* What the victim has sent before its end is received, in full. */
static void the_last_words(void)
{
    if (rank == VICTIM) {
        for (int i = 0; i < SMALL; i++)
            OK(MPI_Send(&i, 1, MPI_INT, 0, 1, all));
        die();
    }
    if (rank == 0) {
        for (int i = 0; i < SMALL; i++) {
            int got = -1;
            OK(MPI_Recv(&got, 1, MPI_INT, i % 2 ? VICTIM : MPI_ANY_SOURCE, 1, all, MPI_STATUS_IGNORE));
            CHECK_EQ(got, i);
        }
    }
}

static void nothing_more_comes(void)
{
    int got, flag, code;
    MPI_Status statuses[3];
    MPI_Request requests[3];
    MPI_Message message;
    FAILS(MPI_Recv(&got, 1, MPI_INT, VICTIM, 7, all, MPI_STATUS_IGNORE), "receiving from rank 1");
    FAILS(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 7, all, MPI_STATUS_IGNORE),
          "receiving from any rank, tag 7: ");
    CHECK_CLASS(MPI_Ssend(&got, 1, MPI_INT, VICTIM, 7, all), MPIX_ERR_PROC_FAILED);
    CHECK_CLASS(MPI_Send(large, LARGE, MPI_INT, VICTIM, 7, all), MPIX_ERR_PROC_FAILED);
    CHECK_CLASS(MPI_Probe(VICTIM, 7, all, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
    CHECK_CLASS(MPI_Mprobe(VICTIM, 7, all, &message, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
    while ((code = MPI_Iprobe(VICTIM, 7, all, &flag, MPI_STATUS_IGNORE)) == MPI_SUCCESS)
        CHECK(!flag);
    CHECK_CLASS(code, MPIX_ERR_PROC_FAILED);

    /* Ring by ring: small messages are taken until there is no room. */
    do
        code = MPI_Send(large, 500, MPI_INT, VICTIM, 7, all);
    while (code == MPI_SUCCESS);
    CHECK_CLASS(code, MPIX_ERR_PROC_FAILED);

    OK(MPI_Irecv(&got, 1, MPI_INT, VICTIM, 7, all, &requests[0]));
    while ((code = MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE)) == MPI_SUCCESS)
        CHECK(!flag);
    CHECK_CLASS(code, MPIX_ERR_PROC_FAILED);
    CHECK(requests[0] == MPI_REQUEST_NULL);

    /* Of several requests only the dead's fails. */
    OK(MPI_Irecv(&got, 1, MPI_INT, VICTIM, 7, all, &requests[0]));
    OK(MPI_Irecv(&flag, 1, MPI_INT, rank, 8, all, &requests[1]));
    OK(MPI_Isend(&size, 1, MPI_INT, rank, 8, all, &requests[2]));
    CHECK_CLASS(MPI_Waitall(3, requests, statuses), MPI_ERR_IN_STATUS);
    CHECK_CLASS(statuses[0].MPI_ERROR, MPIX_ERR_PROC_FAILED);
    CHECK_EQ(statuses[1].MPI_ERROR, MPI_SUCCESS);
    CHECK_EQ(statuses[2].MPI_ERROR, MPI_SUCCESS);
    CHECK_EQ(flag, size);
}

/* The wait for the living goes on, asleep, after the dead's request has failed. */
static void one_of_two(void)
{
    int got[2] = {-1, -1};
    MPI_Status statuses[2];
    MPI_Request requests[2];
    if (rank == 0) {
        OK(MPI_Irecv(&got[0], 1, MPI_INT, VICTIM, 9, all, &requests[0]));
        OK(MPI_Irecv(&got[1], 1, MPI_INT, 2, 9, all, &requests[1]));
        CHECK_CLASS(MPI_Waitall(2, requests, statuses), MPI_ERR_IN_STATUS);
        CHECK_CLASS(statuses[0].MPI_ERROR, MPIX_ERR_PROC_FAILED);
        CHECK_EQ(statuses[1].MPI_ERROR, MPI_SUCCESS);
        CHECK_EQ(got[1], 2);
    } else if (rank == 2) {
        sleep_ms(300);
        OK(MPI_Send(&rank, 1, MPI_INT, 0, 9, all));
    }
}

static void collectives(void)
{
    int one = 1, sum = 0, flag = 0, code, *many = calloc((size_t)size * 1000, sizeof *many);
    MPI_Request request;
    MPI_Comm copy;
    CHECK(many != NULL);
    FAILS(MPI_Barrier(all), "MPI_Barrier on communicator ");
    FAILS(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all), "MPI_Allreduce on communicator ");
    CHECK_CLASS(MPI_Allreduce(MPI_IN_PLACE, large, LARGE, MPI_INT, MPI_SUM, all), MPIX_ERR_PROC_FAILED);
    CHECK_CLASS(MPI_Allgather(large, 1000, MPI_INT, many, 1000, MPI_INT, all), MPIX_ERR_PROC_FAILED);
    CHECK_CLASS(MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, many, 1000, MPI_INT, all),
                MPIX_ERR_PROC_FAILED);
    FAILS(MPI_Comm_dup(all, &copy), "MPI_Comm_dup: ");
    OK(MPI_Ibarrier(all, &request));
    CHECK_CLASS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
    OK(MPI_Ibarrier(all, &request));
    while ((code = MPI_Test(&request, &flag, MPI_STATUS_IGNORE)) == MPI_SUCCESS)
        CHECK(!flag);
    CHECK_CLASS(code, MPIX_ERR_PROC_FAILED);
    free(many);
}

/* A communicator without the dead works. */
static void without(void)
{
    int one = 1, sum = 0, dead = VICTIM;
    MPI_Group group, living;
    MPI_Comm rest;
    OK(MPI_Comm_group(all, &group));
    OK(MPI_Group_excl(group, 1, &dead, &living));
    OK(MPI_Comm_create_group(all, living, 3, &rest));
    for (int i = 0; i < 100; i++) {
        OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, rest));
        CHECK_EQ(sum, size - 1);
        OK(MPI_Barrier(rest));
    }
    OK(MPI_Comm_free(&rest));
    OK(MPI_Group_free(&living));
    OK(MPI_Group_free(&group));
}

int main(int argc, char **argv)
{
    death_start(&argc, &argv);
    together();
    the_last_words();
    await_death();
    nothing_more_comes();
    one_of_two();
    collectives();
    without();
    return check_end();
}
