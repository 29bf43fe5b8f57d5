/* ranks: 1 2; mpich: skip it checks less, and crashes at handles that are none */
/* Every function that takes a window, a file, a session or a group refuses what is none. */
#include "check.h"

static char memory[4096], text[MPI_MAX_DATAREP_STRING + MPI_MAX_PSET_NAME_LEN] = "native";
static int ints[64], ranges[1][3];
static MPI_Aint aints[64];
static MPI_Offset offset;
static MPI_Datatype types[2];

static MPI_Status status_out;
static MPI_Request request_out;
static MPI_Info info_out;
static MPI_Group group_out;
static MPI_Errhandler errhandler_out;
static MPI_Comm comm_out;

#define REFUSED(call) CHECK_CLASS(call, MPI_ERR_WIN)

static void refuse_window(MPI_Win bad)
{
    MPI_Group group;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &group));
    REFUSED(MPI_Accumulate(memory, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, bad));
    REFUSED(MPI_Compare_and_swap(memory, memory, memory, MPI_INT, 0, 0, bad));
    REFUSED(MPI_Fetch_and_op(memory, memory, MPI_INT, 0, 0, MPI_SUM, bad));
    REFUSED(MPI_Get(memory, 1, MPI_INT, 0, 0, 1, MPI_INT, bad));
    REFUSED(MPI_Get_accumulate(memory, 1, MPI_INT, memory, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, bad));
    REFUSED(MPI_Put(memory, 1, MPI_INT, 0, 0, 1, MPI_INT, bad));
    REFUSED(MPI_Raccumulate(memory, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, bad, &request_out));
    REFUSED(MPI_Rget(memory, 1, MPI_INT, 0, 0, 1, MPI_INT, bad, &request_out));
    REFUSED(MPI_Rget_accumulate(memory, 1, MPI_INT, memory, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, bad,
                                &request_out));
    REFUSED(MPI_Rput(memory, 1, MPI_INT, 0, 0, 1, MPI_INT, bad, &request_out));
    REFUSED(MPI_Win_attach(bad, memory, 8));
    REFUSED(MPI_Win_call_errhandler(bad, MPI_ERR_OTHER));
    REFUSED(MPI_Win_complete(bad));
    REFUSED(MPI_Win_delete_attr(bad, MPI_WIN_BASE));
    REFUSED(MPI_Win_detach(bad, memory));
    REFUSED(MPI_Win_fence(0, bad));
    REFUSED(MPI_Win_flush(0, bad));
    REFUSED(MPI_Win_flush_all(bad));
    REFUSED(MPI_Win_flush_local(0, bad));
    REFUSED(MPI_Win_flush_local_all(bad));
    REFUSED(MPI_Win_get_attr(bad, MPI_WIN_BASE, memory, ints));
    REFUSED(MPI_Win_get_errhandler(bad, &errhandler_out));
    REFUSED(MPI_Win_get_group(bad, &group_out));
    REFUSED(MPI_Win_get_info(bad, &info_out));
    REFUSED(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, bad));
    REFUSED(MPI_Win_lock_all(0, bad));
    REFUSED(MPI_Win_post(group, 0, bad));
    REFUSED(MPI_Win_set_attr(bad, MPI_WIN_BASE, memory));
    REFUSED(MPI_Win_set_errhandler(bad, MPI_ERRORS_RETURN));
    REFUSED(MPI_Win_set_info(bad, MPI_INFO_NULL));
    REFUSED(MPI_Win_set_name(bad, text));
    REFUSED(MPI_Win_shared_query(bad, 0, aints, ints, memory));
    REFUSED(MPI_Win_start(group, 0, bad));
    REFUSED(MPI_Win_sync(bad));
    REFUSED(MPI_Win_test(bad, ints));
    REFUSED(MPI_Win_unlock(0, bad));
    REFUSED(MPI_Win_unlock_all(bad));
    REFUSED(MPI_Win_wait(bad));
    if (bad != MPI_WIN_NULL)
        REFUSED(MPI_Win_get_name(bad, text, ints));
    REFUSED(MPI_Win_free(&bad));
    OK(MPI_Group_free(&group));
}

#undef REFUSED
#define REFUSED(call) CHECK_CLASS(call, MPI_ERR_FILE)

static void refuse_file(MPI_File bad)
{
    REFUSED(MPI_File_get_amode(bad, ints));
    REFUSED(MPI_File_get_atomicity(bad, ints));
    REFUSED(MPI_File_get_byte_offset(bad, 0, &offset));
    REFUSED(MPI_File_get_group(bad, &group_out));
    REFUSED(MPI_File_get_info(bad, &info_out));
    REFUSED(MPI_File_get_position(bad, &offset));
    REFUSED(MPI_File_get_position_shared(bad, &offset));
    REFUSED(MPI_File_get_size(bad, &offset));
    REFUSED(MPI_File_get_type_extent(bad, MPI_INT, aints));
    REFUSED(MPI_File_get_view(bad, &offset, types, types, text));
    REFUSED(MPI_File_iread(bad, memory, 1, MPI_INT, &request_out));
    REFUSED(MPI_File_iread_all(bad, memory, 1, MPI_INT, &request_out));
    REFUSED(MPI_File_iread_at(bad, 0, memory, 1, MPI_INT, &request_out));
    REFUSED(MPI_File_iread_at_all(bad, 0, memory, 1, MPI_INT, &request_out));
    REFUSED(MPI_File_iread_shared(bad, memory, 1, MPI_INT, &request_out));
    REFUSED(MPI_File_iwrite(bad, memory, 1, MPI_INT, &request_out));
    REFUSED(MPI_File_iwrite_all(bad, memory, 1, MPI_INT, &request_out));
    REFUSED(MPI_File_iwrite_at(bad, 0, memory, 1, MPI_INT, &request_out));
    REFUSED(MPI_File_iwrite_at_all(bad, 0, memory, 1, MPI_INT, &request_out));
    REFUSED(MPI_File_iwrite_shared(bad, memory, 1, MPI_INT, &request_out));
    REFUSED(MPI_File_preallocate(bad, 8));
    REFUSED(MPI_File_read(bad, memory, 1, MPI_INT, &status_out));
    REFUSED(MPI_File_read_all(bad, memory, 1, MPI_INT, &status_out));
    REFUSED(MPI_File_read_all_begin(bad, memory, 1, MPI_INT));
    REFUSED(MPI_File_read_all_end(bad, memory, &status_out));
    REFUSED(MPI_File_read_at(bad, 0, memory, 1, MPI_INT, &status_out));
    REFUSED(MPI_File_read_at_all(bad, 0, memory, 1, MPI_INT, &status_out));
    REFUSED(MPI_File_read_at_all_begin(bad, 0, memory, 1, MPI_INT));
    REFUSED(MPI_File_read_at_all_end(bad, memory, &status_out));
    REFUSED(MPI_File_read_ordered(bad, memory, 1, MPI_INT, &status_out));
    REFUSED(MPI_File_read_ordered_begin(bad, memory, 1, MPI_INT));
    REFUSED(MPI_File_read_ordered_end(bad, memory, &status_out));
    REFUSED(MPI_File_read_shared(bad, memory, 1, MPI_INT, &status_out));
    REFUSED(MPI_File_seek(bad, 0, MPI_SEEK_SET));
    REFUSED(MPI_File_seek_shared(bad, 0, MPI_SEEK_SET));
    REFUSED(MPI_File_set_atomicity(bad, 0));
    REFUSED(MPI_File_set_info(bad, MPI_INFO_NULL));
    REFUSED(MPI_File_set_size(bad, 8));
    REFUSED(MPI_File_set_view(bad, 0, MPI_INT, MPI_INT, text, MPI_INFO_NULL));
    REFUSED(MPI_File_sync(bad));
    REFUSED(MPI_File_write(bad, memory, 1, MPI_INT, &status_out));
    REFUSED(MPI_File_write_all(bad, memory, 1, MPI_INT, &status_out));
    REFUSED(MPI_File_write_all_begin(bad, memory, 1, MPI_INT));
    REFUSED(MPI_File_write_all_end(bad, memory, &status_out));
    REFUSED(MPI_File_write_at(bad, 0, memory, 1, MPI_INT, &status_out));
    REFUSED(MPI_File_write_at_all(bad, 0, memory, 1, MPI_INT, &status_out));
    REFUSED(MPI_File_write_at_all_begin(bad, 0, memory, 1, MPI_INT));
    REFUSED(MPI_File_write_at_all_end(bad, memory, &status_out));
    REFUSED(MPI_File_write_ordered(bad, memory, 1, MPI_INT, &status_out));
    REFUSED(MPI_File_write_ordered_begin(bad, memory, 1, MPI_INT));
    REFUSED(MPI_File_write_ordered_end(bad, memory, &status_out));
    REFUSED(MPI_File_write_shared(bad, memory, 1, MPI_INT, &status_out));
    if (bad != MPI_FILE_NULL) { /* which stands for the default error handler of files */
        REFUSED(MPI_File_get_errhandler(bad, &errhandler_out));
        REFUSED(MPI_File_set_errhandler(bad, MPI_ERRORS_RETURN));
        REFUSED(MPI_File_call_errhandler(bad, MPI_ERR_OTHER));
    }
    REFUSED(MPI_File_close(&bad));
}

#undef REFUSED
#define REFUSED(call) CHECK_CLASS(call, MPI_ERR_SESSION)

static void refuse_session(MPI_Session bad)
{
    REFUSED(MPI_Group_from_session_pset(bad, text, &group_out));
    REFUSED(MPI_Session_attach_buffer(bad, memory, 8));
    REFUSED(MPI_Session_call_errhandler(bad, MPI_ERR_OTHER));
    REFUSED(MPI_Session_detach_buffer(bad, memory, ints));
    REFUSED(MPI_Session_flush_buffer(bad));
    REFUSED(MPI_Session_get_errhandler(bad, &errhandler_out));
    REFUSED(MPI_Session_get_info(bad, &info_out));
    REFUSED(MPI_Session_get_nth_pset(bad, MPI_INFO_NULL, 1, ints, text));
    REFUSED(MPI_Session_get_num_psets(bad, MPI_INFO_NULL, ints));
    REFUSED(MPI_Session_get_pset_info(bad, text, &info_out));
    REFUSED(MPI_Session_iflush_buffer(bad, &request_out));
    REFUSED(MPI_Session_set_errhandler(bad, MPI_ERRORS_RETURN));
    REFUSED(MPI_Session_finalize(&bad));
}

#undef REFUSED
#define REFUSED(call) CHECK_CLASS(call, MPI_ERR_GROUP)

static void refuse_group(MPI_Group bad)
{
    MPI_Group group, alone;
    MPI_Win win;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &group));
    OK(MPI_Comm_group(MPI_COMM_SELF, &alone));
    OK(MPI_Win_create(MPI_BOTTOM, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    REFUSED(MPI_Comm_create(MPI_COMM_WORLD, bad, &comm_out));
    REFUSED(MPI_Comm_create_from_group(bad, text, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm_out));
    REFUSED(MPI_Comm_create_group(MPI_COMM_WORLD, bad, 0, &comm_out));
    REFUSED(MPI_Group_compare(bad, group, ints));
    REFUSED(MPI_Group_compare(group, bad, ints));
    REFUSED(MPI_Group_difference(bad, group, &group_out));
    REFUSED(MPI_Group_difference(group, bad, &group_out));
    REFUSED(MPI_Group_excl(bad, 1, ints, &group_out));
    REFUSED(MPI_Group_incl(bad, 1, ints, &group_out));
    REFUSED(MPI_Group_intersection(bad, group, &group_out));
    REFUSED(MPI_Group_intersection(group, bad, &group_out));
    REFUSED(MPI_Group_range_excl(bad, 1, ranges, &group_out));
    REFUSED(MPI_Group_range_incl(bad, 1, ranges, &group_out));
    REFUSED(MPI_Group_rank(bad, ints));
    REFUSED(MPI_Group_size(bad, ints));
    REFUSED(MPI_Group_translate_ranks(bad, 1, ints, group, ints));
    REFUSED(MPI_Group_translate_ranks(group, 1, ints, bad, ints));
    REFUSED(MPI_Group_union(bad, group, &group_out));
    REFUSED(MPI_Group_union(group, bad, &group_out));
    REFUSED(MPI_Intercomm_create_from_groups(bad, 0, group, 0, text, MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                             &comm_out));
    REFUSED(MPI_Intercomm_create_from_groups(alone, 0, bad, 0, text, MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                             &comm_out));
    REFUSED(MPI_Win_post(bad, 0, win));
    REFUSED(MPI_Win_start(bad, 0, win));
    REFUSED(MPI_Group_free(&bad));
    OK(MPI_Win_free(&win));
    OK(MPI_Group_free(&group));
    OK(MPI_Group_free(&alone));
}

int main(int argc, char **argv)
{
    MPI_Win win, freed_win;
    MPI_Group group, freed_group;
    MPI_Session session, closed;
    char name[64];
    MPI_File file, shut;
    check_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));

    OK(MPI_Win_create(MPI_BOTTOM, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    freed_win = win;
    OK(MPI_Win_free(&win));
    refuse_window(MPI_WIN_NULL);
    refuse_window((MPI_Win)0x12345);
    refuse_window((MPI_Win)MPI_COMM_WORLD);
    refuse_window(freed_win);

    snprintf(name, sizeof name, "errors_handles.%d.tmp", size);
    OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                     &file));
    shut = file;
    OK(MPI_File_close(&file));
    refuse_file(MPI_FILE_NULL);
    refuse_file((MPI_File)0x12345);
    refuse_file(shut);

    OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
    closed = session;
    OK(MPI_Session_finalize(&session));
    refuse_session(MPI_SESSION_NULL);
    refuse_session((MPI_Session)0x12345);
    refuse_session(closed);

    OK(MPI_Comm_group(MPI_COMM_WORLD, &group));
    freed_group = group;
    OK(MPI_Group_free(&group));
    refuse_group(MPI_GROUP_NULL);
    refuse_group((MPI_Group)0x12345);
    refuse_group(freed_group);
    return check_end();
}
