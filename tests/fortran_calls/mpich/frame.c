/* Calls by the names of libmpifort.so.12: what is beside procedures that a function of C stands for, and the program. */

/* Sentinels of mpif.h are in common blocks of the program's; those of mpi_f08 are variables of the libraries'. */
#define COMMON __attribute__((common))
COMMON int mpipriv1_[7], mpipriv2_[6], mpifcmb5_, mpifcmb9_;
COMMON char mpiprivc_[2];
extern int MPIR_F08_MPI_BOTTOM, MPIR_F08_MPI_IN_PLACE, MPIR_F08_MPI_UNWEIGHTED, MPIR_F08_MPI_WEIGHTS_EMPTY,
    MPIR_F08_MPI_ERRCODES_IGNORE;
extern char MPIR_F08_MPI_ARGV_NULL, MPIR_F08_MPI_ARGVS_NULL;

int main(int argc, char **argv)
{
    const struct sentinels sentinels = {
        .bottom = { MPI_BOTTOM, &mpipriv1_[0], &MPIR_F08_MPI_BOTTOM },
        .in_place = { MPI_IN_PLACE, &mpipriv1_[1], &MPIR_F08_MPI_IN_PLACE },
        .status = { MPI_STATUS_IGNORE, &mpipriv1_[2], &MPIR_F08_MPI_STATUS_IGNORE_OBJ },
        .statuses = { MPI_STATUSES_IGNORE, &mpipriv2_[0], MPIR_F08_MPI_STATUSES_IGNORE_OBJ },
        .unweighted = { MPI_UNWEIGHTED, &mpifcmb5_, &MPIR_F08_MPI_UNWEIGHTED },
        .weights_empty = { MPI_WEIGHTS_EMPTY, &mpifcmb9_, &MPIR_F08_MPI_WEIGHTS_EMPTY },
        .argv = { MPI_ARGV_NULL, &mpiprivc_[1], &MPIR_F08_MPI_ARGV_NULL },
        .argvs = { MPI_ARGVS_NULL, &mpiprivc_[0], &MPIR_F08_MPI_ARGVS_NULL },
        .errcodes = { MPI_ERRCODES_IGNORE, &mpipriv2_[5], &MPIR_F08_MPI_ERRCODES_IGNORE },
    };
    int ierror = -1;
    extern void mpi_init_(int *), mpi_finalize_f08_(int *);
    extern double mpi_wtime_(void), mpi_wtick_f08_(void);
    extern MPI_Aint mpi_aint_add_(MPI_Aint *, MPI_Aint *), mpi_aint_diff_f08_(MPI_Aint *, MPI_Aint *);
    MPI_Aint one = 1, five = 5;
    begin(argv[1]);
    mpi_init_(&ierror);
    if (ierror != MPI_SUCCESS)
        printf("mpi_init_: %d\n", ierror);
    if (mpi_wtime_() > MPI_Wtime() || mpi_wtick_f08_() != MPI_Wtick())
        printf("the clock is another\n");
    if (mpi_aint_add_(&one, &five) != 6 || mpi_aint_diff_f08_(&one, &five) != -4)
        printf("addresses are wrong\n");
    all_situations(calls, &sentinels, argv[2]);
    fclose(lines);
    mpi_finalize_f08_(NULL);
    return 0;
}
