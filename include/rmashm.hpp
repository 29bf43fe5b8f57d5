/*
 * rmashm.hpp: windows for C++17 and later, over the mpi.h of any MPI.
 *
 * A window, an epoch and a lock are objects: what a constructor opens, the destructor closes. Data are spans of typed elements, and the
 * datatype follows from the type. Errors are exceptions with class and sentence. docs/cxx.md is the guide.
 *
 *     auto win = rmashm::window<double>::allocate(MPI_COMM_WORLD, 1000);
 *     {
 *         rmashm::shared_lock lock(win, 3);
 *         win.put(values, 3, 100);          // to elements 100 and following of rank 3
 *     }                                     // they are there
 */
#ifndef RMASHM_HPP
#define RMASHM_HPP

#if __cplusplus < 201703L
#error "rmashm.hpp is for C++17 and later: compile with -std=c++17"
#endif

#include <mpi.h>

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#if __has_include(<span>) && __cplusplus >= 202002L
#include <span>
#endif

namespace rmashm {

/* ---- Errors ---- */

/* What a call of MPI's failed with. */
class error : public std::runtime_error {
public:
    explicit error(int code) : std::runtime_error(sentence(code)), code_(code) {}

    /* The code that MPI gave. */
    int code() const noexcept { return code_; }

    /* Its class: MPI_ERR_RANK, … */
    int error_class() const noexcept
    {
        int number = MPI_ERR_UNKNOWN;
        MPI_Error_class(code_, &number);
        return number;
    }

private:
    int code_;

    static std::string sentence(int code)
    {
        std::array<char, MPI_MAX_ERROR_STRING> text{};
        int length = 0;
        if (MPI_Error_string(code, text.data(), &length) != MPI_SUCCESS)
            return "error " + std::to_string(code) + " of MPI";
        return std::string(text.data(), static_cast<std::size_t>(length));
    }
};

/* Throws where a code is not MPI_SUCCESS. */
inline void check(int code)
{
    if (code != MPI_SUCCESS)
        throw error(code);
}

/* ---- Spans ---- */

#if defined(__cpp_lib_span)
template <class T>
using span = std::span<T>;
#else
/* What is needed of C++20's. */
template <class T>
class span {
public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;

    constexpr span() noexcept = default;
    constexpr span(T* data, std::size_t size) noexcept : data_(data), size_(size) {}
    template <std::size_t N>
    constexpr span(T (&array)[N]) noexcept : span(array, N)
    {
    }
    /* Of containers with elements of this very type; of a temporary only to read. */
    template <class Range, class Element = std::remove_pointer_t<decltype(std::declval<Range&>().data())>,
        class = std::enable_if_t<std::is_convertible_v<Element (*)[], T (*)[]> && !std::is_same_v<std::decay_t<Range>, span> &&
            (std::is_lvalue_reference_v<Range> || std::is_const_v<T>)>>
    constexpr span(Range&& range) : span(range.data(), range.size())
    {
    }

    constexpr T* data() const noexcept { return data_; }
    constexpr std::size_t size() const noexcept { return size_; }
    constexpr bool empty() const noexcept { return size_ == 0; }
    constexpr T* begin() const noexcept { return data_; }
    constexpr T* end() const noexcept { return data_ + size_; }
    constexpr T& operator[](std::size_t i) const { return data_[i]; }
    constexpr T& front() const { return data_[0]; }
    constexpr T& back() const { return data_[size_ - 1]; }
    constexpr span subspan(std::size_t offset, std::size_t count) const { return span(data_ + offset, count); }

private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
};
#endif

/* ---- Datatypes ---- */

namespace detail {

template <class T, class... Types>
inline constexpr bool is_one_of = (std::is_same_v<T, Types> || ...);

}

/* Whether MPI has a datatype for elements of type T. Those of other types travel as bytes. */
template <class T>
constexpr bool has_datatype() noexcept
{
    using U = std::remove_cv_t<T>;
    if constexpr (std::is_enum_v<U> && !std::is_same_v<U, std::byte>)
        return has_datatype<std::underlying_type_t<U>>();
    else
        return detail::is_one_of<U, char, signed char, unsigned char, std::byte, wchar_t, bool, short, unsigned short, int, unsigned,
            long, unsigned long, long long, unsigned long long, float, double, long double, std::complex<float>,
            std::complex<double>, std::complex<long double>>;
}

/* It, or MPI_DATATYPE_NULL. */
template <class T>
MPI_Datatype datatype_of() noexcept
{
    using U = std::remove_cv_t<T>;
    if constexpr (std::is_enum_v<U> && !std::is_same_v<U, std::byte>)
        return datatype_of<std::underlying_type_t<U>>();
    else if constexpr (std::is_same_v<U, char>)
        return MPI_CHAR;
    else if constexpr (std::is_same_v<U, signed char>)
        return MPI_SIGNED_CHAR;
    else if constexpr (std::is_same_v<U, unsigned char>)
        return MPI_UNSIGNED_CHAR;
    else if constexpr (std::is_same_v<U, std::byte>)
        return MPI_BYTE;
    else if constexpr (std::is_same_v<U, wchar_t>)
        return MPI_WCHAR;
    else if constexpr (std::is_same_v<U, bool>)
        return MPI_CXX_BOOL;
    else if constexpr (std::is_same_v<U, short>)
        return MPI_SHORT;
    else if constexpr (std::is_same_v<U, unsigned short>)
        return MPI_UNSIGNED_SHORT;
    else if constexpr (std::is_same_v<U, int>)
        return MPI_INT;
    else if constexpr (std::is_same_v<U, unsigned>)
        return MPI_UNSIGNED;
    else if constexpr (std::is_same_v<U, long>)
        return MPI_LONG;
    else if constexpr (std::is_same_v<U, unsigned long>)
        return MPI_UNSIGNED_LONG;
    else if constexpr (std::is_same_v<U, long long>)
        return MPI_LONG_LONG;
    else if constexpr (std::is_same_v<U, unsigned long long>)
        return MPI_UNSIGNED_LONG_LONG;
    else if constexpr (std::is_same_v<U, float>)
        return MPI_FLOAT;
    else if constexpr (std::is_same_v<U, double>)
        return MPI_DOUBLE;
    else if constexpr (std::is_same_v<U, long double>)
        return MPI_LONG_DOUBLE;
    else if constexpr (std::is_same_v<U, std::complex<float>>)
        return MPI_CXX_FLOAT_COMPLEX;
    else if constexpr (std::is_same_v<U, std::complex<double>>)
        return MPI_CXX_DOUBLE_COMPLEX;
    else if constexpr (std::is_same_v<U, std::complex<long double>>)
        return MPI_CXX_LONG_DOUBLE_COMPLEX;
    else {
        static_assert(!has_datatype<U>(), "both lists have the same types");
        return MPI_DATATYPE_NULL;
    }
}

namespace detail {

/* Elements as MPI counts them. */
struct elements {
    MPI_Datatype datatype;
    int count;

    template <class T>
    static elements of(span<T> data)
    {
        static_assert(std::is_trivially_copyable_v<std::remove_cv_t<T>>, "elements of windows are copied as memory");
        const std::size_t each = has_datatype<T>() ? 1 : sizeof(T);
        if (data.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()) / each)
            throw error(MPI_ERR_COUNT);
        return {has_datatype<T>() ? datatype_of<T>() : MPI_BYTE, static_cast<int>(data.size() * each)};
    }
};

template <class T>
MPI_Datatype arithmetic() noexcept
{
    static_assert(has_datatype<T>(), "operations are for types that MPI knows: numbers, bool, std::byte, std::complex, enumerations");
    return datatype_of<T>();
}

/* What a window's elements have to be. */
template <class T>
constexpr bool is_element()
{
    static_assert(!std::is_const_v<T>, "elements of windows are written to: leave const out");
    static_assert(!std::is_reference_v<T> && !std::is_pointer_v<T>, "an address means nothing in another process");
    static_assert(std::is_trivially_copyable_v<T>, "elements of windows are copied as memory");
    return true;
}

/* Whether MPI can be called no more. */
inline bool is_over() noexcept
{
    int ended = 0;
    MPI_Finalized(&ended);
    return ended != 0;
}

/* While it lives, errors of calls on the communicator are returned. */
class errors_return {
public:
    explicit errors_return(MPI_Comm comm) : comm_(comm)
    {
        if (comm_ == MPI_COMM_NULL)
            throw error(MPI_ERR_COMM);
        check(MPI_Comm_get_errhandler(comm_, &before_));
        check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN));
    }
    errors_return(const errors_return&) = delete;
    errors_return& operator=(const errors_return&) = delete;
    ~errors_return()
    {
        MPI_Comm_set_errhandler(comm_, before_);
        MPI_Errhandler_free(&before_);
    }

private:
    MPI_Comm comm_;
    MPI_Errhandler before_ = MPI_ERRHANDLER_NULL;
};

}

/* ---- Operations ---- */

/* What an accumulate does to an element. */
enum class op { sum, prod, min, max, land, lor, lxor, band, bor, bxor, replace, no_op };

inline MPI_Op handle_of(op operation) noexcept
{
    switch (operation) {
    case op::sum: return MPI_SUM;
    case op::prod: return MPI_PROD;
    case op::min: return MPI_MIN;
    case op::max: return MPI_MAX;
    case op::land: return MPI_LAND;
    case op::lor: return MPI_LOR;
    case op::lxor: return MPI_LXOR;
    case op::band: return MPI_BAND;
    case op::bor: return MPI_BOR;
    case op::bxor: return MPI_BXOR;
    case op::replace: return MPI_REPLACE;
    case op::no_op: return MPI_NO_OP;
    }
    return MPI_OP_NULL;
}

/* ---- Windows ---- */

/* What all windows have in common. Freed by the destructor, which all processes of the window have to reach, as MPI_Win_free. (After
   MPI_Finalize there is nothing left to free.) An object whose window has gone to another, or is freed, has none: calls throw. */
class basic_window {
public:
    basic_window(basic_window&& other) noexcept : win_(std::exchange(other.win_, MPI_WIN_NULL)) {}
    basic_window& operator=(basic_window&& other) noexcept
    {
        std::swap(win_, other.win_);
        return *this;
    }
    basic_window(const basic_window&) = delete;
    basic_window& operator=(const basic_window&) = delete;
    ~basic_window()
    {
        if (win_ != MPI_WIN_NULL && !detail::is_over())
            MPI_Win_free(&win_);
    }

    /* Frees the window. Collective, like the destructor; but an error is thrown. */
    void free()
    {
        live_handle();
        check(MPI_Win_free(&win_));
    }

    /* The window as MPI knows it; MPI_WIN_NULL where there is none. */
    MPI_Win handle() const noexcept { return win_; }

    /* The same, of a window that there has to be. */
    MPI_Win live_handle() const
    {
        if (win_ == MPI_WIN_NULL)
            throw error(MPI_ERR_WIN);
        return win_;
    }

    /* Operations of the open epoch are complete at origin and target on return: those on `rank`, those on all. */
    void flush(int rank) const { check(MPI_Win_flush(rank, live_handle())); }
    void flush_all() const { check(MPI_Win_flush_all(live_handle())); }
    /* They are complete at the origin: its buffers may be used again. */
    void flush_local(int rank) const { check(MPI_Win_flush_local(rank, live_handle())); }
    void flush_local_all() const { check(MPI_Win_flush_local_all(live_handle())); }
    /* Makes stores of others to this process's memory visible to it, and its own to them. */
    void sync() const { check(MPI_Win_sync(live_handle())); }
    /* Closes one epoch of all processes and opens the next. Collective. */
    void fence(int assertion = 0) const { check(MPI_Win_fence(assertion, live_handle())); }

protected:
    basic_window() = default;

    /* Makes the window by a call of MPI's that is given a place for it. */
    template <class Make>
    basic_window(MPI_Comm comm, Make make)
    {
        detail::errors_return guard(comm);
        check(make(&win_));
        const int code = MPI_Win_set_errhandler(win_, MPI_ERRORS_RETURN);
        if (code != MPI_SUCCESS) {
            MPI_Win_free(&win_);
            throw error(code);
        }
    }

    MPI_Win win_ = MPI_WIN_NULL;
};

/* A window whose elements are of type T at every process. Places at a target are counted in elements. */
template <class T>
class window : public basic_window {
    static_assert(detail::is_element<T>());

public:
    using value_type = T;

    window(window&& other) noexcept : basic_window(std::move(other)), local_(std::exchange(other.local_, span<T>())) {}
    /* Exchanges the two. */
    window& operator=(window&& other) noexcept
    {
        basic_window::operator=(std::move(other));
        std::swap(local_, other.local_);
        return *this;
    }

    /* Over memory of the program's own, which has to outlive the window. Collective. */
    static window create(MPI_Comm comm, span<T> memory, MPI_Info info = MPI_INFO_NULL)
    {
        return window(comm, memory, [&](MPI_Win* win, T**) {
            return MPI_Win_create(memory.data(), bytes(memory.size()), sizeof(T), info, comm, win);
        });
    }

    /* Over `count` elements of new memory, which the window has. Collective. */
    static window allocate(MPI_Comm comm, std::size_t count, MPI_Info info = MPI_INFO_NULL)
    {
        return window(comm, span<T>(static_cast<T*>(nullptr), count), [&](MPI_Win* win, T** base) {
            return MPI_Win_allocate(bytes(count), sizeof(T), info, comm, base, win);
        });
    }

    /* The same in memory that all processes can load from and store to: `shared` gives it. Collective over processes of one node. */
    static window allocate_shared(MPI_Comm comm, std::size_t count, MPI_Info info = MPI_INFO_NULL)
    {
        return window(comm, span<T>(static_cast<T*>(nullptr), count), [&](MPI_Win* win, T** base) {
            return MPI_Win_allocate_shared(bytes(count), sizeof(T), info, comm, base, win);
        });
    }

    /* This process's elements. */
    span<T> local() const noexcept { return win_ == MPI_WIN_NULL ? span<T>() : local_; }

    /* The elements of `rank`, for loads and stores: of any process that shares memory with this one. */
    span<T> shared(int rank) const
    {
        MPI_Aint size = 0;
        int disp_unit = 0;
        T* base = nullptr;
        check(MPI_Win_shared_query(live_handle(), rank, &size, &disp_unit, &base));
        // That process has elements of another type.
        if (size != 0 && disp_unit != static_cast<int>(sizeof(T)))
            throw error(MPI_ERR_DISP);
        return span<T>(base, static_cast<std::size_t>(size) / sizeof(T));
    }

    /* Stores `data` to the elements of `target` from `at` on; the origin's memory may be used again when the epoch ends, or a flush. */
    void put(span<const T> data, int target, std::size_t at = 0) const
    {
        const auto e = detail::elements::of(data);
        check(MPI_Put(data.data(), e.count, e.datatype, target, static_cast<MPI_Aint>(at), e.count, e.datatype, live_handle()));
    }

    /* Loads elements of `target` from `at` on into `data`; they are there when the epoch ends, or after a flush. */
    void get(span<T> data, int target, std::size_t at = 0) const
    {
        const auto e = detail::elements::of(data);
        check(MPI_Get(data.data(), e.count, e.datatype, target, static_cast<MPI_Aint>(at), e.count, e.datatype, live_handle()));
    }

    /* Each element of the target becomes `element operation datum`, atomically. */
    void accumulate(span<const T> data, op operation, int target, std::size_t at = 0) const
    {
        const auto type = detail::arithmetic<T>();
        const auto e = detail::elements::of(data);
        check(MPI_Accumulate(data.data(), e.count, type, target, static_cast<MPI_Aint>(at), e.count, type, handle_of(operation), live_handle()));
    }

    /* The same, and `before` gets what the elements were. */
    void get_accumulate(span<const T> data, span<T> before, op operation, int target, std::size_t at = 0) const
    {
        const auto type = detail::arithmetic<T>();
        const auto e = detail::elements::of(data), b = detail::elements::of(before);
        if (e.count != b.count && operation != op::no_op)
            throw error(MPI_ERR_COUNT);
        check(MPI_Get_accumulate(data.data(), e.count, type, before.data(), b.count, type, target, static_cast<MPI_Aint>(at), b.count,
            type, handle_of(operation), live_handle()));
    }

    /* Updates one element and gives what it was: at once, in an epoch that a lock has opened. */
    T fetch_and_op(const T& value, op operation, int target, std::size_t at = 0) const
    {
        T before{};
        fetch_and_op(value, before, operation, target, at);
        flush(target);
        return before;
    }

    /* The same in any epoch: `before` is there when it ends, or after a flush. */
    void fetch_and_op(const T& value, T& before, op operation, int target, std::size_t at) const
    {
        const auto type = detail::arithmetic<T>();
        check(MPI_Fetch_and_op(&value, &before, type, target, static_cast<MPI_Aint>(at), handle_of(operation), live_handle()));
    }

    /* Stores `value` if the element is `expected`, and gives what it was: at once, in an epoch that a lock has opened. */
    T compare_and_swap(const T& value, const T& expected, int target, std::size_t at = 0) const
    {
        T before{};
        compare_and_swap(value, expected, before, target, at);
        flush(target);
        return before;
    }

    /* The same in any epoch. */
    void compare_and_swap(const T& value, const T& expected, T& before, int target, std::size_t at) const
    {
        const auto type = detail::arithmetic<T>();
        check(MPI_Compare_and_swap(&value, &expected, &before, type, target, static_cast<MPI_Aint>(at), live_handle()));
    }

private:
    span<T> local_;

    template <class Make>
    window(MPI_Comm comm, span<T> memory, Make make)
        : basic_window(comm, [&](MPI_Win* win) {
              T* base = memory.data();
              const int code = make(win, &base);
              memory = span<T>(base, memory.size());
              return code;
          }), local_(memory)
    {
    }

    /* A size that is none if there is no such: MPI then tells all processes of the window, where an exception here would let the
       others wait. */
    static MPI_Aint bytes(std::size_t count) noexcept
    {
        const bool fits = count <= static_cast<std::size_t>(std::numeric_limits<MPI_Aint>::max()) / sizeof(T);
        return fits ? static_cast<MPI_Aint>(count * sizeof(T)) : -1;
    }
};

/* A window to which memory is attached later. Places at a target are addresses there, as `region::address` tells them. */
class dynamic_window : public basic_window {
public:
    explicit dynamic_window(MPI_Comm comm, MPI_Info info = MPI_INFO_NULL)
        : basic_window(comm, [&](MPI_Win* win) { return MPI_Win_create_dynamic(info, comm, win); })
    {
    }

    template <class T>
    void put(span<const T> data, int target, MPI_Aint address) const
    {
        const auto e = detail::elements::of(data);
        check(MPI_Put(data.data(), e.count, e.datatype, target, address, e.count, e.datatype, live_handle()));
    }

    template <class T>
    void get(span<T> data, int target, MPI_Aint address) const
    {
        const auto e = detail::elements::of(data);
        check(MPI_Get(data.data(), e.count, e.datatype, target, address, e.count, e.datatype, live_handle()));
    }

    template <class T>
    void accumulate(span<const T> data, op operation, int target, MPI_Aint address) const
    {
        const auto type = detail::arithmetic<T>();
        const auto e = detail::elements::of(data);
        check(MPI_Accumulate(data.data(), e.count, type, target, address, e.count, type, handle_of(operation), live_handle()));
    }
};

/* Memory attached to a dynamic window, for as long as it lives. */
template <class T>
class region {
public:
    region(const dynamic_window& window, span<T> memory) : win_(window.live_handle()), memory_(memory)
    {
        static_assert(detail::is_element<T>());
        check(MPI_Win_attach(win_, memory_.data(), static_cast<MPI_Aint>(memory_.size() * sizeof(T))));
    }
    region(const dynamic_window&& gone_at_once, span<T> memory) = delete;
    region(const region&) = delete;
    region& operator=(const region&) = delete;
    ~region()
    {
        if (!detail::is_over())
            MPI_Win_detach(win_, memory_.data());
    }

    /* Where it is: what others have to know to reach it. */
    MPI_Aint address() const
    {
        MPI_Aint address = 0;
        check(MPI_Get_address(memory_.data(), &address));
        return address;
    }

private:
    MPI_Win win_;
    span<T> memory_;
};

/* ---- Epochs ---- */

namespace detail {

/* An epoch from construction to destruction, or until `unlock`; what closes it is `Close`, a type with a call operator. Errors of the
   destructor cannot be thrown, and are not told; those of `unlock` are. */
template <class Close>
class epoch {
public:
    epoch(const epoch&) = delete;
    epoch& operator=(const epoch&) = delete;

    /* Ends it now. Once. */
    void unlock()
    {
        if (!std::exchange(is_open_, false))
            throw error(MPI_ERR_RMA_SYNC);
        check(close_());
    }

protected:
    epoch(int opened, Close close) : close_(close)
    {
        check(opened);
        is_open_ = true;
    }
    ~epoch()
    {
        if (is_open_ && !is_over())
            close_();
    }

private:
    Close close_;
    bool is_open_ = false;
};

struct unlock {
    MPI_Win win;
    int rank;
    int operator()() const { return MPI_Win_unlock(rank, win); }
};

struct unlock_all {
    MPI_Win win;
    int operator()() const { return MPI_Win_unlock_all(win); }
};

struct fence {
    MPI_Win win;
    int operator()() const { return MPI_Win_fence(MPI_MODE_NOSUCCEED, win); }
};

struct complete {
    MPI_Win win;
    int operator()() const { return MPI_Win_complete(win); }
};

struct wait {
    MPI_Win win;
    int operator()() const { return MPI_Win_wait(win); }
};

}

/* The window of `rank` is locked: no other process has a lock there. */
class exclusive_lock : public detail::epoch<detail::unlock> {
public:
    [[nodiscard]] exclusive_lock(const basic_window& window, int rank, int assertion = 0)
        : epoch(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, assertion, window.live_handle()), {window.live_handle(), rank})
    {
    }
    exclusive_lock(const basic_window&& gone_at_once, int rank, int assertion = 0) = delete;
};

/* The window of `rank` is locked: others may have shared locks, too. */
class shared_lock : public detail::epoch<detail::unlock> {
public:
    [[nodiscard]] shared_lock(const basic_window& window, int rank, int assertion = 0)
        : epoch(MPI_Win_lock(MPI_LOCK_SHARED, rank, assertion, window.live_handle()), {window.live_handle(), rank})
    {
    }
    shared_lock(const basic_window&& gone_at_once, int rank, int assertion = 0) = delete;
};

/* A shared lock of every process's window. */
class lock_all : public detail::epoch<detail::unlock_all> {
public:
    [[nodiscard]] explicit lock_all(const basic_window& window, int assertion = 0)
        : epoch(MPI_Win_lock_all(assertion, window.live_handle()), {window.live_handle()})
    {
    }
    lock_all(const basic_window&& gone_at_once, int assertion = 0) = delete;
};

/* An epoch of all processes, from one fence to another. Collective at both ends. */
class fence_epoch : public detail::epoch<detail::fence> {
public:
    [[nodiscard]] explicit fence_epoch(const basic_window& window)
        : epoch(MPI_Win_fence(0, window.live_handle()), {window.live_handle()})
    {
    }
    fence_epoch(const basic_window&& gone_at_once) = delete;
};

/* Access to the windows of a group, each of which exposes its own to this process. */
class access_epoch : public detail::epoch<detail::complete> {
public:
    [[nodiscard]] access_epoch(const basic_window& window, MPI_Group targets, int assertion = 0)
        : epoch(MPI_Win_start(targets, assertion, window.live_handle()), {window.live_handle()})
    {
    }
    access_epoch(const basic_window&& gone_at_once, MPI_Group targets, int assertion = 0) = delete;
};

/* This process's window is exposed to a group: it ends when all of them have ended their access. */
class exposure_epoch : public detail::epoch<detail::wait> {
public:
    [[nodiscard]] exposure_epoch(const basic_window& window, MPI_Group origins, int assertion = 0)
        : epoch(MPI_Win_post(origins, assertion, window.live_handle()), {window.live_handle()})
    {
    }
    exposure_epoch(const basic_window&& gone_at_once, MPI_Group origins, int assertion = 0) = delete;
};

}

#endif /* RMASHM_HPP */
