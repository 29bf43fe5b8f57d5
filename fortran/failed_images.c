/* Failed images for coarray programs of gfortran on OpenCoarrays: FAIL IMAGE, IMAGE_STATUS, FAILED_IMAGES and STAT= after a death.
 *
 *     mpicc.openmpi -O2 -c PREFIX/share/rmashm/failed_images.c
 *     caf.openmpi -o prog prog.f90 failed_images.o -lcaf_openmpi
 *     mpiexec -disable-auto-cleanup -n 4 ./prog
 *
 * It defines functions that gfortran's code calls (_gfortran_caf_…), and functions of MPI that OpenCoarrays calls, and comes before
 * both; what it does not do itself goes on to them. (-lcaf_openmpi: the archive that caf.openmpi names could not be overridden.)
 *
 * Images keep their ranks in the communicator of OpenCoarrays, and what says who has come to a statement, who has stopped and who
 * has failed stays in memory that all share and that outlives them. So all images find the same of a SYNC ALL: an image that
 * has come to it has, even if it failed right after it, and an image that ended before will never come.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <linux/futex.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The names of ULFM, which Open MPI's headers and libraries before 5.0 do not have: the functions are asked for when the program runs. */
#if defined OPEN_MPI && !defined MPIX_ERR_PROC_FAILED
#define MPIX_ERR_PROC_FAILED 75
#endif
static int (*get_failed)(MPI_Comm comm, MPI_Group *failed);
static int (*agree)(MPI_Comm comm, int *flag);
static int (*shrink)(MPI_Comm comm, MPI_Comm *left);
static int (*interrupt)(MPI_Comm comm);

/* gfortran's ISO_FORTRAN_ENV. It has no STAT_UNLOCKED_FAILED_IMAGE yet. */
enum { STAT_LOCKED = 1, STAT_DUP_SYNC_IMAGES = 3, STAT_STOPPED_IMAGE = 6000, STAT_FAILED_IMAGE, STAT_UNLOCKED_FAILED_IMAGE };
/* Kinds of coarrays that are registered. */
enum { ALLOCATABLE = 1, LOCK_ALLOCATABLE = 3, CRITICAL, EVENT_ALLOCATABLE = 6 };

typedef void *Token;
typedef struct {
    void *base;
    size_t offset;
    struct {
        size_t element;
        int version;
        signed char rank, type;
        short attribute;
    } dtype;
    ptrdiff_t span;
    struct {
        ptrdiff_t stride, lower, upper;
    } dim[];
} Descriptor;

/* The function of this name that comes after ours: OpenCoarrays' own. */
#define THEIRS(name)                                                                                                                  \
    ({                                                                                                                                \
        static __typeof__(_gfortran_caf_##name) *found;                                                                               \
        if (!found)                                                                                                                   \
            found = (__typeof__(found))next("_gfortran_caf_" #name);                                                                  \
        found;                                                                                                                        \
    })

void _gfortran_caf_init(int *, char ***);
void _gfortran_caf_finalize(void);
int _gfortran_caf_this_image(int);
void _gfortran_caf_event_query(Token, size_t, int, int *, int *);

/* OpenCoarrays' communicator: of the current team, where a rank is an image less one. */
extern MPI_Comm CAF_COMM_WORLD;

/* What an image tells the others, in shared memory. */
typedef struct {
    int status;  /* 0, then STAT_STOPPED_IMAGE or STAT_FAILED_IMAGE for good. */
    int arrived; /* How often it has come to a barrier of all images. */
    int bell;    /* Counted up for it by who did something that it may wait for. */
    int asleep;  /* It waits for the bell. */
    char line[48];
} Image;
static Image *images;
/* How often an image has come to a meeting with another one: SYNC IMAGES, and barriers of teams. */
enum { SYNC_IMAGES, TEAM };
static int *meetings;

/* The images of a communicator of OpenCoarrays, an attribute of it. */
typedef struct {
    int size;
    int *ranks;    /* Among all images. */
    MPI_Comm live; /* Without those that had failed when last something was made in it. */
} Team;
/* A window of OpenCoarrays, an attribute of it. */
typedef struct {
    MPI_Comm comm; /* Whose ranks OpenCoarrays names. */
    int *ranks;    /* Those ranks in the window, or -1. Nothing: they are the same. */
} Area;

/* Where all meet as long as none has failed or stopped: MPI waits better than we do. Who stops revokes it. */
static MPI_Comm hall;
static bool starting, ready, ending;
static int me, count;
static Team *all;
static int team_key, area_key;
static MPI_Errhandler comm_handler, win_handler;
/* A call of MPI has met a failure since this was last set back. */
static bool trouble;
/* The next SYNC ALL without STAT= is the one that gfortran puts behind an ALLOCATE, whatever its STAT= was. */
static bool allocated;
static Token *critical;
static int criticals;

/* ---- Ends ---- */

static void *next(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) {
        fprintf(stderr, "failed_images: %s is not found: link the program with -lcaf_openmpi, behind failed_images.o\n", name);
        exit(EXIT_FAILURE);
    }
    return found;
}

static _Noreturn void error_termination(const char *format, ...)
{
    char text[MPI_MAX_ERROR_STRING + 100];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    /* At once: other images end the job, too. */
    dprintf(STDERR_FILENO, "Error termination on image %d: %s\n", me + 1, text);
    PMPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    _exit(EXIT_FAILURE);
}

static int class_of(int code)
{
    int class = code;
    if (code != MPI_SUCCESS)
        PMPI_Error_class(code, &class);
    return class;
}

/* What is no failure of a process ends the program, as it would without us: OpenCoarrays does not look at what MPI returns. */
static void handle(int code)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length, class = class_of(code);
    trouble = true;
    if (class == MPIX_ERR_PROC_FAILED)
        return;
    PMPI_Error_string(code, text, &length);
    error_termination("%s", text);
}

static void handle_comm(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    handle(*code);
}

static void handle_win(MPI_Win *win, int *code, ...)
{
    (void)win;
    handle(*code);
}

/* Ends a statement: gives its STAT= what came of it, or ends the program where it has none. */
static void finish(const char *statement, int result, int *stat, char *message, size_t length)
{
    const char *text = result == STAT_FAILED_IMAGE            ? "an image has failed"
                       : result == STAT_STOPPED_IMAGE         ? "an image has stopped"
                       : result == STAT_UNLOCKED_FAILED_IMAGE ? "the image that had locked it has failed"
                       : result == STAT_LOCKED                ? "the image has locked it already"
                                                              : "an image is named twice";
    if (stat)
        *stat = result;
    if (result == 0)
        return;
    if (!stat)
        error_termination("%s: %s, and the statement has no STAT=", statement, text);
    if (message && length) {
        size_t size = strlen(text) < length ? strlen(text) : length;
        memset(message, ' ', length);
        memcpy(message, text, size);
    }
}

/* ---- Who is there ---- */

static void ring(int rank)
{
    __atomic_fetch_add(&images[rank].bell, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&images[rank].asleep, __ATOMIC_SEQ_CST))
        syscall(SYS_futex, &images[rank].bell, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void ring_all(void)
{
    for (int rank = 0; rank < count; rank++)
        ring(rank);
}

static int status_of(int rank)
{
    return __atomic_load_n(&images[rank].status, __ATOMIC_SEQ_CST);
}

static void set_status(int rank, int status)
{
    int none = 0;
    if (__atomic_compare_exchange_n(&images[rank].status, &none, status, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        ring_all();
}

/* Learns of deaths. Images that have stopped are among MPI's failed ones once they leave, and remain stopped. */
static void look(void)
{
    static int known;
    MPI_Group failed, everybody;
    int size;
    trouble = false;
    if (get_failed(MPI_COMM_WORLD, &failed) != MPI_SUCCESS)
        return;
    PMPI_Group_size(failed, &size);
    if (size > known) {
        PMPI_Comm_group(MPI_COMM_WORLD, &everybody);
        for (int i = 0; i < size; i++) {
            int rank;
            PMPI_Group_translate_ranks(failed, 1, &i, everybody, &rank);
            set_status(rank, STAT_FAILED_IMAGE);
        }
        known = size;
        PMPI_Group_free(&everybody);
    }
    PMPI_Group_free(&failed);
}

static bool has_failed(int rank)
{
    look();
    return status_of(rank) == STAT_FAILED_IMAGE;
}

static int heard(void)
{
    return __atomic_load_n(&images[me].bell, __ATOMIC_SEQ_CST);
}

/* Sleeps until the bell rings, unless it has since it was `heard`. Deaths ring no bell: they are looked for now and then. */
static void doze(int heard)
{
    const struct timespec patience = {0, 10 * 1000 * 1000};
    __atomic_store_n(&images[me].asleep, 1, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, &images[me].bell, FUTEX_WAIT, heard, &patience, NULL, 0);
    __atomic_store_n(&images[me].asleep, 0, __ATOMIC_SEQ_CST);
    look();
}

/* STAT= of what involves several images. */
static int worse(int one, int other)
{
    if (one == STAT_STOPPED_IMAGE || other == STAT_STOPPED_IMAGE)
        return STAT_STOPPED_IMAGE;
    return one ? one : other;
}

/* Waits until a count of that image is so high, or it is known that it will never be. */
static int wait_for(int rank, const int *word, int needed)
{
    static int patience;
    if (patience == 0)
        patience = sysconf(_SC_NPROCESSORS_ONLN) < count ? 100 : 10000;
    for (int tries = 0;; tries++) {
        int before = heard();
        /* The status first: after it the count does not change any more. */
        int status = status_of(rank);
        if ((int)((unsigned)__atomic_load_n(word, __ATOMIC_SEQ_CST) - (unsigned)needed) >= 0)
            return 0;
        if (status)
            return status;
        if (tries > patience)
            doze(before);
    }
}

static int *meeting(int kind, int of, int with)
{
    return &meetings[(kind * count + of) * count + with];
}

/* Meets some images, each by itself: both come as often as the other. */
static int meet_each(int kind, int size, const int *ranks)
{
    int result = 0;
    for (int i = 0; i < size; i++)
        if (ranks[i] != me) {
            __atomic_fetch_add(meeting(kind, me, ranks[i]), 1, __ATOMIC_SEQ_CST);
            ring(ranks[i]);
        }
    for (int i = 0; i < size; i++)
        if (ranks[i] != me)
            result = worse(result, wait_for(ranks[i], meeting(kind, ranks[i], me), *meeting(kind, me, ranks[i])));
    return result;
}

/* Meets all of a team. */
static int meet(const Team *team)
{
    static bool alone;
    int result = 0, mine;
    if (team != all)
        return meet_each(TEAM, team->size, team->ranks);
    /* One step for all of them, so that a death does not come between. */
    mine = __atomic_add_fetch(&images[me].arrived, 1, __ATOMIC_SEQ_CST);
    if (!alone && PMPI_Barrier(hall) == MPI_SUCCESS)
        return 0;
    /* Some may have left the barrier in order: they find what the counts say. From now on it fails for all. */
    alone = true;
    ring_all();
    for (int rank = 0; rank < count; rank++)
        result = worse(result, wait_for(rank, &images[rank].arrived, mine));
    return result;
}

/* ---- Communicators and windows ---- */

static void prepare(void)
{
    static bool done;
    if (done)
        return;
    done = true;
    PMPI_Comm_create_errhandler(handle_comm, &comm_handler);
    PMPI_Win_create_errhandler(handle_win, &win_handler);
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &team_key, NULL);
    PMPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &area_key, NULL);
}

static int *translated(MPI_Comm from, MPI_Group to)
{
    MPI_Group group;
    int size, *ranks;
    PMPI_Comm_group(from, &group);
    PMPI_Group_size(group, &size);
    ranks = malloc(2 * size * sizeof *ranks);
    for (int i = 0; i < size; i++)
        ranks[size + i] = i;
    PMPI_Group_translate_ranks(group, size, ranks + size, to, ranks);
    for (int i = 0; i < size; i++)
        if (ranks[i] == MPI_UNDEFINED)
            ranks[i] = -1;
    PMPI_Group_free(&group);
    return ranks;
}

static Team *new_team(MPI_Comm comm)
{
    Team *team = malloc(sizeof *team);
    MPI_Group everybody;
    PMPI_Comm_group(MPI_COMM_WORLD, &everybody);
    PMPI_Comm_size(comm, &team->size);
    team->ranks = translated(comm, everybody);
    team->live = comm;
    PMPI_Group_free(&everybody);
    PMPI_Comm_set_errhandler(comm, comm_handler);
    PMPI_Comm_set_attr(comm, team_key, team);
    return team;
}

/* Nothing of communicators that are not OpenCoarrays'. */
static Team *team_of(MPI_Comm comm)
{
    Team *team = NULL;
    int found = 0;
    if (ready && comm != MPI_COMM_NULL)
        PMPI_Comm_get_attr(comm, team_key, &team, &found);
    return found ? team : NULL;
}

static Area *area_of(MPI_Win win)
{
    Area *area = NULL;
    int found = 0;
    if ((ready || starting) && win != MPI_WIN_NULL)
        PMPI_Win_get_attr(win, area_key, &area, &found);
    return found ? area : NULL;
}

/* Whether all that live have made something. Else those that are left of the team are to try again. */
static bool made(Team *team, MPI_Comm own, int code)
{
    int done = code == MPI_SUCCESS, before, after;
    MPI_Comm left;
    agree(team->live, &done);
    if (done)
        return true;
    PMPI_Comm_size(team->live, &before);
    shrink(team->live, &left);
    PMPI_Comm_size(left, &after);
    if (before == after)
        error_termination("MPI makes no window or communicator, and no image has failed");
    PMPI_Comm_set_errhandler(left, comm_handler);
    if (team->live != own)
        PMPI_Comm_free(&team->live);
    team->live = left;
    return false;
}

/* One epoch as long as the window in place of OpenCoarrays' locks: one that dies would hold a lock for ever. */
static int manage(MPI_Win win, MPI_Comm comm, MPI_Comm live)
{
    Area *area = calloc(1, sizeof *area);
    area->comm = comm;
    if (live != comm) {
        MPI_Group group;
        PMPI_Win_get_group(win, &group);
        area->ranks = translated(comm, group);
        PMPI_Group_free(&group);
    }
    PMPI_Win_set_errhandler(win, win_handler);
    PMPI_Win_set_attr(win, area_key, area);
    return PMPI_Win_lock_all(MPI_MODE_NOCHECK, win);
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *made_here)
{
    Team *team = team_of(comm);
    int code;
    if (!team)
        return PMPI_Comm_split(comm, color, key, made_here);
    while (code = PMPI_Comm_split(team->live, color, key, made_here), !made(team, comm, code))
        if (code == MPI_SUCCESS)
            PMPI_Comm_free(made_here);
    if (*made_here != MPI_COMM_NULL)
        new_team(*made_here);
    return MPI_SUCCESS;
}

/* Also OpenCoarrays' way to end, and to enter and leave teams, statements for which gfortran has no STAT=: the survivors go on. */
int MPI_Barrier(MPI_Comm comm)
{
    Team *team = team_of(comm);
    if (!team)
        return PMPI_Barrier(comm);
    if (!ending)
        meet(team);
    return MPI_SUCCESS;
}

int MPI_Win_create(void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
    int code = PMPI_Win_create(base, size, unit, info, comm, win);
    return starting && code == MPI_SUCCESS ? (prepare(), manage(*win, comm, comm)) : code;
}

int MPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
    int code = PMPI_Win_create_dynamic(info, comm, win);
    return starting && code == MPI_SUCCESS ? (prepare(), manage(*win, comm, comm)) : code;
}

int MPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win)
{
    Team *team = team_of(comm);
    int code;
    if (!team)
        return PMPI_Win_allocate(size, unit, info, comm, base, win);
    while (code = PMPI_Win_allocate(size, unit, info, team->live, base, win), !made(team, comm, code))
        if (code == MPI_SUCCESS)
            PMPI_Win_free(win);
    return manage(*win, comm, team->live);
}

int MPI_Win_free(MPI_Win *win)
{
    Area *area = area_of(*win);
    if (!area)
        return PMPI_Win_free(win);
    PMPI_Win_unlock_all(*win);
    PMPI_Win_free(win);
    free(area->ranks);
    free(area);
    return MPI_SUCCESS;
}

int MPI_Win_get_group(MPI_Win win, MPI_Group *group)
{
    Area *area = area_of(win);
    return area ? PMPI_Comm_group(area->comm, group) : PMPI_Win_get_group(win, group);
}

int MPI_Win_lock(int type, int rank, int assertion, MPI_Win win)
{
    return area_of(win) ? MPI_SUCCESS : PMPI_Win_lock(type, rank, assertion, win);
}

int MPI_Win_lock_all(int assertion, MPI_Win win)
{
    return area_of(win) ? MPI_SUCCESS : PMPI_Win_lock_all(assertion, win);
}

int MPI_Win_unlock_all(MPI_Win win)
{
    return area_of(win) ? PMPI_Win_flush_all(win) : PMPI_Win_unlock_all(win);
}

/* Makes a rank that OpenCoarrays names the one in the window. What fails for a failure only is for the statement to find out. */
static bool placed(MPI_Win win, int *rank)
{
    Area *area = area_of(win);
    if (!area || !area->ranks)
        return true;
    *rank = area->ranks[*rank];
    trouble |= *rank < 0;
    return *rank >= 0;
}

static int calm(MPI_Win win, int code)
{
    return code != MPI_SUCCESS && class_of(code) == MPIX_ERR_PROC_FAILED && area_of(win) ? MPI_SUCCESS : code;
}

int MPI_Win_unlock(int rank, MPI_Win win)
{
    if (!area_of(win))
        return PMPI_Win_unlock(rank, win);
    return placed(win, &rank) ? calm(win, PMPI_Win_flush(rank, win)) : MPI_SUCCESS;
}

#define TRANSFER(name, parameters, arguments)                                                                                         \
    int MPI_##name parameters                                                                                                         \
    {                                                                                                                                 \
        return placed(win, &rank) ? calm(win, PMPI_##name arguments) : MPI_SUCCESS;                                                   \
    }
TRANSFER(Win_flush, (int rank, MPI_Win win), (rank, win))
TRANSFER(Put, (const void *from, int number, MPI_Datatype type, int rank, MPI_Aint at, int there, MPI_Datatype kind, MPI_Win win),
         (from, number, type, rank, at, there, kind, win))
TRANSFER(Get, (void *to, int number, MPI_Datatype type, int rank, MPI_Aint at, int there, MPI_Datatype kind, MPI_Win win),
         (to, number, type, rank, at, there, kind, win))
TRANSFER(Accumulate,
         (const void *from, int number, MPI_Datatype type, int rank, MPI_Aint at, int there, MPI_Datatype kind, MPI_Op op, MPI_Win win),
         (from, number, type, rank, at, there, kind, op, win))
TRANSFER(Fetch_and_op, (const void *from, void *to, MPI_Datatype type, int rank, MPI_Aint at, MPI_Op op, MPI_Win win),
         (from, to, type, rank, at, op, win))
TRANSFER(Compare_and_swap, (const void *from, const void *old, void *to, MPI_Datatype type, int rank, MPI_Aint at, MPI_Win win),
         (from, old, to, type, rank, at, win))

/* ---- Begin and end ---- */

void _gfortran_caf_init(int *argc, char ***argv)
{
    MPI_Win window;
    MPI_Aint size;
    int unit;
    if (ready)
        return;
    starting = true;
    THEIRS(init)(argc, argv);
    get_failed = (__typeof__(get_failed))dlsym(RTLD_DEFAULT, "MPIX_Comm_get_failed");
    agree = (__typeof__(agree))dlsym(RTLD_DEFAULT, "MPIX_Comm_agree");
    shrink = (__typeof__(shrink))dlsym(RTLD_DEFAULT, "MPIX_Comm_shrink");
    interrupt = (__typeof__(interrupt))dlsym(RTLD_DEFAULT, "MPIX_Comm_revoke");
    PMPI_Comm_rank(CAF_COMM_WORLD, &me);
    PMPI_Comm_size(CAF_COMM_WORLD, &count);
    if (!get_failed || !agree || !shrink || !interrupt)
        error_termination("failed_images: this MPI has no MPIX_Comm_get_failed, agree, shrink and revoke");
    prepare();
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, comm_handler);
    size = me ? 0 : count * (MPI_Aint)sizeof(Image) + 2 * count * count * (MPI_Aint)sizeof(int);
    PMPI_Win_allocate_shared(size, 1, MPI_INFO_NULL, CAF_COMM_WORLD, &images, &window);
    PMPI_Win_set_errhandler(window, win_handler);
    PMPI_Win_shared_query(window, 0, &size, &unit, &images);
    meetings = (int *)(images + count);
    if (me == 0)
        memset(images, 0, size);
    PMPI_Comm_dup(CAF_COMM_WORLD, &hall);
    PMPI_Comm_set_errhandler(hall, MPI_ERRORS_RETURN);
    PMPI_Barrier(hall);
    all = new_team(CAF_COMM_WORLD);
    ready = true;
    starting = false;
}

static Team *current(void)
{
    if (!ready)
        _gfortran_caf_init(NULL, NULL);
    return team_of(CAF_COMM_WORLD);
}

static int rank_of(int image)
{
    const Team *team = current();
    if (image == 0)
        return me;
    if (image < 0 || image > team->size)
        error_termination("there is no image %d", image);
    return team->ranks[image - 1];
}

void _gfortran_caf_finalize(void)
{
    current();
    set_status(me, STAT_STOPPED_IMAGE);
    interrupt(hall);
    for (int rank = 0; rank < count; rank++)
        for (int before = heard(); !status_of(rank); before = heard())
            doze(before);
    ending = true;
    THEIRS(finalize)();
}

_Noreturn void _gfortran_caf_stop_numeric(int code, bool quiet)
{
    if (!quiet)
        fprintf(stderr, "STOP %d\n", code);
    _gfortran_caf_finalize();
    exit(code);
}

_Noreturn void _gfortran_caf_stop_str(const char *text, size_t length, bool quiet)
{
    if (!quiet && text)
        fprintf(stderr, "STOP %.*s\n", (int)length, text);
    _gfortran_caf_finalize();
    exit(EXIT_SUCCESS);
}

/* Without MPI_Finalize: a death. What was written stays written. */
_Noreturn void _gfortran_caf_fail_image(void)
{
    current();
    set_status(me, STAT_FAILED_IMAGE);
    exit(EXIT_FAILURE);
}

/* ---- Asking ---- */

int _gfortran_caf_image_status(int image, void *team)
{
    int rank = rank_of(image);
    (void)team;
    look();
    return status_of(rank);
}

int _gfortran_caf_num_images(int distance, int failed)
{
    const Team *team = current();
    int number = 0;
    (void)distance;
    if (failed < 0)
        return team->size;
    look();
    for (int i = 0; i < team->size; i++)
        number += (status_of(team->ranks[i]) == STAT_FAILED_IMAGE) == (failed != 0);
    return number;
}

static void list(Descriptor *array, const int *kind, int status)
{
    const Team *team = current();
    size_t element = kind ? (size_t)*kind : sizeof(int);
    char *numbers = calloc(team->size, element);
    ptrdiff_t found = 0;
    look();
    for (int i = 0; i < team->size; i++)
        if (status_of(team->ranks[i]) == status) {
            /* The lower bytes come first where this library runs. */
            long image = i + 1;
            memcpy(numbers + element * found++, &image, element < sizeof image ? element : sizeof image);
        }
    array->base = numbers;
    array->offset = 0;
    array->dtype.element = element;
    array->dtype.version = 0;
    array->dtype.rank = 1;
    array->dtype.type = 1;
    array->dtype.attribute = 0;
    array->span = element;
    array->dim[0].stride = 1;
    array->dim[0].lower = 0;
    array->dim[0].upper = found - 1;
}

void _gfortran_caf_failed_images(Descriptor *array, void *team, int *kind)
{
    (void)team;
    list(array, kind, STAT_FAILED_IMAGE);
}

void _gfortran_caf_stopped_images(Descriptor *array, void *team, int *kind)
{
    (void)team;
    list(array, kind, STAT_STOPPED_IMAGE);
}

/* ---- Meeting ---- */

void _gfortran_caf_sync_all(int *stat, char *message, size_t length)
{
    int result = meet(current());
    if (allocated && !stat)
        result = 0;
    allocated = false;
    finish("SYNC ALL", result, stat, message, length);
}

void _gfortran_caf_sync_images(int number, int *chosen, int *stat, char *message, size_t length)
{
    const Team *team = current();
    int result, *ranks;
    if (number < 0) {
        finish("SYNC IMAGES", meet_each(SYNC_IMAGES, team->size, team->ranks), stat, message, length);
        return;
    }
    for (int i = 0; i < number; i++)
        for (int j = 0; j < i; j++)
            if (chosen[i] == chosen[j]) {
                finish("SYNC IMAGES", STAT_DUP_SYNC_IMAGES, stat, message, length);
                return;
            }
    ranks = malloc((number + 1) * sizeof *ranks);
    for (int i = 0; i < number; i++)
        ranks[i] = rank_of(chosen[i]);
    result = meet_each(SYNC_IMAGES, number, ranks);
    free(ranks);
    finish("SYNC IMAGES", result, stat, message, length);
}

/* ---- Allocation ---- */

void _gfortran_caf_register(size_t size, int type, Token *token, Descriptor *array, int *stat, char *message, size_t length)
{
    const Team *team = current();
    bool statement = type == ALLOCATABLE || type == LOCK_ALLOCATABLE || type == EVENT_ALLOCATABLE;
    /* An image that has stopped does not come. One that has failed is no error: with a STAT= that is not 0, gfortran would not
       give the array its bounds. */
    allocated |= statement;
    if (statement && meet(team) == STAT_STOPPED_IMAGE) {
        finish("ALLOCATE", STAT_STOPPED_IMAGE, stat, message, length);
        return;
    }
    THEIRS(register)(size, type, token, array, stat, message, length);
    if (type == CRITICAL) {
        critical = realloc(critical, (criticals + 1) * sizeof *critical);
        critical[criticals++] = *token;
    }
}

void _gfortran_caf_deregister(Token *token, int type, int *stat, char *message, size_t length)
{
    if (type == 0) {
        if (meet(current()) == STAT_STOPPED_IMAGE) {
            finish("DEALLOCATE", STAT_STOPPED_IMAGE, stat, message, length);
            return;
        }
        /* OpenCoarrays' own SYNC ALL. */
        allocated = true;
    }
    THEIRS(deregister)(token, type, stat, message, length);
    allocated = false;
}

/* ---- Coindexed objects ---- */

/* Whether what is on this image can be used. */
static bool usable(const char *what, int image, int *stat, bool needed)
{
    int rank = rank_of(image);
    if (stat)
        *stat = 0;
    if (!has_failed(rank))
        return true;
    if (stat)
        *stat = STAT_FAILED_IMAGE;
    else if (needed)
        error_termination("%s: image %d has failed, and there is no STAT=", what, image);
    return false;
}

/* Again after it, if something went wrong meanwhile. */
#define USE(what, image, stat, needed, call)                                                                                          \
    do {                                                                                                                              \
        if (usable(what, image, stat, needed)) {                                                                                      \
            call;                                                                                                                     \
            if (trouble && has_failed(rank_of(image)))                                                                                \
                usable(what, image, stat, needed);                                                                                    \
        }                                                                                                                             \
    } while (0)

static const char reference[] = "reference to a coindexed object", definition[] = "definition of a coindexed object";

void _gfortran_caf_get(Token token, size_t offset, int image, Descriptor *from, void *vector, Descriptor *to, int from_kind, int to_kind,
                       bool apart, int *stat)
{
    USE(reference, image, stat, true, THEIRS(get)(token, offset, image, from, vector, to, from_kind, to_kind, apart, stat));
}

void _gfortran_caf_get_by_ref(Token token, int image, Descriptor *to, void *refs, int to_kind, int from_kind, bool apart,
                              bool reallocate, int *stat, int from_type)
{
    USE(reference, image, stat, true,
        THEIRS(get_by_ref)(token, image, to, refs, to_kind, from_kind, apart, reallocate, stat, from_type));
}

/* gfortran does not hand on STAT= of an object that is defined, so its lack does not mean that there is none. */
void _gfortran_caf_send(Token token, size_t offset, int image, Descriptor *to, void *vector, Descriptor *from, int to_kind, int from_kind,
                        bool apart, int *stat)
{
    USE(definition, image, stat, false, THEIRS(send)(token, offset, image, to, vector, from, to_kind, from_kind, apart, stat));
}

void _gfortran_caf_send_by_ref(Token token, int image, Descriptor *from, void *refs, int to_kind, int from_kind, bool apart,
                               bool reallocate, int *stat, int to_type)
{
    USE(definition, image, stat, false,
        THEIRS(send_by_ref)(token, image, from, refs, to_kind, from_kind, apart, reallocate, stat, to_type));
}

void _gfortran_caf_sendget(Token to, size_t to_offset, int to_image, Descriptor *to_array, void *to_vector, Token from, size_t from_offset,
                           int from_image, Descriptor *from_array, void *from_vector, int to_kind, int from_kind, bool apart, int *stat)
{
    USE(reference, from_image, stat, true,
        USE(definition, to_image, stat, false,
            THEIRS(sendget)(to, to_offset, to_image, to_array, to_vector, from, from_offset, from_image, from_array, from_vector, to_kind,
                            from_kind, apart, stat)));
}

void _gfortran_caf_sendget_by_ref(Token to, int to_image, void *to_refs, Token from, int from_image, void *from_refs, int to_kind,
                                  int from_kind, bool apart, int *to_stat, int *from_stat, int to_type, int from_type)
{
    USE(reference, from_image, from_stat, true,
        USE(definition, to_image, to_stat, false,
            THEIRS(sendget_by_ref)(to, to_image, to_refs, from, from_image, from_refs, to_kind, from_kind, apart, to_stat, from_stat,
                                   to_type, from_type)));
}

int _gfortran_caf_is_present(Token token, int image, void *refs)
{
    return !has_failed(rank_of(image)) && THEIRS(is_present)(token, image, refs);
}

void _gfortran_caf_atomic_define(Token token, size_t offset, int image, void *value, int *stat, int type, int kind)
{
    USE("ATOMIC_DEFINE", image, stat, true, THEIRS(atomic_define)(token, offset, image, value, stat, type, kind));
}

void _gfortran_caf_atomic_ref(Token token, size_t offset, int image, void *value, int *stat, int type, int kind)
{
    USE("ATOMIC_REF", image, stat, true, THEIRS(atomic_ref)(token, offset, image, value, stat, type, kind));
}

void _gfortran_caf_atomic_cas(Token token, size_t offset, int image, void *old, void *compare, void *value, int *stat, int type, int kind)
{
    USE("ATOMIC_CAS", image, stat, true, THEIRS(atomic_cas)(token, offset, image, old, compare, value, stat, type, kind));
}

void _gfortran_caf_atomic_op(int op, Token token, size_t offset, int image, void *value, void *old, int *stat, int type, int kind)
{
    USE("an atomic subroutine", image, stat, true, THEIRS(atomic_op)(op, token, offset, image, value, old, stat, type, kind));
}

/* ---- Locks and events ---- */

void _gfortran_caf_lock(Token token, size_t index, int image, int *acquired, int *stat, char *message, size_t length)
{
    enum { INTEGER = 1 };
    size_t offset = index * sizeof(int);
    bool construct = false;
    int mine = THEIRS(this_image)(0);
    /* CRITICAL has its lock on image 1, whose memory outlives it, and no STAT=. */
    for (int i = 0; i < criticals; i++)
        construct |= critical[i] == token;
    if (!construct && !usable("LOCK", image, stat, true))
        return;
    for (int result = 0;; look()) {
        int before = heard(), got = 0, holder = 0, ignored = 0, status;
        THEIRS(lock)(token, index, image, &got, &ignored, NULL, 0);
        if (!got && ignored == 0) {
            THEIRS(atomic_ref)(token, offset, image, &holder, &ignored, INTEGER, sizeof(int));
            status = holder ? status_of(rank_of(holder)) : 0;
            if (status == STAT_FAILED_IMAGE) {
                int found = 0;
                THEIRS(atomic_cas)(token, offset, image, &found, &holder, &mine, &ignored, INTEGER, sizeof(int));
                got = found == holder;
                /* That is no error: without STAT= it goes on. */
                if (got && stat && !construct)
                    result = STAT_UNLOCKED_FAILED_IMAGE;
            } else if (status == STAT_STOPPED_IMAGE && !acquired) {
                finish("LOCK", STAT_STOPPED_IMAGE, stat, message, length);
                return;
            }
        }
        if (!got && (holder == mine || ignored)) {
            finish("LOCK", STAT_LOCKED, stat, message, length);
            return;
        }
        if (acquired)
            *acquired = got;
        if (got || acquired) {
            finish("LOCK", got ? result : 0, stat, message, length);
            return;
        }
        if (!construct && !usable("LOCK", image, stat, true))
            return;
        if (holder)
            doze(before);
    }
}

void _gfortran_caf_unlock(Token token, size_t index, int image, int *stat, char *message, size_t length)
{
    bool construct = false;
    for (int i = 0; i < criticals; i++)
        construct |= critical[i] == token;
    if (!construct && !usable("UNLOCK", image, stat, true))
        return;
    THEIRS(unlock)(token, index, image, stat, message, length);
    ring_all();
}

void _gfortran_caf_event_post(Token token, size_t index, int image, int *stat, char *message, size_t length)
{
    USE("EVENT POST", image, stat, true, THEIRS(event_post)(token, index, image, stat, message, length));
    ring(rank_of(image));
}

/* Ends without the event when nobody is left that could post it. */
void _gfortran_caf_event_wait(Token token, size_t index, int until, int *stat, char *message, size_t length)
{
    current();
    for (;;) {
        int before = heard(), posted = 0, ignored, result = 0;
        bool alone = true;
        for (int rank = 0; rank < count; rank++)
            if (rank != me) {
                alone &= status_of(rank) != 0;
                result = worse(result, status_of(rank));
            }
        THEIRS(event_query)(token, index, 0, &posted, &ignored);
        if (posted >= until)
            break;
        if (alone) {
            finish("EVENT WAIT", result, stat, message, length);
            return;
        }
        doze(before);
    }
    THEIRS(event_wait)(token, index, until, stat, message, length);
}

/* ---- Collective subroutines ---- */

/* All find the same of who has come, and only if all have they begin. */
#define COLLECTIVE(name, call)                                                                                                        \
    do {                                                                                                                              \
        int result = meet(current()), ours = 0;                                                                                       \
        if (result == 0) {                                                                                                            \
            trouble = false;                                                                                                          \
            call;                                                                                                                     \
            result = trouble || ours ? STAT_FAILED_IMAGE : 0;                                                                         \
            look();                                                                                                                   \
        }                                                                                                                             \
        finish(name, result, stat, message, length);                                                                                  \
    } while (0)

void _gfortran_caf_co_broadcast(Descriptor *a, int source, int *stat, char *message, size_t length)
{
    COLLECTIVE("CO_BROADCAST", THEIRS(co_broadcast)(a, source, &ours, NULL, 0));
}

void _gfortran_caf_co_sum(Descriptor *a, int result_image, int *stat, char *message, size_t length)
{
    COLLECTIVE("CO_SUM", THEIRS(co_sum)(a, result_image, &ours, NULL, 0));
}

void _gfortran_caf_co_min(Descriptor *a, int result_image, int *stat, char *message, int characters, size_t length)
{
    COLLECTIVE("CO_MIN", THEIRS(co_min)(a, result_image, &ours, NULL, characters, 0));
}

void _gfortran_caf_co_max(Descriptor *a, int result_image, int *stat, char *message, int characters, size_t length)
{
    COLLECTIVE("CO_MAX", THEIRS(co_max)(a, result_image, &ours, NULL, characters, 0));
}

void _gfortran_caf_co_reduce(Descriptor *a, void *(*operation)(void *, void *), int flags, int result_image, int *stat, char *message,
                             int characters, size_t length)
{
    COLLECTIVE("CO_REDUCE", THEIRS(co_reduce)(a, operation, flags, result_image, &ours, NULL, characters, 0));
}
