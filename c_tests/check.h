/* What every C test needs: start and end, and checks that say where and on which rank they fail.
 *
 * A test that is right prints nothing and exits with 0. The first failed check ends the job. C99.
 * A test uses what it needs of this; nobody uses all. */
#ifndef CHECK_H
#define CHECK_H

#include <inttypes.h>
#include <mpi.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAYBE_UNUSED __attribute__((unused))

/* The class of what fails because a process has died: the standard's interface has none for that alone. */
#if defined(MPI_ABI_VERSION) && !defined(MPIX_ERR_PROC_FAILED)
#define MPIX_ERR_PROC_FAILED MPI_ERR_PROC_ABORTED
#endif

static int rank MAYBE_UNUSED = -1;
static int size MAYBE_UNUSED = -1;

__attribute__((noreturn, format(printf, 3, 4))) MAYBE_UNUSED
static void check_failed(const char *file, int line, const char *format, ...)
{
    va_list arguments;
    int running = 0, over = 0;
    fprintf(stderr, "%s:%d: rank %d of %d: ", file, line, rank, size);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\n");
    fflush(stderr);
    MPI_Initialized(&running);
    MPI_Finalized(&over);
    if (running && !over)
        MPI_Abort(MPI_COMM_WORLD, 99);
    exit(99);
}

/* The condition holds. */
#define CHECK(condition)                                                              \
    do {                                                                              \
        if (!(condition))                                                             \
            check_failed(__FILE__, __LINE__, "not so: %s", #condition);               \
    } while (0)

/* Two integers (or addresses as integers) are equal; both are shown if not. */
#define CHECK_EQ(is, wanted)                                                          \
    do {                                                                              \
        long long is_ = (long long)(is), wanted_ = (long long)(wanted);               \
        if (is_ != wanted_)                                                           \
            check_failed(__FILE__, __LINE__, "%s is %lld, but %s is %lld", #is, is_,  \
                         #wanted, wanted_);                                           \
    } while (0)

/* `length` bytes are equal; the first that is not is shown. */
#define CHECK_BYTES(is, wanted, length) check_bytes(__FILE__, __LINE__, #is, is, wanted, length)

MAYBE_UNUSED static void check_bytes(const char *file, int line, const char *what,
                                     const void *is, const void *wanted, size_t length)
{
    const unsigned char *a = is, *b = wanted;
    if (memcmp(a, b, length) == 0)
        return;
    for (size_t i = 0; i < length; i++)
        if (a[i] != b[i])
            check_failed(file, line, "byte %zu of %zu of %s is 0x%02x, not 0x%02x", i, length,
                         what, a[i], b[i]);
}

/* A call succeeds. */
#define OK(call) check_class(__FILE__, __LINE__, #call, call, MPI_SUCCESS)

/* A call returns an error of this class. (The error handler must be MPI_ERRORS_RETURN.) */
#define CHECK_CLASS(call, class) check_class(__FILE__, __LINE__, #call, call, class)

MAYBE_UNUSED static void check_class(const char *file, int line, const char *what, int code, int wanted)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int class = -1, length = 0;
    if (code == MPI_SUCCESS && wanted == MPI_SUCCESS)
        return;
    MPI_Error_class(code, &class);
    if (class == wanted)
        return;
    MPI_Error_string(code, text, &length);
    check_failed(file, line, "%s: class %d, not %d: %s", what, class, wanted, text);
}

/* As CHECK_CLASS, and on rmashm the error's sentence contains `text`: it names the argument and its value. */
#define CHECK_SENTENCE(call, class, text)                                             \
    check_sentence(__FILE__, __LINE__, #call, call, class, text)

MAYBE_UNUSED static void check_sentence(const char *file, int line, const char *what, int code,
                                        int wanted, const char *text)
{
    char sentence[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    check_class(file, line, what, code, wanted);
    MPI_Error_string(code, sentence, &length);
    if (length != (int)strlen(sentence))
        check_failed(file, line, "%s: MPI_Error_string says %d characters, but gives '%s'", what,
                     length, sentence);
#ifdef RMASHM
    if (strstr(sentence, text) == NULL)
        check_failed(file, line, "%s: '%s' is not in the error's sentence: %s", what, text, sentence);
#else
    (void)text;
#endif
}

/* MPI_Init, and rank and size in MPI_COMM_WORLD. */
MAYBE_UNUSED static void check_start(int *argc, char ***argv)
{
    OK(MPI_Init(argc, argv));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
}

/* The same with threads. */
MAYBE_UNUSED static void check_start_threads(int *argc, char ***argv)
{
    int provided = -1;
    OK(MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
}

/* MPI_Finalize; the exit status of main. */
MAYBE_UNUSED static int check_end(void)
{
    OK(MPI_Finalize());
    return 0;
}

MAYBE_UNUSED static void barrier(void)
{
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* A number that depends on nothing but its arguments: the same data on every rank. */
MAYBE_UNUSED static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t z = a * UINT64_C(0x9e3779b97f4a7c15) + b + UINT64_C(0x632be59bd9b4e019);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* A small deterministic generator: state must not be 0. */
MAYBE_UNUSED static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state * UINT64_C(0x2545f4914f6cdd1d);
}

/* Fills memory with bytes that depend on `seed`. */
MAYBE_UNUSED static void fill(void *memory, size_t length, uint64_t seed)
{
    unsigned char *bytes = memory;
    uint64_t word = 0;
    for (size_t i = 0; i < length; i++) {
        if (i % 8 == 0)
            word = mix(seed, i / 8);
        bytes[i] = (unsigned char)(word >> (8 * (i % 8)));
    }
}

#endif
