/* ranks: 1 3; launcher: mpiexec hydra */
/* ranks: 1; launcher: alone */
/* A program that uses sessions, one after the other, and never calls MPI_Init. */
#include "check.h"

int main(void)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Datatype type;
    int bytes = 0, initialized = 1;
    for (int n = 0; n < 3; n++) {
        OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
        OK(MPI_Group_from_session_pset(session, "mpi://WORLD", &group));
        OK(MPI_Group_rank(group, &rank));
        OK(MPI_Group_free(&group));
        OK(MPI_Type_contiguous(3, MPI_INT, &type));
        OK(MPI_Type_commit(&type));
        OK(MPI_Type_size(type, &bytes));
        CHECK_EQ(bytes, 12);
        OK(MPI_Type_free(&type));
        OK(MPI_Initialized(&initialized));
        CHECK_EQ(initialized, 0);
        OK(MPI_Session_finalize(&session));
    }
    return 0;
}
