// Errors that become exceptions.

#ifndef RMASHM_OPENMPI_ERRORS_H
#define RMASHM_OPENMPI_ERRORS_H

#include <exception>

namespace rmashm {

// Ends a call of the program's: throws what its error handler asks for, else returns the code that C returned.
int settled(int code);

// Keeps an exception that left a function of the program's inside a call of C, for the end of that call.
void keep(std::exception_ptr exception);

}

#endif
