/* ranks: 1 2 4; seconds: 60 */
/* File views with holes (MPI 4.1 section 14.3): what is written changes the view's bytes and no others, whoever writes the others at
 * the same time; the file ends where it should; few calls of the system move many runs. And file pointers after accesses that
 * move less than asked (section 14.4.3). */
#include "check.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

static char name[64];

/* Reads or writes of this process that the system has counted. */
static long calls(const char *which)
{
    char line[100];
    long count = -1;
    FILE *stream = fopen("/proc/self/io", "r");
    CHECK(stream != NULL);
    while (fgets(line, sizeof line, stream))
        if (strncmp(line, which, strlen(which)) == 0)
            count = atol(line + strlen(which) + 1);
    fclose(stream);
    CHECK(count >= 0);
    return count;
}

static long load(unsigned char *bytes, long room)
{
    FILE *stream = fopen(name, "rb");
    CHECK(stream != NULL);
    long length = (long)fread(bytes, 1, (size_t)room, stream);
    fclose(stream);
    return length;
}

static void store(const unsigned char *bytes, long length)
{
    FILE *stream = fopen(name, "wb");
    CHECK(stream != NULL);
    CHECK_EQ(fwrite(bytes, 1, (size_t)length, stream), length);
    fclose(stream);
}

static MPI_File open_alone(int mode)
{
    MPI_File file;
    OK(MPI_File_open(MPI_COMM_SELF, name, mode | MPI_MODE_CREATE, MPI_INFO_NULL, &file));
    return file;
}

static void check_count(MPI_Status *status, long wanted)
{
    int bytes = -1;
    OK(MPI_Get_count(status, MPI_BYTE, &bytes));
    CHECK_EQ(bytes, wanted);
}

/* Every second int of many. */
static void few_calls(void)
{
    enum { N = 100000 };
    MPI_Datatype tile;
    MPI_Status status;
    int *data = malloc(N * sizeof *data), *back = malloc(N * sizeof *back);
    fill(data, N * sizeof *data, 3);
    MPI_File file = open_alone(MPI_MODE_RDWR);
    OK(MPI_Type_create_resized(MPI_INT, 0, 8, &tile));
    OK(MPI_Type_commit(&tile));
    OK(MPI_File_set_view(file, 0, MPI_INT, tile, "native", MPI_INFO_NULL));
    long before = calls("syscw:");
    OK(MPI_File_write_all(file, data, N, MPI_INT, &status));
    CHECK(calls("syscw:") - before < N / 100);
    check_count(&status, N * 4);
    MPI_Offset size = -1;
    OK(MPI_File_get_size(file, &size));
    CHECK_EQ(size, (N - 1) * 8 + 4);
    before = calls("syscr:");
    OK(MPI_File_read_at_all(file, 0, back, N, MPI_INT, &status));
    CHECK(calls("syscr:") - before < N / 100);
    check_count(&status, N * 4);
    CHECK_BYTES(back, data, N * sizeof *data);
    OK(MPI_File_close(&file));
    OK(MPI_Type_free(&tile));
    free(data);
    free(back);
    unlink(name);
}

/* Views of runs and holes of any length, on files that end anywhere, compared with arrays. */
static void any_view(uint64_t *random, int mode)
{
    enum { RUNS = 40, ROOM = 1 << 18 };
    static unsigned char before[ROOM], wanted[ROOM], after[ROOM], data[ROOM], back[ROOM];
    int lengths[RUNS], displacements[RUNS], n = 1 + (int)(draw(random) % RUNS), at = 0;
    int long_holes = draw(random) % 3 == 0;
    for (int i = 0; i < n; i++) {
        at += (int)(draw(random) % (long_holes && i % 5 == 0 ? 9000 : 20));
        displacements[i] = at;
        lengths[i] = (int)(draw(random) % 30);
        at += lengths[i];
    }
    int per_tile = 0;
    for (int i = 0; i < n; i++)
        per_tile += lengths[i];
    if (per_tile == 0)
        return;
    MPI_Datatype runs, tile;
    int extent = at + (int)(draw(random) % 20);
    OK(MPI_Type_indexed(n, lengths, displacements, MPI_BYTE, &runs));
    OK(MPI_Type_create_resized(runs, 0, extent, &tile));
    OK(MPI_Type_commit(&tile));
    OK(MPI_Type_free(&runs));
    int most = ROOM / 2 / extent * per_tile; /* bytes of the view within half of the room */
    if (most > 20000)
        most = 20000;
    int disp = (int)(draw(random) % 100), offset = (int)(draw(random) % (uint64_t)(most / 2 + 1));
    int count = (int)(draw(random) % (uint64_t)(most / 2 + 1));
    long length = (long)(draw(random) % (ROOM / 2));
#ifndef RMASHM
    length = ROOM; /* MPICH 4.0 fills holes behind the end with what its buffer has, and counts what is not there */
#endif
    fill(before, (size_t)length, draw(random));
    fill(data, (size_t)count, draw(random));
    store(before, length);
    memcpy(wanted, before, (size_t)length);
    memset(wanted + length, 0, (size_t)(ROOM - length));
    long end = length, readable = 0, position = 0;
    memset(back, 0, sizeof back);
    for (long tiles = 0; position < offset + count; tiles++)
        for (int i = 0; i < n; i++)
            for (int k = 0; k < lengths[i]; k++, position++) {
                long place = disp + tiles * extent + displacements[i] + k;
                if (position < offset || position >= offset + count)
                    continue;
                wanted[place] = data[position - offset];
                if (place < length) {
                    back[position - offset] = before[place];
                    readable++;
                }
                end = place >= end ? place + 1 : end;
            }
    MPI_File file = open_alone(mode);
    MPI_Status status;
    OK(MPI_File_set_view(file, disp, MPI_BYTE, tile, "native", MPI_INFO_NULL));
    OK(MPI_File_seek(file, offset, MPI_SEEK_SET));
    MPI_Offset now = -1;
    if (mode == MPI_MODE_RDWR) {
        memset(after, 0, sizeof after);
        OK(MPI_File_read(file, after, count, MPI_BYTE, &status));
        CHECK_BYTES(after, back, (size_t)count);
        check_count(&status, readable);
        OK(MPI_File_get_position(file, &now));
        CHECK_EQ(now, offset + readable);
        OK(MPI_File_seek(file, offset, MPI_SEEK_SET));
    }
    OK(MPI_File_write(file, data, count, MPI_BYTE, &status));
    check_count(&status, count);
    OK(MPI_File_get_position(file, &now));
    CHECK_EQ(now, offset + count);
    OK(MPI_File_close(&file));
    CHECK_EQ(load(after, ROOM), end);
    CHECK_BYTES(after, wanted, (size_t)end);
    OK(MPI_Type_free(&tile));
    unlink(name);
}

/* All ranks write ints in turn through views; the last one writes its own one by one through a file of its own, into the holes of
 * the others. Nothing is lost, in whatever order they come. */
static void together(int atomic)
{
    enum { N = 20000, ONES = 2000 };
    char own[sizeof name];
    MPI_File file, alone;
    MPI_Datatype tile;
    MPI_Status status;
    int *data = malloc(N * sizeof *data), *all = malloc((size_t)size * N * sizeof *all);
    memcpy(own, name, sizeof own);
    OK(MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD));
    OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file));
    OK(MPI_File_set_atomicity(file, atomic));
    OK(MPI_Type_create_resized(MPI_INT, 0, 4 * (MPI_Aint)size, &tile));
    OK(MPI_Type_commit(&tile));
    OK(MPI_File_set_view(file, 4 * rank, MPI_INT, tile, "native", MPI_INFO_NULL));
    for (int i = 0; i < N; i++)
        data[i] = 1000000 * (rank + 1) + i;
    int plainly = !atomic && rank == size - 1;
    alone = open_alone(MPI_MODE_WRONLY);
    barrier();
    for (int i = 0; plainly && i < ONES; i++)
        OK(MPI_File_write_at(alone, 4 * ((MPI_Offset)i * size + rank), data + i, 4, MPI_BYTE, &status));
    int first = plainly ? ONES : 0;
    OK(MPI_File_write_at_all(file, first, data + first, N - first, MPI_INT, &status));
    check_count(&status, 4 * (N - first));
    OK(MPI_File_close(&alone));
    barrier();
    CHECK_EQ(load((unsigned char *)all, 4L * size * N), 4L * size * N);
    for (int i = 0; i < N; i++)
        for (int r = 0; r < size; r++)
            CHECK_EQ(all[i * size + r], 1000000 * (r + 1) + i);
    memset(data, 0, N * sizeof *data);
    OK(MPI_File_read_at_all(file, 0, data, N, MPI_INT, &status));
    for (int i = 0; i < N; i++)
        CHECK_EQ(data[i], 1000000 * (rank + 1) + i);
    OK(MPI_File_close(&file));
    if (rank == 0)
        unlink(name);
    OK(MPI_Type_free(&tile));
    memcpy(name, own, sizeof own);
    free(data);
    free(all);
}

/* The system takes a part of what is written. */
static void full(int with_holes)
{
    enum { ROOM = 100000 };
    char *data = calloc(4, ROOM);
    MPI_File file = open_alone(MPI_MODE_RDWR);
    MPI_Datatype tile;
    struct rlimit was, less;
    OK(MPI_Type_create_resized(MPI_INT, 0, with_holes ? 8 : 4, &tile));
    OK(MPI_Type_commit(&tile));
    OK(MPI_File_set_view(file, 0, MPI_INT, tile, "native", MPI_INFO_NULL));
    CHECK(getrlimit(RLIMIT_FSIZE, &was) == 0);
    less = was;
    less.rlim_cur = ROOM;
    signal(SIGXFSZ, SIG_IGN);
    CHECK(setrlimit(RLIMIT_FSIZE, &less) == 0);
    int code = MPI_File_write(file, data, ROOM, MPI_INT, MPI_STATUS_IGNORE);
    CHECK(setrlimit(RLIMIT_FSIZE, &was) == 0);
    CHECK(code != MPI_SUCCESS);
#ifdef RMASHM /* MPICH leaves the pointer, and gives MPI_ERR_IO */
    MPI_Offset position = -1;
    CHECK_CLASS(code, MPI_ERR_NO_SPACE);
    OK(MPI_File_get_position(file, &position));
    CHECK_EQ(position, with_holes ? ROOM / 8 : ROOM / 4);
#endif
    OK(MPI_File_close(&file));
    OK(MPI_Type_free(&tile));
    unlink(name);
    free(data);
}

/* The program's own lock on the file does not stop its own accesses. */
static void with_a_lock(void)
{
    enum { N = 1000 };
    int data[N], back[2 * N];
    MPI_Datatype tile;
    MPI_File file = open_alone(MPI_MODE_RDWR);
    FILE *stream = fopen(name, "r+");
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    CHECK(stream != NULL && fcntl(fileno(stream), F_SETLK, &all) == 0);
    fill(data, sizeof data, 9);
    OK(MPI_Type_create_resized(MPI_INT, 0, 8, &tile));
    OK(MPI_Type_commit(&tile));
    OK(MPI_File_set_size(file, sizeof back - 4));
    OK(MPI_File_write_at(file, 0, data, sizeof data, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_set_view(file, 0, MPI_INT, tile, "native", MPI_INFO_NULL));
    OK(MPI_File_write_at(file, 0, data, N, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_EQ(load((unsigned char *)back, sizeof back), sizeof back - 4);
    for (int i = 0; i < 2 * N - 1; i++)
        CHECK_EQ(back[i], i % 2 == 0 ? data[i / 2] : i < N ? data[i] : 0);
    OK(MPI_File_close(&file));
    fclose(stream);
    OK(MPI_Type_free(&tile));
    unlink(name);
}

/* The own representation is the native one; names may have capital letters, as ROMIO takes them. */
static void representations(void)
{
    MPI_File file = open_alone(MPI_MODE_RDWR);
    const char *names[] = {"native", "NATIVE",
#ifdef RMASHM
                           "internal", "Internal"
#endif
    };
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        char got[MPI_MAX_DATAREP_STRING];
        MPI_Datatype etype, filetype;
        MPI_Offset disp = -1;
        int value = 7, back = 0;
        OK(MPI_File_set_view(file, 4, MPI_INT, MPI_INT, names[i], MPI_INFO_NULL));
        OK(MPI_File_get_view(file, &disp, &etype, &filetype, got));
        CHECK_EQ(disp, 4);
#ifdef RMASHM
        CHECK(strcmp(got, i < 2 ? "native" : "internal") == 0);
#endif
        OK(MPI_File_write_at(file, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
        OK(MPI_File_read_at(file, 0, &back, 1, MPI_INT, MPI_STATUS_IGNORE));
        CHECK_EQ(back, value);
    }
    CHECK_CLASS(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "bogus", MPI_INFO_NULL), MPI_ERR_UNSUPPORTED_DATAREP);
    OK(MPI_File_close(&file));
    unlink(name);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    snprintf(name, sizeof name, "/tmp/rmashm-views-%d-%d", (int)getpid(), rank);
    if (rank == 0) {
        uint64_t random = 77;
        few_calls();
        for (int i = 0; i < 300; i++)
            any_view(&random, i % 5 == 4 ? MPI_MODE_WRONLY : MPI_MODE_RDWR);
        full(0);
        full(1);
        representations();
        with_a_lock();
    }
    barrier();
    for (int i = 0; i < 3; i++)
        together(0);
    together(1);
    return check_end();
}
