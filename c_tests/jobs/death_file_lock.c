/* ranks: 4; env: RMASHM_CHECK=off; expect-exit: 137; expect-stderr: was killed by signal 9; mpich: skip a death ends the job */
/* Processes write together to a file with holes between their data, which they write back as they were. The first of them, which has made the
 * lock that keeps others from these bytes, is killed meanwhile: as long as others may write yet, nobody else gets it. */
#define _GNU_SOURCE
#include "check.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WRITERS = 3, N = 400000, OBSERVER = WRITERS };

static char name[64];

static void write_until_one_dies(void)
{
    MPI_Comm writers;
    MPI_File file;
    MPI_Info info;
    MPI_Datatype tile;
    static int data[N];
    int code;
    OK(MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &writers));
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "romio_cb_write", "enable"));
    OK(MPI_Info_set(info, "cb_buffer_size", "262144"));
    OK(MPI_Type_create_resized(MPI_INT, 0, (WRITERS + 1) * sizeof(int), &tile));
    OK(MPI_Type_commit(&tile));
    OK(MPI_File_open(writers, name, MPI_MODE_RDWR, info, &file));
    OK(MPI_File_set_view(file, rank * (MPI_Offset)sizeof(int), MPI_INT, tile, "native", MPI_INFO_NULL));
    do
        code = MPI_File_write_at_all(file, 0, data, N, MPI_INT, MPI_STATUS_IGNORE);
    while (code == MPI_SUCCESS);
    CHECK_CLASS(code, MPIX_ERR_PROC_FAILED);
    CHECK_CLASS(MPI_File_close(&file), MPIX_ERR_PROC_FAILED);
    OK(MPI_Type_free(&tile));
    OK(MPI_Info_free(&info));
}

/* How many open files share a lock of the file. */
static int sharers(ino_t inode)
{
    char line[200], wanted[40];
    int count = 0;
    FILE *locks = fopen("/proc/locks", "r");
    CHECK(locks != NULL);
    snprintf(wanted, sizeof wanted, ":%llu ", (unsigned long long)inode);
    while (fgets(line, sizeof line, locks))
        count += strstr(line, "OFDLCK") && strstr(line, "READ") && strstr(line, wanted);
    fclose(locks);
    return count;
}

/* The letter of a process's state; 0 if there is none. */
static char state(int process)
{
    char path[64], line[400];
    snprintf(path, sizeof path, "/proc/%d/stat", process);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return 0;
    size_t length = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    line[length] = 0;
    const char *end = strrchr(line, ')');
    return end ? end[2] : 0;
}

/* All but the first writer, which waits for them then. */
static void stop(const int *processes)
{
    for (int i = 1; i < WRITERS; i++)
        CHECK_EQ(kill(processes[i], SIGSTOP), 0);
    for (int i = 1; i < WRITERS; i++)
        while (state(processes[i]) != 'T')
            usleep(100);
}

static void go_on(const int *processes)
{
    for (int i = 1; i < WRITERS; i++)
        CHECK_EQ(kill(processes[i], SIGCONT), 0);
}

static void observe(const int *processes)
{
    struct stat about;
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int file = open(name, O_RDWR);
    CHECK(file >= 0 && fstat(file, &about) == 0);
    for (int looks = 0;;) {
        while (sharers(about.st_ino) < WRITERS)
            CHECK(looks++ < 100000);
        stop(processes);
        if (sharers(about.st_ino) == WRITERS)
            break;
        go_on(processes);
    }
    CHECK_EQ(kill(processes[0], SIGKILL), 0);
    while (state(processes[0]) != 0 && state(processes[0]) != 'Z')
        usleep(100);
    CHECK_EQ(fcntl(file, F_OFD_GETLK, &lock), 0);
    CHECK_EQ(lock.l_type, F_RDLCK);
    go_on(processes);
    /* When they know of the death, they give it up. */
    lock = (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET};
    CHECK_EQ(fcntl(file, F_OFD_SETLKW, &lock), 0);
    close(file);
}

int main(int argc, char **argv)
{
    int process = (int)getpid(), processes[WRITERS + 1];
    check_start(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    snprintf(name, sizeof name, "/tmp/rmashm-file-lock-%d", process);
    OK(MPI_Bcast(name, sizeof name, MPI_CHAR, OBSERVER, MPI_COMM_WORLD));
    if (rank == OBSERVER)
        CHECK(close(open(name, O_CREAT | O_RDWR, 0600)) == 0);
    OK(MPI_Allgather(&process, 1, MPI_INT, processes, 1, MPI_INT, MPI_COMM_WORLD));
    if (rank == OBSERVER) {
        MPI_Comm none;
        OK(MPI_Comm_split(MPI_COMM_WORLD, MPI_UNDEFINED, 0, &none));
        observe(processes);
        unlink(name);
    } else {
        write_until_one_dies();
    }
    CHECK_CLASS(MPI_Barrier(MPI_COMM_WORLD), MPIX_ERR_PROC_FAILED);
    return check_end();
}
