/* The proportional share of memory of a rank after MPI_Init, in MiB. */
#include "bench.h"

void family_memory(void)
{
    char line[256];
    double mine = 0, sum;
    MPI_Barrier(MPI_COMM_WORLD);
    FILE *rollup = fopen("/proc/self/smaps_rollup", "r");
    while (rollup && fgets(line, sizeof line, rollup))
        if (strncmp(line, "Pss:", 4) == 0)
            mine = atof(line + 4) / 1024;
    if (rollup)
        fclose(rollup);
    MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    result("pss", size, "MiB", sum / size);
}
