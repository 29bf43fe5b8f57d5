/* ranks: 1 2; mpich: skip 4.0 does not know all of it */
/* What MPI says of itself and of where it runs: clocks, names, the machine's parts, sizes of types. */
#include "check.h"
#include <unistd.h>

static void clocks(void)
{
    double before = MPI_Wtime(), after, tick = MPI_Wtick();
    int *global, flag = 0;
    CHECK(tick > 0 && tick < 1);
    for (int i = 0; i < 1000; i++) {
        after = MPI_Wtime();
        CHECK(after >= before);
        before = after;
    }
    usleep(20000);
    CHECK(MPI_Wtime() - before >= 0.02);
    /* If the clock is one for all, as is said, what is sent later is not received earlier. */
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &global, &flag));
    if (flag && *global && size > 1) {
        double sent = MPI_Wtime(), got = 0;
        int next = (rank + 1) % size, last = (rank + size - 1) % size;
        OK(MPI_Sendrecv(&sent, 1, MPI_DOUBLE, next, 0, &got, 1, MPI_DOUBLE, last, 0, MPI_COMM_WORLD,
                        MPI_STATUS_IGNORE));
        CHECK(MPI_Wtime() >= got);
    }
}

static void machine(void)
{
    char name[MPI_MAX_PROCESSOR_NAME + 1], host[256] = "", value[MPI_MAX_INFO_VAL + 1];
    int length = -1, keys = -1, flag;
    MPI_Info info;
    memset(name, 'x', sizeof name);
    OK(MPI_Get_processor_name(name, &length));
    CHECK(length > 0 && length < MPI_MAX_PROCESSOR_NAME);
    CHECK_EQ(strlen(name), length);
    gethostname(host, sizeof host - 1);
    CHECK(strncmp(name, host, strlen(host)) == 0);
    CHECK_CLASS(MPI_Get_processor_name(NULL, &length), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Get_processor_name(name, NULL), MPI_ERR_ARG);

    OK(MPI_Get_hw_resource_info(&info));
    OK(MPI_Info_get_nkeys(info, &keys));
    CHECK(keys > 0);
    for (int i = 0; i < keys; i++) {
        char key[MPI_MAX_INFO_KEY + 1];
        int room = sizeof value;
        MPI_Info guide;
        MPI_Comm part;
        OK(MPI_Info_get_nthkey(info, i, key));
        OK(MPI_Info_get_string(info, key, &room, value, &flag));
        CHECK(flag && (strcmp(value, "true") == 0 || strcmp(value, "false") == 0));
        /* Each is good for a guided split. */
        OK(MPI_Info_create(&guide));
        OK(MPI_Info_set(guide, "mpi_hw_resource_type", key));
        OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, guide, &part));
        CHECK(strcmp(value, "true") != 0 || part != MPI_COMM_NULL);
        if (part != MPI_COMM_NULL)
            OK(MPI_Comm_free(&part));
        OK(MPI_Info_free(&guide));
    }
    OK(MPI_Info_free(&info));
    CHECK_CLASS(MPI_Get_hw_resource_info(NULL), MPI_ERR_ARG);
}

static int bytes_of(MPI_Info info, const char *key)
{
    char value[32] = "";
    int room = sizeof value, flag = 0;
    OK(MPI_Info_get_string(info, key, &room, value, &flag));
    CHECK(flag);
    return atoi(value);
}

static void binary_interface(void)
{
    int major = 0, minor = 0, yes = 0, no = 1, is_set = 0;
    MPI_Info info;
    OK(MPI_Abi_get_version(&major, &minor));
#ifdef MPI_ABI_VERSION
    CHECK(major == MPI_ABI_VERSION && minor == MPI_ABI_SUBVERSION);
#else
    CHECK(major == -1 && minor == -1);
#endif
    OK(MPI_Abi_get_info(&info));
    CHECK_EQ(bytes_of(info, "mpi_aint_size"), sizeof(MPI_Aint));
    CHECK_EQ(bytes_of(info, "mpi_count_size"), sizeof(MPI_Count));
    CHECK_EQ(bytes_of(info, "mpi_offset_size"), sizeof(MPI_Offset));
    OK(MPI_Info_free(&info));
    OK(MPI_Abi_get_fortran_info(&info));
    CHECK_EQ(bytes_of(info, "mpi_integer_size"), sizeof(int));
    CHECK_EQ(bytes_of(info, "mpi_double_precision_size"), sizeof(double));
    CHECK_CLASS(MPI_Abi_set_fortran_info(info), MPI_ERR_ABI);
    OK(MPI_Info_free(&info));
    CHECK_CLASS(MPI_Abi_set_fortran_info(info), MPI_ERR_INFO);
    OK(MPI_Abi_get_fortran_booleans(sizeof(int), &yes, &no, &is_set));
    CHECK(is_set == 1 && yes != no && no == 0);
    CHECK_CLASS(MPI_Abi_get_fortran_booleans(3, &yes, &no, &is_set), MPI_ERR_ARG);
    OK(MPI_Abi_set_fortran_booleans(sizeof(int), &yes, &no));
    CHECK_CLASS(MPI_Abi_set_fortran_booleans(sizeof(int), &no, &yes), MPI_ERR_ABI);
    CHECK_CLASS(MPI_Abi_get_version(NULL, &minor), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Abi_get_info(NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Abi_get_fortran_info(NULL), MPI_ERR_ARG);
}

static void names_of_datatypes(void)
{
    char name[MPI_MAX_OBJECT_NAME], longest[2 * MPI_MAX_OBJECT_NAME];
    MPI_Datatype type, pair;
    int length = -1;
    OK(MPI_Type_get_name(MPI_DOUBLE, name, &length));
    CHECK(strcmp(name, "MPI_DOUBLE") == 0 && length == 10);
    OK(MPI_Type_get_name(MPI_DATATYPE_NULL, name, &length));
    CHECK(strcmp(name, "MPI_DATATYPE_NULL") == 0);
    OK(MPI_Type_contiguous(2, MPI_INT, &type));
    OK(MPI_Type_get_name(type, name, &length));
    CHECK(name[0] == 0 && length == 0);
    OK(MPI_Type_set_name(type, "two of them"));
    OK(MPI_Type_get_name(type, name, &length));
    CHECK(strcmp(name, "two of them") == 0 && length == 11);
    memset(longest, 'n', sizeof longest);
    longest[MPI_MAX_OBJECT_NAME - 1] = 0;
    OK(MPI_Type_set_name(type, longest));
    OK(MPI_Type_get_name(type, name, &length));
    CHECK(strcmp(name, longest) == 0 && length == MPI_MAX_OBJECT_NAME - 1);
    CHECK_CLASS(MPI_Type_set_name(type, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Type_get_name(type, NULL, &length), MPI_ERR_ARG);
    OK(MPI_Type_free(&type));

    OK(MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &pair));
    CHECK(pair == MPI_DOUBLE_INT);
    OK(MPI_Type_get_value_index(MPI_INT, MPI_INT, &pair));
    CHECK(pair == MPI_2INT);
    OK(MPI_Type_get_value_index(MPI_CHAR, MPI_DOUBLE, &pair));
    CHECK(pair == MPI_DATATYPE_NULL);
    CHECK_CLASS(MPI_Type_get_value_index(MPI_INT, MPI_INT, NULL), MPI_ERR_ARG);

    MPI_Count lower = -1, extent = -1;
    OK(MPI_Type_get_extent_x(MPI_SHORT_INT, &lower, &extent));
    struct {
        short value;
        int index;
    } both;
    CHECK(lower == 0 && extent == sizeof both);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    clocks();
    machine();
    binary_interface();
    names_of_datatypes();
    return check_end();
}
