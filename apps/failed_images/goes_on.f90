! Images fail one after the other, image 1 first, and the others go on: each SYNC ALL tells all of them the same.
program goes_on
    use iso_fortran_env
    implicit none
    integer :: round[*], last, status, i
    integer, allocatable :: failed(:)

    if (image_status(this_image()) /= 0) error stop "an image that runs has a status"
    sync all (stat=status)
    if (status /= 0) error stop "sync all before any failure"
    ! All but the last two images.
    do last = 1, num_images() - 2
        round = last
        sync all (stat=status)
        if (status /= merge(0, stat_failed_image, last == 1)) error stop "sync all, all have come that live"
        if (this_image() == last) fail image
        sync all (stat=status)
        if (status /= stat_failed_image) error stop "sync all, one more has failed"
        failed = failed_images()
        if (size(failed) /= last) error stop "failed_images"
        if (any(failed /= [(i, i = 1, last)])) error stop "failed_images names others"
        if (image_status(last) /= stat_failed_image) error stop "image_status"
        if (size(stopped_images()) /= 0) error stop "stopped_images"
        do i = last + 1, num_images()
            if (image_status(i) /= 0) error stop "image_status of one that lives"
            if (round[i] < last) error stop "the round of one that lives"
        end do
        sync all (stat=status)
    end do
    if (this_image() == num_images()) print '(a, *(1x, i0))', "failed:", failed_images()
end program
