// Buffers of file operations in two parts and of nonblocking ones, used before their end: MPI 4.1 §14.4.1, §14.4.5.
//
// ranks: 2
// wrong split_read: buffer in use
// wrong split_write: buffer in use
// wrong split_changed: buffer changed
// wrong iwrite_changed: buffer changed
// wrong iread_used: buffer in use
// right in_turn
// right apart
// right written_twice
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const MPI_Comm comm = MPI_COMM_WORLD;
static char *variant;
static int is(const char *name) { return !strcmp(name, variant); }

int main(int argc, char **argv) {
    int rank, one = 0, data[100] = {0}, more[100] = {0};
    int when;
    char name[200];
    MPI_File file;
    MPI_Request request, other;
    MPI_Status *none = MPI_STATUS_IGNORE;
    MPI_Init(&argc, &argv);
    variant = argv[1];
    MPI_Comm_rank(comm, &rank);
    when = getpid();
    MPI_Bcast(&when, 1, MPI_INT, 0, comm);
    snprintf(name, sizeof name, "%s/file_buffers-%d", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp", when);
    MPI_File_open(comm, name, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file);
    // It has no name from now on, and nothing of it is left behind.
    if (!rank) MPI_File_delete(name, MPI_INFO_NULL);
    MPI_File_set_size(file, 1000);
    if (is("split_read")) {
        MPI_File_read_all_begin(file, data, 100, MPI_INT);
        MPI_Sendrecv(data, 1, MPI_INT, rank, 0, &one, 1, MPI_INT, rank, 0, comm, none); // !split_read
        MPI_File_read_all_end(file, data, none);
    } else if (is("split_write")) {
        MPI_File_write_at_all_begin(file, rank * 400, data, 100, MPI_INT);
        MPI_Sendrecv(&one, 1, MPI_INT, rank, 0, data + 9, 1, MPI_INT, rank, 0, comm, none); // !split_write
        MPI_File_write_at_all_end(file, data, none);
    } else if (is("split_changed")) {
        MPI_File_write_ordered_begin(file, data, 100, MPI_INT);
        data[50] = 3;
        MPI_File_write_ordered_end(file, data, none); // !split_changed
    } else if (is("iwrite_changed")) {
        MPI_File_iwrite_at(file, 0, data, 100, MPI_INT, &request);
        data[50] = 3;
        MPI_Wait(&request, none); // !iwrite_changed
    } else if (is("iread_used")) {
        MPI_File_iread_at_all(file, 0, data, 100, MPI_INT, &request);
        MPI_File_write_at(file, 0, data + 7, 1, MPI_INT, none); // !iread_used
        MPI_Wait(&request, none);
    } else if (is("in_turn")) {
        for (int n = 0; n < 5; n++) {
            MPI_File_read_at_all_begin(file, 0, data, 100, MPI_INT);
            MPI_File_read_at_all_end(file, data, none);
            data[3] = n;
            MPI_File_write_at_all_begin(file, 0, data, 100, MPI_INT);
            MPI_File_write_at_all_end(file, data, none);
            data[4] = n;
            MPI_File_iwrite_at(file, 0, data, 100, MPI_INT, &request);
            MPI_Wait(&request, none);
        }
    } else if (is("apart")) {
        MPI_File_read_at_all_begin(file, 0, data, 50, MPI_INT);
        data[70] = 4;
        MPI_Sendrecv(data + 50, 1, MPI_INT, rank, 0, more, 1, MPI_INT, rank, 0, comm, none);
        MPI_File_read_at_all_end(file, data, none);
    } else if (is("written_twice")) {
        MPI_File_iwrite_at(file, 0, data, 100, MPI_INT, &request);
        MPI_File_iwrite_at(file, 400, data, 100, MPI_INT, &other);
        MPI_Wait(&request, none);
        MPI_Wait(&other, none);
    }
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
