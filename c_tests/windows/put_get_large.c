/* ranks: 2 4 */
/* Large transfers, contiguous and strided, of sizes around every power of two, on each flavour. */
#include "flavours.h"

#define BYTES (6 << 20)

static unsigned char *data, *back;

static void contiguous(struct area *area)
{
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    for (int power = 12; power <= 22; power += 2)
        for (int more = -1; more <= 1; more++) {
            int length = (1 << power) + more, offset = power + more;
            fill(data, (size_t)length, mix((uint64_t)length, (uint64_t)rank));
            OK(MPI_Win_fence(0, area->win));
            OK(MPI_Put(data, length, MPI_BYTE, next, AT(area, next, offset), length, MPI_BYTE, area->win));
            OK(MPI_Win_fence(0, area->win));
            OK(MPI_Get(back, length, MPI_BYTE, next, AT(area, next, offset), length, MPI_BYTE, area->win));
            OK(MPI_Win_fence(0, area->win));
            CHECK_BYTES(back, data, (size_t)length);
            fill(back, (size_t)length, mix((uint64_t)length, (uint64_t)previous));
            CHECK_BYTES(area->base + offset, back, (size_t)length);
        }
}

/* Every second double of a megabyte from here, to every third there. */
static void strided(struct area *area)
{
    enum { COUNT = 100000 };
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    double *from = (double *)(void *)data, *mine = (double *)(void *)area->base;
    MPI_Datatype second, third;
    OK(MPI_Type_vector(COUNT, 1, 2, MPI_DOUBLE, &second));
    OK(MPI_Type_vector(COUNT, 1, 3, MPI_DOUBLE, &third));
    OK(MPI_Type_commit(&second));
    OK(MPI_Type_commit(&third));
    for (int i = 0; i < 2 * COUNT; i++)
        from[i] = rank * 1e7 + i;
    for (int i = 0; i < 3 * COUNT; i++)
        mine[i] = -1;
    OK(MPI_Win_fence(0, area->win));
    OK(MPI_Put(from, 1, second, next, AT(area, next, 0), 1, third, area->win));
    OK(MPI_Win_fence(0, area->win));
    for (int i = 0; i < 3 * COUNT; i++)
        if (mine[i] != (i % 3 == 0 ? previous * 1e7 + i / 3 * 2 : -1))
            check_failed(__FILE__, __LINE__, "double %d is %g", i, mine[i]);
    double *to = (double *)(void *)back;
    OK(MPI_Get(to, COUNT, MPI_DOUBLE, next, AT(area, next, 0), 1, third, area->win));
    OK(MPI_Win_fence(0, area->win));
    for (int i = 0; i < COUNT; i++)
        CHECK(to[i] == rank * 1e7 + 2 * i);
    OK(MPI_Type_free(&second));
    OK(MPI_Type_free(&third));
}

static void run(struct area *area)
{
    contiguous(area);
    strided(area);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    data = malloc(BYTES);
    back = malloc(BYTES);
    on_each_flavour(BYTES, run);
    free(data);
    free(back);
    return check_end();
}
