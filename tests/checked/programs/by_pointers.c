// Windows of which some ranks alone have pointers to the memory of others, at some time: what may have been seen by them is known, and handed on.
//
// ranks: 4
// wrong not_complete: data race
// right asked_late
// right owner
// right told_by_put
// right told_by_pieces
// right told_elsewhere
#include <mpi.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank;
static const MPI_Comm comm = MPI_COMM_WORLD;
static MPI_Win win;
static long *mine, one = 1;

static int is(const char *name, char **argv) { return !strcmp(name, argv[1]); }

static void store(long *flag) { atomic_store((atomic_long *)flag, 1); }
static void await(long *flag) {
    while (!atomic_load((atomic_long *)flag)) {
    }
}
static long *part_of(int other) {
    MPI_Aint size;
    int unit;
    long *begin;
    MPI_Win_shared_query(win, other, &size, &unit, &begin);
    return begin;
}
static void put(int times) {
    for (int n = 0; n < times; n++) {
        MPI_Put(&one, 1, MPI_LONG, 3, 5, 1, MPI_LONG, win);
        MPI_Win_flush(3, win);
    }
}

// Rank 1 asks for the memory of rank 0 only after that has put over and over, and is about to put itself while rank 0 makes another call.
static void ask_late(void) {
    if (rank == 0) {
        put(5);
        store(mine + 1);
        await(mine + 2);
        MPI_Win_flush(2, win);
        store(mine + 3);
    }
    if (rank == 1) {
        long *theirs = part_of(0);
        await(theirs + 1);
        MPI_Put(&one, 1, MPI_LONG, 3, 5, 1, MPI_LONG, win);
        store(theirs + 2);
        await(theirs + 3);
        MPI_Win_flush(3, win);
    }
}

// Rank 0 has asked for nothing; rank 1 stores a flag into its memory, when its put is complete or not.
static void be_owner(int is_complete) {
    if (rank == 1) {
        long *theirs = part_of(0);
        put(4);
        MPI_Put(&one, 1, MPI_LONG, 3, 5, 1, MPI_LONG, win); // !not_complete
        if (is_complete) MPI_Win_flush(3, win);
        store(theirs + 1);
        await(theirs + 2);
    }
    if (rank == 0) {
        await(mine + 1);
        MPI_Put(&one, 1, MPI_LONG, 3, 5, 1, MPI_LONG, win); // !not_complete
        MPI_Win_flush(3, win);
        store(mine + 2);
    }
}

// Rank 2 has seen by a load what rank 0 has completed, and tells rank 1 by a put, which shares nothing.
static void tell(char **argv) {
    MPI_Comm sharing, telling = comm;
    MPI_Win flags, told;
    MPI_Datatype pieces;
    long *flag, *heard;
    MPI_Aint size;
    int unit, to = 1, lengths[] = {1, 1}, places[] = {0, 2};
    MPI_Comm_split(comm, rank == 1, rank, &sharing);
    if (is("told_elsewhere", argv)) {
        MPI_Comm_split(comm, rank == 1 || rank == 2, rank, &telling);
        to = 0;
    }
    MPI_Type_indexed(2, lengths, places, MPI_LONG, &pieces);
    MPI_Type_commit(&pieces);
    MPI_Win_allocate_shared(sizeof *flag, sizeof *flag, MPI_INFO_NULL, sharing, &flag, &flags);
    *flag = 0;
    if (rank != 1) MPI_Win_shared_query(flags, 0, &size, &unit, &flag);
    MPI_Win_allocate(8 * sizeof *heard, sizeof *heard, MPI_INFO_NULL, telling, &heard, &told);
    memset(heard, 0, 8 * sizeof *heard);
    MPI_Win_lock_all(0, told);
    MPI_Barrier(comm);
    if (rank == 0) {
        usleep(20000);
        put(3);
        store(flag);
    }
    // The first time says nothing.
    for (long time = 0; time < 2 && rank == 2; time++) {
        long values[] = {time, 0, time};
        if (time == 1) await(flag);
        if (is("told_by_pieces", argv))
            MPI_Put(values, 1, pieces, to, 0, 1, pieces, told);
        else
            MPI_Put(values, 1, MPI_LONG, to, 0, 1, MPI_LONG, told);
        MPI_Win_flush(to, told);
    }
    if (rank == 1) {
        await(heard);
        put(3);
    }
    MPI_Win_unlock_all(told);
    MPI_Barrier(comm);
    MPI_Win_free(&told);
    MPI_Win_free(&flags);
    MPI_Type_free(&pieces);
    if (telling != comm) MPI_Comm_free(&telling);
    MPI_Comm_free(&sharing);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    MPI_Win_allocate(8 * sizeof *mine, sizeof *mine, MPI_INFO_NULL, comm, &mine, &win);
    memset(mine, 0, 8 * sizeof *mine);
    MPI_Win_lock_all(0, win);
    MPI_Barrier(comm);
    if (is("asked_late", argv))
        ask_late();
    else if (is("owner", argv) || is("not_complete", argv))
        be_owner(is("owner", argv));
    else
        tell(argv);
    MPI_Win_unlock_all(win);
    MPI_Barrier(comm);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
