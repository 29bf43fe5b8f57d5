! use mpi_f08, MPI_THREAD_MULTIPLE: threads send and receive sections of the same arrays, and reduce others, at the same time. Prints
! nothing when all is right.
program sections_threads
  use mpi_f08
  use omp_lib
  implicit none
  integer, parameter :: threads = 4, columns = 60, rounds = 200
  integer :: rank, ranks, next, last, provided, me
  integer, asynchronous :: field(threads, columns), got(threads, columns), sums(threads, columns)
  type(MPI_Datatype) :: gapped, made
  type(MPI_Comm) :: own(threads)

  call MPI_Init_thread(MPI_THREAD_MULTIPLE, provided)
  if (provided /= MPI_THREAD_MULTIPLE) stop "no MPI_THREAD_MULTIPLE"
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  next = modulo(rank + 1, ranks)
  last = modulo(rank - 1, ranks)
  call MPI_Type_vector(2, 1, 2, MPI_INTEGER, made)
  call MPI_Type_create_resized(made, 0_MPI_ADDRESS_KIND, 12_MPI_ADDRESS_KIND, gapped)
  call MPI_Type_commit(gapped)
  call MPI_Type_free(made)
  do me = 1, threads
    call MPI_Comm_dup(MPI_COMM_WORLD, own(me))
  end do
  !$omp parallel num_threads(threads) private(me)
  me = omp_get_thread_num() + 1
  call work(me)
  !$omp end parallel
  do me = 1, threads
    call MPI_Comm_free(own(me))
  end do
  call MPI_Type_free(gapped)
  call MPI_Finalize()

contains

  ! One row of each array is this thread's.
  subroutine work(me)
    integer, intent(in) :: me
    type(MPI_Request) :: requests(3), again
    integer :: round, i
    call MPI_Allreduce_init(field(me, ::2), sums(me, ::2), columns / 2, MPI_INTEGER, MPI_SUM, own(me), MPI_INFO_NULL, again)
    do round = 1, rounds
      field(me, :) = [(100 * rank + 10 * round + me + i, i = 1, columns)]
      got(me, :) = -1
      sums(me, :) = -1
      requests(3) = again
      call MPI_Irecv(got(me, :), columns / 3, gapped, last, round, own(me), requests(1))
      call MPI_Isend(field(me, :), columns / 3, gapped, next, round, own(me), requests(2))
      call MPI_Start(requests(3))
      if (modulo(round, 2) == 0) then
        call MPI_Waitall(3, requests, MPI_STATUSES_IGNORE)
      else
        do i = 3, 1, -1
          call MPI_Wait(requests(i), MPI_STATUS_IGNORE)
        end do
      end if
      do i = 1, columns
        if (modulo(i, 3) == 2) then
          call expect(got(me, i) == -1, "beside")
        else
          call expect(got(me, i) == 100 * last + 10 * round + me + i, "what came")
        end if
        if (modulo(i, 2) == 0) then
          call expect(sums(me, i) == -1, "beside the sum")
        else
          call expect(sums(me, i) == 50 * ranks * (ranks - 1) + ranks * (10 * round + me + i), "the sum")
        end if
      end do
    end do
    call MPI_Request_free(again)
  end subroutine

  include "expect.inc"
end program
