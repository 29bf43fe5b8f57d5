/* ranks: 2 */
/* A program in C++ that is linked with Open MPI's library for C++, as `mpic++` of Open MPI 4 links all, and uses its classes. */
#include <mpi.h>

#include <cstdio>

static void add(const void *in, void *inout, int count, const MPI::Datatype &type)
{
    if (type != MPI::INT)
        std::printf("the operation gets another datatype\n");
    for (int i = 0; i < count; i++)
        static_cast<int *>(inout)[i] += static_cast<const int *>(in)[i];
}

static void refuse(MPI::Comm &, int *code, ...)
{
    throw *code;
}

/* An exception that leaves the program's own error handler reaches the program's call. */
static bool handler_throws()
{
    MPI::Intracomm comm = MPI::COMM_WORLD.Dup();
    MPI::Errhandler handler = MPI::Comm::Create_errhandler(refuse);
    comm.Set_errhandler(handler);
    handler.Free();
    int thrown = MPI::SUCCESS;
    try {
        comm.Send(&thrown, 1, MPI::INT, comm.Get_size(), 0);
    } catch (int code) {
        thrown = MPI::Get_error_class(code);
    }
    bool after = comm.Get_rank() == MPI::COMM_WORLD.Get_rank();
    comm.Free();
    return thrown == MPI::ERR_RANK && after;
}

int main(int argc, char **argv)
{
    MPI::Init(argc, argv);
    int rank = MPI::COMM_WORLD.Get_rank(), size = MPI::COMM_WORLD.Get_size(), sum = 0, word = -1;
    MPI::COMM_WORLD.Allreduce(&rank, &sum, 1, MPI::INT, MPI::SUM);
    MPI::Op op;
    op.Init(add, true);
    int mine[3] = { rank, 2 * rank, 3 }, all[3] = { 0 };
    MPI::COMM_WORLD.Allreduce(mine, all, 3, MPI::INT, op);
    op.Free();
    MPI::Status status;
    MPI::COMM_WORLD.Sendrecv(&rank, 1, MPI::INT, (rank + 1) % size, 7, &word, 1, MPI::INT, MPI::ANY_SOURCE, 7, status);
    MPI::Datatype pair = MPI::DOUBLE.Create_contiguous(2);
    pair.Commit();
    int bytes = pair.Get_size();
    pair.Free();
    bool right = sum == size * (size - 1) / 2 && word == status.Get_source() && bytes == 16 &&
                 pair == MPI::DATATYPE_NULL && all[0] == sum && all[1] == 2 * sum && all[2] == 3 * size && handler_throws();
    if (!right)
        std::printf("rank %d: sum %d, word %d, %d bytes\n", rank, sum, word, bytes);
    MPI::Finalize();
    return right ? 0 : 1;
}
