/* The attributes every window has: base, size, unit, flavour, memory model (MPI 4.1 section 12.2.7). */
#include "check.h"

static void check_attributes(MPI_Win win, void *base, MPI_Aint bytes, int unit, int flavour)
{
    int found = 0;
    void *is_base = &found;
    MPI_Aint *is_bytes = NULL;
    int *is_unit = NULL, *is_flavour = NULL, *is_model = NULL;
    OK(MPI_Win_get_attr(win, MPI_WIN_BASE, &is_base, &found));
    CHECK(found);
    CHECK(is_base == base);
    OK(MPI_Win_get_attr(win, MPI_WIN_SIZE, &is_bytes, &found));
    CHECK(found);
    CHECK_EQ(*is_bytes, bytes);
    OK(MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &is_unit, &found));
    CHECK(found);
    CHECK_EQ(*is_unit, unit);
    OK(MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &is_flavour, &found));
    CHECK(found);
    CHECK_EQ(*is_flavour, flavour);
    OK(MPI_Win_get_attr(win, MPI_WIN_MODEL, &is_model, &found));
    CHECK(found);
    CHECK_EQ(*is_model, MPI_WIN_UNIFIED);
}

int main(int argc, char **argv)
{
    MPI_Win win, other;
    char *base, *other_base;
    double memory[10];
    check_start(&argc, &argv);

    OK(MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    check_attributes(win, memory, sizeof memory, sizeof *memory, MPI_WIN_FLAVOR_CREATE);
    OK(MPI_Win_free(&win));

    OK(MPI_Win_allocate(100 + rank, rank + 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    check_attributes(win, base, 100 + rank, rank + 1, MPI_WIN_FLAVOR_ALLOCATE);
    /* Two windows at once keep their own. */
    OK(MPI_Win_allocate_shared(10 * (rank + 1), 2 * rank + 1, MPI_INFO_NULL, MPI_COMM_WORLD, &other_base, &other));
    check_attributes(other, other_base, 10 * (rank + 1), 2 * rank + 1, MPI_WIN_FLAVOR_SHARED);
    check_attributes(win, base, 100 + rank, rank + 1, MPI_WIN_FLAVOR_ALLOCATE);
    OK(MPI_Win_free(&win));
    OK(MPI_Win_free(&other));
    return check_end();
}
