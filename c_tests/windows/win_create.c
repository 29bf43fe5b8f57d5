/* ranks: 1 2 4 8; name: alloc_mem; args: alloc_mem; launcher: mpiexec hydra */
/* ranks: 1 2 4 8; name: malloc; args: malloc; launcher: mpiexec hydra */
/* ranks: 1 2 4 8; name: stack; args: stack; launcher: mpiexec hydra */
/* ranks: 1 2 4 8; name: static; args: static */
/* Windows over memory the program has already (MPI 4.1 section 12.2.1): put, get and accumulate reach every byte of
 * it and no other; several windows overlap; null and zero-size memory are windows too. */
#include "check.h"

#define BYTES 10000

static unsigned char static_memory[BYTES + 128];

/* Puts into all of the next rank's window but its first and last bytes, and gets it back. */
static void run(unsigned char *memory, MPI_Aint bytes)
{
    MPI_Win win;
    int next = (rank + 1) % size;
    unsigned char *data = malloc((size_t)bytes), *back = malloc((size_t)bytes);
    const int count = (int)bytes - 2;

    memset(memory, 0x11, (size_t)bytes);
    OK(MPI_Win_create(memory, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    fill(data, (size_t)bytes, (uint64_t)rank);
    barrier();
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, win));
    OK(MPI_Put(data, count, MPI_BYTE, next, 1, count, MPI_BYTE, win));
    OK(MPI_Win_flush(next, win));
    memset(back, 0, (size_t)bytes);
    OK(MPI_Get(back, (int)bytes, MPI_BYTE, next, 0, (int)bytes, MPI_BYTE, win));
    OK(MPI_Win_unlock(next, win));
    CHECK_EQ(back[0], 0x11);
    CHECK_BYTES(back + 1, data, (size_t)count);
    CHECK_EQ(back[bytes - 1], 0x11);
    barrier();

    /* What the previous rank put is in this rank's memory, for plain loads. */
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win));
    fill(data, (size_t)bytes, (uint64_t)((rank + size - 1) % size));
    CHECK_EQ(memory[0], 0x11);
    CHECK_BYTES(memory + 1, data, (size_t)count);
    CHECK_EQ(memory[bytes - 1], 0x11);
    memset(memory, 0, 8);
    OK(MPI_Win_unlock(rank, win));
    barrier();

    int one = 1;
    for (int r = 0; r < size; r++) {
        OK(MPI_Win_lock(MPI_LOCK_SHARED, r, 0, win));
        OK(MPI_Accumulate(&one, 1, MPI_INT, r, 0, 1, MPI_INT, MPI_SUM, win));
        OK(MPI_Win_unlock(r, win));
    }
    barrier();
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win));
    int sum;
    memcpy(&sum, memory, sizeof sum);
    CHECK_EQ(sum, size);
    OK(MPI_Win_unlock(rank, win));
    OK(MPI_Win_free(&win));
    free(data);
    free(back);
}

/* Two windows over the same memory, one of them over its second half. */
static void overlap(unsigned char *memory, MPI_Aint bytes)
{
    MPI_Win whole, half;
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    MPI_Aint middle = bytes / 2;
    unsigned char value = (unsigned char)(rank + 1);
    memset(memory, 0, (size_t)bytes);
    OK(MPI_Win_create(memory, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &whole));
    OK(MPI_Win_create(memory + middle, bytes - middle, 2, MPI_INFO_NULL, MPI_COMM_WORLD, &half));
    OK(MPI_Win_fence(0, half));
    OK(MPI_Put(&value, 1, MPI_BYTE, next, 5, 1, MPI_BYTE, half));
    OK(MPI_Win_fence(0, half));
    OK(MPI_Win_fence(0, whole));
    unsigned char seen = 0;
    OK(MPI_Get(&seen, 1, MPI_BYTE, next, middle + 10, 1, MPI_BYTE, whole));
    OK(MPI_Win_fence(0, whole));
    CHECK_EQ(seen, rank + 1);
    CHECK_EQ(memory[middle + 10], previous + 1);
    OK(MPI_Win_free(&whole));
    OK(MPI_Win_free(&half));
}

/* Some ranks expose nothing: a null pointer and no bytes. */
static void nothing_on_odd_ranks(unsigned char *memory)
{
    MPI_Win win;
    int value = 5 + rank;
    int odd = rank % 2;
    memset(memory, 0, 4096);
    OK(MPI_Win_create(odd ? NULL : memory, odd ? 0 : 4096, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_fence(0, win));
    OK(MPI_Put(&value, 1, MPI_INT, 0, rank, 1, MPI_INT, win));
    OK(MPI_Put(&value, 0, MPI_INT, (rank + 1) % size, 0, 0, MPI_INT, win));
    OK(MPI_Win_fence(0, win));
    if (rank == 0)
        for (int r = 0; r < size; r++)
            CHECK_EQ(((int *)(void *)memory)[r], 5 + r);
    OK(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
    _Alignas(16) unsigned char stack_memory[BYTES + 128];
    unsigned char *memory = NULL;
    check_start(&argc, &argv);
    CHECK(argc == 2);
    const char *kind = argv[1];
    if (strcmp(kind, "alloc_mem") == 0)
        OK(MPI_Alloc_mem(BYTES + 128, MPI_INFO_NULL, &memory));
    else if (strcmp(kind, "malloc") == 0)
        memory = malloc(BYTES + 128);
    else if (strcmp(kind, "stack") == 0)
        memory = stack_memory;
    else
        memory = static_memory;
    CHECK(memory != NULL);

    memset(memory, 0x77, BYTES + 128);
    run(memory + 64, BYTES);
    run(memory + 64, 4097);
    run(memory + 64 + rank % 3, 77);
    for (int i = 0; i < 64; i++) {
        CHECK_EQ(memory[i], 0x77);
        CHECK_EQ(memory[BYTES + 64 + i], 0x77);
    }
    overlap(memory, 6000);
    nothing_on_odd_ranks(memory);
    if (strcmp(kind, "alloc_mem") == 0)
        OK(MPI_Free_mem(memory));
    if (strcmp(kind, "malloc") == 0)
        free(memory);
    return check_end();
}
