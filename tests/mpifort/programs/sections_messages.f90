! use mpi_f08: sections of arrays that are not contiguous in messages that go on after the call, with datatypes that have gaps too; all
! ways to complete them, and to give them up. Prints nothing when all is right.
program sections_messages
  use mpi_f08
  use iso_c_binding
  implicit none
  interface
    integer(c_int) function c_waitall(count, requests, statuses) bind(C, name="MPI_Waitall")
      import :: c_int, c_ptr
      integer(c_int), value :: count
      integer(c_int), intent(inout) :: requests(*)
      type(c_ptr), value :: statuses
    end function
  end interface
  type :: particle
    integer :: charge
    double precision :: place
  end type
  integer, parameter :: columns = 12, rounds = 4, many = 99999
  ! The elements that two of `gapped` take.
  integer, parameter :: taken(4) = [1, 3, 4, 6]
  integer :: rank, ranks, next, last, i, code, class, filled
  logical :: is_there
  integer, asynchronous :: field(3, columns), got(3, columns)
  type(MPI_Datatype) :: gapped, charges, places, particles_type
  type(MPI_Request) :: requests(3)
  type(MPI_Status) :: status

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  next = modulo(rank + 1, ranks)
  last = modulo(rank - 1, ranks)
  call make_types()

  call messages()
  call other_modes()
  call particles()
  call one_of_several()
  call completed_in_c()
  call persistent()
  call freed()
  call cancelled()
  call too_long()
  call partitions()

  call MPI_Type_free(gapped)
  call MPI_Type_free(charges)
  call MPI_Type_free(places)
  call MPI_Type_free(particles_type)
  call MPI_Finalize()

contains

  ! What lies beside the data is the program's all the time.
  subroutine messages()
    call fill(0)
    call MPI_Irecv(got(2, :), 2, gapped, last, 1, MPI_COMM_WORLD, requests(1))
    got(2, 2) = 77
    got(2, 7:) = 78
    got(3, :) = 79
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_Isend(field(1, :), 2, gapped, next, 1, MPI_COMM_WORLD, requests(2))
    got(2, 5) = 80
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call expect(all(got(2, taken) == [(value(last, 1, taken(i), 0), i = 1, 4)]), "MPI_Irecv")
    call expect(all(got(2, [2, 5]) == [77, 80]) .and. all(got(2, 7:) == 78) .and. all(got(3, :) == 79), "MPI_Irecv beside")
    call expect(all(got(1, :) == -1), "MPI_Irecv in other rows")
  end subroutine

  subroutine other_modes()
    type(MPI_Message) :: message
    call fill(0)
    call MPI_Isendrecv(field(1, :), 2, gapped, next, 2, got(2, 1:8), 4, MPI_INTEGER, last, 2, MPI_COMM_WORLD, requests(1))
    call MPI_Wait(requests(1), status)
    call expect(all(got(2, :5) == [(value(last, 1, taken(i), 0), i = 1, 4), -1]), "MPI_Isendrecv")
    call MPI_Get_count(status, MPI_INTEGER, i)
    call expect(i == 4 .and. status%MPI_SOURCE == last .and. status%MPI_TAG == 2, "the status")

    call fill(0)
    call MPI_Isendrecv_replace(field(3, :), 2, gapped, next, 3, last, 3, MPI_COMM_WORLD, requests(1))
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
    call expect(all(field(3, :7) == [(value(merge(rank, last, i == 2 .or. i == 5 .or. i == 7), 3, i, 0), i = 1, 7)]), &
        "MPI_Isendrecv_replace")

    call fill(0)
    call MPI_Issend(field(2, :), 2, gapped, next, 4, MPI_COMM_WORLD, requests(1))
    is_there = .false.
    do while (.not. is_there)
      call MPI_Improbe(last, 4, MPI_COMM_WORLD, is_there, message, MPI_STATUS_IGNORE)
    end do
    call MPI_Imrecv(got(1, :), 2, gapped, message, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call came(1, 2, "MPI_Imrecv")
  end subroutine

  ! Every second structure, and one member of those.
  subroutine particles()
    type(particle), asynchronous :: out(9), into(9)
    out = [(particle(100 * rank + i, 0.5d0 * i), i = 1, 9)]
    into = particle(-1, -1)
    call MPI_Irecv(into(1:9:2), 5, particles_type, last, 5, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(out(9:1:-2), 5, particles_type, next, 5, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call expect(all(into(1:9:2)%charge == [(100 * last + i, i = 9, 1, -2)]), "charges of particles")
    call expect(all(into(1:9:2)%place == [(0.5d0 * i, i = 9, 1, -2)]), "places of particles")
    call expect(all(into(2:9:2)%charge == -1) .and. all(into(2:9:2)%place == -1), "particles beside")
    into = particle(-1, -1)
    call MPI_Irecv(into(1:9:2), 4, places, last, 6, MPI_COMM_WORLD, requests(1))
    call MPI_Irecv(into(1:9:2), 5, charges, last, 7, MPI_COMM_WORLD, requests(2))
    call MPI_Send(out(1:9:2), 5, charges, next, 7, MPI_COMM_WORLD)
    call MPI_Wait(requests(2), MPI_STATUS_IGNORE)
    into(9)%place = 3
    call MPI_Send(out(1:9:2), 4, places, next, 6, MPI_COMM_WORLD)
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
    call expect(all(into(1:9:2)%charge == [(100 * last + i, i = 1, 9, 2)]), "charges alone")
    call expect(all(into(1:9:2)%place == [0.5d0, 1.5d0, 2.5d0, 3.5d0, 3d0]), "places alone")
  end subroutine

  ! The last of three comes first.
  subroutine one_of_several()
    integer, parameter :: order(3) = [3, 1, 2]
    integer, asynchronous :: plain(4)
    integer :: which, at, found, indices(3)
    logical :: by_waiting
    do at = 1, 6
      by_waiting = at <= 3
      if (modulo(at, 3) == 1) then
        call fill(at)
        plain = -1
        call MPI_Irecv(got(1, :), 2, gapped, last, 11, MPI_COMM_WORLD, requests(1))
        call MPI_Irecv(plain, 4, MPI_INTEGER, last, 12, MPI_COMM_WORLD, requests(2))
        call MPI_Irecv(got(3, :), 2, gapped, last, 13, MPI_COMM_WORLD, requests(3))
      end if
      which = order(modulo(at - 1, 3) + 1)
      call MPI_Send(field(which, :), 2, gapped, next, 10 + which, MPI_COMM_WORLD)
      if (by_waiting) then
        call MPI_Waitany(3, requests, indices(1), MPI_STATUS_IGNORE)
      else
        found = 0
        do while (found == 0)
          call MPI_Testsome(3, requests, found, indices, MPI_STATUSES_IGNORE)
        end do
        call expect(found == 1, "MPI_Testsome")
      end if
      call expect(indices(1) == which, "which of them is complete")
      call expect(requests(which) == MPI_REQUEST_NULL, "the request of it")
      if (which /= 2) call came(which, which, "one of several")
      call MPI_Barrier(MPI_COMM_WORLD)
    end do
  end subroutine

  subroutine completed_in_c()
    integer(c_int) :: handles(2)
    call fill(0)
    call MPI_Irecv(got(1, :), 2, gapped, last, 14, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(field(2, :), 2, gapped, next, 14, MPI_COMM_WORLD, requests(2))
    handles = requests(:2)%MPI_VAL
    call expect(c_waitall(2, handles, transfer(1_c_intptr_t, c_null_ptr)) == MPI_SUCCESS, "MPI_Waitall in C")
    call expect(all(handles == MPI_REQUEST_NULL%MPI_VAL), "handles of C")
    call came(1, 2, "completed in C")
  end subroutine

  ! What is sent is what is there at each start.
  subroutine persistent()
    integer :: round
    call MPI_Recv_init(got(1, :), 2, gapped, last, 15, MPI_COMM_WORLD, requests(1))
    call MPI_Send_init(field(2, :), 2, gapped, next, 15, MPI_COMM_WORLD, requests(2))
    call MPI_Ssend_init(field(3, :), 2, gapped, next, 16, MPI_COMM_WORLD, requests(3))
    do round = 1, rounds
      call fill(round)
      call MPI_Startall(3, requests)
      call MPI_Recv(got(2, :), 2, gapped, last, 16, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      call came(2, 3, "MPI_Ssend_init")
      if (modulo(round, 2) == 0) then
        call MPI_Waitall(3, requests, MPI_STATUSES_IGNORE)
      else
        call MPI_Wait(requests(2), MPI_STATUS_IGNORE)
        call MPI_Wait(requests(3), MPI_STATUS_IGNORE)
        call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
      end if
      call came(1, 2, "MPI_Recv_init")
      ! What is over is given back once.
      got(1, :) = -7
      call MPI_Wait(requests(1), status)
      call expect(all(got(1, :) == -7), "an inactive request")
    end do
    do i = 1, 3
      call MPI_Request_free(requests(i))
    end do
  end subroutine

  ! A request that is given back leaves its operation going on; its buffer is long, so that nothing is copied by the send itself.
  subroutine freed()
    integer, allocatable, asynchronous :: large(:, :), wanted(:)
    integer :: round
    integer, volatile :: there
    allocate(large(2, many), wanted(2 * many / 3))
    do round = 1, 2
      call fill(round)
      large(1, :) = [(rank + round * i, i = 1, many)]
      call MPI_Irecv(wanted, size(wanted), MPI_INTEGER, last, 17, MPI_COMM_WORLD, requests(2))
      call MPI_Isend(large(1, :), many / 3, gapped, next, 17, MPI_COMM_WORLD, requests(1))
      call MPI_Request_free(requests(1))
      call expect(requests(1) == MPI_REQUEST_NULL, "a request that was freed")
      call MPI_Wait(requests(2), MPI_STATUS_IGNORE)
      call expect(all(wanted(::2) == [(last + round * i, i = 1, many, 3)]), "a send without its request")
      call expect(all(wanted(2::2) == [(last + round * i, i = 3, many, 3)]), "a send without its request")
      call MPI_Barrier(MPI_COMM_WORLD)

      if (round == 1) then
        call MPI_Irecv(got(2, :), 2, gapped, last, 18, MPI_COMM_WORLD, requests(1))
      else
        call MPI_Recv_init(got(2, :), 2, gapped, last, 18, MPI_COMM_WORLD, requests(1))
        call MPI_Start(requests(1))
      end if
      call MPI_Request_free(requests(1))
      call MPI_Send(field(1, :), 2, gapped, next, 18, MPI_COMM_WORLD)
      there = -1
      do while (there == -1)
        call MPI_Iprobe(last, 19, MPI_COMM_WORLD, is_there, MPI_STATUS_IGNORE)
        call MPI_F_sync_reg(got)
        there = got(2, 6)
      end do
      call came(2, 1, "a receive without its request")
      call MPI_Barrier(MPI_COMM_WORLD)
    end do
  end subroutine

  subroutine cancelled()
    logical :: was
    integer :: kind
    do kind = 1, 2
      call fill(0)
      if (kind == 1) then
        call MPI_Irecv(got(2, :), 2, gapped, last, 20, MPI_COMM_WORLD, requests(1))
      else
        call MPI_Recv_init(got(2, :), 2, gapped, last, 20, MPI_COMM_WORLD, requests(1))
        call MPI_Start(requests(1))
      end if
      call MPI_Cancel(requests(1))
      call MPI_Wait(requests(1), status)
      call MPI_Test_cancelled(status, was)
      call expect(was, "MPI_Cancel")
      call expect(all(got == -1), "the buffer of what was cancelled")
      if (kind == 2) then
        ! It can be started again.
        call MPI_Barrier(MPI_COMM_WORLD)
        call MPI_Start(requests(1))
        call MPI_Send(field(3, :), 2, gapped, next, 20, MPI_COMM_WORLD)
        call MPI_Wait(requests(1), status)
        call MPI_Test_cancelled(status, was)
        call expect(.not. was, "what was not cancelled")
        call came(2, 3, "started again")
        call MPI_Request_free(requests(1))
      end if
    end do
    call MPI_Barrier(MPI_COMM_WORLD)
  end subroutine

  ! What there is room for has come.
  subroutine too_long()
    call fill(0)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
    call MPI_Irecv(got(2, :), 2, gapped, last, 21, MPI_COMM_WORLD, requests(1))
    call MPI_Send(field(2, 1:6), 6, MPI_INTEGER, next, 21, MPI_COMM_WORLD)
    call MPI_Wait(requests(1), status, code)
    call MPI_Error_class(code, class)
    call expect(class == MPI_ERR_TRUNCATE, "MPI_ERR_TRUNCATE")
    call expect(all(got(2, taken) == [(value(last, 2, i, 0), i = 1, 4)]), "what there was room for")
    call expect(all(got(2, [2, 5, 7, 8]) == -1), "what there was no room for")
    ! The call itself fails: nothing is bound.
    call MPI_Irecv(got(2, :), 2, gapped, ranks + 5, 21, MPI_COMM_WORLD, requests(1), code)
    call MPI_Error_class(code, class)
    call expect(class == MPI_ERR_RANK, "MPI_ERR_RANK")
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL)
  end subroutine

  ! Partitions of two columns, into others of three.
  subroutine partitions()
    integer :: round, at
    logical :: arrived
    call MPI_Psend_init(field(1:3:2, :), 6, 4_MPI_COUNT_KIND, MPI_INTEGER, next, 22, MPI_COMM_WORLD, MPI_INFO_NULL, requests(1))
    call MPI_Precv_init(got(2:3, :), 4, 6_MPI_COUNT_KIND, MPI_INTEGER, last, 22, MPI_COMM_WORLD, MPI_INFO_NULL, requests(2))
    do round = 1, rounds
      call fill(round)
      call MPI_Startall(2, requests)
      do at = 5, 0, -1
        ! The columns are there only now.
        field(:, 2 * at + 1) = 1000 * rank + 10 * at + round
        field(:, 2 * at + 2) = 1000 * rank + 10 * at + round + 1
        call MPI_Pready(at, requests(1))
      end do
      arrived = .false.
      do while (.not. arrived)
        call MPI_Parrived(requests(2), 3, arrived)
      end do
      call expect(all(got(2, 11:12) == [1000 * last + 50 + round, 1000 * last + 50 + round + 1]), "MPI_Parrived")
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
      do at = 0, 5
        call expect(all(got(2:3, 2 * at + 1) == 1000 * last + 10 * at + round), "partitions")
        call expect(all(got(2:3, 2 * at + 2) == 1000 * last + 10 * at + round + 1), "partitions")
      end do
      call expect(all(got(1, :) == -1), "partitions beside")
    end do
    call MPI_Request_free(requests(1))
    call MPI_Request_free(requests(2))
    ! Half a column is no partition of a section.
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
    call MPI_Psend_init(field(1:3:2, :), 24, 1_MPI_COUNT_KIND, MPI_INTEGER, next, 22, MPI_COMM_WORLD, MPI_INFO_NULL, requests(1), &
        code)
    call MPI_Error_class(code, class)
    call expect(class == MPI_ERR_BUFFER, "half a column")
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL)
  end subroutine

  ! The first and the third of three integers; parts of a particle, and all of it.
  subroutine make_types()
    type(particle), target :: one
    type(MPI_Datatype) :: made
    integer(MPI_ADDRESS_KIND) :: start, charge, place
    call MPI_Type_vector(2, 1, 2, MPI_INTEGER, made)
    call MPI_Type_create_resized(made, 0_MPI_ADDRESS_KIND, 12_MPI_ADDRESS_KIND, gapped)
    call MPI_Type_free(made)
    call MPI_Get_address(one, start)
    call MPI_Get_address(one%charge, charge)
    call MPI_Get_address(one%place, place)
    call MPI_Type_create_struct(1, [1], [charge - start], [MPI_INTEGER], made)
    call MPI_Type_create_resized(made, 0_MPI_ADDRESS_KIND, storage_size(one) / 8_MPI_ADDRESS_KIND, charges)
    call MPI_Type_free(made)
    call MPI_Type_create_struct(1, [1], [place - start], [MPI_DOUBLE_PRECISION], made)
    call MPI_Type_create_resized(made, 0_MPI_ADDRESS_KIND, storage_size(one) / 8_MPI_ADDRESS_KIND, places)
    call MPI_Type_free(made)
    call MPI_Type_create_struct(2, [1, 1], [charge - start, place - start], [MPI_INTEGER, MPI_DOUBLE_PRECISION], made)
    call MPI_Type_create_resized(made, 0_MPI_ADDRESS_KIND, storage_size(one) / 8_MPI_ADDRESS_KIND, particles_type)
    call MPI_Type_free(made)
    call MPI_Type_commit(gapped)
    call MPI_Type_commit(charges)
    call MPI_Type_commit(places)
    call MPI_Type_commit(particles_type)
  end subroutine

  pure integer function value(of, row, column, round)
    integer, intent(in) :: of, row, column, round
    value = 100000 * of + 1000 * round + 100 * row + column
  end function

  subroutine fill(round)
    integer, intent(in) :: round
    integer :: row, column
    do column = 1, columns
      do row = 1, 3
        field(row, column) = value(rank, row, column, round)
      end do
    end do
    got = -1
    filled = round
  end subroutine

  ! Two elements of `gapped` have come from a row of the last rank's into one of ours, and nothing beside them.
  subroutine came(into, from, what)
    integer, intent(in) :: into, from
    character(len=*), intent(in) :: what
    call expect(all(got(into, taken) == [(value(last, from, taken(i), filled), i = 1, 4)]), what)
    call expect(all(got(into, [2, 5]) == -1) .and. all(got(into, 7:) == -1), what // " beside")
  end subroutine

  include "expect.inc"
end program
