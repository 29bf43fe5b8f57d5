/* ranks: 3 8; expect-exit: 137; expect-stderr: was killed by signal 9; expect-stderr: in MPI_Init; mpich: skip another launcher's words */
/* A process is killed inside MPI_Init, in which it waits with others for one that comes later. */
#include "death.h"

int main(int argc, char **argv)
{
    const char *number = getenv("PMI_RANK");
    CHECK(number != NULL);
    if (atoi(number) == 1) {
        die_in(1000000);
    }
    if (atoi(number) == 2)
        sleep_ms(60 * 1000);
    MPI_Init(&argc, &argv);
    CHECK(!"MPI_Init was complete without rank 2");
    return 1;
}
