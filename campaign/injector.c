/* What the kernel and the C library may say at any time, said at random to librmashm.so, and to nobody else in the process: it is
 * preloaded, and looks who calls.
 *
 * The file that CAMPAIGN_FAULTS names is a `struct table`: what to do, and how often it was done. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <link.h>
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* Kinds of faults, as bits. */
enum {
    INTERRUPTED = 1, /* EINTR */
    SHORT = 2,       /* fewer bytes than were asked for */
    MEMORY = 4,      /* ENOMEM */
    DESCRIPTORS = 8, /* EMFILE */
    SPACE = 16,      /* ENOSPC */
    FORBIDDEN = 32,  /* EPERM and the like, where a kernel may be without; then always, in that process */
};

/* The calls that are counted. */
#define CALLS(X)                                                                                                    \
    X(accept4) X(calloc) X(fallocate) X(fcntl) X(ftruncate) X(futex) X(madvise) X(malloc) X(membarrier)             \
    X(memfd_create) X(memalign) X(mmap) X(mprotect) X(mremap) X(open) X(poll) X(pread) X(process_vm_readv)          \
    X(process_vm_writev) X(pwrite) X(read) X(realloc) X(recv) X(recvmsg) X(sched_setaffinity) X(send) X(sendmsg)    \
    X(socket) X(userfaultfd) X(write) X(writev)

#define NUMBER(name) CALL_##name,
enum call { CALLS(NUMBER) };
#define NAME(name) #name,
static const char *const names[] = {CALLS(NAME)};

enum { MOST_CALLS = 40 };
_Static_assert(sizeof names / sizeof *names <= MOST_CALLS, "a place for each");

struct table {
    uint64_t seed;
    uint64_t kinds;
    uint64_t per_million; /* of the calls that could fail */
    uint64_t least;       /* bytes: smaller memory is always there */
    struct {
        char name[24];
        _Atomic uint64_t done;
    } calls[MOST_CALLS];
};

static struct table *table;
static uint64_t seed;
static _Atomic uint64_t asked;

static uint64_t mixed(uint64_t a, uint64_t b)
{
    uint64_t z = a * UINT64_C(0x9e3779b97f4a7c15) + b + UINT64_C(0x632be59bd9b4e019);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Where the library's code is. The functions that it may call are here before it is. */
static _Atomic uintptr_t code_begin, code_end;

static int look(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    if (strstr(info->dlpi_name, "librmashm") == NULL && strstr(info->dlpi_name, "libmpi.so") == NULL &&
        strstr(info->dlpi_name, "libmpi_abi") == NULL)
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && part->p_flags & PF_X) {
            code_end = info->dlpi_addr + part->p_vaddr + part->p_memsz;
            code_begin = info->dlpi_addr + part->p_vaddr;
        }
    }
    return 1;
}

__attribute__((constructor)) static void begin(void)
{
    const char *name = getenv("CAMPAIGN_FAULTS"), *rank = getenv("PMI_RANK");
    int file = name == NULL ? -1 : open(name, O_RDWR | O_CLOEXEC);
    void *at;
    if (file < 0)
        return;
    dl_iterate_phdr(look, NULL);
    at = mmap(NULL, sizeof *table, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (at == MAP_FAILED)
        return;
    seed = mixed(((struct table *)at)->seed, rank == NULL ? 0 : strtoull(rank, NULL, 10));
    table = at;
}

/* Whether this call of the library's fails now. */
static int strikes(int kind, enum call call, void *caller)
{
    uintptr_t from = (uintptr_t)caller;
    uint64_t number;
    if (table == NULL || !(table->kinds & (uint64_t)kind) || from < code_begin || from >= code_end)
        return 0;
    number = kind == FORBIDDEN ? mixed(seed, call) : mixed(seed, atomic_fetch_add(&asked, 1) + 1000);
    if (kind == FORBIDDEN ? number % 2 : number % 1000000 >= table->per_million)
        return 0;
    memcpy(table->calls[call].name, names[call], strlen(names[call]));
    atomic_fetch_add(&table->calls[call].done, 1);
    return 1;
}

#define CALLER __builtin_return_address(0)

#define FAIL_IF(kind, call, error)                    \
    do {                                              \
        if (strikes(kind, CALL_##call, CALLER)) {     \
            errno = error;                            \
            return -1;                                \
        }                                             \
    } while (0)

/* A part of the bytes, but one of them at least. */
#define PART(call, bytes) ((bytes) > 1 && strikes(SHORT, CALL_##call, CALLER) ? ((bytes) + 1) / 2 : (bytes))

/* The function that is found behind this one. (Looked for once; two threads that do find the same.) */
#define REAL(name)                                                                 \
    static __typeof__(&name) real;                                                 \
    if (__atomic_load_n(&real, __ATOMIC_RELAXED) == NULL)                          \
        __atomic_store_n(&real, (__typeof__(&name))dlsym(RTLD_NEXT, #name), __ATOMIC_RELAXED)

ssize_t read(int fd, void *data, size_t bytes)
{
    REAL(read);
    FAIL_IF(INTERRUPTED, read, EINTR);
    return real(fd, data, PART(read, bytes));
}

ssize_t write(int fd, const void *data, size_t bytes)
{
    REAL(write);
    FAIL_IF(INTERRUPTED, write, EINTR);
    return real(fd, data, PART(write, bytes));
}

ssize_t writev(int fd, const struct iovec *parts, int count)
{
    REAL(writev);
    FAIL_IF(INTERRUPTED, writev, EINTR);
    return real(fd, parts, count);
}

ssize_t pread64(int fd, void *data, size_t bytes, off64_t place)
{
    REAL(pread64);
    FAIL_IF(INTERRUPTED, pread, EINTR);
    return real(fd, data, PART(pread, bytes), place);
}

ssize_t pread(int fd, void *data, size_t bytes, off_t place)
{
    REAL(pread);
    FAIL_IF(INTERRUPTED, pread, EINTR);
    return real(fd, data, PART(pread, bytes), place);
}

ssize_t preadv64(int fd, const struct iovec *parts, int count, off64_t place)
{
    REAL(preadv64);
    FAIL_IF(INTERRUPTED, pread, EINTR);
    return real(fd, parts, PART(pread, count), place);
}

ssize_t pwrite64(int fd, const void *data, size_t bytes, off64_t place)
{
    REAL(pwrite64);
    FAIL_IF(INTERRUPTED, pwrite, EINTR);
    FAIL_IF(SPACE, pwrite, ENOSPC);
    return real(fd, data, PART(pwrite, bytes), place);
}

ssize_t pwrite(int fd, const void *data, size_t bytes, off_t place)
{
    REAL(pwrite);
    FAIL_IF(INTERRUPTED, pwrite, EINTR);
    FAIL_IF(SPACE, pwrite, ENOSPC);
    return real(fd, data, PART(pwrite, bytes), place);
}

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t place)
{
    REAL(pwritev64);
    FAIL_IF(INTERRUPTED, pwrite, EINTR);
    FAIL_IF(SPACE, pwrite, ENOSPC);
    return real(fd, parts, PART(pwrite, count), place);
}

int ftruncate64(int fd, off64_t length)
{
    REAL(ftruncate64);
    FAIL_IF(INTERRUPTED, ftruncate, EINTR);
    FAIL_IF(SPACE, ftruncate, ENOSPC);
    return real(fd, length);
}

int ftruncate(int fd, off_t length)
{
    REAL(ftruncate);
    FAIL_IF(INTERRUPTED, ftruncate, EINTR);
    FAIL_IF(SPACE, ftruncate, ENOSPC);
    return real(fd, length);
}

/* It gives its error, and leaves errno alone. */
int posix_fallocate(int fd, off_t place, off_t bytes)
{
    REAL(posix_fallocate);
    if (strikes(INTERRUPTED, CALL_fallocate, CALLER))
        return EINTR;
    if (strikes(SPACE, CALL_fallocate, CALLER))
        return ENOSPC;
    return real(fd, place, bytes);
}

static mode_t mode_of(int flags, va_list arguments)
{
    return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(arguments, mode_t) : 0;
}

#define OPENS(name)                                   \
    int name(const char *path, int flags, ...)        \
    {                                                 \
        REAL(name);                                   \
        va_list arguments;                            \
        va_start(arguments, flags);                   \
        mode_t mode = mode_of(flags, arguments);      \
        va_end(arguments);                            \
        FAIL_IF(INTERRUPTED, open, EINTR);            \
        FAIL_IF(DESCRIPTORS, open, EMFILE);           \
        return real(path, flags, mode);               \
    }
OPENS(open)
OPENS(open64)

int openat(int folder, const char *path, int flags, ...)
{
    REAL(openat);
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    FAIL_IF(INTERRUPTED, open, EINTR);
    FAIL_IF(DESCRIPTORS, open, EMFILE);
    return real(folder, path, flags, mode);
}

int fcntl(int fd, int command, ...)
{
    REAL(fcntl);
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    if (command == F_DUPFD || command == F_DUPFD_CLOEXEC)
        FAIL_IF(DESCRIPTORS, fcntl, EMFILE);
    return real(fd, command, argument);
}

int socket(int domain, int type, int protocol)
{
    REAL(socket);
    FAIL_IF(DESCRIPTORS, socket, EMFILE);
    return real(domain, type, protocol);
}

int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags)
{
    REAL(accept4);
    FAIL_IF(INTERRUPTED, accept4, EINTR);
    FAIL_IF(DESCRIPTORS, accept4, EMFILE);
    return real(fd, address, length, flags);
}

ssize_t recv(int fd, void *data, size_t bytes, int flags)
{
    REAL(recv);
    FAIL_IF(INTERRUPTED, recv, EINTR);
    return real(fd, data, bytes, flags);
}

ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    REAL(recvmsg);
    FAIL_IF(INTERRUPTED, recvmsg, EINTR);
    return real(fd, message, flags);
}

ssize_t send(int fd, const void *data, size_t bytes, int flags)
{
    REAL(send);
    FAIL_IF(INTERRUPTED, send, EINTR);
    return real(fd, data, bytes, flags);
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    REAL(sendmsg);
    FAIL_IF(INTERRUPTED, sendmsg, EINTR);
    return real(fd, message, flags);
}

int poll(struct pollfd *all, nfds_t count, int limit)
{
    REAL(poll);
    FAIL_IF(INTERRUPTED, poll, EINTR);
    return real(all, count, limit);
}

#define MAPS(name, place_type)                                                                       \
    void *name(void *at, size_t bytes, int access, int flags, int fd, place_type place)              \
    {                                                                                                \
        REAL(name);                                                                                  \
        if (strikes(MEMORY, CALL_mmap, CALLER)) {                                                    \
            errno = ENOMEM;                                                                          \
            return MAP_FAILED;                                                                       \
        }                                                                                            \
        return real(at, bytes, access, flags, fd, place);                                            \
    }
MAPS(mmap, off_t)
MAPS(mmap64, off64_t)

int mprotect(void *at, size_t bytes, int access)
{
    REAL(mprotect);
    FAIL_IF(MEMORY, mprotect, ENOMEM);
    return real(at, bytes, access);
}

int madvise(void *at, size_t bytes, int advice)
{
    REAL(madvise);
    FAIL_IF(FORBIDDEN, madvise, EINVAL);
    return real(at, bytes, advice);
}

int sched_setaffinity(pid_t pid, size_t bytes, const cpu_set_t *cores)
{
    REAL(sched_setaffinity);
    FAIL_IF(FORBIDDEN, sched_setaffinity, EINVAL);
    return real(pid, bytes, cores);
}

ssize_t process_vm_readv(pid_t pid, const struct iovec *here, unsigned long count, const struct iovec *there,
                         unsigned long there_count, unsigned long flags)
{
    REAL(process_vm_readv);
    FAIL_IF(FORBIDDEN, process_vm_readv, EPERM);
    return real(pid, here, count, there, there_count, flags);
}

ssize_t process_vm_writev(pid_t pid, const struct iovec *here, unsigned long count, const struct iovec *there,
                          unsigned long there_count, unsigned long flags)
{
    REAL(process_vm_writev);
    FAIL_IF(FORBIDDEN, process_vm_writev, EPERM);
    return real(pid, here, count, there, there_count, flags);
}

void *mremap(void *at, size_t bytes, size_t new_bytes, int how, ...)
{
    REAL(mremap);
    va_list arguments;
    va_start(arguments, how);
    void *to = va_arg(arguments, void *);
    va_end(arguments);
    if (strikes(MEMORY, CALL_mremap, CALLER)) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return real(at, bytes, new_bytes, how, to);
}

/* glibc's own names: looking for the functions would need memory itself. */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static int is_short(size_t bytes, enum call call, void *caller)
{
    if (table == NULL || bytes < table->least || !strikes(MEMORY, call, caller))
        return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t bytes)
{
    return is_short(bytes, CALL_malloc, CALLER) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return is_short(count * bytes, CALL_calloc, CALLER) ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *memory, size_t bytes)
{
    return is_short(bytes, CALL_realloc, CALLER) ? NULL : __libc_realloc(memory, bytes);
}

int posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    void *given = is_short(bytes, CALL_memalign, CALLER) ? NULL : __libc_memalign(alignment, bytes);
    if (given == NULL)
        return ENOMEM;
    *memory = given;
    return 0;
}

/* Those system calls that the library makes by their numbers. */
long syscall(long number, ...)
{
    REAL(syscall);
    long all[6];
    va_list arguments;
    va_start(arguments, number);
    for (int i = 0; i < 6; i++)
        all[i] = va_arg(arguments, long);
    va_end(arguments);
    switch (number) {
    case SYS_futex:
        if ((all[1] & FUTEX_CMD_MASK) == FUTEX_WAIT || (all[1] & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET)
            FAIL_IF(INTERRUPTED, futex, EINTR);
        break;
    case SYS_memfd_create:
        FAIL_IF(DESCRIPTORS, memfd_create, EMFILE);
        break;
    case SYS_mmap:
        FAIL_IF(MEMORY, mmap, ENOMEM);
        break;
    case SYS_mremap:
        FAIL_IF(MEMORY, mremap, ENOMEM);
        break;
    case SYS_madvise:
        FAIL_IF(FORBIDDEN, madvise, EINVAL);
        break;
    case SYS_membarrier:
        FAIL_IF(FORBIDDEN, membarrier, ENOSYS);
        break;
    case SYS_userfaultfd:
        FAIL_IF(FORBIDDEN, userfaultfd, EPERM);
        break;
    default:
        break;
    }
    return real(number, all[0], all[1], all[2], all[3], all[4], all[5]);
}
