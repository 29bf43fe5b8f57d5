/* Files: explicit offsets, views, shared pointers; what is written is read by others. */
#ifndef FILES_H
#define FILES_H

#include "worker.h"

enum { MOST_BYTES = 100000 };

/* Whether as many bytes were moved as were asked for: fewer are no error of MPI's. */
static void check_moved(const MPI_Status *status, int bytes)
{
    int moved = -1;
    DO(MPI_Get_count(status, MPI_BYTE, &moved));
    equal("the bytes that were moved", (uint64_t)moved, (uint64_t)bytes);
}

static void write_blocks(MPI_File file, int how, int bytes, uint64_t number)
{
    char *data = own((size_t)bytes);
    MPI_Offset place = (MPI_Offset)rank * bytes;
    MPI_Datatype pieces = MPI_DATATYPE_NULL;
    MPI_Request request;
    MPI_Status status;
    fill(data, (size_t)bytes, number + (uint64_t)rank);
    switch (how) {
    case 0:
        DO(MPI_File_write_at(file, place, data, bytes, MPI_BYTE, &status));
        break;
    case 1:
        DO(MPI_File_write_at_all(file, place, data, bytes, MPI_BYTE, &status));
        break;
    case 2:
        DO(MPI_File_iwrite_at(file, place, data, bytes, MPI_BYTE, &request));
        wait_all(1, &request, &status);
        break;
    case 3:
        DO(MPI_File_write_ordered(file, data, bytes, MPI_BYTE, &status));
        break;
    default:
        /* The same place through a view in which the others' blocks are holes. */
        DO(MPI_Type_create_resized(MPI_BYTE, 0, 1, &pieces));
        DO(MPI_Type_commit(&pieces));
        DO(MPI_File_set_view(file, place, MPI_BYTE, pieces, "native", MPI_INFO_NULL));
        DO(MPI_File_write_all(file, data, bytes, MPI_BYTE, &status));
        DO(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
        DO(MPI_Type_free(&pieces));
    }
    check_moved(&status, bytes);
    free(data);
}

/* Eight bytes of each rank in turn: one block after the other in the file, and strides in the view of each. */
static void interleaved(MPI_File file, int blocks, uint64_t number)
{
    MPI_Datatype every;
    MPI_Status status;
    uint64_t *data = own((size_t)blocks * 8), *all = own((size_t)(blocks * size) * 8);
    MPI_Offset begin = (MPI_Offset)rank * 8;
    for (int i = 0; i < blocks; i++)
        data[i] = mix(number, (uint64_t)(i * size + rank));
    DO(MPI_Type_create_resized(MPI_UINT64_T, 0, (MPI_Aint)size * 8, &every));
    DO(MPI_Type_commit(&every));
    DO(MPI_File_set_view(file, begin, MPI_UINT64_T, every, "native", MPI_INFO_NULL));
    DO(MPI_File_write_all(file, data, blocks, MPI_UINT64_T, &status));
    check_moved(&status, blocks * 8);
    DO(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    DO(MPI_File_sync(file));
    DO(MPI_Barrier(world));
    DO(MPI_File_read_at_all(file, 0, all, blocks * size * 8, MPI_BYTE, &status));
    check_moved(&status, blocks * size * 8);
    for (int i = 0; i < blocks * size; i++)
        equal("a word of a file in turns", all[i], mix(number, (uint64_t)i));
    DO(MPI_Type_free(&every));
    free(data);
    free(all);
}

static void file_step(void)
{
    MPI_File file;
    MPI_Status status;
    char name[4096], *data;
    int how = below(6), bytes = 1 + length_below(MOST_BYTES), deleted_on_close = below(2), of = (rank + below(size)) % size;
    int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | (deleted_on_close ? MPI_MODE_DELETE_ON_CLOSE : 0);
    uint64_t number = fresh();
    MPI_Offset length = -1;
    snprintf(name, sizeof name, "%s/file.%" PRIx64, options.folder, number);
    DO(MPI_File_open(world, name, mode, MPI_INFO_NULL, &file));
    if (!options.fatal)
        DO(MPI_File_set_errhandler(file, MPI_ERRORS_RETURN));
    else
        DO(MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL));
    if (how == 5) {
        bytes = (bytes / 8 + 1) * 8;
        interleaved(file, bytes / 8, number);
    } else {
        write_blocks(file, how, bytes, number);
        DO(MPI_File_sync(file));
        DO(MPI_Barrier(world));
        data = own((size_t)bytes);
        DO(MPI_File_read_at(file, (MPI_Offset)of * bytes, data, bytes, MPI_BYTE, &status));
        check_moved(&status, bytes);
        compare("a block of a file", data, (size_t)bytes, number + (uint64_t)of);
        free(data);
    }
    DO(MPI_File_get_size(file, &length));
    equal("the length of a file", (uint64_t)length, (uint64_t)bytes * (uint64_t)size);
    DO(MPI_File_close(&file));
    if (!deleted_on_close && rank == 0)
        DO(MPI_File_delete(name, MPI_INFO_NULL));
}

#endif
