/* ranks: 200; env: RMASHM_CHECK=off; mpich: skip how much memory a pair of processes takes is rmashm's affair */
/* Among many processes a few bytes from each to each take little memory: as a collective operation, nonblocking and blocking,
 * and as messages of the program's own. */
#include "check.h"

/* KiB of shared memory that the processes have together. */
static double shared_kib(void)
{
    char line[256];
    double mine = -1, all = 0;
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    CHECK(file != NULL);
    while (fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, "Pss_Shmem:", 10) == 0)
            mine = atof(line + 10);
    fclose(file);
    CHECK(mine >= 0);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    return all;
}

/* Each pair has taken at most so many bytes since there were `before` KiB. */
static void took_at_most(double bytes, double before)
{
    double pairs = (double)size * (size - 1), took = (shared_kib() - before) * 1024 / pairs;
    if (took > bytes)
        check_failed(__FILE__, __LINE__, "each pair took %.0f bytes, and not %.0f", took, bytes);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    int *in = malloc((size_t)size * sizeof *in), *out = malloc((size_t)size * sizeof *out);
    MPI_Request *requests = malloc(2 * (size_t)size * sizeof *requests);
    CHECK(in != NULL && out != NULL && requests != NULL);
    for (int r = 0; r < size; r++)
        in[r] = rank * size + r;
    double before = shared_kib();
    before = shared_kib();

    OK(MPI_Ialltoall(in, 1, MPI_INT, out, 1, MPI_INT, MPI_COMM_WORLD, requests));
    OK(MPI_Wait(requests, MPI_STATUS_IGNORE));
    for (int r = 0; r < size; r++)
        CHECK_EQ(out[r], r * size + rank);
    OK(MPI_Alltoall(in, 1, MPI_INT, out, 1, MPI_INT, MPI_COMM_WORLD));
    for (int r = 0; r < size; r++)
        CHECK_EQ(out[r], r * size + rank);
    took_at_most(600, before);

    for (int i = 0; i < size; i++) {
        int to = (rank + i) % size, from = (rank + size - i) % size;
        OK(MPI_Irecv(&out[from], 1, MPI_INT, from, 0, MPI_COMM_WORLD, &requests[2 * i]));
        OK(MPI_Isend(&in[to], 1, MPI_INT, to, 0, MPI_COMM_WORLD, &requests[2 * i + 1]));
    }
    OK(MPI_Waitall(2 * size, requests, MPI_STATUSES_IGNORE));
    for (int r = 0; r < size; r++)
        CHECK_EQ(out[r], r * size + rank);
    took_at_most(1200, before);
    free(in);
    free(out);
    free(requests);
    return check_end();
}
