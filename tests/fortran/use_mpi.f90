! use mpi: attributes of communicators, datatypes and windows that are as large as addresses, a shared window, files' and
! windows' handles, handles between Fortran and C. Prints nothing when all is right.
module callbacks
  use mpi
  implicit none
  integer :: deleted = 0
  logical :: refuses = .true.
contains
  subroutine double_it(object, key, extra, in, out, flag, ierr)
    integer :: object, key, ierr
    integer(MPI_ADDRESS_KIND) :: extra, in, out
    logical :: flag
    out = 2 * in + extra
    flag = .true.
    ierr = MPI_SUCCESS
  end subroutine

  subroutine count_deletion(object, key, value, extra, ierr)
    integer :: object, key, ierr
    integer(MPI_ADDRESS_KIND) :: value, extra
    deleted = deleted + 1
    ierr = MPI_SUCCESS
  end subroutine

  ! Refuses to be deleted, as long as the program wants it: MPI_Finalize asks too.
  subroutine refuse(object, key, value, extra, ierr)
    integer :: object, key, ierr
    integer(MPI_ADDRESS_KIND) :: value, extra
    ierr = MPI_SUCCESS
    if (refuses) ierr = MPI_ERR_OTHER
  end subroutine
end module

program use_mpi
  use mpi
  use callbacks
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: ierr, rank, ranks, errors = 0
  integer(MPI_ADDRESS_KIND), parameter :: large = 5000000000_MPI_ADDRESS_KIND
  integer(MPI_ADDRESS_KIND) :: extra = 3

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call communicators
  call datatypes
  call windows
  call kinds
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

  subroutine communicators
    integer :: key, dup
    integer(MPI_ADDRESS_KIND) :: value
    logical :: flag
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, ierr)
    call check(flag .and. value >= 32767, 'MPI_TAG_UB')
    call MPI_Comm_create_keyval(double_it, count_deletion, key, extra, ierr)
    call MPI_Comm_set_attr(MPI_COMM_WORLD, key, large, ierr)
    call MPI_Comm_get_attr(MPI_COMM_WORLD, key, value, flag, ierr)
    call check(flag .and. value == large, 'attribute')
    call MPI_Comm_dup(MPI_COMM_WORLD, dup, ierr)
    call MPI_Comm_get_attr(dup, key, value, flag, ierr)
    call check(flag .and. value == 2 * large + 3, 'copied attribute')
    call MPI_Comm_free(dup, ierr)
    call check(deleted == 1, 'deleted with its communicator')
    call MPI_Comm_delete_attr(MPI_COMM_WORLD, key, ierr)
    call check(deleted == 2, 'deleted')
    call MPI_Comm_free_keyval(key, ierr)

    call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, refuse, key, extra, ierr)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
    call MPI_Comm_set_attr(MPI_COMM_WORLD, key, large, ierr)
    call MPI_Comm_dup(MPI_COMM_WORLD, dup, ierr)
    call MPI_Comm_get_attr(dup, key, value, flag, ierr)
    call check(ierr == MPI_SUCCESS .and. .not. flag, 'not copied')
    call MPI_Comm_free(dup, ierr)
    call MPI_Comm_delete_attr(MPI_COMM_WORLD, key, ierr)
    call check(ierr /= MPI_SUCCESS, 'deletion refused')
    call MPI_Comm_get_attr(MPI_COMM_WORLD, key, value, flag, ierr)
    call check(flag .and. value == large, 'still there')
    call MPI_Comm_free_keyval(key, ierr)
    refuses = .false.
  end subroutine

  subroutine datatypes
    integer :: key, vector, dup
    integer(MPI_ADDRESS_KIND) :: value
    logical :: flag
    deleted = 0
    call MPI_Type_vector(2, 1, 3, MPI_DOUBLE_PRECISION, vector, ierr)
    call MPI_Type_create_keyval(MPI_TYPE_DUP_FN, count_deletion, key, extra, ierr)
    call MPI_Type_set_attr(vector, key, -large, ierr)
    call MPI_Type_dup(vector, dup, ierr)
    call MPI_Type_get_attr(dup, key, value, flag, ierr)
    call check(flag .and. value == -large, 'attribute of a datatype')
    call MPI_Type_free(dup, ierr)
    call MPI_Type_free(vector, ierr)
    call check(deleted == 2, 'deleted with their datatypes')
    call MPI_Type_free_keyval(key, ierr)
  end subroutine

  subroutine windows
    integer :: win, key, unit, i
    integer(MPI_ADDRESS_KIND) :: bytes, value
    logical :: flag
    type(c_ptr) :: base, other
    integer, pointer :: mine(:), theirs(:)
    bytes = 4 * 10
    call MPI_Win_allocate_shared(bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, win, ierr)
    call c_f_pointer(base, mine, (/ 10 /))
    call MPI_Win_fence(0, win, ierr)
    mine = (/ (100 * rank + i, i = 1, 10) /)
    call MPI_Win_fence(0, win, ierr)
    call MPI_Win_shared_query(win, mod(rank + 1, ranks), bytes, unit, other, ierr)
    call check(bytes == 40 .and. unit == 4, 'shared_query')
    call c_f_pointer(other, theirs, (/ 10 /))
    call check(all(theirs == (/ (100 * mod(rank + 1, ranks) + i, i = 1, 10) /)), 'the neighbour''s memory')
    call MPI_Win_fence(0, win, ierr)
    call MPI_Put(-rank, 1, MPI_INTEGER, mod(rank + 1, ranks), 4_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win, ierr)
    call MPI_Accumulate(rank, 1, MPI_INTEGER, 0, 9_MPI_ADDRESS_KIND, 1, MPI_INTEGER, MPI_SUM, win, ierr)
    call MPI_Win_fence(0, win, ierr)
    call check(mine(5) == -mod(rank - 1 + ranks, ranks), 'put')
    if (rank == 0) call check(mine(10) == 10 + ranks * (ranks - 1) / 2, 'accumulate')

    call MPI_Win_get_attr(win, MPI_WIN_BASE, value, flag, ierr)
    call check(flag .and. value == transfer(base, value), 'MPI_WIN_BASE')
    call MPI_Win_get_attr(win, MPI_WIN_SIZE, value, flag, ierr)
    call check(flag .and. value == 40, 'MPI_WIN_SIZE')
    call MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, value, flag, ierr)
    call check(flag .and. value == 4, 'MPI_WIN_DISP_UNIT')
    call MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, value, flag, ierr)
    call check(flag .and. value == MPI_WIN_FLAVOR_SHARED, 'MPI_WIN_CREATE_FLAVOR')
    call MPI_Win_get_attr(win, MPI_WIN_MODEL, value, flag, ierr)
    call check(flag .and. value == MPI_WIN_UNIFIED, 'MPI_WIN_MODEL')
    deleted = 0
    call MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, count_deletion, key, extra, ierr)
    call MPI_Win_set_attr(win, key, large, ierr)
    call MPI_Win_get_attr(win, key, value, flag, ierr)
    call check(flag .and. value == large, 'attribute of a window')
    call MPI_Win_free_keyval(key, ierr)
    call MPI_Win_free(win, ierr)
    call check(win == MPI_WIN_NULL .and. deleted == 1, 'win_free')
  end subroutine

  subroutine kinds
    integer :: real_type, integer_type, size, dims(2)
    real(selected_real_kind(12, 100)) :: x, y
    character(MPI_MAX_PROCESSOR_NAME) :: name
    integer :: length
    call MPI_Type_create_f90_real(12, 100, real_type, ierr)
    call MPI_Type_size(real_type, size, ierr)
    call check(size == storage_size(x) / 8, 'create_f90_real')
    x = 1.5d0
    call MPI_Allreduce(x, y, 1, real_type, MPI_SUM, MPI_COMM_WORLD, ierr)
    call check(y == 1.5d0 * ranks, 'sum of a parameterised type')
    call MPI_Type_create_f90_integer(15, integer_type, ierr)
    call MPI_Type_size(integer_type, size, ierr)
    call check(size == 8, 'create_f90_integer')
    call MPI_Get_processor_name(name, length, ierr)
    call check(length > 0 .and. len_trim(name) == length, 'processor name')
    dims = 0
    call MPI_Dims_create(6, 2, dims, ierr)
    call check(all(dims == (/ 3, 2 /)), 'dims_create')
  end subroutine
end program
