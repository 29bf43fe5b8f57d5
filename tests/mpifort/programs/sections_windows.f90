! use mpi_f08: sections of arrays that are not contiguous in one-sided operations and files, with requests and in two parts. Prints nothing
! when all is right.
program sections_windows
  use mpi_f08
  implicit none
  integer, parameter :: columns = 12
  ! The elements that two of `gapped` take.
  integer, parameter :: taken(4) = [1, 3, 4, 6]
  integer :: rank, ranks, next, last, i
  integer, asynchronous :: field(3, columns), got(3, columns)
  type(MPI_Datatype) :: gapped, made
  type(MPI_Request) :: request
  type(MPI_Status) :: status

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  next = modulo(rank + 1, ranks)
  last = modulo(rank - 1, ranks)
  call MPI_Type_vector(2, 1, 2, MPI_INTEGER, made)
  call MPI_Type_create_resized(made, 0_MPI_ADDRESS_KIND, 12_MPI_ADDRESS_KIND, gapped)
  call MPI_Type_commit(gapped)
  call MPI_Type_free(made)
  call windows()
  call files()
  call MPI_Type_free(gapped)
  call MPI_Finalize()

contains

  subroutine windows()
    integer(MPI_ADDRESS_KIND), parameter :: start = 0
    integer, asynchronous :: window(columns)
    type(MPI_Win) :: win
    call MPI_Win_create(window, 4_MPI_ADDRESS_KIND * columns, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
    call MPI_Win_lock_all(0, win)

    call fill()
    call set(window, win)
    call MPI_Rput(field(2, ::2), 6, MPI_INTEGER, next, start, 6, MPI_INTEGER, win, request)
    call complete(win)
    call expect(all(window(:6) == [(value(last, 2, i), i = 1, columns, 2)]) .and. all(window(7:) == 1), "MPI_Rput")
    call next_step(win)

    call set(window, win)
    call MPI_Raccumulate(field(2, ::2), 6, MPI_INTEGER, next, start, 6, MPI_INTEGER, MPI_SUM, win, request)
    call complete(win)
    call expect(all(window(:6) == [(1 + value(last, 2, i), i = 1, columns, 2)]) .and. all(window(7:) == 1), "MPI_Raccumulate")
    call next_step(win)

    call set(window, win)
    call MPI_Raccumulate(field(3, :), 2, gapped, next, start, 4, MPI_INTEGER, MPI_SUM, win, request)
    call complete(win)
    call expect(all(window(:4) == 1 + [(value(last, 3, taken(i)), i = 1, 4)]) .and. all(window(5:) == 1), &
        "MPI_Raccumulate with gaps")
    call next_step(win)

    call fill()
    call set(window, win)
    call MPI_Rget(got(3, ::2), 6, MPI_INTEGER, next, start, 6, MPI_INTEGER, win, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call expect(all(got(3, ::2) == 1) .and. count(got /= -1) == 6, "MPI_Rget")
    call next_step(win)

    call fill()
    call set(window, win)
    call MPI_Rget_accumulate(field(1, 1:6), 6, MPI_INTEGER, got(2, 2::2), 6, MPI_INTEGER, next, start, 6, MPI_INTEGER, MPI_SUM, &
        win, request)
    call complete(win)
    call expect(all(window(:6) == [(1 + value(last, 1, i), i = 1, 6)]) .and. all(window(7:) == 1), "MPI_Rget_accumulate")
    call expect(all(got(2, 2::2) == 1) .and. count(got /= -1) == 6, "what was there")
    call next_step(win)

    call fill()
    call set(window, win)
    call MPI_Rget_accumulate(field(3, :), 2, gapped, got(1, :), 2, gapped, next, start, 4, MPI_INTEGER, MPI_REPLACE, win, request)
    call complete(win)
    call expect(all(window(:4) == [(value(last, 3, taken(i)), i = 1, 4)]) .and. all(window(5:) == 1), &
        "MPI_Rget_accumulate with gaps")
    call expect(all(got(1, taken) == 1) .and. count(got /= -1) == 4, "what was there, with gaps")
    call next_step(win)

    call fill()
    call set(window, win)
    call MPI_Get_accumulate(field(3, :), 2, gapped, got(1, :), 2, gapped, next, start, 4, MPI_INTEGER, MPI_NO_OP, win)
    call MPI_Win_flush(next, win)
    call expect(all(got(1, taken) == 1) .and. count(got /= -1) == 4, "MPI_NO_OP")
    call next_step(win)

    call MPI_Win_unlock_all(win)
    call MPI_Win_free(win)
  end subroutine

  subroutine set(window, win)
    integer, intent(out), asynchronous :: window(:)
    type(MPI_Win), intent(in) :: win
    window = 1
    call next_step(win)
  end subroutine

  subroutine complete(win)
    type(MPI_Win), intent(in) :: win
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call MPI_Win_flush_all(win)
    call next_step(win)
  end subroutine

  subroutine next_step(win)
    type(MPI_Win), intent(in) :: win
    call MPI_Win_sync(win)
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_Win_sync(win)
  end subroutine

  ! Each rank writes its part and reads that of the next one.
  subroutine files()
    type(MPI_File) :: file
    character(len=40) :: name
    integer(MPI_OFFSET_KIND) :: mine, other, now
    ! No other run has the same.
    call system_clock(now)
    write (name, '("/tmp/rmashm-sections-", i0)') now
    call MPI_Bcast(name, len(name), MPI_CHARACTER, 0, MPI_COMM_WORLD)
    call MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR + MPI_MODE_CREATE + MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, file)
    call MPI_File_set_view(file, 0_MPI_OFFSET_KIND, MPI_INTEGER, MPI_INTEGER, "native", MPI_INFO_NULL)
    mine = columns * rank
    other = columns * next

    call fill()
    call MPI_File_iwrite_at(file, mine, field(1, :), columns, MPI_INTEGER, request)
    call read_back(file, "MPI_File_iwrite_at", columns, [(value(next, 1, i), i = 1, columns)])
    call MPI_File_iread_at(file, other, got(2, ::2), 6, MPI_INTEGER, request)
    call MPI_Wait(request, status)
    call MPI_Get_count(status, MPI_INTEGER, i)
    call expect(i == 6, "the status of MPI_File_iread_at")
    call expect(all(got(2, ::2) == [(value(next, 1, i), i = 1, 6)]) .and. count(got /= -1) == 6, "MPI_File_iread_at")
    call MPI_Barrier(MPI_COMM_WORLD)

    call fill()
    call MPI_File_iwrite_at_all(file, mine, field(3, :), 2, gapped, request)
    call read_back(file, "MPI_File_iwrite_at_all", 4, [(value(next, 3, taken(i)), i = 1, 4)])
    call MPI_File_iread_at_all(file, other, got(2, :), 2, gapped, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call expect(all(got(2, taken) == [(value(next, 3, taken(i)), i = 1, 4)]) .and. count(got /= -1) == 4, "MPI_File_iread_at_all")
    call MPI_Barrier(MPI_COMM_WORLD)

    call fill()
    call MPI_File_seek(file, mine, MPI_SEEK_SET)
    call MPI_File_iwrite(file, field(2, :), 2, gapped, request)
    call read_back(file, "MPI_File_iwrite", 4, [(value(next, 2, taken(i)), i = 1, 4)])
    call MPI_File_seek(file, other, MPI_SEEK_SET)
    call MPI_File_iread(file, got(1, columns:2:-2), 4, MPI_INTEGER, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call expect(all(got(1, columns:6:-2) == [(value(next, 2, taken(i)), i = 1, 4)]) .and. count(got /= -1) == 4, "MPI_File_iread")
    call MPI_Barrier(MPI_COMM_WORLD)

    call fill()
    call MPI_File_write_at_all_begin(file, mine, field(1, 2::2), 6, MPI_INTEGER)
    call MPI_File_write_at_all_end(file, field(1, 2::2), status)
    request = MPI_REQUEST_NULL
    call read_back(file, "MPI_File_write_at_all_begin", 6, [(value(next, 1, i), i = 2, columns, 2)])
    call MPI_File_read_at_all_begin(file, other, got(3, :), 2, gapped)
    call MPI_File_read_at_all_end(file, got(3, :), status)
    call expect(all(got(3, taken) == [(value(next, 1, i), i = 2, 8, 2)]) .and. count(got /= -1) == 4, "MPI_File_read_at_all_begin")
    call MPI_File_close(file)
  end subroutine

  ! The next rank has written this.
  subroutine read_back(file, what, many, expected)
    type(MPI_File), intent(in) :: file
    character(len=*), intent(in) :: what
    integer, intent(in) :: many, expected(many)
    integer :: there(many)
    integer(MPI_OFFSET_KIND) :: other
    other = columns * next
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call MPI_File_sync(file)
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_File_sync(file)
    call MPI_File_read_at(file, other, there, many, MPI_INTEGER, MPI_STATUS_IGNORE)
    call expect(all(there == expected), what)
  end subroutine

  pure integer function value(of, row, column)
    integer, intent(in) :: of, row, column
    value = 10000 * of + 100 * row + column
  end function

  subroutine fill()
    integer :: row, column
    do column = 1, columns
      do row = 1, 3
        field(row, column) = value(rank, row, column)
      end do
    end do
    got = -1
  end subroutine

  include "expect.inc"
end program
