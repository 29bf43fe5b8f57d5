! use mpi_f08: sections of arrays that are not contiguous in collective operations that go on after the call, with one count for all
! processes and with one for each. The same operation on contiguous memory says what has to come. Prints nothing when all is right.
program sections_collectives
  use mpi_f08
  implicit none
  integer, parameter :: n = 8, rounds = 3
  integer :: rank, ranks, neighbors, i, round
  double precision, asynchronous :: from(3, 2 * n), into(4, 5, 6)
  double precision :: given(n), wanted(n)
  ! Of these the second row counts: as many elements as all processes give together, and some more.
  integer, allocatable, asynchronous :: sent(:, :), got(:, :)
  integer, allocatable :: sent_wanted(:), got_wanted(:)
  integer, allocatable, asynchronous :: counts(:), places(:), other_counts(:), other_places(:)
  integer(MPI_ADDRESS_KIND), allocatable, asynchronous :: far(:), other_far(:)
  type(MPI_Datatype), allocatable, asynchronous :: types(:)
  type(MPI_Datatype) :: gapped
  type(MPI_Request) :: request
  type(MPI_Comm) :: ring
  integer :: completions = 0

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call MPI_Cart_create(MPI_COMM_WORLD, 1, [ranks], [.true.], .false., ring)
  neighbors = 2

  call reductions()
  call reductions_in_parts()
  call in_place()
  call blocks_of_many_counts()
  call neighborhoods()
  call gaps()

  call MPI_Comm_free(ring)
  call MPI_Finalize()

contains

  ! From a row into a block of three dimensions.
  subroutine reductions()
    call fill(0)
    call MPI_Allreduce(given, wanted, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    call MPI_Iallreduce(from(2, ::2), into(1:4:3, 2:5:3, 1:6:5), n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, request)
    call finish()
    call compare("MPI_Iallreduce", n)
    call MPI_Allreduce_init(from(2, ::2), into(1:4:3, 2:5:3, 1:6:5), n, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, &
        MPI_INFO_NULL, request)
    do round = 1, rounds
      call fill(round)
      call MPI_Allreduce(given, wanted, n, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
      call go()
      call compare("MPI_Allreduce_init", n)
    end do
    call MPI_Request_free(request)

    call fill(0)
    call MPI_Reduce(given, wanted, n, MPI_DOUBLE_PRECISION, MPI_SUM, ranks - 1, MPI_COMM_WORLD)
    call MPI_Ireduce(from(2, ::2), into(1:4:3, 2:5:3, 1:6:5), n, MPI_DOUBLE_PRECISION, MPI_SUM, ranks - 1, MPI_COMM_WORLD, request)
    call finish()
    call compare("MPI_Ireduce", merge(n, 0, rank == ranks - 1))
    call MPI_Reduce_init(from(2, ::2), into(1:4:3, 2:5:3, 1:6:5), n, MPI_DOUBLE_PRECISION, MPI_MIN, 0, MPI_COMM_WORLD, &
        MPI_INFO_NULL, request)
    do round = 1, rounds
      call fill(round)
      call MPI_Reduce(given, wanted, n, MPI_DOUBLE_PRECISION, MPI_MIN, 0, MPI_COMM_WORLD)
      call go()
      call compare("MPI_Reduce_init", merge(n, 0, rank == 0))
    end do
    call MPI_Request_free(request)

    call fill(0)
    call MPI_Scan(given, wanted, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    call MPI_Iscan(from(2, ::2), into(1:4:3, 2:5:3, 1:6:5), n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, request)
    call finish()
    call compare("MPI_Iscan", n)
    call MPI_Scan_init(from(2, ::2), into(1:4:3, 2:5:3, 1:6:5), n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, &
        MPI_INFO_NULL, request)
    do round = 1, rounds
      call fill(round)
      call MPI_Scan(given, wanted, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
      call go()
      call compare("MPI_Scan_init", n)
    end do
    call MPI_Request_free(request)

    call fill(0)
    call MPI_Exscan(given, wanted, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    call MPI_Iexscan(from(2, ::2), into(1:4:3, 2:5:3, 1:6:5), n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, request)
    call finish()
    if (rank > 0) call compare("MPI_Iexscan", n)
    call MPI_Exscan_init(from(2, ::2), into(1:4:3, 2:5:3, 1:6:5), n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, &
        MPI_INFO_NULL, request)
    do round = 1, rounds
      call fill(round)
      call MPI_Exscan(given, wanted, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
      call go()
      if (rank > 0) call compare("MPI_Exscan_init", n)
    end do
    call MPI_Request_free(request)
  end subroutine

  ! A part of the block alone is written.
  subroutine reductions_in_parts()
    integer, asynchronous :: parts(ranks)
    integer :: each
    each = n / ranks
    call fill(0)
    call MPI_Reduce_scatter_block(given, wanted, each, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    call MPI_Ireduce_scatter_block(from(2, ::2), into(1:4:3, 2:5:3, 1:6:5), each, MPI_DOUBLE_PRECISION, MPI_SUM, &
        MPI_COMM_WORLD, request)
    call finish()
    call compare("MPI_Ireduce_scatter_block", each)
    call MPI_Reduce_scatter_block_init(from(2, ::2), into(1:4:3, 2:5:3, 1:6:5), each, MPI_DOUBLE_PRECISION, MPI_SUM, &
        MPI_COMM_WORLD, MPI_INFO_NULL, request)
    do round = 1, rounds
      call fill(round)
      call MPI_Reduce_scatter_block(given, wanted, each, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
      call go()
      call compare("MPI_Reduce_scatter_block_init", each)
    end do
    call MPI_Request_free(request)

    parts = 1
    parts(ranks) = n - (ranks - 1)
    call fill(0)
    call MPI_Reduce_scatter(given, wanted, parts, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    call MPI_Ireduce_scatter(from(2, ::2), into(1:4:3, 2:5:3, 1:6:5), parts, MPI_DOUBLE_PRECISION, MPI_SUM, &
        MPI_COMM_WORLD, request)
    call finish()
    call compare("MPI_Ireduce_scatter", parts(rank + 1))
    call MPI_Reduce_scatter_init(from(2, ::2), into(1:4:3, 2:5:3, 1:6:5), parts, MPI_DOUBLE_PRECISION, MPI_SUM, &
        MPI_COMM_WORLD, MPI_INFO_NULL, request)
    do round = 1, rounds
      call fill(round)
      call MPI_Reduce_scatter(given, wanted, parts, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
      call go()
      call compare("MPI_Reduce_scatter_init", parts(rank + 1))
    end do
    call MPI_Request_free(request)
  end subroutine

  ! What is read is what is written, and only one of the buffers has gaps.
  subroutine in_place()
    double precision, asynchronous :: came(n)
    call fill(0)
    into(1:4:3, 2:5:3, 1:6:5) = reshape(given, [2, 2, 2])
    call MPI_Allreduce(given, wanted, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    call MPI_Iallreduce(MPI_IN_PLACE, into(1:4:3, 2:5:3, 1:6:5), n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, request)
    call finish()
    call compare("MPI_IN_PLACE", n)
    call MPI_Allreduce_init(MPI_IN_PLACE, into(1:4:3, 2:5:3, 1:6:5), n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, &
        MPI_INFO_NULL, request)
    do round = 1, rounds
      call fill(round)
      into(1:4:3, 2:5:3, 1:6:5) = reshape(given, [2, 2, 2])
      call MPI_Allreduce(given, wanted, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
      call go()
      call compare("MPI_IN_PLACE again", n)
    end do
    call MPI_Request_free(request)
    call fill(0)
    call MPI_Iallreduce(given, into(1:4:3, 2:5:3, 1:6:5), n, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, request)
    call MPI_Allreduce(given, wanted, n, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
    call finish()
    call compare("into a section", n)
    call MPI_Iallreduce(from(2, ::2), came, n, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, request)
    call finish()
    call expect(all(came == wanted), "out of a section")
  end subroutine

  ! Process i gives i + 1 elements, or gets them; a gap of one element is between those of two processes.
  subroutine blocks_of_many_counts()
    counts = [(i + 1, i = 0, ranks - 1)]
    places = [(i * (i + 1) / 2 + i, i = 0, ranks - 1)]
    other_counts = [(rank + 1, i = 0, ranks - 1)]
    other_places = [((rank + 2) * i, i = 0, ranks - 1)]
    far = 4_MPI_ADDRESS_KIND * places
    other_far = 4_MPI_ADDRESS_KIND * other_places
    types = [(MPI_INTEGER, i = 1, ranks)]
    call make_rows((ranks + 2) * (ranks + 2))

    call fill_rows(0)
    call MPI_Gatherv(sent_wanted, rank + 1, MPI_INTEGER, got_wanted, counts, places, MPI_INTEGER, 0, MPI_COMM_WORLD)
    call MPI_Igatherv(sent(2, :), rank + 1, MPI_INTEGER, got(2, :), counts, places, MPI_INTEGER, 0, MPI_COMM_WORLD, request)
    call finish()
    call compare_rows("MPI_Igatherv")
    call MPI_Gatherv_init(sent(2, :), rank + 1, MPI_INTEGER, got(2, :), counts, places, MPI_INTEGER, 0, MPI_COMM_WORLD, &
        MPI_INFO_NULL, request)
    do round = 1, rounds
      call fill_rows(round)
      call MPI_Gatherv(sent_wanted, rank + 1, MPI_INTEGER, got_wanted, counts, places, MPI_INTEGER, 0, MPI_COMM_WORLD)
      call go()
      call compare_rows("MPI_Gatherv_init")
    end do
    call MPI_Request_free(request)

    call fill_rows(0)
    call MPI_Scatterv(sent_wanted, counts, places, MPI_INTEGER, got_wanted, rank + 1, MPI_INTEGER, 0, MPI_COMM_WORLD)
    call MPI_Iscatterv(sent(2, :), counts, places, MPI_INTEGER, got(2, :), rank + 1, MPI_INTEGER, 0, MPI_COMM_WORLD, request)
    call finish()
    call compare_rows("MPI_Iscatterv")
    call MPI_Scatterv_init(sent(2, :), counts, places, MPI_INTEGER, got(2, :), rank + 1, MPI_INTEGER, 0, MPI_COMM_WORLD, &
        MPI_INFO_NULL, request)
    do round = 1, rounds
      call fill_rows(round)
      call MPI_Scatterv(sent_wanted, counts, places, MPI_INTEGER, got_wanted, rank + 1, MPI_INTEGER, 0, MPI_COMM_WORLD)
      call go()
      call compare_rows("MPI_Scatterv_init")
    end do
    call MPI_Request_free(request)

    call fill_rows(0)
    call MPI_Allgatherv(sent_wanted, rank + 1, MPI_INTEGER, got_wanted, counts, places, MPI_INTEGER, MPI_COMM_WORLD)
    call MPI_Iallgatherv(sent(2, :), rank + 1, MPI_INTEGER, got(2, :), counts, places, MPI_INTEGER, MPI_COMM_WORLD, request)
    call finish()
    call compare_rows("MPI_Iallgatherv")
    call MPI_Allgatherv_init(sent(2, :), rank + 1, MPI_INTEGER, got(2, :), counts, places, MPI_INTEGER, MPI_COMM_WORLD, &
        MPI_INFO_NULL, request)
    do round = 1, rounds
      call fill_rows(round)
      call MPI_Allgatherv(sent_wanted, rank + 1, MPI_INTEGER, got_wanted, counts, places, MPI_INTEGER, MPI_COMM_WORLD)
      call go()
      call compare_rows("MPI_Allgatherv_init")
    end do
    call MPI_Request_free(request)

    call fill_rows(0)
    call MPI_Alltoallv(sent_wanted, counts, places, MPI_INTEGER, got_wanted, other_counts, other_places, MPI_INTEGER, &
        MPI_COMM_WORLD)
    call MPI_Ialltoallv(sent(2, :), counts, places, MPI_INTEGER, got(2, :), other_counts, other_places, MPI_INTEGER, &
        MPI_COMM_WORLD, request)
    call finish()
    call compare_rows("MPI_Ialltoallv")
    call MPI_Alltoallv_init(sent(2, :), counts, places, MPI_INTEGER, got(2, :), other_counts, other_places, MPI_INTEGER, &
        MPI_COMM_WORLD, MPI_INFO_NULL, request)
    do round = 1, rounds
      call fill_rows(round)
      call MPI_Alltoallv(sent_wanted, counts, places, MPI_INTEGER, got_wanted, other_counts, other_places, MPI_INTEGER, &
          MPI_COMM_WORLD)
      call go()
      call compare_rows("MPI_Alltoallv_init")
    end do
    call MPI_Request_free(request)

    call fill_rows(0)
    call MPI_Alltoallw(sent_wanted, counts, int(far), types, got_wanted, other_counts, int(other_far), types, MPI_COMM_WORLD)
    places = int(far)
    other_places = int(other_far)
    call MPI_Ialltoallw(sent(2, :), counts, places, types, got(2, :), other_counts, other_places, types, MPI_COMM_WORLD, request)
    call finish()
    call compare_rows("MPI_Ialltoallw")
    call MPI_Alltoallw_init(sent(2, :), counts, places, types, got(2, :), other_counts, other_places, types, &
        MPI_COMM_WORLD, MPI_INFO_NULL, request)
    do round = 1, rounds
      call fill_rows(round)
      call MPI_Alltoallw(sent_wanted, counts, places, types, got_wanted, other_counts, other_places, types, MPI_COMM_WORLD)
      call go()
      call compare_rows("MPI_Alltoallw_init")
    end do
    call MPI_Request_free(request)
  end subroutine

  ! Each process gives its neighbours rank + 1 elements.
  subroutine neighborhoods()
    integer :: left, right
    call MPI_Cart_shift(ring, 0, 1, left, right)
    counts = [rank + 1, rank + 1]
    places = [0, ranks + 2]
    other_counts = [left + 1, right + 1]
    other_places = [1, ranks + 3]
    far = 4_MPI_ADDRESS_KIND * places
    other_far = 4_MPI_ADDRESS_KIND * other_places
    types = [MPI_INTEGER, MPI_INTEGER]
    call make_rows(3 * ranks + 8)

    call fill_rows(0)
    call MPI_Neighbor_allgatherv(sent_wanted, rank + 1, MPI_INTEGER, got_wanted, other_counts, other_places, MPI_INTEGER, ring)
    call MPI_Ineighbor_allgatherv(sent(2, :), rank + 1, MPI_INTEGER, got(2, :), other_counts, other_places, MPI_INTEGER, ring, &
        request)
    call finish()
    call compare_rows("MPI_Ineighbor_allgatherv")
    call MPI_Neighbor_allgatherv_init(sent(2, :), rank + 1, MPI_INTEGER, got(2, :), other_counts, other_places, MPI_INTEGER, &
        ring, MPI_INFO_NULL, request)
    do round = 1, rounds
      call fill_rows(round)
      call MPI_Neighbor_allgatherv(sent_wanted, rank + 1, MPI_INTEGER, got_wanted, other_counts, other_places, MPI_INTEGER, ring)
      call go()
      call compare_rows("MPI_Neighbor_allgatherv_init")
    end do
    call MPI_Request_free(request)

    call fill_rows(0)
    call MPI_Neighbor_alltoallv(sent_wanted, counts, places, MPI_INTEGER, got_wanted, other_counts, other_places, MPI_INTEGER, &
        ring)
    call MPI_Ineighbor_alltoallv(sent(2, :), counts, places, MPI_INTEGER, got(2, :), other_counts, other_places, MPI_INTEGER, &
        ring, request)
    call finish()
    call compare_rows("MPI_Ineighbor_alltoallv")
    call MPI_Neighbor_alltoallv_init(sent(2, :), counts, places, MPI_INTEGER, got(2, :), other_counts, other_places, MPI_INTEGER, &
        ring, MPI_INFO_NULL, request)
    do round = 1, rounds
      call fill_rows(round)
      call MPI_Neighbor_alltoallv(sent_wanted, counts, places, MPI_INTEGER, got_wanted, other_counts, other_places, MPI_INTEGER, &
          ring)
      call go()
      call compare_rows("MPI_Neighbor_alltoallv_init")
    end do
    call MPI_Request_free(request)

    call fill_rows(0)
    call MPI_Neighbor_alltoallw(sent_wanted, counts, far, types, got_wanted, other_counts, other_far, types, ring)
    call MPI_Ineighbor_alltoallw(sent(2, :), counts, far, types, got(2, :), other_counts, other_far, types, ring, request)
    call finish()
    call compare_rows("MPI_Ineighbor_alltoallw")
    call MPI_Neighbor_alltoallw_init(sent(2, :), counts, far, types, got(2, :), other_counts, other_far, types, ring, &
        MPI_INFO_NULL, request)
    do round = 1, rounds
      call fill_rows(round)
      call MPI_Neighbor_alltoallw(sent_wanted, counts, far, types, got_wanted, other_counts, other_far, types, ring)
      call go()
      call compare_rows("MPI_Neighbor_alltoallw_init")
    end do
    call MPI_Request_free(request)
  end subroutine

  ! Datatypes with gaps: the first and the third of three.
  subroutine gaps()
    type(MPI_Datatype) :: two
    integer :: columns
    call MPI_Type_vector(2, 1, 2, MPI_INTEGER, two)
    call MPI_Type_create_resized(two, 0_MPI_ADDRESS_KIND, 12_MPI_ADDRESS_KIND, gapped)
    call MPI_Type_commit(gapped)
    call MPI_Type_free(two)
    columns = 6 * ranks
    call make_rows(columns)

    call fill_rows(0)
    sent_wanted = sent(2, :)
    call MPI_Bcast(sent_wanted, 2, gapped, 0, MPI_COMM_WORLD)
    call MPI_Ibcast(sent(2, :), 2, gapped, 0, MPI_COMM_WORLD, request)
    call finish()
    call expect(all(sent(2, :) == sent_wanted) .and. all(sent(1, :) == -5), "MPI_Ibcast with gaps")
    call fill_rows(0)
    call MPI_Allgather(sent_wanted, 2, gapped, got_wanted, 2, gapped, MPI_COMM_WORLD)
    call MPI_Iallgather(sent(2, :), 2, gapped, got(2, :), 2, gapped, MPI_COMM_WORLD, request)
    call finish()
    call compare_rows("MPI_Iallgather with gaps")
    call fill_rows(0)
    call MPI_Alltoall(sent_wanted, 2, gapped, got_wanted, 4, MPI_INTEGER, MPI_COMM_WORLD)
    call MPI_Ialltoall(sent(2, :), 2, gapped, got(2, :), 4, MPI_INTEGER, MPI_COMM_WORLD, request)
    call finish()
    call compare_rows("MPI_Ialltoall with gaps")
    call MPI_Bcast_init(sent(2, :), 2, gapped, ranks - 1, MPI_COMM_WORLD, MPI_INFO_NULL, request)
    do round = 1, rounds
      call fill_rows(round)
      call MPI_Bcast(sent_wanted, 2, gapped, ranks - 1, MPI_COMM_WORLD)
      call go()
      call expect(all(sent(2, :) == sent_wanted) .and. all(sent(1, :) == -5), "MPI_Bcast_init with gaps")
    end do
    call MPI_Request_free(request)
    call MPI_Type_free(gapped)
  end subroutine

  subroutine fill(round)
    integer, intent(in) :: round
    given = [(10 * modulo(rank * 7 + i * 3, 11) + round, i = 1, n)]
    from = -5
    from(2, ::2) = given
    into = -1
    wanted = -1
  end subroutine

  ! The first so many elements of the block, and nothing else, are what they should be.
  subroutine compare(what, many)
    character(len=*), intent(in) :: what
    integer, intent(in) :: many
    double precision :: came(n)
    came = reshape(into(1:4:3, 2:5:3, 1:6:5), [n])
    call expect(all(came(:many) == wanted(:many)), what)
    call expect(all(came(many + 1:) == -1), what // " behind")
    into(1:4:3, 2:5:3, 1:6:5) = -1
    call expect(all(into == -1), what // " beside")
    call expect(all(from(2, ::2) == given), what // " what was sent")
  end subroutine

  subroutine make_rows(columns)
    integer, intent(in) :: columns
    if (allocated(sent)) deallocate(sent, got, sent_wanted, got_wanted)
    allocate(sent(3, columns), got(2, columns), sent_wanted(columns), got_wanted(columns))
  end subroutine

  subroutine fill_rows(round)
    integer, intent(in) :: round
    sent_wanted = [(10000 * rank + 100 * round + i, i = 1, size(sent_wanted))]
    sent = -5
    sent(2, :) = sent_wanted
    got = -1
    got_wanted = -1
  end subroutine

  subroutine compare_rows(what)
    character(len=*), intent(in) :: what
    call expect(all(got(2, :) == got_wanted), what)
    call expect(all(got(1, :) == -1), what // " beside")
    call expect(all(sent(2, :) == sent_wanted), what // " what was sent")
  end subroutine

  subroutine go()
    call MPI_Start(request)
    call finish()
  end subroutine

  ! Completes the request, each time in another way.
  subroutine finish()
    type(MPI_Request) :: one(1)
    integer :: which, indices(1)
    logical :: done
    one(1) = request
    done = .false.
    select case (modulo(completions, 8))
    case (0)
      call MPI_Wait(one(1), MPI_STATUS_IGNORE)
    case (1)
      do while (.not. done)
        call MPI_Test(one(1), done, MPI_STATUS_IGNORE)
      end do
    case (2)
      call MPI_Waitall(1, one, MPI_STATUSES_IGNORE)
    case (3)
      call MPI_Waitany(1, one, which, MPI_STATUS_IGNORE)
      call expect(which == 1, "MPI_Waitany")
    case (4)
      call MPI_Waitsome(1, one, which, indices, MPI_STATUSES_IGNORE)
      call expect(which == 1 .and. indices(1) == 1, "MPI_Waitsome")
    case (5)
      which = 0
      do while (which == 0)
        call MPI_Testsome(1, one, which, indices, MPI_STATUSES_IGNORE)
      end do
    case (6)
      do while (.not. done)
        call MPI_Testall(1, one, done, MPI_STATUSES_IGNORE)
      end do
    case (7)
      do while (.not. done)
        call MPI_Request_get_status(one(1), done, MPI_STATUS_IGNORE)
      end do
      call MPI_Wait(one(1), MPI_STATUS_IGNORE)
    end select
    completions = completions + 1
    if (.not. MPI_ASYNC_PROTECTS_NONBLOCKING) call MPI_F_sync_reg(into)
    request = one(1)
  end subroutine

  include "expect.inc"
end program
