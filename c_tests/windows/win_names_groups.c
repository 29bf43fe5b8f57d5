/* Names of windows, and their groups (MPI 4.1 sections 7.8, 12.2.7). */
#include "check.h"

static void names(MPI_Win win)
{
    char name[MPI_MAX_OBJECT_NAME], wanted[2 * MPI_MAX_OBJECT_NAME];
    int length = -1;
    OK(MPI_Win_get_name(win, name, &length));
    CHECK_EQ(length, 0);
    CHECK_EQ(name[0], 0);
    snprintf(wanted, sizeof wanted, "halo of rank %d", rank);
    OK(MPI_Win_set_name(win, wanted));
    OK(MPI_Win_get_name(win, name, &length));
    CHECK(strcmp(name, wanted) == 0);
    CHECK_EQ(length, strlen(wanted));
    /* The longest. */
    memset(wanted, 'x', MPI_MAX_OBJECT_NAME - 1);
    wanted[MPI_MAX_OBJECT_NAME - 1] = 0;
    OK(MPI_Win_set_name(win, wanted));
    OK(MPI_Win_get_name(win, name, &length));
    CHECK(strcmp(name, wanted) == 0);
    CHECK_EQ(length, MPI_MAX_OBJECT_NAME - 1);
    OK(MPI_Win_set_name(win, ""));
    OK(MPI_Win_get_name(win, name, &length));
    CHECK_EQ(length, 0);
}

/* The window's group is that of its communicator, ranks in the same order. */
static void groups(void)
{
    MPI_Comm reversed;
    MPI_Win win;
    MPI_Group of_win, of_comm, of_world;
    int result, compared, base = 0;
    OK(MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &reversed));
    OK(MPI_Win_create(&base, sizeof base, 1, MPI_INFO_NULL, reversed, &win));
    OK(MPI_Win_get_group(win, &of_win));
    OK(MPI_Comm_group(reversed, &of_comm));
    OK(MPI_Comm_group(MPI_COMM_WORLD, &of_world));
    OK(MPI_Group_compare(of_win, of_comm, &compared));
    CHECK_EQ(compared, MPI_IDENT);
    OK(MPI_Group_compare(of_win, of_world, &compared));
    CHECK_EQ(compared, size == 1 ? MPI_IDENT : MPI_SIMILAR);
    OK(MPI_Group_rank(of_win, &result));
    CHECK_EQ(result, size - 1 - rank);
    OK(MPI_Group_size(of_win, &result));
    CHECK_EQ(result, size);
    OK(MPI_Group_free(&of_win));
    OK(MPI_Group_free(&of_comm));
    OK(MPI_Group_free(&of_world));
    OK(MPI_Comm_free(&reversed)); /* the window outlives the communicator's handle */
    int value = rank;
    OK(MPI_Win_fence(0, win));
    OK(MPI_Put(&value, 1, MPI_INT, rank, 0, 1, MPI_INT, win)); /* the window's rank counts from the other end */
    OK(MPI_Win_fence(0, win));
    CHECK_EQ(base, size - 1 - rank);
    OK(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
    MPI_Win win;
    int *base;
    check_start(&argc, &argv);
    OK(MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    names(win);
    OK(MPI_Win_free(&win));
    groups();
    return check_end();
}
