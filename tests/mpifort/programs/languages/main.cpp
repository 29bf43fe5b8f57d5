// Begins in C++.
#include "languages.h"

extern "C" void all_topics();

int main(int argc, char **argv)
{
    MPI::Init(argc, argv);
    all_topics();
    MPI::Finalize();
    return failures != 0;
}
