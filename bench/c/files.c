/* A matrix of doubles in a file, of which each rank has columns: all together, and every size-th. Of
 * the files, which lie beside this program, all is in memory. */
#include "bench.h"
#include <unistd.h>

enum { MOST = 4000, LEAST = 1000 };

static void columns(int n, int distribution, const char *writing, const char *reading)
{
    int sizes[2] = {n, n}, distributions[2] = {MPI_DISTRIBUTE_NONE, distribution};
    int arguments[2] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG}, grid[2] = {1, size}, bytes;
    char name[64];
    MPI_Datatype mine;
    MPI_File file;
    MPI_Type_create_darray(size, rank, 2, sizes, distributions, arguments, grid, MPI_ORDER_C, MPI_DOUBLE, &mine);
    MPI_Type_commit(&mine);
    MPI_Type_size(mine, &bytes);
    int count = bytes / (int)sizeof(double);
    double *data = malloc((size_t)bytes), *back = calloc((size_t)bytes, 1);
    for (int i = 0; i < count; i++)
        data[i] = rank + i * 0.5;
    snprintf(name, sizeof name, "bench-files-%d", (int)getpid());
    MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_set_view(file, 0, MPI_DOUBLE, mine, "native", MPI_INFO_NULL);
    TIMED(TOGETHER, writing, (long)n * n, MPI_File_write_at_all(file, 0, data, count, MPI_DOUBLE, MPI_STATUS_IGNORE));
    TIMED(TOGETHER, reading, (long)n * n, MPI_File_read_at_all(file, 0, back, count, MPI_DOUBLE, MPI_STATUS_IGNORE));
    check(memcmp(data, back, (size_t)bytes) == 0, writing);
    MPI_File_close(&file);
    MPI_Type_free(&mine);
    free(data);
    free(back);
}

void family_files(void)
{
    for (int n = LEAST; n <= MOST; n *= 2) {
        columns(n, MPI_DISTRIBUTE_BLOCK, "write_blocks", "read_blocks");
        columns(n, MPI_DISTRIBUTE_CYCLIC, "write_cyclic", "read_cyclic");
    }
}
