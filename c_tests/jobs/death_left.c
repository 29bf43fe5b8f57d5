/* ranks: 3 4; expect-exit: 137; expect-stderr: was killed by signal 9; mpich: skip a death ends the job */
/* A rank that has come to MPI_Finalize since another died does nothing for others any more: they are told, also where they wait for
 * buffered messages, and in collective operations that were started. */
#include "death.h"

enum { BYTES = 1 << 20, LEAVES = 0, STAYS = 2, OPERATIONS = 3 };

static void buffered_messages(char *buffer, int bytes)
{
    int length = -1;
    void *detached = NULL;
    OK(MPI_Buffer_detach(&detached, &length));
    CHECK(detached == buffer);
    CHECK_EQ(length, bytes);
}

/* `others` are those that live. */
static void started_operations(MPI_Comm others)
{
    int given[OPERATIONS] = {1, 2, 3}, got[OPERATIONS];
    MPI_Request requests[OPERATIONS];
    MPI_Status statuses[OPERATIONS];
    for (int i = 0; i < OPERATIONS; i++)
        OK(MPI_Iallreduce(&given[i], &got[i], 1, MPI_INT, MPI_SUM, others, &requests[i]));
    CHECK_CLASS(MPI_Wait(&requests[1], MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
    CHECK_CLASS(MPI_Waitall(OPERATIONS, requests, statuses), MPI_ERR_IN_STATUS);
    CHECK_CLASS(statuses[0].MPI_ERROR, MPIX_ERR_PROC_FAILED);
    CHECK_EQ(statuses[1].MPI_ERROR, MPI_SUCCESS);
    CHECK_CLASS(statuses[2].MPI_ERROR, MPIX_ERR_PROC_FAILED);
}

/* Who has left is among those that have failed: calls that need it fail, and a receive from any rank is to be able to go on. */
static void failed_ones(MPI_Comm others)
{
#ifdef MPIX_ERR_REVOKED
    MPI_Group members, failed;
    int leaves = LEAVES, me, place = -1;
    OK(MPIX_Comm_get_failed(others, &failed));
    OK(MPI_Comm_group(others, &members));
    OK(MPI_Group_translate_ranks(members, 1, &leaves, failed, &place));
    CHECK(place != MPI_UNDEFINED);
    OK(MPI_Group_rank(failed, &me));
    CHECK_EQ(me, MPI_UNDEFINED);
    OK(MPI_Group_free(&members));
    OK(MPI_Group_free(&failed));
#else
    (void)others;
#endif
}

int main(int argc, char **argv)
{
    int bytes = BYTES + MPI_BSEND_OVERHEAD;
    char *data = calloc(1, BYTES), *buffer = calloc(1, (size_t)bytes);
    MPI_Comm others;
    death_start(&argc, &argv);
    OK(MPI_Comm_split(all, rank == VICTIM, rank, &others));
    OK(MPI_Comm_set_errhandler(others, MPI_ERRORS_RETURN));
    if (rank == STAYS) {
        OK(MPI_Buffer_attach(buffer, bytes));
        OK(MPI_Bsend(data, BYTES, MPI_BYTE, LEAVES, 3, all));
    }
    together();
    if (rank == VICTIM)
        die();
    await_death();
    if (rank == STAYS)
        buffered_messages(buffer, bytes);
    if (rank != LEAVES) {
        started_operations(others);
        failed_ones(others);
    }
    free(data);
    free(buffer);
    return check_end();
}
