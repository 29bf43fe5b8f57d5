/* ranks: 1 2 3; mpich: skip it gives a handle again only when no operation uses the datatype any more */
/* Freed datatypes: what is underway or persistent goes on with them, while other datatypes have their handles. */
#include "check.h"

enum { COUNT = 5, WIDTH = 4 };

static int right, left, calls;
static MPI_Datatype others[3];

/* Two ints of four. */
static MPI_Datatype gaps(void)
{
    MPI_Datatype vector, type;
    OK(MPI_Type_vector(2, 1, 2, MPI_INT, &vector));
    OK(MPI_Type_create_resized(vector, 0, WIDTH * sizeof(int), &type));
    OK(MPI_Type_free(&vector));
    OK(MPI_Type_commit(&type));
    return type;
}

/* Frees the datatype, and makes others: the handle freed last is given to the first of them. */
static void replace(MPI_Datatype type)
{
    MPI_Datatype freed = type;
    OK(MPI_Type_free(&type));
    CHECK(type == MPI_DATATYPE_NULL);
    for (int i = 0; i < 3; i++) {
        OK(MPI_Type_contiguous(i + 1, MPI_CHAR, &others[i]));
        OK(MPI_Type_commit(&others[i]));
    }
    CHECK(others[0] == freed);
}

static void free_others(void)
{
    for (int i = 3; i-- > 0;)
        OK(MPI_Type_free(&others[i]));
}

static int value(int from, int i)
{
    return from * 1000 + i + 1;
}

static void prepare(int *out, int *into)
{
    for (int i = 0; i < COUNT * WIDTH; i++) {
        out[i] = value(rank, i);
        into[i] = -1;
    }
}

/* `into` has what rank `from` sent, and its gaps are as they were. */
static void check_ring(const int *into, int from)
{
    for (int i = 0; i < COUNT * WIDTH; i++)
        CHECK_EQ(into[i], i % 2 == 0 ? value(from, i) : -1);
}

static void messages(void)
{
    int out[COUNT * WIDTH], into[COUNT * WIDTH];
    MPI_Request requests[2];
    MPI_Datatype type = gaps();
    prepare(out, into);
    OK(MPI_Irecv(into, COUNT, type, left, 1, MPI_COMM_WORLD, &requests[0]));
    replace(type);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    type = gaps();
    OK(MPI_Issend(out, COUNT, type, right, 1, MPI_COMM_WORLD, &requests[1]));
    OK(MPI_Type_free(&type));
    OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    check_ring(into, left);
    free_others();

    type = gaps();
    OK(MPI_Recv_init(into, COUNT, type, left, 2, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Send_init(out, COUNT, type, right, 2, MPI_COMM_WORLD, &requests[1]));
    replace(type);
    for (int round = 0; round < 3; round++) {
        prepare(out, into);
        OK(MPI_Startall(2, requests));
        OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        check_ring(into, left);
    }
    for (int i = 0; i < 2; i++)
        OK(MPI_Request_free(&requests[i]));
    free_others();

    type = gaps();
    OK(MPI_Precv_init(into, 1, COUNT, type, left, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]));
    OK(MPI_Psend_init(out, COUNT, 1, type, right, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]));
    replace(type);
    prepare(out, into);
    OK(MPI_Startall(2, requests));
    OK(MPI_Pready_range(0, COUNT - 1, requests[1]));
    OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    check_ring(into, left);
    for (int i = 0; i < 2; i++)
        OK(MPI_Request_free(&requests[i]));
    free_others();
}

/* The datatype it is given is the one of the call. */
static void add(void *in, void *inout, int *length, MPI_Datatype *type)
{
    const int *from = in;
    int *to = inout, bytes;
    MPI_Aint lb, extent;
    OK(MPI_Type_size(*type, &bytes));
    OK(MPI_Type_get_extent(*type, &lb, &extent));
    CHECK_EQ(bytes, 2 * sizeof(int));
    CHECK_EQ(extent, WIDTH * sizeof(int));
    for (int i = 0; i < *length * WIDTH; i += 2)
        to[i] += from[i];
    calls++;
}

static void check_sum(const int *into)
{
    for (int i = 0; i < COUNT * WIDTH; i++) {
        int sum = 0;
        for (int r = 0; r < size; r++)
            sum += value(r, i);
        CHECK_EQ(into[i], i % 2 == 0 ? sum : -1);
    }
}

static void reductions(void)
{
    int out[COUNT * WIDTH], into[COUNT * WIDTH];
    MPI_Request request;
    MPI_Op op;
    MPI_Comm beside;
    MPI_Datatype type = gaps();
    OK(MPI_Op_create(add, 1, &op));
    prepare(out, into);
    /* Collective calls on one communicator come in one order everywhere. */
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &beside));
    /* Rank 0 comes when the others have freed theirs. */
    if (rank == 0)
        OK(MPI_Barrier(beside));
    OK(MPI_Iallreduce(out, into, COUNT, type, op, MPI_COMM_WORLD, &request));
    replace(type);
    if (rank != 0)
        OK(MPI_Barrier(beside));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    check_sum(into);
    free_others();
    OK(MPI_Comm_free(&beside));

    type = gaps();
    OK(MPI_Allreduce_init(out, into, COUNT, type, op, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
    replace(type);
    for (int round = 0; round < 3; round++) {
        int before = calls, all;
        prepare(out, into);
        OK(MPI_Start(&request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        check_sum(into);
        before = calls - before;
        OK(MPI_Allreduce(&before, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
        CHECK(size == 1 || all > 0);
    }
    OK(MPI_Request_free(&request));
    free_others();
    OK(MPI_Op_free(&op));
}

/* A datatype made of freed ones is what it was, and gives handles to what it was made of. */
static void constituents(void)
{
    int out[COUNT * WIDTH], into[COUNT * WIDTH], integers[1], bytes;
    MPI_Datatype type = gaps(), array, part;
    OK(MPI_Type_contiguous(COUNT, type, &array));
    OK(MPI_Type_commit(&array));
    replace(type);
    prepare(out, into);
    OK(MPI_Sendrecv(out, 1, array, right, 4, into, 1, array, left, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    check_ring(into, left);
    OK(MPI_Type_get_contents(array, 1, 0, 1, integers, NULL, &part));
    for (int i = 0; i < 3; i++)
        CHECK(part != others[i]);
    OK(MPI_Type_size(part, &bytes));
    CHECK_EQ(bytes, 2 * sizeof(int));
    OK(MPI_Type_free(&part));
    OK(MPI_Type_free(&array));
    free_others();
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    messages();
    reductions();
    constituents();
    return check_end();
}
