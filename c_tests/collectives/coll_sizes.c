/* ranks: 1 2 3 8 32; mpich: skip it refuses predefined operations on derived datatypes, and has other variables */
/* Allreduce, allgather and alltoall of all sizes, from none on, around the limits between their ways; sizes and operations
 * take turns on one communicator. Communicators that have done them leave nothing behind. */
#include "check.h"

enum { MOST = 33000, LIMIT = 100 };

static const int counts[] = {0, 1, 2, 27, 28, 29, 32, 33, 127, 128, 129, 511, 512, 513, 1023, 1024, 1025, 2047, 2048, 2049,
                             4096, 4097, 32768, 32769, MOST};
enum { COUNTS = sizeof counts / sizeof *counts };

/* What process `from` gives process `to` as number `i`. */
static int value(int from, int to, int i)
{
    return from * 100003 + to * 1009 + i * 7;
}

/* Sums, and spoils its input, as it must not but may have been written to. */
static void sum_and_spoil(void *in, void *inout, int *length, MPI_Datatype *type)
{
    int *from = in, *to = inout;
    (void)type;
    for (int i = 0; i < *length; i++) {
        to[i] += from[i];
        from[i] = -1;
    }
}

/* With the last element behind, which nobody may write to. */
static int *ints(int n)
{
    int *room = malloc((n + 1) * sizeof *room);
    CHECK(room != NULL);
    room[n] = 4711;
    return room;
}

static void release(int *room, int n)
{
    CHECK_EQ(room[n], 4711);
    free(room);
}

static void allreduce(MPI_Comm comm, int n, MPI_Op op, int in_place)
{
    int *in = ints(n), *out = ints(n);
    for (int i = 0; i < n; i++)
        in[i] = out[i] = value(rank, 0, i);
    OK(MPI_Allreduce(in_place ? MPI_IN_PLACE : in, out, n, MPI_INT, op, comm));
    for (int i = 0; i < n; i++) {
        CHECK_EQ(in[i], value(rank, 0, i));
        CHECK_EQ(out[i], size * (i * 7) + 100003 * (size * (size - 1) / 2));
    }
    release(in, n);
    release(out, n);
}

/* Every second int takes part. */
static void allreduce_with_gaps(MPI_Comm comm, int n)
{
    MPI_Datatype every_second;
    int *in = ints(2 * n), *out = ints(2 * n);
    OK(MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &every_second));
    OK(MPI_Type_commit(&every_second));
    for (int i = 0; i < 2 * n; i++) {
        in[i] = i % 2 == 0 ? value(rank, 0, i) : -5;
        out[i] = -6;
    }
    OK(MPI_Allreduce(in, out, n, every_second, MPI_MAX, comm));
    for (int i = 0; i < 2 * n; i++)
        CHECK_EQ(out[i], i % 2 == 0 ? value(size - 1, 0, i) : -6);
    OK(MPI_Type_free(&every_second));
    release(in, 2 * n);
    release(out, 2 * n);
}

static void allgather(MPI_Comm comm, int n, int in_place)
{
    int *mine = ints(n), *all = ints(n * size);
    for (int i = 0; i < n; i++)
        mine[i] = all[rank * n + i] = value(rank, 0, i);
    if (in_place)
        OK(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, n, MPI_INT, comm));
    else
        OK(MPI_Allgather(mine, n, MPI_INT, all, n, MPI_INT, comm));
    for (int r = 0; r < size; r++)
        for (int i = 0; i < n; i++)
            CHECK_EQ(all[r * n + i], value(r, 0, i));
    release(mine, n);
    release(all, n * size);
}

static void alltoall(MPI_Comm comm, int n, int in_place)
{
    int *mine = ints(n * size), *all = ints(n * size);
    for (int r = 0; r < size; r++)
        for (int i = 0; i < n; i++)
            mine[r * n + i] = all[r * n + i] = value(rank, r, i);
    if (in_place)
        OK(MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, n, MPI_INT, comm));
    else
        OK(MPI_Alltoall(mine, n, MPI_INT, all, n, MPI_INT, comm));
    for (int r = 0; r < size; r++)
        for (int i = 0; i < n; i++)
            CHECK_EQ(all[r * n + i], value(r, rank, i));
    release(mine, n * size);
    release(all, n * size);
}

/* No element, and no memory for any. */
static void nothing(MPI_Comm comm)
{
    OK(MPI_Allreduce(NULL, NULL, 0, MPI_DOUBLE, MPI_SUM, comm));
    OK(MPI_Allgather(NULL, 0, MPI_INT, NULL, 0, MPI_INT, comm));
    OK(MPI_Alltoall(NULL, 0, MPI_INT, NULL, 0, MPI_INT, comm));
}

/* Bytes of shared memory that this process has allocated. */
static long long in_use(void)
{
    static MPI_T_pvar_session session;
    static MPI_T_pvar_handle handle;
    static int index = -1;
    unsigned long long bytes = 0;
    int level = 0, count = 0;
    if (index < 0) {
        OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &level));
        OK(MPI_T_pvar_get_index("rmashm_memory_in_use", MPI_T_PVAR_CLASS_LEVEL, &index));
        OK(MPI_T_pvar_session_create(&session));
        OK(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count));
    }
    OK(MPI_T_pvar_read(session, handle, &bytes));
    return (long long)bytes;
}

static void come_and_go(void)
{
    long long before = 0;
    for (int i = 0; i < LIMIT; i++) {
        MPI_Comm dup;
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
        allreduce(dup, 1 + i * 10, MPI_SUM, 0);
        OK(MPI_Comm_free(&dup));
        /* Memory is given back when the last has left, and the next allocation looks: that of the last few may not be yet. */
        if (i == LIMIT / 2)
            before = in_use();
    }
    barrier();
    if (before > 0)
        CHECK(in_use() <= before + (32 << 20));
}

int main(int argc, char **argv)
{
    MPI_Comm dup;
    MPI_Op spoiling;
    check_start(&argc, &argv);
    OK(MPI_Op_create(sum_and_spoil, 1, &spoiling));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    nothing(dup);
    for (int k = 0; k < COUNTS; k++) {
        int n = counts[k], other = counts[(k * 5 + 3) % COUNTS];
        MPI_Comm comm = k % 3 == 0 ? MPI_COMM_WORLD : dup;
        allreduce(comm, n, MPI_SUM, 0);
        allgather(comm, n, k % 2);
        allreduce(comm, other, spoiling, 1);
        if (n <= 4097)
            alltoall(comm, n, 0);
        allreduce_with_gaps(comm, n);
        if (n <= 513)
            alltoall(comm, n, 1);
    }
    nothing(MPI_COMM_WORLD);
    OK(MPI_Op_free(&spoiling));
    OK(MPI_Comm_free(&dup));
    come_and_go();
    return check_end();
}
