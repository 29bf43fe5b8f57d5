/* ranks: 2 4; mpich: skip it hangs; wrong: the collective calls differ, on purpose */
/* Collective calls that make something, against other collective calls: an error that says so at those that need to know what the others
 * gave, and nothing of what these gave to something else. */
#include "check.h"

static int meet(MPI_Comm comm)
{
    return MPI_Barrier(comm);
}

static int split(MPI_Comm comm)
{
    MPI_Comm made;
    int status = MPI_Comm_split(comm, rank % 2, 0, &made);
    if (status == MPI_SUCCESS)
        OK(MPI_Comm_free(&made));
    return status;
}

static int duplicate(MPI_Comm comm)
{
    MPI_Comm made;
    int status = MPI_Comm_dup(comm, &made);
    if (status == MPI_SUCCESS)
        OK(MPI_Comm_free(&made));
    return status;
}

static int allocate(MPI_Comm comm)
{
    MPI_Win window;
    int *memory;
    int status = MPI_Win_allocate(4096, sizeof(int), MPI_INFO_NULL, comm, &memory, &window);
    if (status == MPI_SUCCESS)
        OK(MPI_Win_free(&window));
    return status;
}

static int create(MPI_Comm comm)
{
    MPI_Win window;
    static int memory[64];
    int status = MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, comm, &window);
    if (status == MPI_SUCCESS)
        OK(MPI_Win_free(&window));
    return status;
}

static int dynamic(MPI_Comm comm)
{
    MPI_Win window;
    int status = MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &window);
    if (status == MPI_SUCCESS)
        OK(MPI_Win_free(&window));
    return status;
}

static int open_file(MPI_Comm comm)
{
    MPI_File file;
    int status = MPI_File_open(comm, "/dev/null", MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    if (status == MPI_SUCCESS)
        OK(MPI_File_close(&file));
    return status;
}

typedef int Call(MPI_Comm);

/* Rank 0 calls `one`, the others `another`. */
static void against(Call *one, Call *another, int before)
{
    MPI_Comm comm;
    int i;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    /* There may be something in the places of former calls. */
    for (i = 0; i < before; i++)
        OK(another(comm));
    if (rank == 0 && one == meet)
        OK(one(comm));
    else
        CHECK_SENTENCE(rank == 0 ? one(comm) : another(comm), MPI_ERR_OTHER, "is in another collective call");
    /* It cannot be used together any more, nor be freed. */
}

int main(int argc, char **argv)
{
    Call *const calls[] = { split, duplicate, allocate, create, dynamic, open_file };
    const int n = sizeof calls / sizeof *calls;
    int i, before;
    check_start(&argc, &argv);
    for (i = 0; i < n; i++)
        for (before = 0; before < 4; before++)
            against(meet, calls[i], before);
    against(split, allocate, 3);
    against(allocate, split, 3);
    against(allocate, duplicate, 0);
    against(open_file, create, 2);
    against(split, open_file, 1);
    return check_end();
}
