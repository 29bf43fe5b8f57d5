// Files: every way to read and write, views, pointers, errors.
#include "check.hpp"

#include <cstring>
#include <string>
#include <unistd.h>

static void transfers(const std::string& path, int rank, int size)
{
    MPI::File file = MPI::File::Open(MPI::COMM_WORLD, path.c_str(), MPI::MODE_CREATE | MPI::MODE_RDWR, MPI::INFO_NULL);
    CHECK(file.Get_amode() == (MPI::MODE_CREATE | MPI::MODE_RDWR));
    MPI::Group group = file.Get_group();
    CHECK(group.Get_size() == size);
    group.Free();
    const int N = 3, mine = N * rank;
    int sent[N], got[N];
    MPI::Status status;
    file.Set_view(0, MPI::INT, MPI::INT, "native", MPI::INFO_NULL);

    // Each way writes other numbers, and each way of reading finds them.
    for (int way = 0; way < 12; way++) {
        for (int i = 0; i < N; i++) {
            sent[i] = 1000 * way + 100 * rank + i;
            got[i] = -1;
        }
        file.Seek(mine, MPI::SEEK_SET);
        file.Seek_shared(0, MPI::SEEK_SET);
        MPI::COMM_WORLD.Barrier();
        switch (way) {
        case 0: file.Write_at(mine, sent, N, MPI::INT, status); break;
        case 1: file.Write_at(mine, sent, N, MPI::INT); break;
        case 2: file.Write_at_all(mine, sent, N, MPI::INT, status); break;
        case 3: file.Write(sent, N, MPI::INT, status); break;
        case 4: file.Write_all(sent, N, MPI::INT, status); break;
        case 5: file.Iwrite(sent, N, MPI::INT).Wait(status); break;
        case 6: file.Iwrite_at(mine, sent, N, MPI::INT).Wait(status); break;
        case 7:
            file.Write_all_begin(sent, N, MPI::INT);
            file.Write_all_end(sent, status);
            break;
        case 8:
            file.Write_at_all_begin(mine, sent, N, MPI::INT);
            file.Write_at_all_end(sent, status);
            break;
        case 9: file.Write_ordered(sent, N, MPI::INT, status); break;
        case 10:
            file.Write_ordered_begin(sent, N, MPI::INT);
            file.Write_ordered_end(sent, status);
            break;
        case 11: file.Write_at_all(mine, sent, N, MPI::INT); break;
        }
        if (way != 1 && way != 11)
            CHECK(status.Get_count(MPI::INT) == N);
        file.Sync();
        MPI::COMM_WORLD.Barrier();
        file.Seek(mine, MPI::SEEK_SET);
        file.Seek_shared(0, MPI::SEEK_SET);
        MPI::COMM_WORLD.Barrier();
        switch (way) {
        case 0: file.Read_at(mine, got, N, MPI::INT, status); break;
        case 1: file.Read_at(mine, got, N, MPI::INT); break;
        case 2: file.Read_at_all(mine, got, N, MPI::INT, status); break;
        case 3: file.Read(got, N, MPI::INT, status); break;
        case 4: file.Read_all(got, N, MPI::INT, status); break;
        case 5: file.Iread(got, N, MPI::INT).Wait(status); break;
        case 6: file.Iread_at(mine, got, N, MPI::INT).Wait(status); break;
        case 7:
            file.Read_all_begin(got, N, MPI::INT);
            file.Read_all_end(got, status);
            break;
        case 8:
            file.Read_at_all_begin(mine, got, N, MPI::INT);
            file.Read_at_all_end(got, status);
            break;
        case 9: file.Read_ordered(got, N, MPI::INT, status); break;
        case 10:
            file.Read_ordered_begin(got, N, MPI::INT);
            file.Read_ordered_end(got, status);
            break;
        case 11: file.Read_at_all(mine, got, N, MPI::INT); break;
        }
        CHECK(std::memcmp(got, sent, sizeof got) == 0);
    }
    file.Close();
    CHECK(file == MPI::FILE_NULL);
}

// By the shared pointer, in any order: each number is there once.
static void shared(const std::string& path, int rank, int size)
{
    MPI::File file = MPI::File::Open(MPI::COMM_WORLD, path.c_str(), MPI::MODE_RDWR, MPI::INFO_NULL);
    file.Set_size(0);
    file.Set_view(0, MPI::INT, MPI::INT, "native", MPI::INFO_NULL);
    int number = rank, got = -1, sum = 0;
    file.Write_shared(&number, 1, MPI::INT);
    number = rank + size;
    file.Iwrite_shared(&number, 1, MPI::INT).Wait();
    MPI::COMM_WORLD.Barrier();
    CHECK(file.Get_position_shared() == 2 * size);
    MPI::COMM_WORLD.Barrier();
    file.Seek_shared(0, MPI::SEEK_SET);
    MPI::COMM_WORLD.Barrier();
    file.Read_shared(&got, 1, MPI::INT);
    int both = got;
    file.Iread_shared(&got, 1, MPI::INT).Wait();
    both += got;
    MPI::COMM_WORLD.Allreduce(&both, &sum, 1, MPI::INT, MPI::SUM);
    CHECK(sum == size * (2 * size - 1));
    file.Close();
}

static void told(const std::string& path)
{
    MPI::File file = MPI::File::Open(MPI::COMM_WORLD, path.c_str(), MPI::MODE_RDWR, MPI::INFO_NULL);
    file.Set_size(400);
    CHECK(file.Get_size() == 400);
    file.Preallocate(800);
    CHECK(file.Get_size() == 800 && file.Get_type_extent(MPI::INT) == 4);
    MPI::Datatype every = MPI::INT.Create_resized(0, 8);
    every.Commit();
    file.Set_view(16, MPI::INT, every, "native", MPI::INFO_NULL);
    CHECK(file.Get_byte_offset(3) == 16 + 24);
    MPI::Offset disp = -1;
    MPI::Datatype etype, filetype;
    char datarep[MPI_MAX_DATAREP_STRING];
    file.Get_view(disp, etype, filetype, datarep);
    CHECK(std::strcmp(datarep, "native") == 0);
#ifndef OPEN_MPI_HEADER
    // Open MPI's inline function keeps these to itself.
    CHECK(disp == 16 && etype == MPI::INT);
#endif
    file.Seek(5, MPI::SEEK_SET);
    file.Seek(2, MPI::SEEK_CUR);
    CHECK(file.Get_position() == 7);
    CHECK(!file.Get_atomicity());
    file.Set_atomicity(true);
    CHECK(file.Get_atomicity());
    file.Set_atomicity(false);
    MPI::Info info = file.Get_info();
    CHECK(info != MPI::INFO_NULL);
    file.Set_info(info);
    info.Free();
    every.Free();
    file.Close();
}

static int called = 0;

static void handler(MPI::File& file, int*, ...)
{
    called++;
    CHECK(file != MPI::FILE_NULL);
}

static void errors(const std::string& path)
{
    const std::string none = path + "-none";
    CHECK(MPI::FILE_NULL.Get_errhandler() == MPI::ERRORS_RETURN);
    MPI::FILE_NULL.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
    CHECK_THROWS(MPI::ERR_NO_SUCH_FILE, MPI::File::Open(MPI::COMM_SELF, none.c_str(), MPI::MODE_RDONLY, MPI::INFO_NULL));
    CHECK_THROWS(MPI::ERR_NO_SUCH_FILE, MPI::File::Delete(none.c_str(), MPI::INFO_NULL));
    MPI::File file = MPI::File::Open(MPI::COMM_WORLD, path.c_str(), MPI::MODE_RDONLY, MPI::INFO_NULL);
    int number = 0;
    file.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
    CHECK_THROWS(MPI::ERR_READ_ONLY, file.Write(&number, 1, MPI::INT));
    CHECK_THROWS(MPI::ERR_OTHER, file.Call_errhandler(MPI::ERR_OTHER));
    MPI::Errhandler own = MPI::File::Create_errhandler(handler);
    file.Set_errhandler(own);
    file.Write(&number, 1, MPI::INT);
    const int calls = called;
    file.Call_errhandler(MPI::ERR_IO);
    CHECK(calls >= 1 && called == calls + 1);
    own.Free();
    file.Close();
    MPI::FILE_NULL.Set_errhandler(MPI::ERRORS_RETURN);
}

int main(int argc, char** argv)
{
    MPI::Init(argc, argv);
    const int rank = MPI::COMM_WORLD.Get_rank(), size = MPI::COMM_WORLD.Get_size();
    int job = static_cast<int>(getpid());
    MPI::COMM_WORLD.Bcast(&job, 1, MPI::INT, 0);
    char path[100];
    std::sprintf(path, "/tmp/rmashm-cxx-%d", job);
    transfers(path, rank, size);
    shared(path, rank, size);
    told(path);
    errors(path);
    MPI::COMM_WORLD.Barrier();
    if (rank == 0)
        MPI::File::Delete(path, MPI::INFO_NULL);
    return conclude();
}
