// Buffers of one-sided operations by themselves: what is written has no byte twice, and belongs to no other buffer of the call; and of many irregular
// pieces each is looked at while a request is pending.
//
// ranks: 2
// wrong get_twice: overlapping receive type
// wrong get_resized: overlapping receive type
// wrong rget_twice: overlapping receive type
// wrong result_twice: overlapping receive type
// wrong result_is_origin: overlapping arguments
// wrong result_in_origin: overlapping arguments
// wrong fetched_into_origin: overlapping arguments
// wrong swapped_into_compare: overlapping arguments
// wrong irecv_then_rget: buffer in use
// wrong irecv_then_put: buffer in use
// wrong rget_then_irecv: buffer in use
// wrong rput_changed: buffer changed
// wrong raccumulate_changed: buffer changed
// right put_twice
// right fetched_beside
// right read_into_origin
// right pieces_between
// right rput_changed_between
#include <mpi.h>
#include <string.h>

#define PIECES 40

static const MPI_Comm comm = MPI_COMM_WORLD;
static char *variant;
static int is(const char *name) { return !strcmp(name, variant); }

static int memory[4000], other[100];

int main(int argc, char **argv) {
    int rank, *base, places[PIECES], twice[3] = {0, 5, 5};
    MPI_Win win;
    MPI_Datatype pieces, same, close;
    MPI_Request early = MPI_REQUEST_NULL, late = MPI_REQUEST_NULL;
    MPI_Init(&argc, &argv);
    variant = argv[1];
    MPI_Comm_rank(comm, &rank);
    MPI_Win_allocate(1000 * sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &base, &win);
    memset(base, 0, 1000 * sizeof(int));
    /* At distances of which no two are alike. */
    for (int i = 0; i < PIECES; i++)
        places[i] = i * i + 2 * i + 1;
    MPI_Type_create_indexed_block(PIECES, 1, places, MPI_INT, &pieces);
    MPI_Type_create_indexed_block(3, 1, twice, MPI_INT, &same);
    MPI_Type_create_resized(MPI_INT, 0, 2, &close);
    MPI_Type_commit(&pieces);
    MPI_Type_commit(&same);
    MPI_Type_commit(&close);
    int *last = memory + places[PIECES - 1], *between = last - 1;
    MPI_Win_lock_all(0, win);
    MPI_Barrier(comm);
    if (rank == 0) {
        if (is("get_twice"))
            MPI_Get(memory, 1, same, 1, 0, 3, MPI_INT, win); // !get_twice
        if (is("get_resized"))
            MPI_Get(memory, 3, close, 1, 0, 3, MPI_INT, win); // !get_resized
        if (is("rget_twice"))
            MPI_Rget(memory, 1, same, 1, 0, 3, MPI_INT, win, &late); // !rget_twice
        if (is("result_twice"))
            MPI_Get_accumulate(other, 3, MPI_INT, memory, 1, same, 1, 0, 3, MPI_INT, MPI_SUM, win); // !result_twice
        if (is("result_is_origin"))
            MPI_Get_accumulate(other, 3, MPI_INT, other, 3, MPI_INT, 1, 0, 3, MPI_INT, MPI_SUM, win); // !result_is_origin
        if (is("result_in_origin"))
            MPI_Get_accumulate(memory, 1, pieces, between, 1, pieces, 1, 0, PIECES, MPI_INT, MPI_SUM, win); // !result_in_origin
        if (is("fetched_into_origin"))
            MPI_Fetch_and_op(other, other, MPI_INT, 1, 0, MPI_SUM, win); // !fetched_into_origin
        if (is("swapped_into_compare"))
            MPI_Compare_and_swap(other, other + 1, other + 1, MPI_INT, 1, 0, win); // !swapped_into_compare
        if (is("put_twice"))
            MPI_Put(memory, 1, same, 1, 0, 3, MPI_INT, win);
        if (is("fetched_beside")) {
            MPI_Fetch_and_op(other, other + 1, MPI_INT, 1, 0, MPI_SUM, win);
            MPI_Win_flush(1, win);
            MPI_Compare_and_swap(other, other, other + 1, MPI_INT, 1, 1, win);
            MPI_Win_flush(1, win);
            MPI_Get_accumulate(other, 3, MPI_INT, other + 3, 3, MPI_INT, 1, 4, 3, MPI_INT, MPI_SUM, win);
        }
        if (is("read_into_origin")) {
            MPI_Fetch_and_op(other, other, MPI_INT, 1, 0, MPI_NO_OP, win);
            MPI_Win_flush(1, win);
            MPI_Get_accumulate(other, 3, MPI_INT, other, 3, MPI_INT, 1, 4, 3, MPI_INT, MPI_NO_OP, win);
        }
        if (is("irecv_then_rget")) {
            MPI_Irecv(last, 1, MPI_INT, 1, 0, comm, &early); // !irecv_then_rget
            MPI_Rget(memory, 1, pieces, 1, 0, PIECES, MPI_INT, win, &late); // !irecv_then_rget
        }
        if (is("irecv_then_put")) {
            MPI_Irecv(last, 1, MPI_INT, 1, 0, comm, &early); // !irecv_then_put
            MPI_Put(memory, 1, pieces, 1, 0, PIECES, MPI_INT, win); // !irecv_then_put
        }
        if (is("rget_then_irecv")) {
            MPI_Rget(memory, 1, pieces, 1, 0, PIECES, MPI_INT, win, &late); // !rget_then_irecv
            MPI_Irecv(last, 1, MPI_INT, 1, 0, comm, &early); // !rget_then_irecv
        }
        if (is("pieces_between")) {
            MPI_Irecv(between, 1, MPI_INT, 1, 0, comm, &early);
            MPI_Rget(memory, 1, pieces, 1, 0, PIECES, MPI_INT, win, &late);
        }
        if (is("rput_changed") || is("rput_changed_between")) {
            MPI_Rput(memory, 1, pieces, 1, 0, PIECES, MPI_INT, win, &late); // !rput_changed
            *(is("rput_changed") ? last : between) = 7;
        }
        if (is("raccumulate_changed")) {
            MPI_Raccumulate(memory, 1, pieces, 1, 0, PIECES, MPI_INT, MPI_SUM, win, &late); // !raccumulate_changed
            *last = 7;
        }
        MPI_Send(NULL, 0, MPI_INT, 1, 1, comm);
        MPI_Wait(&late, MPI_STATUS_IGNORE);
        MPI_Wait(&early, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        MPI_Recv(NULL, 0, MPI_INT, 0, 1, comm, MPI_STATUS_IGNORE);
        if (strstr(variant, "irecv") || is("pieces_between"))
            MPI_Send(other, 1, MPI_INT, 0, 0, comm);
    }
    MPI_Win_unlock_all(win);
    MPI_Type_free(&pieces);
    MPI_Type_free(&same);
    MPI_Type_free(&close);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
