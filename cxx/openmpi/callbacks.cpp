// What stands between the library for C and the program's functions, which get objects where C's get handles.

#include "classes.h"
#include "errors.h"

#include <memory>

using namespace MPI;
using rmashm::settled;

namespace {

// The object of a handle, of its class.
std::unique_ptr<Comm> object_of(MPI_Comm handle)
{
    int is_inter = 0, topology = 0;
    if (handle == OMPI_OBJECT(MPI_Comm, ompi_mpi_comm_null))
        return std::unique_ptr<Comm>(new Intracomm);
    MPI_Comm_test_inter(handle, &is_inter);
    if (is_inter)
        return std::unique_ptr<Comm>(new Intercomm(handle));
    MPI_Topo_test(handle, &topology);
    switch (topology) {
    case MPI_CART:
        return std::unique_ptr<Comm>(new Cartcomm(handle));
    case MPI_GRAPH:
        return std::unique_ptr<Comm>(new Graphcomm(handle));
    default:
        return std::unique_ptr<Comm>(new Intracomm(handle));
    }
}

std::unique_ptr<Datatype> object_of(MPI_Datatype handle) { return std::unique_ptr<Datatype>(new Datatype(handle)); }

std::unique_ptr<Win> object_of(MPI_Win handle) { return std::unique_ptr<Win>(new Win(handle)); }

// The program's functions for a key, of C or C++, which C gets as the state of its own. They are kept for ever: attributes may
// outlive their key.
template <class Object, class CopyInC, class RemoveInC> struct Key {
    CopyInC* copy_in_c;
    RemoveInC* remove_in_c;
    typename Object::Copy_attr_function* copy;
    typename Object::Delete_attr_function* remove;
    void* extra_state;
};

// An exception that leaves one of the program's functions waits until C has returned.
template <class Call> int guarded(Call call)
{
    try {
        return call();
    } catch (...) {
        rmashm::keep(std::current_exception());
        const int MPI_ERR_OTHER = 16;
        return MPI_ERR_OTHER;
    }
}

template <class Key, class Handle>
int copy_attr(Handle handle, int keyval, void* functions, void* value, void* copied, int* flag)
{
    const Key& key = *static_cast<Key*>(functions);
    return guarded([&]() -> int {
        if (key.copy_in_c)
            return key.copy_in_c(handle, keyval, key.extra_state, value, copied, flag);
        *flag = 0;
        if (!key.copy)
            return MPI_SUCCESS;
        bool copies = false;
        const int code = key.copy(*object_of(handle), keyval, key.extra_state, value, copied, copies);
        *flag = copies;
        return code;
    });
}

template <class Key, class Handle> int delete_attr(Handle handle, int keyval, void* value, void* functions)
{
    const Key& key = *static_cast<Key*>(functions);
    return guarded([&]() -> int {
        if (key.remove_in_c)
            return key.remove_in_c(handle, keyval, value, key.extra_state);
        if (!key.remove)
            return MPI_SUCCESS;
        return key.remove(*object_of(handle), keyval, value, key.extra_state);
    });
}

// A key of the C function `create`.
template <class Object, class Handle, class CopyInC, class RemoveInC>
int make_keyval(int (*create)(CopyInC*, RemoveInC*, int*, void*), CopyInC* copy_in_c, RemoveInC* remove_in_c,
    typename Object::Copy_attr_function* copy, typename Object::Delete_attr_function* remove, void* extra_state, int& keyval)
{
    typedef Key<Object, CopyInC, RemoveInC> Functions;
    Functions* functions = new Functions{copy_in_c, remove_in_c, copy, remove, extra_state};
    const int code = create(copy_attr<Functions, Handle>, delete_attr<Functions, Handle>, &keyval, functions);
    if (code != MPI_SUCCESS)
        delete functions;
    return settled(code);
}

// The kinds of objects: 0 a communicator, 1 a file, 2 a window.
void handle_error(int kind, void* handle, int* errorcode, Any* function)
{
    guarded([&]() -> int {
        switch (kind) {
        case 0:
            as<Comm::Errhandler_function>(function)(*object_of(*static_cast<MPI_Comm*>(handle)), errorcode);
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
        return MPI_SUCCESS;
    });
}

extern "C" void MPII_Errhandler_set_cxx(MPI_Errhandler errhandler, Any* proxy);

// A handler of the C function `create`, whose function is the program's in C++.
template <class InC, class Function> Errhandler make_errhandler(int (*create)(InC*, MPI_Errhandler*), Function* function)
{
    MPI_Errhandler made = OMPI_OBJECT(MPI_Errhandler, ompi_mpi_errhandler_null);
    const int code = create(as<InC>(function), &made);
    if (code == MPI_SUCCESS)
        MPII_Errhandler_set_cxx(made, as<Any>(handle_error));
    settled(code);
    return made;
}

// The program's functions for a representation of data, which is never taken back.
struct Representation {
    Datarep_conversion_function* read;
    Datarep_conversion_function* write;
    Datarep_extent_function* extent;
    void* extra_state;
};

template <Datarep_conversion_function* Representation::*conversion>
int convert(void* userbuf, MPI_Datatype handle, int count, void* filebuf, MPI_Offset position, void* functions)
{
    const Representation& self = *static_cast<Representation*>(functions);
    return guarded([&]() -> int {
        Datatype datatype(handle);
        (self.*conversion)(userbuf, datatype, count, filebuf, position, self.extra_state);
        return MPI_SUCCESS;
    });
}

int tell_extent(MPI_Datatype datatype, MPI_Aint* extent, void* functions)
{
    const Representation& self = *static_cast<Representation*>(functions);
    return guarded([&]() -> int {
        self.extent(Datatype(datatype), *extent, self.extra_state);
        return MPI_SUCCESS;
    });
}

void register_datarep(const char* datarep, MPI_Datarep_conversion_function* read, MPI_Datarep_conversion_function* write,
    const Representation& given)
{
    Representation* functions = new Representation(given);
    const int code = MPI_Register_datarep(datarep, read, write, tell_extent, functions);
    if (code != MPI_SUCCESS)
        delete functions;
    settled(code);
}

}

extern "C" {

// An operation calls its function by this one, and gives it the function.
void ompi_mpi_cxx_op_intercept(void* invec, void* inoutvec, int* len, MPI_Datatype* datatype, MPI_User_function* function)
{
    guarded([&]() -> int {
        as<User_function>(function)(invec, inoutvec, *len, Datatype(*datatype));
        return MPI_SUCCESS;
    });
}

int ompi_mpi_cxx_grequest_query_fn_intercept(void* state, MPI_Status* status)
{
    const Grequest::Intercept_data_t& given = *static_cast<Grequest::Intercept_data_t*>(state);
    return guarded([&]() -> int {
        Status object(*status);
        const int code = given.query(given.extra_state, object);
        *status = object;
        return code;
    });
}

int ompi_mpi_cxx_grequest_free_fn_intercept(void* state)
{
    std::unique_ptr<Grequest::Intercept_data_t> given(static_cast<Grequest::Intercept_data_t*>(state));
    return guarded([&]() -> int { return given->free(given->extra_state); });
}

int ompi_mpi_cxx_grequest_cancel_fn_intercept(void* state, int complete)
{
    const Grequest::Intercept_data_t& given = *static_cast<Grequest::Intercept_data_t*>(state);
    return guarded([&]() -> int { return given.cancel(given.extra_state, complete != 0); });
}

}

namespace MPI {

int Comm::do_create_keyval(MPI_Comm_copy_attr_function* c_copy, MPI_Comm_delete_attr_function* c_remove, Copy_attr_function* copy,
    Delete_attr_function* remove, void* extra_state, int& keyval)
{
    return make_keyval<Comm, MPI_Comm>(MPI_Comm_create_keyval, c_copy, c_remove, copy, remove, extra_state, keyval);
}

int Datatype::do_create_keyval(MPI_Type_copy_attr_function* c_copy, MPI_Type_delete_attr_function* c_remove,
    Copy_attr_function* copy, Delete_attr_function* remove, void* extra_state, int& keyval)
{
    return make_keyval<Datatype, MPI_Datatype>(
        MPI_Type_create_keyval, c_copy, c_remove, copy, remove, extra_state, keyval);
}

int Win::do_create_keyval(MPI_Win_copy_attr_function* c_copy, MPI_Win_delete_attr_function* c_remove, Copy_attr_function* copy,
    Delete_attr_function* remove, void* extra_state, int& keyval)
{
    return make_keyval<Win, MPI_Win>(MPI_Win_create_keyval, c_copy, c_remove, copy, remove, extra_state, keyval);
}

Errhandler Comm::Create_errhandler(Errhandler_function* function)
{
    return make_errhandler(MPI_Comm_create_errhandler, function);
}

Errhandler Win::Create_errhandler(Errhandler_function* function) { return make_errhandler(MPI_Win_create_errhandler, function); }

Errhandler File::Create_errhandler(Errhandler_function* function) { return make_errhandler(MPI_File_create_errhandler, function); }

void Datatype::Free() { settled(MPI_Type_free(&handle)); }

void Win::Free() { settled(MPI_Win_free(&handle)); }

void File::Close() { settled(MPI_File_close(&handle)); }

void Register_datarep(const char* datarep, Datarep_conversion_function* read, Datarep_conversion_function* write,
    Datarep_extent_function* extent, void* extra_state)
{
    register_datarep(datarep, convert<&Representation::read>, convert<&Representation::write>, {read, write, extent, extra_state});
}

// In C a conversion is only ever that which there is none of, so that its state does not matter.
void Register_datarep(const char* datarep, MPI_Datarep_conversion_function* read, Datarep_conversion_function* write,
    Datarep_extent_function* extent, void* extra_state)
{
    register_datarep(datarep, read, convert<&Representation::write>, {nullptr, write, extent, extra_state});
}

void Register_datarep(const char* datarep, Datarep_conversion_function* read, MPI_Datarep_conversion_function* write,
    Datarep_extent_function* extent, void* extra_state)
{
    register_datarep(datarep, convert<&Representation::read>, write, {read, nullptr, extent, extra_state});
}

void Register_datarep(const char* datarep, MPI_Datarep_conversion_function* read, MPI_Datarep_conversion_function* write,
    Datarep_extent_function* extent, void* extra_state)
{
    register_datarep(datarep, read, write, {nullptr, nullptr, extent, extra_state});
}

}
