/* ranks: 3 5; expect-exit: 137; expect-stderr: was killed by signal 9; mpich: skip a death ends the job */
/* A file one of whose processes has died is closed though MPI_File_close fails: its error handler is called with it, the handle is
 * MPI_FILE_NULL, and the descriptor is the program's again. */
#include "death.h"

#include <fcntl.h>

static int calls;
static MPI_File known;

static void told(MPI_File *file, int *code, ...)
{
    MPI_Offset bytes = -1;
    CHECK_CLASS(*code, MPIX_ERR_PROC_FAILED);
    CHECK(*file == known);
    /* It is there still. */
    CHECK_EQ(MPI_File_get_size(*file, &bytes), MPI_SUCCESS);
    CHECK_EQ(bytes, 4);
    calls++;
}

/* The lowest descriptor that is free. */
static int lowest(void)
{
    int descriptor = open("/dev/null", O_RDONLY);
    CHECK(descriptor >= 0 && close(descriptor) == 0);
    return descriptor;
}

int main(int argc, char **argv)
{
    char name[] = "/tmp/rmashm-death-closed-XXXXXX";
    MPI_Errhandler handler;
    MPI_File file;
    death_start(&argc, &argv);
    if (rank == 0)
        CHECK(close(mkstemp(name)) == 0);
    OK(MPI_Bcast(name, sizeof name, MPI_CHAR, 0, all));
    OK(MPI_File_create_errhandler(told, &handler));
    int before = lowest();
    OK(MPI_File_open(all, name, MPI_MODE_RDWR, MPI_INFO_NULL, &file));
    OK(MPI_File_set_errhandler(file, handler));
    OK(MPI_File_write_at(file, 0, "abcd", 4, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK(lowest() > before);
    known = file;
    together();
    if (rank == 0)
        CHECK_EQ(unlink(name), 0);
    if (rank == VICTIM)
        die();
    await_death();
    FAILS(MPI_File_close(&file), "MPI_File_close");
    CHECK(file == MPI_FILE_NULL);
    CHECK_EQ(calls, 1);
    CHECK_EQ(lowest(), before);
    CHECK_CLASS(MPI_File_close(&known), MPI_ERR_FILE);
    OK(MPI_Errhandler_free(&handler));
    return check_end();
}
