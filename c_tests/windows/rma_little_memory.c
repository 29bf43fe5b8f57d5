/* ranks: 2; seconds: 60 */
/* ranks: 2; name: none; args: none; env: RMASHM_CHECK=off; mpich: skip 4.0.2 ends the job */
/* Operations of 4 MiB on private memory of another process where 2 MiB more are to be had: strided puts and gets, accumulates
 * of both kinds, with elements that are arrays and with such as are not. They take memory of a bounded size, whatever their
 * counts. With "none", not a byte is to be had: each ends, well or with MPI_ERR_NO_MEM and its sentence, and the job goes on. */
#include "check.h"
#include <sys/resource.h>

#define MEBIBYTE (1 << 20)
#define N (1 << 19)
static double *memory, *near, *back;
static MPI_Win win;

/* Lets this process have `more` bytes more than it has. */
static void limit(long more)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file && fscanf(file, "%ld", &pages) == 1);
    fclose(file);
    rlim_t bytes = (rlim_t)(pages * 4096 + more);
    struct rlimit limits = {bytes, RLIM_INFINITY};
    CHECK_EQ(setrlimit(RLIMIT_AS, &limits), 0);
}

/* The doubles from `at` on, `stride` apart, are `base + i`. */
static void holds(const double *data, int stride, double base)
{
    for (int i = 0; i < N; i++)
        if (data[(size_t)i * stride] != base + i)
            check_failed(__FILE__, __LINE__, "double %d is %g, not %g", i, data[(size_t)i * stride], base + i);
}

static void bounded(MPI_Datatype strided)
{
    /* From every second place here to a run there, and back. */
    for (int i = 0; i < 2 * N; i++)
        near[i] = i % 2 ? -1 : i / 2;
    OK(MPI_Put(near, 1, strided, 1, 0, N, MPI_DOUBLE, win));
    OK(MPI_Win_flush(1, win));
    memset(back, 0, 2 * N * sizeof *back);
    OK(MPI_Get(back, 1, strided, 1, 0, N, MPI_DOUBLE, win));
    OK(MPI_Win_flush(1, win));
    holds(back, 2, 0);
    CHECK_EQ(back[2 * N - 1], 0);
    OK(MPI_Accumulate(near, 1, strided, 1, 0, N, MPI_DOUBLE, MPI_SUM, win));
    OK(MPI_Win_flush(1, win));
    OK(MPI_Get_accumulate(near, 1, strided, back, 1, strided, 1, 0, N, MPI_DOUBLE, MPI_REPLACE, win));
    OK(MPI_Win_flush(1, win));
    for (int i = 0; i < N; i++)
        CHECK(back[2 * (size_t)i] == 2.0 * i && back[2 * (size_t)i + 1] == 0);
    OK(MPI_Get(back, N, MPI_DOUBLE, 1, 0, N, MPI_DOUBLE, win));
    OK(MPI_Win_flush(1, win));
    holds(back, 1, 0);
    /* Every second place there: read with what lies between, and combined. */
    OK(MPI_Put(near, 2 * N, MPI_DOUBLE, 1, 0, 2 * N, MPI_DOUBLE, win));
    OK(MPI_Win_flush(1, win));
    OK(MPI_Get(back, N, MPI_DOUBLE, 1, 0, 1, strided, win));
    OK(MPI_Win_flush(1, win));
    holds(back, 1, 0);
    MPI_Datatype some;
    OK(MPI_Type_vector(N / 16, 1, 32, MPI_DOUBLE, &some));
    OK(MPI_Type_commit(&some));
    OK(MPI_Put(back, N / 16, MPI_DOUBLE, 1, 1, 1, some, win));
    OK(MPI_Win_flush(1, win));
    OK(MPI_Accumulate(back, 1, some, 1, 0, 1, some, MPI_SUM, win));
    OK(MPI_Win_flush(1, win));
    OK(MPI_Get(near, 2 * N, MPI_DOUBLE, 1, 0, 2 * N, MPI_DOUBLE, win));
    OK(MPI_Win_flush(1, win));
    for (int i = 0; i < 2 * N; i++) {
        double wanted = i % 2 ? -1 : i / 2;
        if (i % 32 == 1)
            wanted = i / 32;
        if (i % 32 == 0)
            wanted += (double)i;
        if (near[i] != wanted)
            check_failed(__FILE__, __LINE__, "double %d is %g, not %g", i, near[i], wanted);
    }
    OK(MPI_Type_free(&some));
    /* Pairs, which have gaps. */
    struct pair { double value; int place; } *pairs = (struct pair *)(void *)near, *found = (struct pair *)(void *)back;
    for (int i = 0; i < N; i++)
        pairs[i] = (struct pair){i, N - i};
    OK(MPI_Accumulate(pairs, N, MPI_DOUBLE_INT, 1, 0, N, MPI_DOUBLE_INT, MPI_REPLACE, win));
    OK(MPI_Win_flush(1, win));
    OK(MPI_Get_accumulate(NULL, 0, MPI_DOUBLE_INT, found, N, MPI_DOUBLE_INT, 1, 0, N, MPI_DOUBLE_INT, MPI_NO_OP, win));
    OK(MPI_Win_flush(1, win));
    for (int i = 0; i < N; i++)
        CHECK(found[i].value == i && found[i].place == N - i);
}

/* Each succeeds, or says that there is no memory. */
static void ends(int code)
{
    int class = MPI_SUCCESS, length = 0;
    static char sentence[MPI_MAX_ERROR_STRING];
    if (code)
        MPI_Error_class(code, &class);
    if (class != MPI_SUCCESS) {
        CHECK_CLASS(code, MPI_ERR_NO_MEM);
        OK(MPI_Error_string(code, sentence, &length));
        CHECK(length > 0);
    }
    OK(MPI_Win_flush_all(win));
}

/* Takes all memory that malloc can give. */
static void take_all(void)
{
    for (size_t bytes = 64 * MEBIBYTE; bytes >= 16; bytes /= 2)
        for (void *volatile *last = NULL, *volatile *taken; (taken = malloc(bytes)) != NULL; last = taken)
            *taken = (void *)last;
}

static void none(MPI_Datatype strided)
{
    MPI_Datatype there;
    OK(MPI_Type_vector(N, 1, 2, MPI_DOUBLE, &there));
    OK(MPI_Type_commit(&there));
    /* The first error takes memory for those to come. */
    CHECK_CLASS(MPI_Put(near, -1, strided, 1, 0, N, MPI_DOUBLE, win), MPI_ERR_COUNT);
    take_all();
    for (int i = 0; i < 100; i++) {
        ends(MPI_Put(near, 1, strided, 1, 0, N, MPI_DOUBLE, win));
        ends(MPI_Get(near, 1, strided, 1, 0, 1, there, win));
        ends(MPI_Accumulate(near, N, MPI_DOUBLE, 1, 0, N, MPI_DOUBLE, MPI_SUM, win));
        ends(MPI_Accumulate(near, 1, strided, 1, 0, N, MPI_DOUBLE, MPI_SUM, win));
        ends(MPI_Get_accumulate(near, 1, strided, back, 1, strided, 1, 0, N, MPI_DOUBLE, MPI_SUM, win));
        ends(MPI_Accumulate(near, 1, strided, 0, 0, N, MPI_DOUBLE, MPI_SUM, win));
    }
    OK(MPI_Type_free(&there));
}

int main(int argc, char **argv)
{
    MPI_Datatype strided;
    check_start(&argc, &argv);
    size_t bytes = 2 * N * sizeof(double);
    memory = malloc(bytes), near = malloc(bytes), back = malloc(bytes);
    OK(MPI_Type_vector(N, 1, 2, MPI_DOUBLE, &strided));
    OK(MPI_Type_commit(&strided));
    OK(MPI_Win_create(memory, (MPI_Aint)bytes, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    memset(memory, 0, bytes);
    memset(near, 0, bytes);
    memset(back, 0, bytes);
    barrier();
    OK(MPI_Win_lock_all(0, win));
    if (rank == 0) {
        limit(2 * MEBIBYTE);
        if (argc > 1)
            none(strided);
        else
            bounded(strided);
        struct rlimit whole = {RLIM_INFINITY, RLIM_INFINITY};
        CHECK_EQ(setrlimit(RLIMIT_AS, &whole), 0);
    }
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Win_free(&win));
    OK(MPI_Type_free(&strided));
    return check_end();
}
