/* ranks: 1 2 */
/* MPI_Dims_create against a search of all divisions: product, order, fixed dimensions, balance. */
#include "check.h"

#ifdef RMASHM
enum { MOST = 40 };
#else
enum { MOST = 20 }; /* MPICH knows no more. */
#endif

/* The least difference of the largest and the smallest of so many factors of n. */
static int least_spread(int n, int parts, int largest, int smallest)
{
    int best = 1 << 30;
    if (parts == 0)
        return n == 1 ? largest - smallest : best;
    for (int f = 1; f <= n; f++) {
        if (n % f)
            continue;
        int spread = least_spread(n / f, parts - 1, f > largest ? f : largest, f < smallest ? f : smallest);
        best = spread < best ? spread : best;
    }
    return best;
}

static void balanced(void)
{
    for (int n = 1; n <= 300; n++) {
        for (int ndims = 1; ndims <= 4; ndims++) {
            int dims[4] = {0, 0, 0, 0}, product = 1;
            OK(MPI_Dims_create(n, ndims, dims));
            for (int i = 0; i < ndims; i++) {
                product *= dims[i];
                CHECK(i == 0 || dims[i] <= dims[i - 1]);
            }
            CHECK_EQ(product, n);
#ifdef RMASHM /* How close is "as close as possible" is left open. */
            CHECK_EQ(dims[0] - dims[ndims - 1], least_spread(n, ndims, 0, 1 << 30));
#endif
        }
    }
    (void)least_spread;
}

static void fixed(void)
{
    for (int n = 1; n <= 64; n++) {
        for (int f = 1; f <= n; f++) {
            int dims[3] = {0, f, 0};
            if (n % f)
                continue;
            OK(MPI_Dims_create(n, 3, dims));
            CHECK_EQ(dims[1], f);
            CHECK_EQ(dims[0] * dims[2], n / f);
            CHECK(dims[0] >= dims[2]);
        }
    }
    int all[2] = {3, 5}, six[3] = {0, 3, 0};
    OK(MPI_Dims_create(15, 2, all));
    CHECK(all[0] == 3 && all[1] == 5);
    OK(MPI_Dims_create(6, 3, six));
    CHECK(six[0] == 2 && six[1] == 3 && six[2] == 1);
    OK(MPI_Dims_create(1, 0, NULL));
}

static void large(void)
{
    int cube[3] = {0, 0, 0}, prime[2] = {0, 0}, dims[MOST];
    OK(MPI_Dims_create(1000000000, 3, cube));
    CHECK(cube[0] == 1000 && cube[1] == 1000 && cube[2] == 1000);
    OK(MPI_Dims_create(999983, 2, prime));
    CHECK(prime[0] == 999983 && prime[1] == 1);
    for (int i = 0; i < MOST; i++)
        dims[i] = 0;
    OK(MPI_Dims_create(1 << 16, MOST, dims));
    for (int i = 0; i < MOST; i++)
        CHECK_EQ(dims[i], i < 16 ? 2 : 1);
}

static void errors(void)
{
    int dims[3] = {0, 3, 0};
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    CHECK_CLASS(MPI_Dims_create(7, 3, dims), MPI_ERR_DIMS);
    dims[0] = -1;
    CHECK_CLASS(MPI_Dims_create(6, 3, dims), MPI_ERR_DIMS);
    CHECK(dims[0] == -1 && dims[1] == 3 && dims[2] == 0);
    CHECK_CLASS(MPI_Dims_create(6, -1, dims), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Dims_create(6, 2, NULL), MPI_ERR_ARG);
#ifdef RMASHM
    CHECK_CLASS(MPI_Dims_create(0, 1, dims + 2), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Dims_create(-6, 1, dims + 2), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Dims_create(6, 1, dims + 1), MPI_ERR_DIMS);
    CHECK_CLASS(MPI_Dims_create(2, 0, NULL), MPI_ERR_DIMS);
#endif
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    balanced();
    fixed();
    large();
    errors();
    return check_end();
}
