// The same program through the C++ compiler, with something in it that C does not have.
#include "sum.c"
#include <type_traits>
static_assert(std::is_same<decltype(MPI_Put), decltype(PMPI_Put)>::value, "MPI_Put and PMPI_Put are of one type");
