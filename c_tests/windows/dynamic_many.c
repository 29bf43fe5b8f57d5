/* ranks: 2; seconds: 40 */
/* 100,000 regions are attached in no order, reached by others while more come and go, and detached: what one change and one
 * access cost does not grow with their number (MPI 4.1 section 12.2.4). A cost that grows with it would take minutes. */
#include "check.h"

#define REGIONS 100000
#define EACH 64

static MPI_Win win;
static char *memory;

static long place(long i)
{
    return i * 7919 % REGIONS;
}

/* Adds one to some of the other rank's regions, and misses what lies between them. */
static void reach(MPI_Aint theirs, long from, long behind)
{
    long one = 1;
    for (long i = from; i < behind; i += 97)
        OK(MPI_Accumulate(&one, 1, MPI_LONG, 1 - rank, theirs + EACH * place(i), 1, MPI_LONG, MPI_SUM, win));
#ifdef RMASHM
    CHECK_CLASS(MPI_Put(memory, 40, MPI_BYTE, 1 - rank, theirs + EACH * place(from), 40, MPI_BYTE, win), MPI_ERR_RMA_RANGE);
    CHECK_CLASS(MPI_Put(&one, 1, MPI_BYTE, 1 - rank, theirs + EACH * place(from) + 32, 1, MPI_BYTE, win), MPI_ERR_RMA_RANGE);
#endif
}

int main(int argc, char **argv)
{
    MPI_Aint all[2], mine;
    check_start(&argc, &argv);
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    OK(MPI_Alloc_mem((MPI_Aint)REGIONS * EACH, MPI_INFO_NULL, &memory));
    memset(memory, 0, (size_t)REGIONS * EACH);
    OK(MPI_Get_address(memory, &mine));
    OK(MPI_Allgather(&mine, 1, MPI_AINT, all, 1, MPI_AINT, MPI_COMM_WORLD));
    for (long i = 0; i < REGIONS / 2; i++)
        OK(MPI_Win_attach(win, memory + EACH * place(i), 32));
    barrier();
    OK(MPI_Win_lock_all(0, win));
    if (rank == 1) /* while the other rank changes its tree */
        reach(all[0], 0, REGIONS / 2);
    else
        for (long i = REGIONS / 2; i < REGIONS; i++)
            OK(MPI_Win_attach(win, memory + EACH * place(i), 32));
    barrier();
    if (rank == 1)
        for (long i = REGIONS / 2; i < REGIONS; i++)
            OK(MPI_Win_attach(win, memory + EACH * place(i), 32));
    barrier();
    reach(all[1 - rank], REGIONS / 2, REGIONS);
    OK(MPI_Win_unlock_all(win));
    barrier();
    for (long i = 0; i < REGIONS; i++) {
        long *counter = (long *)(void *)(memory + EACH * place(i)), half = REGIONS / 2;
        int counted = i < half ? rank == 0 && i % 97 == 0 : (i - half) % 97 == 0;
        CHECK_EQ(*counter, counted);
    }
#ifdef RMASHM
    CHECK_CLASS(MPI_Win_attach(win, memory, EACH), MPI_ERR_RMA_ATTACH);
    CHECK_CLASS(MPI_Win_attach(win, memory + 8, 8), MPI_ERR_RMA_ATTACH);
    CHECK_CLASS(MPI_Win_detach(win, memory + 8), MPI_ERR_BASE);
#endif
    for (long i = 0; i < REGIONS; i++)
        OK(MPI_Win_detach(win, memory + EACH * i));
#ifdef RMASHM
    CHECK_CLASS(MPI_Win_detach(win, memory), MPI_ERR_BASE);
#endif
    OK(MPI_Win_free(&win));
    OK(MPI_Free_mem(memory));
    return check_end();
}
