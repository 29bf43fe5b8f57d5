// MPI_MODE_NOPRECEDE where operations precede.
//
// ranks: 2
// wrong after_put: wrong assertion
// wrong after_get: wrong assertion
// wrong after_accumulate: wrong assertion
// right first_fence
// right all_assertions
#include <mpi.h>
#include <string.h>

static int is(const char *name, char **argv) { return !strcmp(name, argv[1]); }

int main(int argc, char **argv) {
    int rank;
    long *mine, one = 1;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(10 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    if (rank == 0 && !is("first_fence", argv)) {
        if (is("after_get", argv)) MPI_Get(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win); // !after_get
        else if (is("after_accumulate", argv))
            MPI_Accumulate(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, MPI_SUM, win); // !after_accumulate
        else MPI_Put(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win); // !after_put
    }
    if (is("all_assertions", argv)) {
        MPI_Win_fence(MPI_MODE_NOSTORE, win);
        MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOPUT | MPI_MODE_NOSTORE, win);
        MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED, win);
    } else {
        int wrong = !is("first_fence", argv);
        MPI_Win_fence(wrong ? MPI_MODE_NOPRECEDE : 0, win); // !after_put !after_get !after_accumulate
        MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    }
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
