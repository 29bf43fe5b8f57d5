/* A kernel that refuses system calls, as in a container. */
#ifndef REFUSE_CALLS_H
#define REFUSE_CALLS_H

#include "check.h"
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/* From now on the system call gives `error` to this process. */
static void refuse_call(long number, int error)
{
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof rules / sizeof rules[0], rules};
    CHECK_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    CHECK_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

/* Copies between processes, as without CAP_SYS_PTRACE. */
MAYBE_UNUSED static void refuse_copies(void)
{
    refuse_call(SYS_process_vm_readv, EPERM);
    refuse_call(SYS_process_vm_writev, EPERM);
}

#endif
