/* ranks: 1 2 */
/* What a program asks an object for again and again has the same handle each time, so that it may never free it; and it may
 * free it as often as it asked, once it did not before. */
#include "check.h"
#include <unistd.h>

enum { OFTEN = 1100 * 1000, FEW = 1000 };

/* Asks so often, and gives the one handle. */
#define AGAIN(Type, first, ask)                                                       \
    do {                                                                              \
        MPI_##Type handle_;                                                           \
        OK(ask(first));                                                               \
        for (int i = 0; i < OFTEN; i++) {                                             \
            OK(ask(&handle_));                                                        \
            CHECK(handle_ == *(first));                                               \
        }                                                                             \
    } while (0)

/* Asks a few times more, and frees all of these: it is still there. */
#define NOT_THE_LAST(Type, first, ask)                                                \
    do {                                                                              \
        MPI_##Type handles_[FEW];                                                     \
        for (int i = 0; i < FEW; i++)                                                 \
            OK(ask(&handles_[i]));                                                    \
        for (int i = 0; i < FEW; i++)                                                 \
            OK(MPI_##Type##_free(&handles_[i]));                                      \
        OK(ask(first));                                                               \
        CHECK(*(first) == handle);                                                    \
    } while (0)

static MPI_Win win;
static MPI_File file;
static MPI_Comm inter;
static MPI_Datatype outer;

#define WORLD_GROUP(place) MPI_Comm_group(MPI_COMM_WORLD, place)
#define SELF_GROUP(place) MPI_Comm_group(MPI_COMM_SELF, place)
#define WIN_GROUP(place) MPI_Win_get_group(win, place)
#define FILE_GROUP(place) MPI_File_get_group(file, place)
#define REMOTE_GROUP(place) MPI_Comm_remote_group(inter, place)

/* All of a kind are asked for often, freed a few times, and then used: the object's own is left alone. */
#define GROUP(ask)                                                                    \
    do {                                                                              \
        MPI_Group handle, first;                                                      \
        int members = -1;                                                             \
        AGAIN(Group, &handle, ask);                                                   \
        NOT_THE_LAST(Group, &first, ask);                                             \
        OK(MPI_Group_size(handle, &members));                                         \
        CHECK(members >= 1 && members <= size);                                       \
    } while (0)

static void groups(void)
{
    GROUP(WORLD_GROUP);
    GROUP(SELF_GROUP);
    GROUP(WIN_GROUP);
    GROUP(FILE_GROUP);
    if (size > 1)
        GROUP(REMOTE_GROUP);
}

static void on_comm(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
}

static void on_win(MPI_Win *w, int *code, ...)
{
    (void)w, (void)code;
}

#define COMM_HANDLER(place) MPI_Comm_get_errhandler(MPI_COMM_SELF, place)
#define WIN_HANDLER(place) MPI_Win_get_errhandler(win, place)
#define FILE_HANDLER(place) MPI_File_get_errhandler(file, place)

#define HANDLER(ask)                                                                  \
    do {                                                                              \
        MPI_Errhandler handle, first;                                                 \
        AGAIN(Errhandler, &handle, ask);                                              \
        NOT_THE_LAST(Errhandler, &first, ask);                                        \
    } while (0)

static void handlers(void)
{
    MPI_Errhandler of_comm, of_win;
    OK(MPI_Comm_create_errhandler(on_comm, &of_comm));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, of_comm));
    OK(MPI_Errhandler_free(&of_comm));
    OK(MPI_Win_create_errhandler(on_win, &of_win));
    OK(MPI_Win_set_errhandler(win, of_win));
    OK(MPI_Errhandler_free(&of_win));
    HANDLER(COMM_HANDLER);
    HANDLER(WIN_HANDLER);
    HANDLER(FILE_HANDLER);
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
}

static int member(MPI_Datatype *place)
{
    int count;
    return MPI_Type_get_contents(outer, 1, 0, 1, &count, NULL, place);
}

#ifdef RMASHM
/* (MPICH makes a new datatype each time.) */
static int file_type(MPI_Datatype *place)
{
    MPI_Datatype etype;
    MPI_Offset disp;
    char representation[MPI_MAX_DATAREP_STRING];
    return MPI_File_get_view(file, &disp, &etype, place, representation);
}
#endif

#define TYPE(ask)                                                                     \
    do {                                                                              \
        MPI_Datatype handle, first;                                                   \
        MPI_Aint lb = -1, extent = -1;                                                \
        AGAIN(Datatype, &handle, ask);                                                \
        NOT_THE_LAST(Datatype, &first, ask);                                          \
        OK(MPI_Type_get_extent(handle, &lb, &extent));                                \
        CHECK_EQ(extent, 3 * sizeof(int));                                            \
    } while (0)
#define MPI_Datatype_free MPI_Type_free

static void types(void)
{
    MPI_Datatype inner;
    OK(MPI_Type_contiguous(3, MPI_INT, &inner));
    OK(MPI_Type_commit(&inner));
    OK(MPI_File_set_view(file, 0, MPI_INT, inner, "native", MPI_INFO_NULL));
    OK(MPI_Type_contiguous(2, inner, &outer));
    OK(MPI_Type_free(&inner));
    TYPE(member);
#ifdef RMASHM
    TYPE(file_type);
#endif
    OK(MPI_Type_free(&outer));
}

#ifdef RMASHM
static MPI_Session session;

#define PSET_GROUP(place) MPI_Group_from_session_pset(session, "mpi://WORLD", place)
#define SESSION_HANDLER(place) MPI_Session_get_errhandler(session, place)

static void on_session(MPI_Session *s, int *code, ...)
{
    (void)s, (void)code;
}

static void sessions(void)
{
    MPI_Errhandler of_session;
    OK(MPI_Session_create_errhandler(on_session, &of_session));
    OK(MPI_Session_init(MPI_INFO_NULL, of_session, &session));
    OK(MPI_Errhandler_free(&of_session));
    GROUP(PSET_GROUP);
    HANDLER(SESSION_HANDLER);
    OK(MPI_Session_finalize(&session));
}

/* The last free of what was asked for three times ends it, and one more is found out. */
static void freed_too_often(void)
{
    MPI_Comm comm;
    MPI_Group group[3], stale;
    MPI_Datatype type[2];
    int count, n;
    /* (A duplicate would have MPI_COMM_WORLD's group.) */
    OK(MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &comm));
    for (int i = 0; i < 3; i++)
        OK(MPI_Comm_group(comm, &group[i]));
    stale = group[0];
    for (int i = 0; i < 3; i++) {
        OK(MPI_Group_size(stale, &n));
        CHECK_EQ(n, size);
        OK(MPI_Group_free(&group[i]));
    }
    CHECK_CLASS(MPI_Group_size(stale, &n), MPI_ERR_GROUP);
    CHECK_CLASS(MPI_Group_free(&stale), MPI_ERR_GROUP);
    /* The communicator has its group still, and it goes on when the communicator is freed. */
    OK(MPI_Comm_group(comm, &group[0]));
    OK(MPI_Comm_free(&comm));
    OK(MPI_Group_size(group[0], &n));
    CHECK_EQ(n, size);
    OK(MPI_Group_free(&group[0]));

    OK(MPI_Type_contiguous(3, MPI_INT, &type[0]));
    OK(MPI_Type_contiguous(2, type[0], &outer));
    OK(MPI_Type_get_contents(outer, 1, 0, 1, &count, NULL, &type[1]));
    CHECK(type[0] == type[1]);
    OK(MPI_Type_free(&type[0]));
    OK(MPI_Type_size(type[1], &n));
    CHECK_EQ(n, 3 * sizeof(int));
    MPI_Datatype freed = type[1];
    OK(MPI_Type_free(&type[1]));
    CHECK_CLASS(MPI_Type_size(freed, &n), MPI_ERR_TYPE);
    OK(MPI_Type_free(&outer));
}
#endif

int main(int argc, char **argv)
{
    int base = 0, process = (int)getpid();
    char name[64];
    check_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Win_create(&base, sizeof base, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    snprintf(name, sizeof name, "handles_never_freed.%d.tmp", process);
    OK(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                     &file));
    if (size > 1)
        OK(MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, 1, &inter));
    groups();
    handlers();
    types();
#ifdef RMASHM
    sessions();
    freed_too_often();
#endif
    if (size > 1)
        OK(MPI_Comm_free(&inter));
    OK(MPI_File_close(&file));
    OK(MPI_Win_free(&win));
    return check_end();
}
