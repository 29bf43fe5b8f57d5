! The part in Fortran, which asks the others for theirs: topic by topic, with mpi_f08, and with mpi for what only that has.
module older
  use mpi
  implicit none
contains
  subroutine put_integer(comm, keyval, number)
    integer, intent(in) :: comm, keyval, number
    integer :: ierror
    call MPI_Attr_put(comm, keyval, number, ierror)
  end subroutine

  integer function got_integer(comm, keyval)
    integer, intent(in) :: comm, keyval
    integer :: ierror
    logical :: found
    call MPI_Attr_get(comm, keyval, got_integer, found, ierror)
    if (.not. found) got_integer = 0
  end function
end module

module topics
  use mpi_f08
  use interfaces
  use older, only: put_integer, got_integer
  implicit none
  integer :: rank, ranks
  integer(MPI_ADDRESS_KIND), parameter :: of_fortran = 3000
  ! What was told to the error handler, and called for attributes.
  integer :: told = MPI_SUCCESS, copies = 0, deletions = 0
  type(MPI_Win) :: counters

contains

  subroutine all_topics() bind(C)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    call handles
    call datatypes
    call messages
    call operations
    call errors
    call attributes
    call callbacks_of_attributes
    call windows
    call MPI_Allreduce(MPI_IN_PLACE, failures, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  end subroutine

  subroutine handles
    type(MPI_Comm) :: comm, turned
    type(MPI_Group) :: group
    type(MPI_Info) :: info
    type(MPI_File) :: file
    integer :: n, r
    logical :: found
    character(len=8) :: value
    character(len=MPI_MAX_OBJECT_NAME) :: name

    call c_knows_constants([MPI_COMM_WORLD%MPI_VAL, MPI_COMM_NULL%MPI_VAL, MPI_INTEGER%MPI_VAL, MPI_SUM%MPI_VAL, &
      MPI_GROUP_EMPTY%MPI_VAL, MPI_INFO_ENV%MPI_VAL, MPI_ERRORS_RETURN%MPI_VAL, MPI_REQUEST_NULL%MPI_VAL, &
      MPI_WIN_NULL%MPI_VAL, MPI_FILE_NULL%MPI_VAL, MPI_MESSAGE_NO_PROC%MPI_VAL, MPI_SESSION_NULL%MPI_VAL])

    call MPI_Comm_dup(MPI_COMM_WORLD, comm)
    call MPI_Comm_set_name(comm, 'of Fortran  ')
    call c_reads_comm(comm%MPI_VAL)
    turned = MPI_Comm(cxx_turns_comm(comm%MPI_VAL))
    call MPI_Comm_rank(turned, r)
    call check(r == ranks - 1 - rank, 'the rank in a communicator of C++')
    call MPI_Comm_get_name(turned, name, n)
    call check(name == 'of C++' .and. n == 6, 'its name')
    call c_frees_comm(turned%MPI_VAL)
    call check(turned == MPI_COMM_NULL, 'it is null when C has freed it')
    call MPI_Comm_free(comm)

    group = MPI_Group(c_makes_group())
    call MPI_Group_rank(group, r)
    call check(r == merge(0, MPI_UNDEFINED, rank == 0), 'a group of C')
    call MPI_Group_free(group)

    info = MPI_Info(c_makes_info())
    call cxx_reads_info(info%MPI_VAL)
    call MPI_Info_get(info, 'read by', 8, value, found)
    call check(found .and. value == 'C++', 'an info of C, of which C++ has set a key')
    call MPI_Info_free(info)

    call MPI_File_open(MPI_COMM_WORLD, 'languages.data', MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, &
      MPI_INFO_NULL, file)
    call MPI_File_write_at_all(file, int(4 * rank, MPI_OFFSET_KIND), 100 + rank, 1, MPI_INTEGER, MPI_STATUS_IGNORE)
    call c_reads_file(file%MPI_VAL, rank)
    call MPI_File_close(file)
  end subroutine

  ! A type is made in C++ and committed in C; Fortran sends by it to the next process, where C++ receives.
  subroutine datatypes
    type, bind(C) :: particle
      integer(c_int) :: number
      real(c_double) :: place(2)
    end type
    type(particle) :: sent(2)
    type(MPI_Datatype) :: made, inner(1)
    type(MPI_Request) :: request
    integer :: numbers, places, kinds, combiner, no_numbers(0), bytes
    integer(MPI_ADDRESS_KIND) :: bounds(2)

    made = MPI_Datatype(cxx_makes_type())
    call MPI_Type_get_envelope(made, numbers, places, kinds, combiner)
    call check(combiner == MPI_COMBINER_RESIZED .and. places == 2 .and. kinds == 1, 'the envelope of a type of C++')
    call MPI_Type_get_contents(made, 0, 2, 1, no_numbers, bounds, inner)
    call check(bounds(2) == c_sizeof(sent(1)), 'its contents')
    call MPI_Type_size(inner(1), bytes)
    call check(bytes == 20, 'the type inside')
    call MPI_Type_free(inner(1))
    call c_commits_type(made%MPI_VAL)
    sent(1) = particle(10 * rank + 1, [0.25d0, dble(rank)])
    sent(2) = particle(10 * rank + 2, [0.25d0, dble(rank)])
    call MPI_Isend(sent, 2, made, mod(rank + 1, ranks), 23, MPI_COMM_WORLD, request)
    call cxx_receives(made%MPI_VAL, MPI_COMM_WORLD%MPI_VAL)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call MPI_Type_free(made)
  end subroutine

  subroutine messages
    type(MPI_Request) :: request
    type(MPI_Status) :: status
    type(MPI_Message) :: message
    integer, asynchronous :: number
    integer :: n, as_array(MPI_STATUS_SIZE), send
    real(c_double) :: got(3)

    number = 0
    call MPI_Irecv(number, 1, MPI_INTEGER, 0, 21, MPI_COMM_SELF, request)
    call c_waits(request%MPI_VAL, send, as_array, status)
    call MPI_F_sync_reg(number)
    call check(number == 4711, 'a message of C')
    call check(as_array(MPI_TAG) == 21 .and. as_array(MPI_SOURCE) == 0, 'a status of C as an array')
    call MPI_Get_count(status, MPI_INTEGER, n)
    call check(status%MPI_TAG == 21 .and. status%MPI_SOURCE == 0 .and. n == 1, 'and as a type')
    request = MPI_Request(send)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call check(request == MPI_REQUEST_NULL, 'a request of C')

    ! Made in C++, started in Fortran, twice; received here; waited for in C; freed in C++.
    request = MPI_Request(cxx_makes_request())
    do n = 1, 2
      call MPI_Start(request)
      got = 0
      if (n == 1) then
        call MPI_Recv(got, 3, MPI_DOUBLE_PRECISION, 0, 22, MPI_COMM_SELF, status)
      else
        message = MPI_Message(c_finds_message(22))
        call MPI_Mrecv(got, 3, MPI_DOUBLE_PRECISION, message, status)
        call check(message == MPI_MESSAGE_NULL, 'a message that C has found')
      end if
      call check(all(got == [1.5d0, 2.5d0, 3.5d0]), 'a message of C++')
      call MPI_Status_f082f(status, as_array)
      call c_reads_status(as_array, status)
      call c_waits_persistent(request%MPI_VAL)
    end do
    call cxx_frees_request(request%MPI_VAL)
    call check(request == MPI_REQUEST_NULL, 'a request of C++')
  end subroutine

  ! The number of larger absolute value.
  subroutine larger(in, inout, length, datatype)
    type(c_ptr), value :: in, inout
    integer :: length
    type(MPI_Datatype) :: datatype
    integer, pointer :: a(:), b(:)
    call check(datatype == MPI_INTEGER .or. datatype == MPI_INT, 'the type of an operation')
    call c_f_pointer(in, a, [length])
    call c_f_pointer(inout, b, [length])
    where (abs(a) > abs(b)) b = a
  end subroutine

  ! Operations of each language, used by each.
  subroutine operations
    type(MPI_Op) :: ops(3)
    integer :: i, mine, found, largest
    ops(1) = MPI_Op(c_makes_op())
    ops(2) = MPI_Op(cxx_makes_op())
    call MPI_Op_create(larger, .true., ops(3))
    mine = (-1)**rank * (rank + 5)
    largest = (-1)**(ranks - 1) * (ranks + 4)
    do i = 1, 3
      call MPI_Allreduce(mine, found, 1, MPI_INTEGER, ops(i), MPI_COMM_WORLD)
      call check(found == largest, 'an operation in Fortran')
      call check(c_reduces(ops(i)%MPI_VAL, mine) == largest, 'an operation in C')
      call check(cxx_reduces(ops(i)%MPI_VAL, mine) == largest, 'an operation in C++')
      call MPI_Op_free(ops(i))
    end do
  end subroutine

  subroutine handler(comm, error_code)
    type(MPI_Comm) :: comm
    integer :: error_code
    call MPI_Error_class(error_code, told)
    call check(comm /= MPI_COMM_NULL, 'the communicator of a handler')
  end subroutine

  integer function f_was_told()
    f_was_told = told
    told = MPI_SUCCESS
  end function

  ! Error handlers of each language; the mistake is made in each.
  subroutine errors
    type(MPI_Comm) :: comm
    type(MPI_Errhandler) :: handlers(3), exceptions
    integer :: i, by, ierror, class
    call MPI_Comm_dup(MPI_COMM_WORLD, comm)
    handlers(1) = MPI_Errhandler(c_makes_errhandler())
    handlers(2) = MPI_Errhandler(cxx_makes_errhandler())
    call MPI_Comm_create_errhandler(handler, handlers(3))
    do i = 1, 3
      call MPI_Comm_set_errhandler(comm, handlers(i))
      do by = 1, 3
        class = MPI_ERR_RANK
        select case (by)
        case (1)
          class = c_fails(comm%MPI_VAL)
        case (2)
          ierror = cxx_fails(comm%MPI_VAL)
        case (3)
          call MPI_Send(rank, 0, MPI_INTEGER, 2**20, 0, comm, ierror)
          call MPI_Error_class(ierror, class)
        end select
        ! MPICH forgets the error when a handler in C++ has been told.
        call check(class == MPI_ERR_RANK .or. (i == 2 .and. class == MPI_SUCCESS), 'the error')
        call check(c_was_told() == merge(MPI_ERR_RANK, MPI_SUCCESS, i == 1), 'the handler in C')
        call check(cxx_was_told() == merge(MPI_ERR_RANK, MPI_SUCCESS, i == 2), 'the handler in C++')
        call check(f_was_told() == merge(MPI_ERR_RANK, MPI_SUCCESS, i == 3), 'the handler in Fortran')
      end do
      call MPI_Errhandler_free(handlers(i))
    end do
    ! Exceptions are C++'s: the others get the code.
    exceptions = MPI_Errhandler(cxx_exceptions())
    call MPI_Comm_set_errhandler(comm, exceptions)
    call check(cxx_throws(comm%MPI_VAL) == MPI_ERR_RANK, 'an exception')
    call check(c_fails(comm%MPI_VAL) == MPI_ERR_RANK, 'no exception in C')
    call MPI_Send(rank, 0, MPI_INTEGER, 2**20, 0, comm, ierror)
    call MPI_Error_class(ierror, class)
    call check(class == MPI_ERR_RANK, 'no exception in Fortran')
    call MPI_Comm_free(comm)
  end subroutine

  ! What is set in one language and read in another (MPI 4.1 §19.3.7): C and C++ set an address, Fortran a number that they get the
  ! address of.
  subroutine attributes
    integer(MPI_ADDRESS_KIND), parameter :: large = -4000_MPI_ADDRESS_KIND * 1000000000_MPI_ADDRESS_KIND
    integer(MPI_ADDRESS_KIND), parameter :: values(0:3) = [1000_MPI_ADDRESS_KIND, 2000_MPI_ADDRESS_KIND, &
      -3000_MPI_ADDRESS_KIND, large]
    integer :: keyval, setter, halves(2)
    integer(MPI_ADDRESS_KIND) :: got
    logical :: found
    type(MPI_Comm) :: comm
    call MPI_Comm_dup(MPI_COMM_SELF, comm)
    call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, keyval, 0_MPI_ADDRESS_KIND)
    do setter = 0, 3
      select case (setter)
      case (0)
        call c_sets_attribute(comm%MPI_VAL, keyval)
      case (1)
        call cxx_sets_attribute(comm%MPI_VAL, keyval)
      case (2)
        call put_integer(comm%MPI_VAL, keyval, int(values(2)))
      case (3)
        call MPI_Comm_set_attr(comm, keyval, large)
      end select
      call c_reads_attribute(comm%MPI_VAL, keyval, setter)
      call cxx_reads_attribute(comm%MPI_VAL, keyval, setter)
      call MPI_Comm_get_attr(comm, keyval, got, found)
      call check(found .and. got == values(setter), 'an attribute as an address')
      halves = transfer(values(setter), halves)
      call check(got_integer(comm%MPI_VAL, keyval) == halves(1), 'an attribute as an integer')
    end do
    call MPI_Comm_free_keyval(keyval)
    call MPI_Comm_free(comm)
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, got, found)
    call check(found .and. got >= 32767 .and. got_integer(MPI_COMM_WORLD%MPI_VAL, MPI_TAG_UB) == got, 'MPI_TAG_UB')
  end subroutine

  subroutine copy(comm, keyval, state, in, out, flag, ierror)
    type(MPI_Comm) :: comm
    integer :: keyval, ierror
    integer(MPI_ADDRESS_KIND) :: state, in, out
    logical :: flag
    call check(keyval /= MPI_KEYVAL_INVALID .and. state == 77 .and. comm /= MPI_COMM_NULL, 'what a copy function gets')
    copies = copies + 1
    out = in + 1
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine

  subroutine remove(comm, keyval, value, state, ierror)
    type(MPI_Comm) :: comm
    integer :: keyval, ierror
    integer(MPI_ADDRESS_KIND) :: value, state
    call check(keyval /= MPI_KEYVAL_INVALID .and. state == 77 .and. comm /= MPI_COMM_NULL, 'what a delete function gets')
    call check(value == of_fortran .or. value == of_fortran + 1, 'the value that is deleted')
    deletions = deletions + 1
    ierror = MPI_SUCCESS
  end subroutine

  ! The functions of keys of each language are called when Fortran duplicates and C frees.
  subroutine callbacks_of_attributes
    integer :: keyvals(3), i, copied(3), deleted(3)
    integer(MPI_ADDRESS_KIND) :: got
    logical :: found
    type(MPI_Comm) :: comm, other
    call MPI_Comm_dup(MPI_COMM_SELF, comm)
    keyvals(1) = c_makes_keyval()
    keyvals(2) = cxx_makes_keyval()
    call MPI_Comm_create_keyval(copy, remove, keyvals(3), 77_MPI_ADDRESS_KIND)
    call c_sets_attribute(comm%MPI_VAL, keyvals(1))
    call cxx_sets_attribute(comm%MPI_VAL, keyvals(2))
    call MPI_Comm_set_attr(comm, keyvals(3), of_fortran)
    call MPI_Comm_dup(comm, other)
    do i = 1, 3
      call MPI_Comm_get_attr(other, keyvals(i), got, found)
      call check(found .and. got == 1000 * i + 1, 'the copy of an attribute')
    end do
    call c_frees_comm(other%MPI_VAL)
    call MPI_Comm_free(comm)
    call c_counts_calls(copied(1), deleted(1))
    call cxx_counts_calls(copied(2), deleted(2))
    copied(3) = copies
    deleted(3) = deletions
    call check(all(copied == 1) .and. all(deleted == 2), 'the functions of an attribute')
    do i = 1, 3
      call MPI_Comm_free_keyval(keyvals(i))
    end do
  end subroutine

  subroutine windows
    type(MPI_Win) :: win
    type(c_ptr) :: base
    real(c_double), pointer :: numbers(:)
    integer :: ierror, class
    call MPI_Win_allocate_shared(80_MPI_ADDRESS_KIND, 8, MPI_INFO_NULL, MPI_COMM_WORLD, base, win)
    call c_f_pointer(base, numbers, [10])
    numbers = -1
    call MPI_Barrier(MPI_COMM_WORLD)
    call cxx_puts(win%MPI_VAL, rank, ranks)
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win)
    call check(numbers(4) == 0.5d0 + mod(rank + ranks - 1, ranks) .and. numbers(3) == -1, 'what C++ has put')
    call c_reads_window(win%MPI_VAL, rank, ranks)
    call MPI_Win_unlock(rank, win)
    call MPI_Win_free(win)

    ! Guards of C++'s around calls of Fortran's.
    counters = MPI_Win(cxx_makes_window(rank))
    call MPI_Barrier(MPI_COMM_WORLD)
    call cxx_locks_for(c_funloc(adds_three), 0)
    call MPI_Put(rank, 0, MPI_INTEGER, ranks, 0_MPI_ADDRESS_KIND, 0, MPI_INTEGER, counters, ierror)
    call MPI_Error_class(ierror, class)
    call check(class == MPI_ERR_RANK, 'errors of a window of rmashm.hpp are returned')
    call cxx_frees_window(ranks)
  end subroutine

  subroutine adds_three() bind(C)
    integer :: before
    call MPI_Fetch_and_op(3, before, MPI_INTEGER, 0, 0_MPI_ADDRESS_KIND, MPI_SUM, counters)
    call MPI_Win_flush(0, counters)
    call check(mod(before, 3) == 0 .and. before >= 0 .and. before < 3 * ranks, 'a counter of C++')
  end subroutine
end module
