// Assertions of fences and posts that are not true: MPI 4.1 §12.5.5.
//
// ranks: 2
// wrong noput_fence: wrong assertion
// wrong noput_fence_accumulate: wrong assertion
// wrong noput_own: wrong assertion
// wrong noput_post: wrong assertion
// wrong noput_post_accumulate: wrong assertion
// wrong noput_post_second: wrong assertion
// wrong nostore: wrong assertion
// wrong nostore_receive: wrong assertion
// wrong nostore_get: wrong assertion
// right noput_gets
// right noput_next_epoch
// right noput_of_another
// right noput_post_gets
// right nostore_puts
// right nostore_after_lock
// right nostore_nothing
// right nostore_other_window
#include <mpi.h>
#include <string.h>

static const MPI_Comm comm = MPI_COMM_WORLD;
static char *variant;
static int is(const char *name) { return !strcmp(name, variant); }
static int begins(const char *name) { return !strncmp(name, variant, strlen(name)); }

int main(int argc, char **argv) {
    int rank;
    long memory[8] = {0}, one = 1, old = 0, got[8];
    MPI_Win win, second;
    MPI_Group all, others;
    MPI_Init(&argc, &argv);
    variant = argv[1];
    MPI_Comm_rank(comm, &rank);
    MPI_Win_create(memory, sizeof memory, sizeof(long), MPI_INFO_NULL, comm, &win);
    MPI_Comm_group(comm, &all);
    int to = 1 - rank;
    MPI_Group_incl(all, 1, &to, &others);
    if (begins("noput_post")) {
        for (int n = 0; n < 3; n++) {
            // The first time all is allowed.
            MPI_Win_post(others, n ? MPI_MODE_NOPUT : 0, win);
            MPI_Win_start(others, 0, win);
            if (!n || is("noput_post") || (is("noput_post_second") && n == 2))
                MPI_Put(&one, 1, MPI_LONG, to, 1, 1, MPI_LONG, win);
            else if (is("noput_post_accumulate"))
                MPI_Accumulate(&one, 1, MPI_LONG, to, 1, 1, MPI_LONG, MPI_SUM, win);
            else
                MPI_Get(&old, 1, MPI_LONG, to, 1, 1, MPI_LONG, win);
            MPI_Win_complete(win);
            MPI_Win_wait(win); // !noput_post !noput_post_accumulate !noput_post_second
        }
    } else if (begins("noput")) {
        MPI_Win_create(got, sizeof got, sizeof(long), MPI_INFO_NULL, comm, &second);
        MPI_Win_fence(MPI_MODE_NOPRECEDE, second);
        MPI_Win_fence(MPI_MODE_NOPRECEDE | (rank || is("noput_own") ? MPI_MODE_NOPUT : 0), win);
        if (is("noput_fence")) {
            if (rank == 0) MPI_Put(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win); // !noput_fence
        } else if (is("noput_fence_accumulate")) {
            if (rank == 0) MPI_Fetch_and_op(&one, &old, MPI_LONG, 1, 0, MPI_SUM, win); // !noput_fence_accumulate
        } else if (is("noput_own")) {
            MPI_Put(&one, 1, MPI_LONG, rank, 0, 1, MPI_LONG, win); // !noput_own
        } else if (is("noput_of_another")) {
            // Rank 0 has promised nothing, nor has anybody of the other window.
            if (rank == 1) MPI_Put(&one, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
            if (rank == 0) MPI_Put(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, second);
        } else {
            MPI_Get(&old, 1, MPI_LONG, to, 0, 1, MPI_LONG, win);
            if (is("noput_gets")) MPI_Get_accumulate(NULL, 0, MPI_LONG, got + 1, 1, MPI_LONG, to, 1, 1, MPI_LONG, MPI_NO_OP, win);
        }
        MPI_Win_fence(0, win);
        if (is("noput_next_epoch")) MPI_Put(&one, 1, MPI_LONG, to, 0, 1, MPI_LONG, win);
        MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
        MPI_Win_fence(MPI_MODE_NOSUCCEED, second);
        MPI_Win_free(&second);
    } else if (begins("nostore")) {
        if (is("nostore_other_window")) {
            MPI_Win_create(memory, sizeof memory, sizeof(long), MPI_INFO_NULL, comm, &second);
            MPI_Win_lock_all(0, second);
        }
        for (int n = 0; n < 4; n++) {
            MPI_Win_fence(MPI_MODE_NOSTORE, win); // !nostore !nostore_receive !nostore_get
            if (is("nostore") && rank == 0) memory[3] = n + 10;
            if (is("nostore_receive") && rank == 0) {
                long value = n + 1;
                MPI_Sendrecv(&value, 1, MPI_LONG, 0, 0, memory + 2, 1, MPI_LONG, 0, 0, comm, MPI_STATUS_IGNORE);
            }
            if (is("nostore_get") && rank == 0) {
                got[0] = n;
                MPI_Get(memory + 4, 1, MPI_LONG, 1, 5, 1, MPI_LONG, win);
            }
            if (is("nostore_get") && rank == 1) memory[5] = n + 1;
            if (is("nostore_puts")) {
                long *value = got + n;
                *value = n + 1;
                MPI_Put(value, 1, MPI_LONG, to, 0, 1, MPI_LONG, win);
            }
            if (is("nostore_other_window")) {
                got[n] = n + 1;
                MPI_Put(got + n, 1, MPI_LONG, to, 0, 1, MPI_LONG, second);
                MPI_Win_flush(to, second);
            }
            if (is("nostore_after_lock")) {
                MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
                memory[1] = n + 1;
                MPI_Win_unlock(rank, win);
            }
        }
        MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
        if (is("nostore_other_window")) {
            MPI_Win_unlock_all(second);
            MPI_Win_free(&second);
        }
    }
    MPI_Group_free(&others);
    MPI_Group_free(&all);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
