! Array sections that are not contiguous, in the module mpi_f08: each is to MPI what a contiguous copy of it would be.
program sections
    use mpi_f08
    use iso_c_binding
    implicit none
    type pair
        integer :: one
        double precision :: two
    end type
    integer, parameter :: rows = 6, columns = 5
    integer :: rank, ranks, right, left, i, j, k, size, ierr
    integer :: matrix(rows, columns), got(rows, columns), line(columns), many(4 * columns)
    integer :: cube(4, 3, 5), other(4, 3, 5), sent
    double precision :: values(10), sums(10), wanted(4)
    character(len=3) :: words(6)
    type(pair) :: pairs(8)
    type(MPI_Status) :: status
    type(MPI_Request) :: requests(2)
    type(MPI_Win) :: win
    type(MPI_Datatype) :: two_integers, shifted
    integer(MPI_ADDRESS_KIND) :: bytes, zero

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    right = mod(rank + 1, ranks)
    left = mod(rank + ranks - 1, ranks)
    if (.not. MPI_SUBARRAYS_SUPPORTED) call fail('MPI_SUBARRAYS_SUPPORTED')

    ! A row goes as a strided vector and comes as another.
    call fill(matrix, rank)
    got = -1
    call MPI_Sendrecv(matrix(2, :), columns, MPI_INTEGER, right, 1, got(5, :), columns, MPI_INTEGER, &
        left, 1, MPI_COMM_WORLD, status)
    do j = 1, columns
        call check('row', got(5, j), 1000 * left + 10 * 2 + j)
    end do
    got(5, :) = -1
    call check('beside the row', count(got /= -1), 0)
    call MPI_Get_count(status, MPI_INTEGER, i)
    call check('count of a row', i, columns)

    ! Without blocking, every second row backwards.
    call MPI_Irecv(got(1::2, 2:4), 9, MPI_INTEGER, left, 2, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(matrix(6:1:-2, 1:3), 9, MPI_INTEGER, right, 2, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    do j = 1, 3
        do i = 1, 3
            call check('backwards', got(2 * i - 1, j + 1), 1000 * left + 10 * (8 - 2 * i) + j)
        end do
    end do

    ! A part of a section only: the first five of its elements, in three dimensions.
    cube = -1
    other = -1
    do i = 1, 4
        do j = 1, 3
            do k = 1, 5
                cube(i, j, k) = 100 * i + 10 * j + k
            end do
        end do
    end do
    call MPI_Sendrecv(cube(1:4:2, 1:3:2, :), 5, MPI_INTEGER, right, 3, other(2:4:2, 2:3, 1:5:4), 5, MPI_INTEGER, left, 3, &
        MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check('part 1', other(2, 2, 1), 111)
    call check('part 2', other(4, 2, 1), 311)
    call check('part 3', other(2, 3, 1), 131)
    call check('part 4', other(4, 3, 1), 331)
    call check('part 5', other(2, 2, 5), 112)
    call check('no more', count(other /= -1), 5)

    ! Members of structures, and strings of which an element has several characters.
    do i = 1, 8
        pairs(i) = pair(i + 10 * rank, 0)
    end do
    line = 0
    call MPI_Sendrecv(pairs(2:6)%one, 5, MPI_INTEGER, right, 4, line, 5, MPI_INTEGER, &
        left, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check('members', count(line == [2, 3, 4, 5, 6] + 10 * left), 5)
    words = ['abc', 'def', 'ghi', 'jkl', 'mno', 'pqr']
    call MPI_Sendrecv_replace(words(1:6:2), 8, MPI_CHARACTER, right, 5, left, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    if (any(words /= ['abc', 'def', 'ghi', 'jkl', 'mno', 'pqr'])) call fail('words')

    ! A derived datatype in a section: a copy is sent and received.
    call MPI_Type_contiguous(2, MPI_INTEGER, two_integers)
    call MPI_Type_create_resized(two_integers, 0_MPI_ADDRESS_KIND, 12_MPI_ADDRESS_KIND, shifted)
    call MPI_Type_commit(shifted)
    got = -1
    call MPI_Sendrecv(matrix(3, :), 2, shifted, right, 6, got(:, 3), 4, MPI_INTEGER, left, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check('derived 1', got(1, 3), 1000 * left + 31)
    call check('derived 2', got(2, 3), 1000 * left + 32)
    call check('derived 3', got(3, 3), 1000 * left + 34)
    call check('derived 4', got(4, 3), 1000 * left + 35)
    call MPI_Send(got(:, 3), 4, MPI_INTEGER, right, 7, MPI_COMM_WORLD)
    call MPI_Recv(got(4, :), 2, shifted, left, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check('into derived', got(4, 4), 1000 * mod(left + ranks - 1, ranks) + 34)
    call check('gap', got(4, 3), 1000 * left + 35)
    got = -1
    call MPI_Type_free(two_integers)
    call MPI_Type_contiguous(2, MPI_INTEGER, two_integers)
    call MPI_Type_commit(two_integers)
    call MPI_Irecv(got(1, 2:5), 2, two_integers, left, 9, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(matrix(6, 1:4), 2, two_integers, right, 9, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    do j = 1, 4
        call check('repeated', got(1, j + 1), 1000 * left + 60 + j)
    end do
    call MPI_Type_free(two_integers)
    call MPI_Type_free(shifted)

    ! Collectives: a section of each, blocks of one, reductions.
    got = -1
    if (rank == 0) got(2, :) = [1, 2, 3, 4, 5]
    call MPI_Bcast(got(2, :), columns, MPI_INTEGER, 0, MPI_COMM_WORLD)
    call check('bcast', count(got(2, :) == [1, 2, 3, 4, 5]), columns)
    values = [(rank + i, i = 1, 10)]
    sums = -1
    call MPI_Allreduce(values(1:10:3), sums(2:8:2), 4, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    do i = 1, 4
        call check('allreduce', nint(sums(2 * i)), ranks * (3 * i - 2) + ranks * (ranks - 1) / 2)
    end do
    call check('beside allreduce', count(sums /= -1), 4)
    call MPI_Allreduce(MPI_IN_PLACE, values(1:10:3), 4, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    call check('in place', nint(values(4)), ranks * 4 + ranks * (ranks - 1) / 2)
    many = -1
    if (ranks <= 4) then
        call MPI_Allgather(rank, 1, MPI_INTEGER, many(1:ranks * 3:3), 1, MPI_INTEGER, MPI_COMM_WORLD)
        do i = 1, ranks
            call check('allgather', many(3 * i - 2), i - 1)
        end do
        call check('beside allgather', count(many /= -1), ranks)
        got = -1
        call MPI_Gather(matrix(1, 1:2), 2, MPI_INTEGER, got(1::2, 1:ranks), 2, MPI_INTEGER, 0, MPI_COMM_WORLD)
        if (rank == 0) call check('gather', got(3, 1), 12)
        if (rank == 0 .and. ranks > 1) call check('gather', got(5, 1), 1011)
        if (rank == 0 .and. ranks > 1) call check('gather', got(1, 2), 1012)
        call MPI_Igather(matrix(1:1, 1), 1, MPI_INTEGER, got(6, 1:ranks), 1, MPI_INTEGER, 0, MPI_COMM_WORLD, requests(1))
        call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
        if (rank == 0) call check('igather', got(6, ranks), 1000 * (ranks - 1) + 11)
    end if

    ! One-sided: halo columns, and an accumulate.
    bytes = rows * columns * 4
    got = -1
    call MPI_Win_create(got, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
    call MPI_Win_fence(0, win)
    zero = 0
    call MPI_Put(matrix(4, :), columns, MPI_INTEGER, right, zero, columns, MPI_INTEGER, win)
    call MPI_Win_fence(0, win)
    do j = 1, columns
        call check('put', got(j, 1), 1000 * left + 40 + j)
    end do
    call MPI_Win_fence(0, win)
    call MPI_Accumulate(matrix(4, :), columns, MPI_INTEGER, right, zero, columns, MPI_INTEGER, MPI_SUM, win)
    call MPI_Win_fence(0, win)
    do j = 1, columns
        call check('accumulate', got(j, 1), 2 * (1000 * left + 40 + j))
    end do
    call MPI_Win_fence(0, win)
    call fill(matrix, rank)
    call MPI_Get(matrix(6, :), columns, MPI_INTEGER, right, zero, columns, MPI_INTEGER, win)
    call MPI_Win_fence(0, win)
    do j = 1, columns
        call check('get', matrix(6, j), 2 * (1000 * rank + 40 + j))
    end do
    call MPI_Win_free(win)

    ! Packing, and large counts.
    sent = 0
    many = -1
    call MPI_Pack(matrix(1, :), columns, MPI_INTEGER, many, 4 * 4 * columns, sent, MPI_COMM_WORLD)
    call check('pack', many(3), 1000 * rank + 13)
    got = -1
    call MPI_Sendrecv(matrix(2, :), int(columns, MPI_COUNT_KIND), MPI_INTEGER, right, 8, &
        got(1, :), int(columns, MPI_COUNT_KIND), MPI_INTEGER, left, 8, MPI_COMM_WORLD, status)
    call check('large', got(1, 5), 1000 * left + 25)

    ! A sum that goes on after the call.
    sums = -1
    call MPI_Iallreduce(values(1:10:3), sums(2:8:2), 4, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, requests(1))
    call MPI_Allreduce(values(1:10:3), wanted, 4, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
    call check('iallreduce', count(sums(2:8:2) == wanted), 4)
    call check('beside iallreduce', count(sums /= -1), 4)

    ! What cannot be done is an error.
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
    if (is_rmashm()) then
        call MPI_Win_create(values(1:10:3), 32_MPI_ADDRESS_KIND, 8, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
        call MPI_Error_class(ierr, size)
        call check('a window over a section', size, MPI_ERR_BUFFER)
    end if
    call MPI_Finalize()

contains

    ! Whether this is the library of rmashm, which says what it cannot do.
    logical function is_rmashm()
        character(len=MPI_MAX_LIBRARY_VERSION_STRING) :: version
        integer :: length
        call MPI_Get_library_version(version, length)
        is_rmashm = index(version, 'rmashm') /= 0
    end function

    subroutine fill(matrix, rank)
        integer, intent(out) :: matrix(:, :)
        integer, intent(in) :: rank
        integer :: i, j
        do j = 1, columns
            do i = 1, rows
                matrix(i, j) = 1000 * rank + 10 * i + j
            end do
        end do
    end subroutine

    subroutine check(what, got, expected)
        character(len=*), intent(in) :: what
        integer, intent(in) :: got, expected
        if (got /= expected) then
            print *, 'rank', rank, ': ', what, ' is', got, 'instead of', expected
            call MPI_Abort(MPI_COMM_WORLD, 1)
        end if
    end subroutine

    subroutine fail(what)
        character(len=*), intent(in) :: what
        print *, 'rank', rank, ': ', what
        call MPI_Abort(MPI_COMM_WORLD, 1)
    end subroutine
end program
