/* A random program: windows, messages, collective operations, files, in an order that a seed decides. Each result is compared with
 * what it has to be. Silent but for a last line of rank 0 that says how much was compared.
 *
 *     worker SEED STEPS FOLDER return|fatal [microseconds between alarms] [how one rank leaves early: exit, abort, raise] [its step]
 */
#include "collectives.h"
#include "files.h"
#include "messages.h"
#include "windows.h"
#include <signal.h>
#include <sys/time.h>

static void ignore(int number)
{
    (void)number;
}

/* A handler that interrupts system calls: these are not begun anew by the kernel. */
static void handle(int number)
{
    struct sigaction action = {.sa_handler = ignore};
    sigemptyset(&action.sa_mask);
    if (sigaction(number, &action, NULL) != 0)
        exit(STATUS_REFUSED);
}

static void alarms(long microseconds)
{
    struct itimerval every = {.it_interval.tv_usec = microseconds, .it_value.tv_usec = microseconds};
    setitimer(ITIMER_REAL, &every, NULL);
}

/* One rank leaves as programs do that go wrong. */
static void leave(const char *how)
{
    if (strcmp(how, "exit") == 0)
        exit(5);
    if (strcmp(how, "abort") == 0)
        MPI_Abort(MPI_COMM_WORLD, 6);
    raise(SIGSEGV);
}

int main(int argc, char **argv)
{
    const char *leaving = argc > 6 ? argv[6] : "";
    long microseconds = argc > 5 ? atol(argv[5]) : 0;
    int leaving_step = argc > 7 ? atoi(argv[7]) : -1;
    if (argc < 5)
        return 2;
    options.seed = strtoull(argv[1], NULL, 10);
    options.steps = atoi(argv[2]);
    options.folder = argv[3];
    options.fatal = strcmp(argv[4], "fatal") == 0;
    handle(SIGUSR1);
    handle(SIGALRM);
    alarms(microseconds);
    check_start(&argc, &argv);
    if (!options.fatal) {
        DO(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
        DO(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
    } else {
        DO(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_ARE_FATAL));
    }
    for (step = 0; step < options.steps; step++) {
        static void (*const steps[])(void) = {messages_step,  messages_step,   window_step,     window_step, window_step,
                                              persistent_step, sendrecv_step, collective_step, collective_step, file_step};
        int chosen = below((int)(sizeof steps / sizeof *steps));
        if (step == leaving_step && rank == (int)(options.seed % (uint64_t)size))
            leave(leaving);
        steps[chosen]();
    }
    free_windows();
    free_communicators();
    alarms(0);
    DO(MPI_Finalize());
    if (rank == 0)
        printf("%d steps, %" PRIu64 " results compared\n", step, compared);
    return 0;
}
