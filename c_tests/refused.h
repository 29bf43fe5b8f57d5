/* Arguments that are right, of every kind, for calls of which one other argument is wrong. MPI_COMM_WORLD and MPI_COMM_SELF
 * return errors. */
#ifndef REFUSED_H
#define REFUSED_H

#include "check.h"

static char memory[4096] MAYBE_UNUSED, into[4096] MAYBE_UNUSED;
static char text[MPI_MAX_PORT_NAME + MPI_MAX_INFO_VAL + MPI_MAX_ERROR_STRING] MAYBE_UNUSED = "native";
static int ints[64] MAYBE_UNUSED;
static MPI_Aint aints[64] MAYBE_UNUSED;
static MPI_Count counts[64] MAYBE_UNUSED;
static MPI_Datatype types[64] MAYBE_UNUSED;

/* Places for results. */
static MPI_Status status_out MAYBE_UNUSED;
static MPI_Request request_out MAYBE_UNUSED;
static MPI_Message message_out MAYBE_UNUSED = MPI_MESSAGE_NO_PROC;

/* A ring of all processes, a window of `memory` that is locked, and a file. */
static MPI_Comm ring;
static MPI_Win win;
static MPI_File file;

/* The file's name is the test's. */
static void open_all(const char *test)
{
    int one = 1;
    char name[64];
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &one, 0, &ring));
    OK(MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    OK(MPI_Win_lock_all(0, win));
    snprintf(name, sizeof name, "%s.%d.tmp", test, size);
    OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                     &file));
    for (int i = 0; i < 64; i++) {
        ints[i] = 1;
        types[i] = MPI_INT;
    }
}

static void close_all(void)
{
    OK(MPI_File_close(&file));
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Win_free(&win));
    OK(MPI_Comm_free(&ring));
}

#endif
