/* ranks: 2 4 8; mpich: skip it is about what rmashm does with the program's memory; wrong: puts and accumulates of all ranks race, so that all of them are seen while memory moves */
/* A window's memory moves while others use it: all updates are atomic, before, after and across the move, and none is lost; so it
 * is for memory that is attached. That it moved is seen at last. */
#include "adopt.h"

enum { WORDS = 300, LEAST = 300, MOST = 200000 };

static int is_moved(MPI_Win win, int target, int dynamic)
{
    return !dynamic && loads_of(win, target) != NULL;
}

/* All but the owner update the owner's words, one by one and all at once, until they have moved, and a while longer. */
static void play(int owner, int dynamic, int waits)
{
    int64_t *words = calloc(WORDS, sizeof *words), ones[WORDS], got[WORDS], one = 1, before = 0;
    int64_t mine[3] = {0, 0, 0}, all[3];
    MPI_Aint at = 0;
    MPI_Win win;
    int done = 0, moved = 0;
    if (dynamic) {
        MPI_Info info;
        OK(MPI_Info_create(&info));
        OK(MPI_Info_set(info, "rmashm_adopt", "auto"));
        OK(MPI_Win_create_dynamic(info, MPI_COMM_WORLD, &win));
        OK(MPI_Info_free(&info));
        if (rank == owner) {
            OK(MPI_Win_attach(win, words, WORDS * sizeof *words));
            OK(MPI_Get_address(words, &at));
        }
        OK(MPI_Bcast(&at, 1, MPI_AINT, owner, MPI_COMM_WORLD));
    } else
        win = window_of(MPI_COMM_WORLD, words, WORDS * sizeof *words, "auto");
    for (int i = 0; i < WORDS; i++)
        ones[i] = 1;
    OK(MPI_Win_lock_all(0, win));
    if (rank != owner) {
        int64_t last = -1;
        for (int i = 0; i < MOST && !(moved && done > LEAST); i++, done++) {
            switch (mix((uint64_t)rank, (uint64_t)i) % 4) {
            case 0:
                OK(MPI_Accumulate(ones, WORDS, MPI_INT64_T, owner, at, WORDS, MPI_INT64_T, MPI_SUM, win));
                mine[0]++;
                break;
            case 1:
                OK(MPI_Fetch_and_op(&one, &before, MPI_INT64_T, owner, at, MPI_SUM, win));
                CHECK(before > last);
                last = before;
                mine[1]++;
                break;
            case 2:
                OK(MPI_Get_accumulate(ones, 2, MPI_INT64_T, got, 2, MPI_INT64_T, owner, at + 8, 2, MPI_INT64_T, MPI_SUM, win));
                mine[2]++;
                break;
            default:
                OK(MPI_Put(&one, 1, MPI_INT64_T, owner, at + 8 * (WORDS - 1 - rank), 1, MPI_INT64_T, win));
            }
            OK(MPI_Win_flush(owner, win));
            if (i % 16 == 0)
                moved = is_moved(win, owner, dynamic) || (dynamic && i > 3000);
        }
        CHECK(moved);
    } else if (!waits) {
        /* The owner is in MPI, but waits for nothing. */
        for (int arrived = 0; arrived < size - 1;) {
            int flag;
            OK(MPI_Iprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
            if (flag) {
                OK(MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
                arrived++;
            }
            OK(MPI_Win_flush(owner, win));
        }
    }
    if (rank != owner && !waits)
        OK(MPI_Send(NULL, 0, MPI_BYTE, owner, 5, MPI_COMM_WORLD));
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Reduce(mine, all, 3, MPI_INT64_T, MPI_SUM, owner, MPI_COMM_WORLD));
    if (rank == owner) {
        CHECK_EQ(words[0], all[0] + all[1]);
        CHECK_EQ(words[1], all[0] + all[2]);
        CHECK_EQ(words[2], all[0] + all[2]);
        CHECK_EQ(words[3], all[0]);
        CHECK_EQ(words[WORDS / 2], all[0]);
    }
    barrier();
    if (dynamic && rank == owner)
        OK(MPI_Win_detach(win, words));
    OK(MPI_Win_free(&win));
    if (rank == owner)
        CHECK_EQ(words[3], all[0]);
    free(words);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    for (int turn = 0; turn < 6; turn++) {
        int owner = turn % size;
        play(owner, 0, 1);
        play(owner, 0, 0);
        play(owner, 1, 1);
    }
    return check_end();
}
