/* ranks: 1 2 4 7; seconds: 120; wrong: where a split operation does not begin on one process, it has no end there */
/* Collective accesses of processes whose data interleaves in the file (MPI 4.1 section 14.4.2): whatever the views are, and whatever the hints
 * say of how it is done, the file has what was written, and no other byte has changed. Compared with arrays. */
#include "check.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROOM = 1 << 20, RUNS = 30, MOST = 16 };

static char name[64];
static uint64_t same = 5; /* the same numbers on all processes */

static unsigned below(unsigned bound)
{
    return (unsigned)(draw(&same) % bound);
}

static MPI_Info hints(const char *choice, int nodes, int bytes)
{
    MPI_Info info;
    char text[20];
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "romio_cb_write", choice));
    OK(MPI_Info_set(info, "romio_cb_read", choice));
    if (nodes > 0) {
        snprintf(text, sizeof text, "%d", nodes);
        OK(MPI_Info_set(info, "cb_nodes", text));
    }
    if (bytes > 0) {
        snprintf(text, sizeof text, "%d", bytes);
        OK(MPI_Info_set(info, "cb_buffer_size", text));
    }
    return info;
}

static MPI_Info some_hints(void)
{
    static const char *const choices[] = {"enable", "automatic", "disable", "enable", "enable"};
    const char *choice = choices[below(5)];
    int nodes = below(2) ? 1 + (int)below((unsigned)size) : 0;
    return hints(choice, nodes, below(3) ? 65536 : 0);
}

static void on_rank_0(const unsigned char *bytes, long length)
{
    if (rank == 0) {
        int fd = open(name, O_CREAT | O_TRUNC | O_WRONLY, 0600);
        CHECK(fd >= 0);
        CHECK_EQ(write(fd, bytes, (size_t)length), length);
        CHECK(close(fd) == 0);
    }
    barrier();
}

static long load(unsigned char *bytes)
{
    int fd = open(name, O_RDONLY);
    CHECK(fd >= 0);
    long length = (long)read(fd, bytes, ROOM);
    CHECK(close(fd) == 0);
    return length;
}

static void check_count(MPI_Status *status, long wanted)
{
    int bytes = -1;
    OK(MPI_Get_count(status, MPI_BYTE, &bytes));
    CHECK_EQ(bytes, wanted);
}

/* The view of a process: runs of a tile, by their places in it. */
struct shape {
    int n, extent, disp, per_tile;
    int lengths[RUNS * MOST], displacements[RUNS * MOST];
};

/* Shapes of all processes: each run of a tile belongs to one of them, or to none if there are to be holes. */
static void draw_shapes(struct shape *shapes, int holes)
{
    int pieces = size + (int)below(RUNS), at = 0, long_runs = below(3) == 0, disp = (int)below(5000);
    for (int r = 0; r < size; r++)
        shapes[r] = (struct shape){.disp = disp};
    for (int i = 0; i < pieces; i++) {
        int length = 1 + (int)below(long_runs ? 3000 : 40), who = i < size ? i : (int)below((unsigned)(size + holes));
        if (who < size) {
            struct shape *shape = shapes + who;
            shape->displacements[shape->n] = at;
            shape->lengths[shape->n++] = length;
            shape->per_tile += length;
        }
        at += length;
    }
    for (int r = 0; r < size; r++)
        shapes[r].extent = at;
}

static MPI_Datatype tile_of(const struct shape *shape)
{
    MPI_Datatype runs, tile;
    OK(MPI_Type_indexed(shape->n, shape->lengths, shape->displacements, MPI_BYTE, &runs));
    OK(MPI_Type_create_resized(runs, 0, shape->extent, &tile));
    OK(MPI_Type_commit(&tile));
    OK(MPI_Type_free(&runs));
    return tile;
}

/* Where byte number `position` of a view is in the file. */
static long place(const struct shape *shape, long position)
{
    long at = shape->disp + position / shape->per_tile * shape->extent, left = position % shape->per_tile;
    int i = 0;
    while (left >= shape->lengths[i])
        left -= shape->lengths[i++];
    return at + shape->displacements[i] + left;
}

/* Elements of memory with a gap after each 3 bytes, or none. */
static MPI_Datatype memory_type(int gaps)
{
    MPI_Datatype three, spread;
    OK(MPI_Type_contiguous(3, MPI_BYTE, &three));
    OK(MPI_Type_create_resized(three, 0, gaps ? 5 : 3, &spread));
    OK(MPI_Type_commit(&spread));
    OK(MPI_Type_free(&three));
    return spread;
}

/* All write, then all read, what is theirs. */
static void any_views(void)
{
    static unsigned char before[ROOM], wanted[ROOM], after[ROOM], data[2 * ROOM], back[2 * ROOM], expected[2 * ROOM];
    static struct shape shapes[MOST];
    int holes = (int)below(3), gaps = (int)below(2), way = (int)below(4);
    draw_shapes(shapes, holes);
    long length = below(2) ? below(ROOM) : 0, counts[MOST], offsets[MOST], end;
    int only_for_writing = length == 0 && below(2);
#ifndef RMASHM
    length = ROOM; /* MPICH fills holes behind the end with what its buffer has, and counts what is not there */
#endif
    uint64_t seed = draw(&same);
    fill(before, ROOM, seed);
    memset(before + length, 0, (size_t)(ROOM - length));
    memcpy(wanted, before, ROOM);
    end = length;
    for (int r = 0; r < size; r++) {
        int tiles = (ROOM - 10000) / shapes[r].extent;
        tiles = tiles > 200 ? 200 : tiles;
        long most = (long)tiles * shapes[r].per_tile / 3;
        most = below(4) == 0 ? below((unsigned)most + 1) : most;
        offsets[r] = below(3) == 0 ? below((unsigned)most / 2 + 1) : 0;
        counts[r] = below(6) == 0 ? 0 : most - offsets[r];
        fill(data, (size_t)counts[r] * 5, seed + 1 + (uint64_t)r);
        for (long i = 0; i < 3 * counts[r]; i++) {
            long at = place(shapes + r, 3 * offsets[r] + i);
            CHECK(at < ROOM);
            wanted[at] = data[gaps ? i / 3 * 5 + i % 3 : i];
            end = at >= end ? at + 1 : end;
        }
    }
    on_rank_0(before, length);
    MPI_File file;
    MPI_Status status;
    MPI_Info info = some_hints();
    MPI_Datatype mine = tile_of(shapes + rank), spread = memory_type(gaps), three = memory_type(0);
    int count = (int)counts[rank];
    MPI_Offset offset = offsets[rank] * 3, now = -1;
    OK(MPI_File_open(MPI_COMM_WORLD, name, only_for_writing ? MPI_MODE_WRONLY : MPI_MODE_RDWR, info, &file));
    OK(MPI_File_set_view(file, shapes[rank].disp, MPI_BYTE, mine, "native", MPI_INFO_NULL));
    fill(data, (size_t)count * 5, seed + 1 + (uint64_t)rank);
    switch (way) {
    case 0:
        OK(MPI_File_write_at_all(file, offset, data, count, spread, &status));
        break;
    case 1:
        OK(MPI_File_seek(file, offset, MPI_SEEK_SET));
        OK(MPI_File_write_all(file, data, count, spread, &status));
        OK(MPI_File_get_position(file, &now));
        CHECK_EQ(now, offset + 3 * count);
        break;
    case 2:
        OK(MPI_File_write_at_all_begin(file, offset, data, count, spread));
        OK(MPI_File_write_at_all_end(file, data, &status));
        break;
    default:
        OK(MPI_File_seek(file, offset, MPI_SEEK_SET));
        OK(MPI_File_write_all_begin(file, data, count, spread));
        OK(MPI_File_write_all_end(file, data, &status));
    }
    check_count(&status, 3 * count);
    OK(MPI_File_sync(file));
    barrier();
    CHECK_EQ(load(after), end);
    CHECK_BYTES(after, wanted, (size_t)end);
    OK(MPI_File_close(&file));

    /* Of a file that ends in the middle of it. */
    barrier();
    long cut = end;
#ifdef RMASHM
    cut = below(2) ? end : below((unsigned)end + 1);
#endif
    on_rank_0(wanted, cut);
    OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY, info, &file));
    OK(MPI_File_set_view(file, shapes[rank].disp, MPI_BYTE, mine, "native", MPI_INFO_NULL));
    memset(back, 0xee, sizeof back);
    memset(expected, 0xee, sizeof expected);
    long there = 0;
    for (; there < 3 * count; there++) {
        long at = place(shapes + rank, offset + there);
        if (at >= cut)
            break;
        expected[gaps ? there / 3 * 5 + there % 3 : there] = wanted[at];
    }
    switch (way) {
    case 0:
        OK(MPI_File_read_at_all(file, offset, back, count, spread, &status));
        break;
    case 1:
        OK(MPI_File_seek(file, offset, MPI_SEEK_SET));
        OK(MPI_File_read_all(file, back, count, spread, &status));
        OK(MPI_File_get_position(file, &now));
        CHECK_EQ(now, offset + there);
        break;
    case 2:
        OK(MPI_File_read_at_all_begin(file, offset, back, count, spread));
        OK(MPI_File_read_at_all_end(file, back, &status));
        break;
    default:
        OK(MPI_File_seek(file, offset, MPI_SEEK_SET));
        OK(MPI_File_read_all_begin(file, back, count, spread));
        OK(MPI_File_read_all_end(file, back, &status));
    }
    check_count(&status, there);
    CHECK_BYTES(back, expected, sizeof back);
    OK(MPI_File_close(&file));
    OK(MPI_Type_free(&mine));
    OK(MPI_Type_free(&spread));
    OK(MPI_Type_free(&three));
    OK(MPI_Info_free(&info));
    barrier();
}

/* Ints of all processes in turn. */
static MPI_File in_turn(int mode, MPI_Info info, MPI_Datatype *tile)
{
    MPI_File file;
    OK(MPI_File_open(MPI_COMM_WORLD, name, mode | MPI_MODE_CREATE, info, &file));
    OK(MPI_Type_create_resized(MPI_INT, 0, 4 * (MPI_Aint)size, tile));
    OK(MPI_Type_commit(tile));
    OK(MPI_File_set_view(file, 4 * rank, MPI_INT, *tile, "native", MPI_INFO_NULL));
    return file;
}

#ifdef RMASHM
/* What the system has counted of this process's reads or writes: calls, or bytes. */
static long counted(const char *which)
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

/* Without a hint all go together: nobody reads what is all written, and few calls of the system move it. By one process alone, if the
 * hints say so. */
static void few_calls(int nodes)
{
    enum { N = 200000 };
    int *data = malloc(N * sizeof *data), *back = malloc(N * sizeof *back);
    long bytes = 4L * N * size;
    MPI_Datatype tile;
    MPI_Info info = hints("automatic", nodes, 1 << 20);
    MPI_File file = in_turn(MPI_MODE_WRONLY, info, &tile);
    fill(data, N * sizeof *data, 9 + (uint64_t)rank);
    long calls = counted("syscw:"), written = counted("wchar:");
    OK(MPI_File_write_all(file, data, N, MPI_INT, MPI_STATUS_IGNORE));
    calls = counted("syscw:") - calls;
    written = counted("wchar:") - written;
    CHECK(size == 1 || calls < N / 100);
    CHECK(size == 1 || nodes == 0 || (written >= bytes) == (rank == 0));
    OK(MPI_File_close(&file));
    OK(MPI_Type_free(&tile));
    barrier();
    file = in_turn(MPI_MODE_RDWR, info, &tile);
    long got = counted("rchar:");
    OK(MPI_File_read_all(file, back, N, MPI_INT, MPI_STATUS_IGNORE));
    got = counted("rchar:") - got;
    /* Alone each process would read all bytes. */
    CHECK(size == 1 || (nodes == 1 && rank == 0) || got < bytes * 3 / 4);
    CHECK_BYTES(back, data, N * sizeof *data);
    OK(MPI_File_close(&file));
    OK(MPI_Type_free(&tile));
    OK(MPI_Info_free(&info));
    barrier();
    free(data);
    free(back);
}

/* What one process does wrong is its own error; the others go on. */
static void one_is_wrong(void)
{
    enum { N = 30000 };
    static int data[N], back[N];
    MPI_Datatype tile;
    MPI_Info info = hints("enable", 0, 0);
    MPI_File file = in_turn(MPI_MODE_RDWR, info, &tile);
    for (int i = 0; i < N; i++)
        data[i] = rank * N + i;
    int wrong = rank == size - 1;
    int code = MPI_File_write_at_all(file, wrong ? -1 : 0, data, N, MPI_INT, MPI_STATUS_IGNORE);
    CHECK_CLASS(code, wrong ? MPI_ERR_ARG : MPI_SUCCESS);
    code = MPI_File_write_at_all(file, 0, data, N, wrong ? MPI_DATATYPE_NULL : MPI_INT, MPI_STATUS_IGNORE);
    CHECK_CLASS(code, wrong ? MPI_ERR_TYPE : MPI_SUCCESS);
    code = MPI_File_write_all_begin(file, data, wrong ? -5 : N, MPI_INT);
    CHECK_CLASS(code, wrong ? MPI_ERR_COUNT : MPI_SUCCESS);
    if (!wrong)
        OK(MPI_File_write_all_end(file, data, MPI_STATUS_IGNORE));
    OK(MPI_File_write_at_all(file, 0, data, N, MPI_INT, MPI_STATUS_IGNORE));
    OK(MPI_File_read_at_all(file, 0, back, N, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_BYTES(back, data, sizeof data);
    OK(MPI_File_close(&file));
    OK(MPI_Type_free(&tile));
    OK(MPI_Info_free(&info));
}

/* The system takes nothing more of one process: all fail alike, and can go on afterwards. */
static void full(void)
{
    enum { N = 300000 };
    int *data = calloc(N, sizeof *data), wrong = rank == size - 1;
    MPI_Datatype tile;
    struct rlimit was, less;
    MPI_Info info = hints("enable", 0, 1 << 18);
    MPI_File file = in_turn(MPI_MODE_RDWR, info, &tile);
    CHECK(getrlimit(RLIMIT_FSIZE, &was) == 0);
    less = was;
    less.rlim_cur = 2000000;
    signal(SIGXFSZ, SIG_IGN);
    CHECK(!wrong || setrlimit(RLIMIT_FSIZE, &less) == 0);
    int code = MPI_File_write_all(file, data, N, MPI_INT, MPI_STATUS_IGNORE);
    CHECK(!wrong || setrlimit(RLIMIT_FSIZE, &was) == 0);
    CHECK_CLASS(code, 4L * N * size > 2000000 ? MPI_ERR_NO_SPACE : MPI_SUCCESS);
    OK(MPI_File_write_at_all(file, 0, data, N, MPI_INT, MPI_STATUS_IGNORE));
    OK(MPI_File_close(&file));
    OK(MPI_Type_free(&tile));
    OK(MPI_Info_free(&info));
    free(data);
}
#endif

/* At the shared pointer, in the order of ranks. */
static void ordered(void)
{
    enum { N = 50000 };
    static int data[N], back[N];
    MPI_Datatype half;
    MPI_File file;
    MPI_Status status;
    MPI_Info info = hints("enable", 0, 65536);
    OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE, info, &file));
    OK(MPI_Type_create_resized(MPI_INT, 0, 8, &half));
    OK(MPI_Type_commit(&half));
    OK(MPI_File_set_view(file, 4, MPI_INT, half, "native", MPI_INFO_NULL));
    for (int i = 0; i < N; i++)
        data[i] = rank * N + i;
    OK(MPI_File_write_ordered(file, data, N, MPI_INT, &status));
    check_count(&status, 4 * N);
    OK(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    OK(MPI_File_read_ordered_begin(file, back, N, MPI_INT));
    OK(MPI_File_read_ordered_end(file, back, &status));
    check_count(&status, 4 * N);
    CHECK_BYTES(back, data, sizeof data);
    OK(MPI_File_close(&file));
    OK(MPI_Type_free(&half));
    OK(MPI_Info_free(&info));
}

#ifdef RMASHM
static void check_hint(MPI_File file, const char *key, const char *wanted)
{
    MPI_Info info;
    char value[100] = "";
    int found = 0, room = sizeof value;
    OK(MPI_File_get_info(file, &info));
    OK(MPI_Info_get_string(info, key, &room, value, &found));
    CHECK_EQ(found, wanted != NULL);
    if (wanted && strcmp(value, wanted) != 0)
        check_failed(__FILE__, __LINE__, "%s is %s, not %s", key, value, wanted);
    OK(MPI_Info_free(&info));
}

/* What is honoured is told, what is not is not. What must be the same everywhere is rank 0's. */
static void told(void)
{
    MPI_File file;
    MPI_Info info = hints(rank == 0 ? "enable" : "disable", 1, 1 << 20);
    OK(MPI_Info_set(info, "file_perm", "600"));
    OK(MPI_Info_set(info, "striping_unit", "65536"));
    OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE, info, &file));
    check_hint(file, "romio_cb_write", "enable");
    check_hint(file, "cb_nodes", "1");
    check_hint(file, "cb_buffer_size", "1048576");
    check_hint(file, "file_perm", "600");
    check_hint(file, "striping_unit", NULL);
    check_hint(file, "access_style", NULL);
    OK(MPI_Info_set(info, "collective_buffering", "false"));
    OK(MPI_Info_set(info, "access_style", "random,write_mostly"));
    OK(MPI_Info_set(info, "romio_ds_write", "disable"));
    OK(MPI_Info_delete(info, "romio_cb_read"));
    OK(MPI_Info_delete(info, "romio_cb_write"));
    OK(MPI_File_set_info(file, info));
    check_hint(file, "collective_buffering", "false");
    check_hint(file, "romio_cb_read", "disable");
    check_hint(file, "access_style", "random");
    check_hint(file, "romio_ds_write", "disable");
    check_hint(file, "romio_ds_read", "automatic");
    CHECK_CLASS(MPI_File_set_info(file, rank == 0 ? MPI_INFO_NULL : info), MPI_SUCCESS);
    OK(MPI_File_close(&file));
    OK(MPI_Info_free(&info));
    if (rank == 0) {
        struct stat about;
        CHECK(stat(name, &about) == 0);
        CHECK_EQ(about.st_mode & 0777, 0600);
    }
}
#endif

static void removed(void)
{
    barrier();
    if (rank == 0)
        unlink(name);
    barrier();
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    snprintf(name, sizeof name, "/tmp/rmashm-two-phase-%d", (int)getpid());
    OK(MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD));
    for (int i = 0; i < 60; i++)
        any_views();
    removed();
    ordered();
    removed();
#ifdef RMASHM
    few_calls(0);
    removed();
    few_calls(1);
    removed();
    one_is_wrong();
    removed();
    full();
    removed();
    told();
    removed();
#endif
    return check_end();
}
