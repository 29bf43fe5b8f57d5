/* ranks: 2 */
/* A program in C++ that is linked with Open MPI's library for C++, as `mpic++` of Open MPI 4 links all, and uses its classes. */
#include <mpi.h>

#include <cstdio>

int main(int argc, char **argv)
{
    MPI::Init(argc, argv);
    int rank = MPI::COMM_WORLD.Get_rank(), size = MPI::COMM_WORLD.Get_size(), sum = 0, word = -1;
    MPI::COMM_WORLD.Allreduce(&rank, &sum, 1, MPI::INT, MPI::SUM);
    MPI::Status status;
    MPI::COMM_WORLD.Sendrecv(&rank, 1, MPI::INT, (rank + 1) % size, 7, &word, 1, MPI::INT, MPI::ANY_SOURCE, 7, status);
    MPI::Datatype pair = MPI::DOUBLE.Create_contiguous(2);
    pair.Commit();
    int bytes = pair.Get_size();
    pair.Free();
    bool right = sum == size * (size - 1) / 2 && word == status.Get_source() && bytes == 16 &&
                 pair == MPI::DATATYPE_NULL;
    if (!right)
        std::printf("rank %d: sum %d, word %d, %d bytes\n", rank, sum, word, bytes);
    MPI::Finalize();
    return right ? 0 : 1;
}
