// Collective calls on a window that do not match, and assertions of fences that all have to make: MPI 4.1 §12.5.1, §12.5.5.
//
// ranks: 2 3
// wrong fence_and_free: collective mismatch
// fails fence_and_free
// wrong fence_and_info: collective mismatch
// wrong noprecede: collective mismatch
// wrong nosucceed: collective mismatch
// wrong second_window: collective mismatch
// fails second_window
// right same
// right different_windows
// right different_asserts
// right other_communicators
#include <mpi.h>
#include <string.h>

static int is(const char *name, char **argv) { return !strcmp(name, argv[1]); }
static const MPI_Comm comm = MPI_COMM_WORLD;

int main(int argc, char **argv) {
    int rank, size;
    long *mine, *other, one = 1;
    MPI_Win win, next;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Win_allocate(sizeof(long), sizeof(long), MPI_INFO_NULL, comm, &mine, &win);
    MPI_Win_allocate(sizeof(long), sizeof(long), MPI_INFO_NULL, comm, &other, &next);
    if (is("fence_and_free", argv)) {
        if (rank) MPI_Win_fence(0, win); // !fence_and_free
        else MPI_Win_free(&win);
        MPI_Abort(comm, 3);
    } else if (is("fence_and_info", argv)) {
        if (rank) MPI_Win_fence(0, win); // !fence_and_info
        else MPI_Win_set_info(win, MPI_INFO_NULL);
        if (!rank) MPI_Win_fence(0, win);
    } else if (is("noprecede", argv)) {
        MPI_Win_fence(0, win);
        MPI_Win_fence(rank ? MPI_MODE_NOPRECEDE : 0, win); // !noprecede
    } else if (is("nosucceed", argv)) {
        MPI_Win_fence(0, win);
        MPI_Win_fence(rank ? MPI_MODE_NOSUCCEED : MPI_MODE_NOSTORE, win); // !nosucceed
    } else if (is("second_window", argv)) {
        MPI_Win_fence(MPI_MODE_NOPRECEDE, next);
        if (rank) MPI_Win_free(&next); // !second_window
        else MPI_Win_fence(MPI_MODE_NOSUCCEED, next);
        MPI_Abort(comm, 3);
    } else if (is("same", argv)) {
        for (int n = 0; n < 2000; n++) {
            MPI_Win_fence(n ? 0 : MPI_MODE_NOPRECEDE, win);
            if (n % 3 == 0) MPI_Put(&one, 1, MPI_LONG, (rank + 1) % size, 0, 1, MPI_LONG, win);
            if (n % 5 == 0) MPI_Win_set_info(win, MPI_INFO_NULL);
        }
        MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    } else if (is("different_windows", argv)) {
        // Fences of one window do not count for the other, and windows are made and freed again and again.
        MPI_Win_fence(0, win);
        for (int n = 0; n < 20; n++) {
            MPI_Win third;
            MPI_Win_create(&one, sizeof one, 1, MPI_INFO_NULL, comm, &third);
            for (int i = 0; i < n % 4; i++) MPI_Win_fence(0, third);
            MPI_Win_free(&third);
            MPI_Win_fence(0, next);
        }
    } else if (is("different_asserts", argv)) {
        MPI_Win_fence(MPI_MODE_NOPRECEDE | (rank ? MPI_MODE_NOSTORE : 0), win);
        if (rank == 1) MPI_Put(&one, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
        if (rank) MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOSUCCEED, win);
        else MPI_Win_fence(MPI_MODE_NOPUT | MPI_MODE_NOSUCCEED, win);
    } else if (is("other_communicators", argv)) {
        MPI_Comm half;
        MPI_Win part;
        MPI_Comm_split(comm, rank % 2, 0, &half);
        MPI_Win_create(&one, sizeof one, 1, MPI_INFO_NULL, half, &part);
        if (rank % 2) MPI_Win_fence(0, part);
        MPI_Win_free(&part);
        MPI_Comm_free(&half);
    }
    MPI_Win_free(&next);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
