/* ranks: 2 3; mpich: skip it is about what rmashm does with the program's memory */
/* Programs that give memory back before the window that lies over it: what has come in its place is theirs, and stays as it is
 * when the window goes. */
#define _GNU_SOURCE
#include "adopt.h"

#include <sys/mman.h>

int main(int argc, char **argv)
{
    enum { BYTES = 40 * A_PAGE };
    check_start(&argc, &argv);
    for (int turn = 0; turn < 4; turn++) {
        unsigned char *at = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        CHECK(at != MAP_FAILED);
        MPI_Win win = window_of(MPI_COMM_WORLD, at, BYTES, "true");
        exercise(win, at, BYTES, 1);
        barrier();
        size_t gone = turn == 0 ? BYTES : turn == 1 ? 10 * A_PAGE : turn == 2 ? A_PAGE : 0;
        if (gone) {
            CHECK(munmap(at, gone) == 0);
            if (turn < 2) {
                /* Somebody else's, of what was there. */
                void *new = mmap(at, gone / 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
                CHECK(new == at);
                memset(at, 111, gone / 2);
            }
        } else
            CHECK(mprotect(at + A_PAGE, A_PAGE, PROT_READ) == 0);
        unsigned char kept = gone < BYTES ? at[BYTES - 5] : 0;
        OK(MPI_Win_free(&win));
        if (gone && turn < 2)
            for (size_t i = 0; i < gone / 2; i++)
                CHECK_EQ(at[i], 111);
        if (gone == 0) {
            /* What may not be written stays so. */
            int ends[2];
            CHECK(pipe(ends) == 0 && write(ends[1], "x", 1) == 1);
            CHECK(read(ends[0], at + A_PAGE, 1) == -1);
            CHECK(read(ends[0], at, 1) == 1);
            close(ends[0]), close(ends[1]);
        }
        if (gone < BYTES)
            CHECK_EQ(at[BYTES - 5], kept);
        CHECK(munmap(at, BYTES) == 0);
        unsigned char *heap = malloc(200000);
        win = window_of(MPI_COMM_WORLD, heap, 200000, "true");
        memset(heap, 3, 200000);
        barrier();
        free(heap);
        OK(MPI_Win_free(&win));
        heap = calloc(1, 200000);
        for (int i = 0; i < 200000; i++)
            CHECK_EQ(heap[i], 0);
        free(heap);
    }
    /* A window that is never freed. */
    unsigned char *last = malloc(3 * A_PAGE);
    MPI_Win win = window_of(MPI_COMM_WORLD, last, 3 * A_PAGE, "true");
    exercise(win, last, 3 * A_PAGE, 1);
    last[77] = 42;
    int status = check_end();
    CHECK_EQ(last[77], 42);
    free(last);
    return status;
}
