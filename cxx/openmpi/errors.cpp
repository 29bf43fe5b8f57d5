// Errors that become exceptions. Nothing is thrown through the library for C: the functions that the program's inline ones call are
// this library's, which comes before that one, and throw when C has returned.

#include "errors.h"
#include "classes.h"

#include <stdio.h>

extern "C" {

#define FUNCTION(name, parameters, arguments) int P##name parameters;
#include "functions.h"
#undef FUNCTION

int PMPI_Comm_call_errhandler(MPI_Comm comm, int errorcode);
int PMPI_File_call_errhandler(MPI_File fh, int errorcode);
int PMPI_File_seek(MPI_File fh, MPI_Offset offset, int whence);
int PMPI_File_seek_shared(MPI_File fh, MPI_Offset offset, int whence);
int PMPI_Win_call_errhandler(MPI_Win win, int errorcode);

// Whether the code is to be thrown that the last call of this thread returned.
int RMASHM_Errhandler_throws(int errorcode);

}

namespace MPI {

// The code of the last exception: where Open MPI's library is built without exceptions, this is all that it leaves.
int mpi_errno = MPI_SUCCESS;

Exception::Exception(int code) : error_code(code), error_string(new char[MPI_MAX_ERROR_STRING]()), error_class(code)
{
    int length = 0;
    PMPI_Error_class(code, &error_class);
    PMPI_Error_string(code, error_string, &length);
}

Exception::Exception(const Exception& other)
    : error_code(other.error_code), error_string(new char[MPI_MAX_ERROR_STRING]), error_class(other.error_class)
{
    for (int i = 0; i < MPI_MAX_ERROR_STRING; i++)
        error_string[i] = other.error_string[i];
}

}

namespace rmashm {

namespace {

// Two, as the one is looked at in each call.
thread_local bool keeps = false;
thread_local std::exception_ptr kept;

}

void keep(std::exception_ptr exception)
{
    kept = exception;
    keeps = true;
}

int settled(int code)
{
    if (keeps) {
        keeps = false;
        std::exception_ptr exception;
        exception.swap(kept);
        std::rethrow_exception(exception);
    }
    if (code != MPI_SUCCESS && RMASHM_Errhandler_throws(code)) {
        MPI::mpi_errno = code;
        throw MPI::Exception(code);
    }
    return code;
}

}

#define FUNCTION(name, parameters, arguments) \
    int name parameters { return rmashm::settled(P##name arguments); }
#include "functions.h"
#undef FUNCTION

// These return their own code, and the other is what the handler may have asked to be thrown.
int MPI_Comm_call_errhandler(MPI_Comm comm, int errorcode)
{
    const int code = PMPI_Comm_call_errhandler(comm, errorcode);
    rmashm::settled(errorcode);
    return code;
}

int MPI_File_call_errhandler(MPI_File fh, int errorcode)
{
    const int code = PMPI_File_call_errhandler(fh, errorcode);
    rmashm::settled(errorcode);
    return code;
}

int MPI_Win_call_errhandler(MPI_Win win, int errorcode)
{
    const int code = PMPI_Win_call_errhandler(win, errorcode);
    rmashm::settled(errorcode);
    return code;
}

// MPI::SEEK_SET and its kin are the system's in Open MPI's header, and MPI's are other numbers.
static int whence_of_mpi(int whence)
{
    switch (whence) {
    case SEEK_SET:
        return 600;
    case SEEK_CUR:
        return 602;
    case SEEK_END:
        return 604;
    default:
        return whence;
    }
}

int MPI_File_seek(MPI_File fh, MPI_Offset offset, int whence)
{
    return rmashm::settled(PMPI_File_seek(fh, offset, whence_of_mpi(whence)));
}

int MPI_File_seek_shared(MPI_File fh, MPI_Offset offset, int whence)
{
    return rmashm::settled(PMPI_File_seek_shared(fh, offset, whence_of_mpi(whence)));
}
