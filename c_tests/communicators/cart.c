/* ranks: 1 2 3 4 6 8; wrong: what all have to give alike is not, on purpose */
/* Cartesian topologies: making, asking, shifting, parting; a grid smaller than the communicator; errors. */
#include "check.h"

/* A model of a grid, in row-major order. */
static int model_rank(int ndims, const int *dims, const int *periods, const int *coords)
{
    int result = 0;
    for (int i = 0; i < ndims; i++) {
        int c = coords[i];
        if (periods[i])
            c = ((c % dims[i]) + dims[i]) % dims[i];
        else if (c < 0 || c >= dims[i])
            return MPI_PROC_NULL;
        result = result * dims[i] + c;
    }
    return result;
}

static void model_coords(int ndims, const int *dims, int of, int *coords)
{
    for (int i = ndims - 1; i >= 0; i--) {
        coords[i] = of % dims[i];
        of /= dims[i];
    }
}

static void is_grid(MPI_Comm comm, int ndims, const int *dims, const int *periods)
{
    int status = -1, n = -1, places = 1, me = -1, all = -1;
    int got_dims[5], got_periods[5], got_coords[5], coords[5];
    OK(MPI_Topo_test(comm, &status));
    CHECK_EQ(status, MPI_CART);
    OK(MPI_Cartdim_get(comm, &n));
    CHECK_EQ(n, ndims);
    OK(MPI_Comm_rank(comm, &me));
    OK(MPI_Comm_size(comm, &all));
    /* More room than needed: the rest stays. */
    for (int i = 0; i < 5; i++)
        got_dims[i] = got_periods[i] = got_coords[i] = -77;
    OK(MPI_Cart_get(comm, 5, got_dims, got_periods, got_coords));
    model_coords(ndims, dims, me, coords);
    for (int i = 0; i < ndims; i++) {
        places *= dims[i];
        CHECK_EQ(got_dims[i], dims[i]);
        CHECK_EQ(!!got_periods[i], !!periods[i]);
        CHECK_EQ(got_coords[i], coords[i]);
    }
    CHECK_EQ(got_coords[ndims], -77);
    CHECK_EQ(all, places);

    for (int r = 0; r < places; r++) {
        int back = -1;
        model_coords(ndims, dims, r, coords);
        OK(MPI_Cart_coords(comm, r, ndims, got_coords));
        CHECK_BYTES(got_coords, coords, sizeof(int) * (size_t)ndims);
        for (int i = 0; i < ndims; i++)
            if (periods[i])
                coords[i] -= 3 * dims[i];
        OK(MPI_Cart_rank(comm, coords, &back));
        CHECK_EQ(back, r);
    }
    for (int direction = 0; direction < ndims; direction++) {
        for (int disp = -5; disp <= 5; disp++) {
            int source = -9, dest = -9;
            OK(MPI_Cart_shift(comm, direction, disp, &source, &dest));
            model_coords(ndims, dims, me, coords);
            coords[direction] += disp;
            CHECK_EQ(dest, model_rank(ndims, dims, periods, coords));
            coords[direction] -= 2 * disp;
            CHECK_EQ(source, model_rank(ndims, dims, periods, coords));
        }
    }
}

static void grids(void)
{
    int shapes[][4] = {{1, 1, 1, 1}, {2, 1, 1, 1}, {1, 3, 1, 1}, {2, 2, 1, 1}, {1, 2, 3, 1}, {2, 2, 2, 1},
                       {4, 2, 1, 1}, {7, 1, 1, 1}, {8, 1, 1, 1}, {1, 1, 2, 3}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        for (int ndims = 0; ndims <= 4; ndims++) {
            int places = 1;
            for (int i = 0; i < ndims; i++)
                places *= shapes[s][i];
            if (places > size)
                continue;
            for (int mask = 0; mask < 1 << ndims; mask += 1 + mask) {
                MPI_Comm comm = MPI_COMM_WORLD;
                int periods[4], mapped = -9;
                for (int i = 0; i < 4; i++)
                    periods[i] = mask >> i & 1 ? 3 : 0;
                OK(MPI_Cart_map(MPI_COMM_WORLD, ndims, shapes[s], periods, &mapped));
                CHECK_EQ(mapped, rank < places ? rank : MPI_UNDEFINED);
                OK(MPI_Cart_create(MPI_COMM_WORLD, ndims, shapes[s], periods, mask & 1, &comm));
                /* Which ranks are in the grid is not said; how many are, is. */
                int in = comm != MPI_COMM_NULL, all = 0;
                OK(MPI_Allreduce(&in, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
                CHECK_EQ(all, places);
                if (in) {
                    is_grid(comm, ndims, shapes[s], periods);
                    OK(MPI_Comm_free(&comm));
                }
            }
        }
    }
}

/* All parts of a grid of three dimensions. */
static void sub(void)
{
    int dims[3] = {0, 0, 0}, periods[3] = {1, 0, 1}, coords[3];
    MPI_Comm comm;
    int me;
    OK(MPI_Dims_create(size, 3, dims));
    OK(MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &comm));
    OK(MPI_Comm_rank(comm, &me));
    OK(MPI_Cart_coords(comm, me, 3, coords));
    for (int mask = 0; mask < 8; mask++) {
        int remain[3], part_dims[3], part_periods[3], n = 0, part_rank = -1, wanted = 0, sum = -1, model = 0;
        MPI_Comm part, again;
        for (int i = 0; i < 3; i++) {
            remain[i] = mask >> i & 1 ? 5 : 0;
            if (remain[i]) {
                part_dims[n] = dims[i];
                part_periods[n++] = periods[i];
                wanted = wanted * dims[i] + coords[i];
            }
        }
        OK(MPI_Cart_sub(comm, remain, &part));
        CHECK(part != MPI_COMM_NULL);
        is_grid(part, n, part_dims, part_periods);
        OK(MPI_Comm_rank(part, &part_rank));
        CHECK_EQ(part_rank, wanted);
        /* It is these processes that are in it. */
        OK(MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, part));
        for (int r = 0; r < size; r++) {
            int other[3], same = 1;
            model_coords(3, dims, r, other);
            for (int i = 0; i < 3; i++)
                same = same && (remain[i] || other[i] == coords[i]);
            model += same ? r : 0;
        }
        CHECK_EQ(sum, model);
        /* A part without dimensions can be parted, too. */
        if (n == 0) {
            OK(MPI_Cart_sub(part, remain, &again));
            is_grid(again, 0, NULL, NULL);
            OK(MPI_Comm_free(&again));
        }
        OK(MPI_Comm_free(&part));
    }
    OK(MPI_Comm_free(&comm));
}

/* Duplicates keep it; nothing else does. */
static void kept(void)
{
    int dims[2] = {0, 0}, periods[2] = {0, 1}, status = -1;
    MPI_Comm comm, other;
    MPI_Group group;
    OK(MPI_Dims_create(size, 2, dims));
    OK(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm));
    OK(MPI_Topo_test(MPI_COMM_WORLD, &status));
    CHECK_EQ(status, MPI_UNDEFINED);
    OK(MPI_Comm_dup(comm, &other));
    is_grid(other, 2, dims, periods);
    OK(MPI_Comm_free(&other));
    OK(MPI_Comm_dup_with_info(comm, MPI_INFO_NULL, &other));
    OK(MPI_Comm_free(&comm));
    is_grid(other, 2, dims, periods);
    OK(MPI_Comm_split(other, 0, 0, &comm));
    OK(MPI_Topo_test(comm, &status));
    CHECK_EQ(status, MPI_UNDEFINED);
    OK(MPI_Comm_free(&comm));
    OK(MPI_Comm_group(other, &group));
    OK(MPI_Comm_create(other, group, &comm));
    OK(MPI_Topo_test(comm, &status));
    CHECK_EQ(status, MPI_UNDEFINED);
    OK(MPI_Group_free(&group));
    OK(MPI_Comm_free(&comm));
    OK(MPI_Comm_free(&other));
}

static void errors(void)
{
    int dims[2] = {size, 1}, periods[2] = {0, 0}, a = -1, b = -1, c[3] = {0, 0, 0};
    MPI_Comm comm, none, new = MPI_COMM_WORLD;
    OK(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm));
    OK(MPI_Cart_create(MPI_COMM_SELF, 0, NULL, NULL, 0, &none));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(none, MPI_ERRORS_RETURN));

    /* A grid without dimensions. */
    is_grid(none, 0, NULL, NULL);
    OK(MPI_Cart_get(none, 0, NULL, NULL, NULL));
    OK(MPI_Cart_coords(none, 0, 0, NULL));
    OK(MPI_Cart_rank(none, NULL, &a));
    CHECK_EQ(a, 0);

    CHECK_CLASS(MPI_Cart_create(MPI_COMM_NULL, 2, dims, periods, 0, &new), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Topo_test(MPI_COMM_NULL, &a), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Cart_sub(MPI_COMM_NULL, c, &new), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Cart_create(MPI_COMM_WORLD, -1, dims, periods, 0, &new), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Cart_create(MPI_COMM_WORLD, 2, NULL, periods, 0, &new), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, NULL, 0, &new), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Cart_rank(comm, NULL, &a), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Cart_shift(comm, 0, 1, NULL, &b), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Topo_test(comm, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Cart_coords(comm, size, 2, c), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Cart_coords(comm, -1, 2, c), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Cart_coords(comm, 0, -1, c), MPI_ERR_ARG);
#ifdef RMASHM
    int bad[3] = {1, 0, 1};
    int big[2] = {size, 2}, huge[3] = {1 << 30, 1 << 30, 1 << 30};
    CHECK_SENTENCE(MPI_Cart_create(MPI_COMM_WORLD, 2, bad, periods, 0, &new), MPI_ERR_DIMS, "dims[1] is 0");
    CHECK(new == MPI_COMM_NULL);
    bad[1] = -2;
    CHECK_CLASS(MPI_Cart_create(MPI_COMM_WORLD, 2, bad, periods, 0, &new), MPI_ERR_DIMS);
    CHECK_CLASS(MPI_Cart_create(MPI_COMM_WORLD, 2, big, periods, 0, &new), MPI_ERR_DIMS);
    CHECK_CLASS(MPI_Cart_create(MPI_COMM_WORLD, 3, huge, c, 0, &new), MPI_ERR_DIMS);
    CHECK_CLASS(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Cart_map(MPI_COMM_WORLD, 2, big, periods, &a), MPI_ERR_DIMS);
    CHECK_CLASS(MPI_Cart_map(MPI_COMM_WORLD, -1, big, periods, &a), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Cart_map(MPI_COMM_WORLD, 2, dims, periods, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Cart_map(MPI_COMM_NULL, 2, dims, periods, &a), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Cart_get(comm, 1, c, c, c), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Cart_get(comm, 2, c, NULL, c), MPI_ERR_ARG);
    CHECK_SENTENCE(MPI_Cart_coords(comm, 0, 1, c), MPI_ERR_ARG, "coords has room for 1");
    c[0] = size;
    CHECK_SENTENCE(MPI_Cart_rank(comm, c, &a), MPI_ERR_ARG, "coords[0] is");
    c[0] = 0;
    CHECK_CLASS(MPI_Cart_shift(comm, 2, 1, &a, &b), MPI_ERR_DIMS);
    CHECK_CLASS(MPI_Cart_shift(comm, -1, 1, &a, &b), MPI_ERR_DIMS);
    CHECK_CLASS(MPI_Cart_shift(none, 0, 1, &a, &b), MPI_ERR_DIMS);
    CHECK_CLASS(MPI_Cart_sub(comm, NULL, &new), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Cart_sub(MPI_COMM_WORLD, c, &new), MPI_ERR_TOPOLOGY);
    CHECK_CLASS(MPI_Cartdim_get(MPI_COMM_WORLD, &a), MPI_ERR_TOPOLOGY);
    CHECK_CLASS(MPI_Cart_get(MPI_COMM_WORLD, 2, c, c, c), MPI_ERR_TOPOLOGY);
    CHECK_CLASS(MPI_Cart_rank(MPI_COMM_WORLD, c, &a), MPI_ERR_TOPOLOGY);
    CHECK_CLASS(MPI_Cart_coords(MPI_COMM_WORLD, 0, 2, c), MPI_ERR_TOPOLOGY);
    CHECK_CLASS(MPI_Cart_shift(MPI_COMM_WORLD, 0, 1, &a, &b), MPI_ERR_TOPOLOGY);
    CHECK_SENTENCE(MPI_Graphdims_get(comm, &a, &b), MPI_ERR_TOPOLOGY, "a Cartesian topology, not a graph");
    if (size > 1) {
        /* One process fails: all do. They disagree: all fail. */
        bad[1] = rank == size - 1 ? 0 : 1;
        CHECK_CLASS(MPI_Cart_create(MPI_COMM_WORLD, 2, bad, periods, 0, &new),
                    rank == size - 1 ? MPI_ERR_DIMS : MPI_ERR_OTHER);
        periods[0] = rank == 0;
        CHECK_CLASS(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &new), MPI_ERR_NOT_SAME);
        CHECK(new == MPI_COMM_NULL);
        c[0] = rank == 0;
        CHECK_CLASS(MPI_Cart_sub(comm, c, &new), MPI_ERR_NOT_SAME);
    }
#endif
    OK(MPI_Comm_free(&comm));
    OK(MPI_Comm_free(&none));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    grids();
    sub();
    kept();
    errors();
    return check_end();
}
