/* ranks: 1 4; mpich: skip 4.0.2 has no such hint */
/* ranks: 4; name: moved; args: moved; mpich: skip 4.0.2 has no such hint */
/* Memory has the alignment that was asked for, as an address of the process that asked, wherever the job's memory lies there
 * (mpi_minimum_memory_alignment, MPI 4.1 sections 9.2, 12.2.2 and 12.2.3). With "moved", all ranks but the first have something else where
 * rmashm has it by preference. */
#define _GNU_SOURCE
#include "check.h"
#include <sys/mman.h>

#define COUNT 7
static const size_t alignments[COUNT] = {64, 4096, 8192, 65536, 1 << 20, 2 << 20, 16 << 20};

static void aligned(const void *memory, size_t alignment, const char *what)
{
    if ((uintptr_t)memory % alignment)
        check_failed(__FILE__, __LINE__, "%s aligned to %zu bytes is at %p", what, alignment, memory);
}

/* Takes the first page of that range. */
static void take_its_place(void)
{
    const char *me = getenv("RMASHM_RANK");
    if (me && atoi(me) == 0)
        return;
    void *there = mmap((void *)0x200000000000, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    CHECK(there == (void *)0x200000000000);
}

int main(int argc, char **argv)
{
    MPI_Info info;
    void *kept[2 * COUNT];
    if (argc > 1)
        take_its_place();
    check_start(&argc, &argv);
    OK(MPI_Info_create(&info));
    for (int i = 0; i < COUNT; i++) {
        MPI_Win win;
        char text[32], *base, *theirs;
        MPI_Aint bytes;
        int unit;
        sprintf(text, "%zu", alignments[i]);
        OK(MPI_Info_set(info, "mpi_minimum_memory_alignment", text));
        for (int large = 0; large < 2; large++) {
            size_t length = large ? 3 << 20 : 100;
            OK(MPI_Alloc_mem((MPI_Aint)length, info, &kept[2 * i + large]));
            aligned(kept[2 * i + large], alignments[i], "MPI_Alloc_mem");
            fill(kept[2 * i + large], length, (uint64_t)(2 * i + large));
        }
        OK(MPI_Win_allocate(1000, 1, info, MPI_COMM_WORLD, &base, &win));
        aligned(base, alignments[i], "MPI_Win_allocate");
        memset(base, rank + 1, 1000);
        OK(MPI_Win_fence(0, win));
        OK(MPI_Win_shared_query(win, (rank + 1) % size, &bytes, &unit, &theirs));
        CHECK(bytes == 1000 && theirs[0] == (rank + 1) % size + 1 && theirs[999] == theirs[0]);
        OK(MPI_Win_free(&win));
        OK(MPI_Win_allocate_shared(1000, 1, info, MPI_COMM_WORLD, &base, &win));
        if (rank == 0)
            aligned(base, alignments[i], "MPI_Win_allocate_shared");
        OK(MPI_Win_free(&win));
        OK(MPI_Info_set(info, "alloc_shared_noncontig", "true"));
        OK(MPI_Win_allocate_shared(1000, 1, info, MPI_COMM_WORLD, &base, &win));
        aligned(base, alignments[i], "MPI_Win_allocate_shared, not contiguous,");
        OK(MPI_Win_free(&win));
        OK(MPI_Info_delete(info, "alloc_shared_noncontig"));
    }
    for (int i = 0; i < 2 * COUNT; i++) {
        size_t length = i % 2 ? 3 << 20 : 100;
        unsigned char *wanted = malloc(length);
        fill(wanted, length, (uint64_t)i);
        CHECK_BYTES(kept[i], wanted, length);
        free(wanted);
        OK(MPI_Free_mem(kept[i]));
    }
    OK(MPI_Info_free(&info));
    return check_end();
}
