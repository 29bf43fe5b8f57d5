! use mpi_f08: sections of arrays that are not contiguous, handed over as they are: the rows and columns of a halo, blocks of three
! dimensions, components of a derived type, sections of sections. Prints nothing when all is right.
program sections
  use mpi_f08
  implicit none
  integer, parameter :: n = 9
  type :: particle
    double precision :: place
    integer :: charge
  end type
  integer :: rank, ranks, next, last, i, j
  integer, asynchronous :: field(n, n)
  integer, asynchronous :: got(n, n)
  integer :: deep(4, 5, 6), flat(n * n)
  type(particle) :: particles(n)
  integer(MPI_ADDRESS_KIND) :: origin
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: statuses(2), status
  type(MPI_Win) :: win
  type(MPI_Datatype) :: first_and_third

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  next = modulo(rank + 1, ranks)
  last = modulo(rank - 1, ranks)

  ! A row, which lies in memory with gaps, into a row.
  call fill()
  call MPI_Sendrecv(field(3, :), n, MPI_INTEGER, next, 1, got(5, :), n, MPI_INTEGER, last, 1, MPI_COMM_WORLD, status)
  call expect(all(got(5, :) == [(value(last, 3, j), j = 1, n)]), "MPI_Sendrecv")
  call expect(count(got /= -1) == n, "MPI_Sendrecv beside")
  call MPI_Get_count(status, MPI_INTEGER, i)
  call expect(i == n .and. status%MPI_SOURCE == last, "the status")

  ! Without waiting.
  call fill()
  call MPI_Irecv(got(2:n:2, 4), n / 2, MPI_INTEGER, last, 2, MPI_COMM_WORLD, requests(1))
  call MPI_Isend(field(7, n:2:-2), n / 2, MPI_INTEGER, next, 2, MPI_COMM_WORLD, requests(2))
  call MPI_Waitall(2, requests, statuses)
  if (.not. MPI_ASYNC_PROTECTS_NONBLOCKING) call MPI_F_sync_reg(got)
  call expect(all(got(2:n:2, 4) == [(value(last, 7, j), j = n, 2, -2)]), "MPI_Isend")
  call expect(count(got /= -1) == n / 2, "MPI_Irecv beside")

  ! A block, of which a type selects.
  call fill()
  deep = reshape([(1000 * rank + i, i = 1, size(deep))], shape(deep))
  call MPI_Sendrecv(deep(2:4:2, 2:5, ::3), 16, MPI_INTEGER, next, 3, flat, 16, MPI_INTEGER, last, 3, MPI_COMM_WORLD, &
      MPI_STATUS_IGNORE)
  deep = reshape([(1000 * last + i, i = 1, size(deep))], shape(deep))
  call expect(all(flat(:16) == reshape(deep(2:4:2, 2:5, ::3), [16])), "a block")

  ! One component of many.
  particles = particle(0.5d0, -1)
  do i = 1, n
    particles(i)%place = 100 * rank + i
  end do
  call MPI_Bcast(particles%place, n, MPI_DOUBLE_PRECISION, ranks - 1, MPI_COMM_WORLD)
  call expect(all(particles%place == [(100 * (ranks - 1) + i, i = 1, n)]), "MPI_Bcast")
  call expect(all(particles%charge == -1), "MPI_Bcast beside")

  ! One-sided, with fences, from rows into a window and back.
  call fill()
  call MPI_Win_create(got, int(n * n * 4, MPI_ADDRESS_KIND), 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
  call MPI_Win_fence(0, win)
  origin = (2 - 1) * n
  call MPI_Put(field(6, :), n, MPI_INTEGER, next, origin, n, MPI_INTEGER, win)
  call MPI_Win_fence(0, win)
  call expect(all(got(:, 2) == [(value(last, 6, j), j = 1, n)]), "MPI_Put")
  call expect(count(got /= -1) == n, "MPI_Put beside")
  call MPI_Get(field(n, ::2), (n + 1) / 2, MPI_INTEGER, next, origin, (n + 1) / 2, MPI_INTEGER, win)
  call MPI_Win_fence(0, win)
  call expect(all(field(n, ::2) == [(value(rank, 6, j), j = 1, (n + 1) / 2)]), "MPI_Get")
  call expect(field(n, 2) == value(rank, n, 2), "MPI_Get beside")
  call MPI_Accumulate(field(2, :3), 3, MPI_INTEGER, next, origin, 3, MPI_INTEGER, MPI_SUM, win)
  call MPI_Win_fence(0, win)
  call expect(all(got(:3, 2) == [(value(last, 6, j) + value(last, 2, j), j = 1, 3)]), "MPI_Accumulate")

  ! With requests, and a datatype that selects from what the row would be without its gaps.
  call fill()
  call MPI_Type_vector(2, 1, 2, MPI_INTEGER, first_and_third)
  call MPI_Type_commit(first_and_third)
  call MPI_Barrier(MPI_COMM_WORLD)
  call MPI_Win_lock_all(0, win)
  call MPI_Rput(field(8, :), 1, first_and_third, next, origin, 2, MPI_INTEGER, win, requests(1))
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
  call MPI_Win_flush_all(win)
  call MPI_Barrier(MPI_COMM_WORLD)
  call MPI_Win_sync(win)
  call expect(all(got(:2, 2) == [value(last, 8, 1), value(last, 8, 3)]), "MPI_Rput")
  call MPI_Rget(field(n, :), 1, first_and_third, next, origin, 2, MPI_INTEGER, win, requests(1))
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
  call MPI_Win_unlock_all(win)
  call expect(all(field(n, :3) == [value(rank, 8, 1), value(rank, n, 2), value(rank, 8, 3)]), "MPI_Rget")
  call MPI_Type_free(first_and_third)
  call MPI_Barrier(MPI_COMM_WORLD)
  call MPI_Win_free(win)
  call expect(win == MPI_WIN_NULL, "MPI_Win_free")

  ! Collectives, in place and not.
  call fill()
  got(3, :) = rank
  call MPI_Allreduce(MPI_IN_PLACE, got(3, :), n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call expect(all(got(3, :) == ranks * (ranks - 1) / 2), "MPI_Allreduce")
  call MPI_Allreduce(field(1, ::2), got(::2, 1), (n + 1) / 2, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD)
  call expect(all(got(::2, 1) == [(value(ranks - 1, 1, j), j = 1, n, 2)]), "MPI_Allreduce of rows")
  flat = -1
  call MPI_Gather(field(4, :2), 2, MPI_INTEGER, flat(1:4 * ranks:2), 2, MPI_INTEGER, 0, MPI_COMM_WORLD)
  if (rank == 0) then
    call expect(all(flat(1:4 * ranks:4) == [(value(i, 4, 1), i = 0, ranks - 1)]), "MPI_Gather")
    call expect(all(flat(2:4 * ranks:2) == -1), "MPI_Gather beside")
  end if
  call MPI_Ibcast(field(n:1:-1, 2), n, MPI_INTEGER, 0, MPI_COMM_WORLD, requests(1))
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
  call expect(all(field(:, 2) == [(value(0, i, 2), i = 1, n)]), "MPI_Ibcast")

  ! A section of a dummy argument of assumed shape; a large count; a scalar; an empty section.
  call fill()
  call inner(field(2:n:3, 2:8), got(1:3, 1:7))
  call MPI_Sendrecv(field(1, 1:0), 0, MPI_INTEGER, next, 5, got(1, 1:0), 0, MPI_INTEGER, last, 5, MPI_COMM_WORLD, status)
  i = rank
  call MPI_Sendrecv(i, 1_MPI_COUNT_KIND, MPI_INTEGER, next, 6, j, 1_MPI_COUNT_KIND, MPI_INTEGER, last, 6, MPI_COMM_WORLD, &
      MPI_STATUS_IGNORE)
  call expect(j == last, "a scalar, by large counts")
  call MPI_Finalize()

contains

  pure integer function value(of, row, column)
    integer, intent(in) :: of, row, column
    value = 10000 * of + 100 * row + column
  end function

  subroutine fill()
    integer :: row, column
    do column = 1, n
      do row = 1, n
        field(row, column) = value(rank, row, column)
      end do
    end do
    got = -1
  end subroutine

  subroutine inner(from, to)
    integer, intent(in) :: from(:, :)
    integer, intent(inout) :: to(:, :)
    integer :: expected(3, 7), row, column
    integer(MPI_COUNT_KIND) :: many
    many = size(from)
    call MPI_Sendrecv(from, many, MPI_INTEGER, next, 4, to, many, MPI_INTEGER, last, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    do column = 1, 7
      do row = 1, 3
        expected(row, column) = value(last, 3 * row - 1, column + 1)
      end do
    end do
    call expect(all(to == expected), "sections of dummy arguments")
  end subroutine

  subroutine expect(right, what)
    logical, intent(in) :: right
    character(len=*), intent(in) :: what
    if (right) return
    print *, "wrong on rank ", rank, ": ", what
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine

end program
