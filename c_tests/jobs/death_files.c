/* ranks: 3 4; name: atomic; args: 1; expect-exit: 137; expect-stderr: was killed by signal 9; mpich: skip a death ends the job */
/* ranks: 3 4; name: plain; args: 0; expect-exit: 137; expect-stderr: was killed by signal 9; mpich: skip a death ends the job */
/* A process is killed while it writes to a file, with the lock of what it writes; of all of it in atomic mode, where the others wait
 * for it. They go on: their accesses by explicit offsets, by their own and by the shared file pointer do what they say. What needs all
 * processes of the file tells of the death. */
#include "death.h"

enum { RECORD = 1 << 20, ROUNDS = 40 };

static char name[64];
static char data[RECORD], back[RECORD];

static void on_alarm(int number)
{
    (void)number;
    raise(SIGKILL);
}

/* Writes to the end of its life: rounds of records that overlap those of nobody. */
static void victim(MPI_File file)
{
    struct itimerval time = {{0, 0}, {0, 60000}};
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &time, NULL);
    for (;;)
        OK(MPI_File_write_at(file, RECORD * (MPI_Offset)VICTIM, data, RECORD, MPI_BYTE, MPI_STATUS_IGNORE));
}

static void check_own(MPI_File file, char value)
{
    MPI_Status status;
    int count = -1;
    memset(back, 0, sizeof back);
    OK(MPI_File_read_at(file, RECORD * (MPI_Offset)rank, back, RECORD, MPI_BYTE, &status));
    OK(MPI_Get_count(&status, MPI_BYTE, &count));
    CHECK_EQ(count, RECORD);
    memset(data, value, sizeof data);
    CHECK_BYTES(back, data, sizeof data);
}

int main(int argc, char **argv)
{
    int atomic = argc > 1 && atoi(argv[1]), flag = -1;
    MPI_File file;
    MPI_Datatype tile;
    MPI_Offset position = -1, after = -1;
    death_start(&argc, &argv);
    snprintf(name, sizeof name, "/tmp/rmashm-death-%d", (int)getpid());
    OK(MPI_Bcast(name, sizeof name, MPI_CHAR, 0, all));
    OK(MPI_File_open(all, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file));
    OK(MPI_File_set_atomicity(file, atomic));
    OK(MPI_File_seek_shared(file, RECORD * (MPI_Offset)size, MPI_SEEK_SET));
    memset(data, 'a' + rank, sizeof data);
    together();
    /* The name is not needed any more, and nothing is left whoever dies. */
    if (rank == 0)
        CHECK_EQ(unlink(name), 0);
    if (rank == VICTIM)
        victim(file);

    /* While it dies, with its lock waited for. */
    for (int i = 0; i < ROUNDS; i++) {
        memset(data, 'a' + i % 26, sizeof data);
        OK(MPI_File_write_at(file, RECORD * (MPI_Offset)rank, data, RECORD, MPI_BYTE, MPI_STATUS_IGNORE));
        check_own(file, 'a' + i % 26);
        OK(MPI_File_write_shared(file, &rank, sizeof rank, MPI_BYTE, MPI_STATUS_IGNORE));
    }
    await_death();

    /* After it. */
    memset(data, 'z', sizeof data);
    OK(MPI_File_write_at(file, RECORD * (MPI_Offset)rank, data, RECORD, MPI_BYTE, MPI_STATUS_IGNORE));
    check_own(file, 'z');
    OK(MPI_File_get_position_shared(file, &position));
    OK(MPI_File_write_shared(file, data, 4, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_get_position_shared(file, &after));
    CHECK(after >= position + 4);
    /* The bytes that are the victim's have been its own or none. */
    OK(MPI_File_read_at(file, RECORD * (MPI_Offset)VICTIM, back, RECORD, MPI_BYTE, MPI_STATUS_IGNORE));
    for (int i = 0; i < RECORD; i++)
        CHECK(back[i] == 0 || back[i] == 'a' + VICTIM);
    OK(MPI_File_get_atomicity(file, &flag));
    CHECK_EQ(flag, atomic);
    OK(MPI_Type_create_resized(MPI_INT, 0, 8, &tile));
    OK(MPI_Type_commit(&tile));
    FAILS(MPI_File_set_view(file, 0, MPI_INT, tile, "native", MPI_INFO_NULL), "MPI_File_set_view");
    FAILS(MPI_File_write_ordered(file, data, 1, MPI_BYTE, MPI_STATUS_IGNORE), "MPI_File_write_ordered");
    FAILS(MPI_File_seek_shared(file, 0, MPI_SEEK_SET), "MPI_File_seek_shared");
    FAILS(MPI_File_set_atomicity(file, !atomic), "MPI_File_set_atomicity");
    FAILS(MPI_File_set_size(file, 0), "MPI_File_set_size");
    /* What failed has changed nothing. */
    check_own(file, 'z');
    FAILS(MPI_File_close(&file), "MPI_File_close");
    OK(MPI_Type_free(&tile));
    return check_end();
}
