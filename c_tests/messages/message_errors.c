/* ranks: 1 2 4; mpich: skip Debian's is built without checks of arguments and crashes */
/* Every wrong argument of message and collective functions: its error class, a sentence that names it, and all goes on. */
#include "check.h"

int main(int argc, char **argv)
{
    int value = 1, other = 2, flag, count;
    MPI_Request request = MPI_REQUEST_NULL, garbage;
    MPI_Status status;
    MPI_Datatype raw;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Comm self = MPI_COMM_SELF, world = MPI_COMM_WORLD;
    check_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(self, MPI_ERRORS_RETURN));
    OK(MPI_Type_contiguous(3, MPI_INT, &raw));

    CHECK_CLASS(MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_NULL), MPI_ERR_COMM);
    CHECK_SENTENCE(MPI_Send(&value, -1, MPI_INT, 0, 0, world), MPI_ERR_COUNT, "-1");
    CHECK_CLASS(MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 0, world), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Send(&value, 1, raw, 0, 0, world), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Send(NULL, 1, MPI_INT, 0, 0, world), MPI_ERR_BUFFER);
    CHECK_SENTENCE(MPI_Send(&value, 1, MPI_INT, size, 0, world), MPI_ERR_RANK, "dest is");
    CHECK_CLASS(MPI_Send(&value, 1, MPI_INT, -7, 0, world), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Send(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, world), MPI_ERR_RANK);
    CHECK_SENTENCE(MPI_Send(&value, 1, MPI_INT, 0, -5, world), MPI_ERR_TAG, "-5");
    CHECK_CLASS(MPI_Send(&value, 1, MPI_INT, 0, MPI_ANY_TAG, world), MPI_ERR_TAG);
    CHECK_CLASS(MPI_Send(&value, 1, MPI_INT, 0, 0x7fffffff, world), MPI_ERR_TAG);
    CHECK_CLASS(MPI_Isend(&value, 1, MPI_INT, size, 0, world, &request), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Isend(&value, 1, MPI_INT, 0, 0, world, NULL), MPI_ERR_ARG);
    CHECK_SENTENCE(MPI_Recv(&value, 1, MPI_INT, size, 0, world, &status), MPI_ERR_RANK, "source is");
    CHECK_CLASS(MPI_Recv(&value, 1, MPI_INT, 0, -5, world, &status), MPI_ERR_TAG);
    CHECK_CLASS(MPI_Recv(&value, -2, MPI_INT, 0, 0, world, &status), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Recv(NULL, 1, MPI_INT, 0, 0, world, &status), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Irecv(&value, 1, MPI_INT, -9, 0, world, &request), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Sendrecv(&value, 1, MPI_INT, size, 0, &other, 1, MPI_INT, 0, 0, world, &status),
                MPI_ERR_RANK);
    CHECK_CLASS(MPI_Probe(size, 0, world, &status), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Iprobe(0, -5, world, &flag, &status), MPI_ERR_TAG);
    CHECK_CLASS(MPI_Mrecv(&value, 1, MPI_INT, &message, &status), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Send_init(&value, 1, MPI_INT, size, 0, world, &request), MPI_ERR_RANK);

    memset(&garbage, 0x5a, sizeof garbage);
    CHECK_CLASS(MPI_Wait(&garbage, &status), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Test(&garbage, &flag, &status), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Waitall(1, &garbage, &status), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Waitany(-1, &garbage, &count, &status), MPI_ERR_COUNT);
    request = MPI_REQUEST_NULL;
    CHECK_CLASS(MPI_Start(&request), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Request_free(&request), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Cancel(&request), MPI_ERR_REQUEST);

    CHECK_CLASS(MPI_Bcast(&value, 1, MPI_INT, size, world), MPI_ERR_ROOT);
    CHECK_CLASS(MPI_Bcast(&value, -1, MPI_INT, 0, world), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Bcast(&value, 1, raw, 0, world), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Barrier(MPI_COMM_NULL), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Allreduce(&value, &other, 1, MPI_INT, MPI_OP_NULL, world), MPI_ERR_OP);
    CHECK_CLASS(MPI_Allreduce(&value, &other, 1, MPI_DOUBLE, MPI_BAND, world), MPI_ERR_OP);
    CHECK_CLASS(MPI_Allreduce(&value, &other, -1, MPI_INT, MPI_SUM, world), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Allreduce(&value, &value, 1, MPI_INT, MPI_SUM, world), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Reduce(&value, &other, 1, MPI_INT, MPI_SUM, -1, world), MPI_ERR_ROOT);
    CHECK_CLASS(MPI_Gather(&value, 1, MPI_INT, NULL, -1, MPI_INT, rank, world), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Alltoall(&value, 1, MPI_DATATYPE_NULL, &other, 1, MPI_INT, world), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Ibcast(&value, 1, MPI_INT, -3, world, &request), MPI_ERR_ROOT);

    OK(MPI_Type_free(&raw));
    int sum = 0;
    OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, world));
    CHECK_EQ(sum, size * (size - 1) / 2);
    return check_end();
}
