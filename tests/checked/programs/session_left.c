// A session that the program never finalizes: MPI 4.1 §11.3.1. What else is left is told all the same.
//
// ranks: 2
// wrong beside: not freed
// wrong alone: not freed
// wrong two: not freed
// wrong file: not freed
// right behind
// right finalized
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv) {
    const char *variant = argc > 1 ? argv[1] : "";
#define IS(name) (!strcmp(variant, #name))
    MPI_Session session, second;
    MPI_File opened;
    if (!IS(alone)) {
        MPI_Init(&argc, &argv);
    }
    if (!IS(file) && !IS(two)) {
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session); // !beside !alone
    }
    if (IS(two)) {
        for (int i = 0; i < 2; i++) {
            MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, i ? &session : &second); // !two
        }
    }
    if (IS(file)) { // which the end of the world tells of, where no session keeps that from being the end
        MPI_File_open(MPI_COMM_SELF, "/dev/null", MPI_MODE_RDWR, MPI_INFO_NULL, &opened); // !file
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);                     // !file
    }
    if (IS(finalized)) {
        MPI_Session_finalize(&session);
    }
    if (!IS(alone)) {
        MPI_Finalize();
    }
    if (IS(behind)) {
        MPI_Session_finalize(&session);
    }
    return 0;
}
