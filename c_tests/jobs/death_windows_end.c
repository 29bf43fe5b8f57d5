/* ranks: 2; name: old; args: old; env: RMASHM_CHECK=off; abi: mpich; expect-stderr: ; expect-exit: 137; seconds: 240; mpich: skip a death ends the job */
/* ranks: 2; name: new; args: new; env: RMASHM_CHECK=off; abi: mpich; expect-stderr: ; expect-exit: 137; seconds: 240; mpich: skip a death ends the job */
/* Windows whose ranks have died end, with an error, at each of those that live: what one has there stays as long as another may use it, and
 * not longer, and the places of the dead are given to others. The first rank of the windows lives, or is one of the dead: then its
 * world's memory is gone. */
#include "../segment.h"

#include <signal.h>
#include <stdlib.h>

/* More than a job has places for, so many at a time. */
enum { AT_ONCE = 30, ROUNDS = 10, BYTES = 4 << 20, ALLOCATE = 0, SHARED, ADOPTED, OWN, DYNAMIC, KINDS };

static char *program;
static int told;

/* The window is there when its handler hears of its end. */
static void on_end(MPI_Win *win, int *code, ...)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length, class;
    OK(MPI_Win_get_name(*win, name, &length));
    OK(MPI_Error_class(*code, &class));
    CHECK_EQ(strcmp(name, "short-lived"), 0);
    CHECK_EQ(class, MPIX_ERR_PROC_FAILED);
    told++;
}

static MPI_Win window(int kind, MPI_Comm all, MPI_Aint bytes, char *memory, char **part)
{
    MPI_Win win;
    MPI_Info info;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "rmashm_adopt", kind == ADOPTED ? "true" : "false"));
    *part = memory;
    if (kind == ALLOCATE)
        OK(MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, all, part, &win));
    else if (kind == SHARED)
        OK(MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, all, part, &win));
    else if (kind == DYNAMIC)
        OK(MPI_Win_create_dynamic(info, all, &win));
    else
        OK(MPI_Win_create(memory, bytes, 1, info, all, &win));
    if (kind == DYNAMIC)
        OK(MPI_Win_attach(win, memory, bytes));
    OK(MPI_Info_free(&info));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    return win;
}

static void child(MPI_Comm parent, int are_first, int kind)
{
    static char memory[8192];
    char *part;
    MPI_Comm all;
    OK(MPI_Intercomm_merge(parent, !are_first, &all));
    window(kind, all, sizeof memory, memory, &part);
    OK(MPI_Barrier(all));
    raise(SIGKILL);
}

static void round_of(int number, int are_first)
{
    int kind = number % KINDS, value, ranks;
    char word[8], *words[] = {are_first ? "new" : "old", word, NULL}, *memory = malloc(BYTES), *part, *other;
    static char got[BYTES];
    MPI_Comm inter, all;
    MPI_Errhandler handler;
    MPI_Win other_win;
    snprintf(word, sizeof word, "%d", kind);
    OK(MPI_Comm_spawn(program, words, AT_ONCE, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE));
    OK(MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN));
    OK(MPI_Intercomm_merge(inter, are_first, &all));
    OK(MPI_Comm_set_errhandler(all, MPI_ERRORS_RETURN));
    OK(MPI_Comm_size(all, &ranks));
    CHECK_EQ(ranks, AT_ONCE + 2);
    MPI_Win win = window(kind, all, BYTES, memory, &part);
    OK(MPI_Win_set_name(win, "short-lived"));
    OK(MPI_Win_create_errhandler(on_end, &handler));
    OK(MPI_Win_set_errhandler(win, handler));
    OK(MPI_Errhandler_free(&handler));
    memset(part, number + 1, BYTES);
    MPI_Aint place = 0;
    if (kind == DYNAMIC)
        OK(MPI_Get_address(part, &place));
    OK(MPI_Bcast(&place, 1, MPI_AINT, 0, MPI_COMM_WORLD));
    OK(MPI_Barrier(all));
    for (int from = 0; from < AT_ONCE; from++)
        CHECK_CLASS(MPI_Recv(&value, 1, MPI_INT, from, 3, inter, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);

    told = 0;
    if (rank == 0) {
        CHECK_CLASS(MPI_Win_free(&win), MPIX_ERR_PROC_FAILED);
        CHECK(win == MPI_WIN_NULL);
        CHECK_EQ(told, 1);
    }
    /* What was given back too early would be there for these. */
    OK(MPI_Win_allocate(BYTES, 1, MPI_INFO_NULL, MPI_COMM_SELF, &other, &other_win));
    memset(other, 99, BYTES);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 1) {
        int to = are_first ? AT_ONCE : 0;
        OK(MPI_Win_lock(MPI_LOCK_SHARED, to, 0, win));
        OK(MPI_Get(got, BYTES, MPI_BYTE, to, place, BYTES, MPI_BYTE, win));
        OK(MPI_Win_unlock(to, win));
        for (int i = 0; i < BYTES; i++)
            CHECK_EQ(got[i], number + 1);
        CHECK_CLASS(MPI_Win_free(&win), MPIX_ERR_PROC_FAILED);
        CHECK(win == MPI_WIN_NULL);
        CHECK_EQ(told, 1);
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < BYTES; i++)
        CHECK_EQ(other[i], 99);
    OK(MPI_Win_free(&other_win));
    for (int i = 0; i < BYTES && kind >= ADOPTED; i++)
        CHECK_EQ(memory[i], number + 1);
    free(memory);
    OK(MPI_Comm_free(&all));
    OK(MPI_Comm_disconnect(&inter));
}

int main(int argc, char **argv)
{
    MPI_Comm parent;
    long long before = 0;
    check_start(&argc, &argv);
    program = argv[0];
    int are_first = strcmp(argv[1], "new") == 0;
    OK(MPI_Comm_get_parent(&parent));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    if (parent != MPI_COMM_NULL)
        child(parent, are_first, atoi(argv[2]));
    for (int number = 0; number < ROUNDS; number++) {
        round_of(number, are_first);
        if (number == KINDS - 1)
            before = segment_bytes();
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (!are_first)
        CHECK(segment_bytes() - before < BYTES);
    return check_end();
}
