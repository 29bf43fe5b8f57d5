/* Begins in C. */
#include "languages.h"

void all_topics(void);

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    all_topics();
    MPI_Finalize();
    return failures != 0;
}
