// What is sent changes before its request is complete: MPI 4.1 §3.7.2, §6.12.
//
// ranks: 2
// wrong one_byte: buffer changed
// wrong large: buffer changed
// wrong strided: buffer changed
// wrong collective: buffer changed
// wrong persistent: buffer changed
// wrong unmapped: buffer freed
// wrong half_unmapped: buffer freed
// wrong unmapped_persistent: buffer freed
// right untouched
// right gaps
// right received
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LARGE = 1 << 20 };

int main(int argc, char **argv) {
    const char *variant = argc > 1 ? argv[1] : "";
#define IS(name) (!strcmp(variant, #name))
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Request request = MPI_REQUEST_NULL;
    int rank, a[64] = {0}, b[64];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    int other = 1 - rank;
    if (IS(one_byte)) {
        MPI_Isend(a, 64, MPI_INT, other, 0, comm, &request); // !one_byte
        ((char *)a)[200] = 1;
        MPI_Recv(b, 64, MPI_INT, other, 0, comm, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE); // !one_byte
    }
    if (IS(large)) {
        char *much = calloc(LARGE, 2);
        MPI_Isend(much, LARGE, MPI_CHAR, other, 0, comm, &request); // !large
        memset(much, 7, LARGE);
        MPI_Recv(much + LARGE, LARGE, MPI_CHAR, other, 0, comm, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE); // !large
        free(much);
    }
    if (IS(strided) || IS(gaps)) {
        MPI_Datatype even;
        MPI_Type_vector(32, 1, 2, MPI_INT, &even);
        MPI_Type_commit(&even);
        MPI_Isend(a, 1, even, other, 0, comm, &request); // !strided
        a[IS(gaps) ? 31 : 30] = 1;
        MPI_Recv(b, 32, MPI_INT, other, 0, comm, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE); // !strided
        MPI_Type_free(&even);
    }
    if (IS(collective)) {
        MPI_Iallreduce(a, b, 64, MPI_INT, MPI_SUM, comm, &request); // !collective
        a[5] = 3;
        MPI_Wait(&request, MPI_STATUS_IGNORE); // !collective
    }
    if (IS(persistent)) {
        MPI_Send_init(a, 64, MPI_INT, other, 0, comm, &request);
        for (int i = 0; i < 2; i++) {
            MPI_Start(&request); // !persistent
            a[0] += i;
            MPI_Recv(b, 64, MPI_INT, other, 0, comm, MPI_STATUS_IGNORE);
            MPI_Wait(&request, MPI_STATUS_IGNORE); // !persistent
            a[1]++;
        }
        MPI_Request_free(&request);
    }
    if (IS(unmapped)) {
        void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        MPI_Isend(page, 16, MPI_INT, other, 0, comm, &request); // !unmapped
        munmap(page, 4096);
        MPI_Recv(b, 16, MPI_INT, other, 0, comm, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE); // !unmapped
    }
    if (IS(half_unmapped)) {
        char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        MPI_Isend(pages + 4092, 2, MPI_INT, other, 0, comm, &request); // !half_unmapped
        munmap(pages + 4096, 4096);
        MPI_Recv(b, 2, MPI_INT, other, 0, comm, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE); // !half_unmapped
    }
    if (IS(unmapped_persistent)) {
        void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        MPI_Send_init(page, 16, MPI_INT, other, 0, comm, &request);
        MPI_Start(&request); // !unmapped_persistent
        munmap(page, 4096);
        MPI_Recv(b, 16, MPI_INT, other, 0, comm, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE); // !unmapped_persistent
        MPI_Request_free(&request);
    }
    if (IS(untouched)) {
        for (int i = 0; i < 3; i++) {
            MPI_Isend(a, 64, MPI_INT, other, 0, comm, &request);
            MPI_Recv(b, 64, MPI_INT, other, 0, comm, MPI_STATUS_IGNORE);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            memcpy(a, b, sizeof a), a[i] = i;
        }
    }
    if (IS(received)) {
        MPI_Irecv(b, 64, MPI_INT, other, 0, comm, &request);
        MPI_Send(a, 64, MPI_INT, other, 0, comm);
        a[3] = 4;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
