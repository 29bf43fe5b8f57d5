! A string that swings, cut into pieces for the ranks of one machine. All pieces lie in one shared window: a rank reads the cell next
! to its own piece where its neighbour has it, by a Fortran pointer, and no message is sent. The result does not depend on the number
! of ranks.
program swinging_string
  use mpi_f08
  use, intrinsic :: iso_c_binding
  implicit none
  integer, parameter :: cells = 240, steps = 480
  double precision, parameter :: pi = acos(-1d0)
  type :: piece
    double precision, pointer :: before(:), now(:)
  end type
  type(piece) :: mine, left, right
  type(MPI_Comm) :: node
  type(MPI_Win) :: win
  integer :: rank, ranks, first, last, step, i
  double precision :: energy, at_left, at_right
  double precision, allocatable :: next(:)

  call MPI_Init()
  call MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, node)
  call MPI_Comm_rank(node, rank)
  call MPI_Comm_size(node, ranks)
  first = cells * rank / ranks + 1
  last = cells * (rank + 1) / ranks

  call share(last - first + 1)
  left = piece_of(rank - 1)
  right = piece_of(rank + 1)
  mine%now = [(sin(pi * i / (cells + 1)), i = first, last)]
  mine%before = mine%now
  allocate (next(last - first + 1))

  call MPI_Win_lock_all(MPI_MODE_NOCHECK, win)
  do step = 1, steps
    call meet()
    at_left = 0
    if (rank > 0) at_left = left%now(size(left%now))
    at_right = 0
    if (rank < ranks - 1) at_right = right%now(1)
    do i = 1, size(next)
      if (i > 1) at_left = mine%now(i - 1)
      next(i) = at_left - mine%before(i)
      if (i < size(next)) then
        next(i) = next(i) + mine%now(i + 1)
      else
        next(i) = next(i) + at_right
      end if
    end do
    ! The neighbours have read what is replaced now.
    call meet()
    mine%before = mine%now
    mine%now = next
  end do
  call MPI_Win_unlock_all(win)

  energy = maxval(abs(mine%now))
  call MPI_Allreduce(MPI_IN_PLACE, energy, 1, MPI_DOUBLE_PRECISION, MPI_MAX, node)
  if (rank == 0) print '(a,i0,a,f8.6)', 'answer after ', steps, ' steps: ', energy
  call MPI_Win_free(win)
  call MPI_Comm_free(node)
  call MPI_Finalize()

contains

  ! Memory for two states of so many cells.
  subroutine share(length)
    integer, intent(in) :: length
    integer(MPI_ADDRESS_KIND) :: bytes
    type(c_ptr) :: memory
    bytes = 2 * 8_MPI_ADDRESS_KIND * length
    call MPI_Win_allocate_shared(bytes, 8, MPI_INFO_NULL, node, memory, win)
    mine = piece_of(rank)
  end subroutine

  ! Where a rank has its piece.
  function piece_of(other) result(theirs)
    integer, intent(in) :: other
    type(piece) :: theirs
    integer(MPI_ADDRESS_KIND) :: bytes
    integer :: unit
    type(c_ptr) :: memory
    double precision, pointer :: states(:, :)
    nullify (theirs%before, theirs%now)
    if (other < 0 .or. other >= ranks) return
    call MPI_Win_shared_query(win, other, bytes, unit, memory)
    call c_f_pointer(memory, states, [int(bytes) / 16, 2])
    theirs%before => states(:, 1)
    theirs%now => states(:, 2)
  end function

  ! What was written is seen by all from here on.
  subroutine meet()
    call MPI_Win_sync(win)
    call MPI_Barrier(node)
    call MPI_Win_sync(win)
    call MPI_F_sync_reg(mine%now)
  end subroutine

end program
