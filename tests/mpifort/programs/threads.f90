! use mpi_f08 with OpenMP: all threads call MPI at the same time. Messages that only the tag tells apart, puts of array sections,
! counters, each thread a communicator of its own. Prints nothing when all is right. Compiled with -fopenmp.
program threads
  use mpi_f08
  use, intrinsic :: iso_c_binding
  use omp_lib
  implicit none
  integer, parameter :: team = 4, rounds = 200
  integer :: rank, ranks, next, before, provided, wrong = 0

  call MPI_Init_thread(MPI_THREAD_MULTIPLE, provided)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  next = mod(rank + 1, ranks)
  before = mod(rank - 1 + ranks, ranks)
  call omp_set_dynamic(.false.)
  call omp_set_num_threads(team)
  call expect(provided == MPI_THREAD_MULTIPLE, "the thread level")
  call messages
  call puts
  call counters
  call communicators
  call MPI_Allreduce(MPI_IN_PLACE, wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call MPI_Finalize()
  if (wrong > 0) error stop

contains

  subroutine expect(right, what)
    logical, intent(in) :: right
    character(*), intent(in) :: what
    if (right) return
    !$omp critical
    print '(a, i0, 3a)', "rank ", rank, ": ", what, " is wrong"
    wrong = wrong + 1
    !$omp end critical
  end subroutine

  ! A tag is a thread's. The length of a message is another in each round.
  subroutine messages
    integer :: thread, round, i, n, sent(rounds), got(rounds)
    type(MPI_Status) :: status
    type(MPI_Request) :: request
    !$omp parallel default(shared) private(thread, round, i, n, sent, got, status, request)
    thread = omp_get_thread_num()
    !$omp single
    call expect(omp_get_num_threads() == team, "the number of threads")
    !$omp end single
    do round = 1, rounds
      sent(1:round) = [(1000000 * thread + 1000 * rank + i, i = 1, round)]
      got = -1
      if (mod(round, 2) == 0) then
        call MPI_Isend(sent, round, MPI_INTEGER, next, thread, MPI_COMM_WORLD, request)
        call MPI_Recv(got, rounds, MPI_INTEGER, before, thread, MPI_COMM_WORLD, status)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
      else
        call MPI_Sendrecv(sent, round, MPI_INTEGER, next, thread, got, rounds, MPI_INTEGER, before, thread, &
          MPI_COMM_WORLD, status)
      end if
      call MPI_Get_count(status, MPI_INTEGER, n)
      call expect(n == round .and. status%MPI_TAG == thread, "the status of a message")
      call expect(all(got(1:round) == [(1000000 * thread + 1000 * before + i, i = 1, round)]), "a message")
    end do
    !$omp end parallel
  end subroutine

  ! A row of a matrix is a thread's: a section with gaps, here and there.
  subroutine puts
    integer, parameter :: columns = 50
    type(MPI_Win) :: win
    type(c_ptr) :: base
    type(MPI_Datatype) :: row
    integer, pointer :: there(:, :)
    integer :: mine(team, columns), thread, round, i
    call MPI_Win_allocate(int(4 * team * columns, MPI_ADDRESS_KIND), 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, win)
    call c_f_pointer(base, there, [team, columns])
    call MPI_Type_vector(columns, 1, team, MPI_INTEGER, row)
    call MPI_Type_commit(row)
    there = -1
    mine = -2
    call MPI_Win_lock_all(0, win)
    call MPI_Barrier(MPI_COMM_WORLD)
    !$omp parallel default(shared) private(thread, round, i)
    thread = omp_get_thread_num()
    do round = 1, rounds
      mine(thread + 1, :) = [(round * 10000 + thread * 1000 + rank * 100 + i, i = 1, columns)]
      call MPI_Put(mine(thread + 1, :), columns, MPI_INTEGER, next, int(thread, MPI_ADDRESS_KIND), 1, row, win)
      call MPI_Win_flush(next, win)
    end do
    !$omp end parallel
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_Win_sync(win)
    do thread = 0, team - 1
      call expect(all(there(thread + 1, :) == [(rounds * 10000 + thread * 1000 + before * 100 + i, i = 1, columns)]), &
        "what threads have put")
    end do
    call MPI_Win_unlock_all(win)
    call MPI_Type_free(row)
    call MPI_Win_free(win)
  end subroutine

  ! All threads of all ranks draw numbers: each is drawn once.
  subroutine counters
    type(MPI_Win) :: win
    type(c_ptr) :: base
    integer, pointer :: counter(:)
    integer :: drawn(rounds), often(0:ranks * team * rounds - 1), round, number
    integer(MPI_ADDRESS_KIND) :: bytes
    bytes = merge(4, 0, rank == 0)
    call MPI_Win_allocate(bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, win)
    if (rank == 0) then
      call c_f_pointer(base, counter, [1])
      counter = 0
    end if
    often = 0
    call MPI_Win_lock_all(0, win)
    call MPI_Barrier(MPI_COMM_WORLD)
    !$omp parallel default(shared) private(round, drawn, number)
    do round = 1, rounds
      call MPI_Fetch_and_op(1, drawn(round), MPI_INTEGER, 0, 0_MPI_ADDRESS_KIND, MPI_SUM, win)
      call MPI_Win_flush(0, win)
    end do
    call expect(all(drawn(2:) > drawn(:rounds - 1)), "the order of a thread's numbers")
    do round = 1, rounds
      number = drawn(round)
      !$omp atomic
      often(number) = often(number) + 1
    end do
    !$omp end parallel
    call MPI_Win_unlock_all(win)
    call MPI_Win_free(win)
    call MPI_Allreduce(MPI_IN_PLACE, often, size(often), MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call expect(all(often == 1), "a number that was drawn")
  end subroutine

  ! Collective calls of one thread do not wait for those of another.
  subroutine communicators
    type(MPI_Comm) :: comms(0:team - 1)
    integer :: thread, round, total
    do thread = 0, team - 1
      call MPI_Comm_dup(MPI_COMM_WORLD, comms(thread))
    end do
    !$omp parallel default(shared) private(thread, round, total)
    thread = omp_get_thread_num()
    do round = 1, rounds / 4
      call MPI_Allreduce(thread * round + rank, total, 1, MPI_INTEGER, MPI_SUM, comms(thread))
      call expect(total == ranks * thread * round + ranks * (ranks - 1) / 2, "a sum of a thread's")
    end do
    !$omp end parallel
    do thread = 0, team - 1
      call MPI_Comm_free(comms(thread))
    end do
  end subroutine
end program
