/* ranks: 2 4 9; name: revoke; args: revoke; env: RMASHM_CHECK=off; abi: mpich; mpich: skip names beyond MPI */
/* ranks: 3 4 9; name: shrink; args: shrink; env: RMASHM_CHECK=off; expect-exit: 137; expect-stderr: was killed by signal 9; abi: mpich; mpich: skip names beyond MPI */
/* ranks: 3 4 9; name: agree; args: agree; env: RMASHM_CHECK=off; expect-exit: 137; expect-stderr: was killed by signal 9; abi: mpich; mpich: skip names beyond MPI */
/* ranks: 3 5; name: any; args: any; env: RMASHM_CHECK=off; expect-exit: 137; expect-stderr: was killed by signal 9; abi: mpich; mpich: skip names beyond MPI */
/* ranks: 4 7; name: groups; args: groups; env: RMASHM_CHECK=off; expect-exit: 137; expect-stderr: was killed by signal 9; abi: mpich; mpich: skip names beyond MPI */
/* ranks: 4; name: checkpoint; args: checkpoint; env: RMASHM_CHECK=off; expect-exit: 137; expect-stderr: was killed by signal 9; abi: mpich; mpich: skip names beyond MPI */
/* ranks: 3; name: replace; args: replace; env: RMASHM_CHECK=off; expect-exit: 137; expect-stderr: was killed by signal 9; abi: mpich; mpich: skip names beyond MPI */
/* ranks: 2; name: wrong; args: wrong; env: RMASHM_CHECK=off; abi: mpich; mpich: skip names beyond MPI */
/* Going on after a death (ULFM): communicators are revoked, shrunk and agreed in; receives from any rank are held up until the death is
 * acknowledged; data of the dead is in a neighbour's window; others are started in its place. */
#include "check.h"
#include <signal.h>
#include <unistd.h>

static char *program;

/* The last rank dies. */
static int last(void)
{
    return size - 1;
}

static MPI_Comm twin(void)
{
    MPI_Comm comm;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    return comm;
}

/* All that waits in a communicator ends when it is revoked, and all that comes after. Others go on. */
static void do_revoke(void)
{
    MPI_Comm comm = twin(), other = twin(), made;
    MPI_Request requests[3];
    MPI_Status statuses[3], status;
    int numbers[3] = {0, 0, 0}, flag = 1, next = (rank + 1) % size, before = (rank + size - 1) % size;
    int codes[3], found;

    OK(MPIX_Comm_is_revoked(comm, &flag));
    CHECK_EQ(flag, 0);
    /* A message that has come is not received any more. */
    OK(MPI_Send(&rank, 1, MPI_INT, next, 9, comm));
    OK(MPI_Irecv(&numbers[0], 1, MPI_INT, before, 1, comm, &requests[0]));
    OK(MPI_Irecv(&numbers[1], 1, MPI_INT, MPI_ANY_SOURCE, 2, comm, &requests[1]));
    OK(MPI_Ibarrier(other, &requests[2]));
    OK(MPI_Barrier(other));
    if (rank == 0) {
        usleep(20000);
        OK(MPIX_Comm_revoke(comm));
        OK(MPIX_Comm_revoke(comm));
    } else if (rank % 2 == 1) {
        CHECK_CLASS(MPI_Barrier(comm), MPIX_ERR_REVOKED);
    } else {
        CHECK_CLASS(MPI_Recv(&numbers[2], 1, MPI_INT, before, 3, comm, &status), MPIX_ERR_REVOKED);
    }
    CHECK_CLASS(MPI_Waitall(3, requests, statuses), MPI_ERR_IN_STATUS);
    for (int i = 0; i < 3; i++)
        MPI_Error_class(statuses[i].MPI_ERROR, &codes[i]);
    CHECK_EQ(codes[0], MPIX_ERR_REVOKED);
    CHECK_EQ(codes[1], MPIX_ERR_REVOKED);
    CHECK_EQ(codes[2], MPI_SUCCESS);
    for (int i = 0; i < 3; i++)
        CHECK(requests[i] == MPI_REQUEST_NULL);
    OK(MPIX_Comm_is_revoked(comm, &flag));
    CHECK_EQ(flag, 1);

    /* All but what is local says so. */
    CHECK_CLASS(MPI_Send(&rank, 1, MPI_INT, next, 1, comm), MPIX_ERR_REVOKED);
    CHECK_CLASS(MPI_Isend(&rank, 1, MPI_INT, next, 1, comm, &requests[0]), MPIX_ERR_REVOKED);
    CHECK_CLASS(MPI_Recv(&numbers[0], 1, MPI_INT, before, 9, comm, &status), MPIX_ERR_REVOKED);
    CHECK_CLASS(MPI_Iprobe(before, 9, comm, &found, &status), MPIX_ERR_REVOKED);
    CHECK_CLASS(MPI_Probe(before, 9, comm, &status), MPIX_ERR_REVOKED);
    CHECK_CLASS(MPI_Bcast(numbers, 3, MPI_INT, 0, comm), MPIX_ERR_REVOKED);
    CHECK_CLASS(MPI_Allreduce(MPI_IN_PLACE, numbers, 3, MPI_INT, MPI_SUM, comm), MPIX_ERR_REVOKED);
    CHECK_CLASS(MPI_Ibcast(numbers, 3, MPI_INT, 0, comm, &requests[0]), MPIX_ERR_REVOKED);
    CHECK_CLASS(MPI_Comm_dup(comm, &made), MPIX_ERR_REVOKED);
    CHECK_CLASS(MPI_Comm_split(comm, 0, 0, &made), MPIX_ERR_REVOKED);
    int ranks;
    OK(MPI_Comm_size(comm, &ranks));
    CHECK_EQ(ranks, size);

    /* These go on. */
    flag = 6 | 1 << (8 + rank);
    OK(MPIX_Comm_agree(comm, &flag));
    CHECK_EQ(flag, 6);
    OK(MPIX_Comm_shrink(comm, &made));
    OK(MPI_Comm_size(made, &ranks));
    CHECK_EQ(ranks, size);
    OK(MPI_Barrier(made));
    OK(MPI_Barrier(other));
    OK(MPI_Comm_free(&made));
    OK(MPI_Comm_free(&comm));
    /* The number of one that is gone is not another's. */
    for (int i = 0; i < 100; i++) {
        OK(MPI_Comm_dup(other, &made));
        OK(MPI_Barrier(made));
        OK(MPIX_Comm_is_revoked(made, &flag));
        CHECK_EQ(flag, 0);
        OK(MPI_Barrier(other));
        if (i % 10 == 0)
            OK(MPIX_Comm_revoke(made));
        OK(MPI_Comm_free(&made));
    }
    OK(MPI_Comm_free(&other));
}

/* Who survives finds out, tells the others, and goes on in a communicator without the dead. */
static void do_shrink(void)
{
    MPI_Comm comm = twin(), made, again;
    MPI_Group failed, world, mine;
    int number, ranks, dead = last(), ended;

    OK(MPI_Barrier(comm));
    if (rank == dead)
        raise(SIGKILL);
    if (rank == 0) {
        CHECK_CLASS(MPI_Recv(&number, 1, MPI_INT, dead, 1, comm, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
        OK(MPIX_Comm_revoke(comm));
    } else {
        /* Rank 0 lives, but will send nothing. */
        CHECK_CLASS(MPI_Recv(&number, 1, MPI_INT, 0, 1, comm, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED);
    }
    OK(MPIX_Comm_shrink(comm, &made));
    OK(MPI_Comm_size(made, &ranks));
    CHECK_EQ(ranks, size - 1);
    OK(MPI_Comm_rank(made, &number));
    CHECK_EQ(number, rank);
    OK(MPI_Allreduce(&rank, &number, 1, MPI_INT, MPI_SUM, made));
    CHECK_EQ(number, (size - 1) * (size - 2) / 2);
    OK(MPIX_Comm_get_failed(comm, &failed));
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_size(failed, &ranks));
    CHECK_EQ(ranks, 1);
    int zero = 0;
    OK(MPI_Group_translate_ranks(failed, 1, &zero, world, &number));
    CHECK_EQ(number, dead);
    /* By and by, of one that is whole. */
    MPI_Request request;
    OK(MPIX_Comm_ishrink(made, &again, &request));
    OK(MPI_Barrier(made));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Comm_compare(made, again, &ended));
    CHECK_EQ(ended, MPI_CONGRUENT);
    /* One-sided communication among those that are left. */
    MPI_Win win;
    int *base;
    OK(MPI_Win_allocate(sizeof *base, 1, MPI_INFO_NULL, again, &base, &win));
    *base = 0;
    OK(MPI_Barrier(again));
    int one = 1;
    OK(MPI_Win_lock_all(0, win));
    OK(MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win));
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Barrier(again));
    if (rank == 0)
        CHECK_EQ(*base, size - 1);
    OK(MPI_Win_free(&win));
    OK(MPI_Comm_group(again, &mine));
    OK(MPI_Group_free(&mine));
    OK(MPI_Group_free(&failed));
    OK(MPI_Group_free(&world));
    OK(MPI_Comm_free(&again));
    OK(MPI_Comm_free(&made));
    OK(MPI_Comm_free(&comm));
}

/* All agree: without an error only where all have acknowledged. */
static void do_agree(void)
{
    MPI_Comm comm = twin();
    MPI_Group failed;
    MPI_Request requests[2];
    int flag, dead = last(), acknowledged, flags[2], of_failed;

    flag = ~(1 << rank);
    OK(MPIX_Comm_agree(comm, &flag));
    CHECK_EQ(flag, ~((1 << size) - 1));
    /* Several at once, in order. */
    flags[0] = rank == 0 ? 4 : 5;
    flags[1] = rank == 0 ? 3 : 2;
    OK(MPIX_Comm_iagree(comm, &flags[0], &requests[0]));
    OK(MPIX_Comm_iagree(comm, &flags[1], &requests[1]));
    flag = 7;
    OK(MPIX_Comm_agree(comm, &flag));
    CHECK_EQ(flag, 7);
    OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    CHECK_EQ(flags[0], 4);
    CHECK_EQ(flags[1], 2);

    if (rank == dead) {
        usleep(10000);
        raise(SIGKILL);
    }
    flag = 3;
    CHECK_CLASS(MPIX_Comm_agree(comm, &flag), MPIX_ERR_PROC_FAILED);
    CHECK_EQ(flag, 3);
    /* One that has acknowledged is not enough. */
    OK(MPIX_Comm_get_failed(comm, &failed));
    OK(MPI_Group_size(failed, &of_failed));
    CHECK_EQ(of_failed, 1);
    OK(MPI_Group_free(&failed));
    OK(MPIX_Comm_ack_failed(comm, 0, &acknowledged));
    CHECK_EQ(acknowledged, 0);
    if (rank == 0) {
        OK(MPIX_Comm_ack_failed(comm, 5, &acknowledged));
        CHECK_EQ(acknowledged, 1);
    }
    flag = 1;
    CHECK_CLASS(MPIX_Comm_agree(comm, &flag), MPIX_ERR_PROC_FAILED);
    OK(MPIX_Comm_failure_ack(comm));
    OK(MPIX_Comm_failure_get_acked(comm, &failed));
    OK(MPI_Group_size(failed, &of_failed));
    CHECK_EQ(of_failed, 1);
    OK(MPI_Group_free(&failed));
    flag = 2;
    OK(MPIX_Comm_agree(comm, &flag));
    CHECK_EQ(flag, 2);
    flags[0] = 2 + rank;
    OK(MPIX_Comm_iagree(comm, &flags[0], &requests[0]));
    OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    OK(MPI_Comm_free(&comm));
}

/* A receive from any rank: the one who is gone may be the one that it waits for. */
static void do_any(void)
{
    MPI_Comm comm = twin();
    MPI_Request requests[2], lasting;
    MPI_Status status, statuses[2];
    int number, numbers[2] = {-1, -1}, dead = last(), done, index;

    OK(MPI_Barrier(comm));
    if (rank == dead)
        raise(SIGKILL);
    if (rank > 0) {
        OK(MPI_Recv(&number, 1, MPI_INT, 0, 1, comm, MPI_STATUS_IGNORE));
        OK(MPI_Send(&rank, 1, MPI_INT, 0, 2, comm));
        OK(MPI_Send(&rank, 1, MPI_INT, 0, 3, comm));
        OK(MPI_Send(&rank, 1, MPI_INT, 0, 4, comm));
        OK(MPI_Comm_free(&comm));
        return;
    }
    CHECK_CLASS(MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 2, comm, &status), MPIX_ERR_PROC_FAILED);
    OK(MPI_Irecv(&numbers[0], 1, MPI_INT, MPI_ANY_SOURCE, 2, comm, &requests[0]));
    OK(MPI_Irecv(&numbers[1], 1, MPI_INT, MPI_ANY_SOURCE, 3, comm, &requests[1]));
    CHECK_CLASS(MPI_Wait(&requests[0], &status), MPIX_ERR_PROC_FAILED_PENDING);
    CHECK(requests[0] != MPI_REQUEST_NULL);
    CHECK_CLASS(MPI_Test(&requests[0], &done, &status), MPIX_ERR_PROC_FAILED_PENDING);
    CHECK(requests[0] != MPI_REQUEST_NULL);
    CHECK_CLASS(MPI_Waitall(2, requests, statuses), MPI_ERR_IN_STATUS);
    CHECK_CLASS(statuses[0].MPI_ERROR, MPIX_ERR_PROC_FAILED_PENDING);
    CHECK_CLASS(statuses[1].MPI_ERROR, MPIX_ERR_PROC_FAILED_PENDING);
    CHECK_CLASS(MPI_Waitany(2, requests, &index, &status), MPIX_ERR_PROC_FAILED_PENDING);
    CHECK(requests[0] != MPI_REQUEST_NULL && requests[1] != MPI_REQUEST_NULL);
    OK(MPI_Recv_init(&number, 1, MPI_INT, MPI_ANY_SOURCE, 4, comm, &lasting));
    OK(MPI_Start(&lasting));
    CHECK_CLASS(MPI_Wait(&lasting, &status), MPIX_ERR_PROC_FAILED_PENDING);
    /* From those that live all the others come. */
    OK(MPIX_Comm_failure_ack(comm));
    for (int to = 1; to < dead; to++)
        OK(MPI_Send(&rank, 1, MPI_INT, to, 1, comm));
    OK(MPI_Waitall(2, requests, statuses));
    CHECK(numbers[0] > 0 && numbers[0] < dead && numbers[1] > 0 && numbers[1] < dead);
    OK(MPI_Wait(&lasting, &status));
    CHECK_EQ(number, status.MPI_SOURCE);
    for (int tag = 2; tag <= 4; tag++)
        for (int left = 2; left < dead; left++)
            OK(MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, tag, comm, &status));
    OK(MPI_Request_free(&lasting));
    OK(MPI_Comm_free(&comm));
}

/* Two groups: one of them loses a process. */
static void do_groups(void)
{
    MPI_Comm half, inter, made;
    int odd = rank % 2, ranks, remote, flag = 5, sum = 0;

    OK(MPI_Comm_split(MPI_COMM_WORLD, odd, rank, &half));
    OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - odd, 1, &inter));
    OK(MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN));
    OK(MPI_Barrier(inter));
    if (rank == last())
        raise(SIGKILL);
    CHECK_CLASS(MPIX_Comm_agree(inter, &flag), MPIX_ERR_PROC_FAILED);
    CHECK_EQ(flag, 5);
    OK(MPIX_Comm_revoke(inter));
    OK(MPIX_Comm_shrink(inter, &made));
    OK(MPI_Comm_size(made, &ranks));
    OK(MPI_Comm_remote_size(made, &remote));
    CHECK_EQ(ranks + remote, size - 1);
    int one = 1;
    OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, made));
    CHECK_EQ(sum, remote);
    OK(MPI_Comm_free(&made));
    OK(MPI_Comm_free(&inter));
    OK(MPI_Comm_free(&half));
}

enum { STEPS = 20, DEATH = 7 };

/* What each rank has computed is kept in a window, by its neighbour: who takes over the work of the dead finds it there. */
static void do_checkpoint(void)
{
    MPI_Comm comm = twin(), made;
    MPI_Win win;
    int64_t *kept, state[2] = {0, 0};
    int right = (rank + 1) % size, dead = 1, ranks;

    OK(MPI_Win_allocate(2 * sizeof *kept, sizeof *kept, MPI_INFO_NULL, comm, &kept, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    kept[0] = kept[1] = 0;
    OK(MPI_Barrier(comm));
    int code = MPI_SUCCESS;
    for (int step = 0; step < STEPS && code == MPI_SUCCESS; step++) {
        if (rank == dead && step == DEATH)
            raise(SIGKILL);
        state[0]++;
        state[1] += rank * step;
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, win));
        OK(MPI_Put(state, 2, MPI_INT64_T, right, 0, 2, MPI_INT64_T, win));
        OK(MPI_Win_unlock(right, win));
        code = MPI_Barrier(comm);
    }
    if (code != MPI_SUCCESS)
        OK(MPIX_Comm_revoke(comm));
    CHECK(code != MPI_SUCCESS);
    OK(MPIX_Comm_shrink(comm, &made));
    OK(MPI_Comm_size(made, &ranks));
    CHECK_EQ(ranks, size - 1);
    if (rank == dead + 1) {
        /* Its own part of the window is there, and what the dead has put into it. */
        OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
        CHECK_EQ(kept[0], DEATH);
        CHECK_EQ(kept[1], dead * DEATH * (DEATH - 1) / 2);
        OK(MPI_Win_unlock(rank, win));
    }
    /* The memory of the dead is there as well. */
    OK(MPI_Win_lock(MPI_LOCK_SHARED, dead, 0, win));
    OK(MPI_Get(state, 2, MPI_INT64_T, dead, 0, 2, MPI_INT64_T, win));
    OK(MPI_Win_unlock(dead, win));
    CHECK(state[0] >= DEATH);
    /* A window with a dead rank ends. */
    OK(MPI_Barrier(made));
    MPI_Win_free(&win);
    OK(MPI_Barrier(made));
    OK(MPI_Comm_free(&made));
    OK(MPI_Comm_free(&comm));
}

/* Others are started in the place of the dead, and all go on in one communicator. */
static void do_replace(void)
{
    MPI_Comm comm, made, inter, whole;
    int ranks, sum, one = 1;

    OK(MPI_Comm_get_parent(&inter));
    if (inter == MPI_COMM_NULL) {
        comm = twin();
        OK(MPI_Barrier(comm));
        if (rank == last())
            raise(SIGKILL);
        /* That the other has failed, or that its neighbour says so. */
        CHECK(MPI_Barrier(comm) != MPI_SUCCESS);
        OK(MPIX_Comm_revoke(comm));
        OK(MPIX_Comm_shrink(comm, &made));
        char *words[] = {"replace", NULL};
        OK(MPI_Comm_spawn(program, words, 1, MPI_INFO_NULL, 0, made, &inter, MPI_ERRCODES_IGNORE));
        OK(MPI_Comm_free(&made));
        OK(MPI_Comm_free(&comm));
    } else {
        OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    }
    int parent, flag;
    OK(MPI_Comm_remote_size(inter, &parent));
    /* Each world has one of its own that has this name. */
    if (parent > 1)
        OK(MPIX_Comm_revoke(MPI_COMM_WORLD));
    OK(MPI_Barrier(inter));
    OK(MPIX_Comm_is_revoked(MPI_COMM_WORLD, &flag));
    CHECK_EQ(flag, parent > 1);
    OK(MPI_Intercomm_merge(inter, parent > 1, &whole));
    OK(MPI_Comm_size(whole, &ranks));
    CHECK_EQ(ranks, 3);
    OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, whole));
    CHECK_EQ(sum, 3);
    OK(MPI_Comm_free(&whole));
    OK(MPI_Comm_disconnect(&inter));
}

static void do_wrong(void)
{
    MPI_Comm comm = twin();
    MPI_Request request;
    MPI_Comm made;
    int number;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    CHECK_CLASS(MPIX_Comm_revoke(MPI_COMM_NULL), MPI_ERR_COMM);
    CHECK_CLASS(MPIX_Comm_shrink(MPI_COMM_NULL, &made), MPI_ERR_COMM);
    CHECK_CLASS(MPIX_Comm_shrink(comm, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPIX_Comm_ishrink(comm, &made, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPIX_Comm_agree(comm, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPIX_Comm_iagree(comm, NULL, &request), MPI_ERR_ARG);
    CHECK_CLASS(MPIX_Comm_is_revoked(comm, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPIX_Comm_get_failed(comm, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPIX_Comm_ack_failed(comm, -1, &number), MPI_ERR_ARG);
    CHECK_CLASS(MPIX_Comm_ack_failed(comm, 1, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPIX_Comm_failure_get_acked(comm, NULL), MPI_ERR_ARG);
    OK(MPIX_Comm_ack_failed(comm, 1, &number));
    CHECK_EQ(number, 0);
    /* Each process has its own. */
    int flag;
    if (rank == 0)
        OK(MPIX_Comm_revoke(MPI_COMM_SELF));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPIX_Comm_is_revoked(MPI_COMM_SELF, &flag));
    CHECK_EQ(flag, rank == 0);
    /* Alone, too. */
    OK(MPIX_Comm_shrink(MPI_COMM_SELF, &made));
    number = 9;
    OK(MPIX_Comm_agree(made, &number));
    CHECK_EQ(number, 9);
    OK(MPI_Comm_free(&made));
    OK(MPI_Comm_free(&comm));
}

int main(int argc, char **argv)
{
    program = argv[0];
    check_start(&argc, &argv);
    static const struct {
        const char *name;
        void (*work)(void);
    } all[] = {{"revoke", do_revoke}, {"shrink", do_shrink},         {"agree", do_agree},     {"any", do_any},
               {"groups", do_groups}, {"checkpoint", do_checkpoint}, {"replace", do_replace}, {"wrong", do_wrong}};
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (argc > 1 && strcmp(argv[1], all[i].name) == 0)
            all[i].work();
    return check_end();
}
