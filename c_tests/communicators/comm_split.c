/* ranks: 1 2 4 8; wrong: what all have to give alike is not, on purpose */
/* MPI_Comm_split and MPI_Comm_split_type: who comes together, in which order, and under which context. */
#include "check.h"

static int rank_in(MPI_Comm comm)
{
    int r = -1;
    OK(MPI_Comm_rank(comm, &r));
    return r;
}

static int size_of(MPI_Comm comm)
{
    int s = -1;
    OK(MPI_Comm_size(comm, &s));
    return s;
}

/* The rank in MPI_COMM_WORLD of rank r of comm. */
static int world_rank(MPI_Comm comm, int r)
{
    MPI_Group group, world;
    int result = -1;
    OK(MPI_Comm_group(comm, &group));
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_translate_ranks(group, 1, &r, world, &result));
    OK(MPI_Group_free(&group));
    OK(MPI_Group_free(&world));
    return result;
}

static void colors_and_keys(void)
{
    MPI_Comm comm;
    int i;

    /* Odd and even, in reverse order. */
    OK(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &comm));
    CHECK_EQ(size_of(comm), (size + 1 - rank % 2) / 2);
    for (i = 0; i < size_of(comm); i++)
        CHECK_EQ(world_rank(comm, i), (size_of(comm) - 1 - i) * 2 + rank % 2);
    CHECK_EQ(world_rank(comm, rank_in(comm)), rank);
    OK(MPI_Comm_free(&comm));
    CHECK(comm == MPI_COMM_NULL);

    /* Equal keys: the order of ranks. Large colors and keys. */
    OK(MPI_Comm_split(MPI_COMM_WORLD, 0x7fffffff, -0x7fffffff - 1, &comm));
    CHECK_EQ(size_of(comm), size);
    CHECK_EQ(rank_in(comm), rank);
    OK(MPI_Comm_free(&comm));

    /* Not everybody wants one. */
    OK(MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 7, 0, &comm));
    if (rank == 0) {
        CHECK(comm == MPI_COMM_NULL);
    } else {
        CHECK_EQ(size_of(comm), size - 1);
        CHECK_EQ(rank_in(comm), rank - 1);
        OK(MPI_Comm_free(&comm));
    }
    OK(MPI_Comm_split(MPI_COMM_WORLD, MPI_UNDEFINED, 0, &comm));
    CHECK(comm == MPI_COMM_NULL);
}

static void splits_of_splits(void)
{
    MPI_Comm level[5];
    int depth = 0, i;
    level[0] = MPI_COMM_WORLD;
    while (size_of(level[depth]) > 1 && depth < 4) {
        int half = rank_in(level[depth]) < size_of(level[depth]) / 2;
        OK(MPI_Comm_split(level[depth], half, 0, &level[depth + 1]));
        depth++;
    }
    CHECK_EQ(size_of(level[depth]), 1);
    for (i = depth; i > 0; i--)
        OK(MPI_Comm_free(&level[i]));
}

static void types(void)
{
    MPI_Comm comm;
    MPI_Info info;
    int result = -1;

    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, -rank, MPI_INFO_NULL, &comm));
    CHECK_EQ(size_of(comm), size);
    CHECK_EQ(rank_in(comm), size - 1 - rank);
    OK(MPI_Comm_compare(MPI_COMM_WORLD, comm, &result));
    CHECK_EQ(result, size > 1 ? MPI_SIMILAR : MPI_CONGRUENT);
    OK(MPI_Comm_free(&comm));

    OK(MPI_Comm_split_type(MPI_COMM_WORLD, rank % 2 ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED, 0,
                           MPI_INFO_NULL, &comm));
    CHECK_EQ(comm == MPI_COMM_NULL, rank % 2);
    if (comm != MPI_COMM_NULL) {
        CHECK_EQ(size_of(comm), (size + 1) / 2);
        OK(MPI_Comm_free(&comm));
    }

    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, MPI_INFO_NULL, &comm));
    CHECK(comm == MPI_COMM_NULL);
#ifdef RMASHM
    /* Everybody's own value, or not everybody's: no value (an error in MPICH 4.0). */
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "mpi_hw_resource_type", rank % 2 ? "mpi_shared_memory" : "numanode"));
    if (size > 1) {
        OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, info, &comm));
        CHECK(comm == MPI_COMM_NULL);
        OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, rank ? info : MPI_INFO_NULL, &comm));
        CHECK(comm == MPI_COMM_NULL);
        OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, rank ? info : MPI_INFO_NULL, &comm));
        CHECK_EQ(size_of(comm), size);
        OK(MPI_Comm_free(&comm));
    }
    /* A set of processes comes into its own where the part of the machine is ignored. */
    OK(MPI_Info_set(info, "mpi_pset_name", "mpi://WORLD"));
    if (size > 1) {
        OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_RESOURCE_GUIDED, 0, info, &comm));
        CHECK_EQ(size_of(comm), size);
        OK(MPI_Comm_free(&comm));
        OK(MPI_Info_delete(info, "mpi_hw_resource_type"));
        OK(MPI_Info_set(info, "mpi_pset_name", rank % 2 ? "mpi://SELF" : "mpi://WORLD"));
        OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_RESOURCE_GUIDED, 0, info, &comm));
        CHECK(comm == MPI_COMM_NULL);
    }
    OK(MPI_Info_free(&info));
#endif

    /* A part of the machine that does not exist. */
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "mpi_hw_resource_type", "no such part"));
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, info, &comm));
    CHECK(comm == MPI_COMM_NULL);
    OK(MPI_Info_free(&info));

#ifdef RMASHM
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "mpi_hw_resource_type", "mpi_shared_memory"));
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, info, &comm));
    CHECK_EQ(size_of(comm), size);
    OK(MPI_Comm_free(&comm));
    OK(MPI_Info_set(info, "mpi_pset_name", "mpi://SELF"));
    OK(MPI_Info_delete(info, "mpi_hw_resource_type"));
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_RESOURCE_GUIDED, 0, info, &comm));
    CHECK_EQ(size_of(comm), 1);
    OK(MPI_Comm_free(&comm));
    OK(MPI_Info_free(&info));
    /* Whatever level it finds: smaller than what it was made of, and with the caller in it. */
    OK(MPI_Info_create(&info));
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_UNGUIDED, 0, info, &comm));
    if (comm != MPI_COMM_NULL) {
        int flag = 0, length = 0;
        CHECK(size_of(comm) < size);
        CHECK_EQ(world_rank(comm, rank_in(comm)), rank);
        OK(MPI_Info_get_string(info, "mpi_hw_resource_type", &length, NULL, &flag));
        CHECK(flag);
        OK(MPI_Comm_free(&comm));
    }
    OK(MPI_Info_free(&info));
#endif
}

/* Of MPICH: processes that see the same directory. Where others were compiled with another header, all have to know it. */
static void neighborhoods(void)
{
    int known = 0, by_all;
#ifdef MPIX_COMM_TYPE_NEIGHBORHOOD
    known = 1;
#endif
    OK(MPI_Allreduce(&known, &by_all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
    if (!by_all)
        return;
#ifdef MPIX_COMM_TYPE_NEIGHBORHOOD
    MPI_Comm comm;
    MPI_Info info;
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPIX_COMM_TYPE_NEIGHBORHOOD, 0, MPI_INFO_NULL, &comm));
    CHECK(comm == MPI_COMM_NULL);
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "network_topo", "switch_level:1"));
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPIX_COMM_TYPE_NEIGHBORHOOD, 0, info, &comm));
    CHECK(comm == MPI_COMM_NULL);
    OK(MPI_Info_set(info, "nbhd_common_dirname", "/tmp"));
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, rank % 2 ? MPI_UNDEFINED : MPIX_COMM_TYPE_NEIGHBORHOOD, -rank, info,
                           &comm));
    CHECK_EQ(comm == MPI_COMM_NULL, rank % 2);
    if (comm != MPI_COMM_NULL) {
        CHECK_EQ(size_of(comm), (size + 1) / 2);
        CHECK_EQ(rank_in(comm), (size - 1) / 2 - rank / 2);
        OK(MPI_Comm_free(&comm));
    }
    OK(MPI_Info_set(info, "nbhd_common_dirname", rank % 2 ? "/" : "/tmp"));
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPIX_COMM_TYPE_NEIGHBORHOOD, 0, info, &comm));
    CHECK_EQ(comm == MPI_COMM_NULL, size > 1);
    if (comm != MPI_COMM_NULL)
        OK(MPI_Comm_free(&comm));
#ifdef RMASHM
    /* The number that it had in MPICH 4.0, and a directory that is not there. */
    OK(MPI_Info_set(info, "nbhd_common_dirname", "/tmp"));
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, 4, 0, info, &comm));
    CHECK_EQ(size_of(comm), size);
    OK(MPI_Comm_free(&comm));
    OK(MPI_Info_set(info, "nbhd_common_dirname", "/no/such/directory"));
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPIX_COMM_TYPE_NEIGHBORHOOD, 0, info, &comm));
    CHECK(comm == MPI_COMM_NULL);
#endif
    OK(MPI_Info_free(&info));
#endif
}

static void errors(void)
{
    MPI_Comm comm = MPI_COMM_SELF;
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
#ifdef RMASHM
    int code, class;
    /* One process fails: all get an error, nobody waits for ever. */
    code = MPI_Comm_split(MPI_COMM_WORLD, rank == size - 1 ? -5 : 0, 0, &comm);
    OK(MPI_Error_class(code, &class));
    CHECK_EQ(class, rank == size - 1 ? MPI_ERR_ARG : MPI_ERR_OTHER);
    if (rank == size - 1)
        CHECK_SENTENCE(code, MPI_ERR_ARG, "color is -5");
    else
        CHECK_SENTENCE(code, MPI_ERR_OTHER, "MPI_ERR_ARG");
    CHECK_CLASS(MPI_Comm_split(MPI_COMM_WORLD, 0, 0, NULL), MPI_ERR_ARG);
    CHECK_SENTENCE(MPI_Comm_split_type(MPI_COMM_WORLD, 99, 0, MPI_INFO_NULL, &comm), MPI_ERR_ARG,
                   "split_type is 99");
    CHECK_CLASS(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, (MPI_Info)5, &comm),
                MPI_ERR_INFO);
    if (size > 1)
        CHECK_CLASS(MPI_Comm_split_type(MPI_COMM_WORLD,
                                        rank ? MPI_COMM_TYPE_SHARED : MPI_COMM_TYPE_HW_UNGUIDED, 0,
                                        MPI_INFO_NULL, &comm),
                    MPI_ERR_NOT_SAME);
    CHECK(comm == MPI_COMM_NULL);
#endif
    CHECK_CLASS(MPI_Comm_split(MPI_COMM_NULL, 0, 0, &comm), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_split_type(MPI_COMM_NULL, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm),
                MPI_ERR_COMM);
    OK(MPI_Comm_split(MPI_COMM_WORLD, 1, 0, &comm));
    OK(MPI_Comm_free(&comm));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    colors_and_keys();
    splits_of_splits();
    types();
    neighborhoods();
    errors();
    return check_end();
}
