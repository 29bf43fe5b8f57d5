/* ranks: 1 2; mpich: skip 4.0.2 is killed by it; wrong: buffers are used again before a flush */
/* Windows over private memory that may not be written, all of it or some: gets are served, what would change it is an error,
 * of the owner's own calls too, and changes nothing; the memory around it works as ever (MPI 4.1 section 12.2.1). */
#define _GNU_SOURCE
#include "check.h"
#include <sys/mman.h>

#define PAGE 4096
#define LONGS (PAGE / 8)

static MPI_Win win;
static MPI_Aint first; /* displacement of the window's first byte */

/* Everything that would change `count` elements from the one at `at` on. */
static void changes(int target, int at, int count, int class)
{
    long one[2 * LONGS], got[2 * LONGS];
    MPI_Aint disp = first + 8 * at;
    MPI_Datatype pairs;
    for (int i = 0; i < count; i++)
        one[i] = 1;
    OK(MPI_Type_vector(count, 1, 1, MPI_LONG, &pairs));
    OK(MPI_Type_commit(&pairs));
    CHECK_CLASS(MPI_Put(one, count, MPI_LONG, target, disp, count, MPI_LONG, win), class);
    CHECK_CLASS(MPI_Put(one, 1, pairs, target, disp, count, MPI_LONG, win), class);
    CHECK_CLASS(MPI_Accumulate(one, count, MPI_LONG, target, disp, count, MPI_LONG, MPI_SUM, win), class);
    CHECK_CLASS(MPI_Get_accumulate(one, count, MPI_LONG, got, count, MPI_LONG, target, disp, count, MPI_LONG, MPI_SUM, win), class);
    CHECK_CLASS(MPI_Fetch_and_op(one, got, MPI_LONG, target, disp, MPI_SUM, win), class);
    OK(MPI_Get(got, 1, MPI_LONG, target, disp, 1, MPI_LONG, win));
    CHECK_EQ(got[0], class ? at + 1 : 4);
    CHECK_CLASS(MPI_Compare_and_swap(one, got, got + 1, MPI_LONG, target, disp, win), class);
    OK(MPI_Type_free(&pairs));
}

static void reads(int target, int count)
{
    long got[3 * LONGS];
    OK(MPI_Get(got, count, MPI_LONG, target, first, count, MPI_LONG, win));
    for (int i = 0; i < count; i++)
        CHECK_EQ(got[i], i + 1);
    OK(MPI_Get_accumulate(NULL, 0, MPI_LONG, got, count, MPI_LONG, target, first, count, MPI_LONG, MPI_NO_OP, win));
    for (int i = 0; i < count; i++)
        CHECK_EQ(got[i], i + 1);
    OK(MPI_Fetch_and_op(NULL, got, MPI_LONG, target, first + 8, MPI_NO_OP, win));
    CHECK_EQ(got[0], 2);
}

/* The page in the middle is read-only; each rank does that to its own memory and to the next rank's. */
static void run(int dynamic)
{
    long *memory = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED);
    for (int i = 0; i < 3 * LONGS; i++)
        memory[i] = i + 1;
    CHECK_EQ(mprotect(memory + LONGS, PAGE, PROT_READ), 0);
    if (dynamic) {
        OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
        OK(MPI_Win_attach(win, memory, 3 * PAGE));
    } else
        OK(MPI_Win_create(memory, 3 * PAGE, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    for (int i = 0; i < size; i++) {
        int target = (rank + i) % size;
        MPI_Aint mine = 0, all[8];
        if (dynamic)
            OK(MPI_Get_address(memory, &mine));
        OK(MPI_Allgather(&mine, 1, MPI_AINT, all, 1, MPI_AINT, MPI_COMM_WORLD));
        first = all[target];
        OK(MPI_Win_lock_all(0, win));
        reads(target, 3 * LONGS);
        changes(target, LONGS, 1, MPI_ERR_OTHER);
        changes(target, 2 * LONGS - 1, 1, MPI_ERR_OTHER);
        changes(target, LONGS + 7, 100, MPI_ERR_OTHER);
        reads(target, 3 * LONGS);
        OK(MPI_Win_unlock_all(win));
        barrier();
        /* What may be written is: 1 is put, 1 put, 1 added twice, and 1 for one element; then 4 becomes 1. */
        long four = 4, got;
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win));
        changes(target, 3, 1, MPI_SUCCESS);
        changes(target, 3 * LONGS - 1, 1, MPI_SUCCESS);
        OK(MPI_Put(&four, 1, MPI_LONG, target, first + 24, 1, MPI_LONG, win));
        OK(MPI_Get_accumulate(NULL, 0, MPI_LONG, &got, 1, MPI_LONG, target, first + 24 * LONGS - 8, 1, MPI_LONG, MPI_NO_OP, win));
        CHECK_EQ(got, 1);
        got = 3 * LONGS;
        OK(MPI_Put(&got, 1, MPI_LONG, target, first + 24 * LONGS - 8, 1, MPI_LONG, win));
        OK(MPI_Win_unlock(target, win));
        barrier();
    }
    /* Once it may be written, it is. */
    CHECK_EQ(mprotect(memory + LONGS, PAGE, PROT_READ | PROT_WRITE), 0);
    barrier();
    OK(MPI_Get_address(memory, &first));
    first = dynamic ? first : 0;
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win));
    changes(rank, LONGS, 1, MPI_SUCCESS);
    OK(MPI_Win_unlock(rank, win));
    CHECK_EQ(memory[LONGS], 1);
    CHECK_EQ(memory[LONGS + 1], LONGS + 2);
    barrier();
    if (dynamic)
        OK(MPI_Win_detach(win, memory));
    OK(MPI_Win_free(&win));
    munmap(memory, 3 * PAGE);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    for (int dynamic = 0; dynamic < 2; dynamic++)
        run(dynamic);
    return check_end();
}
