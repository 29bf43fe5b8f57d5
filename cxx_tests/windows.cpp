// Windows: all kinds of epochs and operations, attributes, names, errors.
#include "check.hpp"

#include <cstring>
#include <vector>

static void epochs(int rank, int size)
{
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    int* memory = static_cast<int*>(MPI::Alloc_mem(10 * sizeof(int), MPI::INFO_NULL));
    for (int i = 0; i < 10; i++)
        memory[i] = 100 * rank + i;
    MPI::Win win = MPI::Win::Create(memory, 10 * sizeof(int), sizeof(int), MPI::INFO_NULL, MPI::COMM_WORLD);
    MPI::Group all = win.Get_group();
    CHECK(all.Get_size() == size);

    int value = rank, got = -1;
    win.Fence(MPI::MODE_NOPRECEDE);
    win.Put(&value, 1, MPI::INT, next, 0, 1, MPI::INT);
    win.Get(&got, 1, MPI::INT, next, 5, 1, MPI::INT);
    win.Fence(MPI::MODE_NOSUCCEED);
    CHECK(memory[0] == before && got == 100 * next + 5);
    MPI::COMM_WORLD.Barrier();

    win.Lock(MPI::LOCK_SHARED, 0, 0);
    value = 1;
    win.Accumulate(&value, 1, MPI::INT, 0, 1, 1, MPI::INT, MPI::SUM);
    win.Unlock(0);
    MPI::COMM_WORLD.Barrier();
    win.Lock(MPI::LOCK_EXCLUSIVE, 0, 0);
    win.Get(&got, 1, MPI::INT, 0, 1, 1, MPI::INT);
    win.Unlock(0);
    CHECK(got == 1 + size);
    MPI::COMM_WORLD.Barrier();

    MPI::Group one = all.Incl(1, &before), other = all.Incl(1, &next);
    win.Post(one, 0);
    win.Start(other, 0);
    value = 7 * rank;
    win.Put(&value, 1, MPI::INT, next, 2, 1, MPI::INT);
    win.Complete();
    if (rank % 2)
        win.Wait();
    else
        while (!win.Test()) { }
    CHECK(memory[2] == 7 * before);
    one.Free();
    other.Free();
    all.Free();

    void* base = 0;
    MPI::Aint* bytes = 0;
    int* unit = 0;
    CHECK(win.Get_attr(MPI::WIN_BASE, &base) && base == memory);
    CHECK(win.Get_attr(MPI::WIN_SIZE, &bytes) && *bytes == static_cast<MPI::Aint>(10 * sizeof(int)));
    CHECK(win.Get_attr(MPI::WIN_DISP_UNIT, &unit) && *unit == sizeof(int));
    win.Free();
    CHECK(win == MPI::WIN_NULL);
    MPI::Free_mem(memory);
}

static int deletions = 0, called = 0;

static int delete_attr(MPI::Win& win, int, void* value, void* extra_state)
{
    deletions++;
    CHECK(win != MPI::WIN_NULL && value == &deletions && extra_state == &called);
    return MPI::SUCCESS;
}

static void handler(MPI::Win& win, int* code, ...)
{
    called++;
    CHECK(win != MPI::WIN_NULL && MPI::Get_error_class(*code) == MPI::ERR_RANK);
}

static void attributes_and_errors(int size)
{
    int memory[4] = {0, 0, 0, 0}, value = 0;
    MPI::Win win = MPI::Win::Create(memory, sizeof memory, 1, MPI::INFO_NULL, MPI::COMM_WORLD);
    void* found = 0;
#ifdef OPEN_MPI_HEADER
    // There is none in C++; a function of C stands beside one of C++.
    int keyval = MPI::Win::Create_keyval(MPI_WIN_NULL_COPY_FN, delete_attr, &called);
#else
    int keyval = MPI::Win::Create_keyval(MPI::Win::NULL_COPY_FN, delete_attr, &called);
#endif
    win.Set_attr(keyval, &deletions);
    CHECK(win.Get_attr(keyval, &found) && found == &deletions);
    win.Delete_attr(keyval);
    CHECK(deletions == 1 && !win.Get_attr(keyval, &found));
    win.Set_attr(keyval, &deletions);

    char name[MPI_MAX_OBJECT_NAME];
    int length = 0;
    win.Set_name("field");
    win.Get_name(name, length);
    CHECK(std::strcmp(name, "field") == 0 && length == 5);

    CHECK(win.Get_errhandler() == MPI::ERRORS_ARE_FATAL);
    win.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
    CHECK(win.Get_errhandler() == MPI::ERRORS_THROW_EXCEPTIONS);
    win.Fence(0);
    CHECK_THROWS(MPI::ERR_RANK, win.Put(&value, 1, MPI::INT, size + 3, 0, 1, MPI::INT));
    CHECK_THROWS(MPI::ERR_OTHER, win.Call_errhandler(MPI::ERR_OTHER));
    MPI::Errhandler own = MPI::Win::Create_errhandler(handler);
    win.Set_errhandler(own);
    win.Put(&value, 1, MPI::INT, size + 3, 0, 1, MPI::INT);
    const int calls = called;
    win.Call_errhandler(MPI::ERR_RANK);
    CHECK(calls >= 1 && called == calls + 1);
    own.Free();
    win.Fence(0);
    win.Free();
    CHECK(deletions == 2);
    MPI::Win::Free_keyval(keyval);
}

int main(int argc, char** argv)
{
    MPI::Init(argc, argv);
    const int rank = MPI::COMM_WORLD.Get_rank(), size = MPI::COMM_WORLD.Get_size();
    epochs(rank, size);
    attributes_and_errors(size);
    return conclude();
}
