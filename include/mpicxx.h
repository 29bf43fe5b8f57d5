/*
 * The classes of MPI-2.2 for C++ (namespace MPI), over the functions of mpi.h, which includes this file.
 *
 * The standard has had no classes since MPI 3; programs that were written with them go on. MPICH_SKIP_MPICXX or OMPI_SKIP_MPICXX
 * leaves them out.
 *
 * A class has the layout that MPICH gave it, and its virtual functions the order: a program may be made of parts compiled with
 * either header, and runs with either library. So no virtual function may be added, moved or taken away.
 *
 * Nearly all is inline; what is not is in libmpicxx, which mpicxx links. A program that uses nothing of this needs nothing of it.
 */
#ifndef MPICXX_INCLUDED
#define MPICXX_INCLUDED

#ifdef MPI
#error "MPI is a namespace of C++: it cannot be a macro, too"
#endif

/* C's SEEK_SET, SEEK_CUR and SEEK_END are macros, and MPI has objects of these names. The macros become constants, of the same
   values, before any of the headers that define them could be included later: no order of includes is a wrong one. */
#if !defined(MPICH_IGNORE_CXX_SEEK) && !defined(OMPI_IGNORE_CXX_SEEK)
#include "mpicxx/seek.h"
#endif

/* Also if a program includes mpi.h between the braces of extern "C". */
extern "C++" {

namespace MPI {

typedef MPI_Aint Aint;
typedef MPI_Offset Offset;
typedef MPI_Fint Fint;

class Comm;
class Nullcomm;
class Intracomm;
class Intercomm;
class Cartcomm;
class Graphcomm;
class Distgraphcomm;
class Datatype;
class Win;
class File;

}

#include "mpicxx/errors.h"
#include "mpicxx/handles.h"
#include "mpicxx/datatype.h"
#include "mpicxx/info.h"
#include "mpicxx/status.h"
#include "mpicxx/group.h"
#include "mpicxx/op.h"
#include "mpicxx/request.h"
#include "mpicxx/comm.h"
#include "mpicxx/intracomm.h"
#include "mpicxx/win.h"
#include "mpicxx/file.h"
#include "mpicxx/topology.h"
#include "mpicxx/environment.h"
#include "mpicxx/objects.h"

}

#endif /* MPICXX_INCLUDED */
