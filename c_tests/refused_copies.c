/* ranks: 2 4; mpich: skip it does not recover when the kernel refuses */
/* Large messages where the kernel refuses cross-process copies (as in a container without CAP_SYS_PTRACE). */
#include "check.h"
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

enum { MOST = 3000000 };

static void refuse(void)
{
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_writev, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof rules / sizeof rules[0], rules};
    CHECK_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    CHECK_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

int main(int argc, char **argv)
{
    refuse();
    check_start(&argc, &argv);
    char *out = malloc(MOST), *in = malloc(MOST), *want = malloc(MOST);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int n = 1; n <= MOST; n *= 3) {
        for (int round = 0; round < 3; round++) {
            MPI_Request requests[2];
            fill(out, n, rank * 100 + round);
            fill(want, n, before * 100 + round);
            memset(in, 0, n);
            OK(MPI_Isend(out, n, MPI_CHAR, next, round, MPI_COMM_WORLD, &requests[0]));
            OK(MPI_Irecv(in, n, MPI_CHAR, before, round, MPI_COMM_WORLD, &requests[1]));
            OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
            CHECK_BYTES(in, want, n);
        }
        fill(out, n, 7);
        memcpy(in, out, n);
        if (rank > 0)
            memset(in, 0, n);
        OK(MPI_Bcast(in, n, MPI_CHAR, 0, MPI_COMM_WORLD));
        CHECK_BYTES(in, out, n);
    }
    free(out);
    free(in);
    free(want);
    return check_end();
}
