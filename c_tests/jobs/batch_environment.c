/* ranks: 1; launcher: alone; name: nothing_set; args: 1 */
/* ranks: 1; launcher: alone; name: slurm_one_task; env: SLURM_STEP_NUM_TASKS=1 SLURM_PROCID=0; args: 1 */
/* ranks: 1; launcher: alone; name: slurm; env: SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=0 SLURM_STEP_ID=0; expect-exit: nonzero; expect-stderr: SLURM_STEP_NUM_TASKS is 4; mpich: skip it runs four jobs of one */
/* ranks: 1; launcher: alone; name: open_mpi; env: OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=1; expect-exit: nonzero; expect-stderr: OMPI_COMM_WORLD_SIZE is 2; mpich: skip it runs two jobs of one */
/* ranks: 1; launcher: alone; name: pmix; env: PMIX_SIZE=3 PMIX_RANK=2; expect-exit: nonzero; expect-stderr: PMIX_SIZE is 3; mpich: skip it runs three jobs of one */
/* ranks: 1; launcher: alone; name: pmi_without_fd; env: PMI_SIZE=2 PMI_RANK=1; expect-exit: nonzero; expect-stderr: PMI_SIZE is 2; mpich: skip it runs two jobs of one */
/* ranks: 2; name: our_mpiexec_in_slurm; env: SLURM_STEP_NUM_TASKS=1 SLURM_NTASKS=4 SLURM_PROCID=0 SLURM_JOB_ID=7; args: 2 */
/* ranks: 2; launcher: hydra; name: in_open_mpi; env: OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=1; args: 2 */
/* Started by a batch launcher that gives no way to the other processes: an error, never several jobs of one. With our
 * mpiexec or PMI inside such an environment, or with nothing set, all is well. */
#include "check.h"

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    CHECK_EQ(argc, 2);
    CHECK_EQ(size, atoi(argv[1]));
    int sum = 0, one = 1;
    OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_EQ(sum, size);
    return check_end();
}
