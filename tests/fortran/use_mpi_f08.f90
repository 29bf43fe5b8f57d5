! use mpi_f08: statuses and handles that are types, choice buffers with strides, MPI_IN_PLACE and MPI_BOTTOM, an operation
! and attributes of the user's, a shared window, weights, a generalized request. Prints nothing when all is right.
module callbacks
  use mpi_f08
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: deleted = 0, noted = 0, steps = 0
contains
  subroutine larger(invec, inoutvec, len, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer :: len
    type(MPI_Datatype) :: datatype
    double precision, pointer :: in(:), inout(:)
    if (datatype /= MPI_DOUBLE_PRECISION) return
    call c_f_pointer(invec, in, (/ len /))
    call c_f_pointer(inoutvec, inout, (/ len /))
    where (in > inout) inout = in
  end subroutine

  subroutine plus_one(oldcomm, comm_keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror)
    type(MPI_Comm) :: oldcomm
    integer :: comm_keyval, ierror
    integer(MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
    logical :: flag
    attribute_val_out = attribute_val_in + 1
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine

  subroutine count_deletion(comm, comm_keyval, attribute_val, extra_state, ierror)
    type(MPI_Comm) :: comm
    integer :: comm_keyval, ierror
    integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
    deleted = deleted + 1
    ierror = MPI_SUCCESS
  end subroutine

  subroutine note_error(comm, error_code)
    type(MPI_Comm) :: comm
    integer :: error_code
    if (comm == MPI_COMM_SELF) noted = error_code
  end subroutine

  subroutine query(extra_state, status, ierror)
    integer(MPI_ADDRESS_KIND) :: extra_state
    type(MPI_Status) :: status
    integer :: ierror
    call MPI_Status_set_elements(status, MPI_INTEGER, int(extra_state))
    call MPI_Status_set_cancelled(status, .false.)
    status%MPI_SOURCE = 5
    status%MPI_TAG = 6
    steps = steps + 1
    ierror = MPI_SUCCESS
  end subroutine

  subroutine free_it(extra_state, ierror)
    integer(MPI_ADDRESS_KIND) :: extra_state
    integer :: ierror
    steps = steps + 10
    ierror = MPI_SUCCESS
  end subroutine

  subroutine cancel(extra_state, complete, ierror)
    integer(MPI_ADDRESS_KIND) :: extra_state
    logical :: complete
    integer :: ierror
    if (.not. complete) steps = steps + 100
    ierror = MPI_SUCCESS
  end subroutine
end module

program use_mpi_f08
  use mpi_f08
  use callbacks
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: rank, ranks, errors = 0

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call messages
  call collectives
  call attributes
  call windows
  call handlers
  call generalized
  if (errors /= 0) call MPI_Abort(MPI_COMM_WORLD, 1)
  call MPI_Finalize()

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
    type(MPI_Status) :: status, statuses(2)
    type(MPI_Request) :: requests(2)
    type(MPI_Datatype) :: absolute
    integer :: left, right, got(4), n, i, old_status(MPI_STATUS_SIZE)
    integer :: grid(3, 4)
    integer(MPI_ADDRESS_KIND) :: address(1)
    right = mod(rank + 1, ranks)
    left = mod(rank - 1 + ranks, ranks)
    grid = reshape((/ (1000 * rank + i, i = 1, 12) /), (/ 3, 4 /))
    ! A row: four elements that lie apart.
    call MPI_Sendrecv(grid(2, :), 4, MPI_INTEGER, right, 7, got, 4, MPI_INTEGER, left, 7, MPI_COMM_WORLD, status)
    call check(all(got == (/ (1000 * left + i, i = 2, 11, 3) /)), 'sendrecv')
    call check(status%MPI_SOURCE == left .and. status%MPI_TAG == 7, 'status')
    call MPI_Get_count(status, MPI_INTEGER, n)
    call check(n == 4, 'get_count')
    call MPI_Status_f082f(status, old_status)
    call check(old_status(MPI_SOURCE) == left .and. old_status(MPI_TAG) == 7, 'status_f082f')
    call MPI_Irecv(got, 4, MPI_INTEGER, left, 1, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(rank, 1, MPI_INTEGER, right, 1, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, statuses)
    call check(statuses(1)%MPI_SOURCE == left .and. got(1) == left, 'waitall')
    call check(requests(1) == MPI_REQUEST_NULL .and. requests(2) == MPI_REQUEST_NULL, 'requests')
    call MPI_Irecv(got, 4, MPI_INTEGER, left, 2, MPI_COMM_WORLD, requests(1))
    call MPI_Send(rank, 1, MPI_INTEGER, right, 2, MPI_COMM_WORLD)
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
    call MPI_Irecv(got, 4, MPI_INTEGER, left, 3, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(-rank, 1, MPI_INTEGER, right, 3, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call check(got(1) == -left, 'MPI_STATUSES_IGNORE')

    call MPI_Get_address(got, address(1))
    call MPI_Type_create_hindexed(1, (/ 4 /), address, MPI_INTEGER, absolute)
    call MPI_Type_commit(absolute)
    if (rank == 0) got = (/ 9, 8, 7, 6 /)
    call MPI_Bcast(MPI_BOTTOM, 1, absolute, 0, MPI_COMM_WORLD)
    call check(all(got == (/ 9, 8, 7, 6 /)), 'bcast at MPI_BOTTOM')
    call MPI_Type_free(absolute)
  end subroutine

  subroutine collectives
    type(MPI_Op) :: op
    double precision :: x(3)
    integer :: n
    call MPI_Op_create(larger, .true., op)
    x = (/ dble(rank), dble(-rank), 1d0 /)
    call MPI_Allreduce(MPI_IN_PLACE, x, 3, MPI_DOUBLE_PRECISION, op, MPI_COMM_WORLD)
    call check(all(x == (/ dble(ranks - 1), 0d0, 1d0 /)), 'user operation')
    call MPI_Op_free(op)
    n = rank
    if (rank == 0) then
      call MPI_Reduce(MPI_IN_PLACE, n, 1, MPI_INTEGER, MPI_MAX, 0, MPI_COMM_WORLD)
      call check(n == ranks - 1, 'reduce in place')
    else
      call MPI_Reduce(n, n, 1, MPI_INTEGER, MPI_MAX, 0, MPI_COMM_WORLD)
    end if
  end subroutine

  subroutine attributes
    type(MPI_Comm) :: dup, ring
    integer :: key, in, out
    logical :: flag, weighted
    integer(MPI_ADDRESS_KIND) :: value, extra = 0
    call MPI_Comm_create_keyval(plus_one, count_deletion, key, extra)
    call MPI_Comm_set_attr(MPI_COMM_WORLD, key, 41_MPI_ADDRESS_KIND)
    call MPI_Comm_dup(MPI_COMM_WORLD, dup)
    call MPI_Comm_get_attr(dup, key, value, flag)
    call check(flag .and. value == 42, 'copied attribute')
    call MPI_Comm_free(dup)
    call MPI_Comm_delete_attr(MPI_COMM_WORLD, key)
    call check(deleted == 2, 'deleted')
    call MPI_Comm_free_keyval(key)
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag)
    call check(flag .and. value >= 32767, 'MPI_TAG_UB')

    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, (/ mod(rank - 1 + ranks, ranks) /), MPI_UNWEIGHTED, &
      1, (/ mod(rank + 1, ranks) /), MPI_UNWEIGHTED, MPI_INFO_NULL, .false., ring)
    call MPI_Dist_graph_neighbors_count(ring, in, out, weighted)
    call check(in == 1 .and. out == 1 .and. .not. weighted, 'MPI_UNWEIGHTED')
    call MPI_Neighbor_allgather(rank, 1, MPI_INTEGER, in, 1, MPI_INTEGER, ring)
    call check(in == mod(rank - 1 + ranks, ranks), 'neighbor_allgather')
    call MPI_Comm_free(ring)
  end subroutine

  subroutine windows
    type(MPI_Win) :: win
    type(c_ptr) :: base
    integer(MPI_ADDRESS_KIND) :: bytes
    integer :: unit, n, one
    integer, pointer :: first
    bytes = 0
    if (rank == 0) bytes = 4
    call MPI_Win_allocate_shared(bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, win)
    call MPI_Win_shared_query(win, 0, bytes, unit, base)
    call c_f_pointer(base, first)
    if (rank == 0) first = 0
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_Win_lock_all(0, win)
    one = 1
    call MPI_Fetch_and_op(one, n, MPI_INTEGER, 0, 0_MPI_ADDRESS_KIND, MPI_SUM, win)
    call MPI_Win_flush(0, win)
    call check(n >= 0 .and. n < ranks, 'fetch_and_op')
    call MPI_Win_unlock_all(win)
    call MPI_Barrier(MPI_COMM_WORLD)
    call check(first == ranks, 'shared memory')
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_Win_free(win)
    call check(win == MPI_WIN_NULL, 'win_free')
  end subroutine

  subroutine handlers
    type(MPI_Errhandler) :: handler
    integer :: ierror, class
    call MPI_Comm_create_errhandler(note_error, handler)
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, handler)
    call MPI_Send(rank, 1, MPI_INTEGER, 1, 0, MPI_COMM_SELF, ierror)
    call MPI_Error_class(noted, class)
    call check(ierror == noted .and. class == MPI_ERR_RANK, 'handler of the user''s')
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL)
    call MPI_Errhandler_free(handler)
  end subroutine

  subroutine generalized
    type(MPI_Request) :: request
    type(MPI_Status) :: status
    integer(MPI_ADDRESS_KIND) :: extra = 3
    integer :: n
    logical :: flag
    call MPI_Grequest_start(query, free_it, cancel, extra, request)
    call MPI_Test(request, flag, status)
    call check(.not. flag .and. steps == 0, 'generalized request is under way')
    call MPI_Cancel(request)
    call MPI_Grequest_complete(request)
    call MPI_Wait(request, status)
    call MPI_Get_elements(status, MPI_INTEGER, n)
    call check(steps == 111, 'the callbacks of a generalized request')
    call check(status%MPI_SOURCE == 5 .and. status%MPI_TAG == 6 .and. n == 3, 'its status')
  end subroutine
end program
