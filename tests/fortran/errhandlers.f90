! What error handlers are given: the object of the error, or the null handle where it is none yet. The procedures are Open MPI 5's and
! newer, and no module is asked for them. Prints nothing when all is right.
program errhandlers
  use mpi
  implicit none
  integer :: handler, session, null, other, comm, noted, ierror
  common /errors_of/ noted
  external :: note, MPI_Session_create_errhandler, MPI_Session_init, MPI_Session_call_errhandler, MPI_Session_finalize
  external :: MPI_Comm_create_from_group

  call MPI_Init(ierror)
  call MPI_Session_create_errhandler(note, handler, ierror)
  call MPI_Session_init(MPI_INFO_NULL, handler, session, ierror)
  call MPI_Session_call_errhandler(session, MPI_ERR_OTHER, ierror)
  call check(noted == session, 'of a session')
  null = session
  call MPI_Session_finalize(null, ierror)
  noted = session
  call MPI_Session_init(-1, handler, other, ierror)
  call check(ierror /= MPI_SUCCESS .and. noted == null, 'of no session yet')
  call MPI_Errhandler_free(handler, ierror)
  noted = session
  call MPI_Comm_create_errhandler(note, handler, ierror)
  call MPI_Comm_create_from_group(MPI_GROUP_NULL, 'tag', MPI_INFO_NULL, handler, comm, ierror)
  call check(ierror /= MPI_SUCCESS .and. noted == MPI_COMM_NULL, 'of no communicator yet')
  call MPI_Errhandler_free(handler, ierror)
  call MPI_Finalize(ierror)

contains

  subroutine check(right, what)
    logical, intent(in) :: right
    character(*), intent(in) :: what
    if (.not. right) print '(3a, i0)', 'wrong: the error ', what, ' came for ', noted
  end subroutine
end program

! Takes note of what it is called for.
subroutine note(object, code)
  implicit none
  integer :: object, code, noted
  common /errors_of/ noted
  noted = object
  if (code == 0) noted = -1
end subroutine
