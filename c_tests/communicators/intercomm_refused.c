/* ranks: 2 5; mpich: skip it checks less */
/* Calls for one group refuse an intercommunicator. */
#include "inter.h"

static MPI_Comm inter;

#define REFUSED(call) CHECK_SENTENCE(call, MPI_ERR_COMM, "intercommunicator")

static void topologies(void)
{
    MPI_Comm made;
    int one = 1, zero = 0, me = rank, new_rank;
    REFUSED(MPI_Cart_create(inter, 1, &one, &zero, 0, &made));
    REFUSED(MPI_Cart_map(inter, 1, &one, &zero, &new_rank));
    REFUSED(MPI_Graph_create(inter, 1, &one, &zero, 0, &made));
    REFUSED(MPI_Graph_map(inter, 1, &one, &zero, &new_rank));
    REFUSED(MPI_Dist_graph_create(inter, 1, &me, &one, &me, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made));
    REFUSED(MPI_Dist_graph_create_adjacent(inter, 1, &zero, MPI_UNWEIGHTED, 1, &zero, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                           0, &made));
}

static void windows_and_files(void)
{
    static int memory;
    MPI_Win win;
    MPI_File file;
    void *base;
    REFUSED(MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, inter, &win));
    REFUSED(MPI_Win_allocate(8, 1, MPI_INFO_NULL, inter, &base, &win));
    REFUSED(MPI_Win_allocate_shared(8, 1, MPI_INFO_NULL, inter, &base, &win));
    REFUSED(MPI_Win_create_dynamic(MPI_INFO_NULL, inter, &win));
    /* Errors of opening go to the default handler of files, which returns. */
    REFUSED(MPI_File_open(inter, "never", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file));
}

static void collectives(void)
{
    MPI_Request request;
    int in = 1, out;
    REFUSED(MPI_Scan(&in, &out, 1, MPI_INT, MPI_SUM, inter));
    REFUSED(MPI_Exscan(&in, &out, 1, MPI_INT, MPI_SUM, inter));
    REFUSED(MPI_Iscan(&in, &out, 1, MPI_INT, MPI_SUM, inter, &request));
    REFUSED(MPI_Iexscan(&in, &out, 1, MPI_INT, MPI_SUM, inter, &request));
    REFUSED(MPI_Scan_init(&in, &out, 1, MPI_INT, MPI_SUM, inter, MPI_INFO_NULL, &request));
    REFUSED(MPI_Exscan_init(&in, &out, 1, MPI_INT, MPI_SUM, inter, MPI_INFO_NULL, &request));
}

static void communicators(void)
{
    MPI_Group group;
    MPI_Comm made;
    OK(MPI_Comm_group(inter, &group));
    REFUSED(MPI_Comm_create_group(inter, group, 0, &made));
    REFUSED(MPI_Intercomm_create(inter, 0, MPI_COMM_WORLD, 0, 0, &made));
    OK(MPI_Group_free(&group));
}

int main(int argc, char **argv)
{
    struct inter x;
    check_start(&argc, &argv);
    x = inter_make(size / 2);
    inter = x.comm;
    OK(MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN));
    topologies();
    windows_and_files();
    collectives();
    communicators();
    inter_free(&x);
    return check_end();
}
