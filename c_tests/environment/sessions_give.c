/* ranks: 2 4; launcher: mpiexec hydra; mpich: skip it ends the job */
/* Processes that give to an operation and end before its root comes: nobody waits for them any more, and the root gets what they
 * gave. */
#include "check.h"
#include <unistd.h>

enum { N = 100 };

int main(void)
{
    static int mine[N], sums[N], all[8 * N];
    MPI_Session session;
    MPI_Group world;
    MPI_Comm comm;
    int i, from, round;
    OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
    OK(MPI_Group_from_session_pset(session, "mpi://WORLD", &world));
    OK(MPI_Comm_create_from_group(world, "give", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    OK(MPI_Group_free(&world));
    OK(MPI_Comm_rank(comm, &rank));
    OK(MPI_Comm_size(comm, &size));
    for (i = 0; i < N; i++)
        mine[i] = rank + i;
    OK(MPI_Barrier(comm));
    for (round = 0; round < 2; round++) {
        /* The others are gone then; one by one, the last of them while the root waits. */
        if (rank == 0)
            usleep(round == 0 ? 100000 : 0);
        else if (rank == size - 1 && round == 1)
            usleep(200000);
        OK(MPI_Reduce(mine, sums, N, MPI_INT, MPI_SUM, 0, comm));
        OK(MPI_Gather(mine, N, MPI_INT, all, N, MPI_INT, 0, comm));
        for (i = 0; rank == 0 && i < N; i++)
            CHECK_EQ(sums[i], size * (size - 1) / 2 + size * i);
        for (from = 0; rank == 0 && from < size; from++)
            CHECK_EQ(all[from * N + N - 1], from + N - 1);
    }
    OK(MPI_Comm_free(&comm));
    OK(MPI_Session_finalize(&session));
    return 0;
}
