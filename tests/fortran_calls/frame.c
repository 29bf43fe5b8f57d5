/* The frame of a program that calls procedures of Fortran beside the functions of C. What is printed for each procedure calls both
 * and tells what came of it; a line of that in a file is the name, what the arguments were, what C said and what Fortran said. */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* gfortran's descriptor of a scalar. */
struct gfortran { void *base; size_t offset, elem_len; int version; signed char rank, type; short attribute; ptrdiff_t span; };
/* The standard's. */
struct cfi { void *base; size_t elem_len; int version; unsigned char rank, rest[3]; };

/* What Fortran is called by. Its arguments are addresses, and lengths of strings. */
typedef void procedure();

enum { ARGUMENTS = 64, ELEMENTS = 64, ROOM = 1 << 13, LENGTH_IN = 8, LENGTH_OUT = ROOM };

/* The memory of arguments: of each as many elements as a call may look at. */
static int ints[ARGUMENTS][ELEMENTS];
static long longs[ARGUMENTS][ELEMENTS];
static void *handles[ARGUMENTS][ELEMENTS];
static MPI_Status statuses[ELEMENTS];
/* Choice buffers, two of which a call may have, and one for results. */
static char buffers[3][ROOM];
/* Strings that are given to C and to Fortran, where blanks follow; and those that they give. */
static char text[] = "text", words[ROOM], given_text[LENGTH_OUT + 1];
/* Of three buffers; where they are is told before each call. */
#define GFORTRAN { NULL, 0, 4, 0, 0, 1, 0, 4 }
#define CFI { NULL, 4, 1, 0, { 0 } }
static struct gfortran gfortran[] = { GFORTRAN, GFORTRAN, GFORTRAN };
static struct cfi cfi[] = { CFI, CFI, CFI }, cfi_words = { words, LENGTH_IN, 1, 0, { 0 } };
static struct cfi cfi_given = { given_text, LENGTH_OUT, 1, 0, { 0 } };

static int nothing(void) { return MPI_SUCCESS; }

/* The objects that calls are given. */
static struct {
    MPI_Comm MPI_Comm; MPI_Datatype MPI_Datatype; MPI_Errhandler MPI_Errhandler; MPI_File MPI_File; MPI_Group MPI_Group;
    MPI_Info MPI_Info; MPI_Message MPI_Message; MPI_Op MPI_Op; MPI_Request MPI_Request; MPI_Win MPI_Win;
#ifdef MPI_SESSION_NULL
    MPI_Session MPI_Session;
#endif
} object, no_object;

/* A root that communicators have, or one that they do not have. */
static int root = 77;

/* What takes the place of an argument: C's value, and the addresses of the variables of mpif.h and of mpi_f08. */
struct sentinel { void *in_c, *in_header, *in_f08; };
struct sentinels { struct sentinel bottom, in_place, status, statuses, unweighted, weights_empty, argv, argvs, errcodes; };

/* Those of now: of a choice buffer, and of which one; of others. */
static struct sentinel in_place_of_buffer, in_place_of_status, in_place_of_statuses, in_place_of_weights, in_place_of_argv,
    in_place_of_argvs, in_place_of_errcodes;
static int replaced = -1;

static void *in_c(struct sentinel sentinel, void *argument) { return sentinel.in_header ? sentinel.in_c : argument; }
static void *in_header(struct sentinel sentinel, void *argument) { return sentinel.in_header ? sentinel.in_header : argument; }
static void *in_f08(struct sentinel sentinel, void *argument) { return sentinel.in_f08 ? sentinel.in_f08 : argument; }

/* The sentinel of a choice buffer. */
static struct sentinel of_buffer(int which)
{
    static const struct sentinel none;
    return which == replaced ? in_place_of_buffer : none;
}

static void clean(void)
{
    memset(ints, 0, sizeof ints);
    memset(longs, 0, sizeof longs);
    memset(handles, 0, sizeof handles);
    memset(statuses, 0, sizeof statuses);
    for (int i = 0; i < 3; i++)
        gfortran[i].base = cfi[i].base = in_f08(of_buffer(i), buffers[i]);
    memset(given_text, '#', sizeof given_text - 1);
}

static FILE *lines;
static const char *situation;
/* What one of both has said, and how much. */
static char said[2][4 * ROOM];
static size_t length[2];
enum { C, FORTRAN };

static void tell_code(int who, int code)
{
    int ignored;
    if (code < 0 || MPI_Error_string(code, said[who], &ignored) != MPI_SUCCESS)
        sprintf(said[who], "%d, which is no code", code);
    length[who] = strlen(said[who]);
}

static void tell_number(int who, const char *name, long number)
{
    length[who] += sprintf(said[who] + length[who], ", %s %ld", name, number);
}

/* A status has the same form in both languages. */
static void tell_status(int who)
{
    tell_number(who, "MPI_SOURCE", statuses->MPI_SOURCE);
    tell_number(who, "MPI_TAG", statuses->MPI_TAG);
    tell_number(who, "MPI_ERROR", statuses->MPI_ERROR);
}

static void tell_weighted(int who, MPI_Comm comm)
{
    int indegree, outdegree, weighted;
    MPI_Dist_graph_neighbors_count(comm, &indegree, &outdegree, &weighted);
    tell_number(who, "weighted", weighted);
}

#ifdef MPI_SESSION_NULL
static void end_session(int who, MPI_Session session)
{
    tell_number(who, "ended", MPI_Session_finalize(&session) == MPI_SUCCESS);
}
#endif

/* A string: in C up to the zero, in Fortran without the blanks that fill it up. */
static void tell_text(int who, const char *name)
{
    int end = who == C ? strlen(given_text) : LENGTH_OUT;
    while (who == FORTRAN && end > 0 && given_text[end - 1] == ' ')
        end--;
    length[who] += sprintf(said[who] + length[who], ", %s '%.*s'", name, end < 300 ? end : 300, given_text);
}

static void line(const char *name)
{
    fprintf(lines, "%s\t%s\t%s\t%s\n", name, situation, said[C], said[FORTRAN]);
}

struct call { void (*call)(const char *, procedure *); const char *name; procedure *fortran; };

static void all(const struct call *calls, const char *what)
{
    situation = what;
    for (; calls->call != NULL; calls++)
        calls->call(calls->name, calls->fortran);
}

static void begin(const char *file)
{
    lines = fopen(file, "w");
    memset(words, ' ', sizeof words);
    memcpy(words, text, strlen(text));
    no_object.MPI_Comm = MPI_COMM_NULL;
    no_object.MPI_Datatype = MPI_DATATYPE_NULL;
    no_object.MPI_Errhandler = MPI_ERRHANDLER_NULL;
    no_object.MPI_File = MPI_FILE_NULL;
    no_object.MPI_Group = MPI_GROUP_NULL;
    no_object.MPI_Info = MPI_INFO_NULL;
    no_object.MPI_Message = MPI_MESSAGE_NULL;
    no_object.MPI_Op = MPI_OP_NULL;
    no_object.MPI_Request = MPI_REQUEST_NULL;
    no_object.MPI_Win = MPI_WIN_NULL;
#ifdef MPI_SESSION_NULL
    no_object.MPI_Session = MPI_SESSION_NULL;
#endif
    object = no_object;
}

static void make_objects(const char *file)
{
    static char memory[ROOM];
    object.MPI_Comm = MPI_COMM_SELF;
    object.MPI_Datatype = MPI_INT;
    object.MPI_Errhandler = MPI_ERRORS_RETURN;
    MPI_File_open(MPI_COMM_SELF, file, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &object.MPI_File);
    MPI_Comm_group(MPI_COMM_SELF, &object.MPI_Group);
    MPI_Info_create(&object.MPI_Info);
    MPI_Info_set(object.MPI_Info, text, text);
    object.MPI_Op = MPI_SUM;
    MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_SELF, &object.MPI_Win);
    MPI_Win_set_errhandler(object.MPI_Win, MPI_ERRORS_RETURN);
}

static void free_objects(void)
{
    MPI_File_close(&object.MPI_File);
    MPI_Win_free(&object.MPI_Win);
    MPI_Info_free(&object.MPI_Info);
    MPI_Group_free(&object.MPI_Group);
}

/* All calls, with no objects, with objects, and with sentinels. */
static void all_situations(const struct call *calls, const struct sentinels *sentinels, const char *file)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    all(calls, "no objects");
    make_objects(file);
    all(calls, "objects");
    root = 0;
    in_place_of_status = sentinels->status;
    in_place_of_statuses = sentinels->statuses;
    in_place_of_argv = sentinels->argv;
    in_place_of_argvs = sentinels->argvs;
    in_place_of_errcodes = sentinels->errcodes;
    for (replaced = 0; replaced < 2; replaced++) {
        in_place_of_buffer = sentinels->in_place;
        in_place_of_weights = sentinels->unweighted;
        all(calls, replaced ? "the second buffer is MPI_IN_PLACE" : "the first buffer is MPI_IN_PLACE");
        in_place_of_buffer = sentinels->bottom;
        in_place_of_weights = sentinels->weights_empty;
        all(calls, replaced ? "the second buffer is MPI_BOTTOM" : "the first buffer is MPI_BOTTOM");
    }
    free_objects();
}
