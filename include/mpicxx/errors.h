/* What is thrown, and when. */

namespace MPI {

int Get_error_class(int errorcode);
void Get_error_string(int errorcode, char* string, int& resultlen);

/* What a call throws whose object has ERRORS_THROW_EXCEPTIONS. */
class Exception {
protected:
    int code;
    mutable char text[MPI_MAX_ERROR_STRING];

public:
    Exception() : code(MPI_SUCCESS) { text[0] = '\0'; }
    Exception(int errorcode) : code(errorcode) { text[0] = '\0'; }
    Exception(const Exception& other) : code(other.code) { text[0] = '\0'; }
    virtual ~Exception() {}
    Exception& operator=(const Exception& other) { return *this = other.code; }
    Exception& operator=(const int& errorcode)
    {
        code = errorcode;
        return *this;
    }
    bool operator==(const Exception& other) const { return code == other.code; }
    bool operator!=(const Exception& other) const { return code != other.code; }
    operator int*() { return &code; }
    operator int() const { return code; }

    int Get_error_code() const { return code; }
    int Get_error_class() const { return MPI::Get_error_class(code); }
    const char* Get_error_string() const
    {
        int length;
        MPI_Error_string(code, text, &length);
        return text;
    }
};

namespace internal {

/* The handler that returns the code, for the caller's part of the program to throw it: nothing is thrown through the library. */
const MPI_Errhandler errors_throw_exceptions = MPIR_ERRORS_THROW_EXCEPTIONS;

/* The C library has handled the error as the object's handler says; what is left is to throw where that is it. Which object it was
   of a call that has none, our library tells; of another it is taken to be MPI::COMM_WORLD or MPI::COMM_SELF. */
void handled(int errorcode);
void handled(int errorcode, const Comm& comm);
void handled(int errorcode, const Win& win);
void handled(int errorcode, const File& file);

inline void check(int errorcode)
{
    if (errorcode != MPI_SUCCESS)
        handled(errorcode);
}

template <class Object>
inline void check(int errorcode, const Object& object)
{
    if (errorcode != MPI_SUCCESS)
        handled(errorcode, object);
}

}

class Errhandler {
protected:
    MPI_Errhandler handle;

public:
    Errhandler() : handle(MPI_ERRHANDLER_NULL) {}
    Errhandler(MPI_Errhandler errhandler) : handle(errhandler) {}
    Errhandler(const Errhandler& other) : handle(other.handle) {}
    virtual ~Errhandler() {}
    Errhandler& operator=(const Errhandler& other) { return *this = other.handle; }
    Errhandler& operator=(const MPI_Errhandler& errhandler)
    {
        handle = errhandler;
        return *this;
    }
    bool operator==(const Errhandler& other) const { return handle == other.handle; }
    bool operator!=(const Errhandler& other) const { return handle != other.handle; }
    operator MPI_Errhandler*() { return &handle; }
    operator MPI_Errhandler() const { return handle; }

    virtual void Free() { internal::check(MPI_Errhandler_free(&handle)); }
};

}
