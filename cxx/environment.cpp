// The functions of namespace MPI that are not inline.

#include <mpi.h>

namespace MPI {

using internal::check;

void Init() { check(MPI_Init(nullptr, nullptr)); }

void Init(int& argc, char**& argv) { check(MPI_Init(&argc, &argv)); }

int Init_thread(int required)
{
    int provided = MPI_THREAD_SINGLE;
    check(MPI_Init_thread(nullptr, nullptr, required, &provided));
    return provided;
}

int Init_thread(int& argc, char**& argv, int required)
{
    int provided = MPI_THREAD_SINGLE;
    check(MPI_Init_thread(&argc, &argv, required, &provided));
    return provided;
}

void Finalize() { check(MPI_Finalize()); }

bool Is_initialized()
{
    int flag = 0;
    check(MPI_Initialized(&flag));
    return flag != 0;
}

bool Is_finalized()
{
    int flag = 0;
    check(MPI_Finalized(&flag));
    return flag != 0;
}

int Query_thread()
{
    int provided = MPI_THREAD_SINGLE;
    check(MPI_Query_thread(&provided));
    return provided;
}

bool Is_thread_main()
{
    int flag = 0;
    check(MPI_Is_thread_main(&flag));
    return flag != 0;
}

void Get_version(int& version, int& subversion) { check(MPI_Get_version(&version, &subversion)); }

void Get_processor_name(char* name, int& resultlen) { check(MPI_Get_processor_name(name, &resultlen)); }

double Wtime() { return MPI_Wtime(); }

double Wtick() { return MPI_Wtick(); }

// What the level means is for a profiling tool to say, which has this function itself; the library's own looks at nothing else.
void Pcontrol(const int level, ...) { check(MPI_Pcontrol(level)); }

int Add_error_class()
{
    int errorclass = MPI_ERR_UNKNOWN;
    check(MPI_Add_error_class(&errorclass));
    return errorclass;
}

int Add_error_code(int errorclass)
{
    int errorcode = MPI_ERR_UNKNOWN;
    check(MPI_Add_error_code(errorclass, &errorcode));
    return errorcode;
}

void Add_error_string(int errorcode, const char* string) { check(MPI_Add_error_string(errorcode, string)); }

int Get_error_class(int errorcode)
{
    int errorclass = MPI_ERR_UNKNOWN;
    check(MPI_Error_class(errorcode, &errorclass));
    return errorclass;
}

void Get_error_string(int errorcode, char* string, int& resultlen) { check(MPI_Error_string(errorcode, string, &resultlen)); }

void* Alloc_mem(Aint size, const Info& info)
{
    void* base = nullptr;
    check(MPI_Alloc_mem(size, info, &base));
    return base;
}

void Free_mem(void* base) { check(MPI_Free_mem(base)); }

Aint Get_address(const void* location)
{
    MPI_Aint address = 0;
    check(MPI_Get_address(location, &address));
    return address;
}

void Attach_buffer(void* buffer, int size) { check(MPI_Buffer_attach(buffer, size)); }

int Detach_buffer(void*& buffer)
{
    int size = 0;
    check(MPI_Buffer_detach(&buffer, &size));
    return size;
}

void Compute_dims(int nnodes, int ndims, int dims[]) { check(MPI_Dims_create(nnodes, ndims, dims)); }

void Open_port(const Info& info, char* port_name) { check(MPI_Open_port(info, port_name)); }

void Close_port(const char* port_name) { check(MPI_Close_port(port_name)); }

void Publish_name(const char* service_name, const Info& info, const char* port_name)
{
    check(MPI_Publish_name(service_name, info, port_name));
}

void Unpublish_name(const char* service_name, const Info& info, const char* port_name)
{
    check(MPI_Unpublish_name(service_name, info, port_name));
}

void Lookup_name(const char* service_name, const Info& info, char* port_name)
{
    check(MPI_Lookup_name(service_name, info, port_name));
}

}
