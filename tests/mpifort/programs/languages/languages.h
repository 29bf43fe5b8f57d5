/* What the parts in C and in C++ have in common, and call each other by. */
#ifndef LANGUAGES_H
#define LANGUAGES_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How many checks failed in this process, in any language. */
extern int failures;

void expect(int right, const char *file, int line, const char *what);
#define CHECK(condition) expect((condition) ? 1 : 0, __FILE__, __LINE__, #condition)

/* An attribute is set or read in one of three languages, and in Fortran in two ways. What each of them calls the same
   value: */
enum {
    OF_C = 1000,         /* the address that C gives is this number */
    OF_CXX = 2000,       /* that of C++, */
    OF_FORTRAN = -3000,  /* what MPI_ATTR_PUT is given, */
};
/* and what MPI_Comm_set_attr of Fortran is given: more than fits in an integer. */
#define OF_FORTRAN_ADDRESS ((MPI_Aint)-4000 * 1000000000)

#ifdef __cplusplus
}
#endif

#endif
