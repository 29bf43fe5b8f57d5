! What Fortran calls of the parts in C and in C++. Handles go there as integers.
module interfaces
  use, intrinsic :: iso_c_binding
  use mpi_f08, only: MPI_Status
  implicit none

  integer(c_int), bind(C, name='failures') :: failures

  interface
    subroutine c_knows_constants(numbers) bind(C)
      import
      integer(c_int), intent(in) :: numbers(*)
    end subroutine
    subroutine c_reads_comm(comm) bind(C)
      import
      integer(c_int), value :: comm
    end subroutine
    integer(c_int) function cxx_turns_comm(comm) bind(C)
      import
      integer(c_int), value :: comm
    end function
    subroutine c_frees_comm(comm) bind(C)
      import
      integer(c_int), intent(inout) :: comm
    end subroutine
    integer(c_int) function c_makes_group() bind(C)
      import
    end function
    integer(c_int) function c_makes_info() bind(C)
      import
    end function
    subroutine cxx_reads_info(info) bind(C)
      import
      integer(c_int), value :: info
    end subroutine
    subroutine c_reads_file(file, rank) bind(C)
      import
      integer(c_int), value :: file, rank
    end subroutine

    integer(c_int) function cxx_makes_type() bind(C)
      import
    end function
    subroutine c_commits_type(datatype) bind(C)
      import
      integer(c_int), value :: datatype
    end subroutine
    subroutine cxx_receives(datatype, comm) bind(C)
      import
      integer(c_int), value :: datatype, comm
    end subroutine

    subroutine c_waits(receive, send, as_array, as_type) bind(C)
      import
      integer(c_int), value :: receive
      integer(c_int), intent(out) :: send, as_array(*)
      type(MPI_Status), intent(out) :: as_type
    end subroutine
    subroutine c_reads_status(as_array, as_type) bind(C)
      import
      integer(c_int), intent(in) :: as_array(*)
      type(MPI_Status), intent(in) :: as_type
    end subroutine
    integer(c_int) function c_finds_message(tag) bind(C)
      import
      integer(c_int), value :: tag
    end function
    integer(c_int) function cxx_makes_request() bind(C)
      import
    end function
    subroutine c_waits_persistent(request) bind(C)
      import
      integer(c_int), intent(inout) :: request
    end subroutine
    subroutine cxx_frees_request(request) bind(C)
      import
      integer(c_int), intent(inout) :: request
    end subroutine

    integer(c_int) function c_makes_op() bind(C)
      import
    end function
    integer(c_int) function cxx_makes_op() bind(C)
      import
    end function
    integer(c_int) function c_reduces(op, number) bind(C)
      import
      integer(c_int), value :: op, number
    end function
    integer(c_int) function cxx_reduces(op, number) bind(C)
      import
      integer(c_int), value :: op, number
    end function

    integer(c_int) function c_makes_errhandler() bind(C)
      import
    end function
    integer(c_int) function cxx_makes_errhandler() bind(C)
      import
    end function
    integer(c_int) function cxx_exceptions() bind(C)
      import
    end function
    integer(c_int) function c_was_told() bind(C)
      import
    end function
    integer(c_int) function cxx_was_told() bind(C)
      import
    end function
    integer(c_int) function c_fails(comm) bind(C)
      import
      integer(c_int), value :: comm
    end function
    integer(c_int) function cxx_fails(comm) bind(C)
      import
      integer(c_int), value :: comm
    end function
    integer(c_int) function cxx_throws(comm) bind(C)
      import
      integer(c_int), value :: comm
    end function

    integer(c_int) function c_makes_keyval() bind(C)
      import
    end function
    integer(c_int) function cxx_makes_keyval() bind(C)
      import
    end function
    subroutine c_counts_calls(copied, deleted) bind(C)
      import
      integer(c_int), intent(out) :: copied, deleted
    end subroutine
    subroutine cxx_counts_calls(copied, deleted) bind(C)
      import
      integer(c_int), intent(out) :: copied, deleted
    end subroutine
    subroutine c_sets_attribute(comm, keyval) bind(C)
      import
      integer(c_int), value :: comm, keyval
    end subroutine
    subroutine cxx_sets_attribute(comm, keyval) bind(C)
      import
      integer(c_int), value :: comm, keyval
    end subroutine
    subroutine c_reads_attribute(comm, keyval, setter) bind(C)
      import
      integer(c_int), value :: comm, keyval, setter
    end subroutine
    subroutine cxx_reads_attribute(comm, keyval, setter) bind(C)
      import
      integer(c_int), value :: comm, keyval, setter
    end subroutine

    subroutine c_reads_window(win, rank, ranks) bind(C)
      import
      integer(c_int), value :: win, rank, ranks
    end subroutine
    subroutine cxx_puts(win, rank, ranks) bind(C)
      import
      integer(c_int), value :: win, rank, ranks
    end subroutine
    integer(c_int) function cxx_makes_window(rank) bind(C)
      import
      integer(c_int), value :: rank
    end function
    subroutine cxx_locks_for(procedure, rank) bind(C)
      import
      type(c_funptr), value :: procedure
      integer(c_int), value :: rank
    end subroutine
    subroutine cxx_frees_window(ranks) bind(C)
      import
      integer(c_int), value :: ranks
    end subroutine
  end interface

contains

  subroutine check(right, what)
    logical, intent(in) :: right
    character(*), intent(in) :: what
    if (.not. right) then
      print '(2a)', 'in Fortran: not so: ', what
      failures = failures + 1
    end if
  end subroutine
end module
