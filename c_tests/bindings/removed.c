/* ranks: 1 2; abi: mpich standard; mpich: skip what it gives for them differs by version */
/* Functions that left MPI with 3.0, which old programs still call. */
#include "check.h"
#include "removed.h"

static int calls = 0;

static void handler(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    calls++;
}

struct pair {
    double value;
    int rank, pad, other;
};

/* Sends `type` at `from` to itself and receives it at `to`. */
static void move(const void *from, void *to, MPI_Datatype type)
{
    MPI_Request request;
    OK(MPI_Type_commit(&type));
    OK(MPI_Irecv(to, 1, type, rank, 0, MPI_COMM_WORLD, &request));
    OK(MPI_Send(from, 1, type, rank, 0, MPI_COMM_WORLD));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Type_free(&type));
}

static void datatypes(void)
{
    struct pair from = { 1.5, 2, 3, 4 }, to = { 0, 0, 0, 0 };
    MPI_Aint base, at[3], extent, lb, ub;
    int lengths[3] = { 1, 1, 1 }, numbers[20], got[20];
    MPI_Datatype parts[3] = { MPI_DOUBLE, MPI_INT, MPI_INT }, type;
    OK(MPI_Address(&from, &base));
    OK(MPI_Address(&from.value, &at[0]));
    OK(MPI_Address(&from.rank, &at[1]));
    OK(MPI_Address(&from.other, &at[2]));
    for (int i = 0; i < 3; i++)
        at[i] -= base;
    OK(MPI_Type_struct(3, lengths, at, parts, &type));
    OK(MPI_Type_extent(type, &extent));
    OK(MPI_Type_lb(type, &lb));
    OK(MPI_Type_ub(type, &ub));
    CHECK_EQ(lb, 0);
    CHECK_EQ(ub, sizeof from);
    CHECK_EQ(extent, sizeof from);
    move(&from, &to, type);
    CHECK(to.value == 1.5 && to.rank == 2 && to.pad == 0 && to.other == 4);

    for (int i = 0; i < 20; i++) {
        numbers[i] = i;
        got[i] = -1;
    }
    OK(MPI_Type_hvector(3, 2, 5 * sizeof(int), MPI_INT, &type));
    OK(MPI_Type_extent(type, &extent));
    CHECK_EQ(extent, 12 * sizeof(int));
    move(numbers, got, type);
    for (int i = 0; i < 20; i++)
        CHECK_EQ(got[i], i < 12 && i % 5 < 2 ? i : -1);

    lengths[0] = 2, lengths[1] = 0, lengths[2] = 3;
    at[0] = 3 * sizeof(int), at[1] = 0, at[2] = 10 * sizeof(int);
    memset(got, 0xff, sizeof got);
    OK(MPI_Type_hindexed(3, lengths, at, MPI_INT, &type));
    OK(MPI_Type_lb(type, &lb));
    OK(MPI_Type_ub(type, &ub));
    CHECK_EQ(lb, 3 * sizeof(int));
    CHECK_EQ(ub, 13 * sizeof(int));
    move(numbers, got, type);
    for (int i = 0; i < 20; i++)
        CHECK_EQ(got[i], i == 3 || i == 4 || (i >= 10 && i < 13) ? i : -1);

    CHECK_CLASS(MPI_Type_struct(-1, lengths, at, parts, &type), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Type_hvector(1, 1, 0, MPI_DATATYPE_NULL, &type), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Type_hindexed(1, NULL, at, MPI_INT, &type), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Type_extent(MPI_INT, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Address(&from, NULL), MPI_ERR_ARG);
}

static void error_handlers(void)
{
    MPI_Errhandler made, got;
    MPI_Comm comm;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Errhandler_create(handler, &made));
    OK(MPI_Errhandler_set(comm, made));
    OK(MPI_Errhandler_get(comm, &got));
    CHECK(got == made);
    CHECK_CLASS(MPI_Send(NULL, 0, MPI_BYTE, -7, 0, comm), MPI_ERR_RANK);
    CHECK_EQ(calls, 1);
    OK(MPI_Errhandler_free(&got));
    OK(MPI_Errhandler_free(&made));
    OK(MPI_Comm_free(&comm));
    CHECK_CLASS(MPI_Errhandler_create(NULL, &made), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Errhandler_get(MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    datatypes();
    error_handlers();
    return check_end();
}
