/* ranks: 1 2 4; mpich: skip it is about what rmashm does with the program's memory */
/* Windows over memory of the program's own, taken into the job's segment when they are made: of every kind that there is. What
 * lies beside the window stays what it is, and after MPI_Win_free all of it is ordinary memory again. */
#define _GNU_SOURCE
#include "adopt.h"

#include <fcntl.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/* As other libraries have it that watch what is mapped: they hand on four of the five arguments. */
void *mremap(void *old, size_t bytes, size_t wanted, int flags, ...)
{
    return (void *)syscall(SYS_mremap, old, bytes, wanted, flags, NULL);
}

static unsigned char bss[5 * A_PAGE];
static unsigned char data[3 * A_PAGE] = {1, 2, 3};

/* A window over `bytes` at `at`, several times, with guards on both sides that stay. */
static void over(unsigned char *at, size_t bytes, int shared)
{
    enum { GUARD = 64 };
    unsigned char *begin = at + GUARD;
    size_t inner = (bytes - 2 * GUARD) & ~(size_t)7;
    memset(at, 5, GUARD);
    memset(begin + inner, 6, GUARD);
    for (int turn = 0; turn < 3; turn++) {
        MPI_Win win = window_of(MPI_COMM_WORLD, begin, inner, "true");
        exercise(win, begin, inner, shared);
        begin[7] = (unsigned char)(70 + turn);
        barrier();
        OK(MPI_Win_free(&win));
        CHECK_EQ(begin[7], 70 + turn);
        for (int i = 0; i < GUARD; i++)
            CHECK(at[i] == 5 && begin[inner + i] == 6);
    }
    if (shared >= 0) {
        MPI_Win win = window_of(MPI_COMM_WORLD, begin, inner, "false");
        exercise(win, begin, inner, 0);
        OK(MPI_Win_free(&win));
    }
}

/* Frames of calls in calls, whose windows live at the same time: pages of a stack with more than the window are left alone. */
static void nested(int depth)
{
    unsigned char local[3000];
    MPI_Win win = window_of(MPI_COMM_WORLD, local, sizeof local, "true");
    exercise(win, local, sizeof local, 0);
    if (depth > 0)
        nested(depth - 1);
    exercise(win, local, sizeof local, 0);
    OK(MPI_Win_free(&win));
}

/* The memory of malloc is what it was: it grows, shrinks, is trimmed, and comes back zeroed. */
static void allocator(void)
{
    static const size_t sizes[] = {200, 5000, 100000, 3000000};
    for (int turn = 0; turn < 20; turn++) {
        for (int s = 0; s < 4; s++) {
            size_t n = sizes[s] + 128;
            unsigned char *one = malloc(n), *two = malloc(n), *three = malloc(n);
            memset(one, 1, n);
            memset(three, 3, n);
            MPI_Win win = window_of(MPI_COMM_WORLD, two, n & ~(size_t)7, "true");
            memset(two, 2, n);
            barrier();
            malloc_trim(0);
            OK(MPI_Win_free(&win));
            two = realloc(two, 3 * n);
            CHECK(two[0] == 2 && two[n - 1] == 2);
            free(one);
            malloc_trim(0);
            CHECK(three[0] == 3 && three[n - 1] == 3);
            free(two);
            free(three);
            malloc_trim(0);
            unsigned char *zeros = calloc(3, n);
            for (size_t i = 0; i < 3 * n; i++)
                CHECK_EQ(zeros[i], 0);
            free(zeros);
        }
    }
}

static unsigned char *map(size_t bytes, int flags, int fd)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
    CHECK(at != MAP_FAILED);
    return at;
}

/* What may not be replaced stays, and is reached as it was. */
static void left_alone(void)
{
    char name[] = "/tmp/rmashm-adopt-XXXXXX";
    int fd = mkstemp(name);
    CHECK(fd >= 0 && ftruncate(fd, 4 * A_PAGE) == 0);
    unlink(name);
    unsigned char *at = map(4 * A_PAGE, MAP_SHARED, fd);
    over(at, 4 * A_PAGE, 0);
    munmap(at, 4 * A_PAGE);
    at = map(4 * A_PAGE, MAP_PRIVATE, fd);
    over(at, 4 * A_PAGE, 0);
    munmap(at, 4 * A_PAGE);
    close(fd);
    at = map(4 * A_PAGE, MAP_SHARED | MAP_ANONYMOUS, -1);
    over(at, 4 * A_PAGE, 0);
    munmap(at, 4 * A_PAGE);
    /* A part of it may be read only: others read it, and a put there is an error. */
    at = map(4 * A_PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    memset(at, 9, 4 * A_PAGE);
    CHECK(mprotect(at + 2 * A_PAGE, A_PAGE, PROT_READ) == 0);
    MPI_Win win = window_of(MPI_COMM_WORLD, at, 4 * A_PAGE, "true");
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    int next = (rank + 1) % size;
    unsigned char got[8] = {0};
    OK(MPI_Win_fence(0, win));
    CHECK(size == 1 || loads_of(win, next) == NULL);
    OK(MPI_Get(got, 8, MPI_BYTE, next, 2 * A_PAGE, 8, MPI_BYTE, win));
    CHECK_EQ(got[7], 9);
    CHECK_CLASS(MPI_Put(got, 8, MPI_BYTE, next, 2 * A_PAGE, 8, MPI_BYTE, win), MPI_ERR_OTHER);
    OK(MPI_Win_fence(0, win));
    OK(MPI_Win_free(&win));
    munmap(at, 4 * A_PAGE);
    /* Memory that the program has locked: a device may know where it lies. */
    at = map(4 * A_PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    if (mlock(at, A_PAGE) == 0) {
        over(bss, sizeof bss, 0);
        CHECK(munlock(at, A_PAGE) == 0);
    }
    munmap(at, 4 * A_PAGE);
    barrier();
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    over(bss, sizeof bss, 1);
    over(bss + 100, 300, 1);
    over(data, sizeof data, 1);
    unsigned char *small = malloc(600), *large = malloc(5000000), *mapped = map(6 * A_PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    over(small, 600, 1);
    over(large, 5000000, 1);
    over(mapped, 6 * A_PAGE, 1);
    nested(3);
    allocator();
    left_alone();
    over(large, 5000000, 1);
    free(small);
    free(large);
    munmap(mapped, 6 * A_PAGE);
    return check_end();
}
