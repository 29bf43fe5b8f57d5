/* ranks: 1 2 3 8; mpich: skip its MPI_Isendrecv gives no status */
/* MPI_Isendrecv and MPI_Isendrecv_replace, around a ring, small and large, with gaps, and their errors. */
#include "check.h"

static void around(int elements)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    int *out = calloc(elements, sizeof *out), *into = calloc(elements, sizeof *into);
    MPI_Request requests[2];
    MPI_Status statuses[2];
    int count;
    for (int i = 0; i < elements; i++) {
        out[i] = rank * 1000 + i;
        into[i] = -1;
    }
    OK(MPI_Isendrecv(out, elements, MPI_INT, right, 3, into, elements, MPI_INT, left, 3, MPI_COMM_WORLD,
                     &requests[0]));
    /* A second one with the large form, which crosses the first. */
    long long mine = rank, theirs = -1;
    OK(MPI_Isendrecv_c(&mine, 1, MPI_LONG_LONG, left, 4, &theirs, 1, MPI_LONG_LONG, MPI_ANY_SOURCE, 4,
                       MPI_COMM_WORLD, &requests[1]));
    OK(MPI_Waitall(2, requests, statuses));
    for (int i = 0; i < elements; i++)
        CHECK_EQ(into[i], left * 1000 + i);
    CHECK_EQ(statuses[0].MPI_SOURCE, left);
    CHECK_EQ(statuses[0].MPI_TAG, 3);
    OK(MPI_Get_count(&statuses[0], MPI_INT, &count));
    CHECK_EQ(count, elements);
    CHECK_EQ(theirs, right);
    CHECK_EQ(statuses[1].MPI_SOURCE, right);
    CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);

    OK(MPI_Isendrecv_replace(out, elements, MPI_INT, right, 5, left, 5, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Wait(&requests[0], &statuses[0]));
    for (int i = 0; i < elements; i++)
        CHECK_EQ(out[i], left * 1000 + i);
    free(out);
    free(into);
}

static void replaced_with_gaps(void)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    int data[20];
    MPI_Datatype every_second;
    MPI_Request request;
    int flag = 0;
    for (int i = 0; i < 20; i++)
        data[i] = rank * 100 + i;
    OK(MPI_Type_vector(10, 1, 2, MPI_INT, &every_second));
    OK(MPI_Type_commit(&every_second));
    OK(MPI_Isendrecv_replace_c(data, 1, every_second, right, 0, left, 0, MPI_COMM_WORLD, &request));
    while (!flag)
        OK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
    for (int i = 0; i < 20; i++)
        CHECK_EQ(data[i], (i % 2 == 0 ? left : rank) * 100 + i);
    OK(MPI_Type_free(&every_second));
}

static void nobody(void)
{
    MPI_Request request;
    MPI_Status status;
    int out = 1, into = 2, count = -1;
    OK(MPI_Isendrecv(&out, 1, MPI_INT, MPI_PROC_NULL, 0, &into, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD,
                     &request));
    OK(MPI_Wait(&request, &status));
    CHECK_EQ(into, 2);
    CHECK_EQ(status.MPI_SOURCE, MPI_PROC_NULL);
    OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK_EQ(count, 0);
}

static void errors(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int out[2] = {1, 2}, into = 2;
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    CHECK_CLASS(MPI_Isendrecv(out, 1, MPI_INT, size, 0, &into, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request),
                MPI_ERR_RANK);
    CHECK_CLASS(MPI_Isendrecv(out, 1, MPI_INT, 0, -7, &into, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request),
                MPI_ERR_TAG);
    CHECK_CLASS(MPI_Isendrecv(out, -1, MPI_INT, 0, 0, &into, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request),
                MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Isendrecv(out, 1, MPI_DATATYPE_NULL, 0, 0, &into, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request),
                MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Isendrecv_replace(out, 1, MPI_INT, 0, 0, size + 1, 0, MPI_COMM_WORLD, &request), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Isendrecv(out, 1, MPI_INT, 0, 0, &into, 1, MPI_INT, 0, 0, MPI_COMM_NULL, &request),
                MPI_ERR_COMM);
    /* What is too long is cut, and the wait says so. */
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    OK(MPI_Isendrecv(out, 2, MPI_INT, right, 0, &into, 1, MPI_INT, left, 0, MPI_COMM_WORLD, &request));
    CHECK_CLASS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    around(1);
    around(1000);
    around(300000);
    replaced_with_gaps();
    nobody();
    errors();
    return check_end();
}
