/* Functions that belong to no class; and what is left to do of an error, now that all classes are known. */

namespace MPI {

void Init();
void Init(int& argc, char**& argv);
int Init_thread(int required);
int Init_thread(int& argc, char**& argv, int required);
void Finalize();
bool Is_initialized();
bool Is_finalized();
int Query_thread();
bool Is_thread_main();

void Get_version(int& version, int& subversion);
void Get_processor_name(char* name, int& resultlen);
double Wtime();
double Wtick();
void Pcontrol(const int level, ...);

int Add_error_class();
int Add_error_code(int errorclass);
void Add_error_string(int errorcode, const char* string);

void* Alloc_mem(Aint size, const Info& info);
void Free_mem(void* base);
Aint Get_address(const void* location);
void Attach_buffer(void* buffer, int size);
int Detach_buffer(void*& buffer);

void Compute_dims(int nnodes, int ndims, int dims[]);

void Open_port(const Info& info, char* port_name);
void Close_port(const char* port_name);
void Publish_name(const char* service_name, const Info& info, const char* port_name);
void Unpublish_name(const char* service_name, const Info& info, const char* port_name);
void Lookup_name(const char* service_name, const Info& info, char* port_name);

namespace internal {

/* Whether the code that the last call returned is to be thrown, whatever the object was: what our library knows. Another has no such
   function; but in code that is not position-independent no address of a function can be told from none. */
#if defined(__PIC__)
extern "C" int RMASHM_Errhandler_throws(int errorcode) __attribute__((weak));
#endif

/* Throws; a program without exceptions ends, as by one that nobody catches. */
inline void raise(int errorcode)
{
#if defined(__cpp_exceptions) || defined(__EXCEPTIONS)
    throw Exception(errorcode);
#else
    MPI_Abort(MPI_COMM_WORLD, errorcode);
#endif
}

/* Whether this handler throws. It was asked for, and is given back. */
inline bool throws(MPI_Errhandler errhandler)
{
    const bool it_does = errhandler == errors_throw_exceptions;
    MPI_Errhandler_free(&errhandler);
    return it_does;
}

inline void handled(int errorcode)
{
#if defined(__PIC__)
    if (RMASHM_Errhandler_throws) {
        if (RMASHM_Errhandler_throws(errorcode))
            raise(errorcode);
        return;
    }
#endif
    const MPI_Comm objects[] = {MPI_COMM_WORLD, MPI_COMM_SELF};
    int initialized = 0, finalized = 0;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    MPI_Errhandler errhandler;
    for (int i = 0; initialized && !finalized && i < 2; i++)
        if (MPI_Comm_get_errhandler(objects[i], &errhandler) == MPI_SUCCESS && throws(errhandler))
            Intracomm(objects[i]).Call_errhandler(errorcode);
}

inline void handled(int errorcode, const Comm& comm)
{
    MPI_Errhandler errhandler;
    if (static_cast<MPI_Comm>(comm) == MPI_COMM_NULL || MPI_Comm_get_errhandler(comm, &errhandler) != MPI_SUCCESS)
        handled(errorcode);
    else if (throws(errhandler))
        comm.Call_errhandler(errorcode);
}

inline void handled(int errorcode, const Win& win)
{
    MPI_Errhandler errhandler;
    if (static_cast<MPI_Win>(win) == MPI_WIN_NULL || MPI_Win_get_errhandler(win, &errhandler) != MPI_SUCCESS)
        handled(errorcode);
    else if (throws(errhandler))
        win.Call_errhandler(errorcode);
}

inline void handled(int errorcode, const File& file)
{
    MPI_Errhandler errhandler;
    if (MPI_File_get_errhandler(file, &errhandler) == MPI_SUCCESS && throws(errhandler))
        file.Call_errhandler(errorcode);
}

}
}
