/* ranks: 1 2 3 */
/* Windows over memory that is only reserved when they are made, as by programs with a symmetric heap: no access, or a file that has no length yet. It is
 * used when it is there. */
#define _GNU_SOURCE
#include "check.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define BYTES (64 << 10)

/* Each puts to the next one, adds to it, and gets it back; the owner looks by a load. */
static void use(long *memory, MPI_Aint base, MPI_Win win)
{
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    MPI_Aint bases[8];
    long values[2] = {rank + 1, rank + 2}, one = 1, got = 0;
    OK(MPI_Allgather(&base, 1, MPI_AINT, bases, 1, MPI_AINT, MPI_COMM_WORLD));
    for (int turn = 0; turn < 200; turn++) {
        MPI_Aint at = bases[next] + BYTES / 2 + 16 * turn;
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, win));
        OK(MPI_Put(values, 2, MPI_LONG, next, at, 2, MPI_LONG, win));
        OK(MPI_Win_flush(next, win));
        OK(MPI_Accumulate(&one, 1, MPI_LONG, next, at + 8, 1, MPI_LONG, MPI_SUM, win));
        OK(MPI_Win_flush(next, win));
        OK(MPI_Get(&got, 1, MPI_LONG, next, at + 8, 1, MPI_LONG, win));
        OK(MPI_Win_unlock(next, win));
        CHECK_EQ(got, rank + 3);
    }
    barrier();
    OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
    for (int turn = 0; turn < 200; turn++) {
        CHECK_EQ(memory[BYTES / 16 + 2 * turn], before + 1);
        CHECK_EQ(memory[BYTES / 16 + 2 * turn + 1], before + 3);
    }
    OK(MPI_Win_unlock(rank, win));
    barrier();
}

static void with(int is_file, int is_dynamic)
{
    int file = -1, flags = MAP_PRIVATE | MAP_ANONYMOUS;
    if (is_file) {
        char path[] = "win_reserved.XXXXXX";
        file = mkstemp(path);
        CHECK(file >= 0);
        CHECK_EQ(unlink(path), 0);
        flags = MAP_SHARED;
    }
    long *memory = mmap(NULL, BYTES, is_file ? PROT_READ | PROT_WRITE : PROT_NONE, flags, file, 0);
    CHECK(memory != MAP_FAILED);
    MPI_Win win;
    MPI_Aint base = 0;
    if (is_dynamic) {
        OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
        OK(MPI_Win_attach(win, memory, BYTES));
        OK(MPI_Get_address(memory, &base));
    } else
        OK(MPI_Win_create(memory, BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    if (is_file)
        CHECK_EQ(ftruncate(file, BYTES), 0);
    else
        CHECK_EQ(mprotect(memory, BYTES, PROT_READ | PROT_WRITE), 0);
    memory[0] = 7;
    use(memory, base, win);
    CHECK_EQ(memory[0], 7);
    OK(MPI_Win_free(&win));
    CHECK_EQ(memory[0], 7);
    CHECK_EQ(munmap(memory, BYTES), 0);
    if (is_file)
        close(file);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    for (int is_file = 0; is_file < 2; is_file++)
        for (int is_dynamic = 0; is_dynamic < 2; is_dynamic++)
            with(is_file, is_dynamic);
    return check_end();
}
