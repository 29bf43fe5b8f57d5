// Open MPI's interface for C, as far as the classes need it. The names of its structures are part of the names of C++ functions.

#ifndef RMASHM_OPENMPI_C_H
#define RMASHM_OPENMPI_C_H

#include <stddef.h>

extern "C" {

typedef struct ompi_communicator_t* MPI_Comm;
typedef struct ompi_datatype_t* MPI_Datatype;
typedef struct ompi_errhandler_t* MPI_Errhandler;
typedef struct ompi_file_t* MPI_File;
typedef struct ompi_group_t* MPI_Group;
typedef struct ompi_info_t* MPI_Info;
typedef struct ompi_op_t* MPI_Op;
typedef struct ompi_request_t* MPI_Request;
typedef struct ompi_win_t* MPI_Win;
typedef ptrdiff_t MPI_Aint;
typedef long long MPI_Offset;

struct ompi_status_public_t {
    int MPI_SOURCE, MPI_TAG, MPI_ERROR;
    int cancelled;
    size_t bytes;
};
typedef ompi_status_public_t MPI_Status;

enum { MPI_SUCCESS = 0, MPI_CART = 1, MPI_GRAPH = 2, MPI_MAX_ERROR_STRING = 256 };
#define MPI_STATUS_IGNORE (static_cast<MPI_Status*>(nullptr))
#define MPI_ERRCODES_IGNORE (static_cast<int*>(nullptr))

typedef void MPI_User_function(void*, void*, int*, MPI_Datatype*);
typedef int MPI_Grequest_query_function(void*, MPI_Status*);
typedef int MPI_Grequest_free_function(void*);
typedef int MPI_Grequest_cancel_function(void*, int);
typedef int MPI_Datarep_conversion_function(void*, MPI_Datatype, int, void*, MPI_Offset, void*);
typedef int MPI_Datarep_extent_function(MPI_Datatype, MPI_Aint*, void*);
typedef int MPI_Comm_copy_attr_function(MPI_Comm, int, void*, void*, void*, int*);
typedef int MPI_Comm_delete_attr_function(MPI_Comm, int, void*, void*);
typedef int MPI_Type_copy_attr_function(MPI_Datatype, int, void*, void*, void*, int*);
typedef int MPI_Type_delete_attr_function(MPI_Datatype, int, void*, void*);
typedef int MPI_Win_copy_attr_function(MPI_Win, int, void*, void*, void*, int*);
typedef int MPI_Win_delete_attr_function(MPI_Win, int, void*, void*);
typedef void MPI_Comm_errhandler_function(MPI_Comm*, int*, ...);
typedef void MPI_File_errhandler_function(MPI_File*, int*, ...);
typedef void MPI_Win_errhandler_function(MPI_Win*, int*, ...);

#define FUNCTION(name, parameters, arguments) int name parameters;
#include "functions.h"
#undef FUNCTION

int MPI_Comm_call_errhandler(MPI_Comm comm, int errorcode);
int MPI_File_call_errhandler(MPI_File fh, int errorcode);
int MPI_File_seek(MPI_File fh, MPI_Offset offset, int whence);
int MPI_File_seek_shared(MPI_File fh, MPI_Offset offset, int whence);
int MPI_Win_call_errhandler(MPI_Win win, int errorcode);

// What only the library itself calls.
int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function* function, MPI_Errhandler* errhandler);
int MPI_Comm_create_keyval(
    MPI_Comm_copy_attr_function* copy, MPI_Comm_delete_attr_function* remove, int* keyval, void* extra_state);
int MPI_File_close(MPI_File* fh);
int MPI_File_create_errhandler(MPI_File_errhandler_function* function, MPI_Errhandler* errhandler);
int MPI_Register_datarep(const char* datarep, MPI_Datarep_conversion_function* read, MPI_Datarep_conversion_function* write,
    MPI_Datarep_extent_function* extent, void* extra_state);
int MPI_Type_create_keyval(
    MPI_Type_copy_attr_function* copy, MPI_Type_delete_attr_function* remove, int* keyval, void* extra_state);
int MPI_Type_free(MPI_Datatype* datatype);
int MPI_Win_create_errhandler(MPI_Win_errhandler_function* function, MPI_Errhandler* errhandler);
int MPI_Win_create_keyval(
    MPI_Win_copy_attr_function* copy, MPI_Win_delete_attr_function* remove, int* keyval, void* extra_state);
int MPI_Win_free(MPI_Win* win);

}

// A predefined object of C, of which only the place matters.
#define OMPI_OBJECT(type, name) (reinterpret_cast<type>(name))
#define OMPI_NULL_OBJECT(name) extern "C" char name[];
OMPI_NULL_OBJECT(ompi_mpi_comm_null)
OMPI_NULL_OBJECT(ompi_mpi_datatype_null)
OMPI_NULL_OBJECT(ompi_mpi_errhandler_null)
OMPI_NULL_OBJECT(ompi_mpi_file_null)
OMPI_NULL_OBJECT(ompi_mpi_group_null)
OMPI_NULL_OBJECT(ompi_mpi_info_null)
OMPI_NULL_OBJECT(ompi_mpi_op_null)
OMPI_NULL_OBJECT(ompi_request_null)
OMPI_NULL_OBJECT(ompi_mpi_win_null)
#undef OMPI_NULL_OBJECT

#endif
