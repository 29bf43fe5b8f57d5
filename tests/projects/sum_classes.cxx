// The same program with the classes of MPI-2.2.
#include <mpi.h>
#include <cstdio>

int main(int argc, char** argv)
{
    MPI::Init(argc, argv);
    const int rank = MPI::COMM_WORLD.Get_rank(), size = MPI::COMM_WORLD.Get_size();
    int sum = -1;
    MPI::COMM_WORLD.Allreduce(&rank, &sum, 1, MPI::INT, MPI::SUM);
    if (rank == 0 && sum == size * (size - 1) / 2)
        std::printf("sum of %d ranks\n", size);
    MPI::Finalize();
    return sum == size * (size - 1) / 2 ? 0 : 1;
}
