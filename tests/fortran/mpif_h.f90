! mpif.h: messages with statuses, MPI_IN_PLACE and MPI_BOTTOM, an operation of the user's, attributes that are INTEGERs,
! error handlers. Prints nothing when all is right.
program mpif_h
  implicit none
  include 'mpif.h'
  integer :: ierr, rank, ranks, errors
  integer :: status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2), requests(2)
  logical :: flag
  external :: product_mod, note_error
  integer :: noted, last_code
  common /notes/ noted, last_code

  errors = 0
  noted = 0
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call messages
  call in_place_and_bottom
  call user_operation
  call old_attributes
  call handlers
  if (errors /= 0) call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
  call MPI_Finalize(ierr)

contains

  subroutine check(right, what)
    logical, intent(in) :: right
    character(*), intent(in) :: what
    if (.not. right) then
      print '(a, i0, 2a)', 'rank ', rank, ': wrong: ', what
      errors = errors + 1
    end if
  end subroutine

  subroutine messages
    integer :: right, left, got(3), n
    right = mod(rank + 1, ranks)
    left = mod(rank - 1 + ranks, ranks)
    call MPI_Sendrecv((/ rank, rank + 1 /), 2, MPI_INTEGER, right, 7, got, 3, MPI_INTEGER, left, MPI_ANY_TAG, &
      MPI_COMM_WORLD, status, ierr)
    call check(ierr == MPI_SUCCESS .and. got(1) == left .and. got(2) == left + 1, 'sendrecv')
    call check(status(MPI_SOURCE) == left .and. status(MPI_TAG) == 7, 'status')
    call MPI_Get_count(status, MPI_INTEGER, n, ierr)
    call check(n == 2, 'get_count')
    call MPI_Irecv(got(1), 1, MPI_INTEGER, left, 1, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Isend(rank, 1, MPI_INTEGER, right, 1, MPI_COMM_WORLD, requests(2), ierr)
    call MPI_Waitall(2, requests, statuses, ierr)
    call check(statuses(MPI_SOURCE, 1) == left .and. got(1) == left, 'waitall')
    call check(all(requests == MPI_REQUEST_NULL), 'requests')
    call MPI_Sendrecv(rank, 1, MPI_INTEGER, right, 2, got, 1, MPI_INTEGER, left, 2, MPI_COMM_WORLD, &
      MPI_STATUS_IGNORE, ierr)
    call check(ierr == MPI_SUCCESS .and. got(1) == left, 'MPI_STATUS_IGNORE')
    call MPI_Irecv(got(1), 1, MPI_INTEGER, left, 3, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Isend(rank, 1, MPI_INTEGER, right, 3, MPI_COMM_WORLD, requests(2), ierr)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
    call check(ierr == MPI_SUCCESS .and. got(1) == left, 'MPI_STATUSES_IGNORE')
    call MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, flag, status, ierr)
    call check(.not. flag, 'iprobe')
  end subroutine

  subroutine in_place_and_bottom
    integer :: value, values(0:63)
    integer :: absolute
    integer(MPI_ADDRESS_KIND) :: address(1)
    value = rank + 1
    call MPI_Allreduce(MPI_IN_PLACE, value, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call check(value == ranks * (ranks + 1) / 2, 'allreduce in place')
    values(rank) = rank * 3
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, values, 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    call check(all(values(0:ranks - 1) == (/ (value * 3, value = 0, ranks - 1) /)), 'allgather in place')
    call MPI_Get_address(value, address(1), ierr)
    call MPI_Type_create_struct(1, (/ 1 /), address, (/ MPI_INTEGER /), absolute, ierr)
    call MPI_Type_commit(absolute, ierr)
    value = -1
    if (rank == 0) value = 42
    call MPI_Bcast(MPI_BOTTOM, 1, absolute, 0, MPI_COMM_WORLD, ierr)
    call check(value == 42, 'bcast at MPI_BOTTOM')
    call MPI_Type_free(absolute, ierr)
    call check(absolute == MPI_DATATYPE_NULL, 'type_free')
  end subroutine

  subroutine user_operation
    integer :: op, mine(2), out(2), expected(2), i
    call MPI_Op_create(product_mod, .true., op, ierr)
    mine = (/ rank + 2, rank + 3 /)
    call MPI_Allreduce(mine, out, 2, MPI_INTEGER, op, MPI_COMM_WORLD, ierr)
    expected = 1
    do i = 0, ranks - 1
      expected = mod(expected * (/ i + 2, i + 3 /), 1009)
    end do
    call check(all(out == expected), 'user operation')
    call MPI_Op_free(op, ierr)
    call MPI_Allreduce(rank == 0, flag, 1, MPI_LOGICAL, MPI_LOR, MPI_COMM_WORLD, ierr)
    call check(flag, 'MPI_LOR of LOGICAL')
    call MPI_Allreduce(rank == 0 .and. ranks > 1, flag, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD, ierr)
    call check(.not. flag, 'MPI_LAND of LOGICAL')
  end subroutine

  subroutine old_attributes
    integer :: key, value, copy, dup
    external :: copy_plus_one, note_deletion
    integer :: deleted, sum
    common /deletions/ deleted, sum
    deleted = 0
    sum = 0
    call MPI_Attr_get(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, ierr)
    call check(flag .and. value >= 32767, 'MPI_TAG_UB')
    call MPI_Keyval_create(copy_plus_one, note_deletion, key, 5, ierr)
    call MPI_Attr_get(MPI_COMM_WORLD, key, value, flag, ierr)
    call check(.not. flag, 'no attribute')
    call MPI_Attr_put(MPI_COMM_WORLD, key, -17, ierr)
    call MPI_Attr_get(MPI_COMM_WORLD, key, value, flag, ierr)
    call check(flag .and. value == -17, 'attribute')
    call MPI_Comm_dup(MPI_COMM_WORLD, dup, ierr)
    call MPI_Attr_get(dup, key, copy, flag, ierr)
    call check(flag .and. copy == -16, 'copied attribute')
    call MPI_Comm_free(dup, ierr)
    call check(deleted == 1 .and. sum == -16, 'deleted with its communicator')
    call MPI_Attr_delete(MPI_COMM_WORLD, key, ierr)
    call check(deleted == 2 .and. sum == -33, 'deleted')
    call MPI_Keyval_free(key, ierr)
    call check(key == MPI_KEYVAL_INVALID, 'keyval_free')
  end subroutine

  subroutine handlers
    integer :: handler, before, class, length
    character(MPI_MAX_ERROR_STRING) :: text
    call MPI_Comm_get_errhandler(MPI_COMM_WORLD, before, ierr)
    call check(before == MPI_ERRORS_ARE_FATAL, 'get_errhandler')
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
    call MPI_Send(rank, 1, MPI_INTEGER, ranks, 0, MPI_COMM_WORLD, ierr)
    call MPI_Error_class(ierr, class, ierr)
    call check(class == MPI_ERR_RANK, 'MPI_ERRORS_RETURN')
    call MPI_Error_string(MPI_ERR_RANK, text, length, ierr)
    call check(length > 0 .and. len_trim(text) == length, 'error_string')
    call MPI_Comm_create_errhandler(note_error, handler, ierr)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler, ierr)
    call MPI_Errhandler_free(handler, ierr)
    call MPI_Send(rank, 1, MPI_INTEGER, 0, -5, MPI_COMM_WORLD, ierr)
    call MPI_Error_class(last_code, class, ierr)
    call check(noted == 1 .and. class == MPI_ERR_TAG, 'handler of the user''s')
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, before, ierr)
  end subroutine
end program

subroutine product_mod(in, inout, n, datatype)
  implicit none
  include 'mpif.h'
  integer :: n, in(n), inout(n), datatype
  if (datatype /= MPI_INTEGER) return
  inout = mod(in * inout, 1009)
end subroutine

subroutine copy_plus_one(comm, key, extra, in, out, flag, ierr)
  implicit none
  include 'mpif.h'
  integer :: comm, key, extra, in, out, ierr
  logical :: flag
  out = in + 1
  flag = .true.
  ierr = MPI_SUCCESS
end subroutine

subroutine note_deletion(comm, key, value, extra, ierr)
  implicit none
  include 'mpif.h'
  integer :: comm, key, value, extra, ierr
  integer :: deleted, sum
  common /deletions/ deleted, sum
  deleted = deleted + 1
  sum = sum + value
  ierr = MPI_SUCCESS
end subroutine

subroutine note_error(comm, code)
  implicit none
  include 'mpif.h'
  integer :: comm, code
  integer :: noted, last_code
  common /notes/ noted, last_code
  if (comm == MPI_COMM_WORLD) noted = noted + 1
  last_code = code
end subroutine
