! SYNC IMAGES in a chain, while an image fails on its way.
program pairs
    use iso_fortran_env
    implicit none
    integer :: value[*], status, round, next, previous, failures
    integer, parameter :: rounds = 200, failing = 3, at = 77

    next = this_image() + 1
    previous = this_image() - 1
    value = 0
    failures = 0
    sync all
    do round = 1, rounds
        if (this_image() == failing .and. round == at) fail image
        if (previous >= 1) then
            sync images (previous, stat=status)
            if (status /= merge(stat_failed_image, 0, previous == failing .and. round >= at)) error stop "sync images, previous"
            if (status /= 0) failures = failures + 1
        end if
        value = round
        if (next <= num_images()) then
            sync images (next, stat=status)
            if (status /= merge(stat_failed_image, 0, next == failing .and. round >= at)) error stop "sync images, next"
            if (status /= 0) failures = failures + 1
        end if
    end do
    sync images ([this_image()], stat=status)
    if (status /= 0) error stop "sync images with itself"
    sync images (*, stat=status)
    if (status /= stat_failed_image) error stop "sync images with all"
    if (this_image() == failing - 1) print '(i0, a)', failures, " rounds without the next image"
end program
