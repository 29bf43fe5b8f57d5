// Collective calls on a file that do not match: MPI 4.1 §14.6.4; views that have to agree: §14.3.
//
// ranks: 2 3
// wrong write_and_read: collective mismatch
// wrong all_and_at_all: collective mismatch
// wrong nonblocking: collective mismatch
// wrong split_and_whole: collective mismatch
// wrong sync: collective mismatch
// wrong etypes: collective mismatch
// wrong representations: collective mismatch
// right same
// right views
// right on_its_own
// right files
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is(const char *name, char **argv) { return !strcmp(name, argv[1]); }
static const MPI_Comm comm = MPI_COMM_WORLD;

static MPI_File open_file(int which) {
    static char name[200];
    MPI_File file;
    int pid = getpid(), rank;
    MPI_Comm_rank(comm, &rank);
    MPI_Bcast(&pid, 1, MPI_INT, 0, comm);
    snprintf(name, sizeof name, "%s/file_order-%d-%d", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp", pid, which);
    MPI_File_open(comm, name, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file);
    // It has no name from now on, and nothing of it is left behind.
    if (!rank) MPI_File_delete(name, MPI_INFO_NULL);
    return file;
}

int main(int argc, char **argv) {
    int rank, values[4] = {1, 2, 3, 4};
    MPI_Status *none = MPI_STATUS_IGNORE;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    MPI_File file = open_file(0);
    if (is("write_and_read", argv)) {
        if (rank) MPI_File_write_all(file, values, 4, MPI_INT, none); // !write_and_read
        else MPI_File_read_all(file, values, 4, MPI_INT, none);
    } else if (is("all_and_at_all", argv)) {
        if (rank) MPI_File_write_at_all(file, 0, values, 4, MPI_INT, none); // !all_and_at_all
        else MPI_File_write_all(file, values, 4, MPI_INT, none);
    } else if (is("nonblocking", argv)) {
        if (rank) {
            MPI_File_iwrite_all(file, values, 4, MPI_INT, &request); // !nonblocking
            MPI_Wait(&request, none);
        } else MPI_File_write_all(file, values, 4, MPI_INT, none);
    } else if (is("split_and_whole", argv)) {
        if (rank) {
            MPI_File_write_all_begin(file, values, 4, MPI_INT); // !split_and_whole
            MPI_File_write_all_end(file, values, none);
        } else MPI_File_write_all(file, values, 4, MPI_INT, none);
    } else if (is("sync", argv)) {
        MPI_File_write_at(file, rank * 16, values, 4, MPI_INT, none);
        if (rank) MPI_File_sync(file);
    } else if (is("etypes", argv)) {
        MPI_File_set_view(file, 0, rank ? MPI_INT : MPI_BYTE, MPI_INT, "native", MPI_INFO_NULL); // !etypes
    } else if (is("representations", argv)) {
        MPI_File_set_view(file, 0, MPI_INT, MPI_INT, rank ? "native" : "internal", MPI_INFO_NULL); // !representations
    } else if (is("same", argv)) {
        MPI_File_set_size(file, 64);
        MPI_File_set_atomicity(file, 1);
        for (int n = 0; n < 5; n++) {
            MPI_File_write_at_all(file, rank * 16, values, 4, MPI_INT, none);
            MPI_File_iread_all(file, values, 4, MPI_INT, &request);
            MPI_Wait(&request, none);
            MPI_File_read_ordered(file, values, 1, MPI_INT, none);
            MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
            MPI_File_read_at_all_begin(file, 0, values, 4, MPI_INT);
            MPI_File_read_at_all_end(file, values, none);
            MPI_File_set_info(file, MPI_INFO_NULL);
            MPI_File_sync(file);
        }
        MPI_File_preallocate(file, 100);
    } else if (is("views", argv)) {
        // Of as many bytes, and beginning anywhere.
        MPI_File_set_view(file, 16 * rank, rank ? MPI_INT : MPI_FLOAT, rank ? MPI_INT : MPI_FLOAT, "native", MPI_INFO_NULL);
        MPI_File_write_all(file, values, rank, rank ? MPI_INT : MPI_FLOAT, none);
    } else if (is("on_its_own", argv)) {
        // Calls that are not collective count nothing.
        if (rank) MPI_File_write_at(file, 0, values, 4, MPI_INT, none);
        if (!rank) MPI_File_write_shared(file, values, 4, MPI_INT, none);
        if (!rank) MPI_File_seek(file, 4, MPI_SEEK_SET);
    } else if (is("files", argv)) {
        MPI_File other = open_file(1);
        for (int n = 0; n < 3; n++) MPI_File_write_all(other, values, 4, MPI_INT, none);
        MPI_File_sync(file);
        MPI_File_close(&other);
    }
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
