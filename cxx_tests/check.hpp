// What all tests have: silent when right.
#ifndef CHECK_HPP
#define CHECK_HPP

#include <mpi.h>

#include <cstdio>
#include <cstdlib>

static int failures = 0;

#define CHECK(condition)                                                                                              \
    do {                                                                                                              \
        if (!(condition)) {                                                                                           \
            std::fprintf(stderr, "%s:%d: rank %d: not so: %s\n", __FILE__, __LINE__, MPI::COMM_WORLD.Get_rank(), #condition); \
            failures++;                                                                                               \
        }                                                                                                             \
    } while (0)

// Whether the call throws an exception of this class of errors.
#define CHECK_THROWS(errorclass, call)                           \
    do {                                                         \
        int thrown = MPI::SUCCESS;                               \
        try {                                                    \
            call;                                                \
        } catch (MPI::Exception & exception) {                   \
            thrown = exception.Get_error_class();                \
        }                                                        \
        CHECK(thrown == errorclass);                             \
    } while (0)

// The end of a test: its exit status says whether a check failed at any rank.
inline int conclude()
{
    int all = 0;
    MPI::COMM_WORLD.Allreduce(&failures, &all, 1, MPI::INT, MPI::SUM);
    MPI::Finalize();
    return all == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
