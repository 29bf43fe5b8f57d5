! use mpi_f08: handles and statuses as types, their comparisons, also of whole arrays and with integers; sizes of types; statuses of
! either kind; constants as addresses; the same from a program of the older module. Prints nothing when all is right.
module older
  use mpi
  implicit none
contains
  subroutine as_integers(comm, status)
    integer, intent(in) :: comm
    integer, intent(out) :: status(MPI_STATUS_SIZE)
    integer :: ierr
    call MPI_Recv(ierr, 0, MPI_INTEGER, MPI_PROC_NULL, 3, comm, status, ierr)
  end subroutine
end module

program types
  use mpi_f08
  use older, only: as_integers
  use, intrinsic :: iso_fortran_env
  implicit none
  type(MPI_Comm) :: comm
  type(MPI_Request) :: requests(3)
  type(MPI_Status) :: status, statuses(2)
  type(MPI_Datatype) :: kinds(2)
  type(MPI_Group) :: group
  type(MPI_Info) :: info
  integer :: rank, ranks, n, as_array(MPI_STATUS_SIZE), where(2)
  logical :: flag, periods(1), coordinates(2)
  character(len=MPI_MAX_OBJECT_NAME) :: name
  character(len=8) :: value
  real(real64) :: x(3)
  complex :: z
  character(len=5) :: word
  integer(MPI_ADDRESS_KIND) :: at
  integer :: packed(1)

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, n)
  call expect(n == MPI_SUCCESS, "ierror")

  ! Comparisons.
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  call expect(comm /= MPI_COMM_WORLD .and. .not. comm == MPI_COMM_NULL, "handles")
  call expect(comm .ne. MPI_COMM_WORLD .and. .not. (comm .eq. MPI_COMM_NULL), "handles in words")
  call expect(MPI_COMM_WORLD == MPI_COMM_WORLD%MPI_VAL .and. MPI_COMM_SELF%MPI_VAL /= MPI_COMM_WORLD, "handles and integers")
  requests = MPI_REQUEST_NULL
  call expect(all(requests == MPI_REQUEST_NULL) .and. .not. any(requests /= MPI_REQUEST_NULL), "arrays of handles")
  kinds = [MPI_INTEGER, MPI_REAL]
  call expect(count(kinds == MPI_REAL) == 1, "arrays of datatypes")
  call MPI_Comm_group(comm, group)
  call expect(group /= MPI_GROUP_EMPTY, "groups")
  call MPI_Group_free(group)

  ! Strings and logicals.
  call MPI_Comm_set_name(comm, "a name  ")
  call MPI_Comm_get_name(comm, name, n)
  call expect(name == "a name" .and. n == 6, "names")
  call MPI_Info_create(info)
  call MPI_Info_set(info, "key", " value ")
  call MPI_Info_get(info, "key", 8, value, flag)
  call expect(flag .and. value == "value", "infos")
  call MPI_Info_get(info, "no", 8, value, flag)
  call expect(.not. flag, "infos that are not there")
  call MPI_Info_free(info)
  call MPI_Cart_create(comm, 1, [ranks], [.true.], .false., comm)
  call MPI_Cart_get(comm, 1, where(:1), periods, where(2:))
  call expect(periods(1) .and. where(1) == ranks .and. where(2) == rank, "logicals")

  ! A string beside buffers.
  at = 0
  call MPI_Pack_external("external32", ranks, 1, MPI_INTEGER, packed, 4_MPI_ADDRESS_KIND, at)
  call expect(at == 4, "MPI_Pack_external")
  at = 0
  call MPI_Unpack_external("external32", packed, 4_MPI_ADDRESS_KIND, at, n, 1, MPI_INTEGER)
  call expect(at == 4 .and. n == ranks, "MPI_Unpack_external")

  ! Statuses.
  call MPI_Irecv(n, 1, MPI_INTEGER, 0, 4, MPI_COMM_SELF, requests(1))
  call MPI_Isend(rank, 1, MPI_INTEGER, 0, 4, MPI_COMM_SELF, requests(2))
  call MPI_Waitall(2, requests, statuses)
  call expect(n == rank .and. statuses(1)%MPI_TAG == 4 .and. statuses(1)%MPI_SOURCE == 0, "MPI_Waitall")
  call MPI_Status_f082f(statuses(1), as_array)
  call expect(as_array(MPI_TAG) == 4 .and. as_array(MPI_SOURCE) == 0, "MPI_Status_f082f")
  call as_integers(MPI_COMM_WORLD%MPI_VAL, as_array)
  call MPI_Status_f2f08(as_array, status)
  call expect(status%MPI_SOURCE == MPI_PROC_NULL .and. status%MPI_TAG == MPI_ANY_TAG, "MPI_Status_f2f08")
  call MPI_Get_count(statuses(1), MPI_INTEGER, n)
  call expect(n == 1, "MPI_Get_count")
  call MPI_Recv(n, 1, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)

  ! Sizes.
  coordinates = .true.
  call size_of(MPI_INTEGER, storage_size(n) / 8, "MPI_INTEGER")
  call MPI_Sizeof(n, n)
  call expect(n == 4, "MPI_Sizeof of an integer")
  call MPI_Sizeof(x, n)
  call expect(n == 8, "MPI_Sizeof of an array")
  call MPI_Sizeof(z, n)
  call expect(n == 8, "MPI_Sizeof of a complex number")
  call MPI_Sizeof(coordinates, n)
  call expect(n == 4, "MPI_Sizeof of logicals")
  call MPI_Sizeof(int(rank, int16), n)
  call expect(n == 2, "MPI_Sizeof of two bytes")
  word = "hello"
  call MPI_Sizeof(word(1:1), n)
  call expect(n == 1, "MPI_Sizeof of a character")

  ! The other names.
  n = 1
  call PMPI_Allreduce(MPI_IN_PLACE, n, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call expect(n == ranks, "PMPI_Allreduce")
  call expect(MPI_Wtime() <= PMPI_Wtime() + 1, "PMPI_Wtime")
  call MPI_Comm_free(comm)
  call expect(comm == MPI_COMM_NULL, "MPI_Comm_free")
  call MPI_Finalize()

contains

  subroutine size_of(datatype, expected, what)
    type(MPI_Datatype), intent(in) :: datatype
    integer, intent(in) :: expected
    character(len=*), intent(in) :: what
    integer :: small
    integer(MPI_COUNT_KIND) :: large
    call MPI_Type_size(datatype, small)
    call MPI_Type_size(datatype, large)
    call expect(small == expected .and. large == expected, what)
  end subroutine

  subroutine expect(right, what)
    logical, intent(in) :: right
    character(len=*), intent(in) :: what
    if (right) return
    print *, "wrong on rank ", rank, ": ", what
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine

end program
