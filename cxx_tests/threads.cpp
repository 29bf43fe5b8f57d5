// since: 17
// rmashm.hpp from several threads: guards of a thread's own windows, one epoch that all threads work in, messages beside.
#include "guards.hpp"

#include <thread>
#include <vector>

constexpr int team = 4, rounds = 100;

// Runs a function of the thread's number in each thread.
template <class Function>
static void in_threads(Function function)
{
    std::vector<std::thread> threads;
    for (int number = 0; number < team; number++)
        threads.emplace_back(function, number);
    for (auto& thread : threads)
        thread.join();
}

// A window for each thread: its exclusive locks keep the threads of other processes out, of the same number.
static void windows_of_threads(int size)
{
    std::vector<rmashm::window<long>> windows;
    for (int number = 0; number < team; number++) {
        windows.push_back(rmashm::window<long>::allocate(MPI_COMM_WORLD, 2));
        windows.back().local()[0] = windows.back().local()[1] = 0;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    in_threads([&](int number) {
        const auto& win = windows[static_cast<std::size_t>(number)];
        for (int round = 0; round < rounds; round++) {
            const int target = round % size;
            long pair[2] = {-1, -1};
            rmashm::exclusive_lock lock(win, target);
            win.get(pair, target);
            win.flush(target);
            CHECK(pair[0] == 3 * pair[1]);
            const long more[2] = {pair[0] + 3, pair[1] + 1};
            win.put(more, target);
        }
    });
    MPI_Barrier(MPI_COMM_WORLD);
    for (const auto& win : windows) {
        long mine = win.local()[1], all = 0;
        MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        CHECK(all == long{rounds} * size);
    }
    // All processes free them in one order.
    while (!windows.empty())
        windows.pop_back();
}

// Locks of one window at several targets, each by another thread.
static void targets_of_threads(int rank, int size)
{
    auto win = rmashm::window<int>::allocate(MPI_COMM_WORLD, team);
    for (int& element : win.local())
        element = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    in_threads([&](int number) {
        // Threads of one process may not have two locks at one target.
        for (int target = number; target < size; target += team) {
            for (int round = 0; round < rounds; round++) {
                rmashm::shared_lock lock(win, target);
                const int one[1] = {1};
                win.accumulate(one, rmashm::op::sum, target, static_cast<std::size_t>(rank % team));
            }
        }
    });
    MPI_Barrier(MPI_COMM_WORLD);
    int sum = 0;
    rmashm::exclusive_lock lock(win, rank);
    for (const int element : win.local())
        sum += element;
    CHECK(sum == rounds * size);
}

// One epoch, in which all threads draw numbers, and send them in messages with the thread's tag.
static void one_epoch(int rank, int size)
{
    auto win = rmashm::window<int>::allocate_shared(MPI_COMM_WORLD, 1);
    win.local()[0] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    std::vector<long> sums(team, 0);
    {
        rmashm::lock_all lock(win);
        in_threads([&](int number) {
            int last = -1;
            for (int round = 0; round < rounds; round++) {
                const int drawn = win.fetch_and_op(1, rmashm::op::sum, 0);
                CHECK(drawn > last);
                last = drawn;
                int got = -1;
                MPI_Sendrecv(&drawn, 1, MPI_INT, (rank + 1) % size, number, &got, 1, MPI_INT, (rank + size - 1) % size, number,
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                sums[static_cast<std::size_t>(number)] += got;
            }
        });
    }
    long mine = 0, all = 0;
    for (const long sum : sums)
        mine += sum;
    MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    const long count = long{size} * team * rounds;
    CHECK(all == count * (count - 1) / 2);
    CHECK(win.shared(0)[0] == count);
    MPI_Barrier(MPI_COMM_WORLD);
}

// An error of one thread's call is an exception in that thread.
static void errors_of_threads(int rank, int size)
{
    auto win = rmashm::window<int>::allocate(MPI_COMM_WORLD, 1);
    rmashm::lock_all lock(win);
    in_threads([&](int number) {
        const int one[1] = {1};
        for (int round = 0; round < rounds; round++) {
            if (number % 2 == 0)
                CHECK(error_class_of([&] { win.put(one, size + number); }) == MPI_ERR_RANK);
            else
                CHECK(error_class_of([&] { win.accumulate(one, rmashm::op::sum, rank); }) == MPI_SUCCESS);
        }
    });
}

int main(int argc, char** argv)
{
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    CHECK(provided == MPI_THREAD_MULTIPLE);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    windows_of_threads(size);
    targets_of_threads(rank, size);
    one_epoch(rank, size);
    errors_of_threads(rank, size);
    return conclude();
}
