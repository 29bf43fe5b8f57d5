/* ranks: 2 4; args: 20 */
/* Collective accesses to a file whose data interleaves, over and over, as often as the first argument says. Here the program comes to its
 * end; tests/dying.rs kills its processes. The second argument is the file's name. */
#include "death.h"
#include <unistd.h>

enum { N = 100000 };

static int data[N], back[N];

/* What must succeed unless somebody has died. */
#define DO(call)                                                                      \
    do {                                                                              \
        int code_ = call;                                                             \
        if (code_ != MPI_SUCCESS) {                                                   \
            CHECK_CLASS(code_, MPIX_ERR_PROC_FAILED);                                 \
            return 0;                                                                 \
        }                                                                             \
    } while (0)

static int accesses(const char *name, long rounds)
{
    MPI_File file;
    MPI_Info info;
    MPI_Datatype tile;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "cb_buffer_size", "262144"));
    OK(MPI_Type_create_resized(MPI_INT, 0, 4 * (MPI_Aint)size, &tile));
    OK(MPI_Type_commit(&tile));
    DO(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE, info, &file));
    if (rank == 0)
        unlink(name);
    DO(MPI_File_set_view(file, 4 * rank, MPI_INT, tile, "native", MPI_INFO_NULL));
    for (long round = 0; round < rounds; round++) {
        for (int i = 0; i < N; i++)
            data[i] = (int)round + rank * N + i;
        /* The second leaves holes. */
        int count = round % 2 && rank == 0 ? N / 2 : N;
        DO(MPI_File_write_at_all(file, 0, data, count, MPI_INT, MPI_STATUS_IGNORE));
        DO(MPI_File_read_at_all(file, 0, back, count, MPI_INT, MPI_STATUS_IGNORE));
        CHECK_BYTES(back, data, (size_t)count * sizeof *data);
    }
    DO(MPI_File_close(&file));
    OK(MPI_Type_free(&tile));
    OK(MPI_Info_free(&info));
    return 1;
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? atol(argv[1]) : 20;
    char name[200];
    check_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    snprintf(name, sizeof name, "/tmp/rmashm-death-files-%d", (int)getpid());
    if (argc > 2)
        snprintf(name, sizeof name, "%s", argv[2]);
    else
        OK(MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD));
    accesses(name, rounds);
    return check_end();
}
