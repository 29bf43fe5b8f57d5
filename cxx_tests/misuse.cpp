// since: 17
// rmashm.hpp used wrongly: what can be told is thrown, and what was right before still is.
#include "guards.hpp"

#include <limits>
#include <optional>
#include <type_traits>
#include <vector>

using rmashm::window;

struct pair {
    int a, b;
};

// Windows move, and nothing is copied.
static_assert(!std::is_copy_constructible_v<window<int>> && !std::is_copy_assignable_v<window<int>>);
static_assert(std::is_nothrow_move_constructible_v<window<int>> && std::is_nothrow_move_assignable_v<window<int>>);
static_assert(!std::is_copy_constructible_v<rmashm::dynamic_window> && std::is_nothrow_move_constructible_v<rmashm::dynamic_window>);
static_assert(!std::is_copy_constructible_v<rmashm::lock_all> && !std::is_move_constructible_v<rmashm::lock_all>);
static_assert(!std::is_copy_constructible_v<rmashm::region<int>> && !std::is_move_constructible_v<rmashm::region<int>>);
// No guard of a window that is gone at the end of the line.
static_assert(std::is_constructible_v<rmashm::lock_all, window<int>&> && !std::is_constructible_v<rmashm::lock_all, window<int>>);
static_assert(!std::is_constructible_v<rmashm::exclusive_lock, window<int>, int>);
static_assert(!std::is_constructible_v<rmashm::fence_epoch, window<int>>);
static_assert(!std::is_constructible_v<rmashm::region<int>, rmashm::dynamic_window, rmashm::span<int>>);
// Spans are of the elements' own type, and temporaries are not written to.
struct derived : pair {
    int c;
};
static_assert(std::is_constructible_v<rmashm::span<const int>, std::vector<int>>);
static_assert(std::is_constructible_v<rmashm::span<int>, std::vector<int>&>);
static_assert(!std::is_constructible_v<rmashm::span<int>, std::vector<int>>);
static_assert(!std::is_constructible_v<rmashm::span<int>, const std::vector<int>&>);
static_assert(!std::is_constructible_v<rmashm::span<const double>, std::vector<float>&>);
static_assert(!std::is_constructible_v<rmashm::span<pair>, std::vector<derived>&>);
static_assert(rmashm::has_datatype<const int>() && !rmashm::has_datatype<pair>());

static void ended_twice(int rank)
{
    auto win = window<int>::allocate(MPI_COMM_WORLD, 1);
    const auto twice = [](auto& epoch) {
        epoch.unlock();
        return error_class_of([&] { epoch.unlock(); });
    };
    {
        rmashm::exclusive_lock lock(win, rank);
        CHECK(twice(lock) == MPI_ERR_RMA_SYNC);
    }
    {
        rmashm::lock_all lock(win);
        CHECK(twice(lock) == MPI_ERR_RMA_SYNC);
    }
    // Only here: a second fence would wait for the others.
    rmashm::fence_epoch epoch(win);
    epoch.unlock();
    if (rank == 0)
        CHECK(error_class_of([&] { epoch.unlock(); }) == MPI_ERR_RMA_SYNC);
}

// Every call of an object that has no window.
static void without_window(const window<int>& win)
{
    std::vector<int> data(1);
    CHECK(win.handle() == MPI_WIN_NULL && win.local().empty());
    CHECK(error_class_of([&] { rmashm::exclusive_lock lock(win, 0); }) == MPI_ERR_WIN);
    CHECK(error_class_of([&] { rmashm::shared_lock lock(win, 0); }) == MPI_ERR_WIN);
    CHECK(error_class_of([&] { rmashm::lock_all lock(win); }) == MPI_ERR_WIN);
    CHECK(error_class_of([&] { rmashm::fence_epoch epoch(win); }) == MPI_ERR_WIN);
    CHECK(error_class_of([&] { rmashm::access_epoch epoch(win, MPI_GROUP_EMPTY); }) == MPI_ERR_WIN);
    CHECK(error_class_of([&] { rmashm::exposure_epoch epoch(win, MPI_GROUP_EMPTY); }) == MPI_ERR_WIN);
    CHECK(error_class_of([&] { win.put(data, 0); }) == MPI_ERR_WIN);
    CHECK(error_class_of([&] { win.get(data, 0); }) == MPI_ERR_WIN);
    CHECK(error_class_of([&] { win.accumulate(data, rmashm::op::sum, 0); }) == MPI_ERR_WIN);
    CHECK(error_class_of([&] { win.get_accumulate(data, data, rmashm::op::sum, 0); }) == MPI_ERR_WIN);
    CHECK(error_class_of([&] { win.fetch_and_op(1, rmashm::op::sum, 0); }) == MPI_ERR_WIN);
    CHECK(error_class_of([&] { win.compare_and_swap(1, 0, 0); }) == MPI_ERR_WIN);
    CHECK(error_class_of([&] { win.shared(0); }) == MPI_ERR_WIN);
    CHECK(error_class_of([&] { win.flush(0); }) == MPI_ERR_WIN);
    CHECK(error_class_of([&] { win.flush_local_all(); }) == MPI_ERR_WIN);
    CHECK(error_class_of([&] { win.sync(); }) == MPI_ERR_WIN);
    CHECK(error_class_of([&] { win.fence(); }) == MPI_ERR_WIN);
}

static void moved(int rank, int size)
{
    auto first = window<int>::allocate(MPI_COMM_WORLD, 1);
    {
        // A guard stays with the window, whatever object that is in.
        rmashm::shared_lock lock(first, rank);
        auto second = std::move(first);
        without_window(first);
        lock.unlock();
        first = std::move(second);
    }
    auto& same = first;
    first = std::move(same);
    CHECK(first.handle() != MPI_WIN_NULL && first.local().size() == 1);
    // Assignment exchanges the two: each has its own memory.
    auto other = window<int>::allocate(MPI_COMM_WORLD, 2);
    const MPI_Win small = first.handle(), large = other.handle();
    other = std::move(first);
    CHECK(other.handle() == small && other.local().size() == 1);
    CHECK(first.handle() == large && first.local().size() == 2);
    other.local()[0] = rank;
    MPI_Barrier(MPI_COMM_WORLD);
    {
        rmashm::lock_all lock(other);
        int got[1] = {-1};
        other.get(got, (rank + 1) % size);
        lock.unlock();
        CHECK(got[0] == (rank + 1) % size);
    }
    std::vector<window<int>> many;
    many.push_back(std::move(first));
    many.push_back(std::move(other));
    CHECK(many[0].local().size() == 2);
    many[0].free();
    without_window(many[0]);
    CHECK(error_class_of([&] { many[0].free(); }) == MPI_ERR_WIN);
}

// What one process does wrong is told to all, where all take part.
static void sizes(int rank, int size)
{
    constexpr std::size_t too_many = std::numeric_limits<std::size_t>::max();
    const std::size_t count = rank == size - 1 ? too_many : 1;
    CHECK(error_class_of([&] { window<int>::allocate(MPI_COMM_WORLD, count); }) == MPI_ERR_SIZE);
    CHECK(error_class_of([&] { window<double>::allocate_shared(MPI_COMM_WORLD, too_many / 8); }) == MPI_ERR_SIZE);
    int element = 0;
    const rmashm::span<int> wrong(&element, rank == 0 ? too_many / 2 : 1);
    CHECK(error_class_of([&] { window<int>::create(MPI_COMM_WORLD, wrong); }) == MPI_ERR_SIZE);
    CHECK(error_class_of([&] { window<int>::allocate(MPI_COMM_NULL, 1); }) == MPI_ERR_COMM);
    CHECK(error_class_of([&] { rmashm::dynamic_window win(MPI_COMM_NULL); }) == MPI_ERR_COMM);

    auto win = window<pair>::allocate(MPI_COMM_WORLD, 1);
    rmashm::lock_all lock(win);
    pair one[2] = {};
    CHECK(error_class_of([&] { win.put(rmashm::span<const pair>(one, std::size_t{1} << 29), rank); }) == MPI_ERR_COUNT);
    CHECK(error_class_of([&] { win.get(rmashm::span<pair>(one, too_many), rank); }) == MPI_ERR_COUNT);
    CHECK(error_class_of([&] { win.put(one, rank); }) == MPI_ERR_RMA_RANGE);
    for (const std::size_t at : {std::size_t{1}, std::size_t{1} << 60, too_many / 8, too_many / 2, too_many}) {
        const int found = error_class_of([&] { win.put(rmashm::span<const pair>(one, 1), rank, at); });
        CHECK(found == MPI_ERR_RMA_RANGE || found == MPI_ERR_DISP);
    }
    auto numbers = window<int>::allocate(MPI_COMM_WORLD, 2);
    rmashm::lock_all too(numbers);
    std::vector<int> two{1, 2}, few{7};
    CHECK(error_class_of([&] { numbers.get_accumulate(two, few, rmashm::op::sum, rank); }) == MPI_ERR_COUNT);
    CHECK(few[0] == 7);
    CHECK(error_class_of([&] { numbers.fetch_and_op(1, static_cast<rmashm::op>(99), rank); }) == MPI_ERR_OP);
    // Nothing is an element of no use.
    numbers.put(rmashm::span<const int>(), rank, 2);
}

static void epochs(int rank, int size)
{
    auto win = window<int>::allocate(MPI_COMM_WORLD, 1);
    win.local()[0] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    const int one[1] = {1};
    CHECK(error_class_of([&] { win.put(one, rank); }) == MPI_ERR_RMA_SYNC);
    CHECK(error_class_of([&] { win.flush(rank); }) == MPI_ERR_RMA_SYNC);
    {
        rmashm::lock_all lock(win);
        CHECK(error_class_of([&] { rmashm::lock_all again(win); }) == MPI_ERR_RMA_SYNC);
        CHECK(error_class_of([&] { rmashm::exclusive_lock again(win, rank); }) == MPI_ERR_RMA_SYNC);
        // The first is still there.
        win.accumulate(one, rmashm::op::sum, (rank + 1) % size);
    }
    {
        rmashm::exclusive_lock lock(win, rank);
        CHECK(error_class_of([&] { rmashm::shared_lock again(win, rank); }) == MPI_ERR_RMA_SYNC);
        CHECK(error_class_of([&] { rmashm::lock_all again(win); }) == MPI_ERR_RMA_SYNC);
        if (size > 1)
            CHECK(error_class_of([&] { win.put(one, (rank + 1) % size); }) == MPI_ERR_RMA_SYNC);
        // A window with a lock is not freed, and can be later.
        CHECK(error_class_of([&] { win.free(); }) == MPI_ERR_RMA_SYNC);
        CHECK(win.handle() != MPI_WIN_NULL);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(win.local()[0] == 1);
}

// An exception of the program's own goes through guards and windows.
static void unwinding(int rank, int size)
{
    auto outer = window<int>::allocate(MPI_COMM_WORLD, 1);
    outer.local()[0] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    bool caught = false;
    try {
        auto inner = window<int>::allocate_shared(MPI_COMM_WORLD, 1);
        rmashm::fence_epoch epoch(inner);
        rmashm::exclusive_lock lock(outer, 0);
        outer.put(rmashm::span<const int>(&rank, 1), 0);
        throw std::runtime_error("of the program");
    } catch (const std::runtime_error& error) {
        caught = std::string(error.what()) == "of the program";
    }
    CHECK(caught);
    // Nobody has the lock.
    rmashm::exclusive_lock lock(outer, 0);
    const int last = outer.fetch_and_op(0, rmashm::op::no_op, 0);
    CHECK(last >= 0 && last < size);
}

// Memory that others do not share, and that of another type.
static void not_shared(int rank, int size)
{
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "rmashm_adopt", "false");
    std::vector<int> memory(100, rank);
    auto win = window<int>::create(MPI_COMM_WORLD, memory, info);
    MPI_Info_free(&info);
    CHECK(win.shared((rank + 1) % size).size() == (size == 1 ? 100 : 0));
    CHECK(error_class_of([&] { win.shared(size); }) == MPI_ERR_RANK);
    win.free();

    // The same window, but rank 0 takes the elements for larger ones.
    if (rank == 0) {
        auto shared = window<double>::allocate_shared(MPI_COMM_WORLD, 3);
        CHECK(shared.shared(0).size() == 3);
        if (size > 1)
            CHECK(error_class_of([&] { shared.shared(1); }) == MPI_ERR_DISP);
    } else {
        auto shared = window<float>::allocate_shared(MPI_COMM_WORLD, 3);
        CHECK(shared.shared(rank).size() == 3);
        CHECK(error_class_of([&] { shared.shared(0); }) == MPI_ERR_DISP);
    }
}

static void attached()
{
    rmashm::dynamic_window win(MPI_COMM_WORLD);
    std::vector<int> memory(4);
    const rmashm::region<int> region(win, memory);
    CHECK(error_class_of([&] { rmashm::region<int> again(win, memory); }) == MPI_ERR_RMA_ATTACH);
    auto moved = std::move(win);
    CHECK(error_class_of([&] { rmashm::region<int> more(win, memory); }) == MPI_ERR_WIN);
    win = std::move(moved);
}

// A guard that lives longer than its window's object: the window cannot be freed with a lock, and is left to MPI_Finalize.
static void outlived(int rank)
{
    MPI_Win handle;
    {
        std::optional<rmashm::exclusive_lock> lock;
        auto win = window<int>::allocate(MPI_COMM_WORLD, 1);
        lock.emplace(win, rank);
        handle = win.handle();
    }
    CHECK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, handle) == MPI_SUCCESS && MPI_Win_unlock(rank, handle) == MPI_SUCCESS);
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    ended_twice(rank);
    moved(rank, size);
    sizes(rank, size);
    epochs(rank, size);
    unwinding(rank, size);
    not_shared(rank, size);
    attached();
    outlived(rank);
    // These live until MPI is over, as those of careless programs do.
    const auto left = window<int>::allocate(MPI_COMM_WORLD, 10);
    const rmashm::dynamic_window dynamic(MPI_COMM_WORLD);
    return conclude();
}
