/* Calls by the names of Open MPI's libraries: what is beside procedures that a function of C stands for, and the program. */
#include <fcntl.h>
#include <mpi-ext.h>
#include <sys/wait.h>
#include <unistd.h>

/* Sentinels are variables of the program's, in common blocks, as mpif.h and the modules have them. Nobody writes to them. */
#define COMMON(NAME) __attribute__((common)) int NAME[ROOM];
#define SENTINELS(DO) \
    DO(mpi_fortran_argv_null_) DO(mpi_fortran_argvs_null_) DO(mpi_fortran_bottom_) DO(mpi_fortran_errcodes_ignore_) \
    DO(mpi_fortran_in_place_) DO(mpi_fortran_status_ignore_) DO(mpi_fortran_statuses_ignore_) DO(mpi_fortran_unweighted_) \
    DO(mpi_fortran_weights_empty_)
SENTINELS(COMMON)

static void must_be_untouched(const char *name, const int *variable)
{
    for (int i = 0; i < ROOM; i++)
        if (variable[i] != 0) {
            printf("something was written to %s[%d]\n", name, i);
            return;
        }
}

static void tell_nothing(void)
{
    said[C][0] = said[FORTRAN][0] = 0;
    length[C] = length[FORTRAN] = 0;
}

/* A clock that is between two others, and not the same each time. */
static void MPI_Wtime_called(const char *name, procedure *fortran)
{
    double before = MPI_Wtime(), time = ((double (*)(void))fortran)(), after;
    while ((after = MPI_Wtime()) == before);
    tell_nothing();
    tell_number(C, "in order", 1);
    tell_number(FORTRAN, "in order", before <= time && time <= after);
    line(name);
}

static void MPI_Wtick_called(const char *name, procedure *fortran)
{
    tell_nothing();
    tell_number(C, "picoseconds", MPI_Wtick() * 1e12);
    tell_number(FORTRAN, "picoseconds", ((double (*)(void))fortran)() * 1e12);
    line(name);
}

static void address(const char *name, procedure *fortran, MPI_Aint expected)
{
    MPI_Aint great = 1L << 40, small = 5;
    tell_nothing();
    tell_number(C, "address", expected);
    tell_number(FORTRAN, "address", ((MPI_Aint (*)(MPI_Aint *, MPI_Aint *))fortran)(&great, &small));
    line(name);
}

static void MPI_Aint_add_called(const char *name, procedure *fortran) { address(name, fortran, MPI_Aint_add(1L << 40, 5)); }
static void MPI_Aint_diff_called(const char *name, procedure *fortran) { address(name, fortran, MPI_Aint_diff(1L << 40, 5)); }

/* It has no ierror, and does nothing. */
static void MPI_Pcontrol_called(const char *name, procedure *fortran)
{
    int level[2] = { 1, 77 };
    tell_nothing();
    tell_number(C, "level", 1);
    tell_number(C, "ierror", 77);
    fortran(&level[0], &level[1]);
    tell_number(FORTRAN, "level", level[0]);
    tell_number(FORTRAN, "ierror", level[1]);
    line(name);
}

/* Nor has this one. */
static void MPI_F_sync_reg_called(const char *name, procedure *fortran) { MPI_Pcontrol_called(name, fortran); }

/* The callbacks of MPI's: C's have the same arguments, and give a code. Values have 4 bytes in MPI-1. */
static void copy(const char *name, procedure *fortran, int (*in_c)())
{
    long given[2] = { 1, 1 }, state = 3, value = 4;
    int flag[2] = { 7, 7 }, object = MPI_Comm_c2f(MPI_COMM_SELF), keyval = 9, ierror = -1;
    tell_code(C, in_c(MPI_COMM_SELF, keyval, (void *)state, (void *)value, &given[C], &flag[C]));
    fortran(&object, &keyval, &state, &value, &given[FORTRAN], &flag[FORTRAN], &ierror);
    tell_code(FORTRAN, ierror);
    for (int who = C; who <= FORTRAN; who++) {
        tell_number(who, "flag", flag[who]);
        tell_number(who, "value", given[who]);
    }
    line(name);
}

static void delete(const char *name, procedure *fortran, int (*in_c)())
{
    long state = 3, value = 4;
    int object = MPI_Comm_c2f(MPI_COMM_SELF), keyval = 9, ierror = -1;
    tell_code(C, in_c(MPI_COMM_SELF, keyval, (void *)value, (void *)state));
    fortran(&object, &keyval, &value, &state, &ierror);
    tell_code(FORTRAN, ierror);
    line(name);
}

#define CALLBACKS(KIND) \
    static void KIND##_DUP_FN_called(const char *name, procedure *fortran) { copy(name, fortran, (int (*)())KIND##_DUP_FN); } \
    static void KIND##_NULL_COPY_FN_called(const char *name, procedure *fortran) \
        { copy(name, fortran, (int (*)())KIND##_NULL_COPY_FN); } \
    static void KIND##_NULL_DELETE_FN_called(const char *name, procedure *fortran) \
        { delete(name, fortran, (int (*)())KIND##_NULL_DELETE_FN); }

CALLBACKS(MPI)
CALLBACKS(MPI_COMM)
CALLBACKS(MPI_TYPE)
CALLBACKS(MPI_WIN)

/* In C it is a null pointer. In Fortran it is a procedure, which nobody calls but this. */
static void MPI_CONVERSION_FN_NULL_called(const char *name, procedure *fortran)
{
    int ierror = -1;
    fortran(buffers[0], ints[1], ints[2], buffers[1], longs[4], longs[5], &ierror);
    tell_code(C, MPI_SUCCESS);
    tell_code(FORTRAN, ierror);
    line(name);
}

static void size(const char *name, procedure *fortran, int expected)
{
    int size = -1, ierror = -1;
    tell_code(C, MPI_SUCCESS);
    tell_number(C, "size", expected);
    fortran(buffers[0], &size, &ierror);
    tell_code(FORTRAN, ierror);
    tell_number(FORTRAN, "size", size);
    line(name);
}

#define SIZEOF(BYTES) static void size_##BYTES(const char *name, procedure *fortran) { size(name, fortran, BYTES); }
SIZEOF(1)
SIZEOF(2)
SIZEOF(4)
SIZEOF(8)
SIZEOF(16)
SIZEOF(32)

/* Two handles that are the same, and two that are not. */
static void comparison(const char *name, procedure *fortran, int same, int other)
{
    int one = 1, again = 1, two = 2;
    int (*compare)(int *, int *) = (int (*)(int *, int *))fortran;
    tell_nothing();
    tell_number(C, "same", same);
    tell_number(C, "other", other);
    tell_number(FORTRAN, "same", compare(&one, &again));
    tell_number(FORTRAN, "other", compare(&one, &two));
    line(name);
}

static void equal(const char *name, procedure *fortran) { comparison(name, fortran, 1, 0); }
static void unequal(const char *name, procedure *fortran) { comparison(name, fortran, 0, 1); }

/* A handle of the modules': its number in mpif.h, and what C says of its own handle if it has that. */
struct constant { const char *name; const int *variable; int number; int (*in_c)(void); };

static void constant(const struct constant *constants)
{
    situation = "a constant";
    for (; constants->name != NULL; constants++) {
        int number = constants->number;
        tell_nothing();
        tell_number(C, "number", number);
        tell_number(C, "of C's", number);
        tell_number(FORTRAN, "number", *constants->variable);
        tell_number(FORTRAN, "of C's", constants->in_c ? constants->in_c() : number);
        line(constants->name);
    }
}

/* What begins and ends MPI: C's is called in a process of its own, and Fortran's in another. Each gives its exit status. */
static void both(const char *name, procedure *fortran, int (*child)(procedure *))
{
    tell_nothing();
    for (int who = C; who <= FORTRAN; who++) {
        int status;
        fflush(lines);
        pid_t process = fork();
        if (process == 0) {
            dup2(open("/dev/null", O_WRONLY), 2);
            _exit(child(who == C ? NULL : fortran));
        }
        waitpid(process, &status, 0);
        tell_number(who, "exit status", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
        tell_number(who, "signal", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    }
    line(name);
}

/* Initialized and finalized, and whether the call has succeeded. */
static int state(int code)
{
    int initialized, finalized;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    if (!finalized)
        MPI_Finalize();
    return 40 + initialized + 2 * finalized + 4 * (code == MPI_SUCCESS);
}

static int initialize(procedure *fortran)
{
    int code = -1;
    if (fortran)
        fortran(&code);
    else
        code = MPI_Init(NULL, NULL);
    return state(code);
}

static int initialize_with_threads(procedure *fortran)
{
    int code = -1, required = MPI_THREAD_SERIALIZED, provided = -1, level;
    if (fortran)
        fortran(&required, &provided, &code);
    else
        code = MPI_Init_thread(NULL, NULL, required, &provided);
    MPI_Query_thread(&level);
    return state(code) + 8 * (provided == level) + 16 * (level == required);
}

static int finalize(procedure *fortran)
{
    int code = -1;
    MPI_Init(NULL, NULL);
    if (fortran)
        fortran(&code);
    else
        code = MPI_Finalize();
    return state(code);
}

static int end(procedure *fortran)
{
    int comm = MPI_Comm_c2f(MPI_COMM_SELF), errorcode = 23, ierror;
    MPI_Init(NULL, NULL);
    if (fortran)
        fortran(&comm, &errorcode, &ierror);
    else
        MPI_Abort(MPI_COMM_SELF, errorcode);
    return 1;
}

static void MPI_Init_called(const char *name, procedure *fortran) { both(name, fortran, initialize); }
static void MPI_Init_thread_called(const char *name, procedure *fortran) { both(name, fortran, initialize_with_threads); }
static void MPI_Finalize_called(const char *name, procedure *fortran) { both(name, fortran, finalize); }
static void MPI_Abort_called(const char *name, procedure *fortran) { both(name, fortran, end); }

static const struct sentinels sentinels = {
    .bottom = { MPI_BOTTOM, mpi_fortran_bottom_ },
    .in_place = { MPI_IN_PLACE, mpi_fortran_in_place_ },
    .status = { MPI_STATUS_IGNORE, mpi_fortran_status_ignore_ },
    .statuses = { MPI_STATUSES_IGNORE, mpi_fortran_statuses_ignore_ },
    .unweighted = { MPI_UNWEIGHTED, mpi_fortran_unweighted_ },
    .weights_empty = { MPI_WEIGHTS_EMPTY, mpi_fortran_weights_empty_ },
    .argv = { MPI_ARGV_NULL, mpi_fortran_argv_null_ },
    .argvs = { MPI_ARGVS_NULL, mpi_fortran_argvs_null_ },
    .errcodes = { MPI_ERRCODES_IGNORE, mpi_fortran_errcodes_ignore_ },
};

static void run(const char *said, const char *file, const struct call *alone, const struct call *calls, const struct constant *constants)
{
    begin(said);
    all(alone, "in a process of its own");
    MPI_Init(NULL, NULL);
    constant(constants);
    all_situations(calls, &sentinels, file);
#define UNTOUCHED(NAME) must_be_untouched(#NAME, NAME);
    SENTINELS(UNTOUCHED)
    fclose(lines);
    MPI_Finalize();
}
