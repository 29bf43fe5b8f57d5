! Ends in error termination: a statement finds a failure, and has no STAT=.
program missing_stat
    implicit none
    integer :: number[*], got, status
    character(16) :: which

    call get_command_argument(1, which)
    number = this_image()
    sync all
    if (this_image() == 2) fail image
    sync all (stat=status)
    select case (which)
    case ("all")
        sync all
    case ("images")
        sync images (*)
    case ("get")
        got = number[2]
    case ("between")
        number[1] = number[2]
    case ("sum")
        call co_sum(got)
    end select
    print '(a)', "it goes on"
    sync all (stat=status)
end program
