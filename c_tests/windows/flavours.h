/* The same window memory in every way MPI knows to make a window: for tests that must hold on each flavour.
 *
 * All areas have displacement unit 1. Byte `i` of the area of `target` is at displacement AT(area, target, i), which
 * differs from `i` on dynamic windows only. */
#ifndef FLAVOURS_H
#define FLAVOURS_H

#include "check.h"

#include <alloca.h>

enum flavour { SHARED, ALLOCATE, CREATE_ALLOC_MEM, CREATE_MALLOC, CREATE_STACK, DYNAMIC };

#define FLAVOURS 6

struct area {
    enum flavour flavour;
    MPI_Win win;
    unsigned char *base; /* this rank's memory */
    size_t bytes;        /* its length, the same on all ranks */
    MPI_Aint *origins;   /* displacement of each rank's first byte */
};

#define AT(area, target, byte) ((area)->origins[target] + (MPI_Aint)(byte))

/* Other ranks' memory of this flavour can be reached by load and store. */
MAYBE_UNUSED static int is_shared(const struct area *area)
{
    return area->flavour == SHARED;
}

/* The memory of `target` in this process; for areas that are shared. */
MAYBE_UNUSED static unsigned char *memory_of(const struct area *area, int target)
{
    MPI_Aint bytes;
    int unit;
    unsigned char *base;
    OK(MPI_Win_shared_query(area->win, target, &bytes, &unit, &base));
    CHECK_EQ(bytes, area->bytes);
    return base;
}

/* Makes a window of `bytes` zeroed bytes on each rank of MPI_COMM_WORLD; `stack` is memory for CREATE_STACK. */
static void area_make(struct area *area, enum flavour flavour, size_t bytes, void *stack)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    area->flavour = flavour;
    area->bytes = bytes;
    area->base = NULL;
    area->origins = calloc((size_t)size, sizeof *area->origins);
    switch (flavour) {
    case SHARED:
        OK(MPI_Win_allocate_shared((MPI_Aint)bytes, 1, MPI_INFO_NULL, comm, &area->base, &area->win));
        break;
    case ALLOCATE:
        OK(MPI_Win_allocate((MPI_Aint)bytes, 1, MPI_INFO_NULL, comm, &area->base, &area->win));
        break;
    case CREATE_ALLOC_MEM:
        OK(MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &area->base));
        break;
    case CREATE_MALLOC:
        area->base = malloc(bytes);
        break;
    case CREATE_STACK:
        area->base = stack;
        break;
    case DYNAMIC:
        area->base = malloc(bytes);
        break;
    }
    CHECK(area->base != NULL);
    memset(area->base, 0, bytes);
    if (flavour == CREATE_ALLOC_MEM || flavour == CREATE_MALLOC || flavour == CREATE_STACK)
        OK(MPI_Win_create(area->base, (MPI_Aint)bytes, 1, MPI_INFO_NULL, comm, &area->win));
    if (flavour == DYNAMIC) {
        MPI_Aint origin;
        OK(MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &area->win));
        OK(MPI_Win_attach(area->win, area->base, (MPI_Aint)bytes));
        OK(MPI_Get_address(area->base, &origin));
        OK(MPI_Allgather(&origin, 1, MPI_AINT, area->origins, 1, MPI_AINT, comm));
    }
    barrier();
}

static void area_free(struct area *area)
{
    barrier();
    if (area->flavour == DYNAMIC)
        OK(MPI_Win_detach(area->win, area->base));
    OK(MPI_Win_free(&area->win));
    CHECK(area->win == MPI_WIN_NULL);
    if (area->flavour == CREATE_ALLOC_MEM)
        OK(MPI_Free_mem(area->base));
    if (area->flavour == CREATE_MALLOC || area->flavour == DYNAMIC)
        free(area->base);
    free(area->origins);
}

/* Runs `test` on an area of each flavour. */
MAYBE_UNUSED static void on_each_flavour(size_t bytes, void (*test)(struct area *))
{
    void *stack = alloca(bytes + 64);
    for (int flavour = 0; flavour < FLAVOURS; flavour++) {
        struct area area;
        area_make(&area, (enum flavour)flavour, bytes, (void *)(((uintptr_t)stack + 63) & ~(uintptr_t)63));
        test(&area);
        area_free(&area);
    }
}

#endif
