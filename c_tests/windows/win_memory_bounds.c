/* ranks: 1 2; mpich: skip 4.0.2 does not look where allocations end */
/* A window, or what is attached to one, over memory of MPI_Alloc_mem or of another window is no larger than that memory (MPI 4.1
 * section 12.2.1): a put would change somebody else's. What begins and ends within it is fine. */
#include "check.h"

static MPI_Win dynamic;

/* A window over `bytes` bytes can be made and attached, or neither. */
static void try(void *base, MPI_Aint bytes, int class)
{
    MPI_Win win;
    CHECK_CLASS(MPI_Win_create(base, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win), class);
    if (class == MPI_SUCCESS)
        OK(MPI_Win_free(&win));
    CHECK_CLASS(MPI_Win_attach(dynamic, base, bytes), class);
    if (class == MPI_SUCCESS)
        OK(MPI_Win_detach(dynamic, base));
}

/* Memory of `bytes` bytes, all of which are the program's. */
static void borders(char *memory, MPI_Aint bytes)
{
    try(memory, bytes, MPI_SUCCESS);
    try(memory, 0, MPI_SUCCESS);
    try(memory + 1, bytes - 1, MPI_SUCCESS);
    try(memory + bytes / 2, bytes / 4, MPI_SUCCESS);
    try(memory + bytes - 1, 1, MPI_SUCCESS);
    try(memory, bytes + 1, MPI_ERR_SIZE);
    try(memory + bytes / 2, bytes, MPI_ERR_SIZE);
    try(memory + bytes - 1, 2, MPI_ERR_SIZE);
    try(memory, bytes + (1 << 20), MPI_ERR_SIZE);
    try(memory - 8, bytes, MPI_ERR_SIZE);
}

int main(int argc, char **argv)
{
    static const MPI_Aint lengths[] = {64, 100, 2048, 5000, 3 << 20};
    char *memory, *neighbours[5];
    MPI_Win win, lent;
    check_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic));
    OK(MPI_Win_set_errhandler(dynamic, MPI_ERRORS_RETURN));
    for (int i = 0; i < 5; i++) {
        OK(MPI_Alloc_mem(lengths[i], MPI_INFO_NULL, &memory));
        OK(MPI_Alloc_mem(lengths[i], MPI_INFO_NULL, &neighbours[i]));
        borders(memory, lengths[i]);
        CHECK_SENTENCE(MPI_Win_create(memory, 123456789, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_ERR_SIZE, "123456789");
        OK(MPI_Free_mem(memory));
    }
    for (int i = 0; i < 5; i++)
        OK(MPI_Free_mem(neighbours[i]));
    OK(MPI_Win_allocate(1000, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
    borders(memory, 1000);
    OK(MPI_Win_free(&win));

    /* One of the processes asks for too much: all hear of it. Others' parts of shared memory may be lent on. */
    OK(MPI_Win_allocate_shared(1000, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
    MPI_Aint bytes;
    int unit;
    OK(MPI_Win_shared_query(win, 0, &bytes, &unit, &memory));
    OK(MPI_Win_create(memory, bytes * size, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &lent));
    OK(MPI_Win_free(&lent));
    CHECK_CLASS(MPI_Win_create(memory, bytes * size + (rank == 0), unit, MPI_INFO_NULL, MPI_COMM_WORLD, &lent), MPI_ERR_SIZE);
    OK(MPI_Win_free(&win));
    OK(MPI_Win_free(&dynamic));
    return check_end();
}
