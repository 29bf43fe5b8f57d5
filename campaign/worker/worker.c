/* A random program: windows, messages, collective operations, files, in an order that a seed decides; also with processes that come and
 * go, in several threads, or going on after deaths. Each result is compared with what it has to be. Silent but for a last line of rank 0
 * (after deaths: of each rank that is left) that says how much was compared.
 *
 *     worker SEED STEPS FOLDER return|fatal steps|spawns|threads|recovery MICROSECONDS_BETWEEN_ALARMS [how one leaves early: exit, abort, raise] [its step]
 *
 * One that is started later has high or low as its last word: whether its group is the second of the two. */
#include "recovery.h"
#include "spawns.h"
#include "steps.h"
#include "threads.h"
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

/* Which rank leaves early, how, and before which step. */
static struct {
    int rank, step;
    const char *how;
} leaving = {.step = -1};

/* It leaves as programs do that go wrong. */
static void leave(void)
{
    if (strcmp(leaving.how, "exit") == 0)
        end(5);
    if (strcmp(leaving.how, "abort") == 0)
        MPI_Abort(MPI_COMM_WORLD, 6);
    raise(SIGSEGV);
}

static void next_step(void)
{
    int id;
    if (step == leaving.step && MPI_Comm_rank(MPI_COMM_WORLD, &id) == MPI_SUCCESS && id == leaving.rank)
        leave();
    if (options.work == SPAWNS && below(6) == 0)
        spawn_step();
    else
        random_step();
}

static void all_steps(void)
{
    for (; step < options.steps; step++)
        next_step();
    end_program();
}

static void thread_steps(int number)
{
    (void)number;
    all_steps();
}

/* Until all that live have come to the end together. */
static void recovering_steps(void)
{
#ifdef MPIX_ERR_REVOKED
    int is_done;
    do {
        is_done = setjmp(failure) == 0;
        if (is_done) {
            begin_program(world, mix(options.seed, (uint64_t)recoveries));
            if (recoveries > 0)
                compare_notes();
            all_steps();
        }
    } while (!agree(is_done));
#else
    lacking("way to recover");
#endif
}

static void run(MPI_Comm parent, int high)
{
    if (parent != MPI_COMM_NULL)
        together(parent, high, options.seed, options.steps);
    else if (options.work == THREADS)
        in_threads(thread_steps);
    else if (options.work == RECOVERY)
        recovering_steps();
    else
        all_steps();
}

static void take_arguments(int argc, char **argv)
{
    static const char *const works[] = {"steps", "spawns", "threads", "recovery"};
    options.program = argv[0];
    options.seed = strtoull(argv[1], NULL, 10);
    options.steps = atoi(argv[2]);
    options.folder = argv[3];
    options.fatal = strcmp(argv[4], "fatal") == 0;
    options.alarms = argv[6];
    for (size_t i = 0; i < sizeof works / sizeof *works; i++)
        if (strcmp(argv[5], works[i]) == 0)
            options.work = (enum work)i;
    if (argc > 8) {
        leaving.how = argv[7];
        leaving.step = atoi(argv[8]);
    }
}

/* MPI is there, and what goes wrong is returned, if it is to be. */
static void start(int *argc, char ***argv)
{
    if (options.work == THREADS)
        check_start_threads(argc, argv);
    else
        check_start(argc, argv);
    if (!options.fatal)
        DO(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    DO(MPI_File_set_errhandler(MPI_FILE_NULL, options.fatal ? MPI_ERRORS_ARE_FATAL : MPI_ERRORS_RETURN));
    begin_program(MPI_COMM_WORLD, options.seed);
    leaving.rank = (int)(options.seed % (uint64_t)size);
}

int main(int argc, char **argv)
{
    MPI_Comm parent;
    if (argc < 7)
        return 2;
    take_arguments(argc, argv);
    handle(SIGUSR1);
    handle(SIGALRM);
    alarms(atol(options.alarms));
    start(&argc, &argv);
    DO(MPI_Comm_get_parent(&parent));
    if (options.work == RECOVERY) {
        /* From here on one that dies leaves others that go on. The driver sees it by the handler. */
        MPI_Barrier(MPI_COMM_WORLD);
        handle(SIGUSR2);
    }
    run(parent, strcmp(argv[argc - 1], "high") == 0);
    alarms(0);
    if (options.work == RECOVERY)
        printf("%d steps, %" PRIu64 " results compared\n", step, compared);
    fflush(stdout);
    DO(MPI_Finalize());
    if (rank == 0 && parent == MPI_COMM_NULL && options.work != RECOVERY)
        printf("%d steps, %" PRIu64 " results compared\n", step, compared);
    return 0;
}
