/* ranks: 1 2 5; mpich: skip some of these are not in 4.0 */
/* The forms with counts of type MPI_Count: they do the same as those with int, and refuse the same. */
#include "check.h"

enum { N = 5, MOST = 16 };

static int left, right;
static MPI_Count counts[MOST];
static MPI_Aint places[MOST];
static MPI_Datatype types[MOST];

static void clear(int *numbers, int length)
{
    for (int i = 0; i < length; i++)
        numbers[i] = -1;
}

static int datum(int from, int to, int i)
{
    return 10000 * from + 100 * to + i;
}

/* What comes from the left is there. */
static void came(const int *in, const MPI_Status *status)
{
    MPI_Count bytes = -1, elements = -1;
    for (int i = 0; i < N; i++)
        CHECK_EQ(in[i], datum(left, rank, i));
    if (status) {
        OK(MPI_Get_count_c(status, MPI_INT, &bytes));
        OK(MPI_Get_elements_c(status, MPI_INT, &elements));
        CHECK_EQ(bytes, N);
        CHECK_EQ(elements, N);
    }
}

static void messages(void)
{
    typedef int (*sender)(const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm);
    typedef int (*starter)(const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
    static const sender senders[] = { MPI_Send_c, MPI_Ssend_c, MPI_Rsend_c, MPI_Bsend_c };
    static const starter starters[] = { MPI_Isend_c, MPI_Issend_c, MPI_Irsend_c, MPI_Ibsend_c };
    static const starter makers[] = { MPI_Send_init_c, MPI_Ssend_init_c, MPI_Rsend_init_c, MPI_Bsend_init_c };
    int out[N], in[N];
    char buffer[4096];
    void *detached;
    MPI_Count room = -1;
    MPI_Request requests[2];
    MPI_Status status, statuses[2];
    MPI_Message message;
    for (int i = 0; i < N; i++)
        out[i] = datum(rank, right, i);
    OK(MPI_Buffer_attach_c(buffer, sizeof buffer));
    for (int mode = 0; mode < 4; mode++) {
        clear(in, N);
        OK(MPI_Irecv_c(in, N, MPI_INT, left, mode, MPI_COMM_WORLD, &requests[0]));
        barrier();
        OK(senders[mode](out, N, MPI_INT, right, mode, MPI_COMM_WORLD));
        OK(MPI_Wait(&requests[0], &status));
        came(in, &status);

        clear(in, N);
        OK(MPI_Recv_init_c(in, N, MPI_INT, left, mode, MPI_COMM_WORLD, &requests[0]));
        OK(makers[mode](out, N, MPI_INT, right, mode, MPI_COMM_WORLD, &requests[1]));
        OK(MPI_Start(&requests[0]));
        barrier();
        OK(MPI_Start(&requests[1]));
        OK(MPI_Waitall(2, requests, statuses));
        came(in, &statuses[0]);
        OK(MPI_Request_free(&requests[0]));
        OK(MPI_Request_free(&requests[1]));

        clear(in, N);
        if (mode == 2) {
            OK(MPI_Irecv_c(in, N, MPI_INT, left, mode, MPI_COMM_WORLD, &requests[0]));
            barrier();
        }
        OK(starters[mode](out, N, MPI_INT, right, mode, MPI_COMM_WORLD, &requests[1]));
        if (mode == 0) {
            OK(MPI_Recv_c(in, N, MPI_INT, left, mode, MPI_COMM_WORLD, &status));
        } else if (mode == 2) {
            OK(MPI_Wait(&requests[0], &status));
        } else {
            OK(MPI_Mprobe(left, mode, MPI_COMM_WORLD, &message, &status));
            if (mode == 1) {
                OK(MPI_Mrecv_c(in, N, MPI_INT, &message, &status));
            } else {
                OK(MPI_Imrecv_c(in, N, MPI_INT, &message, &requests[0]));
                OK(MPI_Wait(&requests[0], &status));
            }
        }
        OK(MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
        came(in, &status);
    }
    OK(MPI_Buffer_detach_c(&detached, &room));
    CHECK(detached == buffer && room == sizeof buffer);

    clear(in, N);
    OK(MPI_Sendrecv_c(out, N, MPI_INT, right, 1, in, N, MPI_INT, left, 1, MPI_COMM_WORLD, &status));
    came(in, &status);
    memcpy(in, out, sizeof in);
    OK(MPI_Sendrecv_replace_c(in, N, MPI_INT, right, 1, left, 1, MPI_COMM_WORLD, &status));
    came(in, &status);
    memcpy(in, out, sizeof in);
    OK(MPI_Isendrecv_replace_c(in, N, MPI_INT, right, 1, left, 1, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Wait(&requests[0], &status));
    came(in, &status);
    OK(MPI_Status_set_elements_c(&status, MPI_INT, (MPI_Count)3 << 30));
    OK(MPI_Get_count_c(&status, MPI_INT, &room));
    CHECK_EQ(room, (MPI_Count)3 << 30);
    int small = 0;
    OK(MPI_Get_count(&status, MPI_INT, &small));
    CHECK_EQ(small, MPI_UNDEFINED);
}

static int out[MOST * N], in[MOST * N];

static void fill_out(void)
{
    for (int to = 0; to < size; to++)
        for (int i = 0; i < N; i++)
            out[to * N + i] = datum(rank, to, i);
    clear(in, MOST * N);
}

/* From every process what it has for process `to`. */
static void from_all(int to)
{
    for (int from = 0; from < size; from++)
        for (int i = 0; i < N; i++)
            CHECK_EQ(in[from * N + i], datum(from, to, i));
}

/* The same blocking, or as a request, as `way` says. */
#define RUN(blocking, nonblocking)                                                    \
    do {                                                                              \
        fill_out();                                                                   \
        if (way == 0) {                                                               \
            OK(blocking);                                                             \
        } else {                                                                      \
            OK(nonblocking);                                                          \
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));                                \
        }                                                                             \
    } while (0)

static void moving(int way)
{
    int root = size / 2;
    MPI_Request request;
    RUN(MPI_Bcast_c(out, N, MPI_INT, root, MPI_COMM_WORLD), MPI_Ibcast_c(out, N, MPI_INT, root, MPI_COMM_WORLD, &request));
    for (int i = 0; i < N; i++)
        CHECK_EQ(out[i], datum(root, 0, i));
    RUN(MPI_Gather_c(out, N, MPI_INT, in, N, MPI_INT, root, MPI_COMM_WORLD),
        MPI_Igather_c(out, N, MPI_INT, in, N, MPI_INT, root, MPI_COMM_WORLD, &request));
    if (rank == root)
        from_all(0);
    RUN(MPI_Gatherv_c(out, N, MPI_INT, in, counts, places, MPI_INT, root, MPI_COMM_WORLD),
        MPI_Igatherv_c(out, N, MPI_INT, in, counts, places, MPI_INT, root, MPI_COMM_WORLD, &request));
    if (rank == root)
        from_all(0);
    RUN(MPI_Scatter_c(out, N, MPI_INT, in, N, MPI_INT, root, MPI_COMM_WORLD),
        MPI_Iscatter_c(out, N, MPI_INT, in, N, MPI_INT, root, MPI_COMM_WORLD, &request));
    for (int i = 0; i < N; i++)
        CHECK_EQ(in[i], datum(root, rank, i));
    RUN(MPI_Scatterv_c(out, counts, places, MPI_INT, in, N, MPI_INT, root, MPI_COMM_WORLD),
        MPI_Iscatterv_c(out, counts, places, MPI_INT, in, N, MPI_INT, root, MPI_COMM_WORLD, &request));
    for (int i = 0; i < N; i++)
        CHECK_EQ(in[i], datum(root, rank, i));
    RUN(MPI_Allgather_c(out, N, MPI_INT, in, N, MPI_INT, MPI_COMM_WORLD),
        MPI_Iallgather_c(out, N, MPI_INT, in, N, MPI_INT, MPI_COMM_WORLD, &request));
    from_all(0);
    RUN(MPI_Allgatherv_c(out, N, MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD),
        MPI_Iallgatherv_c(out, N, MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD, &request));
    from_all(0);
    RUN(MPI_Alltoall_c(out, N, MPI_INT, in, N, MPI_INT, MPI_COMM_WORLD),
        MPI_Ialltoall_c(out, N, MPI_INT, in, N, MPI_INT, MPI_COMM_WORLD, &request));
    from_all(rank);
    RUN(MPI_Alltoallv_c(out, counts, places, MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD),
        MPI_Ialltoallv_c(out, counts, places, MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD, &request));
    from_all(rank);
    MPI_Aint bytes[MOST];
    for (int i = 0; i < size; i++)
        bytes[i] = places[i] * (MPI_Aint)sizeof(int);
    RUN(MPI_Alltoallw_c(out, counts, bytes, types, in, counts, bytes, types, MPI_COMM_WORLD),
        MPI_Ialltoallw_c(out, counts, bytes, types, in, counts, bytes, types, MPI_COMM_WORLD, &request));
    from_all(rank);
}

/* The sum over the processes below `end` of element `at` of what they have. */
static int sum(int end, int at)
{
    int all = 0;
    for (int from = 0; from < end; from++)
        all += datum(from, at / N, at % N);
    return all;
}

static void reducing(int way)
{
    int root = size / 2, all = size * N;
    MPI_Request request;
    RUN(MPI_Reduce_c(out, in, all, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD),
        MPI_Ireduce_c(out, in, all, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD, &request));
    for (int i = 0; i < all; i++)
        CHECK_EQ(in[i], rank == root ? sum(size, i) : -1);
    RUN(MPI_Allreduce_c(out, in, all, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
        MPI_Iallreduce_c(out, in, all, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request));
    for (int i = 0; i < all; i++)
        CHECK_EQ(in[i], sum(size, i));
    RUN(MPI_Scan_c(out, in, all, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
        MPI_Iscan_c(out, in, all, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request));
    for (int i = 0; i < all; i++)
        CHECK_EQ(in[i], sum(rank + 1, i));
    RUN(MPI_Exscan_c(out, in, all, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
        MPI_Iexscan_c(out, in, all, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request));
    for (int i = 0; rank > 0 && i < all; i++)
        CHECK_EQ(in[i], sum(rank, i));
    RUN(MPI_Reduce_scatter_block_c(out, in, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
        MPI_Ireduce_scatter_block_c(out, in, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request));
    for (int i = 0; i < N; i++)
        CHECK_EQ(in[i], sum(size, rank * N + i));
    RUN(MPI_Reduce_scatter_c(out, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
        MPI_Ireduce_scatter_c(out, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request));
    for (int i = 0; i < N; i++)
        CHECK_EQ(in[i], sum(size, rank * N + i));
}

/* On a ring, where the neighbours are the left and the right one. */
static void neighbours(int way)
{
    MPI_Comm ring;
    MPI_Request request;
    int periodic = 1, next[2];
    MPI_Aint bytes[2] = { 0, N * sizeof(int) };
    OK(MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring));
    OK(MPI_Cart_shift(ring, 0, 1, &next[0], &next[1]));
    /* The message to the right arrives as the one from the left. */
#define FROM_BOTH(each)                                                               \
    for (int i = 0; i < 2 * N; i++)                                                   \
    CHECK_EQ(in[i], datum(next[i / N], each ? 1 - i / N : 0, i % N))
    RUN(MPI_Neighbor_allgather_c(out, N, MPI_INT, in, N, MPI_INT, ring),
        MPI_Ineighbor_allgather_c(out, N, MPI_INT, in, N, MPI_INT, ring, &request));
    FROM_BOTH(0);
    RUN(MPI_Neighbor_allgatherv_c(out, N, MPI_INT, in, counts, places, MPI_INT, ring),
        MPI_Ineighbor_allgatherv_c(out, N, MPI_INT, in, counts, places, MPI_INT, ring, &request));
    FROM_BOTH(0);
    if (size > 1) {
        RUN(MPI_Neighbor_alltoall_c(out, N, MPI_INT, in, N, MPI_INT, ring),
            MPI_Ineighbor_alltoall_c(out, N, MPI_INT, in, N, MPI_INT, ring, &request));
        FROM_BOTH(1);
        RUN(MPI_Neighbor_alltoallv_c(out, counts, places, MPI_INT, in, counts, places, MPI_INT, ring),
            MPI_Ineighbor_alltoallv_c(out, counts, places, MPI_INT, in, counts, places, MPI_INT, ring, &request));
        FROM_BOTH(1);
        RUN(MPI_Neighbor_alltoallw_c(out, counts, bytes, types, in, counts, bytes, types, ring),
            MPI_Ineighbor_alltoallw_c(out, counts, bytes, types, in, counts, bytes, types, ring, &request));
        FROM_BOTH(1);
    }
    OK(MPI_Comm_free(&ring));
}

/* What two datatypes pick out of the same numbers is the same. */
static void same(MPI_Datatype large, MPI_Datatype small)
{
    int numbers[64], one[64], other[64], position = 0;
    MPI_Count size_large = -1, size_small = -1, at = 0, lower, extent, true_lower, true_extent;
    MPI_Aint lower_small, extent_small;
    for (int i = 0; i < 64; i++)
        numbers[i] = i;
    clear(one, 64);
    clear(other, 64);
    OK(MPI_Type_commit(&large));
    OK(MPI_Type_commit(&small));
    OK(MPI_Type_size_c(large, &size_large));
    OK(MPI_Type_size_c(small, &size_small));
    CHECK(size_large == size_small && size_large > 0);
    OK(MPI_Type_get_extent_c(large, &lower, &extent));
    OK(MPI_Type_get_extent(small, &lower_small, &extent_small));
    CHECK(lower == lower_small && extent == extent_small);
    OK(MPI_Type_get_true_extent_c(large, &true_lower, &true_extent));
    OK(MPI_Type_get_true_extent(small, &lower_small, &extent_small));
    CHECK(true_lower == lower_small && true_extent == extent_small);
    OK(MPI_Pack_c(numbers, 1, large, one, sizeof one, &at, MPI_COMM_WORLD));
    OK(MPI_Pack(numbers, 1, small, other, sizeof other, &position, MPI_COMM_WORLD));
    CHECK(at == position);
    CHECK_BYTES(one, other, sizeof one);
    MPI_Count bound = 0;
    OK(MPI_Pack_size_c(1, large, MPI_COMM_WORLD, &bound));
    CHECK(bound >= size_large);
    /* And back. */
    int back[64];
    clear(back, 64);
    clear(other, 64);
    at = 0;
    OK(MPI_Unpack_c(one, sizeof one, &at, back, 1, large, MPI_COMM_WORLD));
    position = 0;
    OK(MPI_Unpack(one, sizeof one, &position, other, 1, small, MPI_COMM_WORLD));
    CHECK_BYTES(back, other, sizeof back);
    /* In the portable representation, too. */
    MPI_Count external = -1;
    char portable[512];
    OK(MPI_Pack_external_size_c("external32", 1, large, &external));
    CHECK_EQ(external, size_large);
    at = 0;
    OK(MPI_Pack_external_c("external32", numbers, 1, large, portable, sizeof portable, &at));
    CHECK_EQ(at, external);
    clear(back, 64);
    at = 0;
    OK(MPI_Unpack_external_c("external32", portable, external, &at, back, 1, large));
    CHECK_BYTES(back, other, sizeof back);
    OK(MPI_Type_free(&large));
    OK(MPI_Type_free(&small));
}

static void datatypes(void)
{
    static const MPI_Count lengths[3] = { 2, 0, 3 }, at[3] = { 1, 9, 5 }, bytes[3] = { 4, 36, 20 };
    static const MPI_Count sizes[2] = { 4, 6 }, part[2] = { 2, 3 }, from[2] = { 1, 2 };
    static const int lengths_i[3] = { 2, 0, 3 }, at_i[3] = { 1, 9, 5 };
    static const MPI_Aint bytes_a[3] = { 4, 36, 20 };
    static const int sizes_i[2] = { 4, 6 }, part_i[2] = { 2, 3 }, from_i[2] = { 1, 2 };
    static const int distributions[2] = { MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK };
    static const int arguments[2] = { MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG }, grid[2] = { 2, 1 };
    const MPI_Datatype ints[3] = { MPI_INT, MPI_CHAR, MPI_INT };
    MPI_Datatype a, b;
    OK(MPI_Type_contiguous_c(7, MPI_INT, &a));
    OK(MPI_Type_contiguous(7, MPI_INT, &b));
    same(a, b);
    OK(MPI_Type_vector_c(3, 2, 5, MPI_INT, &a));
    OK(MPI_Type_vector(3, 2, 5, MPI_INT, &b));
    same(a, b);
    OK(MPI_Type_create_hvector_c(3, 2, 24, MPI_INT, &a));
    OK(MPI_Type_create_hvector(3, 2, 24, MPI_INT, &b));
    same(a, b);
    OK(MPI_Type_indexed_c(3, lengths, at, MPI_INT, &a));
    OK(MPI_Type_indexed(3, lengths_i, at_i, MPI_INT, &b));
    same(a, b);
    OK(MPI_Type_create_hindexed_c(3, lengths, bytes, MPI_INT, &a));
    OK(MPI_Type_create_hindexed(3, lengths_i, bytes_a, MPI_INT, &b));
    same(a, b);
    OK(MPI_Type_create_indexed_block_c(3, 2, at, MPI_INT, &a));
    OK(MPI_Type_create_indexed_block(3, 2, at_i, MPI_INT, &b));
    same(a, b);
    OK(MPI_Type_create_hindexed_block_c(3, 2, bytes, MPI_INT, &a));
    OK(MPI_Type_create_hindexed_block(3, 2, bytes_a, MPI_INT, &b));
    same(a, b);
    OK(MPI_Type_create_struct_c(3, lengths, bytes, ints, &a));
    OK(MPI_Type_create_struct(3, lengths_i, bytes_a, ints, &b));
    same(a, b);
    OK(MPI_Type_create_resized_c(MPI_INT, -4, 16, &a));
    OK(MPI_Type_create_resized(MPI_INT, -4, 16, &b));
    same(a, b);
    OK(MPI_Type_create_subarray_c(2, sizes, part, from, MPI_ORDER_C, MPI_INT, &a));
    OK(MPI_Type_create_subarray(2, sizes_i, part_i, from_i, MPI_ORDER_C, MPI_INT, &b));
    same(a, b);
    OK(MPI_Type_create_darray_c(2, 1, 2, sizes, distributions, arguments, grid, MPI_ORDER_FORTRAN, MPI_INT, &a));
    OK(MPI_Type_create_darray(2, 1, 2, sizes_i, distributions, arguments, grid, MPI_ORDER_FORTRAN, MPI_INT, &b));
    same(a, b);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    for (int i = 0; i < MOST; i++) {
        counts[i] = N;
        places[i] = i * N;
        types[i] = MPI_INT;
    }
    messages();
    for (int way = 0; way < 2; way++) {
        moving(way);
        reducing(way);
        neighbours(way);
    }
    datatypes();
    return check_end();
}
