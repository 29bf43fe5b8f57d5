/* ranks: 2 4; name: nobody; args: 1; mpich: skip it is about rmashm's way with the kernel */
/* ranks: 2 4; name: some; args: 2; mpich: skip it is about rmashm's way with the kernel */
/* Where the kernel has no membarrier for a process, or for some of them, accumulates are as atomic as elsewhere: the test of
 * atomicity, in which the system call is refused to every process, or to every second one. */
#define main mix_main
#include "atomic_mix.c"
#undef main

#include "refuse_calls.h"
#include <unistd.h>

static void refuse_membarrier(void)
{
    refuse_call(SYS_membarrier, ENOSYS);
    CHECK(syscall(SYS_membarrier, 0, 0, 0) == -1 && errno == ENOSYS);
}

int main(int argc, char **argv)
{
    const char *number = getenv("RMASHM_RANK");
    int each = argc > 1 ? atoi(argv[1]) : 1;
    CHECK(number != NULL);
    if (atoi(number) % each == 0)
        refuse_membarrier();
    return mix_main(argc, argv);
}
