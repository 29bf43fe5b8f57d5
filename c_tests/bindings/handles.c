/* ranks: 1 2; mpich: skip 4.0 has no MPI_Comm_toint, and no session is open beside it */
/* Handles as Fortran has them, and as integers: of predefined objects, of made ones, and of none; statuses in all three
 * forms. The standard's interface has nothing of Fortran's. */
#include "check.h"

typedef MPI_Datatype MPI_Type;

#ifdef MPI_ABI_VERSION
#define FORTRAN(checks)
#else
#define FORTRAN(checks) checks
#endif

/* There and back, and the integers of two objects differ. */
#define CONVERTS(Kind, one, other)                                                    \
    do {                                                                              \
        MPI_##Kind one_ = (one), other_ = (other);                                    \
        FORTRAN(CHECK(MPI_##Kind##_f2c(MPI_##Kind##_c2f(one_)) == one_));             \
        CHECK(MPI_##Kind##_fromint(MPI_##Kind##_toint(one_)) == one_);                \
        FORTRAN(CHECK(MPI_##Kind##_c2f(one_) != MPI_##Kind##_c2f(other_)));           \
        CHECK(MPI_##Kind##_toint(one_) != MPI_##Kind##_toint(other_));                \
        FORTRAN(CHECK(MPI_##Kind##_f2c(MPI_##Kind##_c2f(other_)) == other_));         \
        CHECK(MPI_##Kind##_fromint(MPI_##Kind##_toint(other_)) == other_);            \
    } while (0)

static void add(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *length; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static void handler(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
}

static void made(void)
{
    MPI_Comm comm;
    MPI_Group group;
    MPI_Datatype type;
    MPI_Op op;
    MPI_Info info;
    MPI_Errhandler errhandler;
    MPI_Request request;
    MPI_Message message;
    MPI_Win win;
    MPI_Session session;
    MPI_File file;
    char name[64], byte = 5, got;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    CONVERTS(Comm, comm, MPI_COMM_WORLD);
    CONVERTS(Comm, MPI_COMM_NULL, MPI_COMM_SELF);
    OK(MPI_Comm_group(comm, &group));
    CONVERTS(Group, group, MPI_GROUP_EMPTY);
    CONVERTS(Group, MPI_GROUP_NULL, group);
    OK(MPI_Type_contiguous(3, MPI_INT, &type));
    CONVERTS(Type, type, MPI_INT);
    CONVERTS(Type, MPI_DATATYPE_NULL, MPI_DOUBLE_INT);
    OK(MPI_Op_create(add, 1, &op));
    CONVERTS(Op, op, MPI_SUM);
    CONVERTS(Op, MPI_OP_NULL, MPI_MAXLOC);
    OK(MPI_Info_create(&info));
    CONVERTS(Info, info, MPI_INFO_ENV);
    CONVERTS(Info, MPI_INFO_NULL, info);
    OK(MPI_Comm_create_errhandler(handler, &errhandler));
    CONVERTS(Errhandler, errhandler, MPI_ERRORS_RETURN);
    CONVERTS(Errhandler, MPI_ERRHANDLER_NULL, MPI_ERRORS_ARE_FATAL);
    OK(MPI_Irecv(&got, 1, MPI_BYTE, rank, 3, comm, &request));
    CONVERTS(Request, request, MPI_REQUEST_NULL);
    OK(MPI_Send(&byte, 1, MPI_BYTE, rank, 3, comm));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Send(&byte, 1, MPI_BYTE, rank, 3, comm));
    OK(MPI_Mprobe(rank, 3, comm, &message, MPI_STATUS_IGNORE));
    CONVERTS(Message, message, MPI_MESSAGE_NULL);
    CONVERTS(Message, MPI_MESSAGE_NO_PROC, message);
    OK(MPI_Mrecv(&byte, 1, MPI_BYTE, &message, MPI_STATUS_IGNORE));
    OK(MPI_Win_create(&byte, 1, 1, info, comm, &win));
    CONVERTS(Win, win, MPI_WIN_NULL);
    OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
    CONVERTS(Session, session, MPI_SESSION_NULL);
    snprintf(name, sizeof name, "handles.%d.tmp", size);
    OK(MPI_File_open(comm, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file));
    CONVERTS(File, file, MPI_FILE_NULL);

    /* What came back is the object itself. */
    MPI_Comm same = MPI_Comm_fromint(MPI_Comm_toint(comm));
    int result = -1;
    OK(MPI_Comm_compare(same, comm, &result));
    CHECK_EQ(result, MPI_IDENT);
    OK(MPI_Comm_free(&same));

    OK(MPI_File_close(&file));
    OK(MPI_Session_finalize(&session));
    OK(MPI_Win_free(&win));
    OK(MPI_Errhandler_free(&errhandler));
    OK(MPI_Info_free(&info));
    OK(MPI_Op_free(&op));
    OK(MPI_Type_free(&type));
    OK(MPI_Group_free(&group));
}

#ifndef MPI_ABI_VERSION
/* A status says the same in C, in Fortran's array, and in Fortran 2008's type. */
static void statuses_of_fortran(MPI_Status status)
{
    MPI_Status back;
    MPI_Fint array[sizeof(MPI_Status) / sizeof(MPI_Fint)];
    MPI_F08_status f08;
    int bytes = 0;
    for (int way = 0; way < 4; way++) {
        memset(&back, 0x55, sizeof back);
        memset(array, 0x66, sizeof array);
        memset(&f08, 0x77, sizeof f08);
        switch (way) {
        case 0:
            OK(MPI_Status_c2f(&status, array));
            OK(MPI_Status_f2c(array, &back));
            break;
        case 1:
            OK(MPI_Status_c2f08(&status, &f08));
            OK(MPI_Status_f082c(&f08, &back));
            break;
        case 2:
            OK(MPI_Status_c2f(&status, array));
            OK(MPI_Status_f2f08(array, &f08));
            OK(MPI_Status_f082c(&f08, &back));
            break;
        case 3:
            OK(MPI_Status_c2f08(&status, &f08));
            OK(MPI_Status_f082f(&f08, array));
            OK(MPI_Status_f2c(array, &back));
            break;
        }
        CHECK_EQ(back.MPI_SOURCE, rank);
        CHECK_EQ(back.MPI_TAG, 11);
        CHECK_EQ(back.MPI_ERROR, MPI_ERR_TRUNCATE);
        OK(MPI_Get_count(&back, MPI_BYTE, &bytes));
        CHECK_EQ(bytes, 37);
    }
    CHECK_CLASS(MPI_Status_c2f(NULL, array), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Status_f082c(&f08, NULL), MPI_ERR_ARG);
}
#endif

static void statuses(void)
{
    MPI_Status status;
    int value = -1, bytes = 0;
    char data[37] = "";
    OK(MPI_Send(data, 37, MPI_BYTE, rank, 11, MPI_COMM_WORLD));
    OK(MPI_Recv(data, 37, MPI_BYTE, rank, 11, MPI_COMM_WORLD, &status));
    status.MPI_ERROR = MPI_ERR_TRUNCATE;
#ifndef MPI_ABI_VERSION
    statuses_of_fortran(status);
#endif
    /* Its parts by functions. */
    OK(MPI_Status_get_source(&status, &value));
    CHECK_EQ(value, rank);
    OK(MPI_Status_get_tag(&status, &value));
    CHECK_EQ(value, 11);
    OK(MPI_Status_get_error(&status, &value));
    CHECK_EQ(value, MPI_ERR_TRUNCATE);
    OK(MPI_Status_set_source(&status, 3));
    OK(MPI_Status_set_tag(&status, 4));
    OK(MPI_Status_set_error(&status, MPI_ERR_OTHER));
    CHECK(status.MPI_SOURCE == 3 && status.MPI_TAG == 4 && status.MPI_ERROR == MPI_ERR_OTHER);
    OK(MPI_Get_count(&status, MPI_BYTE, &bytes));
    CHECK_EQ(bytes, 37);
    CHECK_CLASS(MPI_Status_get_source(NULL, &value), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Status_get_tag(&status, NULL), MPI_ERR_ARG);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    made();
    statuses();
    return check_end();
}
