! A data representation of files whose functions are Fortran's. Prints nothing when all is right.
module functions
  use mpi
  implicit none
contains
  subroutine read_it(userbuf, datatype, count, filebuf, position, extra, ierr)
    integer :: userbuf(*), filebuf(*), datatype, count, ierr
    integer(MPI_OFFSET_KIND) :: position
    integer(MPI_ADDRESS_KIND) :: extra
    integer :: i
    do i = 1, count
      userbuf(position + i) = filebuf(2 * i - 1) - int(extra)
    end do
    ierr = MPI_SUCCESS
  end subroutine

  subroutine write_it(userbuf, datatype, count, filebuf, position, extra, ierr)
    integer :: userbuf(*), filebuf(*), datatype, count, ierr
    integer(MPI_OFFSET_KIND) :: position
    integer(MPI_ADDRESS_KIND) :: extra
    integer :: i
    if (datatype /= MPI_INTEGER) call MPI_Abort(MPI_COMM_WORLD, 9, ierr)
    do i = 1, count
      filebuf(2 * i - 1) = userbuf(position + i) + int(extra)
      filebuf(2 * i) = -1
    end do
    ierr = MPI_SUCCESS
  end subroutine

  subroutine extent_of(datatype, extent, extra, ierr)
    integer :: datatype, ierr
    integer(MPI_ADDRESS_KIND) :: extent, extra
    extent = 8
    ierr = MPI_SUCCESS
  end subroutine
end module

program datareps
  use mpi
  use functions
  implicit none
  integer :: ierr
  call MPI_Init(ierr)
  call representations
  call MPI_Finalize(ierr)
contains
  subroutine check(right, what)
    logical :: right
    character(*) :: what
    integer :: ierror
    if (right) return
    print *, 'wrong: ', what
    call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
  end subroutine

  ! Of each integer of the file the second half is -1; without a function for reading both are read.
  subroutine representations
    integer :: file, data(1000), back(2000), i
    integer(MPI_ADDRESS_KIND) :: extra
    integer(MPI_OFFSET_KIND) :: bytes
    external MPI_CONVERSION_FN_NULL
    extra = 77
    call MPI_Register_datarep('wide', read_it, write_it, extent_of, extra, ierr)
    call check(ierr == MPI_SUCCESS, 'registered')
    call MPI_Register_datarep('written wide', MPI_CONVERSION_FN_NULL, write_it, extent_of, extra, ierr)
    call check(ierr == MPI_SUCCESS, 'registered without a function')
    call MPI_Register_datarep('wide', read_it, write_it, extent_of, extra, ierr)
    call check(ierr /= MPI_SUCCESS, 'registered twice')
    extra = 1
    data = [(3 * i, i = 1, 1000)]
    call MPI_File_open(MPI_COMM_SELF, 'rmashm-datareps', &
                       ior(MPI_MODE_RDWR, ior(MPI_MODE_CREATE, MPI_MODE_DELETE_ON_CLOSE)), &
                       MPI_INFO_NULL, file, ierr)
    call check(ierr == MPI_SUCCESS, 'open')
    call MPI_File_set_view(file, 0_MPI_OFFSET_KIND, MPI_INTEGER, MPI_INTEGER, 'wide', MPI_INFO_NULL, ierr)
    call MPI_File_write_at(file, 0_MPI_OFFSET_KIND, data, 1000, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
    call check(ierr == MPI_SUCCESS, 'written')
    call MPI_File_get_size(file, bytes, ierr)
    call check(bytes == 8000, 'bytes')
    call MPI_File_read_at(file, 10_MPI_OFFSET_KIND, back, 900, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
    call check(ierr == MPI_SUCCESS .and. all(back(1:900) == data(11:910)), 'read')
    call MPI_File_set_view(file, 0_MPI_OFFSET_KIND, MPI_INTEGER, MPI_INTEGER, 'written wide', MPI_INFO_NULL, ierr)
    call MPI_File_read_at(file, 0_MPI_OFFSET_KIND, back, 2000, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
    call check(all(back(1::2) == data + 77) .and. all(back(2::2) == -1), 'read as it is')
    call MPI_File_close(file, ierr)
  end subroutine
end program
