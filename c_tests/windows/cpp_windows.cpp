/* ranks: 1 2 4 */
// mpi.h in C++: windows in a class, callbacks with C linkage, MPI names beside the program's own namespace.
#include <mpi.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

void ok(int code)
{
    if (code == MPI_SUCCESS)
        return;
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(code, text, &length);
    throw std::runtime_error(std::string(text, static_cast<size_t>(length)));
}

template <typename T> class Shared {
public:
    Shared(MPI_Comm comm, MPI_Aint count)
    {
        ok(MPI_Win_allocate_shared(count * static_cast<MPI_Aint>(sizeof(T)), sizeof(T), MPI_INFO_NULL, comm, &base_, &win_));
        ok(MPI_Win_lock_all(MPI_MODE_NOCHECK, win_));
    }
    Shared(const Shared &) = delete;
    ~Shared()
    {
        MPI_Win_unlock_all(win_);
        MPI_Win_free(&win_);
    }
    T *of(int rank) const
    {
        MPI_Aint bytes;
        int unit;
        T *base;
        ok(MPI_Win_shared_query(win_, rank, &bytes, &unit, &base));
        return base;
    }
    MPI_Win win() const { return win_; }

private:
    T *base_ = nullptr;
    MPI_Win win_ = MPI_WIN_NULL;
};

int handled = 0;

} // namespace

extern "C" void handler(MPI_Win *, int *, ...)
{
    handled++;
}

static int run()
{
    int rank, size;
    ok(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    ok(MPI_Comm_size(MPI_COMM_WORLD, &size));
    Shared<std::atomic<long>> counters(MPI_COMM_WORLD, 1);
    counters.of(rank)->store(0);
    ok(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < 1000; i++)
        for (int r = 0; r < size; r++)
            counters.of(r)->fetch_add(1);
    ok(MPI_Barrier(MPI_COMM_WORLD));
    if (counters.of(rank)->load() != 1000L * size)
        throw std::runtime_error("counts are lost");

    std::vector<double> mine(100, rank), all(static_cast<size_t>(100 * size));
    ok(MPI_Allgather(mine.data(), 100, MPI_DOUBLE, all.data(), 100, MPI_DOUBLE, MPI_COMM_WORLD));
    for (int r = 0; r < size; r++)
        if (all[static_cast<size_t>(100 * r + 99)] != r)
            throw std::runtime_error("gathered wrong");

    MPI_Errhandler mine_too;
    ok(MPI_Win_create_errhandler(handler, &mine_too));
    ok(MPI_Win_set_errhandler(counters.win(), mine_too));
    ok(MPI_Errhandler_free(&mine_too));
    MPI_Win_unlock(0, counters.win());
    if (handled != 1)
        throw std::runtime_error("the error handler was not called");
    return 0;
}

int main(int argc, char **argv)
{
    ok(MPI_Init(&argc, &argv));
    try {
        run();
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        MPI_Abort(MPI_COMM_WORLD, 99);
    }
    ok(MPI_Finalize());
    return 0;
}
