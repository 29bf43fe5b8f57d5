/* ranks: 4 8; name: one; args: 1; env: RMASHM_CHECK=off; expect-exit: 142; expect-stderr: was killed by signal 14; abi: mpich; mpich: skip names beyond MPI */
/* ranks: 8 16; name: two; args: 2; env: RMASHM_CHECK=off; expect-exit: 142; expect-stderr: was killed by signal 14; abi: mpich; mpich: skip names beyond MPI */
/* ranks: 8; name: three; args: 3; env: RMASHM_CHECK=off; expect-exit: 142; expect-stderr: was killed by signal 14; abi: mpich; mpich: skip names beyond MPI */
/* Some ranks are killed at random moments while all agree and shrink, by and by and at once, again and again: what one process hears of
 * an agreement all others hear that live, whoever has died meanwhile. The argument is the seed. What was heard is written down in memory
 * that all share; the first who writes is right. */
#include "check.h"

#include <stdatomic.h>
#include <sys/time.h>

enum { ENTRIES = 1 << 20, WITHIN = 8000 };

static _Atomic int64_t *board;
static uint64_t turn;

/* All have to hear the same at the same turn. */
static void heard(const char *what, int64_t value)
{
    int64_t expected = 0;
    CHECK(turn < ENTRIES);
    value = (int64_t)mix((uint64_t)value, turn) | 1;
    if (!atomic_compare_exchange_strong(&board[turn], &expected, value) && expected != value) {
        fprintf(stderr, "rank %d heard something else than others of %s at turn %d\n", rank, what, (int)turn);
        MPI_Abort(MPI_COMM_WORLD, 98);
    }
    turn++;
}

static int class_of(int code)
{
    int class = 0;
    OK(MPI_Error_class(code, &class));
    CHECK(class == MPI_SUCCESS || class == MPIX_ERR_PROC_FAILED);
    return class;
}

/* Who is in the communicator, as a number. */
static int64_t members(MPI_Comm comm)
{
    MPI_Group group, world;
    int n, ranks[64], all[64];
    uint64_t sum = 7;
    OK(MPI_Comm_size(comm, &n));
    OK(MPI_Comm_group(comm, &group));
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    for (int i = 0; i < n; i++)
        all[i] = i;
    OK(MPI_Group_translate_ranks(group, n, all, world, ranks));
    for (int i = 0; i < n; i++)
        sum = mix(sum, (uint64_t)ranks[i]);
    OK(MPI_Group_free(&group));
    OK(MPI_Group_free(&world));
    return (int64_t)sum;
}

static int known(MPI_Comm comm)
{
    MPI_Group failed;
    int n;
    OK(MPIX_Comm_get_failed(comm, &failed));
    OK(MPI_Group_size(failed, &n));
    OK(MPI_Group_free(&failed));
    return n;
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1, state = mix(seed, (uint64_t)size);
    int victims = 1 + (int)(draw(&state) % (uint64_t)(size - 1)), first = (int)(draw(&state) % (uint64_t)size);
    MPI_Comm comm, made;
    MPI_Win win;
    MPI_Request request;
    OK(MPI_Win_allocate_shared(rank == 0 ? ENTRIES * sizeof *board : 0, sizeof *board, MPI_INFO_NULL, MPI_COMM_WORLD, &board, &win));
    MPI_Aint bytes;
    int unit;
    OK(MPI_Win_shared_query(win, 0, &bytes, &unit, &board));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    barrier();
    if ((rank + size - first) % size < victims) {
        uint64_t own = mix(seed, (uint64_t)rank + 1000);
        struct itimerval timer = {{0, 0}, {0, 1 + (suseconds_t)(draw(&own) % WITHIN)}};
        CHECK_EQ(setitimer(ITIMER_REAL, &timer, NULL), 0);
    }
    for (int i = 0, all_dead = 0; !all_dead; i++) {
        int flag = (int)(mix(seed, (uint64_t)i * 64 + (uint64_t)rank) | 0xff) & ~1, code, before;
        flag |= known(MPI_COMM_WORLD) == victims;
        switch (mix(seed, (uint64_t)i) % 4) {
        case 0:
            code = class_of(MPIX_Comm_agree(comm, &flag));
            heard("an agreement", (int64_t)code << 32 | (uint32_t)flag);
            break;
        case 1:
            before = flag;
            OK(MPIX_Comm_iagree(comm, &flag, &request));
            code = class_of(MPIX_Comm_agree(comm, &before));
            heard("an agreement beside another", (int64_t)code << 32 | (uint32_t)before);
            code = class_of(MPI_Wait(&request, MPI_STATUS_IGNORE));
            heard("one that does not block", (int64_t)code << 32 | (uint32_t)flag);
            break;
        case 2:
            if (mix(seed, (uint64_t)i) % 3 == 0)
                OK(MPIX_Comm_revoke(comm));
            OK(MPIX_Comm_shrink(comm, &made));
            heard("who is left", members(made));
            OK(MPI_Comm_free(&comm));
            comm = made;
            flag = 0;
            break;
        default:
            OK(MPIX_Comm_ishrink(comm, &made, &request));
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            heard("who is left by and by", members(made));
            /* The new one works, as far as nobody else has died, or is on and has revoked it. */
            OK(MPI_Error_class(MPI_Barrier(made), &code));
            CHECK(code == MPI_SUCCESS || code == MPIX_ERR_PROC_FAILED || code == MPIX_ERR_REVOKED);
            OK(MPI_Comm_free(&comm));
            comm = made;
            flag = 0;
        }
        if (draw(&state) % 3 == 0)
            OK(MPIX_Comm_failure_ack(comm));
        all_dead = flag & 1;
    }
    OK(MPIX_Comm_shrink(comm, &made));
    int left;
    OK(MPI_Comm_size(made, &left));
    CHECK_EQ(left, size - victims);
    OK(MPI_Barrier(made));
    OK(MPI_Comm_free(&made));
    OK(MPI_Comm_free(&comm));
    return check_end();
}
