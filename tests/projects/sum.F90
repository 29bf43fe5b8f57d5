! The same program in Fortran, of the module that the compiler is told of: mpi_f08, or mpi by -DOLDER.
program sum_of_ranks
#ifdef OLDER
  use mpi
#else
  use mpi_f08
#endif
  implicit none
  integer :: rank, ranks, total, ierr
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (rank == 0 .and. total == ranks * (ranks - 1) / 2) print '(a,i0,a)', 'sum of ', ranks, ' ranks'
  call MPI_Finalize(ierr)
end program
