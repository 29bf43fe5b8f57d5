/* ranks: 1 */
/* A handle that is garbage, null, freed, of another kind, or of another interface gives the class of its kind, and never a
 * crash. */
#include "check.h"
#include <mpi-ext.h>

#define OTHERS(...) const uintptr_t others[] = { __VA_ARGS__ }

/* Numbers and addresses that are no object of any kind: of MPICH's interface and the standard's, near a real object, unmapped,
 * not readable, and such as look like this library's own handles. */
static char page[4096];
static uintptr_t garbage[] = {
    0, 1, 2, 0x20, 0x101, 0x209, 0x141, 0x180, 0x44000000, 0x4c000405, 0x58000003, 0x84000000, (uintptr_t)-1,
    0x7fffffffffff, 0x800000000000, 0xffffffff80000000, 0x524d534800000000, 0x524d5348ffffffff, 0x524d534884000000,
    0x524d534f44000000, (uintptr_t)page, (uintptr_t)page + 1, (uintptr_t)&garbage
};
enum { GARBAGE = sizeof garbage / sizeof *garbage };

#define BAD(call, wanted)                                                                              \
    do {                                                                                               \
        int class_, code_ = (call);                                                                    \
        MPI_Error_class(code_, &class_);                                                               \
        if (class_ != (wanted))                                                                        \
            check_failed(__FILE__, __LINE__, "%s with %#lx: class %d, not %d", #call, (long)bad, class_, \
                         (int)(wanted));                                                               \
    } while (0)

int main(int argc, char **argv)
{
    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));

    int word = 0, flag, number, *memory;
    MPI_Comm comm, freed_comm;
    MPI_Group group, freed_group;
    MPI_Datatype type, freed_type;
    MPI_Op op, freed_op;
    MPI_Info info, freed_info;
    MPI_Win win, freed_win;
    MPI_Request request, persistent, freed_request;
    MPI_Message message;
    MPI_File file;

    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    freed_comm = comm;
    OK(MPI_Comm_free(&comm));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_group(comm, &group));
    OK(MPI_Group_incl(group, 1, &word, &freed_group));
    MPI_Group kept = freed_group;
    OK(MPI_Group_free(&freed_group));
    freed_group = kept;
    OK(MPI_Type_contiguous(3, MPI_INT, &type));
    OK(MPI_Type_commit(&type));
    MPI_Datatype other;
    OK(MPI_Type_dup(type, &other));
    freed_type = other;
    OK(MPI_Type_free(&other));
    OK(MPI_Info_create(&info));
    MPI_Info more;
    OK(MPI_Info_create(&more));
    freed_info = more;
    OK(MPI_Info_free(&more));
    OK(MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
    freed_win = win;
    OK(MPI_Win_free(&win));
    OK(MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    OK(MPI_Win_lock_all(0, win));
    OK(MPI_Send_init(&word, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &persistent));
    request = persistent;
    freed_request = persistent;
    OK(MPI_Request_free(&persistent));
    OK(MPI_Send_init(&word, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &persistent));
    op = MPI_SUM;
    freed_op = MPI_OP_NULL;

    /* Of every other kind, the handles that there are; and those of the same kind that are null or freed. */
    OTHERS((uintptr_t)comm, (uintptr_t)group, (uintptr_t)type, (uintptr_t)op, (uintptr_t)info, (uintptr_t)win,
           (uintptr_t)persistent, (uintptr_t)MPI_COMM_WORLD, (uintptr_t)MPI_GROUP_EMPTY, (uintptr_t)MPI_INT,
           (uintptr_t)MPI_DOUBLE_INT, (uintptr_t)MPI_MAX, (uintptr_t)MPI_INFO_ENV, (uintptr_t)MPI_ERRORS_RETURN,
           (uintptr_t)MPI_COMM_NULL, (uintptr_t)MPI_GROUP_NULL, (uintptr_t)MPI_DATATYPE_NULL, (uintptr_t)MPI_OP_NULL,
           (uintptr_t)MPI_INFO_NULL, (uintptr_t)MPI_WIN_NULL, (uintptr_t)MPI_REQUEST_NULL, (uintptr_t)MPI_FILE_NULL,
           (uintptr_t)MPI_MESSAGE_NULL, (uintptr_t)MPI_ERRHANDLER_NULL, (uintptr_t)freed_comm, (uintptr_t)freed_group,
           (uintptr_t)freed_type, (uintptr_t)freed_op, (uintptr_t)freed_info, (uintptr_t)freed_win,
           (uintptr_t)freed_request);
    enum { OTHER = sizeof others / sizeof *others };

    for (int i = 0; i < GARBAGE + OTHER; i++) {
        uintptr_t bad = i < GARBAGE ? garbage[i] : others[i - GARBAGE];
        /* Every word of memory could be a handle: the library must not look into what it does not know. */
        memset(page, 0x44, sizeof page);

        if (bad != (uintptr_t)comm && bad != (uintptr_t)MPI_COMM_WORLD) {
            BAD(MPI_Comm_size((MPI_Comm)bad, &number), MPI_ERR_COMM);
            BAD(MPI_Barrier((MPI_Comm)bad), MPI_ERR_COMM);
            BAD(MPI_Send(&word, 1, MPI_INT, 0, 0, (MPI_Comm)bad), MPI_ERR_COMM);
            BAD(MPI_Allreduce(&word, &number, 1, MPI_INT, MPI_SUM, (MPI_Comm)bad), MPI_ERR_COMM);
            comm = (MPI_Comm)bad;
            BAD(MPI_Comm_free(&comm), MPI_ERR_COMM);
            comm = (MPI_Comm)others[0];
        }
        if (bad != (uintptr_t)group && bad != (uintptr_t)MPI_GROUP_EMPTY) {
            BAD(MPI_Group_size((MPI_Group)bad, &number), MPI_ERR_GROUP);
            BAD(MPI_Comm_create(MPI_COMM_WORLD, (MPI_Group)bad, &comm), MPI_ERR_GROUP);
            comm = (MPI_Comm)others[0];
        }
        if (bad != (uintptr_t)type && bad != (uintptr_t)MPI_INT && bad != (uintptr_t)MPI_DOUBLE_INT) {
            BAD(MPI_Type_size((MPI_Datatype)bad, &number), MPI_ERR_TYPE);
            BAD(MPI_Send(&word, 1, (MPI_Datatype)bad, MPI_PROC_NULL, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
            BAD(MPI_Put(&word, 1, (MPI_Datatype)bad, 0, 0, 1, MPI_INT, win), MPI_ERR_TYPE);
            BAD(MPI_Put(&word, 1, MPI_INT, 0, 0, 1, (MPI_Datatype)bad, win), MPI_ERR_TYPE);
            BAD(MPI_Bcast(&word, 1, (MPI_Datatype)bad, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
        }
        if (bad != (uintptr_t)op && bad != (uintptr_t)MPI_MAX) {
            BAD(MPI_Allreduce(&word, &number, 1, MPI_INT, (MPI_Op)bad, MPI_COMM_WORLD), MPI_ERR_OP);
            BAD(MPI_Accumulate(&word, 1, MPI_INT, 0, 0, 1, MPI_INT, (MPI_Op)bad, win), MPI_ERR_OP);
            BAD(MPI_Op_commutative((MPI_Op)bad, &flag), MPI_ERR_OP);
        }
        if (bad != (uintptr_t)info && bad != (uintptr_t)MPI_INFO_ENV) {
            BAD(MPI_Info_get_nkeys((MPI_Info)bad, &number), MPI_ERR_INFO);
            BAD(MPI_Info_set((MPI_Info)bad, "key", "value"), MPI_ERR_INFO);
            if (bad != (uintptr_t)MPI_INFO_NULL)
                BAD(MPI_Comm_set_info(MPI_COMM_WORLD, (MPI_Info)bad), MPI_ERR_INFO);
        }
        if (bad != (uintptr_t)win) {
            MPI_Win gone = (MPI_Win)bad;
            BAD(MPI_Put(&word, 1, MPI_INT, 0, 0, 1, MPI_INT, (MPI_Win)bad), MPI_ERR_WIN);
            BAD(MPI_Win_flush(0, (MPI_Win)bad), MPI_ERR_WIN);
            BAD(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, (MPI_Win)bad), MPI_ERR_WIN);
            BAD(MPI_Win_free(&gone), MPI_ERR_WIN);
        }
        /* No message is no request, as in MPICH. */
        if (bad != (uintptr_t)persistent && bad != (uintptr_t)MPI_REQUEST_NULL && bad != (uintptr_t)MPI_MESSAGE_NULL) {
            request = (MPI_Request)bad;
            BAD(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
            request = (MPI_Request)bad;
            BAD(MPI_Start(&request), MPI_ERR_REQUEST);
            request = (MPI_Request)bad;
            BAD(MPI_Test(&request, &flag, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
        }
        if (bad != (uintptr_t)MPI_ERRORS_RETURN)
            BAD(MPI_Comm_set_errhandler(MPI_COMM_WORLD, (MPI_Errhandler)bad), MPI_ERR_ARG);
#if OMPI_MAJOR_VERSION >= 5
        MPI_Session session = (MPI_Session)bad;
        BAD(MPI_Session_get_num_psets(session, MPI_INFO_NULL, &number), MPI_ERR_SESSION);
        BAD(MPI_Session_finalize(&session), MPI_ERR_SESSION);
        BAD(MPI_Session_set_info((MPI_Session)bad, MPI_INFO_NULL), MPI_ERR_SESSION);
        BAD(MPIX_Comm_is_revoked(bad == (uintptr_t)comm || bad == (uintptr_t)MPI_COMM_WORLD ? MPI_COMM_NULL : (MPI_Comm)bad,
                                 &flag),
            MPI_ERR_COMM);
#endif
        message = (MPI_Message)bad;
        BAD(MPI_Mrecv(&word, 1, MPI_INT, &message, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
        MPI_Offset offset;
        BAD(MPI_File_get_size((MPI_File)bad, &offset), MPI_ERR_FILE);
        file = (MPI_File)bad;
        BAD(MPI_File_close(&file), MPI_ERR_FILE);
    }
    OK(MPI_Request_free(&persistent));
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Win_free(&win));
    OK(MPI_Info_free(&info));
    OK(MPI_Type_free(&type));
    OK(MPI_Group_free(&group));
    OK(MPI_Comm_free(&comm));
    OK(MPI_Finalize());
    return 0;
}
