/* ranks: 1 2; mpich: skip some of it is forgiven by later versions only */
/* What MPI does not define, or leaves to programs to get right, and what does no harm: it is done, or is nothing. */
#include "check.h"
#include <limits.h>

/* No message to nobody takes room in a buffer, and no buffer is as good as an empty one. */
static void no_buffer(void)
{
    char address[2] = "a";
    void *buffer = address;
    MPI_Count large = 7;
    int len = 7, data[9] = {0};
    MPI_Comm comm;
    MPI_Request request;
    OK(MPI_Bsend(data, 9, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
    OK(MPI_Ibsend(data, 9, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Bsend_init(data, 9, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request));
    for (int round = 0; round < 2; round++) {
        OK(MPI_Start(&request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    OK(MPI_Request_free(&request));
    CHECK_CLASS(MPI_Bsend(data, 9, MPI_INT, MPI_PROC_NULL, -1, MPI_COMM_WORLD), MPI_ERR_TAG);
    CHECK_CLASS(MPI_Bsend(data, 0, MPI_INT, rank, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);

    OK(MPI_Buffer_detach(&buffer, &len));
    CHECK(buffer == NULL);
    CHECK_EQ(len, 0);
    buffer = address;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_detach_buffer_c(comm, &buffer, &large));
    CHECK(buffer == NULL);
    CHECK_EQ(large, 0);
    OK(MPI_Comm_free(&comm));
    /* One may be attached after that. */
    OK(MPI_Buffer_attach(address, 1));
    OK(MPI_Buffer_detach(&buffer, &len));
    CHECK(buffer == address);
    CHECK_EQ(len, 1);
}

/* What a status counts needs no datatype that can be sent. */
static void not_committed(void)
{
    MPI_Datatype pair;
    MPI_Status status;
    MPI_Count large = -1;
    int count = -1;
    OK(MPI_Type_contiguous(2, MPI_INT, &pair));
    memset(&status, 0, sizeof status);
    OK(MPI_Status_set_elements(&status, pair, 6));
    OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK_EQ(count, 6);
    OK(MPI_Get_count(&status, pair, &count));
    CHECK_EQ(count, 3);
    OK(MPI_Status_set_elements_x(&status, pair, 5));
    OK(MPI_Get_elements(&status, pair, &count));
    CHECK_EQ(count, 5);
    OK(MPI_Get_elements_x(&status, pair, &large));
    CHECK_EQ(large, 5);
    OK(MPI_Get_count(&status, pair, &count));
    CHECK_EQ(count, MPI_UNDEFINED);
    OK(MPI_Type_free(&pair));
}

/* An array without dimensions has no elements. */
static void no_dimensions(void)
{
    MPI_Datatype none;
    MPI_Aint lb = -1, extent = -1;
    int size = -1, integers = -1, addresses = -1, types = -1, combiner = -1, data = 5;
    int subarray[2] = {-1, -1};
    MPI_Aint nowhere;
    MPI_Datatype old;
    OK(MPI_Type_create_subarray(0, NULL, NULL, NULL, MPI_ORDER_C, MPI_INT, &none));
    OK(MPI_Type_commit(&none));
    OK(MPI_Type_size(none, &size));
    OK(MPI_Type_get_extent(none, &lb, &extent));
    CHECK_EQ(size, 0);
    CHECK(lb == 0 && extent == 0);
    OK(MPI_Type_get_envelope(none, &integers, &addresses, &types, &combiner));
    CHECK(integers == 2 && addresses == 0 && types == 1 && combiner == MPI_COMBINER_SUBARRAY);
    OK(MPI_Type_get_contents(none, 2, 0, 1, subarray, &nowhere, &old));
    CHECK(subarray[0] == 0 && subarray[1] == MPI_ORDER_C && old == MPI_INT);
    OK(MPI_Sendrecv(&data, 3, none, rank, 0, &data, 3, none, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_EQ(data, 5);
    OK(MPI_Type_free(&none));
    CHECK_CLASS(MPI_Type_create_subarray(-1, NULL, NULL, NULL, MPI_ORDER_C, MPI_INT, &none), MPI_ERR_ARG);
}

/* Operations on files are over, so they are cancelled in vain; a file keeps its hints if it is given none. */
static void of_files(void)
{
    MPI_File file;
    MPI_Info info;
    MPI_Request request;
    MPI_Status status;
    char name[64];
    int data = 40 + rank, got = -1, flag = -1, count = -1, before = -1, after = -2;
    snprintf(name, sizeof name, "forgiven.%d.%d.tmp", size, rank);
    OK(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file));
    OK(MPI_File_get_info(file, &info));
    OK(MPI_Info_get_nkeys(info, &before));
    OK(MPI_Info_free(&info));
    OK(MPI_File_set_info(file, MPI_INFO_NULL));
    OK(MPI_File_get_info(file, &info));
    OK(MPI_Info_get_nkeys(info, &after));
    CHECK_EQ(after, before);
    OK(MPI_Info_free(&info));
    OK(MPI_File_iwrite_at(file, 0, &data, 1, MPI_INT, &request));
    OK(MPI_Cancel(&request));
    CHECK(request != MPI_REQUEST_NULL);
    OK(MPI_Wait(&request, &status));
    OK(MPI_Test_cancelled(&status, &flag));
    CHECK_EQ(flag, 0);
    OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK_EQ(count, 1);
    OK(MPI_File_iread_at(file, 0, &got, 1, MPI_INT, &request));
    OK(MPI_Cancel(&request));
    OK(MPI_Request_free(&request));
    CHECK_EQ(got, data);
    OK(MPI_File_close(&file));
}

/* What is no error code is an unknown error. */
static void no_codes(void)
{
    int codes[] = {-1, INT_MAX, INT_MIN, MPI_ERR_LASTCODE + 12345};
    for (int i = 0; i < 4; i++) {
        char text[MPI_MAX_ERROR_STRING] = "", unknown[MPI_MAX_ERROR_STRING] = "";
        int class = -1, len = -1, expected;
        OK(MPI_Error_class(codes[i], &class));
        CHECK_EQ(class, MPI_ERR_UNKNOWN);
        OK(MPI_Error_string(codes[i], text, &len));
        OK(MPI_Error_string(MPI_ERR_UNKNOWN, unknown, &expected));
        CHECK(len == expected && len > 0 && strcmp(text, unknown) == 0);
    }
}

/* Nothing to be freed; and requests of RMA operations, which are over (MPI asks that they be completed). */
static void of_windows(void)
{
    MPI_Win win;
    MPI_Request request;
    int *memory, put = 7 + rank, got = -1;
    OK(MPI_Free_mem(NULL));
    OK(MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    OK(MPI_Win_lock_all(0, win));
    OK(MPI_Rput(&put, 1, MPI_INT, rank, 0, 1, MPI_INT, win, &request));
    OK(MPI_Request_free(&request));
    CHECK(request == MPI_REQUEST_NULL);
    OK(MPI_Win_flush(rank, win));
    OK(MPI_Rget(&got, 1, MPI_INT, rank, 0, 1, MPI_INT, win, &request));
    OK(MPI_Request_free(&request));
    CHECK(request == MPI_REQUEST_NULL);
    OK(MPI_Win_unlock_all(win));
    CHECK_EQ(got, 7 + rank);
    OK(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    no_buffer();
    not_committed();
    no_dimensions();
    of_files();
    no_codes();
    of_windows();
    return check_end();
}
