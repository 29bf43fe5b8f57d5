! use mpi_f08: rank 1 is killed while the others have operations on sections that need it. Those end with an error and write nothing, and
! what the others do among themselves goes on. They say at the end that they are there.
program sections_death
  use mpi_f08
  use iso_c_binding
  implicit none
  interface
    integer(c_int) function raise(signal) bind(C)
      import :: c_int
      integer(c_int), value :: signal
    end function
  end interface
  integer, parameter :: columns = 12
  integer :: rank, ranks, code, i
  integer, asynchronous :: field(3, columns), got(3, columns)
  type(MPI_Datatype) :: made, gapped
  type(MPI_Request) :: once, again, sum, freed

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
  call MPI_Type_vector(2, 1, 2, MPI_INTEGER, made)
  call MPI_Type_create_resized(made, 0_MPI_ADDRESS_KIND, 12_MPI_ADDRESS_KIND, gapped)
  call MPI_Type_commit(gapped)
  got = -1
  field = rank
  call MPI_Barrier(MPI_COMM_WORLD)
  if (rank == 1) code = raise(9)

  call MPI_Irecv(got(1, :), 2, gapped, 1, 1, MPI_COMM_WORLD, once)
  call MPI_Irecv(got(1, :), 2, gapped, 1, 2, MPI_COMM_WORLD, freed)
  call MPI_Request_free(freed)
  call MPI_Recv_init(got(2, :), 2, gapped, 1, 3, MPI_COMM_WORLD, again)
  call MPI_Start(again)
  call MPI_Wait(once, MPI_STATUS_IGNORE, code)
  call expect(code /= MPI_SUCCESS, "MPI_Irecv")
  call MPI_Wait(again, MPI_STATUS_IGNORE, code)
  call expect(code /= MPI_SUCCESS, "MPI_Recv_init")
  call MPI_Request_free(again)
  call MPI_Iallreduce(field(2, ::2), got(3, ::2), columns / 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, sum, code)
  if (code == MPI_SUCCESS) call MPI_Wait(sum, MPI_STATUS_IGNORE, code)
  call expect(code /= MPI_SUCCESS, "MPI_Iallreduce")
  call expect(all(got == -1), "what was written")

  do i = 1, 3
    if (rank == 0) call MPI_Issend(field(2, :), 2, gapped, 2, 4, MPI_COMM_WORLD, once)
    if (rank == 2) call MPI_Irecv(got(2, :), 2, gapped, 0, 4, MPI_COMM_WORLD, once)
    call MPI_Wait(once, MPI_STATUS_IGNORE, code)
    call expect(code == MPI_SUCCESS, "a message of the living")
    if (rank == 2) call expect(all(got(2, [1, 3, 4, 6]) == 0) .and. all(got(2, [2, 5, 7]) == -1), "what came")
  end do
  print '(a, i0, a)', "rank ", rank, " lives"
  call MPI_Finalize()

contains

  subroutine expect(is_right, what)
    logical, intent(in) :: is_right
    character(len=*), intent(in) :: what
    if (.not. is_right) print *, "rank ", rank, ": ", what, " is wrong"
  end subroutine
end program
