! use mpi: memory of MPI's as a TYPE(C_PTR) and as an integer, by the same names: MPI_Alloc_mem, MPI_Win_allocate,
! MPI_Win_allocate_shared, MPI_Win_shared_query. Prints nothing when all is right.
program memory
  use mpi
  use, intrinsic :: iso_c_binding
  implicit none
  integer(kind=MPI_ADDRESS_KIND), parameter :: bytes = 80
  integer :: ierr, rank, ranks, win, unit, other
  integer(kind=MPI_ADDRESS_KIND) :: place, length
  type(c_ptr) :: pointer_of_c
  double precision, pointer :: mine(:), theirs(:)
  type(MPI_Comm) :: typed

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)

  call MPI_Alloc_mem(bytes, MPI_INFO_NULL, pointer_of_c, ierr)
  call c_f_pointer(pointer_of_c, mine, [10])
  mine = rank
  call expect(sum(mine) == 10 * rank, "MPI_Alloc_mem")
  call MPI_Free_mem(mine, ierr)
  call MPI_Alloc_mem(bytes, MPI_INFO_NULL, place, ierr)
  pointer_of_c = transfer(place, pointer_of_c)
  call c_f_pointer(pointer_of_c, mine, [10])
  mine = 2
  call expect(sum(mine) == 20, "MPI_Alloc_mem with an integer")
  call MPI_Free_mem(mine, ierr)

  call MPI_Win_allocate(bytes, 8, MPI_INFO_NULL, MPI_COMM_WORLD, pointer_of_c, win, ierr)
  call c_f_pointer(pointer_of_c, mine, [10])
  call MPI_Get_address(mine, length, ierr)
  call expect(length == transfer(pointer_of_c, length), "MPI_Win_allocate")
  call MPI_Win_free(win, ierr)
  call MPI_Win_allocate(bytes, 8, MPI_INFO_NULL, MPI_COMM_WORLD, place, win, ierr)
  call expect(place /= 0, "MPI_Win_allocate with an integer")
  call MPI_Win_free(win, ierr)

  call MPI_Win_allocate_shared(bytes, 8, MPI_INFO_NULL, MPI_COMM_WORLD, pointer_of_c, win, ierr)
  call c_f_pointer(pointer_of_c, mine, [10])
  call MPI_Win_lock_all(MPI_MODE_NOCHECK, win, ierr)
  mine = rank + 1
  call MPI_Win_sync(win, ierr)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Win_sync(win, ierr)
  do other = 0, ranks - 1
    call MPI_Win_shared_query(win, other, length, unit, pointer_of_c, ierr)
    call expect(length == bytes .and. unit == 8, "MPI_Win_shared_query")
    call c_f_pointer(pointer_of_c, theirs, [10])
    call expect(all(theirs == other + 1), "shared memory")
    call MPI_Win_shared_query(win, other, length, unit, place, ierr)
    call expect(place == transfer(pointer_of_c, place), "MPI_Win_shared_query with an integer")
  end do
  call MPI_Win_unlock_all(win, ierr)
  call MPI_Win_free(win, ierr)
  call expect(win == MPI_WIN_NULL, "MPI_Win_free")

  ! The handles of mpi_f08 are known here, too.
  typed%MPI_VAL = MPI_COMM_WORLD
  call expect(typed == MPI_COMM_WORLD, "handles of two kinds")
  call MPI_Finalize(ierr)

contains

  subroutine expect(right, what)
    logical, intent(in) :: right
    character(len=*), intent(in) :: what
    integer :: ierr
    if (right) return
    print *, "wrong on rank ", rank, ": ", what
    call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
  end subroutine

end program
