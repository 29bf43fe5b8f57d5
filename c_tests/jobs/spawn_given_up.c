/* ranks: 2; name: sibling; args: sibling; expect-exit: 137; expect-stderr: was killed by signal 9; expect-stdout: those that have asked went on; mpich: skip a death ends the job */
/* ranks: 2 3; name: root; args: asked 0; expect-exit: 137; expect-stderr: was killed by signal 9; expect-stdout: those that have asked went on; mpich: skip a death ends the job */
/* ranks: 2 3; name: other; args: asked 1; expect-exit: 137; expect-stderr: was killed by signal 9; expect-stdout: those that have asked went on; mpich: skip a death ends the job */
/* Processes that were started end before they have met those that have asked for them: these go on, if they return errors (MPI 4.1 sections
 * 11.8.2 and 11.10.4). One ends before MPI_Init in which another waits for it; or one of those that ask dies, and who was started finds that in MPI_Init. */
#include "death.h"

enum { SOON = 300, LATE = 800, LATER = 1500 };

/* Each ends the other one, whose MPI_Init can never return. */
static void siblings(char *program)
{
    char *ways[] = {"kill", "fail", "leave"};
    MPI_Comm inter;
    int sum = 0, codes[2];
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    for (int way = 0; way < 6; way++) {
        char *programs[] = {program, program}, *ends[] = {ways[way / 2], NULL}, *joins[] = {"join", NULL};
        char **words[] = {way % 2 ? joins : ends, way % 2 ? ends : joins};
        int counts[] = {1, 1};
        MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
        CHECK_CLASS(MPI_Comm_spawn_multiple(2, programs, words, counts, infos, way % 2, MPI_COMM_WORLD, &inter, codes), MPI_ERR_SPAWN);
        OK(MPI_Allreduce(&way, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
        CHECK_EQ(sum, way * size);
    }
    char *joins[] = {"join", NULL};
    OK(MPI_Comm_spawn(program, joins, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, codes));
    OK(MPI_Comm_disconnect(&inter));
}

/* The last rank dies while all wait for one that is slow. */
static void asked(char *program, int root)
{
    char *words[] = {"slow", NULL};
    MPI_Comm inter;
    int last = size - 1, other = (rank + 1) % last, told = 100 + rank, heard = 0, class = 0;
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    if (rank == last)
        die_in(SOON * 1000);
    int code = MPI_Comm_spawn(program, words, 1, MPI_INFO_NULL, root ? last : 0, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE);
    OK(MPI_Error_class(code, &class));
    /* Who waits for the new one alone hears of its end. */
    CHECK(class == MPIX_ERR_PROC_FAILED || class == MPI_ERR_SPAWN);
    /* Meanwhile it comes, finds what became of them, and ends. */
    sleep_ms(LATER);
    OK(MPI_Sendrecv(&told, 1, MPI_INT, other, 1, &heard, 1, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_EQ(heard, 100 + other);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    MPI_Comm parent;
    if (strcmp(what, "kill") == 0 || strcmp(what, "fail") == 0 || strcmp(what, "leave") == 0) {
        sleep_ms(SOON);
        if (*what == 'k')
            die();
        return *what == 'f' ? 3 : 0;
    }
    if (strcmp(what, "slow") == 0)
        sleep_ms(LATE);
    check_start(&argc, &argv);
    OK(MPI_Comm_get_parent(&parent));
    if (parent != MPI_COMM_NULL)
        OK(MPI_Comm_disconnect(&parent));
    else if (strcmp(what, "sibling") == 0)
        siblings(argv[0]);
    else
        asked(argv[0], atoi(argv[2]));
    if (parent == MPI_COMM_NULL && rank == 0)
        printf("those that have asked went on\n");
    return check_end();
}
