// What is received into is gone, or may not be written, when the library comes to it: MPI 4.1 §3.7.2, §3.9, §6.12, §12.3. Each process ends by a signal.
//
// ranks: 2
// wrong freed: buffer freed
// wrong unmapped: buffer freed
// wrong only_read: bad buffer
// wrong persistent: buffer freed
// wrong arrived: buffer freed
// wrong collective: buffer freed
// wrong second_half: buffer freed
// wrong got: bad buffer
// fails freed
// fails unmapped
// fails only_read
// fails persistent
// fails arrived
// fails collective
// fails second_half
// fails got
// right later
// right again
// right handled
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { SIZE = 1 << 20 };

static sigjmp_buf behind;

static void caught(int signal) {
    siglongjmp(behind, signal);
}

static char *pages(void) {
    return mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

int main(int argc, char **argv) {
    const char *variant = argc > 1 ? argv[1] : "";
#define IS(name) (!strcmp(variant, #name))
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Request request = MPI_REQUEST_NULL;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    char *sent = calloc(1, 4 * SIZE), *into = pages();
    if (IS(collective)) {
        MPI_Iallreduce(sent, into, 16, MPI_INT, MPI_SUM, comm, &request);
        munmap(into, SIZE);
        MPI_Wait(&request, MPI_STATUS_IGNORE); // !collective
    } else if (IS(got)) {
        MPI_Win win;
        char *base;
        MPI_Win_allocate(64, 1, MPI_INFO_NULL, comm, &base, &win);
        munmap(into, SIZE);
        MPI_Win_fence(0, win);
        if (rank == 0) {
            MPI_Get(into, 8, MPI_CHAR, 1, 0, 8, MPI_CHAR, win); // !got
        }
        MPI_Win_fence(0, win);
        MPI_Win_free(&win);
    } else if (rank == 1) {
        MPI_Barrier(comm);
        int n = IS(freed) ? 4 * SIZE : IS(second_half) ? SIZE : 64;
        MPI_Send(sent, n, MPI_CHAR, 0, 0, comm);
        if (IS(again)) {
            MPI_Send(sent, n, MPI_CHAR, 0, 0, comm);
        }
    } else if (IS(freed)) {
        char *heap = malloc(4 * SIZE);
        MPI_Irecv(heap, 4 * SIZE, MPI_CHAR, 1, 0, comm, &request);
        free(heap);
        MPI_Barrier(comm);
        MPI_Wait(&request, MPI_STATUS_IGNORE); // !freed
    } else if (IS(persistent)) { // the message comes behind the start
        MPI_Recv_init(into, 64, MPI_CHAR, 1, 0, comm, &request);
        munmap(into, SIZE);
        MPI_Start(&request); // !persistent
        MPI_Barrier(comm);
        MPI_Wait(&request, MPI_STATUS_IGNORE); // !persistent
        MPI_Request_free(&request);
    } else if (IS(arrived) || IS(again)) { // or before it
        MPI_Recv_init(into, 64, MPI_CHAR, 1, 0, comm, &request);
        MPI_Barrier(comm);
        MPI_Probe(1, 0, comm, MPI_STATUS_IGNORE);
        if (IS(again)) {
            MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Probe(1, 0, comm, MPI_STATUS_IGNORE);
        } else {
            munmap(into, SIZE);
        }
        MPI_Start(&request); // !arrived
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    } else {
        MPI_Irecv(into, IS(second_half) ? SIZE : 64, MPI_CHAR, 1, 0, comm, &request);
        if (IS(unmapped)) {
            munmap(into, SIZE);
        }
        if (IS(only_read)) {
            mprotect(into, SIZE, PROT_READ);
        }
        if (IS(second_half)) {
            munmap(into + SIZE / 2, SIZE / 2);
        }
        if (IS(handled)) { // the program's own fault, for which it has a handler
            signal(SIGSEGV, caught);
            if (!sigsetjmp(behind, 1)) {
                *(volatile char *)8 = 1;
            }
        }
        MPI_Barrier(comm);
        MPI_Wait(&request, MPI_STATUS_IGNORE); // !unmapped !only_read !second_half
        if (IS(later)) {
            munmap(into, SIZE);
        }
    }
    free(sent);
    MPI_Finalize();
    return 0;
}
