/* Windows of every flavour, used the same way. */
#include "bench.h"

const char *const flavour_name[FLAVOURS] = {"shared", "allocate", "create_alloc_mem", "create_malloc", "dynamic"};

MPI_Win window_over(void *memory, MPI_Aint bytes, enum flavour flavour)
{
    MPI_Win win;
    MPI_Info info;
    MPI_Info_create(&info);
    if (flavour == REFUSED_MALLOC)
        MPI_Info_set(info, "rmashm_adopt", "false");
    MPI_Win_create(memory, bytes, 1, info, MPI_COMM_WORLD, &win);
    MPI_Info_free(&info);
    return win;
}

struct window window_open(enum flavour flavour, MPI_Aint bytes)
{
    struct window w = {.flavour = flavour, .bytes = bytes};
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Aint begin = 0;
    switch (flavour) {
    case SHARED:
        MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, world, &w.mine, &w.win);
        break;
    case ALLOCATED:
        MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, world, &w.mine, &w.win);
        break;
    case CREATED_ALLOC:
        MPI_Alloc_mem(bytes, MPI_INFO_NULL, &w.mine);
        MPI_Win_create(w.mine, bytes, 1, MPI_INFO_NULL, world, &w.win);
        break;
    case CREATED_MALLOC:
    case REFUSED_MALLOC:
        w.mine = malloc(bytes);
        w.win = window_over(w.mine, bytes, flavour);
        break;
    default:
        if (flavour == DYNAMIC)
            MPI_Alloc_mem(bytes, MPI_INFO_NULL, &w.mine);
        else
            w.mine = malloc(bytes);
        MPI_Win_create_dynamic(MPI_INFO_NULL, world, &w.win);
        MPI_Win_attach(w.win, w.mine, bytes);
        MPI_Get_address(w.mine, &begin);
        break;
    }
    memset(w.mine, 0, bytes);
    w.begin = malloc(size * sizeof *w.begin);
    MPI_Allgather(&begin, 1, MPI_AINT, w.begin, 1, MPI_AINT, world);
    MPI_Barrier(world);
    return w;
}

void window_close(struct window *w)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (w->flavour == DYNAMIC || w->flavour == DYNAMIC_MALLOC)
        MPI_Win_detach(w->win, w->mine);
    MPI_Win_free(&w->win);
    if (w->flavour == CREATED_ALLOC || w->flavour == DYNAMIC)
        MPI_Free_mem(w->mine);
    if (w->flavour == CREATED_MALLOC || w->flavour == DYNAMIC_MALLOC || w->flavour == REFUSED_MALLOC)
        free(w->mine);
    free(w->begin);
}
