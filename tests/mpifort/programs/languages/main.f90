! Begins in Fortran.
program main
  use mpi_f08
  use topics
  implicit none
  call MPI_Init()
  call all_topics
  call MPI_Finalize()
  if (failures /= 0) error stop
end program
