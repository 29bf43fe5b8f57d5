/* ranks: 2; mpich: skip it is about what rmashm does with the program's memory */
/* A child of a process whose memory is in the job's segment has memory of its own: what was there at the fork, and what it
 * writes nobody else sees. */
#include "adopt.h"

#include <sys/wait.h>

static unsigned char bss[20000];

static void family(unsigned char *memory, size_t bytes)
{
    int down[2], up[2], status;
    char token = 0;
    CHECK(pipe(down) == 0 && pipe(up) == 0);
    for (size_t i = 0; i < bytes; i++)
        memory[i] = value_of(rank, 3, i);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        if (read(down[0], &token, 1) != 1)
            _exit(2);
        for (size_t i = 0; i < bytes; i++)
            if (memory[i] != value_of(rank, 3, i))
                _exit(3);
        memset(memory, 0, bytes);
        if (write(up[1], &token, 1) != 1)
            _exit(4);
        _exit(0);
    }
    /* Written after the fork, before the child looks. */
    memset(memory, 55, bytes);
    CHECK(write(down[1], &token, 1) == 1);
    CHECK(read(up[0], &token, 1) == 1);
    CHECK(waitpid(child, &status, 0) == child);
    CHECK_EQ(status, 0);
    for (size_t i = 0; i < bytes; i++)
        CHECK_EQ(memory[i], 55);
    close(down[0]), close(down[1]), close(up[0]), close(up[1]);
}

/* Many small windows, with what malloc has freed between them: what malloc knows is part of what a child gets. */
static void among_free_blocks(void)
{
    enum { MANY = 100 };
    static unsigned char *arrays[MANY], *between[MANY];
    MPI_Win windows[MANY];
    for (int i = 0; i < MANY; i++) {
        arrays[i] = malloc(900);
        between[i] = malloc(700);
    }
    for (int i = 0; i < MANY; i++) {
        free(between[i]);
        windows[i] = window_of(MPI_COMM_WORLD, arrays[i], 800, "true");
        memset(arrays[i], i, 900);
    }
    for (int turn = 0; turn < 5; turn++) {
        int status;
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            for (int round = 0; round < 200; round++) {
                for (int i = 0; i < MANY; i++)
                    between[i] = malloc((size_t)(100 + 13 * ((i * 7 + round) % MANY)));
                for (int i = 0; i < MANY; i++)
                    memset(between[i], 200, 100);
                for (int i = 0; i < MANY; i++)
                    free(between[(i * 7) % MANY]);
            }
            for (int i = 0; i < MANY; i++)
                for (int j = 0; j < 900; j++)
                    if (arrays[i][j] != i)
                        _exit(3);
            for (int i = 0; i < MANY; i++)
                memset(arrays[i], 201, 900);
            _exit(0);
        }
        CHECK(waitpid(child, &status, 0) == child);
        CHECK_EQ(status, 0);
        for (int i = 0; i < MANY; i++)
            for (int j = 0; j < 900; j++)
                CHECK_EQ(arrays[i][j], i);
    }
    for (int i = 0; i < MANY; i++) {
        OK(MPI_Win_free(&windows[i]));
        free(arrays[i]);
    }
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    among_free_blocks();
    unsigned char *large = malloc(3000000), *small = malloc(1000);
    MPI_Win windows[3] = {window_of(MPI_COMM_WORLD, large, 3000000, "true"), window_of(MPI_COMM_WORLD, small, 1000, "true"),
                          window_of(MPI_COMM_WORLD, bss + 1000, 9000, "true")};
    for (int turn = 0; turn < 3; turn++) {
        family(large, 3000000);
        family(small, 1000);
        family(bss, sizeof bss);
    }
    CHECK(loads_of(windows[2], !rank) != NULL);
    barrier();
    exercise(windows[0], large, 3000000, 1);
    exercise(windows[2], bss + 1000, 9000, 1);
    OK(MPI_Win_free(&windows[0]));
    family(large, 3000000);
    /* A child may run another program. */
    CHECK_EQ(system("exit 7"), 7 << 8);
    OK(MPI_Win_free(&windows[1]));
    OK(MPI_Win_free(&windows[2]));
    free(large);
    free(small);
    return check_end();
}
