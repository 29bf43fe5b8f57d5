// The predefined objects, and the little that is no class.

#include "classes.h"

#define OBJECT(type, name, place) \
    extern "C" char place[]; \
    namespace MPI { \
    extern type name; \
    type name(OMPI_OBJECT(decltype(handle_of(static_cast<type*>(nullptr))), place)); \
    }

namespace MPI {

// The type of C's handle of a class.
MPI_Comm handle_of(const Comm_Null*);
MPI_Datatype handle_of(const Datatype*);
MPI_Errhandler handle_of(const Errhandler*);
MPI_File handle_of(const File*);
MPI_Group handle_of(const Group*);
MPI_Info handle_of(const Info*);
MPI_Op handle_of(const Op*);
MPI_Request handle_of(const Request*);
MPI_Win handle_of(const Win*);

}

OBJECT(Intracomm, COMM_WORLD, ompi_mpi_comm_world)
OBJECT(Intracomm, COMM_SELF, ompi_mpi_comm_self)
OBJECT(const Group, GROUP_EMPTY, ompi_mpi_group_empty)

OBJECT(Comm_Null, COMM_NULL, ompi_mpi_comm_null)
OBJECT(const Datatype, DATATYPE_NULL, ompi_mpi_datatype_null)
OBJECT(const Errhandler, ERRHANDLER_NULL, ompi_mpi_errhandler_null)
OBJECT(const File, FILE_NULL, ompi_mpi_file_null)
OBJECT(const Group, GROUP_NULL, ompi_mpi_group_null)
OBJECT(const Info, INFO_NULL, ompi_mpi_info_null)
OBJECT(const Op, OP_NULL, ompi_mpi_op_null)
OBJECT(Request, REQUEST_NULL, ompi_request_null)
OBJECT(const Win, WIN_NULL, ompi_mpi_win_null)

OBJECT(const Errhandler, ERRORS_ARE_FATAL, ompi_mpi_errors_are_fatal)
OBJECT(const Errhandler, ERRORS_RETURN, ompi_mpi_errors_return)
OBJECT(const Errhandler, ERRORS_THROW_EXCEPTIONS, ompi_mpi_errors_throw_exceptions)

// Datatypes of C and C++; of pairs; of Fortran.
OBJECT(const Datatype, CHAR, ompi_mpi_char)
OBJECT(const Datatype, SIGNED_CHAR, ompi_mpi_signed_char)
OBJECT(const Datatype, UNSIGNED_CHAR, ompi_mpi_unsigned_char)
OBJECT(const Datatype, WCHAR, ompi_mpi_wchar)
OBJECT(const Datatype, SHORT, ompi_mpi_short)
OBJECT(const Datatype, UNSIGNED_SHORT, ompi_mpi_unsigned_short)
OBJECT(const Datatype, INT, ompi_mpi_int)
OBJECT(const Datatype, UNSIGNED, ompi_mpi_unsigned)
OBJECT(const Datatype, LONG, ompi_mpi_long)
OBJECT(const Datatype, UNSIGNED_LONG, ompi_mpi_unsigned_long)
OBJECT(const Datatype, LONG_LONG, ompi_mpi_long_long_int)
OBJECT(const Datatype, UNSIGNED_LONG_LONG, ompi_mpi_unsigned_long_long)
OBJECT(const Datatype, FLOAT, ompi_mpi_float)
OBJECT(const Datatype, DOUBLE, ompi_mpi_double)
OBJECT(const Datatype, LONG_DOUBLE, ompi_mpi_long_double)
OBJECT(const Datatype, BOOL, ompi_mpi_cxx_bool)
OBJECT(const Datatype, COMPLEX, ompi_mpi_cxx_cplex)
OBJECT(const Datatype, DOUBLE_COMPLEX, ompi_mpi_cxx_dblcplex)
OBJECT(const Datatype, LONG_DOUBLE_COMPLEX, ompi_mpi_cxx_ldblcplex)
OBJECT(const Datatype, BYTE, ompi_mpi_byte)
OBJECT(const Datatype, PACKED, ompi_mpi_packed)
OBJECT(const Datatype, FLOAT_INT, ompi_mpi_float_int)
OBJECT(const Datatype, DOUBLE_INT, ompi_mpi_double_int)
OBJECT(const Datatype, LONG_INT, ompi_mpi_long_int)
OBJECT(const Datatype, SHORT_INT, ompi_mpi_short_int)
OBJECT(const Datatype, LONG_DOUBLE_INT, ompi_mpi_longdbl_int)
OBJECT(const Datatype, TWOINT, ompi_mpi_2int)
OBJECT(const Datatype, INTEGER, ompi_mpi_integer)
OBJECT(const Datatype, INTEGER1, ompi_mpi_integer1)
OBJECT(const Datatype, INTEGER2, ompi_mpi_integer2)
OBJECT(const Datatype, INTEGER4, ompi_mpi_integer4)
OBJECT(const Datatype, REAL, ompi_mpi_real)
OBJECT(const Datatype, REAL2, ompi_mpi_real2)
OBJECT(const Datatype, REAL4, ompi_mpi_real4)
OBJECT(const Datatype, REAL8, ompi_mpi_real8)
OBJECT(const Datatype, DOUBLE_PRECISION, ompi_mpi_dblprec)
OBJECT(const Datatype, F_COMPLEX, ompi_mpi_cplex)
OBJECT(const Datatype, F_DOUBLE_COMPLEX, ompi_mpi_dblcplex)
OBJECT(const Datatype, LOGICAL, ompi_mpi_logical)
OBJECT(const Datatype, CHARACTER, ompi_mpi_character)
OBJECT(const Datatype, TWOREAL, ompi_mpi_2real)
OBJECT(const Datatype, TWODOUBLE_PRECISION, ompi_mpi_2dblprec)
OBJECT(const Datatype, TWOINTEGER, ompi_mpi_2integer)

OBJECT(const Op, MAX, ompi_mpi_op_max)
OBJECT(const Op, MIN, ompi_mpi_op_min)
OBJECT(const Op, SUM, ompi_mpi_op_sum)
OBJECT(const Op, PROD, ompi_mpi_op_prod)
OBJECT(const Op, LAND, ompi_mpi_op_land)
OBJECT(const Op, BAND, ompi_mpi_op_band)
OBJECT(const Op, LOR, ompi_mpi_op_lor)
OBJECT(const Op, BOR, ompi_mpi_op_bor)
OBJECT(const Op, LXOR, ompi_mpi_op_lxor)
OBJECT(const Op, BXOR, ompi_mpi_op_bxor)
OBJECT(const Op, MAXLOC, ompi_mpi_op_maxloc)
OBJECT(const Op, MINLOC, ompi_mpi_op_minloc)
OBJECT(const Op, REPLACE, ompi_mpi_op_replace)

namespace MPI {

// Another name of the same.
extern const Datatype LONG_LONG_INT;
const Datatype LONG_LONG_INT(LONG_LONG);

extern void* const BOTTOM;
extern void* const IN_PLACE;
void* const BOTTOM = nullptr;
void* const IN_PLACE = reinterpret_cast<void*>(1);
const char** ARGV_NULL = nullptr;
const char*** ARGVS_NULL = nullptr;

extern const char ompi_libcxx_version_string[];
const char ompi_libcxx_version_string[] = "rmashm";

// Called by the program right after MPI_Init. All is ready already.
void InitializeIntercepts() {}

}
