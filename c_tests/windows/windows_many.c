/* ranks: 2 4; mpich: skip it dies between 2,032 and 2,047 live windows */
/* Twenty thousand windows live at once on one communicator, of four flavours, each with its own memory. */
#include "check.h"

#define WINDOWS 20000

static MPI_Win windows[WINDOWS];
static int *memory[WINDOWS];
static int created[WINDOWS];

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    for (int i = 0; i < WINDOWS; i++) {
        memory[i] = &created[i];
        if (i % 4 == 3) {
            OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &windows[i]));
            OK(MPI_Win_attach(windows[i], memory[i], sizeof(int)));
        } else if (i % 4 == 0)
            OK(MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory[i], &windows[i]));
        else if (i % 4 == 1)
            OK(MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory[i], &windows[i]));
        else
            OK(MPI_Win_create(memory[i], sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &windows[i]));
        *memory[i] = -1;
    }
    MPI_Aint mine, there;
    OK(MPI_Get_address(created, &mine));
    OK(MPI_Sendrecv(&mine, 1, MPI_AINT, previous, 0, &there, 1, MPI_AINT, next, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    barrier();
    for (int i = 0; i < WINDOWS; i++) {
        int value = 10 * i + rank;
        MPI_Aint disp = i % 4 == 3 ? MPI_Aint_add(there, i * (MPI_Aint)sizeof(int)) : 0;
        OK(MPI_Win_lock(MPI_LOCK_SHARED, next, 0, windows[i]));
        OK(MPI_Put(&value, 1, MPI_INT, next, disp, 1, MPI_INT, windows[i]));
        OK(MPI_Win_unlock(next, windows[i]));
    }
    barrier();
    for (int i = 0; i < WINDOWS; i++)
        CHECK_EQ(*memory[i], 10 * i + previous);
    /* Freed in another order than made. */
    for (int i = 0; i < WINDOWS; i++)
        OK(MPI_Win_free(&windows[(i * 7) % WINDOWS]));
    return check_end();
}
