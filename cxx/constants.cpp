// The constants as objects, for programs that were compiled with MPICH's header, which declares them without a value.

#define MPICH_SKIP_MPICXX
#include <mpi.h>

#undef SEEK_SET
#undef SEEK_CUR
#undef SEEK_END

namespace MPI {

#define MPI_CXX_CONSTANT(name) extern const int name = MPI_##name;
#include "mpicxx/constants.h"
#undef MPI_CXX_CONSTANT

extern const MPI_Offset DISPLACEMENT_CURRENT = MPI_DISPLACEMENT_CURRENT;
extern void* const BOTTOM = MPI_BOTTOM;
extern void* const IN_PLACE = MPI_IN_PLACE;
extern const char** const ARGV_NULL = nullptr;
extern const char*** const ARGVS_NULL = nullptr;

}
