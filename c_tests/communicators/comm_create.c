/* ranks: 1 2 4 8 */
/* MPI_Comm_create and MPI_Comm_create_group. */
#include "check.h"

static MPI_Group part(int first, int last, int stride)
{
    MPI_Group world, group;
    int range[1][3] = {{first, last, stride}};
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_range_incl(world, 1, range, &group));
    OK(MPI_Group_free(&world));
    return group;
}

/* comm has the processes of group, in its order. */
static void is_of(MPI_Comm comm, MPI_Group group)
{
    MPI_Group members;
    int result = -1;
    OK(MPI_Comm_group(comm, &members));
    OK(MPI_Group_compare(members, group, &result));
    CHECK_EQ(result, MPI_IDENT);
    OK(MPI_Group_free(&members));
}

static void create(void)
{
    MPI_Group group;
    MPI_Comm comm;

    /* All in reverse. */
    group = part(size - 1, 0, -1);
    OK(MPI_Comm_create(MPI_COMM_WORLD, group, &comm));
    is_of(comm, group);
    OK(MPI_Comm_free(&comm));
    OK(MPI_Group_free(&group));

    /* The even ones; the others get nothing. */
    group = part(0, size - 1, 2);
    OK(MPI_Comm_create(MPI_COMM_WORLD, group, &comm));
    CHECK_EQ(comm == MPI_COMM_NULL, rank % 2);
    if (comm != MPI_COMM_NULL) {
        is_of(comm, group);
        OK(MPI_Comm_free(&comm));
    }
    OK(MPI_Group_free(&group));

    /* Two groups at the same time, and an empty one. */
    if (size >= 3) {
        int half = size / 2;
        group = rank < half ? part(0, half - 1, 1) : part(size - 1, half, -1);
        OK(MPI_Comm_create(MPI_COMM_WORLD, group, &comm));
        is_of(comm, group);
        OK(MPI_Comm_free(&comm));
        OK(MPI_Group_free(&group));
    }
    OK(MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_EMPTY, &comm));
    CHECK(comm == MPI_COMM_NULL);
}

static void create_group(void)
{
    int round;
    for (round = 0; round < 100; round++) {
        MPI_Comm comm, second;
        MPI_Group group = part(rank % 2, size - 1 - (size - 1 - rank % 2) % 2, 2);
        OK(MPI_Comm_create_group(MPI_COMM_WORLD, group, round % 3, &comm));
        is_of(comm, group);
        /* Again of what came out, with the same tag. */
        OK(MPI_Comm_create_group(comm, group, round % 3, &second));
        is_of(second, group);
        OK(MPI_Comm_free(&comm));
        OK(MPI_Comm_free(&second));
        OK(MPI_Group_free(&group));
    }
    /* Only rank 0 calls. */
    if (rank == 0) {
        MPI_Comm comm;
        MPI_Group group = part(0, 0, 1);
        OK(MPI_Comm_create_group(MPI_COMM_WORLD, group, 0, &comm));
        is_of(comm, group);
        OK(MPI_Comm_free(&comm));
        OK(MPI_Group_free(&group));
    }
}

static void errors(void)
{
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Group group = part(0, size - 1, 1);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    CHECK_CLASS(MPI_Comm_create(MPI_COMM_NULL, group, &comm), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_create_group(MPI_COMM_NULL, group, 0, &comm), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_NULL, &comm), MPI_ERR_GROUP);
    CHECK_CLASS(MPI_Comm_create_group(MPI_COMM_WORLD, MPI_GROUP_NULL, 0, &comm), MPI_ERR_GROUP);
#ifdef RMASHM
    CHECK_CLASS(MPI_Comm_create(MPI_COMM_WORLD, group, NULL), MPI_ERR_ARG);
    CHECK_SENTENCE(MPI_Comm_create_group(MPI_COMM_WORLD, group, -4, &comm), MPI_ERR_TAG, "tag is -4");
    CHECK_CLASS(MPI_Comm_create_group(MPI_COMM_WORLD, group, 0, NULL), MPI_ERR_ARG);
    if (size > 1) {
        CHECK_CLASS(MPI_Comm_create(MPI_COMM_SELF, group, &comm), MPI_ERR_GROUP);
        CHECK_CLASS(MPI_Comm_create_group(MPI_COMM_SELF, group, 0, &comm), MPI_ERR_GROUP);
        /* The processes do not agree on the group. */
        MPI_Group mine = part(0, rank == 0 ? 0 : size - 1, 1);
        CHECK_CLASS(MPI_Comm_create(MPI_COMM_WORLD, mine, &comm), MPI_ERR_GROUP);
        OK(MPI_Group_free(&mine));
    }
    CHECK(comm == MPI_COMM_NULL);
#endif
    OK(MPI_Group_free(&group));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    create();
    create_group();
    errors();
    return check_end();
}
