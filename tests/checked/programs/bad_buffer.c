// Memory that is not there, or only to be read: MPI 4.1 §3.2.2.
//
// ranks: 2
// wrong constant: bad buffer
// wrong protected: bad buffer
// wrong unmapped: bad buffer
// wrong too_short: bad buffer
// wrong gathered: bad buffer
// wrong beyond: bad buffer
// fails constant
// fails protected
// fails unmapped
// fails gathered
// right sent
// right unprotected
// right not_moved
// right within
// right in_pieces
#include <mpi.h>
#include <string.h>
#include <sys/mman.h>

static const int constant[4] = {1, 2, 3, 4};

int main(int argc, char **argv) {
    const char *variant = argc > 1 ? argv[1] : "";
#define IS(name) (!strcmp(variant, #name))
    MPI_Comm comm = MPI_COMM_WORLD;
    int rank, a[8] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (rank == 0) {
        MPI_Send(IS(sent) ? constant : a, 4, MPI_INT, 1, 0, comm);
    } else if (IS(constant)) {
        MPI_Recv((void *)constant, 4, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE); // !constant
    } else if (IS(protected)) {
        mprotect(pages, 8192, PROT_READ);
        MPI_Recv(pages, 4, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE); // !protected
    } else if (IS(unmapped)) {
        munmap(pages, 8192);
        MPI_Recv(pages, 4, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE); // !unmapped
    } else if (IS(too_short)) {
        munmap(pages + 4096, 4096);
        MPI_Recv(pages, 2048, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE); // !too_short
    } else if (IS(beyond)) {
        char *given;
        MPI_Alloc_mem(64, MPI_INFO_NULL, &given);
        MPI_Recv(given + 56, 4, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE); // !beyond
        MPI_Free_mem(given);
    } else if (IS(within)) {
        char *given;
        MPI_Alloc_mem(64, MPI_INFO_NULL, &given);
        MPI_Recv(given + 48, 4, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
        MPI_Free_mem(given);
    } else if (IS(in_pieces)) { // of MPI_Alloc_mem, some of which adjoin
        enum { pieces = 4 };
        char *given[pieces];
        int lengths[pieces] = {1024, 1024, 1024, 1024};
        MPI_Aint places[pieces];
        for (int i = 0; i < pieces; i++) {
            MPI_Alloc_mem(4096, MPI_INFO_NULL, &given[i]);
            MPI_Get_address(given[i], &places[i]);
        }
        MPI_Datatype all;
        MPI_Type_create_hindexed(pieces, lengths, places, MPI_INT, &all);
        MPI_Type_commit(&all);
        MPI_Recv(MPI_BOTTOM, 1, all, 0, 0, comm, MPI_STATUS_IGNORE);
        MPI_Type_free(&all);
        for (int i = 0; i < pieces; i++) MPI_Free_mem(given[i]);
    } else if (IS(unprotected)) {
        mprotect(pages, 8192, PROT_READ), mprotect(pages, 8192, PROT_READ | PROT_WRITE);
        MPI_Recv(pages + 8176, 4, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(a, 4, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
    }
    if (IS(not_moved)) {
        MPI_Recv((void *)constant, 4, MPI_INT, MPI_PROC_NULL, 0, comm, MPI_STATUS_IGNORE);
        MPI_Bcast((void *)constant, 4, MPI_INT, 0, MPI_COMM_SELF);
        MPI_Recv((void *)constant, 0, MPI_INT, MPI_PROC_NULL, 0, comm, MPI_STATUS_IGNORE);
    }
    if (IS(gathered)) MPI_Gather(a, 2, MPI_INT, (void *)constant, 2, MPI_INT, 0, comm); // !gathered
    MPI_Finalize();
    return 0;
}
