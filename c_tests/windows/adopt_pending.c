/* ranks: 2; name: same; args: 0; mpich: skip it is about what rmashm does with the program's memory */
/* ranks: 2; name: beside; args: 1; mpich: skip it is about what rmashm does with the program's memory */
/* A message is on its way, whose receiver copies it out of this process's memory, while windows on the same pages come and go: of
 * the same array, or of bytes that lie behind it. What arrives is what was sent. */
#include "adopt.h"

#include <sys/mman.h>

enum { BYTES = 1 << 20, SENT = BYTES - 2048, TURNS = 150 };

int main(int argc, char **argv)
{
    int beside = argc > 1 && atoi(argv[1]);
    check_start(&argc, &argv);
    unsigned char *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED);
    for (int turn = 0; turn < TURNS; turn++) {
        if (rank == 0) {
            MPI_Request request;
            memset(memory, 7, SENT);
            unsigned char *at = beside ? memory + SENT : memory;
            size_t bytes = beside ? 512 : SENT;
            MPI_Win window = window_of(MPI_COMM_SELF, at, bytes, "true");
            MPI_Isend(memory, SENT, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
            MPI_Send(NULL, 0, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
            MPI_Win_free(&window);
            for (int i = 0; beside && i < 100; i++) {
                window = window_of(MPI_COMM_SELF, at, bytes, "true");
                MPI_Win_free(&window);
            }
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            for (int i = 0; i < SENT; i++)
                CHECK_EQ(memory[i], 7);
        } else {
            memset(memory, 1, SENT);
            MPI_Recv(NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            usleep((unsigned)(turn % 4 * 60));
            MPI_Recv(memory, SENT, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (int i = 0; i < SENT; i++)
                CHECK_EQ(memory[i], 7);
        }
    }
    munmap(memory, BYTES);
    return check_end();
}
