// The part in C++: the classes of MPI-2.2, and rmashm.hpp.
#include "languages.h"

#include <rmashm.hpp>

#include <cstring>
#include <memory>

extern "C" {

/* ---- Handles ---- */

// A communicator of Fortran's as an object, and one of C++'s for Fortran: the same processes in the opposite order.
MPI_Fint cxx_turns_comm(MPI_Fint handle)
{
    MPI::Intracomm comm(MPI_Comm_f2c(handle));
    char name[MPI::MAX_OBJECT_NAME];
    int length = 0;
    comm.Get_name(name, length);
    CHECK(std::strcmp(name, "of C") == 0);
    MPI::Intracomm turned = comm.Split(0, comm.Get_size() - comm.Get_rank());
    turned.Set_name("of C++");
    return MPI_Comm_c2f(turned);
}

void cxx_reads_info(MPI_Fint handle)
{
    MPI::Info info(MPI_Info_f2c(handle));
    char value[8];
    CHECK(info.Get("made by", 7, value) && std::strcmp(value, "C") == 0);
    info.Set("read by", "C++");
}

struct particle {
    int number;
    double place[2];
};

// A type that is not committed yet.
MPI_Fint cxx_makes_type()
{
    const int lengths[] = {1, 2};
    const MPI::Aint places[] = {offsetof(particle, number), offsetof(particle, place)};
    const MPI::Datatype types[] = {MPI::INTEGER, MPI::DOUBLE_PRECISION};
    MPI::Datatype inner = MPI::Datatype::Create_struct(2, lengths, places, types);
    MPI::Datatype type = inner.Create_resized(0, sizeof(particle));
    inner.Free();
    return MPI_Type_c2f(type);
}

// Receives with the type what Fortran sends to this process.
void cxx_receives(MPI_Fint handle, MPI_Fint comm)
{
    MPI::Datatype type(MPI_Type_f2c(handle));
    particle got[2] = {};
    MPI::Status status;
    MPI::Intracomm(MPI_Comm_f2c(comm)).Recv(got, 2, type, MPI::ANY_SOURCE, 23, status);
    CHECK(status.Get_count(type) == 2);
    const int from = status.Get_source();
    for (int i = 0; i < 2; i++)
        CHECK(got[i].number == 10 * from + i + 1 && got[i].place[0] == 0.25 && got[i].place[1] == from);
}

/* ---- Messages ---- */

static double sent[3] = {1.5, 2.5, 3.5};

MPI_Fint cxx_makes_request()
{
    return MPI_Request_c2f(MPI::COMM_SELF.Send_init(sent, 3, MPI::DOUBLE, 0, 22));
}

void cxx_frees_request(MPI_Fint *handle)
{
    MPI::Prequest request(MPI_Request_f2c(*handle));
    request.Free();
    *handle = MPI_Request_c2f(request);
}

/* ---- Operations ---- */

static void larger(const void *in, void *inout, int length, const MPI::Datatype &type)
{
    CHECK(type == MPI::INTEGER || type == MPI::INT);
    for (int i = 0; i < length; i++) {
        const int a = static_cast<const int *>(in)[i];
        int &b = static_cast<int *>(inout)[i];
        if (a * a > b * b)
            b = a;
    }
}

MPI_Fint cxx_makes_op()
{
    MPI::Op op;
    op.Init(larger, true);
    return MPI_Op_c2f(op);
}

int cxx_reduces(MPI_Fint op, int value)
{
    int result = 0;
    MPI::COMM_WORLD.Allreduce(&value, &result, 1, MPI::INT, MPI::Op(MPI_Op_f2c(op)));
    return result;
}

/* ---- Errors ---- */

static int told = MPI_SUCCESS;

static void handler(MPI::Comm &, int *code, ...)
{
    told = MPI::Get_error_class(*code);
}

MPI_Fint cxx_makes_errhandler()
{
    return MPI_Errhandler_c2f(MPI::Comm::Create_errhandler(handler));
}

int cxx_was_told()
{
    const int last = told;
    told = MPI_SUCCESS;
    return last;
}

int cxx_fails(MPI_Fint comm)
{
    MPI::Intracomm(MPI_Comm_f2c(comm)).Send(nullptr, 0, MPI::INT, 1 << 20, 0);
    // The classes give no code.
    return MPI::SUCCESS;
}

MPI_Fint cxx_exceptions()
{
    return MPI_Errhandler_c2f(MPI::ERRORS_THROW_EXCEPTIONS);
}

int cxx_throws(MPI_Fint comm)
{
    try {
        cxx_fails(comm);
    } catch (const MPI::Exception &exception) {
        return exception.Get_error_class();
    }
    return MPI::SUCCESS;
}

/* ---- Attributes ---- */

static int copies = 0, deletions = 0;

static int copy_value(const MPI::Comm &, int, void *state, void *in, void *out, bool &flag)
{
    CHECK(state == &copies);
    copies++;
    *static_cast<void **>(out) = static_cast<char *>(in) + 1;
    flag = true;
    return MPI::SUCCESS;
}

static int delete_value(MPI::Comm &, int, void *, void *state)
{
    CHECK(state == &copies);
    deletions++;
    return MPI::SUCCESS;
}

int cxx_makes_keyval()
{
    return MPI::Comm::Create_keyval(copy_value, delete_value, &copies);
}

void cxx_counts_calls(int *copied, int *deleted)
{
    *copied = copies;
    *deleted = deletions;
}

void cxx_sets_attribute(MPI_Fint comm, int keyval)
{
    MPI::Intracomm(MPI_Comm_f2c(comm)).Set_attr(keyval, reinterpret_cast<void *>(OF_CXX));
}

// As in C.
void cxx_reads_attribute(MPI_Fint comm, int keyval, int setter)
{
    void *value = nullptr;
    CHECK(MPI::Intracomm(MPI_Comm_f2c(comm)).Get_attr(keyval, &value));
    switch (setter) {
    case 0: CHECK(value == reinterpret_cast<void *>(OF_C)); break;
    case 1: CHECK(value == reinterpret_cast<void *>(OF_CXX)); break;
    case 2: CHECK(*static_cast<MPI_Fint *>(value) == OF_FORTRAN); break;
    case 3: CHECK(*static_cast<MPI_Aint *>(value) == OF_FORTRAN_ADDRESS); break;
    }
}

/* ---- Windows ---- */

// Puts a number into the next process's part of Fortran's window.
void cxx_puts(MPI_Fint handle, int rank, int ranks)
{
    MPI::Win win(MPI_Win_f2c(handle));
    const double number = 0.5 + rank;
    const int next = (rank + 1) % ranks;
    win.Lock(MPI::LOCK_EXCLUSIVE, next, 0);
    win.Put(&number, 1, MPI::DOUBLE, next, 3, 1, MPI::DOUBLE);
    win.Unlock(next);
    MPI::Group group = win.Get_group();
    CHECK(group.Get_size() == ranks);
    group.Free();
    void *size = nullptr;
    CHECK(win.Get_attr(MPI::WIN_SIZE, &size) && *static_cast<MPI::Aint *>(size) == 80);
}

static std::unique_ptr<rmashm::window<int>> counters;

// A window of C++'s. Its errors are returned.
MPI_Fint cxx_makes_window(int rank)
{
    counters = std::make_unique<rmashm::window<int>>(rmashm::window<int>::allocate(MPI_COMM_WORLD, 2));
    counters->local()[0] = 0;
    counters->local()[1] = rank;
    return MPI_Win_c2f(counters->handle());
}

// Calls a procedure of Fortran's while the guard of C++ has the lock.
void cxx_locks_for(void (*procedure)(), int rank)
{
    rmashm::shared_lock lock(*counters, rank);
    procedure();
}

void cxx_frees_window(int ranks)
{
    MPI_Barrier(MPI_COMM_WORLD);
    {
        rmashm::exclusive_lock lock(*counters, 0);
        int count = -1;
        counters->get(rmashm::span<int>(&count, 1), 0);
        lock.unlock();
        CHECK(count == 3 * ranks);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    counters.reset();
}

}
