! Handles in arrays: many requests, some of them null; types of all to all; the types of which a type is made; predefined objects
! that come back as the constants that they are; attributes of MPI_COMM_WORLD; statuses that begin anywhere. Prints nothing when
! all is right.
program handles
  use mpi
  implicit none
  integer, parameter :: many = 50
  integer :: ierror, rank, ranks, errors = 0

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  call requests
  call exchange(MPI_COMM_WORLD)
  call contents
  call constants
  if (errors /= 0) call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
  call MPI_Finalize(ierror)

contains

  subroutine check(right, what)
    logical, intent(in) :: right
    character(*), intent(in) :: what
    if (.not. right) then
      print '(a, i0, 2a)', 'rank ', rank, ': wrong: ', what
      errors = errors + 1
    end if
  end subroutine

  subroutine requests
    integer :: all(2 * many), sent(many), got(many), i, index, left, right, n, indices(2 * many)
    logical :: flag
    right = mod(rank + 1, ranks)
    left = mod(rank - 1 + ranks, ranks)
    all = MPI_REQUEST_NULL
    sent = (/ (100 * rank + i, i = 1, many) /)
    do i = 1, many - 1
      call MPI_Irecv(got(i), 1, MPI_INTEGER, left, i, MPI_COMM_WORLD, all(i), ierror)
      call MPI_Isend(sent(i), 1, MPI_INTEGER, right, i, MPI_COMM_WORLD, all(many + i), ierror)
    end do
    call MPI_Waitall(2 * many, all, MPI_STATUSES_IGNORE, ierror)
    call check(.not. any(all /= MPI_REQUEST_NULL), 'requests are null')
    call check(.not. any(got(1:many-1) /= (/ (100 * left + i, i = 1, many - 1) /)), 'messages')
    call MPI_Send_init(sent, 1, MPI_INTEGER, right, 7, MPI_COMM_WORLD, all(1), ierror)
    call MPI_Recv_init(got, 1, MPI_INTEGER, left, 7, MPI_COMM_WORLD, all(3), ierror)
    call MPI_Startall(1, all(1:1), ierror)
    call MPI_Start(all(3), ierror)
    n = 0
    do while (n < 2)
      call MPI_Waitany(3, all, index, MPI_STATUS_IGNORE, ierror)
      call check(index == 1 .or. index == 3, 'waitany')
      n = n + 1
    end do
    call check(got(1) == 100 * left + 1, 'persistent')
    call MPI_Testsome(3, all, n, indices, MPI_STATUSES_IGNORE, ierror)
    call check(n == MPI_UNDEFINED, 'testsome')
    call MPI_Request_free(all(1), ierror)
    call MPI_Request_free(all(3), ierror)
    call check(all(1) == MPI_REQUEST_NULL .and. all(3) == MPI_REQUEST_NULL, 'request_free')
    call MPI_Testall(3, all, flag, MPI_STATUSES_IGNORE, ierror)
    call check(flag, 'testall')
  end subroutine

  subroutine exchange(comm)
    integer, intent(in) :: comm
    integer :: counts(ranks), places(ranks), types(ranks), sent(ranks), got(ranks), pair, i
    call MPI_Type_contiguous(1, MPI_INTEGER, pair, ierror)
    call MPI_Type_commit(pair, ierror)
    counts = 1
    places = (/ (4 * i, i = 0, ranks - 1) /)
    types = MPI_INTEGER
    types(ranks) = pair
    sent = (/ (10 * rank + i, i = 0, ranks - 1) /)
    call MPI_Alltoallw(sent, counts, places, types, got, counts, places, types, comm, ierror)
    call check(.not. any(got /= (/ (10 * i + rank, i = 0, ranks - 1) /)), 'alltoallw')
    call MPI_Alltoallw(MPI_IN_PLACE, counts, places, types, got, counts, places, types, comm, ierror)
    call check(.not. any(got /= sent), 'alltoallw in place')
    call MPI_Type_free(pair, ierror)
    call check(pair == MPI_DATATYPE_NULL, 'type_free')
  end subroutine

  subroutine contents
    integer :: made, numbers(3), types(2), n(4)
    integer(MPI_ADDRESS_KIND) :: places(2)
    places = (/ 0, 8 /)
    call MPI_Type_create_struct(2, (/ 1, 1 /), places, (/ MPI_DOUBLE_PRECISION, MPI_CHARACTER /), made, ierror)
    call MPI_Type_get_envelope(made, n(1), n(2), n(3), n(4), ierror)
    call check(n(4) == MPI_COMBINER_STRUCT .and. n(3) == 2, 'envelope')
    call MPI_Type_get_contents(made, 3, 2, 2, numbers, places, types, ierror)
    call check(types(1) == MPI_DOUBLE_PRECISION .and. types(2) == MPI_CHARACTER, 'contents')
    call MPI_Type_free(made, ierror)
  end subroutine

  subroutine constants
    integer :: group, none, handler, comm, i, status(MPI_STATUS_SIZE), room(2 + MPI_STATUS_SIZE), sum, kind
    integer(MPI_ADDRESS_KIND) :: value
    logical :: flag
    call MPI_Comm_group(MPI_COMM_WORLD, group, ierror)
    call MPI_Group_difference(group, group, none, ierror)
    call check(none == MPI_GROUP_EMPTY, 'MPI_GROUP_EMPTY')
    call MPI_Group_free(group, ierror)
    call check(group == MPI_GROUP_NULL, 'MPI_GROUP_NULL')
    call MPI_Comm_get_errhandler(MPI_COMM_WORLD, handler, ierror)
    call check(handler == MPI_ERRORS_ARE_FATAL, 'MPI_ERRORS_ARE_FATAL')
    call MPI_Comm_split(MPI_COMM_WORLD, MPI_UNDEFINED, 0, comm, ierror)
    call check(comm == MPI_COMM_NULL, 'MPI_COMM_NULL')
    do i = 1, 2
      ! One of both begins where no number of eight bytes can.
      call MPI_Sendrecv(rank, 1, MPI_INTEGER, 0, 5, sum, 1, MPI_INTEGER, 0, 5, MPI_COMM_SELF, &
        room(i:i + MPI_STATUS_SIZE - 1), ierror)
      status = room(i:i + MPI_STATUS_SIZE - 1)
      call check(status(MPI_TAG) == 5 .and. sum == rank, 'a status anywhere')
      call MPI_Get_count(room(i:i + MPI_STATUS_SIZE - 1), MPI_INTEGER, kind, ierror)
      call check(kind == 1, 'its count')
    end do
    do kind = 1, 2
      i = MPI_IO
      if (kind == 2) i = MPI_WTIME_IS_GLOBAL
      call MPI_Comm_get_attr(MPI_COMM_WORLD, i, value, flag, ierror)
      call check(flag, 'predefined attributes')
      if (kind == 1) call check(value == MPI_ANY_SOURCE .or. value == rank, 'MPI_IO')
    end do
    call MPI_Allreduce(1, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    call check(sum == ranks, 'MPI_SUM')
  end subroutine
end program
