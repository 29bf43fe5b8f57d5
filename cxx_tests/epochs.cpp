// since: 17
// rmashm.hpp: windows of all kinds, epochs, operations, errors.
#include "guards.hpp"

#include <vector>

struct point {
    double x, y;
    int colour;
};

static void typed(int rank, int size)
{
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    std::vector<int> memory(10, rank);
    auto win = rmashm::window<int>::create(MPI_COMM_WORLD, memory);
    CHECK(win.local().size() == 10 && win.local().data() == memory.data());
    {
        rmashm::fence_epoch epoch(win);
        const std::vector<int> data{7 * rank, 8 * rank};
        win.put(data, next, 3);
        rmashm::span<int> no_data;
        win.get(no_data, next, 0);
        epoch.unlock();
    }
    CHECK(memory[3] == 7 * before && memory[4] == 8 * before && memory[2] == rank && memory[5] == rank);
    MPI_Barrier(MPI_COMM_WORLD);
    {
        rmashm::shared_lock lock(win, next);
        std::vector<int> got(3, -1);
        win.get(got, next, 2);
        win.flush(next);
        CHECK(got[0] == next && got[1] == 7 * rank && got[2] == 8 * rank);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    {
        rmashm::lock_all lock(win);
        const int one[] = {1, 2};
        win.accumulate(one, rmashm::op::sum, 0, 0);
        win.flush_all();
        win.flush_local(0);
        win.flush_local_all();
        win.sync();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        rmashm::exclusive_lock lock(win, 0);
        CHECK(memory[0] == size && memory[1] == 2 * size);
        memory[0] = 0;
        memory[1] = -1;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    {
        rmashm::shared_lock lock(win, 0);
        const int ticket = win.fetch_and_op(1, rmashm::op::sum, 0);
        CHECK(ticket >= 0 && ticket < size);
        const int first = win.compare_and_swap(rank, -1, 0, 1);
        CHECK(first >= -1 && first < size);
        std::vector<int> given{5}, was{-1};
        win.get_accumulate(given, was, rmashm::op::no_op, 0, 0);
        lock.unlock();
        CHECK(was[0] >= 1);
    }
    win.fence();
    {
        int was = -1;
        rmashm::fence_epoch epoch(win);
        win.fetch_and_op(0, was, rmashm::op::no_op, 0, 0);
        epoch.unlock();
        CHECK(was == size);
    }
    win.free();
}

static void shared(int rank, int size)
{
    auto win = rmashm::window<point>::allocate_shared(MPI_COMM_WORLD, 2 + static_cast<std::size_t>(rank));
    {
        rmashm::lock_all lock(win);
        win.local()[1] = point{0.5 * rank, -1.0, rank};
        win.sync();
        MPI_Barrier(MPI_COMM_WORLD);
        win.sync();
        for (int other = 0; other < size; other++) {
            const auto theirs = win.shared(other);
            CHECK(theirs.size() == 2 + static_cast<std::size_t>(other));
            CHECK(theirs[1].x == 0.5 * other && theirs[1].colour == other);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        const std::vector<point> one{point{1, 2, 3}};
        win.put(one, (rank + 1) % size, 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(win.local()[0].y == 2 && win.local()[0].colour == 3);
    auto moved = std::move(win);
    CHECK(win.handle() == MPI_WIN_NULL && moved.local().size() == 2 + static_cast<std::size_t>(rank));
}

static void dynamic(int rank, int size)
{
    rmashm::dynamic_window win(MPI_COMM_WORLD);
    std::vector<double> memory(4, rank);
    {
        rmashm::region<double> region(win, memory);
        MPI_Aint mine = region.address();
        std::vector<MPI_Aint> places(static_cast<std::size_t>(size));
        MPI_Allgather(&mine, 1, MPI_AINT, places.data(), 1, MPI_AINT, MPI_COMM_WORLD);
        const int next = (rank + 1) % size;
        const MPI_Aint there = places[static_cast<std::size_t>(next)];
        {
            rmashm::exclusive_lock lock(win, next);
            const double value[] = {2.5}, more[] = {1.0};
            win.put<double>(value, next, there + MPI_Aint(sizeof(double)));
            win.flush(next);
            win.accumulate<double>(more, rmashm::op::sum, next, there + MPI_Aint(sizeof(double)));
            win.flush(next);
            double got[] = {0.0, 0.0};
            win.get<double>(got, next, there);
            lock.unlock();
            CHECK(got[0] == next && got[1] == 3.5);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    CHECK(memory[1] == 3.5);
}

static void of_groups(int rank, int size)
{
    auto win = rmashm::window<unsigned char>::allocate(MPI_COMM_WORLD, 4);
    win.local()[0] = 0;
    MPI_Group world, before, next;
    const int to = (rank + 1) % size, from = (rank + size - 1) % size;
    MPI_Win_get_group(win.handle(), &world);
    MPI_Group_incl(world, 1, &to, &next);
    MPI_Group_incl(world, 1, &from, &before);
    {
        rmashm::exposure_epoch exposure(win, before);
        rmashm::access_epoch access(win, next);
        const unsigned char value[] = {static_cast<unsigned char>(rank + 1)};
        win.put(value, to);
    }
    CHECK(win.local()[0] == from + 1);
    MPI_Group_free(&world);
    MPI_Group_free(&before);
    MPI_Group_free(&next);
}

static void errors(int rank, int size)
{
    auto win = rmashm::window<long>::allocate(MPI_COMM_WORLD, 1);
    CHECK(error_class_of([&] { rmashm::exclusive_lock lock(win, size + 2); }) == MPI_ERR_RANK);
    const long value[] = {1};
    {
        rmashm::shared_lock lock(win, rank);
        CHECK(error_class_of([&] { win.put(value, -5); }) == MPI_ERR_RANK);
    }
    // The handler of the communicator is what it was.
    MPI_Errhandler handler;
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
    CHECK(handler == MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    typed(rank, size);
    shared(rank, size);
    dynamic(rank, size);
    of_groups(rank, size);
    errors(rank, size);
    return conclude();
}
