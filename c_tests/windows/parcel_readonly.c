/* ranks: 2 3; name: waits; args: 0; env: RMASHM_ADOPT=false; mpich: skip a store there ends the process */
/* ranks: 2 3; name: computes; args: 1; env: RMASHM_ADOPT=false; mpich: skip a store there ends the process */
/* A window over memory that its owner may not write: who updates it gets an error, whether the owner waits or not, and who fetches
 * gets what is there. */
#include "carried.h"

#include <sys/mman.h>

enum { A_PAGE = 4096, N = A_PAGE / 8 };

static MPI_Win win;

static void fetch(void)
{
    int64_t got[N];
    memset(got, 0, sizeof got);
    OK(MPI_Get_accumulate(NULL, 0, MPI_INT64_T, got, N, MPI_INT64_T, 0, 0, N, MPI_INT64_T, MPI_NO_OP, win));
    OK(MPI_Win_flush(0, win));
    for (int i = 0; i < N; i++)
        CHECK_EQ(got[i], i);
}

int main(int argc, char **argv)
{
    int64_t one = 1, seven = 7, before, *memory = NULL;
    int computes = argc > 1 && atoi(argv[1]);
    check_start(&argc, &argv);
    ask_for_little();
    if (rank == 0) {
        memory = mmap(NULL, A_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        CHECK(memory != MAP_FAILED);
        for (int i = 0; i < N; i++)
            memory[i] = i;
        CHECK(mprotect(memory, A_PAGE, PROT_READ) == 0);
    }
    OK(MPI_Win_create(memory, rank == 0 ? A_PAGE : 0, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    OK(MPI_Win_lock_all(0, win));
    barrier();
    for (int i = 0; rank > 0 && i < 20; i++) {
        fetch();
        CHECK_CLASS(MPI_Accumulate(&one, 1, MPI_INT64_T, 0, 7, 1, MPI_INT64_T, MPI_SUM, win), MPI_ERR_OTHER);
        CHECK_CLASS(MPI_Fetch_and_op(&one, &before, MPI_INT64_T, 0, 7, MPI_SUM, win), MPI_ERR_OTHER);
        CHECK_CLASS(MPI_Compare_and_swap(&one, &seven, &before, MPI_INT64_T, 0, 7, win), MPI_ERR_OTHER);
        fetch();
    }
    if (rank == 0 && computes)
        for (volatile int i = 0; i < 50000000; i++)
            ;
    barrier();
    for (int i = 0; rank == 0 && i < N; i++)
        CHECK_EQ(memory[i], i);
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Win_free(&win));
    return check_end();
}
