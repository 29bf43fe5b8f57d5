// wrong mismatched: type mismatch
// wrong beyond: bad buffer
// told mismatched: MPI_Recv at mine::Solver<double>::exchange (names): 
// told mismatched: sent by MPI_Send at mine::Solver<double>::exchange (names)
// told beyond: MPI_Bcast at mine::share (names): 
// told beyond: behind the end of mine::table, which has 16 bytes
// flags: -g0
// Without debug information, functions and variables have their names of the symbol table alone.
#include <mpi.h>
#include <cstring>
#include <vector>

namespace mine {
static int table[4];

template <class T> struct Solver {
    std::vector<T> cells = std::vector<T>(4);
    [[gnu::noinline]] void exchange(int rank, int other) {
        if (rank == 0)
            MPI_Send(cells.data(), 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(cells.data(), 2, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        cells[1] += 1;
    }
};

[[gnu::noinline]] static int share(int count) {
    MPI_Bcast(table, count, MPI_INT, 0, MPI_COMM_WORLD);
    return table[0];
}
} // namespace mine

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, status = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    mine::Solver<double> solver;
    if (!std::strcmp(argv[1], "mismatched")) solver.exchange(rank, 1 - rank);
    if (!std::strcmp(argv[1], "beyond")) status = mine::share(5);
    MPI_Finalize();
    return status;
}
