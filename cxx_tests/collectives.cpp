// Collective operations with every shape of arguments, and operations of the program's own.
#include "check.hpp"

#include <complex>
#include <vector>

static void data(const MPI::Intracomm& comm, int rank, int size)
{
    std::vector<int> mine(2 * size), all(2 * size), counts(size), displs(size);
    for (int i = 0; i < size; i++) {
        counts[i] = 2;
        displs[i] = 2 * (size - 1 - i);
    }
    int pair[2] = {rank, -rank};
    comm.Barrier();

    int value = rank == size - 1 ? 77 : 0;
    comm.Bcast(&value, 1, MPI::INT, size - 1);
    CHECK(value == 77);

    comm.Gather(pair, 2, MPI::INT, &all[0], 2, MPI::INT, 0);
    if (rank == 0)
        for (int i = 0; i < size; i++)
            CHECK(all[2 * i] == i && all[2 * i + 1] == -i);
    comm.Gatherv(pair, 2, MPI::INT, &all[0], &counts[0], &displs[0], MPI::INT, 0);
    if (rank == 0)
        for (int i = 0; i < size; i++)
            CHECK(all[displs[i]] == i && all[displs[i] + 1] == -i);

    int got[2] = {0, 0};
    comm.Scatterv(&all[0], &counts[0], &displs[0], MPI::INT, got, 2, MPI::INT, 0);
    CHECK(got[0] == rank && got[1] == -rank);
    comm.Scatter(&all[0], 2, MPI::INT, got, 2, MPI::INT, 0);
    CHECK(got[0] == size - 1 - rank);

    comm.Allgather(pair, 2, MPI::INT, &all[0], 2, MPI::INT);
    CHECK(all[2 * (size - 1)] == size - 1);
    comm.Allgatherv(pair, 2, MPI::INT, &all[0], &counts[0], &displs[0], MPI::INT);
    CHECK(all[0] == size - 1 && all[2 * (size - 1)] == 0);

    for (int i = 0; i < 2 * size; i++)
        mine[i] = 100 * rank + i;
    comm.Alltoall(&mine[0], 2, MPI::INT, &all[0], 2, MPI::INT);
    for (int i = 0; i < size; i++)
        CHECK(all[2 * i] == 100 * i + 2 * rank && all[2 * i + 1] == 100 * i + 2 * rank + 1);
    comm.Alltoallv(&mine[0], &counts[0], &displs[0], MPI::INT, &all[0], &counts[0], &displs[0], MPI::INT);
    for (int i = 0; i < size; i++)
        CHECK(all[displs[i]] == 100 * i + displs[rank]);
    std::vector<int> bytes(displs);
    for (int i = 0; i < size; i++)
        bytes[i] *= static_cast<int>(sizeof(int));
    std::vector<MPI::Datatype> types(size, MPI::INT);
    comm.Alltoallw(&mine[0], &counts[0], &bytes[0], &types[0], &all[0], &counts[0], &bytes[0], &types[0]);
    for (int i = 0; i < size; i++)
        CHECK(all[displs[i] + 1] == 100 * i + displs[rank] + 1);
}

static void reductions(const MPI::Intracomm& comm, int rank, int size)
{
    const int sum = size * (size - 1) / 2;
    int result = -1;
    comm.Reduce(&rank, &result, 1, MPI::INT, MPI::SUM, 0);
    CHECK(rank != 0 || result == sum);
    result = rank;
    comm.Allreduce(MPI::IN_PLACE, &result, 1, MPI::INT, MPI::MAX);
    CHECK(result == size - 1);
    comm.Allreduce(&rank, &result, 1, MPI::INT, MPI::MIN);
    CHECK(result == 0);
    comm.Scan(&rank, &result, 1, MPI::INT, MPI::SUM);
    CHECK(result == rank * (rank + 1) / 2);
    comm.Exscan(&rank, &result, 1, MPI::INT, MPI::SUM);
    CHECK(rank == 0 || result == rank * (rank - 1) / 2);

    std::vector<int> each(size, rank), counts(size, 1);
    comm.Reduce_scatter(&each[0], &result, &counts[0], MPI::INT, MPI::SUM);
    CHECK(result == sum);
#ifndef OPEN_MPI_HEADER
    comm.Reduce_scatter_block(&each[0], &result, 1, MPI::INT, MPI::SUM);
    CHECK(result == sum);
#endif
    int a = 6, b = 3;
    MPI::BXOR.Reduce_local(&a, &b, 1, MPI::INT);
    CHECK(b == 5 && MPI::BXOR.Is_commutative());

    bool yes = rank == 0, any = false;
    comm.Allreduce(&yes, &any, 1, MPI::BOOL, MPI::LOR);
    CHECK(any);
    comm.Allreduce(&yes, &any, 1, MPI::BOOL, MPI::LAND);
    CHECK(any == (size == 1));
    const std::complex<double> z(rank, 1);
    std::complex<double> total;
    comm.Allreduce(&z, &total, 1, MPI::DOUBLE_COMPLEX, MPI::SUM);
    CHECK(total == std::complex<double>(sum, size));
    const std::complex<float> f(2, 0);
    std::complex<float> product;
    comm.Allreduce(&f, &product, 1, MPI::COMPLEX, MPI::PROD);
    CHECK(product == std::complex<float>(static_cast<float>(1 << size), 0));

    struct { double value; int index; } pair = {static_cast<double>(size - rank), rank}, least;
    comm.Allreduce(&pair, &least, 1, MPI::DOUBLE_INT, MPI::MINLOC);
    CHECK(least.index == size - 1 && least.value == 1);
}

// Takes the last argument that is not negative: no commutative operation.
static void latest(const void* in, void* inout, int len, const MPI::Datatype& datatype)
{
    CHECK(datatype == MPI::INT);
    const int* a = static_cast<const int*>(in);
    int* b = static_cast<int*>(inout);
    for (int i = 0; i < len; i++)
        b[i] = b[i] >= 0 ? b[i] : a[i];
}

static void own(const MPI::Intracomm& comm, int rank, int size)
{
    MPI::Op op;
    op.Init(latest, false);
    CHECK(op != MPI::OP_NULL);
    std::vector<int> given(1000, rank % 2 ? -1 : rank), result(1000);
    comm.Allreduce(&given[0], &result[0], 1000, MPI::INT, op);
    CHECK(result[0] == (size - 1) / 2 * 2 && result[999] == result[0]);
    op.Free();
    CHECK(op == MPI::OP_NULL);
}

int main(int argc, char** argv)
{
    MPI::Init(argc, argv);
    const int rank = MPI::COMM_WORLD.Get_rank(), size = MPI::COMM_WORLD.Get_size();
    data(MPI::COMM_WORLD, rank, size);
    reductions(MPI::COMM_WORLD, rank, size);
    own(MPI::COMM_WORLD, rank, size);
    return conclude();
}
