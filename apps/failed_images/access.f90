! What is on a failed image cannot be used, and what is on the others can.
program access
    use iso_fortran_env
    implicit none
    type item
        integer :: length = 0
        integer, allocatable :: parts(:)
    end type
    integer :: number[*], row(8)[*], status, got, parts(2)
    integer(atomic_int_kind) :: atom[*], before
    type(event_type) :: event[*]
    type(item), allocatable :: items[:]

    number = 10*this_image()
    row = this_image()
    atom = this_image()
    allocate (items[*])
    allocate (items%parts(2))
    items%parts = this_image()
    sync all
    if (this_image() == 2) fail image
    sync all (stat=status)

    got = -1
    got = number[2, stat=status]
    if (status /= stat_failed_image) error stop "get"
    got = number[3, stat=status]
    if (status /= 0 .or. got /= 30) error stop "get from one that lives"
    row(1:3) = row(2:8:3)[2, stat=status]
    if (status /= stat_failed_image) error stop "get of a section"
    if (any(row /= this_image())) error stop "get of a section has changed what it was to be put into"
    parts = items[2, stat=status]%parts
    if (status /= stat_failed_image) error stop "get of a component"
    parts = items[3, stat=status]%parts
    if (status /= 0 .or. any(parts /= 3)) error stop "get of a component of one that lives"

    ! gfortran 12 leaves the variable of STAT= as it is here: that it goes on is all that can be seen.
    number[2, stat=status] = 5
    row(1:3)[2] = [1, 2, 3]
    sync all (stat=status)
    if (this_image() == 1) number[3, stat=status] = 5
    sync all (stat=status)
    if (this_image() == 3 .and. number /= 5) error stop "put"

    call atomic_ref(before, atom[2], status)
    if (status /= stat_failed_image) error stop "atomic_ref"
    call atomic_define(atom[2], 1, status)
    if (status /= stat_failed_image) error stop "atomic_define"
    call atomic_add(atom[2], 1, status)
    if (status /= stat_failed_image) error stop "atomic_add"
    sync all (stat=status)
    call atomic_fetch_add(atom[3], 1, before, status)
    if (status /= 0) error stop "atomic_fetch_add with one that lives"
    sync all (stat=status)
    if (this_image() == 3 .and. atom /= 3 + num_images() - 1) error stop "atomic_fetch_add"

    event post (event[2], stat=status)
    if (status /= stat_failed_image) error stop "event post"
    if (this_image() == 1) then
        event post (event[3], stat=status)
        if (status /= 0) error stop "event post to one that lives"
    else if (this_image() == 3) then
        event wait (event, stat=status)
        if (status /= 0) error stop "event wait"
    end if
    sync all (stat=status)
    ! The others end, and nobody is left for the event that image 1 waits for.
    if (this_image() /= 1) stop
    event wait (event, stat=status)
    if (status /= stat_stopped_image) error stop "event wait for nobody"
    print '(a)', "only what has failed fails"
end program
