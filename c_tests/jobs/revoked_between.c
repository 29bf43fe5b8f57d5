/* ranks: 2; abi: mpich; mpich: skip names beyond MPI */
/* A communicator is revoked while a process is within MPI_Sendrecv or MPI_Sendrecv_replace, at a moment that a timer gives, so also between
 * its send and its receive. When the call has returned nobody reads what it sent: not the buffer, which may have other data then, nor the
 * copy that a replacing call makes. */
#include "check.h"
#include <malloc.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

enum { BYTES = 1 << 18, ROUNDS = 2000, LONGEST = 200000 /* ns from a call's start to the revocation */ };
enum { IDLE, ASKED, REVOKED };

/* In memory of both ranks. */
static _Atomic int *word;

/* In rank 0: stands still until rank 1 has revoked the communicator. */
static void interrupt(int number)
{
    (void)number;
    atomic_store(word, ASKED);
    while (atomic_load(word) != REVOKED)
        ;
}

static void send_and_receive(MPI_Comm comm, char *out, char *in, int round, timer_t timer)
{
    struct itimerspec at = {.it_value.tv_nsec = 1 + (long)(mix((uint64_t)round, 7) % LONGEST)};
    int replaces = round % 2, code, class = MPI_SUCCESS;
    memset(out, 'a' + round % 16, BYTES);
    OK(MPI_Recv(NULL, 0, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(timer_settime(timer, 0, &at, NULL) == 0);
    if (replaces)
        code = MPI_Sendrecv_replace(out, BYTES, MPI_BYTE, 1, 9, 1, 8, comm, MPI_STATUS_IGNORE);
    else
        code = MPI_Sendrecv(out, BYTES, MPI_BYTE, 1, 9, in, BYTES, MPI_BYTE, 1, 8, comm, MPI_STATUS_IGNORE);
    memset(out, '#', BYTES);
    MPI_Error_class(code, &class);
    CHECK_EQ(class, MPIX_ERR_REVOKED);
    while (atomic_load(word) != REVOKED)
        ;
    atomic_store(word, IDLE);
}

static void receive_and_revoke(MPI_Comm comm, char *in, int round)
{
    MPI_Request request;
    int class = MPI_SUCCESS, wrong = 0;
    OK(MPI_Irecv(in, BYTES, MPI_BYTE, 0, 9, comm, &request));
    OK(MPI_Send(NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD));
    while (atomic_load(word) != ASKED)
        ;
    OK(MPIX_Comm_revoke(comm));
    atomic_store(word, REVOKED);
    while (atomic_load(word) != IDLE)
        ;
    MPI_Error_class(MPI_Wait(&request, MPI_STATUS_IGNORE), &class);
    for (int i = 0; class == MPI_SUCCESS && i < BYTES; i++)
        wrong += in[i] != 'a' + round % 16;
    CHECK_EQ(wrong, 0);
    CHECK(class == MPI_SUCCESS || class == MPIX_ERR_REVOKED);
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = interrupt};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    MPI_Win win;
    MPI_Aint bytes;
    int unit;
    timer_t timer;
    char *out = malloc(BYTES), *in = malloc(BYTES);
    /* A copy that is freed is memory no more. */
    CHECK(mallopt(M_MMAP_THRESHOLD, 1 << 16) == 1);
    check_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Win_allocate_shared(rank ? 0 : sizeof *word, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &word, &win));
    OK(MPI_Win_shared_query(win, 0, &bytes, &unit, &word));
    CHECK(sigaction(SIGALRM, &action, NULL) == 0);
    CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Comm comm;
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
        if (rank == 0)
            send_and_receive(comm, out, in, round, timer);
        else
            receive_and_revoke(comm, in, round);
        OK(MPI_Barrier(MPI_COMM_WORLD));
        OK(MPI_Comm_free(&comm));
    }
    CHECK(timer_delete(timer) == 0);
    OK(MPI_Win_free(&win));
    free(out);
    free(in);
    return check_end();
}
