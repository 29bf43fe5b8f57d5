! Heat in a rod: steps of a relaxation, whose cells the images share. Once in ten steps each image keeps its cells, and puts
! them into the memory of the next image as well. When images have failed, the others share the cells anew, fetch them as they
! were kept last, and go on from there: what comes out does not depend on it.
!
! Arguments: how many images fail, one after the other, and whether they do by FAIL IMAGE (`fail`) or by a signal (`kill`).
program checkpoint
    use iso_fortran_env
    use iso_c_binding
    implicit none
    interface
        integer(c_int) function raise(number) bind(c)
            import
            integer(c_int), value :: number
        end function
    end interface
    integer, parameter :: cells = 240, steps = 200, often = 10
    ! Every image has room for all, and uses its own and those beside them.
    real(real64) :: now(0:cells + 1)[*], next(cells)
    ! Its own cells and those of the image before it, as they were kept last and before that.
    real(real64) :: kept(cells, 2)[*], copied(cells, 2)[*], answer(cells)[*]
    integer :: dead[*]
    integer, allocatable :: living(:), living_then(:)
    integer :: step, failures, first, last, here, slot, kept_step
    logical :: behind
    character(8) :: argument, how

    call get_command_argument(1, argument)
    read (argument, *) failures
    call get_command_argument(2, how)
    now = 0
    now(0) = 100
    now(cells + 1) = -20
    living = everybody()
    call share
    slot = 1
    kept_step = -1
    step = 0
    behind = .not. keep()
    do while (step < steps .or. behind)
        if (behind) then
            behind = .not. go_back()
        else
            behind = .not. advance()
        end if
        if (behind .and. kept_step < 0) error stop "a failure before anything was kept"
    end do
    do
        answer(first:last)[living(1)] = now(first:last)
        if (.not. lost()) exit
        do while (.not. go_back())
        end do
        do while (step < steps)
            if (.not. advance()) error stop "more failures than asked for"
        end do
    end do
    if (this_image() == living(1)) print '(a, 4(1x, es22.15))', "cells:", answer(1), answer(80), answer(161), sum(answer)
contains
    function everybody() result(list)
        integer, allocatable :: list(:)
        integer :: i
        list = pack([(i, i = 1, num_images())], [(image_status(i) == 0, i = 1, num_images())])
    end function

    ! Whether images have failed since this last said so. All get the same answer, and the same `living`.
    logical function lost()
        integer :: status, i, theirs
        logical :: same
        integer, allocatable :: list(:)
        lost = .false.
        sync all (stat=status)
        if (status == 0) return
        do
            list = everybody()
            dead = num_images() - size(list)
            sync all (stat=status)
            same = .true.
            do i = 1, size(list)
                theirs = dead[list(i), stat=status]
                if (status == 0) same = same .and. theirs == dead
            end do
            sync all (stat=status)
            if (same) exit
        end do
        lost = size(list) < size(living)
        living = list
    end function

    ! The cells of the image at this place among those that live.
    pure integer function first_of(place, images)
        integer, intent(in) :: place, images
        first_of = (place - 1)*cells/images + 1
    end function

    subroutine share
        here = findloc(living, this_image(), dim=1)
        first = first_of(here, size(living))
        last = first_of(here + 1, size(living)) - 1
    end subroutine

    logical function keep()
        integer :: other
        other = 3 - slot
        kept(first:last, other) = now(first:last)
        copied(first:last, other)[living(mod(here, size(living)) + 1)] = now(first:last)
        keep = .not. lost()
        if (.not. keep) return
        slot = other
        kept_step = step
        living_then = living
    end function

    logical function advance()
        integer :: i
        advance = .false.
        do i = 1, failures
            if (step == 50*i - 5 .and. this_image() == mod(i, 3) + 1) call die
        end do
        next(first:last) = (now(first - 1:last - 1) + now(first + 1:last + 1))/2
        if (lost()) return
        now(first:last) = next(first:last)
        if (here > 1) now(first)[living(here - 1)] = now(first)
        if (here < size(living)) now(last)[living(here + 1)] = now(last)
        if (lost()) return
        step = step + 1
        advance = .true.
        if (mod(step, often) == 0) advance = keep()
    end function

    logical function go_back()
        integer :: place, from, to
        call share
        do place = 1, size(living_then)
            from = max(first_of(place, size(living_then)), first - 1)
            to = min(first_of(place + 1, size(living_then)) - 1, last + 1)
            if (from > to) cycle
            if (any(living == living_then(place))) then
                now(from:to) = kept(from:to, slot)[living_then(place)]
            else
                now(from:to) = copied(from:to, slot)[living_then(mod(place, size(living_then)) + 1)]
            end if
        end do
        step = kept_step
        go_back = .false.
        if (lost()) return
        go_back = keep()
    end function

    subroutine die
        if (how == "fail") fail image
        if (raise(9_c_int) /= 0) error stop "raise"
    end subroutine
end program
