! Some images stop, another one fails: the statements tell the two apart, and a stopped one counts more.
program stopped
    use iso_fortran_env
    implicit none
    integer :: status, count
    integer, allocatable :: kept(:)[:], failed(:), stopping(:)

    sync all
    if (this_image() == 2) fail image
    sync all (stat=status)
    if (status /= stat_failed_image) error stop "sync all after a failure"
    if (this_image() == 3) stop
    sync all (stat=status)
    if (status /= stat_stopped_image) error stop "sync all after a stop"
    if (image_status(2) /= stat_failed_image) error stop "image_status of the failed one"
    if (image_status(3) /= stat_stopped_image) error stop "image_status of the stopped one"
    sync images (*, stat=status)
    if (status /= stat_stopped_image) error stop "sync images with a stopped one"
    sync images ([2], stat=status)
    if (status /= stat_failed_image) error stop "sync images with the failed one"
    allocate (kept(4)[*], stat=status)
    if (status /= stat_stopped_image) error stop "allocate with a stopped image"
    count = 1
    call co_sum(count, stat=status)
    if (status /= stat_stopped_image) error stop "co_sum with a stopped image"
    failed = failed_images()
    stopping = stopped_images()
    ! Who ends here has stopped, too.
    sync all (stat=status)
    if (this_image() == 1) print '(2(a, 1x, i0))', "failed:", failed, ", stopped:", stopping
end program
