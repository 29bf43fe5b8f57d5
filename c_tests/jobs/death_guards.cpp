/* ranks: 3 4; name: lock; args: lock; abi: mpich standard; expect-exit: 137; expect-stderr: was killed by signal 9; mpich: skip a death ends the job */
/* ranks: 3 4; name: fence; args: fence; abi: mpich standard; expect-exit: 137; expect-stderr: was killed by signal 9; mpich: skip a death ends the job */
/* ranks: 3 4; name: create; args: create; abi: mpich standard; expect-exit: 137; expect-stderr: was killed by signal 9; mpich: skip a death ends the job */
/* rmashm.hpp where a process is killed: what waits for it throws, guards and windows that the exception passes end what they have
 * begun, and nobody hangs in a destructor. */
#include <rmashm.hpp>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

/* The class of what fails because a process has died: the standard's interface has none for that alone. */
#if defined(MPI_ABI_VERSION) && !defined(MPIX_ERR_PROC_FAILED)
#define MPIX_ERR_PROC_FAILED MPI_ERR_PROC_ABORTED
#endif

#define CHECK(condition)                                                                      \
    do {                                                                                      \
        if (!(condition)) {                                                                   \
            std::fprintf(stderr, "%s:%d: rank %d: not so: %s\n", __FILE__, __LINE__, rank, #condition); \
            MPI_Abort(MPI_COMM_WORLD, 99);                                                    \
        }                                                                                     \
    } while (0)

using window = rmashm::window<int>;

static const MPI_Comm all = MPI_COMM_WORLD;
static const int VICTIM = 1;
static int rank, size;

[[noreturn]] static void die()
{
    std::raise(SIGKILL);
    std::abort();
}

/* Returns when this process knows that the victim is dead. */
static void await_death()
{
    int none;
    CHECK(MPI_Recv(&none, 1, MPI_INT, VICTIM, 12345, all, MPI_STATUS_IGNORE) != MPI_SUCCESS);
}

/* The call throws the error of a death, with this text. */
template <class Call>
static void throws(Call call, const char *text)
{
    try {
        call();
    } catch (const rmashm::error &error) {
        CHECK(error.error_class() == MPIX_ERR_PROC_FAILED);
        CHECK(std::strstr(error.what(), text) != nullptr);
        return;
    }
    CHECK(!"there is an exception");
}

static void lock()
{
    window win = window::allocate(all, 1);
    win.local()[0] = 0;
    if (rank == VICTIM)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win.handle());
    MPI_Barrier(all);
    if (rank == VICTIM)
        die();
    await_death();
    throws(
        [&] {
            rmashm::shared_lock mine(win, rank == 0 ? size - 1 : rank);
            rmashm::exclusive_lock held(win, 0);
        },
        "the exclusive lock of rank 0 is held by ");
    /* The first guard has gone with the exception, the second never was. */
    rmashm::exclusive_lock again(win, rank == 0 ? size - 1 : rank);
    again.unlock();
}

static void fence()
{
    window win = window::allocate(all, 1);
    throws(
        [&] {
            rmashm::fence_epoch epoch(win);
            if (rank == VICTIM)
                die();
            const int value[] = {rank};
            win.put(value, rank);
            epoch.unlock();
        },
        "MPI_Win_fence: ");
    throws(
        [&] {
            rmashm::fence_epoch epoch(win);
            throw rmashm::error(MPIX_ERR_PROC_FAILED);
        },
        "");
}

static void create()
{
    if (rank == VICTIM)
        die();
    throws([&] { window::allocate(all, 1); }, "MPI_Win_allocate: ");
    throws([&] { rmashm::dynamic_window win(all); }, "MPI_Win_create_dynamic: ");
    /* The communicator has the handler that it had. */
    MPI_Errhandler handler;
    MPI_Comm_get_errhandler(all, &handler);
    CHECK(handler == MPI_ERRORS_RETURN);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &size);
    MPI_Comm_set_errhandler(all, MPI_ERRORS_RETURN);
    const struct {
        const char *name;
        void (*run)();
    } tests[] = {{"lock", lock}, {"fence", fence}, {"create", create}};
    for (const auto &test : tests)
        if (std::strcmp(argv[1], test.name) == 0)
            test.run();
    /* The destructors of the windows have come back. */
    MPI_Finalize();
    return 0;
}
