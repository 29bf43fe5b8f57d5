/* Constants and predefined objects. */

namespace MPI {

#define MPI_CXX_CONSTANT(name) const int name = MPI_##name;
#include "constants.h"
#undef MPI_CXX_CONSTANT

const Offset DISPLACEMENT_CURRENT = MPI_DISPLACEMENT_CURRENT;
void* const BOTTOM = MPI_BOTTOM;
void* const IN_PLACE = MPI_IN_PLACE;
const char** const ARGV_NULL = 0;
const char*** const ARGVS_NULL = 0;

#define MPI_CXX_OBJECT(type, name, c_name) extern type name;
#include "predefined.h"
#undef MPI_CXX_OBJECT
extern const Errhandler ERRORS_THROW_EXCEPTIONS;

}
