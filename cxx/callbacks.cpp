// The program's functions that the library calls. C has other arguments: the library is told of functions of ours (MPICH's hooks for
// its own classes) which it gives the program's function with what C's would get.
//
// No exception may come out of the program's functions here: what is between is not C++.

#include <mpi.h>

extern "C" {

typedef void Any(void);

void MPII_Op_set_cxx(MPI_Op op, Any* proxy);
void MPII_Errhandler_set_cxx(MPI_Errhandler errhandler, Any* proxy);
typedef int Copy_proxy(Any* function, int object, int keyval, void* extra_state, int kind, void* value, void** copied, int* flag);
typedef int Delete_proxy(Any* function, int object, int keyval, int kind, void* value, void* extra_state);
void MPII_Keyval_set_proxy(int keyval, Copy_proxy* copy, Delete_proxy* remove);

}

namespace MPI {

using internal::check;

namespace {

// A C++ function as C's of another type: both are only an address here.
template <class To, class From>
To* as(From* function)
{
    return reinterpret_cast<To*>(reinterpret_cast<Any*>(function));
}

// Calls with the communicator as an object of its class.
template <class Call>
auto with_comm(MPI_Comm handle, Call call) -> decltype(call(*static_cast<Comm*>(nullptr)))
{
    int is_inter = 0, topology = MPI_UNDEFINED;
    if (handle == MPI_COMM_NULL) {
        Nullcomm comm;
        return call(comm);
    }
    MPI_Comm_test_inter(handle, &is_inter);
    if (is_inter) {
        Intercomm comm(handle);
        return call(comm);
    }
    MPI_Topo_test(handle, &topology);
    switch (topology) {
    case MPI_CART: {
        Cartcomm comm(handle);
        return call(comm);
    }
    case MPI_GRAPH: {
        Graphcomm comm(handle);
        return call(comm);
    }
    case MPI_DIST_GRAPH: {
        Distgraphcomm comm(handle);
        return call(comm);
    }
    default: {
        Intracomm comm(handle);
        return call(comm);
    }
    }
}

// The value of an attribute as C++ gets it: that of Fortran's or of MPI's own is an integer, and what is given its address.
class Value {
    void* given;
    void* place;

public:
    Value(int kind, void* value) : given(value), place(kind & 1 ? &given : value) {}
    void* get() const { return place; }
};

// The functions of a key are told apart by nothing but their object.
template <class Object>
int copy(Any* function, Object& object, int keyval, void* extra_state, int kind, void* value, void** copied, int* flag)
{
    bool copies = false;
    int code = as<typename Object::Copy_attr_function>(function)(
        object, keyval, extra_state, Value(kind, value).get(), copied, copies);
    *flag = copies;
    return code;
}

template <class Object>
int remove(Any* function, Object& object, int keyval, int kind, void* value, void* extra_state)
{
    return as<typename Object::Delete_attr_function>(function)(object, keyval, Value(kind, value).get(), extra_state);
}

template <class Object>
int copy_of(Any* function, int handle, int keyval, void* extra_state, int kind, void* value, void** copied, int* flag) noexcept
{
    Object object(handle);
    return copy<Object>(function, object, keyval, extra_state, kind, value, copied, flag);
}

template <class Object>
int remove_of(Any* function, int handle, int keyval, int kind, void* value, void* extra_state) noexcept
{
    Object object(handle);
    return remove<Object>(function, object, keyval, kind, value, extra_state);
}

int copy_of_comm(Any* function, int handle, int keyval, void* extra_state, int kind, void* value, void** copied, int* flag) noexcept
{
    return with_comm(
        handle, [&](Comm& comm) { return copy<Comm>(function, comm, keyval, extra_state, kind, value, copied, flag); });
}

int remove_of_comm(Any* function, int handle, int keyval, int kind, void* value, void* extra_state) noexcept
{
    return with_comm(handle, [&](Comm& comm) { return remove<Comm>(function, comm, keyval, kind, value, extra_state); });
}

void reduce(void* invec, void* inoutvec, int len, MPI_Datatype datatype, User_function* function) noexcept
{
    function(invec, inoutvec, len, Datatype(datatype));
}

// The kinds of objects: 0 a communicator, 1 a file, 2 a window.
void handle_error(int kind, void* handle, int* errorcode, Any* function) noexcept
{
    switch (kind) {
    case 0:
        with_comm(*static_cast<MPI_Comm*>(handle),
            [&](Comm& comm) { as<Comm::Errhandler_function>(function)(comm, errorcode); });
        break;
    case 1: {
        File file(*static_cast<MPI_File*>(handle));
        as<File::Errhandler_function>(function)(file, errorcode);
        break;
    }
    case 2: {
        Win win(*static_cast<MPI_Win*>(handle));
        as<Win::Errhandler_function>(function)(win, errorcode);
        break;
    }
    }
}

// A key of the C function `create`, whose functions are the program's in C++.
template <class CopyInC, class RemoveInC, class CopyFunction, class RemoveFunction>
int make_keyval(int (*create)(CopyInC*, RemoveInC*, int*, void*), Copy_proxy* call_copy, Delete_proxy* call_remove,
    CopyFunction* copy, RemoveFunction* remove, void* extra_state)
{
    int keyval = MPI_KEYVAL_INVALID;
    const int code = create(as<CopyInC>(copy), as<RemoveInC>(remove), &keyval, extra_state);
    if (code == MPI_SUCCESS)
        MPII_Keyval_set_proxy(keyval, call_copy, call_remove);
    check(code);
    return keyval;
}

// A handler of the C function `create`, whose function is the program's in C++.
template <class InC, class Function>
Errhandler make_errhandler(int (*create)(InC*, MPI_Errhandler*), Function* function)
{
    Errhandler made;
    const int code = create(as<InC>(function), made);
    if (code == MPI_SUCCESS)
        MPII_Errhandler_set_cxx(made, as<Any>(handle_error));
    check(code);
    return made;
}

// The program's functions for a representation of data, which C gets as the state of its own. They are kept as long as the
// representation: for ever.
struct Representation {
    Datarep_conversion_function* read;
    Datarep_conversion_function* write;
    Datarep_extent_function* extent;
    void* extra_state;
};

int call_read(void* userbuf, MPI_Datatype type, int count, void* filebuf, MPI_Offset position, void* functions) noexcept
{
    const Representation& self = *static_cast<Representation*>(functions);
    Datatype datatype(type);
    return self.read(userbuf, datatype, count, filebuf, position, self.extra_state);
}

int call_write(void* userbuf, MPI_Datatype type, int count, void* filebuf, MPI_Offset position, void* functions) noexcept
{
    const Representation& self = *static_cast<Representation*>(functions);
    Datatype datatype(type);
    return self.write(userbuf, datatype, count, filebuf, position, self.extra_state);
}

int call_extent(MPI_Datatype type, MPI_Aint* extent, void* functions) noexcept
{
    const Representation& self = *static_cast<Representation*>(functions);
    return self.extent(Datatype(type), *extent, self.extra_state);
}

}

void Op::Init(User_function* function, bool commute)
{
    const int code = MPI_Op_create(as<MPI_User_function>(function), commute, &handle);
    if (code == MPI_SUCCESS)
        MPII_Op_set_cxx(handle, as<Any>(reduce));
    check(code);
}

int Comm::Create_keyval(Copy_attr_function* copy, Delete_attr_function* remove, void* extra_state)
{
    return make_keyval(MPI_Comm_create_keyval, copy_of_comm, remove_of_comm, copy, remove, extra_state);
}

int Datatype::Create_keyval(Copy_attr_function* copy, Delete_attr_function* remove, void* extra_state)
{
    return make_keyval(MPI_Type_create_keyval, copy_of<Datatype>, remove_of<Datatype>, copy, remove, extra_state);
}

int Win::Create_keyval(Copy_attr_function* copy, Delete_attr_function* remove, void* extra_state)
{
    return make_keyval(MPI_Win_create_keyval, copy_of<Win>, remove_of<Win>, copy, remove, extra_state);
}

Errhandler Comm::Create_errhandler(Errhandler_function* function)
{
    return make_errhandler(MPI_Comm_create_errhandler, function);
}

Errhandler Win::Create_errhandler(Errhandler_function* function) { return make_errhandler(MPI_Win_create_errhandler, function); }

Errhandler File::Create_errhandler(Errhandler_function* function) { return make_errhandler(MPI_File_create_errhandler, function); }

void Comm::Call_errhandler(int errorcode) const
{
    MPI_Errhandler errhandler = MPI_ERRHANDLER_NULL;
    MPI_Comm_get_errhandler(handle, &errhandler);
    if (internal::throws(errhandler))
        throw Exception(errorcode);
    MPI_Comm_call_errhandler(handle, errorcode);
}

void Win::Call_errhandler(int errorcode) const
{
    MPI_Errhandler errhandler = MPI_ERRHANDLER_NULL;
    MPI_Win_get_errhandler(handle, &errhandler);
    if (internal::throws(errhandler))
        throw Exception(errorcode);
    MPI_Win_call_errhandler(handle, errorcode);
}

void File::Call_errhandler(int errorcode) const
{
    MPI_Errhandler errhandler = MPI_ERRHANDLER_NULL;
    MPI_File_get_errhandler(handle, &errhandler);
    if (internal::throws(errhandler))
        throw Exception(errorcode);
    MPI_File_call_errhandler(handle, errorcode);
}

void Register_datarep(const char* datarep, Datarep_conversion_function* read, Datarep_conversion_function* write,
    Datarep_extent_function* extent, void* extra_state)
{
    Representation* functions = new Representation{read, write, extent, extra_state};
    const int code = MPI_Register_datarep(datarep, call_read, call_write, call_extent, functions);
    if (code != MPI_SUCCESS)
        delete functions;
    check(code);
}

}
