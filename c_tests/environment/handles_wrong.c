/* ranks: 1 2; mpich: skip it crashes at handles that are none */
/* A handle that is none is refused by its class, and what it names is left alone: garbage, addresses, what other binary interfaces
 * have for their predefined objects, objects of other kinds, and those that were freed. */
#include "check.h"

/* What no handle is here: zero, small numbers, those of MPICH's, of Open MPI's and of the standard's interface, addresses. Which of
 * them are handles of this interface after all is told by `is_known`. */
static intptr_t garbage[] = {
    0, 1, 7, 0x1f, 0x2f, 0xff, 0x10a, 0x1ff, 0x2fe, 0x2ff, 0x300, 0xffff, 0x04000000, 0x0c000000, 0x44000000, 0x44000001,
    0x48000000, 0x4c000405, 0x4c00080b, 0x54000000, 0x58000003, 0x5c000001, 0x6c000000, 0x101, 0x102, 0x109, 0x129, 0x131,
    0x141, 0x143, 0x209, 0x21, 0x7fffffff, -1, -2, 0x80000000, 0x84000123, 0x88000321, 0x8c00ffff, 0xa0000777, 0xfffffffe,
    0x123456789abc, 0x7ffdeadbeef0, (intptr_t)0xffffffff80000000, (intptr_t)0x8000000000000000, (intptr_t)0xdead00000000dead};

#define LENGTH(array) ((int)(sizeof(array) / sizeof *(array)))

static int ints[16], flag;
static char text[MPI_MAX_OBJECT_NAME + MPI_MAX_ERROR_STRING];
static double memory[16];

/* The predefined handles of a kind, of which garbage may be one: where handles are integers, that is all 32 bits that are left. */
#define KNOWN(Type, ...)                                                              \
    static int is_##Type(Type handle)                                                 \
    {                                                                                 \
        Type known[] = {__VA_ARGS__};                                                 \
        for (int i = 0; i < LENGTH(known); i++)                                       \
            if (known[i] == handle)                                                   \
                return 1;                                                             \
        return 0;                                                                     \
    }
KNOWN(MPI_Comm, MPI_COMM_WORLD, MPI_COMM_SELF)
KNOWN(MPI_Group, MPI_GROUP_EMPTY)
KNOWN(MPI_Datatype, MPI_INT, MPI_DOUBLE, MPI_CHAR, MPI_BYTE, MPI_PACKED, MPI_SHORT, MPI_AINT)
KNOWN(MPI_Op, MPI_SUM, MPI_MAX, MPI_MIN, MPI_PROD, MPI_BAND, MPI_LAND)
KNOWN(MPI_Info, MPI_INFO_NULL, MPI_INFO_ENV)
KNOWN(MPI_Errhandler, MPI_ERRORS_ARE_FATAL, MPI_ERRORS_RETURN, MPI_ERRORS_ABORT)
KNOWN(MPI_Request, MPI_REQUEST_NULL)
KNOWN(MPI_Message, MPI_MESSAGE_NO_PROC)
KNOWN(MPI_Win, MPI_WIN_NULL)
KNOWN(MPI_File, MPI_FILE_NULL)
KNOWN(MPI_Session, MPI_SESSION_NULL)

static void no_comm(MPI_Comm bad)
{
    CHECK_CLASS(MPI_Comm_size(bad, ints), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Barrier(bad), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Send(memory, 1, MPI_INT, 0, 0, bad), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Allreduce(memory, memory + 8, 1, MPI_INT, MPI_SUM, bad), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_set_name(bad, "name"), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_free(&bad), MPI_ERR_COMM);
}

static void no_group(MPI_Group bad)
{
    MPI_Group made;
    MPI_Comm comm;
    CHECK_CLASS(MPI_Group_size(bad, ints), MPI_ERR_GROUP);
    CHECK_CLASS(MPI_Group_union(MPI_GROUP_EMPTY, bad, &made), MPI_ERR_GROUP);
    CHECK_CLASS(MPI_Comm_create(MPI_COMM_SELF, bad, &comm), MPI_ERR_GROUP);
    CHECK_CLASS(MPI_Group_free(&bad), MPI_ERR_GROUP);
}

static void no_datatype(MPI_Datatype bad)
{
    MPI_Datatype made, types[] = {MPI_INT, bad};
    MPI_Aint aint, aints[] = {0, 8};
    int ones[] = {1, 1};
    CHECK_CLASS(MPI_Type_size(bad, ints), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Type_contiguous(2, bad, &made), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Type_create_struct(2, ones, aints, types, &made), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Type_get_extent(bad, &aint, &aint), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Send(memory, 1, bad, rank, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Bcast(memory, 1, bad, 0, MPI_COMM_SELF), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Type_commit(&bad), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Type_free(&bad), MPI_ERR_TYPE);
}

static void no_op(MPI_Op bad)
{
    CHECK_CLASS(MPI_Op_commutative(bad, &flag), MPI_ERR_OP);
    CHECK_CLASS(MPI_Reduce_local(memory, memory + 8, 1, MPI_INT, bad), MPI_ERR_OP);
    CHECK_CLASS(MPI_Allreduce(memory, memory + 8, 1, MPI_INT, bad, MPI_COMM_SELF), MPI_ERR_OP);
    CHECK_CLASS(MPI_Op_free(&bad), MPI_ERR_OP);
}

static void no_info(MPI_Info bad)
{
    MPI_Info made;
    MPI_Comm comm;
    CHECK_CLASS(MPI_Info_set(bad, "key", "value"), MPI_ERR_INFO);
    CHECK_CLASS(MPI_Info_dup(bad, &made), MPI_ERR_INFO);
    CHECK_CLASS(MPI_Comm_dup_with_info(MPI_COMM_SELF, bad, &comm), MPI_ERR_INFO);
    CHECK_CLASS(MPI_Info_free(&bad), MPI_ERR_INFO);
}

/* MPI has had a class for them since 4.1. */
#ifdef MPI_ERR_ERRHANDLER
#define ERRHANDLER MPI_ERR_ERRHANDLER
#else
#define ERRHANDLER MPI_ERR_ARG
#endif

static void no_errhandler(MPI_Errhandler bad)
{
    CHECK_CLASS(MPI_Comm_set_errhandler(MPI_COMM_SELF, bad), ERRHANDLER);
    CHECK_CLASS(MPI_Errhandler_free(&bad), ERRHANDLER);
}

static void no_request(MPI_Request bad)
{
    MPI_Request both[] = {MPI_REQUEST_NULL, bad}, given = bad;
    MPI_Status statuses[2];
    CHECK_CLASS(MPI_Wait(&given, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Test(&given, &flag, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Cancel(&given), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Start(&given), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Request_get_status(given, &flag, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Waitall(2, both, statuses), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Testany(2, both, ints, &flag, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
    CHECK(both[0] == MPI_REQUEST_NULL && both[1] == bad && given == bad);
    CHECK_CLASS(MPI_Request_free(&given), MPI_ERR_REQUEST);
}

static void no_message(MPI_Message bad)
{
    MPI_Request request;
    MPI_Message given = bad;
    CHECK_CLASS(MPI_Mrecv(memory, 1, MPI_INT, &given, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Imrecv(memory, 1, MPI_INT, &given, &request), MPI_ERR_REQUEST);
    CHECK(given == bad);
}

static void no_win(MPI_Win bad)
{
    CHECK_CLASS(MPI_Win_fence(0, bad), MPI_ERR_WIN);
    CHECK_CLASS(MPI_Put(memory, 1, MPI_INT, 0, 0, 1, MPI_INT, bad), MPI_ERR_WIN);
    CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, bad), MPI_ERR_WIN);
    CHECK_CLASS(MPI_Win_free(&bad), MPI_ERR_WIN);
}

static void no_file(MPI_File bad)
{
    MPI_Offset offset;
    CHECK_CLASS(MPI_File_get_size(bad, &offset), MPI_ERR_FILE);
    CHECK_CLASS(MPI_File_read_at(bad, 0, memory, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_FILE);
    CHECK_CLASS(MPI_File_close(&bad), MPI_ERR_FILE);
}

static void no_session(MPI_Session bad)
{
    CHECK_CLASS(MPI_Session_get_num_psets(bad, MPI_INFO_NULL, ints), MPI_ERR_SESSION);
    CHECK_CLASS(MPI_Session_finalize(&bad), MPI_ERR_SESSION);
}

/* Whether a number survives being a handle: where those are integers the upper half is lost, and what is left may be one. */
#define REFUSE(Type, refuse)                                                          \
    do {                                                                              \
        for (int i_ = 0; i_ < LENGTH(garbage); i_++)                                  \
            if (!is_##Type((Type)garbage[i_]))                                        \
                refuse((Type)garbage[i_]);                                            \
    } while (0)

static void sum(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)length, (void)type;
}

static void handler(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
    REFUSE(MPI_Comm, no_comm);
    REFUSE(MPI_Group, no_group);
    REFUSE(MPI_Datatype, no_datatype);
    REFUSE(MPI_Op, no_op);
    REFUSE(MPI_Info, no_info);
    REFUSE(MPI_Errhandler, no_errhandler);
    REFUSE(MPI_Request, no_request);
    REFUSE(MPI_Message, no_message);
    REFUSE(MPI_Win, no_win);
    REFUSE(MPI_File, no_file);
    REFUSE(MPI_Session, no_session);
    no_comm(MPI_COMM_NULL);
    no_group(MPI_GROUP_NULL);
    no_datatype(MPI_DATATYPE_NULL);
    no_op(MPI_OP_NULL);
    no_errhandler(MPI_ERRHANDLER_NULL);
    no_message(MPI_MESSAGE_NULL);
    no_win(MPI_WIN_NULL);
    no_file(MPI_FILE_NULL);
    no_session(MPI_SESSION_NULL);

    /* Live objects, as those of other kinds; then as what they were. */
    MPI_Comm comm, freed_comm;
    MPI_Group group, freed_group;
    MPI_Datatype type, freed_type;
    MPI_Op op, freed_op;
    MPI_Info info, freed_info;
    MPI_Errhandler errhandler, freed_errhandler;
    MPI_Win win, freed_win;
    MPI_Session session, freed_session;
    MPI_Request request, freed_request;
    MPI_Message message, freed_message;
    MPI_File file, freed_file;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_group(MPI_COMM_WORLD, &group));
    OK(MPI_Type_contiguous(3, MPI_INT, &type));
    OK(MPI_Op_create(sum, 1, &op));
    OK(MPI_Info_create(&info));
    OK(MPI_Comm_create_errhandler(handler, &errhandler));
    OK(MPI_Win_create(memory, 8, 1, MPI_INFO_NULL, comm, &win));
    OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
    OK(MPI_Recv_init(ints, 1, MPI_INT, rank, 5, comm, &request));
    OK(MPI_Send(ints, 0, MPI_INT, rank, 6, comm));
    OK(MPI_Mprobe(rank, 6, comm, &message, MPI_STATUS_IGNORE));
    snprintf(text, sizeof text, "handles_wrong.%d.tmp", size);
    OK(MPI_File_open(comm, text, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file));

    intptr_t others[] = {(intptr_t)comm,       (intptr_t)group,           (intptr_t)type,       (intptr_t)op,
                         (intptr_t)info,       (intptr_t)errhandler,      (intptr_t)win,        (intptr_t)session,
                         (intptr_t)request,    (intptr_t)message,         (intptr_t)file,       (intptr_t)MPI_COMM_WORLD,
                         (intptr_t)MPI_INT,    (intptr_t)MPI_GROUP_EMPTY, (intptr_t)MPI_SUM,    (intptr_t)MPI_INFO_ENV,
                         (intptr_t)MPI_DOUBLE, (intptr_t)MPI_FLOAT_INT,   (intptr_t)MPI_REPLACE};
    for (int i = 0; i < LENGTH(others); i++) {
        intptr_t other = others[i];
        if ((MPI_Comm)other != comm && !is_MPI_Comm((MPI_Comm)other))
            no_comm((MPI_Comm)other);
        if ((MPI_Group)other != group && !is_MPI_Group((MPI_Group)other))
            no_group((MPI_Group)other);
        if ((MPI_Datatype)other != type && !is_MPI_Datatype((MPI_Datatype)other) && (MPI_Datatype)other != MPI_FLOAT_INT)
            no_datatype((MPI_Datatype)other);
        if ((MPI_Op)other != op && !is_MPI_Op((MPI_Op)other) && (MPI_Op)other != MPI_REPLACE)
            no_op((MPI_Op)other);
        if ((MPI_Info)other != info && !is_MPI_Info((MPI_Info)other))
            no_info((MPI_Info)other);
        if ((MPI_Errhandler)other != errhandler && !is_MPI_Errhandler((MPI_Errhandler)other))
            no_errhandler((MPI_Errhandler)other);
        if ((MPI_Win)other != win)
            no_win((MPI_Win)other);
        if ((MPI_Session)other != session)
            no_session((MPI_Session)other);
        if ((MPI_Request)other != request && !is_MPI_Request((MPI_Request)other))
            no_request((MPI_Request)other);
        if ((MPI_Message)other != message && !is_MPI_Message((MPI_Message)other))
            no_message((MPI_Message)other);
        if ((MPI_File)other != file)
            no_file((MPI_File)other);
    }

    /* They are as they were. */
    freed_file = file, freed_message = message, freed_request = request, freed_session = session, freed_win = win;
    freed_errhandler = errhandler, freed_info = info, freed_op = op, freed_type = type, freed_group = group;
    freed_comm = comm;
    OK(MPI_File_close(&file));
    OK(MPI_Mrecv(ints, 0, MPI_INT, &message, MPI_STATUS_IGNORE));
    OK(MPI_Request_free(&request));
    OK(MPI_Session_finalize(&session));
    OK(MPI_Win_free(&win));
    OK(MPI_Errhandler_free(&errhandler));
    OK(MPI_Info_free(&info));
    OK(MPI_Op_free(&op));
    OK(MPI_Type_free(&type));
    OK(MPI_Group_free(&group));
    OK(MPI_Comm_free(&comm));
    CHECK(file == MPI_FILE_NULL && message == MPI_MESSAGE_NULL && request == MPI_REQUEST_NULL && win == MPI_WIN_NULL);
    CHECK(session == MPI_SESSION_NULL && errhandler == MPI_ERRHANDLER_NULL && info == MPI_INFO_NULL && op == MPI_OP_NULL);
    CHECK(type == MPI_DATATYPE_NULL && group == MPI_GROUP_NULL && comm == MPI_COMM_NULL);
    no_file(freed_file);
    no_message(freed_message);
    no_request(freed_request);
    no_session(freed_session);
    no_win(freed_win);
    no_errhandler(freed_errhandler);
    no_info(freed_info);
    no_op(freed_op);
    no_datatype(freed_type);
    no_group(freed_group);
    no_comm(freed_comm);
    return check_end();
}
