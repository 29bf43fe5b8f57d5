/* ranks: 2 4; launcher: mpiexec hydra; mpich: skip its windows need what the namespaces refuse */
/* Ranks in PID namespaces of their own, where the number of one is nobody's or another process's in those of the others. */
#define _GNU_SOURCE
#include "check.h"
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 3000000, ROUNDS = 3 };

/* The same address on all ranks. */
#define PLACE ((char *)0x5a0000000000)

/* Goes on in a child, and ends as that does. */
static void go_on_in_child(void)
{
    int status;
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0)
        return;
    CHECK_EQ(waitpid(child, &status, 0), child);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 98);
}

/* Whether it is allowed. Two ranks each have the same number in their namespaces. */
static int take_own_namespace(void)
{
    const char *text = getenv("RMASHM_RANK") ? getenv("RMASHM_RANK") : getenv("PMI_RANK");
    int number = atoi(text);
    if (unshare(CLONE_NEWPID) != 0)
        return 0;
    go_on_in_child();
    CHECK_EQ(getpid(), 1);
    for (int i = 0; i < number / 2; i++) {
        pid_t other = fork();
        if (other == 0)
            _exit(0);
        CHECK_EQ(waitpid(other, NULL, 0), other);
    }
    go_on_in_child();
    CHECK_EQ(getpid(), 2 + number / 2);
    return 1;
}

int main(int argc, char **argv)
{
    int is_apart = take_own_namespace();
    char *out = mmap(PLACE, 2 * MOST, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    char *in = out + MOST, *want = malloc(MOST), *part;
    CHECK(out == PLACE);
    check_start(&argc, &argv);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    MPI_Win win;

    for (int round = 0; round < ROUNDS; round++) {
        MPI_Request request;
        fill(out, MOST, rank * 100 + round);
        fill(want, MOST, before * 100 + round);
        memset(in, 0, MOST);
        OK(MPI_Isend(out, MOST, MPI_CHAR, next, round, MPI_COMM_WORLD, &request));
        OK(MPI_Recv(in, MOST, MPI_CHAR, before, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK_BYTES(in, want, MOST);
    }

    /* The others wait so long that they look whether it lives. */
    if (rank == size - 1)
        usleep(1700000);
    barrier();

    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    if (is_apart) {
        CHECK_SENTENCE(MPI_Win_create(out, MOST, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_ERR_OTHER, "namespace");
        CHECK_SENTENCE(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_ERR_OTHER, "namespace");
    }
    OK(MPI_Win_allocate(MOST, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &part, &win));
    OK(MPI_Win_fence(0, win));
    OK(MPI_Put(out, MOST, MPI_CHAR, next, 0, MOST, MPI_CHAR, win));
    OK(MPI_Win_fence(0, win));
    CHECK_BYTES(part, want, MOST);
    OK(MPI_Win_free(&win));
    free(want);
    return check_end();
}
