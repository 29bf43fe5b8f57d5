// What tests of rmashm.hpp have: silent when right, also from several threads.
#ifndef GUARDS_HPP
#define GUARDS_HPP

#include <rmashm.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>

static std::atomic<int> failures{0};

#define CHECK(condition)                                                                  \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            failures++;                                                                   \
        }                                                                                 \
    } while (0)

// The class of the error that a call throws.
template <class Call>
int error_class_of(Call call)
{
    try {
        call();
    } catch (const rmashm::error& error) {
        CHECK(std::string(error.what()).size() > 3);
        return error.error_class();
    }
    return MPI_SUCCESS;
}

// The end of a test: its exit status says whether a check failed at any rank.
inline int conclude()
{
    int mine = failures, all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return all == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
