/* ranks: 1 2; mpich: skip 4.0 has none of these functions */
/* What MPI tells of its binary interface it tells at any time and to any thread, and handles become integers and come back. */
#include "check.h"
#include <pthread.h>

/* The names, in all interfaces. */
static const char *const integers[] = {"mpi_aint_size", "mpi_count_size", "mpi_offset_size"};
static const char *const sizes[] = {"mpi_logical_size", "mpi_integer_size", "mpi_real_size", "mpi_double_precision_size"};
static const char *const optional[] = {
    "mpi_logical1_supported", "mpi_logical2_supported",  "mpi_logical4_supported",  "mpi_logical8_supported",
    "mpi_logical16_supported", "mpi_integer1_supported", "mpi_integer2_supported",  "mpi_integer4_supported",
    "mpi_integer8_supported", "mpi_integer16_supported", "mpi_real2_supported",     "mpi_real4_supported",
    "mpi_real8_supported",    "mpi_real16_supported",    "mpi_complex4_supported",  "mpi_complex8_supported",
    "mpi_complex16_supported", "mpi_complex32_supported", "mpi_double_complex_supported"};

#define LENGTH(array) ((int)(sizeof(array) / sizeof *(array)))

static const char *value_of(MPI_Info info, const char *key)
{
    static _Thread_local char value[64];
    int room = sizeof value, flag = 0;
    OK(MPI_Info_get_string(info, key, &room, value, &flag));
    CHECK(flag);
    return value;
}

static int keys_of(MPI_Info info)
{
    int keys = -1;
    OK(MPI_Info_get_nkeys(info, &keys));
    return keys;
}

static void tells(void)
{
    int major = 7, minor = 7;
    MPI_Info info;
    OK(MPI_Abi_get_version(&major, &minor));
#ifdef MPI_ABI_VERSION
    CHECK(major == MPI_ABI_VERSION && minor == MPI_ABI_SUBVERSION);
#else
    CHECK(major == -1 && minor == -1);
#endif
    OK(MPI_Abi_get_info(&info));
    CHECK_EQ(keys_of(info), LENGTH(integers));
    for (int i = 0; i < LENGTH(integers); i++)
        CHECK_EQ(atoi(value_of(info, integers[i])), 8);
    OK(MPI_Info_free(&info));

    OK(MPI_Abi_get_fortran_info(&info));
    CHECK_EQ(keys_of(info), LENGTH(sizes) + LENGTH(optional));
    for (int i = 0; i < LENGTH(sizes); i++)
        CHECK_EQ(atoi(value_of(info, sizes[i])), i == 3 ? 8 : 4);
    for (int i = 0; i < LENGTH(optional); i++) {
        const char *said = value_of(info, optional[i]);
        CHECK(strcmp(said, "true") == 0 || strcmp(said, "false") == 0);
    }
    OK(MPI_Info_free(&info));

    for (int bytes = 1; bytes <= 16; bytes *= 2) {
        char yes[17], no[17], zero[16] = "";
        int is_set = -1;
        memset(yes, 'x', sizeof yes);
        memset(no, 'x', sizeof no);
        OK(MPI_Abi_get_fortran_booleans(bytes, yes, no, &is_set));
        CHECK_EQ(is_set, 1);
        CHECK(yes[bytes] == 'x' && no[bytes] == 'x');
        CHECK(memcmp(no, zero, bytes) == 0 && memcmp(yes, zero, bytes) != 0);
        /* They are known. Nobody can tell others. */
        OK(MPI_Abi_set_fortran_booleans(bytes, yes, no));
    }
    CHECK_EQ(MPI_Comm_fromint(MPI_Comm_toint(MPI_COMM_WORLD)) == MPI_COMM_WORLD, 1);
    CHECK_EQ(MPI_Type_fromint(MPI_Type_toint(MPI_DOUBLE)) == MPI_DOUBLE, 1);
    CHECK_EQ(MPI_Info_fromint(MPI_Info_toint(MPI_INFO_NULL)) == MPI_INFO_NULL, 1);
#ifdef MPI_ABI_VERSION
    /* Those of predefined objects are the standard's (annex A.1). */
    CHECK_EQ(MPI_Comm_toint(MPI_COMM_WORLD), 257);
    CHECK_EQ(MPI_Comm_toint(MPI_COMM_NULL), 256);
    CHECK_EQ(MPI_Group_toint(MPI_GROUP_EMPTY), 0x109);
    CHECK_EQ(MPI_Type_toint(MPI_INT), 0x209);
    CHECK_EQ(MPI_Op_toint(MPI_SUM), 0x21);
    CHECK_EQ(MPI_File_toint(MPI_FILE_NULL), 0x118);
    CHECK_EQ(MPI_Win_toint(MPI_WIN_NULL), 0x110);
    CHECK_EQ(MPI_Request_toint(MPI_REQUEST_NULL), 0x180);
    CHECK_EQ(MPI_Message_toint(MPI_MESSAGE_NO_PROC), 0x129);
    CHECK_EQ(MPI_Session_toint(MPI_SESSION_NULL), 0x120);
    CHECK_EQ(MPI_Errhandler_toint(MPI_ERRORS_RETURN), 0x143);
    CHECK_EQ(MPI_Info_toint(MPI_INFO_ENV), 0x131);
#endif
}

static void *tells_often(void *unused)
{
    for (int i = 0; i < 200; i++)
        tells();
    return unused;
}

static void concurrently(void)
{
    pthread_t threads[4];
    for (int i = 0; i < LENGTH(threads); i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, tells_often, NULL), 0);
    for (int i = 0; i < LENGTH(threads); i++)
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
}

/* Bad arguments. No error handler is asked before MPI_Init, so that this comes after it. */
static void refused(void)
{
    int n = 3, yes = 1, no = 0;
    char large[16] = "";
    MPI_Info info;
    CHECK_CLASS(MPI_Abi_get_version(NULL, &n), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Abi_get_version(&n, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Abi_get_info(NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Abi_get_fortran_info(NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Abi_set_fortran_info(MPI_INFO_NULL), MPI_ERR_INFO);
    OK(MPI_Abi_get_fortran_info(&info));
    CHECK_CLASS(MPI_Abi_set_fortran_info(info), MPI_ERR_ABI);
    OK(MPI_Info_free(&info));
    int wrong[] = {0, -1, 3, 5, 32};
    for (int i = 0; i < LENGTH(wrong); i++) {
        CHECK_CLASS(MPI_Abi_get_fortran_booleans(wrong[i], &yes, &no, &n), MPI_ERR_ARG);
        CHECK_CLASS(MPI_Abi_set_fortran_booleans(wrong[i], &yes, &no), MPI_ERR_ARG);
    }
    CHECK_CLASS(MPI_Abi_get_fortran_booleans(4, NULL, &no, &n), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Abi_get_fortran_booleans(4, &yes, NULL, &n), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Abi_get_fortran_booleans(4, &yes, &no, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Abi_set_fortran_booleans(4, NULL, &no), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Abi_set_fortran_booleans(4, &no, &yes), MPI_ERR_ABI);
    CHECK_CLASS(MPI_Abi_set_fortran_booleans(16, large, large), MPI_ERR_ABI);
}

int main(int argc, char **argv)
{
    tells();
    concurrently();
    check_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    tells();
    concurrently();
    refused();
    int status = check_end();
    tells();
    return status;
}
