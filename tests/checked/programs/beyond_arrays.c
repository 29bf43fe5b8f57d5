// Buffers that begin in static data, and go on behind its end: MPI 4.1 §3.2.2.
//
// ranks: 2
// wrong sent: bad buffer
// wrong received: bad buffer
// wrong gathered: bad buffer
// wrong put: bad buffer
// wrong fetched: bad buffer
// wrong put_in_loop: bad buffer
// wrong variable: bad buffer
// wrong in_function: bad buffer
// wrong strided: bad buffer
// wrong block: bad buffer
// wrong given: bad buffer
// right whole
// right members
// right addresses
// right in_loop
// right section
// right columns
// right by_bytes
#include <mpi.h>
#include <string.h>

static int numbers[8], others[8], more[64];
static struct {
    int first[4], second[4];
} both;
// Put together by the linker.
__attribute__((section("table"), used)) static int head[4], tail[4];

int main(int argc, char **argv) {
    const char *variant = argc > 1 ? argv[1] : "";
#define IS(name) (!strcmp(variant, #name))
    MPI_Comm comm = MPI_COMM_WORLD;
    static int inner[4];
    static int single;
    int rank, *mine;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    MPI_Win_allocate(64 * sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &mine, &win);
    MPI_Win_lock_all(0, win);
    int other = 1 - rank;
    if (IS(sent)) {
        if (rank == 0) MPI_Send(numbers + 4, 5, MPI_INT, 1, 0, comm); // !sent
        else MPI_Recv(more, 5, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
    } else if (IS(received)) {
        if (rank == 0) MPI_Send(more, 4, MPI_INT, 1, 0, comm);
        else MPI_Recv(numbers, 9, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE); // !received
    } else if (IS(gathered)) {
        MPI_Gather(more, 8, MPI_INT, others, 8, MPI_INT, 1, comm); // !gathered
    } else if (IS(put)) {
        MPI_Put(numbers, 9, MPI_INT, other, 0, 9, MPI_INT, win); // !put
    } else if (IS(fetched)) {
        MPI_Fetch_and_op(more, numbers + 7, MPI_LONG, other, 0, MPI_SUM, win); // !fetched
    } else if (IS(put_in_loop)) {
        for (int n = 0; n < 4; n++) MPI_Put(numbers + 2 * n, 3, MPI_INT, other, 4 * n, 3, MPI_INT, win); // !put_in_loop
    } else if (IS(variable)) {
        if (rank == 0) MPI_Send(&single, 2, MPI_INT, 1, 0, comm); // !variable
        else MPI_Recv(more, 2, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
    } else if (IS(in_function)) {
        MPI_Bcast(inner, 5, MPI_INT, 0, comm); // !in_function
    } else if (IS(strided) || IS(columns)) {
        // All 8 columns of 8 rows, from the first element on or the second.
        MPI_Datatype column, narrow;
        MPI_Type_vector(8, 1, 8, MPI_INT, &column);
        MPI_Type_create_resized(column, 0, sizeof(int), &narrow);
        MPI_Type_commit(&narrow);
        MPI_Bcast(more + IS(strided), 8, narrow, 0, comm); // !strided
        MPI_Type_free(&column), MPI_Type_free(&narrow);
    } else if (IS(block)) {
        MPI_Datatype part;
        MPI_Type_create_subarray(2, (int[]){8, 9}, (int[]){8, 1}, (int[]){0, 0}, MPI_ORDER_C, MPI_INT, &part);
        MPI_Type_commit(&part);
        MPI_Bcast(more + 1, 1, part, 0, comm); // !block
        MPI_Type_free(&part);
    } else if (IS(given)) {
        int *piece;
        MPI_Datatype two;
        MPI_Alloc_mem(8 * sizeof(int), MPI_INFO_NULL, &piece);
        MPI_Type_indexed(2, (int[]){1, 1}, (int[]){0, 8}, MPI_INT, &two);
        MPI_Type_commit(&two);
        memset(piece, 0, 8 * sizeof(int));
        MPI_Reduce_local(numbers, others, 8, MPI_INT, MPI_SUM);
        if (rank == 0) MPI_Send(piece, 1, two, 1, 0, comm); // !given
        else MPI_Recv(more, 2, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
        MPI_Type_free(&two);
        MPI_Free_mem(piece);
    } else if (IS(by_bytes)) {
        // Two arrays, from the first one on.
        int *first = numbers, *second = others;
        int *low = first < second ? first : second, *high = first < second ? second : first;
        MPI_Datatype both_arrays;
        MPI_Type_create_hvector(2, 8, (char *)high - (char *)low, MPI_INT, &both_arrays);
        MPI_Type_commit(&both_arrays);
        MPI_Bcast(low, 1, both_arrays, 0, comm);
        MPI_Type_free(&both_arrays);
    } else if (IS(whole)) {
        MPI_Gather(numbers, 8, MPI_INT, more, 8, MPI_INT, 1, comm);
        MPI_Allreduce(numbers, others, 8, MPI_INT, MPI_SUM, comm);
        MPI_Bcast(inner, 4, MPI_INT, 0, comm);
        MPI_Put(numbers, 8, MPI_INT, other, 0, 8, MPI_INT, win);
        MPI_Bcast(more + 64, 0, MPI_INT, 0, comm);
        MPI_Bcast(&single, 1, MPI_INT, 0, comm);
    } else if (IS(members)) {
        MPI_Bcast(both.first, 8, MPI_INT, 0, comm);
        MPI_Put(&both, 8, MPI_INT, other, 0, 8, MPI_INT, win);
    } else if (IS(addresses)) {
        // Arrays that may lie side by side, as one datatype.
        MPI_Datatype arrays;
        MPI_Aint at[3];
        int lengths[3] = {8, 8, 1};
        MPI_Get_address(numbers, at);
        MPI_Get_address(others, at + 1);
        MPI_Get_address(&single, at + 2);
        MPI_Type_create_hindexed(3, lengths, at, MPI_INT, &arrays);
        MPI_Type_commit(&arrays);
        MPI_Bcast(MPI_BOTTOM, 1, arrays, 0, comm);
        MPI_Put(MPI_BOTTOM, 1, arrays, other, 0, 17, MPI_INT, win);
        MPI_Win_flush(other, win);
        MPI_Type_free(&arrays);
    } else if (IS(in_loop)) {
        for (int n = 0; n < 8; n++) MPI_Put(numbers + n, 1, MPI_INT, other, 4 * n, 1, MPI_INT, win);
        for (int n = 0; n < 16; n++) MPI_Get(more + 4 * n, 2, MPI_INT, other, 4 * n + 1, 2, MPI_INT, win);
    } else if (IS(section)) {
        int *first = &head[0] < &tail[0] ? head : tail;
        MPI_Bcast(first, 8, MPI_INT, 0, comm);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
