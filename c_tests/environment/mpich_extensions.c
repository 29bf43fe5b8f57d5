/* ranks: 2; abi: mpich; mpich: skip Debian's has none of them yet */
/* What MPICH 5 offers beyond MPI, and makes sense on one machine: runs of a datatype, bytes as values of an info, whether a request is
 * complete. */
#include "check.h"

/* The runs of a datatype, all at once and one by one. */
static void check_runs(MPI_Datatype type, int runs, const MPI_Aint *places, const MPI_Aint *lengths)
{
    MPI_Count number = -1, bytes = -1, got = -1, sum = 0;
    MPIX_Iov iov[8];
    OK(MPIX_Type_iov_len(type, -1, &number, &bytes));
    CHECK_EQ(number, runs);
    OK(MPIX_Type_iov(type, 0, iov, 8, &got));
    CHECK_EQ(got, runs);
    for (int i = 0; i < runs; i++) {
        CHECK_EQ((MPI_Aint)iov[i].iov_base, places[i]);
        CHECK_EQ(iov[i].iov_len, lengths[i]);
        MPIX_Iov one;
        OK(MPIX_Type_iov(type, i, &one, 1, &got));
        CHECK_EQ(got, 1);
        CHECK(one.iov_base == iov[i].iov_base && one.iov_len == iov[i].iov_len);
        /* As many as fit: what is one byte short of a run is without it. */
        MPI_Count some, size;
        OK(MPIX_Type_iov_len(type, sum + lengths[i] - 1, &some, &size));
        CHECK_EQ(some, i);
        CHECK_EQ(size, sum);
        sum += lengths[i];
        OK(MPIX_Type_iov_len(type, sum, &some, &size));
        CHECK_EQ(some, i + 1);
        CHECK_EQ(size, sum);
    }
    CHECK_EQ(bytes, sum);
    OK(MPIX_Type_iov(type, runs, iov, 8, &got));
    CHECK_EQ(got, 0);
    OK(MPIX_Type_iov(type, 0, NULL, 0, &got));
    CHECK_EQ(got, 0);
}

static void datatypes(void)
{
    MPI_Datatype vector, reversed, empty;
    OK(MPI_Type_vector(3, 2, 4, MPI_INT, &vector));
    OK(MPI_Type_commit(&vector));
    check_runs(vector, 3, (MPI_Aint[]){0, 16, 32}, (MPI_Aint[]){8, 8, 8});
    int lengths[2] = {1, 3};
    MPI_Aint places[2] = {-8, -40};
    OK(MPI_Type_create_hindexed(2, lengths, places, MPI_DOUBLE, &reversed));
    OK(MPI_Type_commit(&reversed));
    check_runs(reversed, 2, (MPI_Aint[]){-8, -40}, (MPI_Aint[]){8, 24});
    OK(MPI_Type_contiguous(0, MPI_INT, &empty));
    OK(MPI_Type_commit(&empty));
    check_runs(empty, 0, NULL, NULL);
    check_runs(MPI_INT, 1, (MPI_Aint[]){0}, (MPI_Aint[]){4});
    OK(MPI_Type_free(&vector));
    OK(MPI_Type_free(&reversed));
    OK(MPI_Type_free(&empty));
    MPI_Count number;
    MPIX_Iov iov;
    CHECK_CLASS(MPIX_Type_iov_len(MPI_DATATYPE_NULL, -1, &number, &number), MPI_ERR_TYPE);
    CHECK_CLASS(MPIX_Type_iov_len(MPI_INT, -2, &number, &number), MPI_ERR_ARG);
    CHECK_CLASS(MPIX_Type_iov_len(MPI_INT, -1, NULL, &number), MPI_ERR_ARG);
    CHECK_CLASS(MPIX_Type_iov_len(MPI_INT, -1, &number, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPIX_Type_iov(MPI_DATATYPE_NULL, 0, &iov, 1, &number), MPI_ERR_TYPE);
    CHECK_CLASS(MPIX_Type_iov(MPI_INT, -1, &iov, 1, &number), MPI_ERR_ARG);
    CHECK_CLASS(MPIX_Type_iov(MPI_INT, 0, &iov, -1, &number), MPI_ERR_ARG);
    CHECK_CLASS(MPIX_Type_iov(MPI_INT, 0, NULL, 1, &number), MPI_ERR_ARG);
    CHECK_CLASS(MPIX_Type_iov(MPI_INT, 0, &iov, 1, NULL), MPI_ERR_ARG);
}

static void infos(void)
{
    static char many[MPI_MAX_INFO_VAL];
    const unsigned char bytes[4] = {0x00, 0x7f, 0x80, 0xab};
    char value[64] = "";
    int length = sizeof value, flag = 0;
    MPI_Info info;
    OK(MPI_Info_create(&info));
    OK(MPIX_Info_set_hex(info, "stream", bytes, 4));
    OK(MPI_Info_get_string(info, "stream", &length, value, &flag));
    CHECK(flag && strcmp(value, "007f80ab") == 0);
    OK(MPIX_Info_set_hex(info, "stream", NULL, 0));
    OK(MPI_Info_get_string(info, "stream", &length, value, &flag));
    CHECK(flag && value[0] == '\0');
    OK(MPIX_Info_set_hex(info, "long", many, MPI_MAX_INFO_VAL / 2 - 1));
    CHECK_CLASS(MPIX_Info_set_hex(info, "long", many, MPI_MAX_INFO_VAL / 2), MPI_ERR_INFO_VALUE);
    CHECK_CLASS(MPIX_Info_set_hex(info, "", bytes, 4), MPI_ERR_INFO_KEY);
    CHECK_CLASS(MPIX_Info_set_hex(info, NULL, bytes, 4), MPI_ERR_INFO_KEY);
    CHECK_CLASS(MPIX_Info_set_hex(info, "stream", NULL, 4), MPI_ERR_ARG);
    CHECK_CLASS(MPIX_Info_set_hex(info, "stream", bytes, -1), MPI_ERR_ARG);
    CHECK_CLASS(MPIX_Info_set_hex(MPI_INFO_NULL, "stream", bytes, 4), MPI_ERR_INFO);
    OK(MPI_Info_free(&info));
}

static void requests(void)
{
    int value = 0, flag;
    MPI_Request request = MPI_REQUEST_NULL, often;
    CHECK_EQ(MPIX_Request_is_complete(request), 1);
    CHECK_EQ(MPIX_Request_is_complete((MPI_Request)12345), 0);
    OK(MPI_Recv_init(&value, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &often));
    CHECK_EQ(MPIX_Request_is_complete(often), 1);
    OK(MPI_Request_free(&often));
    OK(MPI_Irecv(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request));
    CHECK_EQ(MPIX_Request_is_complete(request), 0);
    barrier();
    OK(MPI_Send(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD));
    while (!MPIX_Request_is_complete(request))
        OK(MPI_Iprobe(1 - rank, 2, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    CHECK_EQ(value, 1 - rank);
    CHECK(request != MPI_REQUEST_NULL);
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void devices(void)
{
    int flag = 1;
    CHECK_EQ(MPIX_Query_cuda_support(), 0);
    CHECK_EQ(MPIX_Query_hip_support(), 0);
    CHECK_EQ(MPIX_Query_ze_support(), 0);
    OK(MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &flag));
    CHECK_EQ(flag, 0);
    OK(MPIX_GPU_query_support(MPIX_GPU_SUPPORT_ZE, &flag));
    OK(MPIX_GPU_query_support(MPIX_GPU_SUPPORT_HIP, &flag));
    CHECK_CLASS(MPIX_GPU_query_support(3, &flag), MPI_ERR_ARG);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    datatypes();
    infos();
    requests();
    devices();
    return check_end();
}
