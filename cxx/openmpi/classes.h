// Open MPI's classes, as its header has them: the order of the virtual functions of a class, and its members, are part of the binary
// interface. Static functions and those that are not virtual are inline in the program, and not here.

#ifndef RMASHM_OPENMPI_CLASSES_H
#define RMASHM_OPENMPI_CLASSES_H

#include "c.h"

namespace MPI {

class Comm;
class Intracomm;
class Intercomm;
class Cartcomm;
class Graphcomm;
class Datatype;
class Status;

typedef MPI_Aint Aint;
typedef MPI_Offset Offset;
typedef void User_function(const void* invec, void* inoutvec, int len, const Datatype& datatype);

}

#include "handles.h"

#include "comm.h"

#include "datatype.h"

#include "win.h"

#include "intracomm.h"

#endif
