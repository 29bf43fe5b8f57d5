// Targets of one-sided operations with a byte in several entries (MPI 4.1 §12.3.2, §12.3.4). What is only read may be named twice.
//
// ranks: 2
// wrong put: overlapping target type
// wrong accumulate: overlapping target type
// wrong get_accumulate: overlapping target type
// wrong extent: overlapping target type
// right get
// right no_op
// right interleaved
// right backwards
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv) {
    const char *variant = argc > 1 ? argv[1] : "";
#define IS(name) (!strcmp(variant, #name))
    int rank, count = 1, *base, from[8] = {0}, result[8];
    int twice[4] = {0, 2, 1, 2}, back[4] = {6, 4, 2, 0};
    MPI_Datatype type;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(32 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    memset(base, 0, 32 * sizeof(int));
    if (IS(extent)) {
        // Each lies over half of the one before it.
        MPI_Datatype two;
        MPI_Type_contiguous(2, MPI_INT, &two);
        MPI_Type_create_resized(two, 0, sizeof(int), &type), count = 2;
        MPI_Type_free(&two);
    } else if (IS(interleaved)) {
        // Each lies in the gaps of the one before it.
        MPI_Datatype gaps;
        MPI_Type_vector(2, 1, 2, MPI_INT, &gaps);
        MPI_Type_create_resized(gaps, 0, sizeof(int), &type), count = 2;
        MPI_Type_free(&gaps);
    } else if (IS(backwards)) {
        MPI_Type_create_indexed_block(4, 2, back, MPI_INT, &type), count = 1;
    } else {
        MPI_Type_create_indexed_block(4, 1, twice, MPI_INT, &type);
    }
    MPI_Type_commit(&type);
    int each = IS(backwards) ? 8 : 4;
    MPI_Win_fence(0, win);
    if (rank == 0) {
        if (IS(put) || IS(interleaved) || IS(backwards))
            MPI_Put(from, each, MPI_INT, 1, 0, count, type, win); // !put
        if (IS(accumulate) || IS(extent))
            MPI_Accumulate(from, each, MPI_INT, 1, 0, count, type, MPI_SUM, win); // !accumulate !extent
        if (IS(get_accumulate))
            MPI_Get_accumulate(from, each, MPI_INT, result, each, MPI_INT, 1, 0, count, type, MPI_MAX, win); // !get_accumulate
        if (IS(get))
            MPI_Get(result, each, MPI_INT, 1, 0, count, type, win);
        if (IS(no_op))
            MPI_Get_accumulate(NULL, 0, MPI_INT, result, each, MPI_INT, 1, 0, count, type, MPI_NO_OP, win);
    }
    MPI_Win_fence(0, win);
    MPI_Type_free(&type);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
