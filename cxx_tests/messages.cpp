// Blocking messages in all modes, probes, statuses, buffers.
#include "check.hpp"

#include <vector>

static void modes(const MPI::Comm& comm, int rank, int size)
{
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    std::vector<char> space(4 * (1000 + MPI::BSEND_OVERHEAD));
    MPI::Attach_buffer(&space[0], static_cast<int>(space.size()));
    int sent[4] = {rank, rank + 1, rank + 2, rank + 3}, received[4] = {-1, -1, -1, -1};
    MPI::Status status;

    comm.Bsend(sent, 4, MPI::INT, next, 1);
    comm.Recv(received, 4, MPI::INT, before, 1, status);
    CHECK(received[0] == before && received[3] == before + 3);
    CHECK(status.Get_source() == before && status.Get_tag() == 1);
    CHECK(status.Get_count(MPI::INT) == 4 && status.Get_elements(MPI::INT) == 4 && !status.Is_cancelled());

    MPI::Request request = comm.Irecv(received, 4, MPI::INT, before, 2);
    comm.Barrier();
    comm.Rsend(sent, 3, MPI::INT, next, 2);
    request.Wait(status);
    CHECK(received[2] == before + 2 && status.Get_count(MPI::INT) == 3);

    request = comm.Irecv(received, 4, MPI::INT, before, 3);
    comm.Ssend(sent, 1, MPI::INT, next, 3);
    request.Wait();
    CHECK(received[0] == before);

    request = comm.Isend(sent, 2, MPI::INT, next, 4);
    comm.Probe(before, MPI::ANY_TAG, status);
    CHECK(status.Get_tag() == 4 && status.Get_count(MPI::INT) == 2);
    comm.Probe(before, 4);
    CHECK(comm.Iprobe(before, 4, status) && comm.Iprobe(MPI::ANY_SOURCE, 4) && !comm.Iprobe(before, 99));
    comm.Recv(received, 2, MPI::INT, before, 4);
    request.Wait();
    CHECK(received[1] == before + 1);

    comm.Sendrecv(sent, 4, MPI::INT, next, 5, received, 4, MPI::INT, before, 5, status);
    CHECK(received[0] == before && status.Get_source() == before);
    comm.Sendrecv(sent, 4, MPI::INT, next, 6, received, 4, MPI::INT, before, 6);
    comm.Sendrecv_replace(received, 4, MPI::INT, before, 7, next, 7, status);
    CHECK(received[0] == rank && status.Get_source() == next);
    comm.Sendrecv_replace(received, 4, MPI::INT, next, 8, before, 8);
    CHECK(received[0] == before);
    comm.Send(sent, 1, MPI::INT, MPI::PROC_NULL, 9);
    comm.Recv(received, 1, MPI::INT, MPI::PROC_NULL, 9, status);
    CHECK(status.Get_source() == MPI::PROC_NULL && status.Get_count(MPI::INT) == 0);

    void* detached = 0;
    CHECK(MPI::Detach_buffer(detached) == static_cast<int>(space.size()) && detached == &space[0]);
}

static void statuses()
{
    MPI::Status status;
    status.Set_source(3);
    status.Set_tag(5);
    status.Set_error(MPI::ERR_TRUNCATE);
    status.Set_elements(MPI::DOUBLE, 7);
    status.Set_cancelled(true);
    MPI::Status copy(status);
    CHECK(copy.Get_source() == 3 && copy.Get_tag() == 5 && copy.Get_error() == MPI::ERR_TRUNCATE);
    CHECK(copy.Get_count(MPI::DOUBLE) == 7 && copy.Is_cancelled());
}

int main(int argc, char** argv)
{
    MPI::Init(argc, argv);
    const int rank = MPI::COMM_WORLD.Get_rank(), size = MPI::COMM_WORLD.Get_size();
    modes(MPI::COMM_WORLD, rank, size);
    statuses();
    return conclude();
}
