// What all processes of a collective call have to give alike, and is not: MPI 4.1 §7.4.2, §8.5.1, §14.2.1, §14.2.4, §14.4.4, §14.6.1.
//
// ranks: 2 3
// wrong modes: collective mismatch
// wrong sizes: collective mismatch
// wrong pointers: collective mismatch
// wrong atomicities: collective mismatch
// wrong kinds: collective mismatch
// told kinds: split_type
// wrong grids: collective mismatch
// wrong without_handler: collective mismatch
// fails without_handler
// right alike
// right own_handler
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is(const char *name, char **argv) { return !strcmp(name, argv[1]); }
static void on_error(MPI_Comm *comm, int *code, ...) { (void)comm, (void)code; }

int main(int argc, char **argv) {
    static char name[200];
    int rank, size, pid = getpid();
    MPI_Comm comm = MPI_COMM_WORLD, made;
    MPI_Errhandler handler;
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    // This process gives something else, in all variants but the last ones.
    int differs = rank == 1 && !is("alike", argv), dims[2] = {1, size - differs}, periods[2] = {0, 0};
    MPI_Bcast(&pid, 1, MPI_INT, 0, comm);
    snprintf(name, sizeof name, "%s/not_alike-%d", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp", pid);
    int mode = MPI_MODE_RDWR | MPI_MODE_CREATE;
    if (is("modes", argv)) {
        MPI_File_open(comm, name, mode | (differs ? MPI_MODE_APPEND : 0), MPI_INFO_NULL, &file); // !modes
        goto end;
    }
    MPI_File_open(comm, name, mode, MPI_INFO_NULL, &file);
    // It has no name from now on, and nothing of it is left behind.
    if (rank == 0) MPI_File_delete(name, MPI_INFO_NULL);
    int all = is("alike", argv);
    if (all || is("sizes", argv)) MPI_File_set_size(file, 100 + differs); // !sizes
    if (all || is("pointers", argv)) MPI_File_seek_shared(file, 8 + differs, MPI_SEEK_SET); // !pointers
    if (all || is("atomicities", argv)) MPI_File_set_atomicity(file, !differs); // !atomicities
    MPI_File_close(&file);
    if (is("own_handler", argv)) {
        MPI_Comm_create_errhandler(on_error, &handler);
        MPI_Comm_set_errhandler(comm, handler);
        MPI_Errhandler_free(&handler);
    } else if (!is("without_handler", argv)) {
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    }
    if (all || is("kinds", argv) || is("own_handler", argv) || is("without_handler", argv)) {
        int kind = differs ? MPI_COMM_TYPE_HW_UNGUIDED : MPI_COMM_TYPE_SHARED;
        int code = MPI_Comm_split_type(comm, kind, 0, MPI_INFO_NULL, &made); // !kinds !without_handler
        if (code == MPI_SUCCESS) MPI_Comm_free(&made);
    }
    if (all || is("grids", argv)) {
        int code = MPI_Cart_create(comm, 2, dims, periods, 0, &made); // !grids
        if (code == MPI_SUCCESS && made != MPI_COMM_NULL) MPI_Comm_free(&made);
    }
end:
    MPI_Finalize();
    return 0;
}
