/* ranks: 2 4; seconds: 240 */
/* Communicators are made and freed many times: neither the job's shared memory nor this process's own grows. */
#include "inter.h"
#include <unistd.h>

/* Pages of this process in memory. */
static long resident(void)
{
    long total = 0, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file != NULL);
    CHECK_EQ(fscanf(file, "%ld %ld", &total, &pages), 2);
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

static void once(const struct inter *x, MPI_Group all)
{
    MPI_Comm comm, dup, merged, split, group;
    MPI_Request request;
    int one = 1, sum;
    OK(MPI_Intercomm_create(x->local, 0, MPI_COMM_WORLD, inter_remote(x, 0), 0, &comm));
    OK(MPI_Comm_idup(comm, &dup, &request));
    OK(MPI_Intercomm_merge(comm, x->side, &merged));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Comm_split(dup, 0, 0, &split));
    OK(MPI_Comm_create_group(MPI_COMM_WORLD, all, 0, &group));
    /* One collective operation by messages in each. */
    OK(MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, split, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_EQ(sum, x->remote);
    OK(MPI_Bcast(&sum, 1, MPI_INT, 0, merged));
    OK(MPI_Bcast(&sum, 1, MPI_INT, 0, group));
    OK(MPI_Comm_free(&comm));
    OK(MPI_Comm_free(&dup));
    OK(MPI_Comm_free(&split));
    OK(MPI_Comm_free(&merged));
    OK(MPI_Comm_free(&group));
}

int main(int argc, char **argv)
{
    enum { WARM = 6000, ROUNDS = 14000, SLACK = 2 << 20 };
    MPI_Group all;
    check_start(&argc, &argv);
    struct inter x = inter_make(1);
    OK(MPI_Comm_group(MPI_COMM_WORLD, &all));
    for (int i = 0; i < WARM; i++)
        once(&x, all);
    long before = resident();
    for (int i = 0; i < ROUNDS; i++)
        once(&x, all);
    long grown = resident() - before;
    /* 70000 communicators: less than 30 bytes each. */
    CHECK(grown < SLACK);
    OK(MPI_Group_free(&all));
    inter_free(&x);
    return check_end();
}
