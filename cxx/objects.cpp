// The predefined objects.

#include <mpi.h>

namespace MPI {

#define MPI_CXX_OBJECT(type, name, c_name) type name(MPI_##c_name);
#include "mpicxx/predefined.h"
#undef MPI_CXX_OBJECT
const Errhandler ERRORS_THROW_EXCEPTIONS(internal::errors_throw_exceptions);

}
