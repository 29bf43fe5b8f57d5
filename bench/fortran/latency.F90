! Put and get of 8 bytes with a flush on a window of MPI_Win_allocate, as bench/c/latency.c does them: what a call costs beside one of C.
! The data goes to the last rank, which waits in a barrier. With HEADER defined by mpif.h, else by mpi_f08.
program latency
#ifdef HEADER
  implicit none
  include 'mpif.h'
  integer :: win, ierror
  integer(kind=MPI_ADDRESS_KIND) :: base
#else
  use, intrinsic :: iso_c_binding, only: c_ptr
  use mpi_f08
  implicit none
  type(MPI_Win) :: win
  type(c_ptr) :: base
  integer :: ierror
#endif
  integer, parameter :: BYTES = 8, BATCHES = 5
  integer :: rank, ranks, target_rank
  integer(kind=MPI_ADDRESS_KIND) :: at
  double precision :: local, budget
  character(len=32) :: word

  budget = 0.05d0
  call get_command_argument(2, word)
  if (word /= ' ') read (word, *) budget
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  target_rank = ranks - 1
  at = 0
  call MPI_Win_allocate(int(BYTES, MPI_ADDRESS_KIND), 1, MPI_INFO_NULL, MPI_COMM_WORLD, base, win, ierror)
  call MPI_Win_lock_all(0, win, ierror)
  local = 7.5d0
  call measure('put_allocate', .true.)
  local = 0
  call measure('get_allocate', .false.)
  if (rank == 0 .and. local /= 7.5d0) then
    print '(a)', 'bench: wrong data in get'
    call MPI_Abort(MPI_COMM_WORLD, 3, ierror)
  end if
  call MPI_Win_unlock_all(win, ierror)
  call MPI_Win_free(win, ierror)
  call MPI_Finalize(ierror)

contains

  ! As many rounds as take a fifth of the time for each of the batches, of which the median counts.
  subroutine measure(name, is_put)
    character(len=*), intent(in) :: name
    logical, intent(in) :: is_put
    double precision :: took, batch(BATCHES)
    integer :: rounds, i

    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    if (rank == 0) then
      rounds = 1000
      do
        took = seconds_of(rounds, is_put)
        if (took >= budget / 5) exit
        rounds = rounds * 2
      end do
      do i = 1, BATCHES
        batch(i) = seconds_of(rounds, is_put) / rounds
      end do
      print '(a, 1x, a, 1x, i0, 1x, a, 1x, es14.6)', 'result', name, BYTES, 'ns', median(batch) * 1d9
    end if
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
  end subroutine measure

  double precision function seconds_of(rounds, is_put) result(took)
    integer, intent(in) :: rounds
    logical, intent(in) :: is_put
    double precision :: begun
    integer :: i

    begun = MPI_Wtime()
    if (is_put) then
      do i = 1, rounds
        call MPI_Put(local, BYTES, MPI_BYTE, target_rank, at, BYTES, MPI_BYTE, win, ierror)
        call MPI_Win_flush(target_rank, win, ierror)
      end do
    else
      do i = 1, rounds
        call MPI_Get(local, BYTES, MPI_BYTE, target_rank, at, BYTES, MPI_BYTE, win, ierror)
        call MPI_Win_flush(target_rank, win, ierror)
      end do
    end if
    took = MPI_Wtime() - begun
  end function seconds_of

  double precision function median(batch)
    double precision, intent(in) :: batch(BATCHES)
    integer :: i

    do i = 1, BATCHES
      median = batch(i)
      if (count(batch < median) <= BATCHES / 2 .and. count(batch > median) <= BATCHES / 2) return
    end do
  end function median

end program latency
