// Accesses of the same memory through two windows: MPI 4.1 §12.2.1, §12.7.
//
// ranks: 2 3
// wrong puts: data race
// wrong put_and_get: data race
// wrong accumulate_and_put: data race
// wrong shifted: data race
// wrong own: data race
// wrong dynamic: data race
// wrong strided: data race
// wrong at_once: data race
// right after_flush
// right gets
// right apart
// right freed
// right dynamic_after_flush
// right columns
#include <mpi.h>
#include <string.h>

static const MPI_Comm comm = MPI_COMM_WORLD;
static char *variant;
static int is(const char *name) { return !strcmp(name, variant); }

int main(int argc, char **argv) {
    static long memory[64], in[64], one[4] = {1, 2, 3, 4};
    long *at = memory;
    int rank;
    MPI_Win first, second, every;
    MPI_Datatype column;
    MPI_Init(&argc, &argv);
    variant = argv[1];
    MPI_Comm_rank(comm, &rank);
    MPI_Bcast(&at, sizeof at, MPI_BYTE, 1, comm);
    MPI_Type_vector(4, 1, 8, MPI_LONG, &column);
    MPI_Type_commit(&column);
    MPI_Win_create(memory, sizeof memory, sizeof(long), MPI_INFO_NULL, comm, &first);
    MPI_Win_create(memory + 16, 32 * sizeof(long), 1, MPI_INFO_NULL, comm, &second);
    MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &every);
    MPI_Win_attach(every, memory, sizeof memory);
    MPI_Barrier(comm);
    MPI_Win_lock_all(0, first);
    MPI_Win_lock_all(0, second);
    MPI_Win_lock_all(0, every);
    if (is("puts")) {
        if (rank == 0) MPI_Put(one, 1, MPI_LONG, 1, 20, 1, MPI_LONG, first); // !puts
        MPI_Barrier(comm);
        if (rank == 1) MPI_Put(one, 1, MPI_LONG, 1, 4 * 8, 1, MPI_LONG, second); // !puts
    } else if (is("put_and_get")) {
        if (rank == 0) MPI_Put(one, 4, MPI_LONG, 1, 0, 4, MPI_LONG, second); // !put_and_get
        MPI_Barrier(comm);
        if (rank == 1) MPI_Get(in, 8, MPI_LONG, 1, 12, 8, MPI_LONG, first); // !put_and_get
    } else if (is("accumulate_and_put")) {
        if (rank == 0) MPI_Accumulate(one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, MPI_SUM, second); // !accumulate_and_put
        MPI_Barrier(comm);
        if (rank == 1) MPI_Put(one, 1, MPI_LONG, 1, 16, 1, MPI_LONG, first); // !accumulate_and_put
    } else if (is("shifted")) {
        if (rank == 0) MPI_Put(one, 4, MPI_LONG, 1, 14, 4, MPI_LONG, first); // !shifted
        if (rank == 1) MPI_Put(one, 1, MPI_LONG, 1, 8, 1, MPI_LONG, second); // !shifted
    } else if (is("own")) {
        if (rank == 0) MPI_Put(one, 1, MPI_LONG, 1, 17, 1, MPI_LONG, first); // !own
        MPI_Win_flush(1, second);
        if (rank == 0) MPI_Put(one + 1, 1, MPI_LONG, 1, 8, 1, MPI_LONG, second); // !own
    } else if (is("dynamic")) {
        if (rank == 0) MPI_Put(one, 1, MPI_LONG, 1, (MPI_Aint)(at + 50), 1, MPI_LONG, every); // !dynamic
        MPI_Barrier(comm);
        if (rank == 1) MPI_Put(one, 1, MPI_LONG, 1, 50, 1, MPI_LONG, first); // !dynamic
    } else if (is("strided")) {
        if (rank == 0) MPI_Put(one, 4, MPI_LONG, 1, 3, 1, column, first); // !strided
        MPI_Barrier(comm);
        if (rank == 1) MPI_Put(one, 1, MPI_LONG, 1, 3 * 8, 1, MPI_LONG, second); // !strided
    } else if (is("at_once")) {
        MPI_Win third;
        MPI_Win_create(memory, sizeof memory, sizeof(long), MPI_INFO_NULL, comm, &third);
        MPI_Win_lock_all(0, third);
        if (rank == 0) MPI_Put(one, 4, MPI_LONG, 1, 20, 4, MPI_LONG, first); // !at_once
        if (rank == 1) MPI_Put(one, 4, MPI_LONG, 1, 22, 4, MPI_LONG, third); // !at_once
        MPI_Win_unlock_all(third);
        MPI_Win_free(&third);
    } else if (is("after_flush")) {
        for (int n = 0; n < 20; n++) {
            if (rank == 0) MPI_Put(one, 4, MPI_LONG, 1, 18, 4, MPI_LONG, first);
            MPI_Win_flush(1, first);
            MPI_Barrier(comm);
            if (rank == 1) MPI_Put(one, 4, MPI_LONG, 1, 0, 4, MPI_LONG, second);
            MPI_Win_flush(1, second);
            MPI_Barrier(comm);
        }
    } else if (is("gets")) {
        MPI_Get(in, 4, MPI_LONG, 1, 18, 4, MPI_LONG, first);
        MPI_Get(in + 8, 4, MPI_LONG, 1, 16, 4, MPI_LONG, second);
    } else if (is("apart")) {
        if (rank == 0) MPI_Put(one, 1, MPI_LONG, 1, 15, 1, MPI_LONG, first);
        if (rank == 0) MPI_Put(one, 1, MPI_LONG, 1, 48, 1, MPI_LONG, first);
        if (rank == 1) MPI_Put(one, 4, MPI_LONG, 1, 0, 4, MPI_LONG, second);
    } else if (is("freed")) {
        if (rank == 0) MPI_Put(one, 4, MPI_LONG, 1, 0, 4, MPI_LONG, second);
        MPI_Win_unlock_all(second);
        MPI_Win_free(&second);
        if (rank == 1) MPI_Put(one, 4, MPI_LONG, 1, 16, 4, MPI_LONG, first);
        MPI_Win_flush(1, first);
        MPI_Barrier(comm);
        MPI_Win_create(memory + 16, 32 * sizeof(long), 1, MPI_INFO_NULL, comm, &second);
        MPI_Win_lock_all(0, second);
        if (rank == 0) MPI_Put(one, 4, MPI_LONG, 1, 0, 4, MPI_LONG, second);
    } else if (is("dynamic_after_flush")) {
        if (rank == 0) MPI_Put(one, 1, MPI_LONG, 1, (MPI_Aint)(at + 50), 1, MPI_LONG, every);
        MPI_Win_flush_all(every);
        MPI_Barrier(comm);
        if (rank == 1) MPI_Put(one, 1, MPI_LONG, 1, 50, 1, MPI_LONG, first);
    } else if (is("columns")) {
        if (rank == 0) MPI_Put(one, 4, MPI_LONG, 1, 3, 1, column, first);
        if (rank == 1) MPI_Put(one, 4, MPI_LONG, 1, 4 * 8, 1, column, second);
    }
    MPI_Win_unlock_all(every);
    MPI_Win_unlock_all(second);
    MPI_Win_unlock_all(first);
    MPI_Barrier(comm);
    MPI_Win_detach(every, memory);
    MPI_Win_free(&every);
    MPI_Win_free(&second);
    MPI_Win_free(&first);
    MPI_Type_free(&column);
    MPI_Finalize();
    return 0;
}
