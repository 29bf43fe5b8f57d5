! Coarrays are made and unmade after failures, what the dead had locked is free, and a team of those that live has sums again.
program allocates
    use iso_fortran_env
    implicit none
    type(lock_type) :: lock[*]
    type(team_type) :: living
    integer(atomic_int_kind) :: counter[*], seen
    integer, allocatable :: array(:)[:]
    integer :: locked[*], inside[*], status, i, n, sum, taken, failing(2)
    integer, parameter :: unlocked_failed_image = 6002
    logical :: got

    n = num_images()
    failing = [2, 1]
    locked = 0
    inside = 0
    counter = 0
    sync all
    do i = 1, 2
        if (this_image() == failing(i)) then
            lock (lock[n], stat=status)
            if (status /= 0) error stop "lock before a failure"
            critical
                fail image
            end critical
        end if
        sync all (stat=status)
        allocate (array(100)[*], stat=status)
        if (status /= 0 .or. size(array) /= 100) error stop "allocate"
        array = this_image()
        sync all (stat=status)
        if (array(50)[n] /= n .or. array(7)[3] /= 3) error stop "the new coarray"
        array(1)[3] = 17
        sync all (stat=status)
        if (this_image() == 3 .and. array(1) /= 17) error stop "put into the new coarray"
        sum = array(3)[failing(i), stat=status]
        if (status /= stat_failed_image) error stop "the new coarray of a failed image"
        deallocate (array, stat=status)
        if (status /= 0 .or. allocated(array)) error stop "deallocate"

        ! One that comes to the lock finds it unlocked by the failure, the others after it do not.
        lock (lock[n], stat=status)
        if (status /= 0 .and. status /= unlocked_failed_image) error stop "lock"
        if (status /= 0) call atomic_add(counter[n], 1)
        locked[n] = locked[n] + 1
        unlock (lock[n])
        lock (lock[n], acquired_lock=got, stat=status)
        if (got) unlock (lock[n])
        critical
            inside[n] = inside[n] + 1
        end critical
        sum = 1
        call co_sum(sum, stat=status)
        if (status /= stat_failed_image) error stop "co_sum"
        call co_broadcast(sum, n, stat=status)
        if (status /= stat_failed_image) error stop "co_broadcast"
        sync all (stat=status)
        call atomic_ref(seen, counter[n])
        if (seen /= i) error stop "the lock was not taken over once"

        form team (1, living)
        change team (living)
            sum = 1
            call co_sum(sum, stat=taken)
            sync all (stat=status)
        end team
        if (taken /= 0 .or. status /= 0 .or. sum /= n - i) error stop "co_sum in the team of those that live"
    end do
    if (this_image() == n) print '(2(a, i0))', "with the lock: ", locked, ", in critical: ", inside
end program
