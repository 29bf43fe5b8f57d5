// Calls by way of libffi, as Python's ctypes makes them: told is where the program is, and not that library.
//
// wrong message: type mismatch
// right message_of_ints
// flags: -ldl
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { ABI = 2, ARGUMENTS = 6 };
typedef int prepare_function(void *cif, int abi, unsigned count, void *result, void **arguments);
typedef void call_function(void *cif, void (*function)(void), void *result, void **values);
static call_function *call;
// More than any version's description of a call takes.
static long cif[64];

// Where there is no libffi, calls are as any others.
static void call_by_itself(void *unused, void (*function)(void), void *result, void **v) {
    typedef int send(void *, int, MPI_Datatype, int, int, MPI_Comm);
    *(long *)result = ((send *)function)(*(void **)v[0], *(int *)v[1], *(MPI_Datatype *)v[2], *(int *)v[3], *(int *)v[4], *(MPI_Comm *)v[5]);
}

static void prepare(void) {
    void *library = dlopen("libffi.so.8", RTLD_NOW);
    if (library == NULL) library = dlopen("libffi.so.7", RTLD_NOW);
    call = call_by_itself;
    if (library == NULL) return;
    void *pointer = dlsym(library, "ffi_type_pointer"), *number = dlsym(library, "ffi_type_sint32");
    static void *types[ARGUMENTS];
    for (int n = 0; n < ARGUMENTS; n++) types[n] = n == 0 ? pointer : number;
    prepare_function *prepare = (prepare_function *)dlsym(library, "ffi_prep_cif");
    if (prepare(cif, ABI, ARGUMENTS, number, types) != 0) exit(3);
    call = (call_function *)dlsym(library, "ffi_call");
}

int main(int argc, char **argv) {
    int rank, count = 1, data = 7, to = 1, tag = 0;
    long result = 0;
    void *buffer = &data;
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Datatype type = strcmp(argv[1], "message") == 0 ? MPI_FLOAT : MPI_INT;
    void *values[ARGUMENTS] = {&buffer, &count, &type, &to, &tag, &comm};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    prepare();
    if (rank == 0) {
        call(cif, (void (*)(void))MPI_Send, &result, values); // !message
        if (result != MPI_SUCCESS) exit(4);
    }
    if (rank == 1) MPI_Recv(&data, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE); // !message
    MPI_Finalize();
    return 0;
}
