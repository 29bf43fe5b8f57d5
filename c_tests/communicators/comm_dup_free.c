/* ranks: 1 2 4 8 */
/* Duplicating, comparing, naming and freeing communicators; hints; nothing is left behind. */
#include "check.h"
#include <unistd.h>

static long resident_kilobytes(void)
{
    long total = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file && fscanf(file, "%ld %ld", &total, &resident) == 2);
    fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static void compare(void)
{
    MPI_Comm dup, self;
    int result = -1, flag = -1;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    CHECK(dup != MPI_COMM_WORLD && dup != MPI_COMM_NULL);
    OK(MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_WORLD, &result));
    CHECK_EQ(result, MPI_IDENT);
    OK(MPI_Comm_compare(MPI_COMM_WORLD, dup, &result));
    CHECK_EQ(result, MPI_CONGRUENT);
    OK(MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_SELF, &result));
    CHECK_EQ(result, size == 1 ? MPI_CONGRUENT : MPI_UNEQUAL);
    OK(MPI_Comm_dup(MPI_COMM_SELF, &self));
    OK(MPI_Comm_compare(self, MPI_COMM_SELF, &result));
    CHECK_EQ(result, MPI_CONGRUENT);
    OK(MPI_Comm_test_inter(dup, &flag));
    CHECK_EQ(flag, 0);
    OK(MPI_Comm_free(&self));
    OK(MPI_Comm_free(&dup));
    CHECK(dup == MPI_COMM_NULL && self == MPI_COMM_NULL);
}

static void names(void)
{
    MPI_Comm dup;
    char name[MPI_MAX_OBJECT_NAME];
    char longest[MPI_MAX_OBJECT_NAME + 10];
    int length = -1;
    OK(MPI_Comm_get_name(MPI_COMM_WORLD, name, &length));
    CHECK(strcmp(name, "MPI_COMM_WORLD") == 0 && length == 14);
    OK(MPI_Comm_get_name(MPI_COMM_SELF, name, &length));
    CHECK(strcmp(name, "MPI_COMM_SELF") == 0 && length == 13);
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    OK(MPI_Comm_get_name(dup, name, &length));
    CHECK(name[0] == 0 && length == 0);
    OK(MPI_Comm_set_name(dup, "a name"));
    OK(MPI_Comm_get_name(dup, name, &length));
    CHECK(strcmp(name, "a name") == 0 && length == 6);
    memset(longest, 'x', sizeof longest);
    longest[MPI_MAX_OBJECT_NAME - 1] = 0;
    OK(MPI_Comm_set_name(dup, longest));
    OK(MPI_Comm_get_name(dup, name, &length));
    CHECK(strcmp(name, longest) == 0 && length == MPI_MAX_OBJECT_NAME - 1);
    OK(MPI_Comm_free(&dup));
}

static void hints(void)
{
    MPI_Comm dup, second;
    MPI_Info info, used;
    char value[MPI_MAX_INFO_VAL + 1] = "";
    int flag = -1;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "mpi_assert_no_any_tag", "true"));
    OK(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &dup));
    OK(MPI_Comm_set_info(dup, info));
    OK(MPI_Comm_get_info(dup, &used));
    OK(MPI_Info_get(used, "mpi_assert_no_any_tag", MPI_MAX_INFO_VAL, value, &flag));
    CHECK(flag && strcmp(value, "true") == 0);
    OK(MPI_Info_free(&used));
    OK(MPI_Comm_dup_with_info(dup, MPI_INFO_NULL, &second));
#ifdef RMASHM
    OK(MPI_Comm_get_info(second, &used));
    OK(MPI_Info_get(used, "mpi_assert_no_any_tag", MPI_MAX_INFO_VAL, value, &flag));
    CHECK(flag && strcmp(value, "false") == 0);
    OK(MPI_Info_free(&used));
#endif
    OK(MPI_Comm_free(&second));
    OK(MPI_Comm_free(&dup));
    OK(MPI_Info_free(&info));
}

/* Creating and freeing without end does not take memory. */
static void endless(void)
{
#ifdef RMASHM
    int rounds = 12000 / size, i;
#else
    int rounds = 400 / size / size, i; /* a library that polls takes its time on few cores */
#endif
    long before = 0;
    MPI_Comm comm;
    for (i = 0; i < rounds; i++) {
        if (i == rounds / 2)
            before = resident_kilobytes();
        if (i % 2)
            OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
        else
            OK(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comm));
        OK(MPI_Comm_free(&comm));
    }
    CHECK(resident_kilobytes() - before < 1000);
}

/* Many at the same time, freed in another order than they were made. */
static void many(void)
{
    enum { N = 200 };
    MPI_Comm comms[N];
    int i, r = -1, s = -1;
    for (i = 0; i < N; i++)
        OK(MPI_Comm_dup(i == 0 ? MPI_COMM_WORLD : comms[i - 1], &comms[i]));
    for (i = 0; i < N; i++) {
        int n = (i * 7) % N;
        OK(MPI_Comm_rank(comms[n], &r));
        OK(MPI_Comm_size(comms[n], &s));
        CHECK(r == rank && s == size);
        OK(MPI_Comm_free(&comms[n]));
    }
}

static void errors(void)
{
    MPI_Comm dup = MPI_COMM_NULL, freed, world = MPI_COMM_WORLD, other = MPI_COMM_NULL;
    MPI_Info info;
    int number = -1;
    char name[MPI_MAX_OBJECT_NAME];
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    CHECK_CLASS(MPI_Comm_rank(MPI_COMM_NULL, &number), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_size(MPI_COMM_NULL, &number), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_dup(MPI_COMM_NULL, &other), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_compare(dup, MPI_COMM_NULL, &number), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_set_name(MPI_COMM_NULL, "x"), MPI_ERR_COMM);
    OK(MPI_Comm_get_name(MPI_COMM_NULL, name, &number));
    CHECK(!strcmp(name, "MPI_COMM_NULL") && number == 13);
    CHECK_CLASS(MPI_Comm_test_inter(MPI_COMM_NULL, &number), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_get_info(MPI_COMM_NULL, &info), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_set_info(MPI_COMM_NULL, MPI_INFO_NULL), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_free(&world), MPI_ERR_COMM);
    CHECK(world == MPI_COMM_WORLD);
    freed = dup;
    OK(MPI_Comm_free(&dup));
    CHECK_CLASS(MPI_Comm_free(&dup), MPI_ERR_COMM);
#ifdef RMASHM
    CHECK_CLASS(MPI_Comm_remote_size(MPI_COMM_WORLD, &number), MPI_ERR_COMM);
    MPI_Group group;
    size_t i;
    MPI_Comm garbage[] = {(MPI_Comm)0,           (MPI_Comm)1,
                          (MPI_Comm)-1,          (MPI_Comm)0x7fffffff,
                          (MPI_Comm)MPI_INT,     (MPI_Comm)MPI_INFO_ENV,
                          (MPI_Comm)((intptr_t)MPI_COMM_WORLD + 2), freed};
    for (i = 0; i < sizeof garbage / sizeof *garbage; i++) {
        CHECK_CLASS(MPI_Comm_rank(garbage[i], &number), MPI_ERR_COMM);
        CHECK_CLASS(MPI_Comm_dup(garbage[i], &other), MPI_ERR_COMM);
        CHECK_CLASS(MPI_Comm_group(garbage[i], &group), MPI_ERR_COMM);
        MPI_Comm copy = garbage[i];
        CHECK_CLASS(MPI_Comm_free(&copy), MPI_ERR_COMM);
        CHECK(copy == garbage[i]);
    }
    if (sizeof(MPI_Comm) == sizeof(int)) /* of a pointer that is no handle the library keeps nothing */
        CHECK_SENTENCE(MPI_Comm_rank((MPI_Comm)0x84001234, &number), MPI_ERR_COMM, "comm is 0x84001234");
    CHECK_SENTENCE(MPI_Comm_rank(MPI_COMM_WORLD, NULL), MPI_ERR_ARG, "rank is a null pointer");
    CHECK_CLASS(MPI_Comm_size(MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_dup(MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_SELF, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_free(NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_set_name(MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_get_name(MPI_COMM_WORLD, NULL, &number), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_get_name(MPI_COMM_WORLD, name, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_set_info(MPI_COMM_WORLD, MPI_INFO_NULL), MPI_ERR_INFO);
    CHECK_CLASS(MPI_Comm_get_info(MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_dup_with_info(MPI_COMM_WORLD, (MPI_Info)77, &other), MPI_ERR_INFO);
    CHECK(other == MPI_COMM_NULL);
#else
    (void)freed;
#endif
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    compare();
    names();
    hints();
    many();
    endless();
    errors();
    return check_end();
}
