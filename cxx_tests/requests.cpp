// Requests: completion of one and of many, persistent ones, those of the program's own.
#include "check.hpp"

static void many(int rank, int size)
{
    enum { N = 20 };
    const MPI::Intracomm& comm = MPI::COMM_WORLD;
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    int sent[N], received[N], indices[2 * N], index;
    MPI::Request requests[2 * N];
    MPI::Status statuses[2 * N], status;

    for (int round = 0; round < 8; round++) {
        for (int i = 0; i < N; i++) {
            sent[i] = 100 * rank + i;
            received[i] = -1;
            requests[i] = comm.Irecv(&received[i], 1, MPI::INT, before, i);
            requests[N + i] = i % 2 ? comm.Isend(&sent[i], 1, MPI::INT, next, i) : comm.Issend(&sent[i], 1, MPI::INT, next, i);
        }
        int left = 2 * N;
        switch (round) {
        case 0:
            MPI::Request::Waitall(2 * N, requests, statuses);
            CHECK(statuses[3].Get_tag() == 3 && statuses[19].Get_source() == before);
            break;
        case 1: MPI::Request::Waitall(2 * N, requests); break;
        case 2:
            while (!MPI::Request::Testall(2 * N, requests, statuses)) { }
            CHECK(statuses[5].Get_tag() == 5);
            break;
        case 3: while (!MPI::Request::Testall(2 * N, requests)) { } break;
        case 4:
            for (; left > 0; left--) {
                index = left % 2 ? MPI::Request::Waitany(2 * N, requests, status) : MPI::Request::Waitany(2 * N, requests);
                CHECK(index >= 0 && index < 2 * N && requests[index] == MPI::REQUEST_NULL);
            }
            CHECK(MPI::Request::Waitany(2 * N, requests) == MPI::UNDEFINED);
            break;
        case 5:
            while (left > 0)
                if (left % 2 ? MPI::Request::Testany(2 * N, requests, index, status) : MPI::Request::Testany(2 * N, requests, index))
                    left--;
            CHECK(MPI::Request::Testany(2 * N, requests, index) && index == MPI::UNDEFINED);
            break;
        case 6:
            while (left > 0)
                left -= left % 2 ? MPI::Request::Waitsome(2 * N, requests, indices, statuses)
                                 : MPI::Request::Waitsome(2 * N, requests, indices);
            CHECK(MPI::Request::Waitsome(2 * N, requests, indices) == MPI::UNDEFINED);
            break;
        case 7:
            while (MPI::Request::Testsome(2 * N, requests, indices) != MPI::UNDEFINED) { }
            CHECK(MPI::Request::Testsome(2 * N, requests, indices, statuses) == MPI::UNDEFINED);
            break;
        }
        for (int i = 0; i < N; i++)
            CHECK(received[i] == 100 * before + i && requests[i] == MPI::REQUEST_NULL);
    }
}

static void some()
{
    enum { N = 20 };
    MPI::Request requests[N];
    MPI::Status statuses[N];
    int indices[N], sent[N], received[N];
    for (int i = 0; i < N; i++) {
        sent[i] = i;
        requests[i] = MPI::COMM_SELF.Irecv(&received[i], 1, MPI::INT, 0, i);
    }
    for (int i = 0; i < N; i++) {
        MPI::COMM_SELF.Send(&sent[i], 1, MPI::INT, 0, i);
        const int complete = MPI::Request::Waitsome(N, requests, indices, statuses);
        CHECK(complete == 1 && indices[0] == i && statuses[0].Get_tag() == i && received[i] == i);
    }
}

static void one(int rank)
{
    int value = rank, got = -1;
    MPI::Request request = MPI::COMM_SELF.Irecv(&got, 1, MPI::INT, 0, 0);
    CHECK(!request.Test() && !request.Get_status());
    MPI::COMM_SELF.Send(&value, 1, MPI::INT, 0, 0);
    MPI::Status status;
    CHECK(request.Get_status(status) && status.Get_source() == 0 && request != MPI::REQUEST_NULL);
    CHECK(request.Test(status) && request == MPI::REQUEST_NULL && got == rank);

    request = MPI::COMM_SELF.Irecv(&got, 1, MPI::INT, 0, 1);
    request.Cancel();
    request.Wait(status);
    CHECK(status.Is_cancelled());

    request = MPI::COMM_SELF.Irecv(&got, 1, MPI::INT, 0, 2);
    MPI::Request other = MPI::COMM_SELF.Irsend(&value, 1, MPI::INT, 0, 2);
    request.Wait();
    other.Free();
    CHECK(other == MPI::REQUEST_NULL);
}

static void persistent(int rank, int size)
{
    const MPI::Intracomm& comm = MPI::COMM_WORLD;
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    int sent[4], received[4];
    char space[4096];
    MPI::Attach_buffer(space, sizeof space);
    MPI::Prequest requests[8];
    for (int i = 0; i < 4; i++)
        requests[i] = comm.Recv_init(&received[i], 1, MPI::INT, before, i);
    requests[4] = comm.Send_init(&sent[0], 1, MPI::INT, next, 0);
    requests[5] = comm.Bsend_init(&sent[1], 1, MPI::INT, next, 1);
    requests[6] = comm.Ssend_init(&sent[2], 1, MPI::INT, next, 2);
    requests[7] = comm.Rsend_init(&sent[3], 1, MPI::INT, next, 3);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 4; i++) {
            sent[i] = 1000 * round + 10 * rank + i;
            received[i] = -1;
        }
        MPI::Prequest::Startall(4, requests);
        comm.Barrier();
        for (int i = 4; i < 8; i++)
            requests[i].Start();
        for (int i = 0; i < 8; i++)
            requests[i].Wait();
        for (int i = 0; i < 4; i++)
            CHECK(received[i] == 1000 * round + 10 * before + i);
    }
    for (int i = 0; i < 8; i++)
        requests[i].Free();
    void* detached;
    MPI::Detach_buffer(detached);
}

static int queried = 0, freed = 0, cancelled = 0;

static int query(void* state, MPI::Status& status)
{
    queried++;
    status.Set_elements(MPI::INT, *static_cast<int*>(state));
    status.Set_cancelled(cancelled != 0);
    status.Set_source(MPI::UNDEFINED);
    status.Set_tag(42);
    return MPI::SUCCESS;
}

static int release(void* state)
{
    freed += *static_cast<int*>(state);
    return MPI::SUCCESS;
}

static int cancel(void*, bool complete)
{
    cancelled += complete ? 100 : 1;
    return MPI::SUCCESS;
}

static void own()
{
    int state = 5;
    MPI::Status status;
#ifdef REAL_MPICH_HEADER
    MPI::Grequest request = MPI::Grequest().Start(query, release, cancel, &state);
#else
    MPI::Grequest request = MPI::Grequest::Start(query, release, cancel, &state);
#endif
    CHECK(!request.Test());
    request.Cancel();
    request.Complete();
    request.Wait(status);
    CHECK(queried == 1 && freed == 5 && cancelled == 1);
    CHECK(status.Get_count(MPI::INT) == 5 && status.Get_tag() == 42 && status.Is_cancelled());
}

int main(int argc, char** argv)
{
    MPI::Init(argc, argv);
    const int rank = MPI::COMM_WORLD.Get_rank(), size = MPI::COMM_WORLD.Get_size();
    many(rank, size);
    some();
    one(rank);
    persistent(rank, size);
    own();
    return conclude();
}
