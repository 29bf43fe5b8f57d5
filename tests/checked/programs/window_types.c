// One-sided operations whose two sides name other types of as many bytes.
//
// wrong put: type mismatch
// wrong get: type mismatch
// wrong derived: type mismatch
// wrong request: type mismatch
// wrong accumulate: type mismatch
// wrong result: type mismatch
// right same
// right described_otherwise
// right pairs
#include <mpi.h>
#include <string.h>

static const char *variant;
static int is(const char *name) { return !strcmp(variant, name); }

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    variant = argv[1];
    int rank, data[64] = {0}, *base;
    MPI_Win win;
    MPI_Datatype four, floats;
    MPI_Type_vector(2, 2, 3, MPI_INT, &four);
    MPI_Type_vector(2, 2, 3, MPI_FLOAT, &floats);
    MPI_Type_commit(&four);
    MPI_Type_commit(&floats);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(256, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    memset(base, 0, 256);
    MPI_Win_fence(0, win);
    if (rank == 0) {

        if (is("put")) MPI_Put(data, 4, MPI_FLOAT, 1, 0, 4, MPI_INT, win); // !put
        if (is("get")) MPI_Get(data, 2, MPI_DOUBLE, 1, 0, 4, MPI_INT, win); // !get
        if (is("derived")) MPI_Put(data, 1, floats, 1, 0, 1, four, win); // !derived
        if (is("accumulate")) MPI_Accumulate(data, 1, floats, 1, 0, 4, MPI_INT, MPI_REPLACE, win); // !accumulate
        if (is("result"))
            MPI_Get_accumulate(data, 4, MPI_INT, data + 4, 4, MPI_UNSIGNED, 1, 0, 4, MPI_INT, MPI_SUM, win); // !result
        if (is("same")) MPI_Put(data, 4, MPI_INT, 1, 0, 4, MPI_INT, win);
        if (is("described_otherwise")) {
            MPI_Put(data, 1, four, 1, 0, 4, MPI_INT, win);
            MPI_Put(data, 4, MPI_INTEGER, 1, 8, 1, four, win);
            MPI_Accumulate(data, 4, MPI_INT, 1, 20, 1, four, MPI_SUM, win);
        }
        if (is("pairs")) MPI_Put(data, 2, MPI_2INT, 1, 0, 4, MPI_INT, win);
    }
    MPI_Win_fence(0, win);
    MPI_Win_lock_all(0, win);
    if (rank == 0) {
        MPI_Request request = MPI_REQUEST_NULL;
        if (is("request")) MPI_Rput(data, 4, MPI_UNSIGNED, 1, 0, 4, MPI_INT, win, &request); // !request
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Type_free(&four);
    MPI_Type_free(&floats);
    MPI_Finalize();
    return 0;
}
