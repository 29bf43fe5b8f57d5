/* ranks: 2 4 7; mpich: skip it finds less of this out, and hangs on some; wrong: the counts of collective calls differ, on purpose */
/* Collective operations whose buffers are the same memory, or whose counts differ from process to process: those that can
 * know get an error, nobody hangs, and the communicator goes on. */
#include "check.h"

#define N 10
#define MOST 20000

static int from[MOST], to[MOST];

/* All is well in the communicator. */
static void still_works(MPI_Comm comm)
{
    int one = 1, all = 0, i;
    OK(MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, comm));
    CHECK_EQ(all, size);
    for (i = 0; i < 4 * N; i++)
        from[i] = rank == 1 ? i : -1;
    OK(MPI_Bcast(from, 4 * N, MPI_INT, 1, comm));
    for (i = 0; i < 4 * N; i++)
        CHECK_EQ(from[i], i);
}

/* And with more than fits into a note, several times: those that gave different lengths agree where it lies. */
static void much_works(MPI_Comm comm)
{
    int i, turn;
    for (turn = 0; turn < 3; turn++) {
        for (i = 0; i < 5000; i++)
            from[i] = i + turn;
        OK(MPI_Allreduce(from, to, 5000, MPI_INT, MPI_SUM, comm));
        for (i = 0; i < 5000; i++)
            CHECK_EQ(to[i], size * (i + turn));
    }
}

static void same_memory(MPI_Comm comm)
{
    int counts[8], displs[8], i;
    MPI_Datatype types[8];
    MPI_Request request;
    for (i = 0; i < 8; i++) {
        counts[i] = 1;
        displs[i] = i;
        types[i] = MPI_INT;
    }
    if (rank == 0) {
        CHECK_SENTENCE(MPI_Gather(to, 1, MPI_INT, to, 1, MPI_INT, 0, comm), MPI_ERR_BUFFER, "MPI_IN_PLACE");
        CHECK_CLASS(MPI_Gatherv(to, 1, MPI_INT, to, counts, displs, MPI_INT, 0, comm), MPI_ERR_BUFFER);
        CHECK_CLASS(MPI_Scatter(to, 1, MPI_INT, to, 1, MPI_INT, 0, comm), MPI_ERR_BUFFER);
        CHECK_CLASS(MPI_Igather(to, 1, MPI_INT, to, 1, MPI_INT, 0, comm, &request), MPI_ERR_BUFFER);
        CHECK_CLASS(MPI_Reduce(to, to, 1, MPI_INT, MPI_SUM, 0, comm), MPI_ERR_BUFFER);
    }
    CHECK_CLASS(MPI_Allgather(to + rank, 1, MPI_INT, to, 1, MPI_INT, comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Allgatherv(to + rank, 1, MPI_INT, to, counts, displs, MPI_INT, comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Alltoall(to, 1, MPI_INT, to, 1, MPI_INT, comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Alltoallv(to, counts, displs, MPI_INT, to, counts, displs, MPI_INT, comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Alltoallw(to, counts, displs, types, to, counts, displs, types, comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Ialltoall(to, 1, MPI_INT, to, 1, MPI_INT, comm, &request), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Reduce_scatter_block(to, to, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Scan(to, to, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Reduce_local(to, to, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
    /* Nothing of nothing, and blocks of others, are no aliases. */
    OK(MPI_Allgather(to, 0, MPI_INT, to, 0, MPI_INT, comm));
    OK(MPI_Reduce_local(to, to, 0, MPI_INT, MPI_SUM));
    still_works(comm);
}

/* A broadcast of `own` elements at rank 0, which is right there, and of `others` elsewhere. Gives what this rank has. */
static int broadcast_of_two(MPI_Comm comm, int own, int others)
{
    int n = rank == 0 ? own : others, error = MPI_Bcast(to, n, MPI_INT, 0, comm);
    CHECK(rank == 0 ? error == MPI_SUCCESS : error != MPI_SUCCESS);
    still_works(comm);
    return n;
}

/* `small` at rank 0 and `large` elsewhere, or the other way round. */
static void different_counts(MPI_Comm comm, int small, int large)
{
    int turn, n, error;
    for (turn = 0; turn < 2; turn++) {
        n = broadcast_of_two(comm, turn == 0 ? small : large, turn == 0 ? large : small);
        /* The root's own block is as long as it gives; all others are not. */
        error = MPI_Gather(from, n, MPI_INT, to, n, MPI_INT, 0, comm);
        CHECK(rank == 0 ? error != MPI_SUCCESS : error == MPI_SUCCESS);
        still_works(comm);
        CHECK(MPI_Allreduce(from, to, n, MPI_INT, MPI_SUM, comm) != MPI_SUCCESS);
        still_works(comm);
        CHECK(MPI_Allgather(from, n, MPI_INT, to, n, MPI_INT, comm) != MPI_SUCCESS);
        still_works(comm);
    }
    /* What a process gives to itself. */
    CHECK(MPI_Alltoall(from, small, MPI_INT, to, large, MPI_INT, comm) != MPI_SUCCESS);
    still_works(comm);
}

/* The same around the bounds between the ways in which data goes. */
static void different_ways(MPI_Comm comm, int small, int large)
{
    int turn, n, error;
    for (turn = 0; turn < 2; turn++) {
        n = broadcast_of_two(comm, turn == 0 ? small : large, turn == 0 ? large : small);
        /* Of more processes those that have much wait for the others, which have gone on: jobs/standstill.c. */
        if (size == 2) {
            error = MPI_Reduce(from, to, n, MPI_INT, MPI_SUM, 0, comm);
            /* Where ranks share cores, both learn of it if more is given than goes by a message. */
            CHECK(rank == 0 ? error != MPI_SUCCESS : error == MPI_SUCCESS || n >= 4096);
            still_works(comm);
        }
    }
}

/* The same between two, each with its elements in memory that the other one can read, or not. */
static void different_memory(MPI_Comm comm, int small, int large)
{
    int *memory, turn, which, n, counts[2];
    if (size != 2)
        return;
    OK(MPI_Alloc_mem(MOST * sizeof *memory, MPI_INFO_NULL, &memory));
    memset(memory, 0, MOST * sizeof *memory);
    for (turn = 0; turn < 2; turn++) {
        n = rank == turn ? small : large;
        counts[0] = n / 2;
        counts[1] = n - n / 2;
        for (which = 0; which < 4; which++) {
            int *mine = which >> rank & 1 ? memory : from;
            CHECK(MPI_Allreduce(mine, to, n, MPI_INT, MPI_SUM, comm) != MPI_SUCCESS);
            still_works(comm);
            much_works(comm);
            CHECK(MPI_Reduce_scatter(mine, to, counts, MPI_INT, MPI_SUM, comm) != MPI_SUCCESS);
            still_works(comm);
            CHECK(MPI_Allgather(mine, n, MPI_INT, to, n, MPI_INT, comm) != MPI_SUCCESS);
            still_works(comm);
        }
    }
    OK(MPI_Free_mem(memory));
}

/* The same between two that have exchanged long blocks so often that both ways were tried: what one gives is as it takes it, but the other one's
 * is longer, or shorter. */
static void different_after_many(MPI_Comm comm)
{
    int turn, i, n = 8000, error;
    if (size != 2)
        return;
    for (turn = 0; turn < 4; turn++) {
        for (i = 0; i < 10; i++) {
            OK(MPI_Allgather(from, n, MPI_INT, to, n, MPI_INT, comm));
            OK(MPI_Alltoall(from, n, MPI_INT, to, n, MPI_INT, comm));
        }
        i = turn & 1 ? 7000 : 9000;
        if (turn & 2)
            error = MPI_Allgather(from, n, MPI_INT, to, rank == 0 ? i : n, MPI_INT, comm);
        else
            error = MPI_Alltoall(from, rank == 0 ? i : n, MPI_INT, to, n, MPI_INT, comm);
        CHECK(rank != 0 || error != MPI_SUCCESS);
        still_works(comm);
        much_works(comm);
        CHECK(MPI_Alltoall(from, rank == 0 ? 100 : n, MPI_INT, to, rank == 0 ? 100 : n, MPI_INT, comm) != MPI_SUCCESS);
        still_works(comm);
    }
}

/* The first operation of a communicator, which makes what both ways need: rank 1 gives what goes one way, the others what goes the
 * other. */
static void different_at_first(MPI_Comm comm)
{
    MPI_Comm fresh;
    int turn, n;
    for (turn = 0; turn < 2; turn++) {
        OK(MPI_Comm_dup(comm, &fresh));
        n = (rank == 1) == turn ? 100 : 5000;
        CHECK(MPI_Allreduce(from, to, n, MPI_INT, MPI_SUM, fresh) != MPI_SUCCESS);
        still_works(fresh);
        much_works(fresh);
        OK(MPI_Comm_free(&fresh));
    }
}

/* Rank 1 gives nothing where the others, which give one element each, want as much of it; so the others know. */
static void nothing_of_one(MPI_Comm comm)
{
    int own = rank != 1, counts[8], displs[8], error, i;
    for (i = 0; i < 8; i++) {
        counts[i] = own;
        displs[i] = i;
    }
    error = MPI_Gatherv(from, own, MPI_INT, to, counts, displs, MPI_INT, 0, comm);
    CHECK(rank == 0 ? error != MPI_SUCCESS : error == MPI_SUCCESS);
    still_works(comm);
    error = MPI_Alltoallv(from, counts, displs, MPI_INT, to, counts, displs, MPI_INT, comm);
    CHECK(own ? error != MPI_SUCCESS : error == MPI_SUCCESS);
    still_works(comm);
    /* The root is rank 1. */
    error = MPI_Scatterv(from, counts, displs, MPI_INT, to, own, MPI_INT, 1, comm);
    CHECK(own ? error != MPI_SUCCESS : error == MPI_SUCCESS);
    still_works(comm);
}

/* That there is nothing to do is no reason to let wrong arguments by. */
static void nothing_but_wrong(MPI_Comm comm)
{
    int counts[8] = {0};
    CHECK_CLASS(MPI_Bcast(to, 0, MPI_INT, size, comm), MPI_ERR_ROOT);
    CHECK_CLASS(MPI_Bcast(to, 0, MPI_INT, -1, comm), MPI_ERR_ROOT);
    CHECK_CLASS(MPI_Bcast(to, 0, MPI_DATATYPE_NULL, 0, comm), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Bcast(MPI_IN_PLACE, 0, MPI_INT, 0, comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Reduce(from, to, 0, MPI_INT, MPI_OP_NULL, 0, comm), MPI_ERR_OP);
    CHECK_CLASS(MPI_Reduce(from, to, 0, MPI_FLOAT, MPI_BAND, 0, comm), MPI_ERR_OP);
    CHECK_CLASS(MPI_Allreduce(from, to, 0, MPI_INT, MPI_REPLACE, comm), MPI_ERR_OP);
    CHECK_CLASS(MPI_Reduce_local(from, to, 0, MPI_INT, MPI_NO_OP), MPI_ERR_OP);
    CHECK_CLASS(MPI_Allgatherv(from, 0, MPI_INT, to, NULL, counts, MPI_INT, comm), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Alltoallv(from, counts, NULL, MPI_INT, to, counts, counts, MPI_INT, comm), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Alltoall(from, 0, MPI_INT, to, -1, MPI_INT, comm), MPI_ERR_COUNT);
    if (rank == 0)
        CHECK_CLASS(MPI_Gatherv(from, 0, MPI_INT, to, counts, NULL, MPI_INT, 0, comm), MPI_ERR_ARG);
    else
        CHECK_CLASS(MPI_Gatherv(MPI_IN_PLACE, 0, MPI_INT, NULL, NULL, NULL, MPI_INT, 0, comm), MPI_ERR_BUFFER);
    still_works(comm);
}

static void all(MPI_Comm comm)
{
    same_memory(comm);
    different_counts(comm, 1, 2);
    different_counts(comm, 1, N);
    different_ways(comm, 1, 3000);
    different_ways(comm, 2000, 2100);
    different_ways(comm, 3000, 3500);
    different_ways(comm, 2100, 7000);
    different_ways(comm, 7000, 19000);
    different_ways(comm, 7000, 7001);
    different_memory(comm, 127, 128);
    different_memory(comm, 100, 1000);
    different_memory(comm, 200, 5000);
    different_after_many(comm);
    different_at_first(comm);
    nothing_of_one(comm);
    nothing_but_wrong(comm);
}

/* From here on as where ranks share cores: some data goes another way then. */
static void do_not_spin(void)
{
    int provided, index, count;
    unsigned long long none = 0;
    MPI_T_cvar_handle handle;
    OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    OK(MPI_T_cvar_get_index("rmashm_spin_ns", &index));
    OK(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count));
    OK(MPI_T_cvar_write(handle, &none));
    OK(MPI_T_cvar_handle_free(&handle));
    OK(MPI_T_finalize());
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    check_start(&argc, &argv);
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    all(comm);
    barrier();
    do_not_spin();
    barrier();
    /* A communicator asks but once. */
    OK(MPI_Comm_free(&comm));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    all(comm);
    OK(MPI_Comm_free(&comm));
    return check_end();
}
